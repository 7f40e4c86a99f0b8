"""All tensors of the current module as cards in a row; the current one is outlined."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRect, QSize, Qt, Signal, Slot
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QPixmap
from PySide6.QtWidgets import QAbstractButton, QFrame, QHBoxLayout, QScrollArea, QSizePolicy, QWidget

from hookscope.figures.text import format_shape, slot_label
from hookscope.gui.assets import icon
from hookscope.gui.badge_looks import BadgeLook, look_of
from hookscope.gui.badge_text import badge_label, badge_sentence
from hookscope.gui.panels.base import fixed_font
from hookscope.gui.panels.target import is_parameter, records_at
from hookscope.gui.theme import theme_of
from hookscope.protocol.tensors import Record

if TYPE_CHECKING:
    from hookscope.gui.current import Current
    from hookscope.gui.session_bridge import SessionBridge
    from hookscope.protocol.identity import TensorRef

_MARGIN = 8
_RADIUS = 4
_MIN_CHARS, _MAX_CHARS = 12, 24


class SlotCard(QAbstractButton):
    """One tensor: its name, a picture if there is one, and its shape or why it is absent.

    Signals:
        chosen: It was clicked; with its `TensorRef`.
    """

    chosen = Signal(object)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._record: Record | None = None
        self._picture = QPixmap()
        self._note = ""
        self._look: BadgeLook | None = None
        self.setCheckable(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.clicked.connect(self._announce)

    def show_record(self, record: Record, *, is_current: bool) -> None:
        """Show another record, and whether it is the one that the window looks at."""
        self.setChecked(is_current)
        if record == self._record:
            return
        self._record = record
        badges = record.badges
        sentences = [badge_sentence(badge) for badge in badges]
        if record.spec is not None:
            self._note = format_shape(record.spec.shape)
        else:
            self._note = badge_label(badges[0]) if badges else self.tr("absent")
        self._look = look_of(badges) if record.spec is not None else None  # else the note says it
        self.setText(slot_label(record.ref))
        self.setAccessibleName(f"{self.text()}, {self._note}")
        self.setAccessibleDescription(" ".join(sentences))
        spec = record.spec
        first = f"{self.text()}: {self._note}" + (f" · {spec.dtype} · {spec.device}" if spec is not None else "")
        self.setToolTip("\n".join([first, *sentences]))
        self.updateGeometry()
        self.update()

    def set_picture(self, picture: QPixmap) -> None:
        """Put a small picture between name and shape; a null one takes it away."""
        self._picture = picture
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """Return room for two lines, and for the picture if there is one."""
        metrics = self.fontMetrics()
        unit = metrics.averageCharWidth()
        texts = max(metrics.horizontalAdvance(self.text()), self._note_metrics_width())
        texts += self._glyph_room()
        width = min(max(texts, unit * _MIN_CHARS, self._picture.width()), unit * _MAX_CHARS) + 2 * _MARGIN + 2
        height = 2 * metrics.height() + 2 * _MARGIN - 2
        return QSize(width, height + (self._picture.height() + 4 if not self._picture.isNull() else 0))

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
            if not self._picture.isNull():
                painter.drawPixmap(inside.left(), inside.top() + self.fontMetrics().height() + 2, self._picture)
            painter.setPen(QColor(theme.quiet))
            if not is_absent:
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


class SlotStrip(QScrollArea):
    """The cards of the current module; a click looks at that tensor. Cards are kept and reused."""

    def __init__(self, bridge: "SessionBridge", current: "Current", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._current = current
        self._cards: list[SlotCard] = []
        self._shown_ref: TensorRef | None = None
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(self.tr("Tensors of the current module"))
        self._inside = QWidget()
        self._row = QHBoxLayout(self._inside)
        self._row.setContentsMargins(2, 4, 2, 4)
        self._row.setSpacing(6)
        self._row.addStretch(1)
        self.setWidget(self._inside)
        self.viewport().setAutoFillBackground(False)
        self._inside.setAutoFillBackground(False)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        current.changed.connect(self._refresh)
        bridge.records_changed.connect(self._note_records)
        bridge.model_loaded.connect(self._refresh)
        self._refresh()

    @property
    def cards(self) -> tuple[SlotCard, ...]:
        """The cards in use."""
        return tuple(card for card in self._cards if not card.isHidden())

    def sizeHint(self) -> QSize:
        """Return the height of the cards, and of the scroll bar when they do not fit."""
        height = self._inside.sizeHint().height()
        overflows = self._inside.sizeHint().width() > self.width()
        return QSize(0, height + (self.horizontalScrollBar().sizeHint().height() if overflows else 0))

    def minimumSizeHint(self) -> QSize:
        """Return the same height."""
        return self.sizeHint()

    def resizeEvent(self, event: object) -> None:
        """Ask for room for the scroll bar when it comes."""
        super().resizeEvent(event)  # type: ignore[arg-type]
        self.updateGeometry()

    @Slot(object)
    def _note_records(self, paths: frozenset[str]) -> None:
        if self._current.path in paths:
            self._refresh()

    @Slot()
    def _refresh(self) -> None:
        path, ref = self._current.path, self._current.ref
        records = records_at(self._bridge.session, path) if path is not None else ()
        call = ref.call if ref is not None else 0
        shown = [record for record in records if record.ref.call == call or is_parameter(record.ref)]
        while len(self._cards) < len(shown):
            card = SlotCard(self._inside)
            card.chosen.connect(self._current.select_ref)
            self._row.insertWidget(len(self._cards), card)
            self._cards.append(card)
        for number, card in enumerate(self._cards):
            card.setVisible(number < len(shown))
            if number < len(shown):
                card.show_record(shown[number], is_current=shown[number].ref == ref)
        self.setVisible(bool(shown))
        self.updateGeometry()
        if ref != self._shown_ref:
            self._shown_ref = ref
            self._row.activate()
            for card in self.cards:
                if card.isChecked():
                    self.ensureWidgetVisible(card)
