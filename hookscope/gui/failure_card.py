"""A failure as a card above the panels: what happened, where, what to try. It blocks nothing."""

from PySide6.QtCore import QEvent, QSize, Qt, Signal, Slot
from PySide6.QtGui import QFontDatabase, QGuiApplication, QResizeEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from hookscope.gui.assets import icon
from hookscope.gui.failure_text import Remedy, failure_details, failure_text, remedies, remedy_label
from hookscope.gui.theme import theme_of
from hookscope.protocol.failures import Failure

_TRACEBACK_LINES = 12


class FailureCard(QFrame):
    """Shows one failure at a time.

    Signals:
        remedy_requested: A button was pressed: the `Remedy`, and the `Failure` it belongs to.
        dismissed: The card was closed.
        details_copied: What is known about the failure is on the clipboard.
    """

    remedy_requested = Signal(object, object)
    dismissed = Signal()
    details_copied = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("failure_card")
        self._failure: Failure | None = None
        self._sign = QLabel(self)
        self._title = _label(self)
        self._title.setStyleSheet("font-weight: 600;")
        self._body = _label(self)
        self._error = _label(self)
        self._error.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self._advice = _label(self)
        self._advice.setProperty("quiet", True)
        self._texts = ShrinkableColumn((self._body, self._error, self._advice), self)
        self._traceback = QPlainTextEdit(self)
        self._traceback.setReadOnly(True)
        self._traceback.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self._traceback.setFixedHeight(self.fontMetrics().lineSpacing() * _TRACEBACK_LINES)
        self._traceback.setAccessibleName(self.tr("Traceback"))
        self._fold = QPushButton(self)
        self._fold.setFlat(True)
        self._fold.setCheckable(True)
        self._fold.toggled.connect(self._show_traceback)
        self._remedies = {remedy: QPushButton(remedy_label(remedy), self) for remedy in Remedy}
        self._group = QButtonGroup(self)
        self._group.idClicked.connect(self._ask_for_remedy)
        self.copy_button = _small_button(self.tr("Copy everything about this failure"), self)
        self.copy_button.clicked.connect(self._copy_details)
        self.dismiss_button = _small_button(self.tr("Dismiss"), self)
        self.dismiss_button.clicked.connect(self.dismiss)
        self._lay_out()
        self.hide()

    @property
    def failure(self) -> Failure | None:
        """What is shown."""
        return self._failure

    def show_failure(self, failure: Failure) -> None:
        """Show a failure in place of the one before."""
        self._failure = failure
        words = failure_text(failure)
        self._title.setText(words.title)
        self.setAccessibleName(words.title)
        _fill(self._body, (words.where, *words.text))
        _fill(self._error, (words.error, *words.frames))
        _fill(self._advice, words.advice)
        self._texts.updateGeometry()
        traceback = failure.exception.traceback if failure.exception else ""
        self._traceback.setPlainText(traceback.rstrip())
        self._fold.setVisible(bool(traceback))
        self._fold.setChecked(False)
        self._show_traceback(False)
        wanted = remedies(failure)
        for remedy, button in self._remedies.items():
            button.setVisible(remedy in wanted)
        self._show_icons()
        self.show()

    @Slot()
    def dismiss(self) -> None:
        """Close the card."""
        if self._failure is not None:
            self._failure = None
            self.hide()
            self.dismissed.emit()

    def remedy_button(self, remedy: Remedy) -> QPushButton:
        """Return the button of a remedy."""
        return self._remedies[remedy]

    def hasHeightForWidth(self) -> bool:
        """Say no: a layout takes the height for a width as the least there must be, and the texts can do with less."""
        return False

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self._sign)
        head.addWidget(self._title, 1)
        head.addWidget(self.copy_button)
        head.addWidget(self.dismiss_button)
        buttons = QHBoxLayout()
        buttons.setSpacing(6)
        for number, button in enumerate(self._remedies.values()):
            self._group.addButton(button, number)
            buttons.addWidget(button)
        buttons.addWidget(self._fold)
        buttons.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 5, 6, 8)
        layout.setSpacing(4)
        layout.addLayout(head)
        layout.addWidget(self._texts)
        layout.addLayout(buttons)
        layout.addWidget(self._traceback)

    @Slot(int)
    def _ask_for_remedy(self, number: int) -> None:
        self.remedy_requested.emit(tuple(self._remedies)[number], self._failure)

    @Slot()
    def _copy_details(self) -> None:
        if self._failure is not None:
            QGuiApplication.clipboard().setText(failure_details(self._failure))
            self.details_copied.emit()

    @Slot(bool)
    def _show_traceback(self, shown: bool) -> None:
        self._traceback.setVisible(shown)
        self._fold.setText(self.tr("&Hide traceback") if shown else self.tr("Show &traceback"))

    def _show_icons(self) -> None:
        theme = theme_of(self.palette())
        size = self.fontMetrics().height()
        self._sign.setPixmap(icon("msc.error", theme.trouble).pixmap(size, size))
        self.copy_button.setIcon(icon("msc.copy"))
        self.dismiss_button.setIcon(icon("msc.close"))

    def changeEvent(self, event: QEvent) -> None:
        """Follow the theme."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            self._show_icons()


class ShrinkableColumn(QScrollArea):
    """Texts one under the other, as high as they need; where room is scarce they get less and can be scrolled.

    Without it a long message would push the panels together in a small window.
    """

    def __init__(self, texts: tuple[QLabel, ...], parent: QWidget) -> None:
        super().__init__(parent)
        content = QWidget(self)
        layout = QVBoxLayout(content)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        for text in texts:
            layout.addWidget(text)
        layout.addStretch(1)
        self._texts = layout
        self.setWidget(content)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)

    def sizeHint(self) -> QSize:
        """Return the size of the texts at the present width."""
        return QSize(super().sizeHint().width(), self._texts.totalHeightForWidth(max(self.width(), 1)))

    def minimumSizeHint(self) -> QSize:
        """Ask for three lines at least."""
        return QSize(0, min(3 * self.fontMetrics().lineSpacing(), self.sizeHint().height()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Ask for another height when the texts wrap at other places."""
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self.updateGeometry()


def _small_button(name: str, parent: QWidget) -> QToolButton:
    button = QToolButton(parent)
    button.setAccessibleName(name)
    button.setToolTip(name)
    return button


def _label(parent: QWidget) -> QLabel:
    label = QLabel(parent)
    label.setTextFormat(Qt.TextFormat.PlainText)  # a message may contain anything
    label.setWordWrap(True)
    label.setTextInteractionFlags(
        Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
    )
    return label


def _fill(label: QLabel, lines: tuple[str, ...]) -> None:
    text = "\n".join(line for line in lines if line)
    label.setText(text)
    label.setVisible(bool(text))
