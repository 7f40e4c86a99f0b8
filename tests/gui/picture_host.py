"""A view of one tensor without panel and debuggee: real tensors, the engine's own answers, at once."""

from collections.abc import Callable

import numpy as np
import torch
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QToolButton, QVBoxLayout, QWidget

from hookscope.engine.specs import spec_of
from hookscope.engine.views import build_view
from hookscope.gui.panels.base import TensorView
from hookscope.gui.panels.calm import CALM_MS
from hookscope.gui.panels.grid import GridView
from hookscope.gui.panels.heatmap import HeatmapView
from hookscope.gui.panels.histogram import HistogramView
from hookscope.gui.panels.kernels import KernelView
from hookscope.gui.panels.status_text import StatusText
from hookscope.gui.panels.subject import Subject
from hookscope.gui.panels.tensor_memory import TensorMemory
from hookscope.protocol.events import ViewReady
from hookscope.protocol.identity import TensorRef
from hookscope.protocol.views import ViewRequest, ViewResult
from tests.gui.panel_fakes import OUTPUT, colors_of, pump

Shared = HeatmapView | GridView | KernelView | HistogramView


class Host(QWidget):
    """A window with views that share what is chosen; each is answered as soon as it asks."""

    def __init__(self, *views: Shared, can_ask: bool = True) -> None:
        super().__init__()
        self.views = views
        self.memory = TensorMemory(self)
        self.tensors: dict[TensorRef, torch.Tensor] = {}
        self.ref = OUTPUT
        self.step = 0
        self.asked: list[ViewRequest] = []
        self.texts: list[str] = []
        layout = QVBoxLayout(self)
        for view in views:
            if can_ask:
                view.use(self.memory, self.ask)
            view.request_changed.connect(self.answer)
            view.pointed.connect(self.texts.append)
            layout.addWidget(view, 1)
            if view.corner is not None:
                layout.addWidget(view.corner)
        self.resize(700, 420 * len(views))
        self.show()
        pump()

    def show_tensor(
        self, tensor: torch.Tensor, ref: TensorRef = OUTPUT, *, class_name: str = "", is_difference: bool = False
    ) -> None:
        self.step += 1
        self.ref = ref
        self.tensors[ref] = tensor
        for view in self.views:
            view.aim(Subject(ref, spec_of(tensor), is_difference, class_name))
        self.answer()

    def answer(self) -> None:
        for view in self.views:
            self._draw(view, view.request())

    def ask(self, request: ViewRequest, receiver: Callable[[ViewReady], None]) -> None:
        self.asked.append(request)
        receiver(self._answer(build_view(self.tensors[self.ref], request)))

    def _draw(self, view: TensorView, request: ViewRequest) -> None:
        view.draw(self._answer(build_view(self.tensors[self.ref], request)))

    def _answer(self, result: ViewResult) -> ViewReady:
        return ViewReady("panel-0", 1, self.ref, self.step, spec_of(self.tensors[self.ref]), (), result)


def wait_for_calm() -> None:
    """Let a run of pictures be over."""
    QTest.qWait(CALM_MS + 50)


def press(view: HeatmapView | GridView | KernelView, key: Qt.Key, modifiers: Qt.KeyboardModifier | None = None) -> None:
    view.image.setFocus()
    QTest.keyClick(view.image, key, modifiers or Qt.KeyboardModifier.NoModifier)


def click(view: HeatmapView | GridView | KernelView, row: int, column: int) -> None:
    plot = view.image.plot_widget
    place = plot.plotItem.getViewBox().mapViewToScene(QPointF(column + 0.5, row + 0.5))
    QTest.mouseClick(plot.viewport(), Qt.MouseButton.LeftButton, pos=plot.mapFromScene(place))
    QApplication.processEvents()


def hover(view: HeatmapView | GridView | KernelView, row: int, column: int) -> None:
    plot = view.image.plot_widget
    place = plot.plotItem.getViewBox().mapViewToScene(QPointF(column + 0.5, row + 0.5))
    plot.scene().sigMouseMoved.emit(place)


def color_at(view: HeatmapView | GridView | KernelView, row: float, column: float) -> str:
    """Return the colour in the middle of a cell of the axes."""
    pump()
    plot = view.image.plot_widget
    place = plot.plotItem.getViewBox().mapViewToScene(QPointF(column + 0.5, row + 0.5))
    spot = plot.mapFromScene(place)
    picture = plot.grab().toImage()
    ratio = picture.devicePixelRatio()
    return QColor(picture.pixel(round(spot.x() * ratio), round(spot.y() * ratio))).name()


def colors_in(view: HeatmapView | GridView | KernelView, row: int, column: int) -> set[str]:
    """Return the colours of a cell of the axes, its edge left out."""
    pump()
    plot = view.image.plot_widget
    box = plot.plotItem.getViewBox()
    corners = [plot.mapFromScene(box.mapViewToScene(QPointF(column + at, row + at))) for at in (0.1, 0.9)]
    picture = plot.grab().toImage()
    return {
        QColor(picture.pixel(x, y)).name()
        for x in range(corners[0].x(), corners[1].x())
        for y in range(corners[0].y(), corners[1].y())
    }


def picture_colors(view: HeatmapView | GridView | KernelView) -> set[str]:
    pump()
    return colors_of(view.image)


def button(view: QWidget, text: str) -> QToolButton:
    return next(one for one in view.findChildren(QToolButton) if one.text() == text)


def line_texts(view: QWidget) -> str:
    return " | ".join(line.text for line in view.findChildren(StatusText) if not line.isHidden())


def ramp(*shape: int) -> torch.Tensor:
    return torch.from_numpy(np.arange(int(np.prod(shape)), dtype=np.float32).reshape(shape))


def choose(menu: QMenu, *texts: str) -> None:
    """Choose an entry of a menu, or of one of its submenus; keys behind the text count not."""
    text, *rest = texts
    action = next(one for one in menu.actions() if one.text().split("\t")[0] == text)
    assert action.isVisible()
    submenu = action.menu()
    if isinstance(submenu, QMenu):
        choose(submenu, *rest)
    else:
        action.trigger()
