"""Every kind of view draws what it is given, and names what is under the pointer."""

from collections.abc import Iterator
from typing import cast, get_args

import pyqtgraph as pg
import pytest
import torch
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QSpinBox,
    QTableView,
    QTableWidget,
)

from hookscope.figures.choice import view_kinds
from hookscope.gui.panels.base import TensorView
from hookscope.gui.panels.histogram import HistogramView
from hookscope.gui.panels.picture_view import PictureView
from hookscope.gui.panels.plot_view import PlotView
from hookscope.gui.panels.registry import PANEL_KINDS, kind_title
from hookscope.gui.style import apply_theme
from hookscope.gui.theme import DARK, LIGHT
from hookscope.protocol.identity import TensorRef
from hookscope.protocol.views import ViewRequest
from tests.gui.panel_fakes import (
    GRADIENT,
    LOGITS,
    OUTPUT,
    WEIGHT,
    PanelWindow,
    colors_of,
    pump,
    texts_of,
)


@pytest.fixture
def window(qapp: QApplication) -> Iterator[PanelWindow]:
    qapp.setStyle("Fusion")
    apply_theme(qapp, DARK)
    window = PanelWindow()
    yield window
    window.close()
    window.deleteLater()


TENSORS = {
    "statistics": (OUTPUT, torch.randn(4, 4)),
    "histogram": (OUTPUT, torch.randn(1000)),
    "heatmap": (LOGITS, torch.randn(64, 10)),
    "grid": (OUTPUT, torch.randn(3, 8, 6, 6)),
    "kernels": (WEIGHT, torch.randn(8, 3, 3, 3)),
    "curve": (GRADIENT, torch.randn(30)),
    "table": (OUTPUT, torch.randn(20, 5)),
    "rgb": (OUTPUT, torch.rand(2, 3, 6, 6)),
    "channels": (OUTPUT, torch.randn(2, 8, 6, 6)),
    "sparsity": (OUTPUT, torch.rand(2, 8, 6, 6)),
    "singular_values": (WEIGHT, torch.randn(20, 5)),
    "scatter": (OUTPUT, torch.randn(20, 5)),
    "embedding": (OUTPUT, torch.randn(20, 5)),
    "cosine": (OUTPUT, torch.randn(20, 5)),
    "attention": (OUTPUT, torch.randn(2, 7, 64)),
}
REQUESTS = {request.__struct_config__.tag: request for request in get_args(ViewRequest)}


@pytest.mark.parametrize("kind", PANEL_KINDS)
def test_that_a_kind_asks_for_its_own_view_and_draws_the_answer(window: PanelWindow, kind: str) -> None:
    row = PANEL_KINDS[kind]
    assert kind_title(kind) == row.title

    ref, tensor = TENSORS[kind]
    window.panel.set_kind(kind)
    window.bridge.capture({ref: tensor})
    window.current.select_ref(ref)
    assert type(window.bridge.session.asked[0].request) is REQUESTS[kind]
    before = window.panel.grab().toImage()
    window.bridge.answer_all(window.panel)
    assert window.panel.message == ""
    assert window.panel.shown_step == 1
    assert window.panel.spec is not None
    assert window.panel.grab().toImage() != before
    view = window.panel.widget().findChild(cast("type[TensorView]", row.factory))
    assert view is not None
    assert view.accessibleDescription() == view.summary() != ""


@pytest.mark.parametrize(
    "tensor",
    [
        torch.full((3, 4, 4), float("nan")),
        torch.full((3, 4, 4), 3.0),
        torch.tensor([[[-3e38, 3e38], [0.0, 1.0]]]),
        torch.tensor([[[float("inf"), -float("inf")], [float("nan"), 1.0]]], dtype=torch.float16),
        torch.zeros(2, 3, 4, dtype=torch.bool),
        torch.tensor([[[1e300, -1e300]]], dtype=torch.float64),
        torch.arange(6).reshape(1, 2, 3),
        torch.zeros(1, 1, 1),
    ],
    ids=["nan", "constant", "huge", "non-finite", "bool", "float64", "int", "one"],
)
def test_that_every_kind_draws_awkward_values_without_trouble(window: PanelWindow, tensor: torch.Tensor) -> None:
    for step, kind in enumerate(PANEL_KINDS, start=1):
        window.show_tensor(WEIGHT if kind == "kernels" else OUTPUT, tensor, kind, step=step)
        window.panel.grab()
        needs_finite = kind == "singular_values" and not bool(tensor.to(torch.float64).isfinite().all())
        assert (window.panel.message != "") == needs_finite


