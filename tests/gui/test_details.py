"""The notes at the side: what is to be known about the tensor and its module, and which hooks are on it."""

from collections.abc import Iterator

import pytest
import torch
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QMainWindow

from hookscope.gui.current import Current
from hookscope.gui.panels.details import DetailsDock
from hookscope.protocol.hooks import HookMode
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.tensors import Badge, BadgeKind, Record
from tests.gui.panel_fakes import OUTPUT, PanelBridge, pump, texts_of


class DetailsWindow(QMainWindow):
    def __init__(self) -> None:
        super().__init__()
        self.bridge = PanelBridge()
        self.current = Current(self.bridge, self)  # type: ignore[arg-type]
        self.dock = DetailsDock(self.bridge, self.current, self)  # type: ignore[arg-type]
        self.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, self.dock)
        self.resize(400, 700)
        self.show()
        pump()

    def note(self, name: str) -> str:
        return self.dock.notes.text(name)


@pytest.fixture
def window(qapp: QApplication) -> Iterator[DetailsWindow]:
    window = DetailsWindow()
    yield window
    window.close()
    window.deleteLater()


def test_that_the_hooks_on_the_module_are_listed_with_their_mode(window: DetailsWindow) -> None:
    session = window.bridge.session
    window.current.select_ref(OUTPUT)
    assert window.note("hooks") == "Hooks\nnone"
    session.hooks["features.0"] = ("forward_pre_hook", "forward_hook", "gradient edges (exact)")
    window.bridge.hooks_changed.emit()
    assert window.note("hooks") == "Hooks · Exact\nforward_pre_hook, forward_hook, gradient edges (exact)"
    window.current.select_module("features.3")
    assert window.note("hooks") == "Hooks\nnone"


def test_that_a_refused_mode_says_why(window: DetailsWindow) -> None:
    session = window.bridge.session
    window.current.select_ref(OUTPUT)
    session.set_hook_mode(["features.0"], HookMode.NATIVE)
    session.refused_modes["features.0"] = "it works in place"
    session.hooks["features.0"] = ("forward_hook",)
    window.bridge.hooks_changed.emit()
    assert window.note("hooks") == (
        "Hooks · Native (full backward hook)\nRefused, so it is captured exactly: it works in place.\nforward_hook"
    )


def test_that_every_badge_of_the_tensor_is_said_and_those_of_its_module_once(window: DetailsWindow) -> None:
    scaled, later = Badge(BadgeKind.SCALED, "1024"), Badge(BadgeKind.MODIFIED_AFTERWARDS)
    window.bridge.capture({OUTPUT: torch.ones(2)}, badges=(scaled, later))
    window.bridge.record(
        Record(TensorRef("features.0", Slot.GRAD_INPUT, "args.0"), 1, 9, None, (Badge(BadgeKind.INPUT_NEEDS_NO_GRAD),))
    )
    window.current.select_ref(OUTPUT)
    assert [line.partition(":")[0] for line in window.note("remarks").splitlines()[1:]] == [
        "scaled",
        "overwritten later",
    ]
    assert "input needs no grad" in window.note("module")
    assert "scaled" not in window.note("module")
    assert "weight  16 × 1 × 3 × 3" in window.note("parameters")


def test_that_the_notes_are_as_high_as_their_texts_and_scroll_in_a_low_window(window: DetailsWindow) -> None:
    window.current.select_ref(OUTPUT)
    low = window.dock.notes.height()
    window.bridge.session.hooks["features.0"] = tuple(f"hook number {number} of many" for number in range(40))
    window.bridge.hooks_changed.emit()
    pump(lambda: window.dock.notes.height() > low)
    assert window.dock.notes.height() > low
    window.resize(400, 300)
    pump(lambda: window.dock.notes.verticalScrollBar().maximum() > 0)
    assert window.dock.notes.verticalScrollBar().maximum() > 0


def test_that_a_long_value_that_is_no_tensor_leaves_room_for_the_rest(window: DetailsWindow) -> None:
    badge = Badge(BadgeKind.NOT_A_TENSOR, f"str: '{'x' * 500}'")
    window.bridge.record(Record(OUTPUT, 1, 0, None, (badge,)))
    window.current.select_ref(OUTPUT)
    text = texts_of(window.dock)
    assert "no tensor" in text
    assert "x" * 100 in text
    assert "x" * 300 not in text


def test_that_a_nested_tensor_has_no_number_of_elements(window: DetailsWindow) -> None:
    window.bridge.capture({OUTPUT: torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], layout=torch.jagged)})
    window.current.select_ref(OUTPUT)
    window.bridge.answer_all(window.dock)
    summary = window.dock.statistics.summary()
    assert summary.startswith("shape 2 × ?")
    assert "elements" not in summary
