"""The dock that says where in the code a stopped step is."""

from PySide6.QtCore import QCoreApplication, Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QDockWidget, QLabel, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from hookscope.client.state import ALLOWED, SessionState
from hookscope.gui.code_dock.source_view import SourceView
from hookscope.gui.code_dock.stack_view import StackView, location
from hookscope.gui.code_dock.variables_view import VariablesView
from hookscope.gui.elided_label import ElidedLabel
from hookscope.gui.session_bridge import SessionBridge
from hookscope.protocol.events import SourceReady, StackReady
from hookscope.protocol.stops import EventKind, StackFrame

_BACKWARD = frozenset({EventKind.BACKWARD_ENTER, EventKind.BACKWARD_LEAVE, EventKind.PARAMETER_GRADIENT})
_SHARES = (2, 5, 3)
"""Room of the frames, the source and the variables."""

MISSING: dict[str, str] = {
    "no_file": "This code was made while the program ran; there is no file.",
    "gone": "The file is not there any more.",
    "not_a_file": "This is no ordinary file.",
    "not_text": "The file is no text.",
    "too_large": "The file is too large to be shown.",
    "unreadable": "The file cannot be read.",
}
"""Why there is no source, by the reason that the debuggee gives."""


class CodeDock(QDockWidget):
    """Shows frames, source and variables while a step is stopped.

    Args:
        bridge: The session.
        parent: The main window.

    Signals:
        tensor_requested: A variable should be shown in a panel; its `TensorRef`.
        editor_requested: A line of a file should be opened in an editor: the file and the line.
        location_copied: The place of a frame is on the clipboard.
    """

    tensor_requested = Signal(object)
    editor_requested = Signal(str, int)
    location_copied = Signal()

    def __init__(self, bridge: SessionBridge, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = bridge.session
        self._wanted: tuple[str, int] | None = None
        self.stack = StackView()
        self.source = SourceView()
        self.variables = VariablesView()
        self.message = QLabel()
        self.caption = QLabel()
        self.file_label = ElidedLabel(mode=Qt.TextElideMode.ElideLeft)
        self._frames = QWidget()
        self._pages = QStackedWidget()
        self._splitter = QSplitter(Qt.Orientation.Vertical)
        self._assemble()
        self.stack.frame_selected.connect(self._show_frame)
        self.stack.copy_requested.connect(self._copy)
        self.stack.editor_requested.connect(self._edit)
        self.variables.tensor_requested.connect(self.tensor_requested)
        bridge.stopped.connect(self._ask)
        bridge.stack_arrived.connect(self._show_stack)
        bridge.source_arrived.connect(self._show_source)
        for signal in (bridge.state_changed, bridge.continued, bridge.model_loaded):
            signal.connect(self._follow_state)
        self._follow_state()

    def _assemble(self) -> None:
        self.setObjectName("code")
        self.setWindowTitle(self.tr("Code"))
        for label in (self.message, self.caption, self.file_label):
            label.setProperty("quiet", True)
            label.setTextFormat(Qt.TextFormat.PlainText)
        for label in (self.message, self.caption):
            label.setWordWrap(True)
        self.message.setAlignment(Qt.AlignmentFlag.AlignCenter)
        gap = self.fontMetrics().height() // 3
        frames, code = self._frames, QWidget()
        for page, widgets in ((frames, (self.caption, self.stack)), (code, (self.file_label, self.source))):
            column = QVBoxLayout(page)
            column.setContentsMargins(0, 0, 0, 0)
            column.setSpacing(gap)
            for widget in widgets:
                column.addWidget(widget)
        for number, (part, share) in enumerate(zip((frames, code, self.variables), _SHARES, strict=True)):
            self._splitter.addWidget(part)
            self._splitter.setStretchFactor(number, share)
        self._splitter.setChildrenCollapsible(False)
        self._pages.addWidget(self.message)
        self._pages.addWidget(self._splitter)
        content = QWidget()
        rows = QVBoxLayout(content)
        rows.setContentsMargins(2 * gap, gap, 2 * gap, 2 * gap)
        rows.addWidget(self._pages)
        self.setWidget(content)

    def show_place(self, file: str, line: int) -> None:
        """Show a line of a file that belongs to no frame."""
        if self._session.state in ALLOWED["request_source"]:
            self._frames.hide()
            self.variables.hide()
            self._pages.setCurrentWidget(self._splitter)
            self._want(file, line)

    @Slot()
    def _ask(self) -> None:
        if self._session.state in ALLOWED["request_stack"]:
            self._session.request_stack()

    @Slot(object)
    def _show_stack(self, stack: StackReady) -> None:
        is_backward = stack.event.kind in _BACKWARD
        self.caption.setText(self.tr("Frames of the forward call that this event belongs to"))
        self.caption.setVisible(is_backward)
        if not stack.frames:
            self.message.setText(self.tr("No Python code belongs to this event."))
            self._pages.setCurrentWidget(self.message)
            return
        self._frames.show()
        self.variables.setVisible(not is_backward)  # those frames have returned
        self._pages.setCurrentWidget(self._splitter)
        self.stack.show_frames(stack.frames)
        if self.stack.selected_frame() is None:
            self._wanted = None
            self.file_label.setText("")
            self.variables.show_variables(())
            self.source.show_message(
                self.tr("No code of yours is on this stack. Choose a library frame to see its code.")
            )

    @Slot(object)
    def _show_frame(self, frame: StackFrame) -> None:
        self.variables.show_variables(frame.variables)
        self._want(frame.file, frame.line)

    def _want(self, file: str, line: int) -> None:
        self._wanted = file, line
        self.file_label.setText(f"{file}:{line}")
        if self._session.state in ALLOWED["request_source"]:
            self._session.request_source(file, line)

    @Slot(object)
    def _show_source(self, source: SourceReady) -> None:
        if (source.file, source.line) != self._wanted:
            return
        if source.missing:
            words = MISSING.get(source.missing, "The file cannot be read.")
            self.source.show_message(QCoreApplication.translate("code", words))
        else:
            self.source.show_source(source)

    @Slot()
    def _follow_state(self) -> None:
        state = self._session.state
        if state is SessionState.STOPPED or (state is SessionState.RUNNING and self._wanted is not None):
            return  # what is shown stays until the next stop replaces it, or the run is over
        self._wanted = None
        self.message.setText(self.tr("Pause a step to see which line of the model’s code it is at."))
        self._pages.setCurrentWidget(self.message)
        self.stack.clear()

    @Slot(object)
    def _copy(self, frame: StackFrame) -> None:
        QGuiApplication.clipboard().setText(location(frame))
        self.location_copied.emit()

    @Slot(object)
    def _edit(self, frame: StackFrame) -> None:
        self.editor_requested.emit(frame.file, frame.line)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the parts side by side where there is more width than height."""
        super().resizeEvent(event)
        is_wide = event.size().width() > 2 * event.size().height()
        wanted = Qt.Orientation.Horizontal if is_wide else Qt.Orientation.Vertical
        if wanted is not self._splitter.orientation():
            self._splitter.setOrientation(wanted)
