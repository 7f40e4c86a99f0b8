"""The strip left of the module tree: breakpoints, how far the step is, and the arrow of where it is stopped."""

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPoint, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QColor, QHelpEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QToolTip, QWidget

from hookscope.figures.reach import Reach, StepReach
from hookscope.gui.assets import icon
from hookscope.gui.breakpoints.book import BreakpointBook
from hookscope.gui.breakpoints.looks import BreakpointLook
from hookscope.gui.module_tree.view import ModuleTreeView
from hookscope.gui.session_bridge import SessionBridge
from hookscope.gui.theme import Theme, theme_of
from hookscope.gui.timeline.shapes import draw_arrow
from hookscope.protocol.tree import ModuleInfo

_DOT = 0.5
"""Diameter of a mark of how far the step is, in heights of its square."""
_DASH = (1.5, 1.5)
_GLYPH = 1.5
"""Size of a breakpoint's glyph, which has much air around it, in sides of its square."""
_FAINT = 0.35


class TreeGutter(QWidget):
    """Draws beside each row of a tree; a click on a row toggles its breakpoint.

    Args:
        bridge: The session.
        book: The breakpoints.
        view: The tree.

    Signals:
        toggle_requested: A row was clicked; the path of its module.
        edit_requested: A row was clicked with the right button; the path of its module.
    """

    toggle_requested = Signal(str)
    edit_requested = Signal(str)

    def __init__(self, bridge: SessionBridge, book: BreakpointBook, view: ModuleTreeView) -> None:
        super().__init__(view.parentWidget())
        self._session = bridge.session
        self._book = book
        self._view = view
        self._reach = StepReach()
        self._looks: dict[str, tuple[BreakpointLook | None, str]] = {}
        self._hovered: str | None = None
        self.setMouseTracking(True)
        self.setAccessibleName(self.tr("Breakpoints of the modules"))
        self.setFixedWidth(2 * self._side() + 4)
        view.viewport().installEventFilter(self)
        book.changed.connect(self._forget)
        for signal in (bridge.stopped, bridge.continued, bridge.state_changed):
            signal.connect(self.update)

    def mark_of(self, module: ModuleInfo) -> BreakpointLook | None:
        """Return how the breakpoint of a module looks."""
        return self._found(module)[0]

    def reach_of(self, path: str) -> Reach | None:
        """Return how far a module is in the step that is stopped; `None` when none is."""
        self._follow_step()
        return self._reach.of(path) if self._session.stopped is not None else None

    @Slot()
    def _forget(self) -> None:
        self._looks.clear()
        self.update()

    def _found(self, module: ModuleInfo) -> tuple[BreakpointLook | None, str]:
        if module.path not in self._looks:
            points = self._book.on(module)
            look = self._book.look_of(points[0]) if points else None
            self._looks[module.path] = look, "\n".join(map(self._book.sentence, points))
        return self._looks[module.path]

    def _follow_step(self) -> None:
        stopped = self._session.stopped
        if stopped is not None:
            self._reach.follow(stopped.step, self._session.events.of(stopped.step), stopped.event.number)

    def _side(self) -> int:
        return self.fontMetrics().ascent()

    def _module_at(self, place: QPoint) -> ModuleInfo | None:
        index = self._view.indexAt(QPoint(0, self._view.viewport().mapFromGlobal(self.mapToGlobal(place)).y()))
        return self._view.module_at(index)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - it is narrow
        """Draw the marks of the rows in sight."""
        self._follow_step()
        painter = QPainter(self)
        try:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            theme = theme_of(self.palette())
            painter.fillRect(self.rect(), QColor(theme.panel))
            top = self._view.viewport().mapTo(self._view, QPoint(0, 0)).y()
            painter.setClipRect(0, top, self.width(), self._view.viewport().height())
            index = self._view.indexAt(QPoint(0, 0))
            while index.isValid():
                area = self._view.visualRect(index)
                if area.top() > self._view.viewport().height():
                    break
                self._draw_row(painter, index, top + area.center().y(), theme)
                index = self._view.indexBelow(index)
        finally:
            painter.end()

    def _draw_row(self, painter: QPainter, index: QModelIndex, middle: int, theme: Theme) -> None:
        module = self._view.module_at(index)
        if module is None:
            return
        side = self._side()
        left = QRectF(1, middle - side / 2, side, side)
        right = left.translated(side + 1, 0)
        look = self._found(module)[0]
        room = round(side * (_GLYPH - 1) / 2)
        glyph = left.toRect().adjusted(-room, -room, room, room)
        if look is not None:
            icon(look.icon, getattr(theme, look.color)).paint(painter, glyph)
        elif module.path == self._hovered:
            painter.setOpacity(_FAINT)
            icon("msc.debug-breakpoint", theme.trouble).paint(painter, glyph)
            painter.setOpacity(1)
        stopped = self._session.stopped
        if stopped is None:
            return
        if stopped.event.path == module.path:
            draw_arrow(painter, right.adjusted(1, 1, -1, -1), QColor(theme.at_hand))
        else:
            _draw_reach(painter, right, self._reach.of(module.path), self._reach_color(theme))

    def _reach_color(self, theme: Theme) -> QColor:
        return QColor(theme.backward if self._reach.is_backward else theme.forward)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Draw anew when the tree does."""
        if event.type() is QEvent.Type.Paint:
            self.update()
        return super().eventFilter(watched, event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Toggle with the left button, edit with the right one."""
        module = self._module_at(event.position().toPoint())
        if module is None:
            return
        if event.button() is Qt.MouseButton.LeftButton:
            self.toggle_requested.emit(module.path)
        elif event.button() is Qt.MouseButton.RightButton:
            self.edit_requested.emit(module.path)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Show faintly where a click would set a breakpoint."""
        module = self._module_at(event.position().toPoint())
        self._hover(module.path if module is not None else None)

    def leaveEvent(self, event: QEvent) -> None:
        """Show nothing faint any more."""
        super().leaveEvent(event)
        self._hover(None)

    def _hover(self, path: str | None) -> None:
        if path != self._hovered:
            self._hovered = path
            self.update()

    def event(self, event: QEvent) -> bool:
        """Say what the mark under the pointer means."""
        if isinstance(event, QHelpEvent):
            module = self._module_at(event.pos())
            text = self._tip(module) if module is not None else ""
            QToolTip.showText(event.globalPos(), text, self)
            return True
        return super().event(event)

    def _tip(self, module: ModuleInfo) -> str:
        words = self._found(module)[1] or self.tr("Click to set a breakpoint.")
        reach = self.reach_of(module.path)
        titles = {
            Reach.DONE: self.tr("Done in this pass."),
            Reach.PENDING: self.tr("Entered, and not left yet."),
            Reach.NOT_REACHED: self.tr("Not reached yet in this pass."),
        }
        return words if reach is None else f"{words}\n{titles[reach]}"

    def sizeHint(self) -> QSize:
        """Return the width that it has."""
        return QSize(self.width(), 0)


def _draw_reach(painter: QPainter, square: QRectF, reach: Reach, color: QColor) -> None:
    """Draw filled what is done, hollow what is pending, dashed what was not reached."""
    margin = square.width() * (1 - _DOT) / 2
    pen = QPen(color, 1.2)
    if reach is Reach.NOT_REACHED:
        pen.setColor(QColor.fromRgbF(color.redF(), color.greenF(), color.blueF(), 0.6))
        pen.setDashPattern(_DASH)
    painter.setPen(pen)
    painter.setBrush(color if reach is Reach.DONE else Qt.BrushStyle.NoBrush)
    painter.drawEllipse(square.adjusted(margin, margin, -margin, -margin))
