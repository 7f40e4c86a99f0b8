"""Remembers what is followed of each model, and follows it again when the model is opened again."""

from PySide6.QtCore import QObject, Slot

from hookscope.gui.series.following import Following
from hookscope.gui.session_bridge import SessionBridge
from hookscope.gui.settings import Settings
from hookscope.protocol.workload import source_text


class SeriesMemory(QObject):
    """Keeps the set under the source of the loaded model.

    Args:
        bridge: The session.
        following: The series.
        settings: Where they are remembered.
        parent: Qt parent.
    """

    def __init__(
        self, bridge: SessionBridge, following: Following, settings: Settings, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._session = bridge.session
        self._following = following
        self._settings = settings
        self._source = ""
        bridge.model_loaded.connect(self._follow_model)
        following.changed.connect(self._keep)

    @Slot()
    def _follow_model(self) -> None:
        """Take the set of another model; the same one again keeps what there is."""
        source = self._session.source
        name = source_text(source) if source is not None else ""
        if not name or name == self._source:
            return
        is_first = not self._source
        self._source = name
        if not (is_first and self._following.series):  # else a person has chosen while the model was loading
            self._following.start_over(self._settings.series(name))

    @Slot()
    def _keep(self) -> None:
        if self._source:
            text = self._following.to_json() if self._following.series else ""
            if text != self._settings.series(self._source):
                self._settings.keep_series(self._source, text)
