"""A form in two columns, which stand below each other where it is narrow."""

from collections.abc import Iterable

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFormLayout, QWidget

_WIDE_CHARS = 76


class FormColumns(QWidget):
    """Named inputs in columns of equal width."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        gap = self.fontMetrics().averageCharWidth()
        self._columns = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._columns.setContentsMargins(gap, 2, gap, 2)
        self._columns.setSpacing(2 * gap)
        self._columns.addStretch(0)

    def add_column(self, rows: Iterable[tuple[str, QWidget]]) -> None:
        """Add a column of names and inputs."""
        form = QFormLayout()
        form.setHorizontalSpacing(self.fontMetrics().averageCharWidth())
        form.setVerticalSpacing(4)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft)
        for title, widget in rows:
            form.addRow(title, widget)
        self._columns.insertLayout(self._columns.count() - 1, form, 1)

    def minimumSizeHint(self) -> QSize:
        """Ask for the width of the wider column alone: they can stand below each other."""
        columns = [self._columns.itemAt(number) for number in range(self._columns.count())]
        widths = [column.minimumSize().width() for column in columns if column is not None]
        margins = self._columns.contentsMargins()
        return QSize(max(widths, default=0) + margins.left() + margins.right(), super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the columns below each other where it is narrow."""
        super().resizeEvent(event)
        is_wide = self.width() >= _WIDE_CHARS * self.fontMetrics().averageCharWidth()
        direction = QBoxLayout.Direction.LeftToRight if is_wide else QBoxLayout.Direction.TopToBottom
        if direction != self._columns.direction():
            self._columns.setDirection(direction)
            last = self._columns.count() - 1  # the empty end, which has the room where they stand below each other
            for number in range(last + 1):
                self._columns.setStretch(number, int(is_wide is (number < last)))
