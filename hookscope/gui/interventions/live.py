"""Tries the interventions again each time that a person has changed them."""

from PySide6.QtCore import QObject, Signal, Slot

from hookscope.client.state import SessionState
from hookscope.gui.interventions.book import InterventionBook
from hookscope.gui.session_bridge import SessionBridge


class LiveTrials(QObject):
    """Asks for a trial after each edit; while one runs the newest edit wins, so there are as many as there is time for.

    Args:
        bridge: The session.
        book: What is edited.
        parent: Qt parent.

    Signals:
        switched: It was switched on or off (`bool`).
    """

    switched = Signal(bool)

    def __init__(self, bridge: SessionBridge, book: InterventionBook, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = bridge.session
        self._is_on = True
        book.edited.connect(self._try)

    @property
    def is_on(self) -> bool:
        """Whether edits are tried."""
        return self._is_on

    def set_on(self, is_on: bool) -> None:
        """Try edits from now on, or not; switching it on tries what there is."""
        if is_on != self._is_on:
            self._is_on = is_on
            self.switched.emit(is_on)
            self._try()

    @Slot()
    def _try(self) -> None:
        session = self._session
        if self._is_on and (session.state is SessionState.IDLE or session.is_trying):
            session.try_interventions()
