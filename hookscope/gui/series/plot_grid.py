"""Plots side by side while they are wide enough, the others below; what has no room is scrolled to."""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QScrollArea, QWidget

_LEAST_CHARS = 44
"""Width of a plot, in average characters, at least."""


class PlotGrid(QScrollArea):
    """Keeps widgets in a grid whose number of columns follows from its width."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown: list[QWidget] = []
        self._columns = 0
        self._inside = QWidget()
        self._grid = QGridLayout(self._inside)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(self.fontMetrics().height())
        self._grid.setVerticalSpacing(self.fontMetrics().height() // 2)
        self.setWidget(self._inside)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    @property
    def columns(self) -> int:
        """How many stand side by side."""
        return self._columns

    def show_widgets(self, widgets: Sequence[QWidget]) -> None:
        """Show exactly these, in their order; those that are not shown any more are hidden and stay its children."""
        if list(widgets) == self._shown:
            return
        for widget in self._shown:
            self._grid.removeWidget(widget)
            widget.setVisible(widget in widgets)
        self._shown = list(widgets)
        self._columns = 0
        self._arrange()
        for widget in widgets:
            widget.show()
        self.updateGeometry()

    def show_widget(self, widget: QWidget) -> None:
        """Scroll to one of them."""
        self._grid.activate()
        bar = self.verticalScrollBar()
        if not bar.value() <= widget.y() <= bar.value() + self.viewport().height() - widget.height():
            bar.setValue(widget.y())

    def minimumSizeHint(self) -> QSize:
        """Return room for one of them, so that it can be seen as a whole."""
        heights = [widget.minimumSizeHint().height() for widget in self._shown]
        return QSize(0, max(heights, default=0))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Take another number of columns."""
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        least = _LEAST_CHARS * self.fontMetrics().averageCharWidth()
        columns = min(max(self.viewport().width() // least, 1), max(len(self._shown), 1))
        if columns == self._columns:
            return
        for column in range(max(columns, self._columns)):
            self._grid.setColumnStretch(column, 1 if column < columns else 0)
        self._columns = columns
        for number, widget in enumerate(self._shown):
            self._grid.addWidget(widget, number // columns, number % columns)
