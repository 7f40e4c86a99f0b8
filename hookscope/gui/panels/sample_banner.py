"""The line above numbers that are of a sample: of how many, and what it takes to count all."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QSizePolicy, QToolButton, QWidget

_FULL = 1000


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
        self._text = QLabel()
        self._text.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._text.setProperty("quiet", True)
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
        return self._text.text() if not self.isHidden() else ""

    def show_sample(self, seen: int, count: int, *, can_count: bool) -> None:
        """Say what part of a tensor was looked at."""
        text = self.tr("from a sample: 1 of {times}").format(times=f"{max(round(count / max(seen, 1)), 1):,}")
        self._text.setText(text)
        self._text.setToolTip(
            self.tr("{seen} of {count} elements were looked at.").format(seen=f"{seen:,}", count=f"{count:,}")
        )
        self._bar.hide()
        self.cancel_button.hide()
        self.count_button.setVisible(can_count)
        self.show()

    def show_counting(self, done: int, total: int) -> None:
        """Say how far the counting is."""
        self._bar.setRange(0, _FULL if done else 0)
        self._bar.setValue(round(_FULL * done / total) if done else 0)
        self._text.setText(self.tr("counting all, {percent} %").format(percent=int(100 * done / max(total, 1))))
        self._bar.show()
        self.count_button.hide()
        self.cancel_button.show()
