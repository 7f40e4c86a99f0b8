"""The dock of numbers over the steps, around a session that only notes what is asked."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QInputDialog, QMainWindow
from pytestqt.qtbot import QtBot

from hookscope.client.series_book import KEPT_POINTS
from hookscope.gui.current import Current
from hookscope.gui.handlers.series import SeriesHandlers
from hookscope.gui.series.dock import SeriesDock
from hookscope.gui.series.follow_menu import index_of
from hookscope.gui.series.following import Following
from hookscope.gui.series.memory import SeriesMemory
from hookscope.gui.series.series_plot import SeriesPlot
from hookscope.gui.settings import MemoryStore, Settings
from hookscope.protocol.events import StepFinished
from hookscope.protocol.hooks import OperationRef
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.series import (
    Distribution,
    ElementAt,
    Gap,
    SeriesPoint,
    Statistic,
    StatisticOf,
    UpdateRatio,
)
from hookscope.protocol.tensors import Badge, BadgeKind
from hookscope.protocol.workload import ExampleSource
from tests.gui.fakes import FakeBridge, FakeSession, record, small_tree, spec

OUT = TensorRef("features.3", Slot.OUTPUT, "out")
WEIGHT = TensorRef("features.3", Slot.PARAMETER, "weight")


@pytest.fixture
def following(bridge: FakeBridge) -> Following:
    return Following(bridge, bridge)


@pytest.fixture
def dock(bridge: FakeBridge, current: Current, following: Following, qtbot: QtBot) -> Iterator[SeriesDock]:
    dock = SeriesDock(bridge, following, current)
    qtbot.addWidget(dock)
    dock.resize(1000, 320)
    dock.show()
    yield dock
    dock.close()


def drawn(dock: SeriesDock, qtbot: QtBot) -> None:
    """Wait for the next time that the dock draws."""
    qtbot.waitUntil(lambda: not dock.is_waiting and not dock._timer.isActive())


def tell(bridge: FakeBridge, series_id: int, *values: float | None, first: int = 1) -> None:
    points = (
        SeriesPoint(series_id, first + n, (value,)) if value is not None else SeriesPoint(series_id, first + n, (), 7)
        for n, value in enumerate(values)
    )
    bridge.tell_points(*points)


def place_of(plot: SeriesPlot, step: float) -> QPointF:
    """Return where a step is in the scene of a plot."""
    (_, _), (low, high) = plot.box.viewRange()
    return plot.box.mapViewToScene(QPointF(step, (low + high) / 2))


def click(plot: SeriesPlot, step: float, *, double: bool = False) -> None:
    viewport = plot.plot.viewport()
    at = plot.plot.mapFromScene(place_of(plot, step))
    press = QTest.mouseDClick if double else QTest.mouseClick
    press(viewport, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, at)


def test_that_following_checks_the_module_and_asks_the_session_once(
    bridge: FakeBridge, following: Following, qtbot: QtBot
) -> None:
    with qtbot.waitSignals([following.changed, following.checked, following.added]):
        series = following.follow(OUT, StatisticOf())
    assert series is not None
    assert bridge.session.checked == ("features.3",)
    assert bridge.session.series == (series,)
    with qtbot.assertNotEmitted(following.changed), qtbot.assertNotEmitted(following.checked):
        assert following.follow(OUT, StatisticOf()) == series
    operation = TensorRef("features", Slot.OUTPUT, "out", operation="add:1")
    assert following.follow(operation, Distribution()) is not None
    assert bridge.session.checked_operations == (OperationRef("features", "add", 1),)
    assert following.follow(TensorRef("features", Slot.OUTPUT, "x", operation="local:x"), StatisticOf()) is None
    assert following.title_of(series) == "features.3 output norm"
    following.remove({series.id})
    assert [one.ref for one in following.series] == [operation]
    following.clear()
    assert bridge.session.series == ()


def test_that_a_dock_without_series_says_what_to_do(dock: SeriesDock, bridge: FakeBridge, current: Current) -> None:
    assert not dock.plots
    assert "Follow" in dock._message.text()
    assert not dock.follow_button.isEnabled()
    bridge.record(record("features.3", of=spec(2, 3)))
    current.select_module("features.3")
    assert dock.follow_button.isEnabled()
    assert dock.follow_button.text() == "Follow features.3 output"
    bridge.record(record("features.3", badges=(Badge(BadgeKind.NOT_A_TENSOR, "int: 3"),), step=2))
    current.select_module("features.0")
    current.select_module("features.3")
    assert not dock.follow_button.isEnabled()
    bridge.load(None)
    assert "Open a model" in dock._message.text()


def test_that_the_menu_follows_the_tensor_that_the_window_looks_at(
    dock: SeriesDock, bridge: FakeBridge, current: Current, following: Following, qtbot: QtBot
) -> None:
    bridge.record(record("features.3", of=spec(2, 3)), record("features.3", Slot.PARAMETER, "weight", spec(4)))
    current.select_module("features.3")
    kinds = {action.data(): action for action in dock.menu.actions() if action.data() is not None}
    assert {one.statistic for one in kinds if isinstance(one, StatisticOf)} == set(Statistic)
    assert not kinds[UpdateRatio()].isEnabled()
    kinds[StatisticOf(Statistic.MEAN)].trigger()
    kinds[Distribution()].trigger()
    current.select_ref(WEIGHT)
    assert kinds[UpdateRatio()].isEnabled()
    kinds[UpdateRatio()].trigger()
    assert [(one.ref, one.kind) for one in following.series] == [
        (OUT, StatisticOf(Statistic.MEAN)),
        (OUT, Distribution()),
        (WEIGHT, UpdateRatio()),
    ]
    assert [plot.series for plot in dock.plots] == list(following.series)


def test_that_one_element_is_asked_for_by_its_index(
    dock: SeriesDock, bridge: FakeBridge, current: Current, following: Following
) -> None:
    bridge.record(record("features.3", of=spec(2, 3)))
    current.select_module("features.3")
    dock.menu._element.trigger()
    dialog = dock.findChild(QInputDialog)
    assert dialog is not None
    assert "2 × 3" in dialog.labelText()
    assert dialog.textValue() == "0, 0"
    dialog.setTextValue("1, 2")
    dialog.accept()
    assert following.series[0].kind == ElementAt((1, 2))


@pytest.mark.parametrize("text", ["1, 2", "[1, 2]", "(1,2)", "1 2", " 1 ,2, "])
def test_that_an_index_is_read_as_people_write_it(text: str) -> None:
    assert index_of(text) == (1, 2)


def test_that_points_are_drawn_with_their_newest_value_and_their_marks(
    dock: SeriesDock, bridge: FakeBridge, following: Following, qtbot: QtBot
) -> None:
    series = following.follow(OUT, StatisticOf())
    assert series is not None
    tell(bridge, series.id, 1.0, 4.0, None, 2.5)
    bridge.tell_points(SeriesPoint(series.id, 5, gap=Gap.NOT_CAPTURED))
    tell(bridge, series.id, 0.5, first=6)
    drawn(dock, qtbot)
    (plot,) = dock.plots
    assert plot.lines.line.x.tolist() == [1, 2, 3, 4, 5, 6]
    assert plot.lines.non_finite.tolist() == [3]
    assert plot.lines.gaps.tolist() == [[4.5, 5.5]]
    assert plot.value_text == "0.5"
    assert plot.plot.accessibleName() == "features.3 output norm"
    assert "steps: 6; newest step 6: 0.5; from 0.5 to 4" in plot.summary()
    assert "steps that gave nothing: 1" in plot.summary()


def test_that_a_hidden_dock_draws_nothing_until_it_is_shown(
    dock: SeriesDock, bridge: FakeBridge, following: Following, qtbot: QtBot
) -> None:
    series = following.follow(OUT, StatisticOf())
    assert series is not None
    dock.hide()
    tell(bridge, series.id, 1.0, 2.0)
    drawn(dock, qtbot)
    assert not len(dock.plots[0].lines.line.x)
    dock.show()
    drawn(dock, qtbot)
    assert len(dock.plots[0].lines.line.x) == 2


def test_that_all_plots_show_the_same_steps_and_a_zoom_stays_until_all_are_asked_for(
    dock: SeriesDock, bridge: FakeBridge, following: Following, qtbot: QtBot
) -> None:
    kinds = (StatisticOf(), StatisticOf(Statistic.MEAN))
    first, second = (following.follow(OUT, kind) for kind in kinds)
    assert first is not None
    assert second is not None
    tell(bridge, first.id, *map(float, range(100)))
    tell(bridge, second.id, *map(float, range(50)), first=51)
    drawn(dock, qtbot)
    ranges = [plot.box.viewRange()[0] for plot in dock.plots]
    assert ranges[0] == ranges[1]
    assert ranges[0][0] < 1 < 100 < ranges[0][1]
    box = dock.plots[0].box
    box.setXRange(20, 30, padding=0)
    box.sigRangeChangedManually.emit(box.state["mouseEnabled"])
    drawn(dock, qtbot)
    assert [plot.box.viewRange()[0] for plot in dock.plots] == [[20, 30]] * 2
    assert dock._whole.isVisible()
    tell(bridge, first.id, 1.0, first=101)
    drawn(dock, qtbot)
    assert dock.plots[1].box.viewRange()[0] == [20, 30]
    dock._whole.click()
    drawn(dock, qtbot)
    assert dock.plots[1].box.viewRange()[0][1] > 101
    assert not dock._whole.isVisible()


def test_that_a_click_goes_to_a_step_that_is_known(
    dock: SeriesDock, bridge: FakeBridge, following: Following, current: Current, qtbot: QtBot
) -> None:
    bridge.session.history = [StepFinished(step, 1.0, 0.1, 0.05, 0.05, 0, 0, False) for step in range(1, 21)]
    bridge.record(record("features.3", of=spec(2), step=20))
    current.select_module("features.3")
    series = following.follow(OUT, StatisticOf())
    assert series is not None
    tell(bridge, series.id, *map(float, range(20)))
    drawn(dock, qtbot)
    plot = dock.plots[0]
    assert plot._here.value() == 20
    click(plot, 7.2)
    assert current.step == 7
    drawn(dock, qtbot)
    assert plot._here.value() == 7
    click(plot, 20.1)
    assert current.step is None  # the newest step is followed


def test_that_the_step_under_the_pointer_is_told(
    dock: SeriesDock, bridge: FakeBridge, following: Following, qtbot: QtBot
) -> None:
    series = following.follow(OUT, StatisticOf())
    assert series is not None
    tell(bridge, series.id, 1.0, None, 3.0)
    drawn(dock, qtbot)
    plot = dock.plots[0]
    for step, value, tip in ((1, "1  1", "step 1: 1"), (2, "2  not finite", "step 2: 7 elements are NaN or infinite")):
        plot._point(place_of(plot, step))
        assert (plot.value_text, plot.box.toolTip()) == (value, tip)
    plot._point(QPointF(-50, -50))
    assert (plot.value_text, plot.box.toolTip()) == ("3", "")


def test_that_a_ratio_has_a_logarithmic_axis_and_the_plot_can_show_something_else_later(
    dock: SeriesDock, bridge: FakeBridge, following: Following, qtbot: QtBot
) -> None:
    ratio = following.follow(WEIGHT, UpdateRatio())
    assert ratio is not None
    tell(bridge, ratio.id, 1e-3, 0.0, 1e-1)
    drawn(dock, qtbot)
    (plot,) = dock.plots
    assert plot._plot.getAxis("left").is_log
    assert plot.lines.line.y[[0, 2]].tolist() == [-3, -1]
    assert plot.lines.zeros.tolist() == [2]
    following.clear()
    assert not plot.isVisible()
    bands = following.follow(OUT, Distribution())
    assert bands is not None
    bridge.tell_points(*(SeriesPoint(bands.id, n, tuple(map(float, range(n, n + 7)))) for n in (1, 2, 3)))
    drawn(dock, qtbot)
    assert dock.plots == (plot,)
    assert not plot._plot.getAxis("left").is_log
    assert len(plot.lines.bands) == 2
    assert plot.value_text == "6"


def test_that_steps_that_are_kept_no_more_are_said(
    dock: SeriesDock, bridge: FakeBridge, following: Following, qtbot: QtBot
) -> None:
    series = following.follow(OUT, StatisticOf())
    assert series is not None
    tell(bridge, series.id, *map(float, range(KEPT_POINTS)))
    drawn(dock, qtbot)
    assert dock.remark == ""
    tell(bridge, series.id, *map(float, range(2_345)), first=KEPT_POINTS + 1)
    drawn(dock, qtbot)
    assert dock.remark == "10,000 newest of 12,345 steps"
    assert len(dock.plots[0].lines.line.x) < 4 * dock.width()


def test_that_plots_stand_side_by_side_while_there_is_room(
    dock: SeriesDock, following: Following, qtbot: QtBot
) -> None:
    for statistic in (Statistic.NORM, Statistic.MEAN, Statistic.STD):
        following.follow(OUT, StatisticOf(statistic))
    wide = dock._grid.columns
    assert wide > 1
    dock.resize(300, 320)
    qtbot.waitUntil(lambda: dock._grid.columns == 1)
    assert all(plot.width() <= 300 for plot in dock.plots)
    dock.resize(300, 10)
    first, last = dock.plots[0], dock.plots[-1]
    following.follow(OUT, StatisticOf(Statistic.NORM))
    qtbot.waitUntil(lambda: first.is_in_sight and not last.is_in_sight)
    following.follow(OUT, StatisticOf(Statistic.STD))
    qtbot.waitUntil(lambda: last.is_in_sight and not first.is_in_sight)
    assert last.visibleRegion().boundingRect().top() == 0


def test_that_a_plot_has_a_menu_for_its_series(
    dock: SeriesDock, bridge: FakeBridge, following: Following, current: Current, qtbot: QtBot
) -> None:
    first, second = (following.follow(OUT, kind) for kind in (StatisticOf(), Distribution()))
    assert first is not None
    look, _, export, remove = dock.plots[1].menu.actions()
    look.trigger()
    assert current.ref == OUT
    with qtbot.waitSignal(dock.export_requested) as wanted:
        export.trigger()
    assert second is not None
    assert wanted.args == [(second.id,)]
    remove.trigger()
    assert following.series == (first,)
    with qtbot.waitSignal(dock.export_requested) as wanted:
        dock._more.menu().actions()[0].trigger()
    assert wanted.args == [(first.id,)]


def test_that_the_table_is_written_whole_or_not_at_all(
    bridge: FakeBridge, following: Following, qtbot: QtBot, tmp_path: Path
) -> None:
    window = QMainWindow()
    qtbot.addWidget(window)
    settings = Settings(MemoryStore())
    handlers = SeriesHandlers(bridge, following, settings, window)
    with qtbot.waitSignal(handlers.told) as told:
        handlers.export_all()
    assert "Nothing" in told.args[0]
    series = following.follow(OUT, StatisticOf())
    assert series is not None
    tell(bridge, series.id, 1.5, None)
    handlers.export_to(str(tmp_path / "steps.csv"))
    lines = (tmp_path / "steps.csv").read_text().splitlines()
    assert lines == [
        "step,features.3 output norm,features.3 output non-finite,features.3 output gap",
        "1,1.5,0,",
        "2,,7,",
    ]
    assert settings.last_folder == tmp_path
    with qtbot.waitSignal(handlers.told) as told:
        handlers.export_to(str(tmp_path / "nowhere" / "steps.csv"))
    assert "cannot be written" in told.args[0]
    assert [path.name for path in tmp_path.iterdir()] == ["steps.csv"]


def test_that_what_is_followed_is_remembered_for_each_model(bridge: FakeBridge, qtbot: QtBot) -> None:
    settings = Settings(MemoryStore())
    following = Following(bridge, bridge)
    SeriesMemory(bridge, following, settings, bridge)
    bridge.load(small_tree())
    following.follow(OUT, Distribution())
    bridge.load(small_tree())  # the same one again
    assert [one.ref for one in following.series] == [OUT]
    bridge.session.source, bridge.session.checked = ExampleSource("other"), ()
    bridge.load(small_tree())
    assert following.series == ()
    following.follow(WEIGHT, UpdateRatio())
    bridge.session.source, bridge.session.checked = ExampleSource("digits"), ()
    bridge.load(small_tree())
    assert [(one.ref, one.kind) for one in following.series] == [(OUT, Distribution())]
    assert bridge.session.checked == ("features.3",)
    later = FakeBridge(FakeSession(small_tree()))
    again = Following(later, later)
    SeriesMemory(later, again, settings, later)
    later.session.source = ExampleSource("other")
    later.load(small_tree())
    assert [one.ref for one in again.series] == [WEIGHT]
    following.clear()
    assert settings.series("example:digits") == ""
    settings.keep_series("example:digits", "no list")
    bridge.session.source = ExampleSource("other")
    bridge.load(small_tree())
    bridge.session.source = ExampleSource("digits")
    bridge.load(small_tree())
    assert following.series == ()
