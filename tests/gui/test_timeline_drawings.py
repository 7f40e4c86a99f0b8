"""Lanes and flame: where the time of a step went, drawn, and what a click on it does."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest

from hookscope.figures.lanes import StepTrace
from hookscope.gui.style import apply_theme
from hookscope.gui.theme import DARK, LIGHT
from hookscope.gui.timeline.names import signed_bytes, span_tooltip
from hookscope.gui.timeline.time_window import TimeWindow, time_ticks
from hookscope.protocol.identity import Slot, TensorRef
from tests.figures.stepped import on_device, whole_step
from tests.gui.panel_fakes import colors_of, pump
from tests.gui.timeline_driving import TimelineWindow


@pytest.fixture
def window(qapp: object) -> Iterator[TimelineWindow]:
    apply_theme(qapp, DARK)  # type: ignore[arg-type]
    window = TimelineWindow()
    yield window
    window.close()
    window.deleteLater()


def bar_of(window: TimelineWindow, path: str, *, is_backward: bool) -> QPoint:
    lanes = window.dock.lanes
    number = next(number for number, row in enumerate(lanes.scene.rows) if row.path == path)
    span = next(span for span in lanes.scene.rows[number].spans if span.is_backward is is_backward)
    geometry = lanes.geometry_now
    x = geometry.x_of((span.begin_s + span.end_s) / 2, lanes.scene.window)
    return QPointF(x, geometry.area_of(number).center().y()).toPoint()


def wheel(window: TimelineWindow, place: QPoint, delta: int) -> None:
    viewport = window.dock.lanes.viewport()
    at = QPointF(place)
    event = QWheelEvent(
        at,
        QPointF(viewport.mapToGlobal(place)),
        QPoint(),
        QPoint(0, delta),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    window.dock.lanes.wheelEvent(event)


def click(window: TimelineWindow, place: QPoint) -> None:
    QTest.mouseClick(window.dock.lanes.viewport(), Qt.MouseButton.LeftButton, pos=place)


def test_that_lanes_have_a_row_for_each_module_and_both_passes_in_their_colours(window: TimelineWindow) -> None:
    window.trace(1)
    window.settle(1)
    assert [row.path for row in window.dock.lanes.scene.rows] == ["features", "features.0", "features.1", "head"]
    assert {DARK.forward, DARK.backward} <= colors_of(window.dock.lanes)


@pytest.mark.parametrize(
    ("path", "is_backward", "ref"),
    [
        ("head", False, TensorRef("head", Slot.OUTPUT, "out")),
        ("head", True, TensorRef("head", Slot.GRAD_OUTPUT, "out")),
        ("features.1", True, TensorRef("features.1", Slot.GRAD_OUTPUT, "out")),
    ],
)
def test_that_a_click_on_a_bar_looks_at_what_it_gave(
    window: TimelineWindow, path: str, is_backward: bool, ref: TensorRef
) -> None:
    window.trace(1)
    window.settle(1)
    click(window, bar_of(window, path, is_backward=is_backward))
    assert window.current.ref == ref
    assert window.dock.lanes.scene.current == window.current.moment.event.number


def test_that_a_label_opens_and_closes_its_container_or_looks_at_its_module(window: TimelineWindow) -> None:
    window.trace(1)
    window.settle(1)
    geometry = window.dock.lanes.geometry_now
    triangle = QPoint(geometry.indent // 2, geometry.row_height // 2)
    click(window, triangle)
    assert [row.path for row in window.dock.lanes.scene.rows] == ["features", "head"]
    window.trace(2)
    window.settle(2)
    assert [row.path for row in window.dock.lanes.scene.rows] == ["features", "head"]
    click(window, triangle)
    assert len(window.dock.lanes.scene.rows) == 4
    geometry = window.dock.lanes.geometry_now
    click(window, QPoint(geometry.label_width // 2 + geometry.indent, round(3.5 * geometry.row_height)))
    assert window.current.path == "head"


def test_that_the_wheel_zooms_about_the_pointer_and_f_shows_everything_again(window: TimelineWindow) -> None:
    window.trace(1)
    window.settle(1)
    lanes = window.dock.lanes
    place = bar_of(window, "features.1", is_backward=False)
    time_s = lanes.geometry_now.time_at(place.x(), lanes.scene.window)
    for _ in range(5):
        wheel(window, place, 120)
    assert lanes.scene.window.length_s < 0.5 * 0.023
    assert lanes.geometry_now.time_at(place.x(), lanes.scene.window) == pytest.approx(time_s)
    QTest.keyClick(lanes, Qt.Key.Key_F)
    assert lanes.scene.window.is_whole


def test_that_dragging_moves_on_and_is_no_click(window: TimelineWindow) -> None:
    window.trace(1)
    window.settle(1)
    lanes, start = window.dock.lanes, bar_of(window, "features.1", is_backward=False)
    for _ in range(8):
        wheel(window, start, 120)
    before = lanes.scene.window.from_s
    QTest.mousePress(lanes.viewport(), Qt.MouseButton.LeftButton, pos=start)
    QTest.mouseMove(lanes.viewport(), start - QPoint(40, 0))
    QTest.mouseMove(lanes.viewport(), start - QPoint(80, 0))
    QTest.mouseRelease(lanes.viewport(), Qt.MouseButton.LeftButton, pos=start - QPoint(80, 0))
    assert lanes.scene.window.from_s > before
    assert window.current.ref is None


def test_that_a_bar_says_what_it_took(window: TimelineWindow) -> None:
    window.trace(1, on_device(whole_step()))
    window.settle(1)
    scene = window.dock.lanes.scene
    lines = span_tooltip(scene.trace.spans["features", 0, False], scene.trace, scene.names).splitlines()
    assert lines == [
        "features Sequential",
        "forward",
        "10.0 ms, 21.7 % of the step on the device",
        "5.0 ms until it was queued",
        "memory +500 B",
    ]
    on_cpu = StepTrace(whole_step())
    assert span_tooltip(on_cpu.spans["head", 0, True], on_cpu, scene.names).splitlines() == [
        "head Linear",
        "backward",
        "3.0 ms, 13.0 % of the step",
    ]


@pytest.mark.parametrize(("change", "text"), [(0, "±0 B"), (1536, "+1.5 KiB"), (-24, "−24 B")])
def test_that_a_change_of_memory_has_a_sign(change: int, text: str) -> None:
    assert signed_bytes(change) == text


def table_of(window: TimelineWindow) -> tuple[list[str], list[list[str]]]:
    model = window.dock.flame.table.times
    columns = range(model.columnCount())
    titles = [model.headerData(column, Qt.Orientation.Horizontal) for column in columns]
    return titles, [[model.index(row, column).data() for column in columns] for row in range(model.rowCount())]


def test_that_the_flame_view_says_which_module_is_slow(window: TimelineWindow) -> None:
    window.trace(1)
    window.settle(1)
    window.dock.controls.flame.click()
    titles, rows = table_of(window)
    assert titles == ["Module", "Itself", "Share", "Forward", "Backward"]
    assert ["Net", "5.0 ms", "25.0 %", "9.0 ms", "11.0 ms"] in rows
    assert [row[1] for row in rows] == ["5.0 ms", "5.0 ms", "4.0 ms", "3.0 ms", "3.0 ms"]
    tip = window.dock.flame.table.times.headerData(1, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole)
    assert "CUDA" in tip
    assert {DARK.forward, DARK.backward} <= colors_of(window.dock.flame.bars)


def test_that_memory_has_a_column_where_it_is_measured(window: TimelineWindow) -> None:
    window.trace(1, on_device(whole_step()))
    window.settle(1)
    window.dock.controls.flame.click()
    titles, rows = table_of(window)
    assert titles[-1] == "Memory"
    assert {row[0]: row[-1] for row in rows}["features"] == "+500 B"


def test_that_a_bar_of_the_flame_looks_at_its_module(window: TimelineWindow) -> None:
    window.trace(1)
    window.settle(1)
    window.dock.controls.flame.click()
    pump()
    bars = window.dock.flame.bars
    QTest.mouseClick(bars, Qt.MouseButton.LeftButton, pos=QPoint(bars.width() // 4, bars.fontMetrics().height() * 3))
    assert window.current.path == "features"


def test_that_the_colours_follow_the_theme(window: TimelineWindow, qapp: object) -> None:
    window.trace(1)
    window.settle(1)
    apply_theme(qapp, LIGHT)  # type: ignore[arg-type]
    pump()
    assert {LIGHT.forward, LIGHT.backward} <= colors_of(window.dock.lanes)
    assert LIGHT.forward in colors_of(window.dock.list)


@pytest.mark.parametrize(
    ("span", "most", "labels"),
    [
        ((0.0, 0.1), 5, ["0 ms", "20 ms", "40 ms", "60 ms", "80 ms", "100 ms"]),
        ((0.0, 2.0), 2, ["0 s", "1 s", "2 s"]),
        ((1.1e-5, 3.2e-5), 3, ["20 µs", "30 µs"]),
        ((0.0, 0.0), 5, []),
    ],
)
def test_that_times_below_the_lanes_are_round(span: tuple[float, float], most: int, labels: list[str]) -> None:
    assert [text for _, text in time_ticks(*span, most)] == labels


def test_that_a_window_on_time_stays_inside_of_the_whole() -> None:
    window = TimeWindow()
    window.set_whole(0.0, 10.0)
    assert (window.from_s, window.to_s, window.is_whole) == (0.0, 10.1, True)
    window.zoom(0.5, 1.0)
    assert (window.from_s, window.to_s) == (5.05, 10.1)
    window.pan(-3.0)
    assert window.from_s == 0.0
    window.reveal(9.0)
    assert window.from_s <= 9.0 <= window.to_s
    window.zoom(100.0, 0.5)
    assert window.is_whole
