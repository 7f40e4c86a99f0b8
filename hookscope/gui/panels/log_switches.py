"""The switches of a histogram: logarithms of the counts, and of the values."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QWidget


class LogSwitches(QWidget):
    """Two buttons that stay down.

    Attributes:
        counts: Whether the number of elements is drawn in logarithms.
        values: Whether the magnitudes of the elements are counted in powers of ten.

    Signals:
        counts_clicked: A person chose how counts are drawn.
        values_clicked: A person chose what is counted.
    """

    counts_clicked = Signal()
    values_clicked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.counts = QToolButton()
        self.counts.setText(self.tr("log counts"))
        self.counts.setToolTip(self.tr("Draw the counts in logarithms, so that few elements can be seen beside many."))
        self.counts.setAccessibleName(self.tr("Logarithmic counts"))
        self.counts.clicked.connect(self.counts_clicked)
        self.values = QToolButton()
        self.values.setText(self.tr("log values"))
        self.values.setToolTip(
            self.tr(
                "Count magnitudes in powers of ten, so that small ones can be told apart. Signs are left out then; "
                "zeros, which are no power of ten, are counted apart."
            )
        )
        self.values.setAccessibleName(self.tr("Logarithmic values"))
        self.values.clicked.connect(self.values_clicked)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        for button in (self.counts, self.values):
            button.setCheckable(True)
            row.addWidget(button)
