"""Remembers the interventions of each model, and brings them back when it is opened again."""

from PySide6.QtCore import QObject, Slot

from hookscope.gui.interventions.book import InterventionBook
from hookscope.gui.session_bridge import SessionBridge
from hookscope.gui.settings import Settings
from hookscope.protocol.workload import source_text

MOST_KEPT = 1_000_000
"""A list of more characters, which holds large tensors, is not remembered; a person can save it in a file."""


class InterventionMemory(QObject):
    """Keeps the list under the source of the loaded model.

    Args:
        bridge: The session.
        book: The interventions.
        settings: Where they are remembered.
        parent: Qt parent.
    """

    def __init__(
        self, bridge: SessionBridge, book: InterventionBook, settings: Settings, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._session = bridge.session
        self._book = book
        self._settings = settings
        self._source = ""
        self._kept = ""
        bridge.model_loaded.connect(self._follow_model)
        book.listed.connect(self._keep)

    @Slot()
    def _follow_model(self) -> None:
        """Take the list of another model; the same one again keeps what there is."""
        source = self._session.source
        name = source_text(source) if source is not None else ""
        if name and name != self._source:
            self._source, self._kept = name, self._settings.interventions(name)
            self._book.start_over(self._kept)

    @Slot()
    def _keep(self) -> None:
        if not self._source:
            return
        text = self._book.to_json() if self._book.interventions else ""
        if text != self._kept and len(text) <= MOST_KEPT:
            self._kept = text
            self._settings.keep_interventions(self._source, text)
