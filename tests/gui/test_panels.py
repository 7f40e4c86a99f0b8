"""A panel: which tensor it shows, how it is chosen, and in words why there is nothing to see."""

from collections.abc import Iterator

import numpy as np
import pytest
import torch
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QListView,
    QSpinBox,
    QToolButton,
)

from hookscope.client.state import SessionState
from hookscope.gui.panels.registry import AUTO
from hookscope.gui.panels.words import REASONS
from hookscope.gui.style import apply_theme
from hookscope.gui.theme import DARK
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.tensors import Badge, BadgeKind, Record
from hookscope.protocol.views import NoPicture, NoPictureReason
from tests.gui.panel_fakes import (
    GRADIENT,
    OTHER,
    OUTPUT,
    WEIGHT,
    PanelWindow,
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


@pytest.mark.parametrize("reason", NoPictureReason)
def test_that_a_missing_picture_is_explained(window: PanelWindow, reason: NoPictureReason) -> None:
    window.bridge.capture({OUTPUT: torch.zeros(0, 30)})
    window.current.select_ref(OUTPUT)
    (asked,) = window.bridge.take_asked()
    window.bridge.answer(asked, NoPicture(reason, "a reason of its own"))
    assert len(window.panel.message.split()) > 4
    assert "{" not in window.panel.message
    has_detail = "{detail}" in REASONS[reason]
    assert ("a reason of its own" in window.panel.message) == has_detail
    assert window.panel.plot() is None


def test_that_an_absent_tensor_is_explained_by_its_badge(window: PanelWindow) -> None:
    ref = TensorRef("features.0", Slot.GRAD_INPUT, "args.0")
    window.bridge.record(Record(ref, 1, 0, None, (Badge(BadgeKind.INPUT_NEEDS_NO_GRAD),)))
    window.current.select_ref(ref)
    assert "does not require grad" in window.panel.message
    assert not window.bridge.take_asked()


def test_that_a_module_without_captures_says_what_to_do(window: PanelWindow) -> None:
    assert window.panel.message == "Select a module in the tree."
    window.current.select_module("features.1")
    assert window.panel.message == "Check this module and press Step to capture it."
    window.bridge.session.checked = ("features.1",)
    window.bridge.hooks_changed.emit()
    assert window.panel.message == "Press Step to capture it."


def test_that_the_last_picture_stays_when_the_debuggee_is_lost_and_until_a_new_one_comes(window: PanelWindow) -> None:
    window.show_tensor(OUTPUT, torch.randn(3, 4, 4), step=41)
    assert "step 41" in texts_of(window.panel)
    window.bridge.lose()
    assert "from step 41" in texts_of(window.panel)
    window.bridge.restart()
    assert "from step 41" in texts_of(window.panel)
    assert window.panel.message == ""

    window.show_tensor(OUTPUT, torch.randn(3, 4, 4), step=1)
    assert "from step" not in texts_of(window.panel)


def test_that_a_gradient_that_a_stopped_step_has_not_come_to_is_told_to_be_of_the_step_before(
    window: PanelWindow,
) -> None:
    window.show_tensor(GRADIENT, torch.randn(3, 4, 4), step=1)
    window.bridge.finish_step(1)
    window.bridge.enter(SessionState.RUNNING)
    window.bridge.capture({OUTPUT: torch.randn(3, 4, 4)}, step=2)
    assert "from step 1" not in texts_of(window.panel)
    window.bridge.enter(SessionState.STOPPED)
    assert "from step 1" in texts_of(window.panel)
    window.show_tensor(GRADIENT, torch.randn(3, 4, 4), step=2)
    assert "step 2" in texts_of(window.panel)
    assert "from step" not in texts_of(window.panel)


def test_that_a_picture_of_another_model_does_not_stay(window: PanelWindow) -> None:
    window.show_tensor(OUTPUT, torch.randn(3, 4, 4))
    window.bridge.session.source = None
    window.bridge.restart()
    assert window.panel.ref is None
    assert window.panel.message == "Select a module in the tree."


def test_that_a_locked_panel_stays_with_its_tensor(window: PanelWindow) -> None:
    window.show_tensor(OUTPUT, torch.randn(3, 4, 4))
    assert window.panel.windowTitle() == "Follow"
    lock = next(button for button in window.panel.findChildren(QToolButton) if button.text() == "Lock")
    lock.click()
    assert not window.panel.follows
    window.bridge.capture({OTHER: torch.randn(3, 4, 4)})
    window.current.select_ref(OTHER)
    assert window.panel.ref == OUTPUT
    assert window.panel.windowTitle() == "features.0 output"
    lock.click()
    assert window.panel.ref == OTHER


def test_that_the_header_chooses_among_the_tensors_of_the_module(window: PanelWindow) -> None:
    window.show_tensor(OUTPUT, torch.randn(3, 4, 4))
    window.bridge.capture({GRADIENT: torch.randn(3, 4, 4), WEIGHT: torch.randn(2, 3, 3, 3)})
    slots = next(box for box in window.panel.findChildren(QComboBox) if box.accessibleName() == "Tensor of the module")
    assert [slots.itemText(row) for row in range(slots.count())] == ["output", "grad_output", "weight"]
    slots.setCurrentIndex(1)
    slots.activated.emit(1)
    assert window.current.ref == GRADIENT

    window.panel.lock_to(OUTPUT)
    slots.activated.emit(2)
    assert window.current.ref == GRADIENT
    assert window.panel.ref == WEIGHT


def test_that_several_calls_can_be_chosen(window: PanelWindow) -> None:
    calls = [TensorRef("features.0", Slot.OUTPUT, "out", call) for call in range(3)]
    window.bridge.capture({ref: torch.randn(3, 4, 4) for ref in calls})
    window.current.select_ref(calls[0])
    box = next(box for box in window.panel.findChildren(QSpinBox) if box.accessibleName() == "Call of the module")
    assert box.isVisible()
    box.setValue(2)
    assert window.current.ref == calls[2]
    assert box.text() == "call 2 of 3"


def test_that_kinds_that_do_not_fit_cannot_be_chosen(window: PanelWindow) -> None:
    window.show_tensor(OUTPUT, torch.randn(7))
    kinds = next(box for box in window.panel.findChildren(QComboBox) if box.accessibleName() == "Kind of view")
    offered = {
        kinds.itemData(row)
        for row in range(kinds.count())
        if kinds.itemData(row) is not None  # a line
        if kinds.model().index(row, 0).flags() & Qt.ItemFlag.ItemIsEnabled
    }
    assert offered == {AUTO, "curve", "histogram", "scatter", "table", "statistics"}
    listed = kinds.view()
    assert isinstance(listed, QListView)
    assert listed.isRowHidden(kinds.findData("grid"))
    assert not listed.isRowHidden(kinds.findData("curve"))


def test_that_a_narrow_panel_keeps_its_name_and_its_tensor(window: PanelWindow) -> None:
    window.show_tensor(OUTPUT, torch.randn(3, 4, 4))
    assert "float32 · cpu" in texts_of(window.panel)
    window.resize(300, 400)
    pump()
    assert window.panel.width() <= 300
    assert "float32" not in texts_of(window.panel)
    assert "features.0" in texts_of(window.panel)
    assert window.panel.findChildren(QComboBox)[0].isVisible()


def test_that_pictures_are_reused_and_not_made_again(window: PanelWindow) -> None:
    window.show_tensor(OUTPUT, torch.randn(3, 4, 4), "grid")
    items = window.panel.plot().scene().items()  # type: ignore[union-attr]
    for step in range(2, 6):
        window.show_tensor(OUTPUT, torch.randn(3, 4, 4), "grid", step=step)
    assert len(window.panel.plot().scene().items()) == len(items)  # type: ignore[union-attr]
    assert np.all([item in items for item in window.panel.plot().scene().items()])  # type: ignore[union-attr]


def test_that_a_panel_that_comes_back_to_its_tensor_asks_again(window: PanelWindow) -> None:
    window.show_tensor(OUTPUT, torch.randn(3, 4, 4))
    window.current.select_module("features.1")
    assert window.panel.message != ""
    window.current.select_ref(OUTPUT)
    window.bridge.answer_all(window.panel)
    assert window.panel.message == ""
    assert window.panel.shown_step == 1


def test_that_another_kind_of_view_can_be_left_again_while_the_debuggee_is_lost(window: PanelWindow) -> None:
    window.show_tensor(OUTPUT, torch.randn(3, 4, 4))
    window.bridge.lose()
    window.panel.set_kind("histogram")
    assert "before the model's process ended" in window.panel.message
    window.panel.set_kind(AUTO)
    assert window.panel.message == ""
    assert "from step 1" in texts_of(window.panel)
