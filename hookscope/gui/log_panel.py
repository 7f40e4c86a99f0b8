"""What the model's own code printed, and what log points said."""

from PySide6.QtCore import Slot
from PySide6.QtGui import QFontDatabase, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from hookscope.gui.session_bridge import SessionBridge
from hookscope.protocol.events import LogPrinted

MAX_LINES = 5000


class LogPanel(QPlainTextEdit):
    """The newest lines of the debuggee's standard output and error; follows the end until scrolled away from it."""

    def __init__(self, bridge: SessionBridge, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setReadOnly(True)
        self.setMaximumBlockCount(MAX_LINES)
        self.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.setAccessibleName(self.tr("Output of the model"))
        self.setPlaceholderText(self.tr("What the model's code prints appears here."))
        self._carried_return = False
        bridge.output_printed.connect(self.append_output)
        bridge.log_printed.connect(self.append_log)

    @Slot(object)
    def append_log(self, log: LogPrinted) -> None:
        """Add what a log point has to say, on a line of its own."""
        self._carried_return = False
        start = "" if self.document().lastBlock().length() <= 1 else "\n"
        place = self.tr("step {step}, event {event}").format(step=log.step, event=log.event.number)
        self.append_output(f"{start}◆ {place}: {log.text}\n")

    @Slot(str)
    def append_output(self, text: str) -> None:
        """Add text as a terminal would: a carriage return starts the line anew, so progress bars stay on one line."""
        bar = self.verticalScrollBar()
        follows = bar.value() >= bar.maximum() - 2
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        for number, line in enumerate(text.replace("\r\n", "\n").split("\n")):
            if number:
                cursor.insertText("\n")
                self._carried_return = False
            self._add_to_line(cursor, line)
        if follows:
            bar.setValue(bar.maximum())

    def _add_to_line(self, cursor: QTextCursor, text: str) -> None:
        for part, piece in enumerate(text.split("\r")):
            if part:
                self._carried_return = True
            if piece and self._carried_return:
                cursor.movePosition(QTextCursor.MoveOperation.StartOfBlock, QTextCursor.MoveMode.KeepAnchor)
                cursor.removeSelectedText()
                self._carried_return = False
            cursor.insertText(piece)
