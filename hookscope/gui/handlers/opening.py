"""Opening models: the dialog, examples, recent ones, dropped files. Nothing is opened without being asked for."""

from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, QObject, Signal, Slot
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QWidget

from hookscope.gui.action_rows import MenuEntry
from hookscope.gui.dialogs.open_model import OpenModelDialog
from hookscope.gui.session_bridge import SessionBridge
from hookscope.gui.settings import Settings
from hookscope.protocol.examples import EXAMPLES
from hookscope.protocol.workload import Source, SyntheticInput, parse_source, source_text

_CLEAR = "clear"


class OpeningHandlers(QObject):
    """Opens models in the session of a window, and remembers those that could be loaded.

    Args:
        bridge: The session.
        settings: Where recent models are remembered.
        window: Parent of the dialog; a Python file dropped on it fills the dialog.

    Signals:
        recent_changed: The recent models are others.
    """

    recent_changed = Signal()

    def __init__(self, bridge: SessionBridge, settings: Settings, window: QWidget) -> None:
        super().__init__(window)
        self._session = bridge.session
        self._settings = settings
        self.dialog = OpenModelDialog(settings, window)
        self.dialog.source_chosen.connect(self.open_source)
        bridge.model_loaded.connect(self._remember)
        window.setAcceptDrops(True)
        window.installEventFilter(self)

    @Slot()
    def open_model(self) -> None:
        """Ask for a source, starting from the one that was wanted last."""
        wanted = self._session.wanted_source
        self.dialog.open_with(source_text(wanted) if wanted is not None else "")

    @Slot(object)
    def open_source(self, source: Source, inputs: tuple[SyntheticInput, ...] = ()) -> None:
        """Open a source; the model that is open stays until the new one is loaded."""
        self._session.open(source, inputs=inputs)

    @Slot(str)
    def open_text(self, text: object) -> None:
        """Open a source that is written as a person types it."""
        self.open_source(parse_source(str(text)))

    def example_entries(self) -> list[MenuEntry]:
        """Return the examples as entries of a menu."""
        first_fault = next(example for example in EXAMPLES if example.is_fault)
        return [
            MenuEntry(
                example.title,
                f"example:{example.name}",
                "msc.beaker",
                example.summary,
                begins_section=example is first_fault,
            )
            for example in EXAMPLES
        ]

    def recent_entries(self) -> list[MenuEntry]:
        """Return the recent models as entries of a menu."""
        recent = self._settings.recent
        if not recent:
            return [MenuEntry(self.tr("Nothing opened yet"), None)]
        entries = [MenuEntry(source.replace("&", "&&"), source) for source in recent]
        return [*entries, MenuEntry(self.tr("Clear this list"), _CLEAR, "msc.clear-all")]

    def open_recent(self, data: object) -> None:
        """Open a recent model, or forget them all."""
        if data == _CLEAR:
            self._settings.clear_recent()
            self.recent_changed.emit()
        else:
            self.open_text(data)

    @Slot()
    def _remember(self) -> None:
        if self._session.source is not None:
            self._settings.add_recent(source_text(self._session.source))
            self.recent_changed.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take a Python file that is dropped on the window."""
        if isinstance(event, QDragEnterEvent) and _python_file(event.mimeData()) is not None:
            event.acceptProposedAction()
            return True
        if isinstance(event, QDropEvent) and event.type() is QEvent.Type.Drop:
            path = _python_file(event.mimeData())
            if path is not None:
                event.acceptProposedAction()
                self.dialog.open_with(f"{path}:workload")
                return True
        return super().eventFilter(watched, event)


def _python_file(data: QMimeData) -> Path | None:
    paths = [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]
    return next((path for path in paths if path.suffix == ".py"), None)