@pytest.mark.parametrize(
    ("ref", "shape"), [(OUTPUT, ()), (OUTPUT, (7,)), (OUTPUT, (7, 3)), (OUTPUT, (3, 4, 4)), (WEIGHT, (4, 3, 3, 3))]
)
def test_that_the_best_view_is_chosen_by_what_the_tensor_is(
    window: PanelWindow, ref: TensorRef, shape: tuple[int, ...]
) -> None:
    tensor = torch.ones(shape)
    window.bridge.capture({ref: tensor})
    window.current.select_ref(ref)
    record = window.bridge.session.records.get(ref)
    assert record is not None
    assert record.spec is not None
    asked = window.bridge.session.asked[-1].request
    assert type(asked) is REQUESTS[view_kinds(record.spec, ref.slot)[0]]


def test_that_values_that_are_not_finite_have_colours_of_their_own(window: PanelWindow) -> None:
    tensor = torch.zeros(4, 4)
    tensor[0, 0], tensor[1, 1], tensor[2, 2] = torch.nan, torch.inf, -torch.inf
    window.show_tensor(LOGITS, tensor, "heatmap")
    assert {"#ff00ff", "#ffffff", "#000000"} <= colors_of(window.panel)
    assert "1 NaN  1 +Inf  1 -Inf  0 < 0  13 = 0  0 > 0" in texts_of(window.panel)


def test_that_zero_is_the_panel_colour_and_the_signs_are_blue_and_orange(window: PanelWindow) -> None:
    tensor = torch.tensor([[-1.0, 0.0, 1.0]] * 3)
    window.show_tensor(GRADIENT, tensor, "heatmap")
    assert {"#a8d8ff", DARK.panel, "#ffcf9e"} <= colors_of(window.panel)

    apply_theme(QApplication.instance(), LIGHT)  # type: ignore[arg-type]
    pump()
    assert {"#07417f", LIGHT.panel, "#7a3d00", LIGHT.window} <= colors_of(window.panel)


def test_that_values_of_one_sign_are_drawn_in_viridis(window: PanelWindow) -> None:
    window.show_tensor(LOGITS, torch.tensor([[0.0, 1.0], [0.5, 1.0]]), "heatmap")
    assert {"#440154", "#fde725"} <= colors_of(window.panel)


def picture_view(window: PanelWindow) -> PictureView:
    view = window.panel.widget().findChild(PictureView)
    assert view is not None
    return view


def test_that_the_value_under_the_pointer_is_named(window: PanelWindow) -> None:
    tensor = torch.arange(2 * 4 * 3 * 3, dtype=torch.float32).reshape(2, 4, 3, 3)
    tensor[0, 0, 1, 2] = torch.nan
    window.show_tensor(OUTPUT, tensor, "grid")
    view = picture_view(window)
    texts: list[str] = []
    view.pointed.connect(texts.append)
    box = view.image.plot_widget.plotItem.getViewBox()
    for row, column in [(0, 0), (1, 2), (0, 3)]:
        place = box.mapViewToScene(QPointF(column + 0.5, row + 0.5))
        view.image.plot_widget.scene().sigMouseMoved.emit(place)
    assert texts == ["[0, 0, 0, 0] = 0", "[0, 0, 1, 2] = NaN", ""]


@pytest.mark.parametrize(("kind", "prefixes"), [("heatmap", ["N ", "C "]), ("grid", ["N "]), ("table", ["N ", "C "])])
def test_that_the_entries_of_the_dims_that_are_not_shown_are_offered(
    window: PanelWindow, kind: str, prefixes: list[str]
) -> None:
    window.resize(1200, 600)
    window.show_tensor(OUTPUT, torch.arange(2.0 * 3 * 2 * 2).reshape(2, 3, 2, 2), kind)
    boxes = [box for box in window.panel.widget().findChildren(QSpinBox) if box.isVisible()]
    assert [box.prefix() for box in boxes] == prefixes
    boxes[0].setValue(1)

    def is_asked() -> bool:
        return bool(window.bridge.session.asked)

    pump(is_asked)
    assert window.bridge.session.asked[-1].request.axes.index[0] == 1  # type: ignore[union-attr]
    window.bridge.answer_all(window.panel)


def test_that_a_histogram_says_what_is_in_no_bin_and_draws_in_the_colour_of_the_slot(window: PanelWindow) -> None:
    tensor = torch.randn(500)
    tensor[:3] = torch.nan
    tensor[3] = torch.inf
    window.show_tensor(OUTPUT, tensor, "histogram")
    assert "128 bins · 3 NaN · 1 +Inf" in texts_of(window.panel)
    assert DARK.forward in colors_of(window.panel)
    window.show_tensor(GRADIENT, torch.randn(500), "histogram")
    assert DARK.backward in colors_of(window.panel)
    assert DARK.forward not in colors_of(window.panel.widget())


