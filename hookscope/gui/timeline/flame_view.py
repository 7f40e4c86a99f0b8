"""The flame view: which module is slow. Widths are times, forward and backward together; callers stand above."""

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QHelpEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from hookscope.figures.flame import FlameNode
from hookscope.figures.text import format_duration
from hookscope.gui.theme import Theme, theme_of
from hookscope.gui.timeline.names import ModuleNames, signed_bytes, translate

_LEAST_PX = 1.0
"""Narrower bars are left out."""
_GAP = 1.0
_STRIPE = 0.16
"""Height of the stripe that splits a bar into forward and backward, in heights of the bar."""
_FAINT = 0.10
_STRONG = 0.36
"""How strongly bars are coloured that take none of the time themselves, and all of it."""


class FlameView(QWidget):
    """Draws what `flame_of` made of a step.

    Signals:
        module_chosen: A bar was clicked; the path of its module.
    """

    module_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._nodes: tuple[FlameNode, ...] = ()
        self._names = ModuleNames({})
        self._has_memory = False
        self._depth = 0
        self._hovered: FlameNode | None = None
        self._marked: str | None = None
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(self.tr("Time of each module, forward and backward together"))

    def show_nodes(self, nodes: tuple[FlameNode, ...], names: ModuleNames, *, has_memory: bool) -> None:
        """Show another step."""
        self._nodes, self._names, self._has_memory, self._hovered = nodes, names, has_memory, None
        self._depth = max((node.depth for node in nodes), default=0) + 1
        slowest = max(nodes, key=_own, default=None)
        if slowest is not None:
            text = self.tr("The slowest is {module} with {time}.")
            name, time = names.within(slowest.path, None), format_duration(slowest.own_s)
            self.setAccessibleDescription(text.format(module=name, time=time))
        self.update()

    def mark(self, path: str | None) -> None:
        """Outline the bars of the module that the window looks at."""
        if path != self._marked:
            self._marked = path
            self.update()

    def node_at(self, place: QPointF) -> FlameNode | None:
        """Return the bar at a place."""
        depth = int(place.y() // self._row_height())
        return next((node for node in self._nodes if node.depth == depth and self._area_of(node).contains(place)), None)

    def sizeHint(self) -> QSize:
        """Return room for a few rows."""
        return QSize(self.fontMetrics().averageCharWidth() * 50, self.fontMetrics().height() * 8)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the bars."""
        del event
        theme = theme_of(self.palette())
        painter = QPainter(self)
        try:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.fillRect(self.rect(), self.palette().base())
            whole_s = sum(node.total_s for node in self._nodes if node.depth == 0) or 1.0
            for node in self._nodes:
                area = self._area_of(node)
                if area.width() >= _LEAST_PX and area.top() < self.height():
                    self._draw(painter, node, area, whole_s, theme)
        finally:
            painter.end()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Show what a click would be meant for."""
        node = self.node_at(event.position())
        if node is not self._hovered:
            self._hovered = node
            self.setCursor(Qt.CursorShape.PointingHandCursor if node is not None else Qt.CursorShape.ArrowCursor)
            self.update()

    def leaveEvent(self, event: QEvent) -> None:
        """Forget what the pointer was on."""
        self._hovered = None
        self.update()
        super().leaveEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose a module."""
        node = self.node_at(event.position())
        if node is not None and event.button() is Qt.MouseButton.LeftButton:
            self.module_chosen.emit(node.path)

    def event(self, event: QEvent) -> bool:
        """Say what is under a pointer that rests."""
        if event.type() is QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            node = self.node_at(QPointF(event.pos()))
            QToolTip.showText(event.globalPos(), self._tooltip(node) if node is not None else "", self)
            return True
        return super().event(event)

    def _row_height(self) -> float:
        metrics = self.fontMetrics()
        return min(max(self.height() / max(1, self._depth), 1.3 * metrics.height()), 2.6 * metrics.height())

    def _area_of(self, node: FlameNode) -> QRectF:
        height, margin = self._row_height(), self.fontMetrics().averageCharWidth()
        width = self.width() - 2 * margin
        area = QRectF(margin + node.left * width, node.depth * height, node.width * width, height)
        return area.adjusted(0, 0, -min(_GAP, area.width() / 4), -_GAP)

    def _draw(self, painter: QPainter, node: FlameNode, area: QRectF, whole_s: float, theme: Theme) -> None:
        total_s = node.total_s or 1.0
        painter.setPen(Qt.PenStyle.NoPen)
        painter.fillRect(area, QColor(theme.raised))
        heat = QColor(theme.forward if node.forward_s >= node.backward_s else theme.backward)
        heat.setAlphaF(_FAINT + (_STRONG - _FAINT) * min(1.0, node.own_s / whole_s * 2))
        painter.fillRect(area, heat)
        stripe = QRectF(area.left(), area.bottom() - _STRIPE * area.height(), area.width(), _STRIPE * area.height())
        forward = QRectF(stripe)
        forward.setWidth(stripe.width() * node.forward_s / total_s)
        painter.fillRect(stripe, QColor(theme.backward))
        painter.fillRect(forward, QColor(theme.forward))
        if node is self._hovered or node.path == self._marked:
            painter.setPen(QColor(theme.accent if node.path == self._marked else theme.text))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(area.adjusted(0.5, 0.5, -0.5, -0.5))
        self._draw_text(painter, node, area, theme)

    def _draw_text(self, painter: QPainter, node: FlameNode, area: QRectF, theme: Theme) -> None:
        metrics = painter.fontMetrics()
        gap = metrics.averageCharWidth() / 2
        inside = area.adjusted(gap, 0, -gap, -_STRIPE * area.height())
        if inside.width() < 3 * metrics.averageCharWidth():
            return
        outer = self._nodes[node.parent].path if node.parent >= 0 else None
        name = self._names.within(node.path, outer)
        name = metrics.elidedText(name, Qt.TextElideMode.ElideRight, int(inside.width()))
        time, class_name = format_duration(node.total_s), self._names.class_of(node.path)
        room = inside.width() - metrics.horizontalAdvance(f"{name} {time}") - 2 * gap
        texts = [(name, theme.text)]
        if class_name and metrics.horizontalAdvance(class_name) + 2 * gap < room:
            texts.append((class_name, theme.quiet))
        if room > 0:
            texts.append((time, theme.text))
        left = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        for text, color in texts:
            painter.setPen(QColor(color))
            painter.drawText(inside, left, text)
            inside.setLeft(inside.left() + metrics.horizontalAdvance(text) + 2 * gap)

    def _tooltip(self, node: FlameNode) -> str:
        whole_s = sum(other.total_s for other in self._nodes if other.depth == 0) or 1.0
        who = " ".join(filter(None, (self._names.within(node.path, None), self._names.class_of(node.path))))
        calls = translate("1 call") if node.calls == 1 else translate("{count} calls").format(count=node.calls)
        lines = [
            f"{who} · {calls}",
            translate("{time}, {share} % of the step").format(
                time=format_duration(node.total_s), share=f"{100 * node.total_s / whole_s:.1f}"
            ),
            translate("forward {forward}, backward {backward}").format(
                forward=format_duration(node.forward_s), backward=format_duration(node.backward_s)
            ),
            translate("itself {time}").format(time=format_duration(node.own_s)),
        ]
        if self._has_memory:
            lines.append(translate("memory {change}").format(change=signed_bytes(node.allocated_bytes)))
        return "\n".join(lines)


def _own(node: FlameNode) -> float:
    return node.own_s
