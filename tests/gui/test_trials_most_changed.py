"""What a trial has moved: when it is asked for, in which order it stands, and what a click on it does."""

import math
from collections.abc import Iterator

import pytest
import torch
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMainWindow

from hookscope.client.state import SessionState
from hookscope.gui.current import Current
from hookscope.gui.trials.change_model import SHARE_ROLE, Column, Kind, Order
from hookscope.gui.trials.most_changed import MostChangedDock
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.interventions import Difference
from tests.gui.panel_fakes import OUTPUT, pump
from tests.gui.trial_fakes import TrialBridge, difference

ONES = {OUTPUT: torch.ones(2, 3)}


class ListWindow(QMainWindow):
    def __init__(self) -> None:
        super().__init__()
        self.bridge = TrialBridge()
        self.current = Current(self.bridge, self)  # type: ignore[arg-type]
        self.dock = MostChangedDock(self.bridge, self.current, self)  # type: ignore[arg-type]
        self.addDockWidget(Qt.DockWidgetArea.BottomDockWidgetArea, self.dock)
        self.resize(900, 500)
        self.show()
        pump()

    def choose(self, box: str, value: object) -> None:
        combo = getattr(self.dock, box)
        combo.setCurrentIndex(combo.findData(value))
        combo.activated.emit(combo.currentIndex())

    def column(self, column: Column) -> list[str]:
        model = self.dock.model
        return [model.index(row, column).data() for row in range(model.rowCount())]

    def asked(self) -> list[tuple[object, ...]]:
        return [wish for wish in self.bridge.session.wishes if wish[0] == "compare_steps"]


@pytest.fixture
def window(qapp: QApplication) -> Iterator[ListWindow]:
    window = ListWindow()
    yield window
    window.close()
    window.deleteLater()


def test_that_it_asks_after_each_trial_and_once_at_a_time(window: ListWindow) -> None:
    assert window.dock.message == "Turn a change on and press “Try now”: what it moves appears here."
    window.bridge.run_trial(ONES, ONES)
    assert window.asked() == [("compare_steps", 1, 2)]
    assert window.dock.message == "Comparing…"
    window.bridge.run_trial(ONES, ONES)
    assert len(window.asked()) == 1
    window.bridge.session.comparison = None
    window.bridge.steps_compared.emit(None)
    assert window.asked()[1:] == [("compare_steps", 3, 4)]
    window.bridge.compare(difference("features.0", 0.5))
    assert window.dock.message == ""
    assert len(window.asked()) == 2


def test_that_it_asks_only_while_it_is_seen(window: ListWindow) -> None:
    window.dock.hide()
    window.bridge.run_trial(ONES, ONES)
    pump()
    assert not window.asked()
    window.dock.show()
    pump()
    assert window.asked() == [("compare_steps", 1, 2)]


def test_that_the_largest_change_stands_first_and_infinite_ones_before_it(window: ListWindow) -> None:
    window.bridge.run_trial(ONES, ONES)
    window.bridge.compare(
        difference("same", 0.0, order=1, changed=0),
        difference("small", 0.001, order=2),
        difference("tie-later", 0.5, order=4),
        difference("tie-earlier", 0.5, order=3),
        difference("large", 25.0, order=5),
        Difference(TensorRef("from-zero", Slot.OUTPUT, "out"), 6, 3.0, math.inf, 7, 8),
        Difference(TensorRef("broken", Slot.OUTPUT, "out"), 7, math.inf, math.inf, 1, 8),
    )
    assert window.column(Column.MODULE) == [
        "broken", "from-zero", "large", "tie-earlier", "tie-later", "small", "same",
    ]  # fmt: skip
    assert window.column(Column.CHANGE) == ["not finite", "from zero", "25×", "50 %", "50 %", "0.1 %", "0"]
    assert window.column(Column.ELEMENTS)[1:3] == ["7 of 8", "1 of 4,096"]
    shares = [window.dock.model.index(row, Column.BAR).data(SHARE_ROLE) for row in range(7)]
    assert shares == [1.0, 1.0, 1.0, 0.5, 0.5, 0.001, 0.0]
    window.choose("order", Order.HAPPENED)
    assert window.column(Column.MODULE)[:3] == ["same", "small", "tie-earlier"]
    assert not window.dock.grab().isNull()


def test_that_outputs_gradients_or_all_can_be_listed(window: ListWindow) -> None:
    window.bridge.run_trial(ONES, ONES)
    window.bridge.compare(
        difference("a", 0.5),
        difference("b", 0.2, changed=0),
        difference("a", 0.1, slot=Slot.GRAD_OUTPUT),
        difference("a", 0.3, slot=Slot.INPUT),
    )
    texts = [window.dock.kind.itemText(row) for row in range(3)]
    assert texts == ["Outputs (1 changed)", "Gradients (1 changed)", "All tensors (3 changed)"]
    assert len(window.dock.model.rows) == 2
    window.choose("kind", Kind.GRADIENTS)
    assert [row.ref.slot for row in window.dock.model.rows] == [Slot.GRAD_OUTPUT]
    window.choose("kind", Kind.ALL)
    assert len(window.dock.model.rows) == 4


def test_that_a_click_selects_the_tensor_in_the_window(window: ListWindow) -> None:
    window.bridge.run_trial(ONES, ONES)
    window.bridge.compare(difference("features.3", 0.5), difference("features.0", 0.2))
    view = window.dock.view
    for row, path in ((1, "features.0"), (0, "features.3")):
        place = view.visualRect(window.dock.model.index(row, 0)).center()
        QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)
        assert window.current.ref == TensorRef(path, Slot.OUTPUT, "out")
    window.bridge.run_trial(ONES, ONES)
    window.bridge.compare(difference("features.3", 0.1), difference("features.0", 0.2))
    assert view.currentIndex().row() == 1
    assert window.current.ref == TensorRef("features.3", Slot.OUTPUT, "out")


def test_that_it_says_why_there_is_nothing(window: ListWindow) -> None:
    window.bridge.run_trial(ONES, ONES)
    window.bridge.compare()
    assert window.dock.message.startswith("Nothing is captured in both steps")
    window.bridge.compare(missing=(1,))
    assert window.dock.message.startswith("The captures of these steps are not kept any more")
    window.bridge.compare(difference("a", 0.0, changed=0))
    assert window.dock.note.text() == "Nothing of this kind changed in any bit."
    window.choose("kind", Kind.GRADIENTS)
    assert window.dock.message == "No tensor of this kind was captured in both steps."
    window.bridge.run_step(ONES)
    assert window.dock.message.startswith("Turn a change on")


def test_that_an_answer_that_never_comes_is_not_waited_for(window: ListWindow) -> None:
    window.bridge.run_trial(ONES, ONES)
    assert window.dock.is_waiting
    window.bridge.enter(SessionState.LOST)
    assert not window.dock.is_waiting