def test_that_a_histogram_without_a_finite_value_says_so(window: PanelWindow) -> None:
    window.show_tensor(OUTPUT, torch.full((8,), torch.nan), "histogram")
    assert "no finite value · 8 NaN" in texts_of(window.panel)
    view = window.panel.view
    assert isinstance(view, HistogramView)
    for counts in (False, True):
        view.switches.counts.setChecked(counts)
        plot = view.plot()
        assert plot is not None
        assert plot.getAxis("left")._tickLevels == []  # type: ignore[attr-defined]


def test_that_the_counts_of_a_histogram_are_written_as_soon_as_there_is_room(window: PanelWindow) -> None:
    window.resize(500, 110)
    pump()
    window.show_tensor(OUTPUT, torch.randn(500), "histogram")
    view = window.panel.view
    assert isinstance(view, HistogramView)
    axis = view.plot().getPlotItem().getAxis("left")  # type: ignore[union-attr]
    assert not axis.style["showValues"]
    assert marks_of(axis) == (0, [])
    window.resize(500, 500)
    pump(lambda: axis.style["showValues"])
    assert axis.style["showValues"]
    assert len(marks_of(axis)[1]) > 2


def marks_of(axis: pg.AxisItem) -> tuple[int, list[str]]:
    """Return how many marks an axis draws, and what is written at them."""
    image = QImage(1, 1, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    _line, marks, texts = axis.generateDrawSpecs(painter)
    painter.end()
    return len(marks), [text for _place, _flags, text in texts]


@pytest.mark.parametrize("count", [1, 2, 3, 7])
def test_that_counts_of_a_histogram_are_whole_numbers(window: PanelWindow, count: int) -> None:
    window.resize(500, 700)
    pump()
    window.show_tensor(OUTPUT, torch.ones(count), "histogram")
    view = window.panel.view
    assert isinstance(view, HistogramView)
    _marks, texts = marks_of(view.plot().getPlotItem().getAxis("left"))  # type: ignore[union-attr]
    assert {"0", "1" if count < 5 else "2"} <= set(texts)
    assert all(text.isdecimal() for text in texts)


@pytest.mark.parametrize("is_log", [False, True], ids=["counts", "log counts"])
def test_that_a_low_histogram_says_the_highest_count(window: PanelWindow, is_log: bool) -> None:
    window.resize(500, 160)
    pump()
    window.show_tensor(OUTPUT, torch.tensor([0.0] * 700 + [1.0]), "histogram")
    view = window.panel.view
    assert isinstance(view, HistogramView)
    if is_log:
        view.switches.counts.click()
    assert marks_of(view.plot().getPlotItem().getAxis("left"))[1] == ["0", "700"]  # type: ignore[union-attr]


@pytest.mark.parametrize(("kind", "tensor"), [("curve", torch.arange(5.0)), ("channels", torch.rand(2, 3, 4))])
def test_that_no_mark_is_between_two_indices(window: PanelWindow, kind: str, tensor: torch.Tensor) -> None:
    window.show_tensor(OUTPUT, tensor, kind)
    view = window.panel.view
    assert isinstance(view, PlotView)
    axis = view.plot_widget.getAxis("bottom")
    marks = [place for _, places in axis.tickValues(*axis.range, axis.width()) for place in places]
    assert marks
    assert all(place == int(place) for place in marks)


def test_that_a_long_curve_is_a_band(window: PanelWindow) -> None:
    window.show_tensor(OUTPUT, torch.randn(10_000), "curve")
    assert "10,000 elements · band of 5 each" in texts_of(window.panel)


def test_that_statistics_say_what_the_tensor_is_before_its_values(window: PanelWindow) -> None:
    tensor = torch.tensor([0.0, 3.0, -4.0, torch.nan])
    window.show_tensor(OUTPUT, tensor, "statistics")
    table = window.panel.findChild(QTableWidget)
    assert table is not None
    table.clearSelection()
    QTest.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    rows = [line.split("\t") for line in QGuiApplication.clipboard().text().splitlines()]
    assert [name for name, _ in rows[:4]] == ["shape", "dtype", "min", "max"]
    told = dict(rows)
    assert told["shape"] == "4"
    assert told["norm"] == "5"
    assert told["zeros"] == "25.0 %"
    assert told["NaN"] == "1"


def test_that_a_table_fetches_what_is_scrolled_into_sight(window: PanelWindow) -> None:
    tensor = torch.arange(1000.0 * 200).reshape(1000, 200)
    window.show_tensor(OUTPUT, tensor, "table")
    grid = window.panel.findChild(QTableView)
    assert grid is not None
    assert grid.model().index(0, 0).data() == "0.0"
    assert grid.model().index(900, 0).data() == "…"

    grid.scrollTo(grid.model().index(900, 150))
    window.bridge.answer_all(window.panel)
    assert grid.model().index(900, 150).data() == str(900 * 200 + 150.0)

    grid.setCurrentIndex(grid.model().index(900, 150))
    QTest.keyClick(grid, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClick(grid, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "180150.0\t180151.0"
