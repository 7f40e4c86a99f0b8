"""A session that notes requests for views, and a debuggee in one line: real tensors, the engine's own views."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import torch
from PySide6.QtCore import QCoreApplication, QEventLoop, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QLabel, QMainWindow, QWidget

from hookscope.client.state import SessionState
from hookscope.engine.specs import spec_of
from hookscope.engine.views import build_view
from hookscope.gui.current import Current
from hookscope.gui.panels.panel import TensorPanel
from hookscope.gui.panels.registry import AUTO
from hookscope.gui.panels.status_text import StatusText
from hookscope.protocol.events import Hello, StepFinished, ViewReady
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.tensors import Badge, Record
from hookscope.protocol.views import NoPicture, NoPictureReason, ViewRequest, ViewResult
from hookscope.protocol.workload import WorkloadInfo
from tests.gui.fakes import FakeBridge, FakeSession, small_tree

OUTPUT = TensorRef("features.0", Slot.OUTPUT, "out")
GRADIENT = TensorRef("features.0", Slot.GRAD_OUTPUT, "out")
WEIGHT = TensorRef("features.0", Slot.PARAMETER, "weight")
OTHER = TensorRef("features.3", Slot.OUTPUT, "out")
LOGITS = TensorRef("classifier.3", Slot.OUTPUT, "out")


class Waiting(Protocol):
    """A panel, a feed, a dock."""

    @property
    def is_waiting(self) -> bool: ...


@dataclass(frozen=True)
class Asked:
    panel: str
    number: int
    ref: TensorRef
    request: ViewRequest
    step: int | None = None
    minus: int | None = None


class PanelSession(FakeSession):
    def __init__(self) -> None:
        super().__init__(small_tree(), WorkloadInfo("digits"))
        self.checked = ("features.0", "features.3", "classifier.3")
        self.hello = Hello(1, "0.1.0", "2.13.0", "3.11.9", 1, ())
        self.asked: list[Asked] = []

    def request_view(
        self,
        panel: str,
        number: int,
        ref: TensorRef,
        request: ViewRequest,
        step: int | None = None,
        minus: int | None = None,
    ) -> None:
        self.asked.append(Asked(panel, number, ref, request, step, minus))


class PanelBridge(FakeBridge):
    """Tensors are captured with `capture`; requests wait until `answer_all` or `answer`."""

    session: PanelSession

    def __init__(self) -> None:
        super().__init__(PanelSession())
        self.tensors: dict[TensorRef, torch.Tensor] = {}
        self.order = 0

    def capture(self, tensors: dict[TensorRef, torch.Tensor], step: int = 1, badges: tuple[Badge, ...] = ()) -> None:
        """Let a step capture tensors, and tell of it."""
        self.tensors.update(tensors)
        records = []
        for ref, tensor in tensors.items():
            self.order += 1
            records.append(Record(ref, step, self.order, spec_of(tensor), badges))
        self.record(*records)

    def finish_step(self, step: int) -> None:
        self.step_finished.emit(StepFinished(step, 0.5, 0.01, 0.005, 0.005, 0, 0, False))

    def take_asked(self) -> list[Asked]:
        """Return what was asked for, and forget it."""
        asked, self.session.asked = self.session.asked, []
        return asked

    def answer(self, asked: Asked, result: ViewResult | None = None, step: int | None = None) -> None:
        """Answer one request, by default with the engine's own view."""
        record = self.session.records.get(asked.ref)
        assert record is not None
        other: TensorRef | None = getattr(asked.request, "other", None)
        second = self.tensors.get(other) if other is not None else None
        made = result or build_view(self.tensors[asked.ref], asked.request, second)
        step = record.step if step is None else step
        self.view_arrived.emit(ViewReady(asked.panel, asked.number, asked.ref, step, record.spec, record.badges, made))

    def answer_all(self, *waiting: Waiting) -> None:
        """Answer everything until nothing more is asked for and none of the given ones waits."""
        while True:
            # Who was answered may still wait for a turn to draw, and asks no more.
            pump(lambda: self._is_asked() or not any(one.is_waiting for one in waiting), timeout_s=5.0)
            pump(self._is_asked, timeout_s=0.05)
            asked = self.take_asked()
            if not asked:
                return
            for request in asked:
                self.answer(request)

    def _is_asked(self) -> bool:
        return bool(self.session.asked)

    def lose(self) -> None:
        self.enter(SessionState.LOST)

    def restart(self) -> None:
        """Come back with the same model and no records."""
        self.enter(SessionState.LAUNCHING)
        self.session.records.clear()
        self.tensors.clear()
        self.enter(SessionState.IDLE)
        self.model_loaded.emit()


NOTHING = NoPicture(NoPictureReason.NOT_CAPTURED)


def pump(until: Callable[[], bool] | None = None, timeout_s: float = 5.0) -> None:
    """Let timers fire: for a little while, or until something is so (the caller asserts that it is)."""
    end = time.monotonic() + (0.06 if until is None else timeout_s)
    while time.monotonic() < end and not (until is not None and until()):
        QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.AllEvents)
        QCoreApplication.sendPostedEvents()
        time.sleep(0.002)


def colors_of(widget: QWidget) -> set[str]:
    """Return every colour that a widget draws."""
    image = widget.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    values = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), image.bytesPerLine() // 4)
    return {QColor(int(value)).name() for value in np.unique(values[:, : image.width()])}


class PanelWindow(QMainWindow):
    """A window with one panel."""

    def __init__(self) -> None:
        super().__init__()
        self.bridge = PanelBridge()
        self.current = Current(self.bridge)  # type: ignore[arg-type]
        self.panel = TensorPanel(self.bridge, self.current, "panel-0", self)  # type: ignore[arg-type]
        self.addDockWidget(Qt.DockWidgetArea.TopDockWidgetArea, self.panel)
        self.resize(800, 600)
        self.show()
        pump()

    def show_tensor(self, ref: TensorRef, tensor: torch.Tensor, kind: str = AUTO, *, step: int = 1) -> None:
        self.panel.set_kind(kind)
        self.bridge.capture({ref: tensor}, step=step)
        self.current.select_ref(ref)
        self.bridge.answer_all(self.panel)


def texts_of(panel: TensorPanel) -> str:
    labels = [label.text() for label in panel.findChildren(QLabel) if label.isVisible()]
    return " | ".join([*labels, *(line.text for line in panel.findChildren(StatusText) if line.isVisible())])
