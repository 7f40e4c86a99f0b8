"""What the actions do that show what interventions do."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from hookscope.client.state import ALLOWED, SessionState
from hookscope.gui.current import Current
from hookscope.gui.interventions.book import InterventionBook
from hookscope.gui.session_bridge import SessionBridge
from hookscope.gui.trials.comparison import CompareMode

if TYPE_CHECKING:
    from hookscope.gui.trials.sweep_dialog import SweepDialog


class TrialHandlers(QObject):
    """Tries interventions, compares, and takes everything back.

    Args:
        bridge: The session.
        current: What the window is looking at.
        book: The interventions.
        window: Parent of the dialog.

    Signals:
        told: A few words for the person (`str`).
        list_requested: The list of what changed most should be seen.
    """

    told = Signal(str)
    list_requested = Signal()

    def __init__(self, bridge: SessionBridge, current: Current, book: InterventionBook, window: QWidget) -> None:
        super().__init__(window)
        self._bridge = bridge
        self._session = bridge.session
        self._current = current
        self._book = book
        self._window = window
        self._wants_proof = False
        self._dialog: SweepDialog | None = None
        bridge.state_changed.connect(self._prove_if_wanted)

    @Slot()
    def toggle_before(self) -> None:
        """Show every panel as it was before the interventions, or as it is again."""
        self._toggle(CompareMode.BEFORE)

    @Slot()
    def toggle_difference(self) -> None:
        """Show in every panel what differs, or the values again."""
        self._toggle(CompareMode.DIFFERENCE)

    @Slot()
    def try_now(self) -> None:
        """Run a trial, or another one after that which runs."""
        if self._session.state is SessionState.IDLE or self._session.is_trying:
            self._session.try_interventions()

    @Slot()
    def turn_all_off(self) -> None:
        """Turn all interventions off."""
        self._book.enable([one.id for one in self._book.interventions if one.enabled], enabled=False)

    @Slot()
    def remove_and_prove(self) -> None:
        """Remove all interventions, and prove then that the model is back."""
        self._book.clear()
        self._wants_proof = True
        self._prove_if_wanted()

    @Slot()
    def show_list(self) -> None:
        """Show what changed most."""
        self.list_requested.emit()

    @Slot()
    def sweep(self) -> None:
        """Show the dialog of sweeps."""
        self.sweep_of(None)

    @Slot(object)
    def sweep_of(self, intervention_id: int | None) -> None:
        """Show the dialog of sweeps with an intervention chosen."""
        if self._dialog is None:
            # Imported here because pyqtgraph takes longer to load than the window to appear.
            from hookscope.gui.trials.sweep_dialog import SweepDialog  # noqa: PLC0415

            self._dialog = SweepDialog(self._bridge, self._book, self._current, self._window)
        if intervention_id is not None:
            self._dialog.form.choose(intervention_id)
        self._dialog.show()
        self._dialog.activateWindow()

    @property
    def sweep_dialog(self) -> "SweepDialog | None":
        """The dialog of sweeps, once it was shown."""
        return self._dialog

    def _toggle(self, mode: CompareMode) -> None:
        if self._session.trial is None:
            self.told.emit(self.tr("There is no trial to compare: turn a change on and press “Try now”."))
        else:
            self._current.toggle_comparison(mode)

    @Slot()
    def _prove_if_wanted(self) -> None:
        """Prove as soon as no step runs; not when something was changed again meanwhile, or the debuggee is gone."""
        if not self._wants_proof:
            return
        is_changed = any(one.enabled for one in self._session.interventions)
        if self._session.state in ALLOWED["prove_unchanged"]:
            self._wants_proof = False
            if not is_changed:
                self._session.prove_unchanged()
        elif is_changed or self._session.state not in {SessionState.RUNNING, SessionState.STOPPING}:
            self._wants_proof = False
