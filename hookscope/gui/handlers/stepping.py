"""What the actions do that go through a step."""

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QInputDialog, QWidget

from hookscope.client.state import ALLOWED, SessionState
from hookscope.gui.current import Current
from hookscope.gui.session_bridge import SessionBridge

MAX_SEARCHED_STEPS = 100_000


class SteppingHandlers(QObject):
    """Turns wishes into the session's intents. Actions are enabled only in states that allow them.

    Args:
        bridge: The session.
        current: What the window is looking at; its module is the selected one.
        window: Parent of the dialog.
    """

    def __init__(self, bridge: SessionBridge, current: Current, window: QWidget) -> None:
        super().__init__(window)
        self._session = bridge.session
        self._current = current
        self._window = window

    @Slot()
    def step_or_continue(self) -> None:
        """Run one step, or let the paused one go on."""
        if self._session.state is SessionState.STOPPED:
            self._session.continue_()
        else:
            self._session.step()

    @Slot()
    def finish_step(self) -> None:
        """End the run after the step at hand, which goes on when it is paused."""
        self._session.finish_step()
        if self._session.state is SessionState.STOPPED:
            self._session.continue_()

    @Slot()
    def step_into(self) -> None:
        """Go to the next event."""
        self._session.step_into()

    @Slot()
    def step_over(self) -> None:
        """Go to the next event that is not deeper."""
        self._session.step_over()

    @Slot()
    def step_out(self) -> None:
        """Go to where the module at hand is left."""
        self._session.step_out()

    @Slot()
    def run_to_selected(self) -> None:
        """Go to the next event of the current module."""
        if self._current.path is not None:
            self._session.run_to(self._current.path)

    @Slot()
    def to_non_finite(self) -> None:
        """Go to the next NaN or infinity."""
        self._session.to_non_finite()

    @Slot()
    def to_end_of_forward(self) -> None:
        """Go to where the model has returned."""
        self._session.to_end_of_forward()

    @Slot()
    def to_end_of_backward(self) -> None:
        """Go to where backward is over."""
        self._session.to_end_of_backward()

    @Slot()
    def find_non_finite(self) -> None:
        """Ask how many steps to look through, and search."""
        dialog = QInputDialog(self._window)
        dialog.setWindowTitle(self.tr("Find first NaN or infinity"))
        dialog.setLabelText(self.tr("Steps to look through, at most:"))
        dialog.setInputMode(QInputDialog.InputMode.IntInput)
        dialog.setIntRange(1, MAX_SEARCHED_STEPS)
        dialog.setIntValue(1)
        dialog.setOkButtonText(self.tr("Find"))
        dialog.intValueSelected.connect(self._search)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    @Slot(int)
    def _search(self, steps: int) -> None:
        if self._session.state in ALLOWED["find_non_finite"]:
            self._session.find_non_finite(steps)
