"""A row of controls that stays usable when it is narrow: it leaves out its less important parts first."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QToolButton, QWidget

NEVER = 0
_SPACING = 6


class ElidedLabel(QLabel):
    """A label in one line that gives up characters in the middle before it asks for more room."""

    def minimumSizeHint(self) -> QSize:
        """Return room for a few characters."""
        few = self.fontMetrics().averageCharWidth() * 8
        return QSize(min(few, super().sizeHint().width()), super().sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw as much of the text as there is room for."""
        width = self.contentsRect().width()
        if self.fontMetrics().horizontalAdvance(self.text()) <= width:
            super().paintEvent(event)
            return
        painter = QPainter(self)
        try:
            painter.setPen(self.palette().color(self.foregroundRole()))
            text = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideMiddle, width)
            painter.drawText(self.contentsRect(), self.alignment(), text)
        finally:
            painter.end()


class _Level(IntEnum):
    FULL = 0
    SHRUNK = 1
    GONE = 2


@dataclass
class _Part:
    widget: QWidget
    drop: int
    shrink: int
    wanted: bool = True
    level: _Level = _Level.FULL

    def room(self, level: _Level) -> int:
        """Return the width that it needs."""
        if level is _Level.GONE:
            return 0
        if isinstance(self.widget, ElidedLabel):
            return self.widget.minimumSizeHint().width()
        if self.shrink and isinstance(self.widget, QToolButton):
            before = self.widget.toolButtonStyle()
            _set_bare(self.widget, level is _Level.SHRUNK)
            width = self.widget.sizeHint().width()
            self.widget.setToolButtonStyle(before)
            return width
        if level is _Level.SHRUNK:
            return self.widget.minimumWidth()
        return min(self.widget.sizeHint().width(), self.widget.maximumWidth())

    def apply(self) -> None:
        """Show as much of it as was decided."""
        if self.shrink and isinstance(self.widget, QToolButton):
            _set_bare(self.widget, self.level is _Level.SHRUNK)
        is_shown = self.wanted and self.level is not _Level.GONE
        if self.widget.isHidden() is is_shown:
            self.widget.setVisible(is_shown)


class AdaptiveRow(QWidget):
    """Controls side by side. When room is short, they shrink or go in the order of their ranks, the highest first."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._parts: list[_Part] = []
        self._height: int | None = None
        self._layout = QHBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(_SPACING)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def add(self, widget: QWidget, *, drop: int = NEVER, shrink: int = NEVER) -> None:
        """Append a control.

        Args:
            widget: The control.
            drop: Rank at which it is left out, together with what else has this rank.
            shrink: Rank at which a tool button loses its text, and any other widget becomes as narrow as it may.
        """
        self._height = None
        self._parts.append(_Part(widget, drop, shrink))
        self._layout.addWidget(widget)

    def add_stretch(self) -> None:
        """Append room that grows."""
        self._layout.addStretch(1)

    def want(self, widget: QWidget, wanted: bool) -> None:
        """Say whether a control has anything to show at the moment."""
        for part in self._parts:
            if part.widget is widget and part.wanted != wanted:
                part.wanted = wanted
                self.adapt()

    def adapt(self) -> None:
        """Choose again what fits; call it when a text has changed its length."""
        kept = [part for part in self._parts if part.wanted]
        rooms = {id(part): part.room(_Level.FULL) for part in kept}
        for part in kept:
            part.level = _Level.FULL
        steps = [(part.drop, _Level.GONE, part) for part in kept if part.drop]
        steps += [(part.shrink, _Level.SHRUNK, part) for part in kept if part.shrink]
        gone = 0
        for rank, level, part in sorted(steps, key=_rank_of, reverse=True):
            goes_along = level is _Level.GONE and rank == gone
            if not goes_along and self._total(rooms.values()) <= self.width():
                break
            gone = rank if level is _Level.GONE else gone
            part.level = max(part.level, level)
            rooms[id(part)] = part.room(part.level)
        for part in self._parts:
            part.apply()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Choose again what fits."""
        super().resizeEvent(event)
        self.adapt()

    def changeEvent(self, event: QEvent) -> None:
        """Measure again when fonts or style have changed."""
        if event.type() in {QEvent.Type.FontChange, QEvent.Type.StyleChange}:
            self._height = None
        super().changeEvent(event)

    def minimumSizeHint(self) -> QSize:
        """Claim no width at all, so that a row never keeps a window from getting smaller."""
        return self.sizeHint()

    def sizeHint(self) -> QSize:
        """Return the height of the tallest part, whatever is left out, and no width."""
        if self._height is None:  # asked for very often, and dear to find out
            margins = self._layout.contentsMargins()
            tallest = max((part.widget.sizeHint().height() for part in self._parts), default=0)
            self._height = tallest + margins.top() + margins.bottom()
        return QSize(0, self._height)

    def _total(self, rooms: Iterable[int]) -> int:
        widths = [room for room in rooms if room]
        margins = self._layout.contentsMargins()
        return sum(widths) + _SPACING * max(len(widths) - 1, 0) + margins.left() + margins.right()


def _rank_of(step: tuple[int, _Level, _Part]) -> tuple[int, _Level]:
    return step[:2]


def _set_bare(button: QToolButton, bare: bool) -> None:
    style = Qt.ToolButtonStyle.ToolButtonIconOnly if bare else Qt.ToolButtonStyle.ToolButtonTextBesideIcon
    if button.toolButtonStyle() != style:
        button.setToolButtonStyle(style)
