"""The strip of steps: a place for each, marks on those that were traced or were trials, a handle on the shown one."""

from collections.abc import Iterable

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPolygonF
from PySide6.QtWidgets import QAbstractSlider, QSizePolicy, QWidget

from hookscope.gui.theme import theme_of

_CHARS, _LEAST_CHARS = 30, 12
_DIAMOND = 3.0
"""Half the height of the mark of a trial, in pixels."""


class StepStrip(QAbstractSlider):
    """A slider over steps. Its keys and its wheel are those of every slider.

    Signals:
        step_chosen: A person went to another step.
    """

    step_chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._traced: tuple[int, ...] = ()
        self._trials: tuple[int, ...] = ()
        self._is_showing = False
        self.setOrientation(Qt.Orientation.Horizontal)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setPageStep(10)
        self.setAccessibleName(self.tr("Step"))
        self.setToolTip(self.tr("Go back to an earlier step. A bar marks those that were traced, a diamond trials."))
        self.valueChanged.connect(self._tell)

    def show_steps(self, first: int, last: int, traced: Iterable[int], shown: int, trials: Iterable[int] = ()) -> None:
        """Show which steps there are, which of them were traced or were trials, and which one is shown."""
        self._is_showing = True
        try:
            self._traced, self._trials = tuple(traced), tuple(trials)
            self.setRange(first, last)
            self.setValue(shown)
        finally:
            self._is_showing = False
        self.setEnabled(last > first)
        self.update()

    def sizeHint(self) -> QSize:
        """Return room for some steps."""
        return QSize(self.fontMetrics().averageCharWidth() * _CHARS, round(1.5 * self.fontMetrics().height()))

    def minimumSizeHint(self) -> QSize:
        """Return room for a few steps."""
        return QSize(self.fontMetrics().averageCharWidth() * _LEAST_CHARS, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the line, the marks and the handle."""
        del event
        theme = theme_of(self.palette())
        painter = QPainter(self)
        try:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            middle = self.height() / 2
            painter.setBrush(QColor(theme.line))
            painter.drawRoundedRect(QRectF(self._margin(), middle - 1.5, self._length(), 3), 1.5, 1.5)
            if self.isEnabled():
                painter.setBrush(QColor(theme.accent))
                reached = self._x_of(self.value()) - self._margin()
                painter.drawRoundedRect(QRectF(self._margin(), middle - 1.5, reached, 3), 1.5, 1.5)
            painter.setBrush(QColor(theme.quiet))
            for x in self._places_of(self._traced):
                painter.drawRect(QRectF(x - 1, middle + 3, 2, 3))
            for x in self._places_of(self._trials):
                painter.drawPolygon(_diamond(x, middle - 2 - _DIAMOND))
            painter.setBrush(QColor(theme.text if self.isEnabled() else theme.quiet))
            if self.hasFocus():
                painter.setPen(QColor(theme.accent))
            half = self._margin() - 1
            place = QPointF(self._x_of(self.value()), middle)
            painter.drawRoundedRect(QRectF(place.x() - half / 1.4, place.y() - half, 1.4 * half, 2 * half), 2, 2)
        finally:
            painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Go to the step under the pointer."""
        if event.button() is Qt.MouseButton.LeftButton:
            self.setSliderDown(True)
            self.setValue(self._step_at(event.position().x()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Follow the pointer."""
        if self.isSliderDown():
            self.setValue(self._step_at(event.position().x()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Stay there."""
        del event
        self.setSliderDown(False)

    def _tell(self, step: int) -> None:
        if not self._is_showing:
            self.step_chosen.emit(step)

    def _margin(self) -> float:
        return 0.4 * self.fontMetrics().height()

    def _length(self) -> float:
        return max(1.0, self.width() - 2 * self._margin())

    def _x_of(self, step: int) -> float:
        count = self.maximum() - self.minimum()
        share = (step - self.minimum()) / count if count else 1.0
        return self._margin() + share * self._length()

    def _places_of(self, steps: tuple[int, ...]) -> list[int]:
        return sorted({round(self._x_of(step)) for step in steps if self.minimum() <= step})

    def _step_at(self, x: float) -> int:
        share = (x - self._margin()) / self._length()
        return round(self.minimum() + share * (self.maximum() - self.minimum()))


def _diamond(x: float, y: float) -> QPolygonF:
    return QPolygonF(
        [QPointF(x, y - _DIAMOND), QPointF(x + _DIAMOND, y), QPointF(x, y + _DIAMOND), QPointF(x - _DIAMOND, y)]
    )
