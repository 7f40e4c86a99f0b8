"""One tensor of the current module as a card: its name, a small picture, and its shape or why it is absent."""

from PySide6.QtCore import QEvent, QRect, QSize, Qt, Signal, Slot
from PySide6.QtGui import QColor, QContextMenuEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPixmap
from PySide6.QtWidgets import QAbstractButton, QMenu, QSizePolicy, QWidget

from hookscope.figures.text import format_shape, slot_label, value_label
from hookscope.gui.assets import icon
from hookscope.gui.badge_looks import BadgeLook, look_of
from hookscope.gui.badge_text import badge_label, badge_sentence
from hookscope.gui.panels.base import fixed_font
from hookscope.gui.theme import theme_of
from hookscope.protocol.tensors import Badge, BadgeKind, Record

_MARGIN = 8
_RADIUS = 4
_MIN_CHARS, _MAX_CHARS = 12, 24
_PICTURE_GAP = 4
_TOLD = 80
"""Characters of a value in a tooltip, which does not wrap it."""


class SlotCard(QAbstractButton):
    """One tensor: its name, a picture if there is one, and its shape or why it is absent.

    Signals:
        chosen: It was clicked; with its `TensorRef`.
        opened: It is to be shown in a panel of its own; with its `TensorRef`.
    """

    chosen = Signal(object)
    opened = Signal(object)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._record: Record | None = None
        self._picture = QPixmap()
        self._room = QSize(0, 0)
        self._note = ""
        self._look: BadgeLook | None = None
        self.setCheckable(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.clicked.connect(self._announce)
        self._menu = QMenu(self)
        self._menu.addAction(self.tr("Open in a tab of its own"), self._open)

    def show_record(self, record: Record, *, is_current: bool) -> None:
        """Show another record, and whether it is the one that the window looks at."""
        self.setChecked(is_current)
        before, self._record = self._record, record
        if before is not None and record.is_like(before):
            return
        instead = record.instead
        badges = tuple(badge for badge in record.badges if badge.kind is not BadgeKind.NOT_A_TENSOR)
        sentences = [badge_sentence(badge) for badge in badges]
        if instead:
            self._note = value_label(instead)
            sentences.insert(0, badge_sentence(Badge(BadgeKind.NOT_A_TENSOR)))
        elif record.spec is not None:
            self._note = format_shape(record.spec.shape)
        else:
            self._note = badge_label(badges[0]) if badges else self.tr("absent")
        self._look = look_of(record.badges) if record.spec is not None or instead else None  # else the note says it
        self.setText(slot_label(record.ref))
        self.setAccessibleName(f"{self.text()}, {self._note}")
        self.setAccessibleDescription(" ".join(sentences))
        spec = record.spec
        parts = [self._note[:_TOLD], *([spec.dtype, spec.device] if spec is not None else [])]
        first = f"{self.text()}: {' · '.join(parts)}"
        self.setToolTip("\n".join([first, *sentences, self.tr("Double click opens it in a tab of its own.")]))
        self.updateGeometry()
        self.update()

    @property
    def record(self) -> Record | None:
        """The record that is shown."""
        return self._record

    @property
    def picture(self) -> QPixmap:
        """The small picture; a null one when there is none."""
        return self._picture

    def set_room(self, room: QSize) -> None:
        """Keep room for a picture between name and shape, whether there is one or not; none with an empty size."""
        if room != self._room:
            self._room = room
            self.updateGeometry()
            self.update()

    def set_picture(self, picture: QPixmap) -> None:
        """Show a small picture; a null one takes it away."""
        if picture.cacheKey() != self._picture.cacheKey():
            self._picture = picture
            self.update()

    def sizeHint(self) -> QSize:
        """Return room for two lines, and for the picture if there is one."""
        metrics = self.fontMetrics()
        unit = metrics.averageCharWidth()
        texts = max(metrics.horizontalAdvance(self.text()), self._note_metrics_width())
        texts += self._glyph_room()
        width = min(max(texts, unit * _MIN_CHARS, self._room.width()), unit * _MAX_CHARS) + 2 * _MARGIN + 2
        height = 2 * metrics.height() + 2 * _MARGIN - 2
        return QSize(width, height + (self._room.height() + _PICTURE_GAP if self._room.height() else 0))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the card."""
        del event
        theme = theme_of(self.palette())
        is_absent = self._record is None or self._record.spec is None
        painter = QPainter(self)
        try:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            is_marked = self.isChecked() or self.hasFocus()
            border = theme.accent if is_marked else theme.quiet if self.underMouse() else theme.line
            width = 2.0 if self.isChecked() else 1.0
            painter.setPen(QPen(QColor(border), width))
            painter.setBrush(QColor(theme.panel))
            edge = width / 2
            painter.drawRoundedRect(self.rect().toRectF().adjusted(edge, edge, -edge, -edge), _RADIUS, _RADIUS)
            inside = self.rect().adjusted(_MARGIN, _MARGIN - 2, -_MARGIN, -_MARGIN + 2)
            painter.setPen(QColor(theme.quiet if is_absent else theme.text))
            first = inside.adjusted(0, 0, -self._glyph_room(), 0)
            self._draw_line(painter, first, Qt.AlignmentFlag.AlignTop, self.text())
            if self._look is not None:
                side = self.fontMetrics().ascent()
                glyph = icon(self._look.icon, getattr(theme, self._look.color))
                glyph.paint(painter, inside.right() - side + 1, inside.top() + 1, side, side)
            if self._room.height() and not self._picture.isNull():
                top = inside.top() + self.fontMetrics().height() + _PICTURE_GAP // 2
                painter.drawPixmap(inside.left(), top, self._picture)
            painter.setPen(QColor(theme.quiet))
            if not is_absent or (self._record is not None and self._record.instead):
                painter.setFont(fixed_font(0.9))
            self._draw_line(painter, inside, Qt.AlignmentFlag.AlignBottom, self._note)
        finally:
            painter.end()

    def enterEvent(self, event: object) -> None:
        """Show that it can be clicked."""
        self.update()
        super().enterEvent(event)  # type: ignore[arg-type]

    def leaveEvent(self, event: QEvent) -> None:
        """Show that the pointer is gone."""
        self.update()
        super().leaveEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Open the tensor in a panel of its own."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._open()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offer the same."""
        self._menu.popup(event.globalPos())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go to the next card with the arrow keys; Return shows the tensor, with Ctrl in a panel of its own."""
        match event.key():
            case Qt.Key.Key_Left:
                self.focusPreviousChild()
            case Qt.Key.Key_Right:
                self.focusNextChild()
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                has_control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
                self._open() if has_control else self._announce()
            case _:
                super().keyPressEvent(event)

    def nextCheckState(self) -> None:
        """Leave the check mark alone: it says what the window looks at, which answers to the click."""

    def _glyph_room(self) -> int:
        return self.fontMetrics().ascent() + _MARGIN // 2 if self._look is not None else 0

    def _note_metrics_width(self) -> int:
        return self.fontMetrics().horizontalAdvance(self._note) * 11 // 10

    def _draw_line(self, painter: QPainter, area: QRect, at: Qt.AlignmentFlag, text: str) -> None:
        elided = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, area.width())
        painter.drawText(area, at | Qt.AlignmentFlag.AlignLeft, elided)

    @Slot()
    def _announce(self) -> None:
        if self._record is not None:
            self.chosen.emit(self._record.ref)

    @Slot()
    def _open(self) -> None:
        if self._record is not None and (self._record.spec is not None or self._record.instead):
            self.opened.emit(self._record.ref)
