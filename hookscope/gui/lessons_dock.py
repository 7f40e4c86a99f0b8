"""The dock with a page for each lesson and each planted fault: what to click in an example, and what to expect."""

from PySide6.QtCore import QEvent, QSize, Signal, Slot
from PySide6.QtGui import QColor, QShowEvent
from PySide6.QtWidgets import QComboBox, QDockWidget, QPushButton, QTextBrowser, QVBoxLayout, QWidget

from hookscope.gui.session_bridge import SessionBridge
from hookscope.gui.theme import theme_of
from hookscope.protocol.examples import EXAMPLES
from hookscope.protocol.resources import resource_path
from hookscope.protocol.workload import ExampleSource

_LINES, _LEAST_LINES = 24, 4

LESSONS = tuple(example for example in EXAMPLES if example.name != "digits")
"""The examples that have a page; the other one is to look around in."""


def lesson_text(name: str) -> str:
    """Return the page of an example, as Markdown.

    Raises:
        FileNotFoundError: It has none.
    """
    return resource_path(f"lessons/{name}.md").read_text(encoding="utf-8")


class _Page(QTextBrowser):
    """Text that wants to be read at a glance, and can be scrolled where there is no room for that."""

    def show_markdown(self, text: str) -> None:
        """Show another text, from its beginning."""
        self.setMarkdown(text)
        self._calm_tables()

    def _calm_tables(self) -> None:
        """Draw thin lines, where Qt's own are as bright as the text."""
        for frame in self.document().rootFrame().childFrames():
            look = frame.frameFormat()
            look.setBorderBrush(QColor(theme_of(self.palette()).line))
            look.setTopMargin(self.fontMetrics().height() / 2)
            look.setBottomMargin(self.fontMetrics().height() / 2)
            frame.setFrameFormat(look)

    def changeEvent(self, event: QEvent) -> None:
        """Follow the theme."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            self._calm_tables()

    def sizeHint(self) -> QSize:
        """Return room for most of a page."""
        return QSize(super().sizeHint().width(), self.fontMetrics().lineSpacing() * _LINES)

    def minimumSizeHint(self) -> QSize:
        """Return room for a few lines."""
        return QSize(super().minimumSizeHint().width(), self.fontMetrics().lineSpacing() * _LEAST_LINES)


class LessonsDock(QDockWidget):
    """Shows one page at a time, that of the example that is opened; it can be read while one clicks.

    Args:
        bridge: The session.
        parent: The main window.

    Signals:
        source_chosen: The example of the page should be opened: its source as text.
    """

    source_chosen = Signal(str)

    def __init__(self, bridge: SessionBridge, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = bridge.session
        self.setObjectName("lessons")
        self.setWindowTitle(self.tr("Lessons"))
        self.choice = QComboBox()
        self.choice.setAccessibleName(self.windowTitle())
        self.choice.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        for number, example in enumerate(LESSONS, 1):
            title = example.title if example.is_fault else self.tr("Lesson {number}: {title}")
            self.choice.addItem(title.format(number=number, title=example.title), example.name)
        self.page = _Page()
        self.page.setOpenLinks(False)
        self.page.document().setDocumentMargin(self.fontMetrics().height() / 2)
        self.open_button = QPushButton(self.tr("Open this example"))
        gap = self.fontMetrics().height() // 2
        content = QWidget()
        rows = QVBoxLayout(content)
        rows.setContentsMargins(gap, 0, gap, gap)
        for widget in (self.choice, self.page, self.open_button):
            rows.addWidget(widget)
        self.setWidget(content)
        self.setFocusProxy(self.page)
        self.choice.currentIndexChanged.connect(self._show_page)
        self.open_button.clicked.connect(self._open)
        bridge.model_loaded.connect(self._follow_model)

    def showEvent(self, event: QShowEvent) -> None:
        """Read the page when it is seen for the first time."""
        super().showEvent(event)
        if self.page.document().isEmpty():
            self._show_page()

    @Slot()
    def _show_page(self) -> None:
        _title, _, text = lesson_text(self.choice.currentData()).partition("\n")  # the list above says the title
        self.page.show_markdown(text)

    @Slot()
    def _open(self) -> None:
        self.source_chosen.emit(f"example:{self.choice.currentData()}")

    @Slot()
    def _follow_model(self) -> None:
        """Turn to the page of the example that was opened, if it has one."""
        source = self._session.source
        row = self.choice.findData(source.name) if isinstance(source, ExampleSource) else -1
        if row >= 0:
            self.choice.setCurrentIndex(row)
