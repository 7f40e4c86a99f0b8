"""The line above what is not of all elements: of how many, and what it takes to count all."""

from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QToolButton, QWidget

from hookscope.gui.panels.base import fixed_font
from hookscope.gui.panels.status_text import StatusText

_FULL = 1000


@dataclass(frozen=True)
class SampleNote:
    """What there is to say of a sample.

    Attributes:
        text: In one line.
        tip: More of it.
        can_count: Whether there is anything to be counted.
        stays: Whether it holds when all was counted, too: of a picture, which shows no more than before.
    """

    text: str
    tip: str = ""
    can_count: bool = True
    stays: bool = False


def note_sample(seen: int, count: int) -> SampleNote:
    """Say what part of a tensor was looked at."""
    text = _translate("from a sample: 1 of {times}").format(times=f"{max(round(count / max(seen, 1)), 1):,}")
    tip = _translate("{seen} of {count} elements were looked at.").format(seen=f"{seen:,}", count=f"{count:,}")
    return SampleNote(text, tip)


class SampleBanner(QWidget):
    """Offers to count all elements; while that is done, shows how far it is and offers to cancel.

    Signals:
        count_requested: All elements are to be counted.
        cancel_requested: They are not to be counted after all.
    """

    count_requested = Signal()
    cancel_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text = StatusText(fixed_font(0.9))
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName(self.tr("How much is counted"))
        self.count_button = QToolButton()
        self.count_button.setText(self.tr("Count all"))
        self.count_button.setToolTip(self.tr("Look at every element; with very many that takes a while."))
        self.count_button.clicked.connect(self.count_requested)
        self.cancel_button = QToolButton()
        self.cancel_button.setText(self.tr("Cancel"))
        self.cancel_button.clicked.connect(self.cancel_requested)
        row = QHBoxLayout(self)
        row.setContentsMargins(6, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self._text, 2)
        row.addWidget(self._bar, 1)
        row.addWidget(self.count_button)
        row.addWidget(self.cancel_button)
        self.hide()

    @property
    def text(self) -> str:
        """What it says; `""` when it is not needed."""
        return self._text.text if not self.isHidden() else ""

    def show_note(self, note: SampleNote, *, can_count: bool) -> None:
        """Say what is shown, and offer to count all if that can be done."""
        self._say(note.text, note)
        self._bar.hide()
        self.cancel_button.hide()
        self.count_button.setVisible(can_count)
        self.show()

    def show_counting(self, note: SampleNote, done: int, total: int) -> None:
        """Say how far the counting is."""
        self._bar.setRange(0, _FULL if done else 0)
        self._bar.setValue(round(_FULL * done / total) if done else 0)
        counting = self.tr("counting all, {percent} %").format(percent=int(100 * done / max(total, 1)))
        self._say(" · ".join((counting, note.text)) if note.stays else counting, note)
        self._bar.show()
        self.count_button.hide()
        self.cancel_button.show()
        self.show()

    def _say(self, text: str, note: SampleNote) -> None:
        self._text.show_text(text, is_urgent=note.stays)
        if self._text.toolTip() != note.tip:
            self._text.setToolTip(note.tip)


def _translate(english: str) -> str:
    return QCoreApplication.translate("SampleBanner", english)
