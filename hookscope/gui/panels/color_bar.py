"""The range as a strip of its colours with two handles, for a picture that stands alone."""

import numpy as np
from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QImage, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from hookscope.figures.levels import Levels, color_indices
from hookscope.figures.text import format_number
from hookscope.gui.panels.image_view import Look
from hookscope.gui.panels.picture_item import packed_colors
from hookscope.gui.theme import theme_of

_FLOAT32_MAX = float(np.finfo(np.float32).max)
_ENTRIES = 512
_CHARS = 26
_MARGIN = 0.06
"""Share of the range that is drawn beyond each end."""
_GRIP = 7
"""Width of a handle, and how far beside it the mouse may be, in pixels of the screen."""


class ColorBar(QWidget):
    """Shows the colours over the values of a picture; dragging a handle moves the value of the first or last colour.

    Signals:
        dragged: Low and high, and whether the same drag has told others before.
    """

    dragged = Signal(float, float, bool)

    def __init__(self) -> None:
        super().__init__()
        self._look: Look | None = None
        self._axis: Levels = (0.0, 1.0)
        self._held: int | None = None
        self._has_moved = False
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(self.tr("Colours of the values"))

    def show_range(self, look: Look, extent: Levels) -> None:
        """Show colours over a range of values that holds the data and the levels; a drag holds it still."""
        self._look = look
        if self._held is None:
            low, high = min(extent[0], look.levels[0]), max(extent[1], look.levels[1])
            margin = (high / 2 - low / 2) * 2 * _MARGIN
            self._axis = max(low - margin, -_FLOAT32_MAX), min(high + margin, _FLOAT32_MAX)
        low_text, high_text = (format_number(float(level)) for level in look.levels)
        text = self.tr("Colours from {low} to {high}. Drag a handle to change the range.")
        self.setToolTip(text.format(low=low_text, high=high_text))
        self.setAccessibleDescription(self.toolTip())
        self.update()

    def handle_rect(self, end: int) -> QRect:
        """Return where a handle is: 0 the lower, 1 the upper one."""
        assert self._look is not None
        middle = round(self._to_x(self._look.levels[end]))
        return QRect(middle - _GRIP // 2, 0, _GRIP, self.height())

    def sizeHint(self) -> QSize:
        """Return room for a strip as high as a line of text."""
        return QSize(self.fontMetrics().averageCharWidth() * _CHARS, self.fontMetrics().height() + 2)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the strip and the handles."""
        del event
        if self._look is None:
            return
        theme = theme_of(self.palette())
        values = np.linspace(*self._axis, _ENTRIES).clip(-_FLOAT32_MAX, _FLOAT32_MAX).astype(np.float32)[np.newaxis]
        indices = color_indices(
            values,
            None,
            self._look.levels,
            marks_negative=self._look.marks_negative,
            marks_clipped=self._look.marks_clipped,
        )
        colors = packed_colors(self._look.table)[indices]
        strip = QImage(colors.data, _ENTRIES, 1, _ENTRIES * 4, QImage.Format.Format_RGB32)
        painter = QPainter(self)
        try:
            inset = self.height() // 4
            painter.drawImage(QRectF(_GRIP, inset, self.width() - 2 * _GRIP, self.height() - 2 * inset), strip)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            for end in (0, 1):
                painter.setPen(QColor(theme.window))
                painter.setBrush(QColor(theme.accent))
                painter.drawRoundedRect(QRectF(self.handle_rect(end)).adjusted(0.5, 0.5, -0.5, -0.5), 2, 2)
        finally:
            painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take hold of the nearer handle."""
        if event.button() == Qt.MouseButton.LeftButton and self._look is not None:
            x = event.position().x()
            distances = [abs(x - self._to_x(level)) for level in self._look.levels]
            # Where both are in one place, the one that can be moved to that side.
            nearest = distances.index(min(distances))
            if distances[0] == distances[1]:
                nearest = int(x > self._to_x(self._look.levels[0]))
            self._held, self._has_moved = nearest, False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Move the handle that is held, and show what can be held."""
        if self._look is None:
            return
        x = event.position().x()
        if self._held is None:
            is_near = any(abs(x - self._to_x(level)) <= _GRIP for level in self._look.levels)
            self.setCursor(Qt.CursorShape.SizeHorCursor if is_near else Qt.CursorShape.ArrowCursor)
            return
        levels = list(self._look.levels)
        levels[self._held] = self._to_value(x)
        if levels[0] < levels[1]:
            self.dragged.emit(*levels, self._has_moved)
            self._has_moved = True

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Let go of the handle."""
        del event
        self._held = None
        self.update()

    def _room(self) -> int:
        return max(self.width() - 2 * _GRIP, 1)

    def _to_x(self, value: float) -> float:
        low, high = self._axis
        return _GRIP + (value / 2 - low / 2) / (high / 2 - low / 2) * self._room()

    def _to_value(self, x: float) -> float:
        low, high = self._axis
        share = min(max((x - _GRIP) / self._room(), 0.0), 1.0)
        return low * (1 - share) + high * share
