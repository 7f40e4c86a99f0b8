"""Lanes over time: forward goes down the rows and backward comes back up."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt, Signal
from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QFrame, QToolTip, QWidget

from hookscope.figures.forecast import Coming
from hookscope.figures.lane_rows import LaneRow, LaneTree
from hookscope.figures.lanes import Span, StepTrace
from hookscope.gui.theme import theme_of
from hookscope.gui.timeline.lane_painter import LanePainter
from hookscope.gui.timeline.lane_scene import LaneGeometry, LaneScene, geometry_of, widest_label
from hookscope.gui.timeline.names import ModuleNames, coming_tooltip, span_tooltip, trace_summary
from hookscope.gui.timeline.time_window import TimeWindow

if TYPE_CHECKING:
    from hookscope.protocol.tree import ModuleTree

OPEN_UP_TO = 24
"""Containers are opened from the outermost inwards until this many rows show."""

_ZOOM_PER_NOTCH = 0.8
_NOTCH = 120
_PAN = 0.1
_NEAR_PX = 3.0
"""A click this near to a bar is meant for it."""


class LanesView(QAbstractScrollArea):
    """Draws one step. The wheel zooms, dragging moves, F shows everything, a label opens or closes its container.

    Signals:
        event_chosen: A bar was clicked; the number of the event to look at.
        module_chosen: A label was clicked; the path.
        first_requested, last_requested: The first or the last event of the step is wanted.
    """

    event_chosen = Signal(int)
    module_chosen = Signal(str)
    first_requested = Signal()
    last_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        trace = StepTrace()
        self._scene = LaneScene(trace, LaneTree(trace), [], set(), ModuleNames({}), TimeWindow())
        self._opened_for: ModuleTree | None = None
        self._has_opened = False
        self._pressed_at: QPointF | None = None
        self._dragged_at: QPointF | None = None
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(self.tr("Modules over time"))
        self.viewport().setMouseTracking(True)

    @property
    def scene(self) -> LaneScene:
        """What is drawn."""
        return self._scene

    @property
    def geometry_now(self) -> LaneGeometry:
        """Where it is drawn."""
        size = self.viewport().size()
        return geometry_of(self._scene, size.width(), size.height(), self.font(), self.verticalScrollBar().value())

    def show_trace(self, trace: StepTrace, names: ModuleNames, coming: Iterable[Coming] = ()) -> None:
        """Show a step, or more of the same one. Zoom and what is open stay, but for another model."""
        scene, coming = self._scene, tuple(coming)
        is_other_step = scene.trace is not trace
        scene.trace, scene.names, scene.hovered = trace, names, None
        scene.tree = LaneTree(trace, coming)
        if is_other_step and names.tree is not self._opened_for:
            self._opened_for = names.tree
            self._has_opened = False
        if not self._has_opened:
            scene.opened = scene.tree.opened_within(OPEN_UP_TO)
        end_s = max((trace.end_s, *(future.end_s for future in coming)))
        if is_other_step:
            scene.window.fit()
        scene.window.set_whole(trace.begin_s, end_s)
        self.setAccessibleDescription(trace_summary(trace))
        self._show_rows()

    def point_at(self, number: int | None) -> None:
        """Mark the event at hand, or none, and bring it into sight."""
        scene = self._scene
        is_new = number is not None and number != scene.at_hand
        scene.at_hand = number
        self._find_row_at_hand()
        if number is not None and is_new and number < len(scene.trace.events):
            scene.window.reveal(scene.trace.time_of(scene.trace.events[number]))
            self._reveal_row(scene.at_hand_path)
        self.viewport().update()

    def mark(self, number: int | None) -> None:
        """Mark the event that the window looks at, or none."""
        if number != self._scene.current:
            self._scene.current = number
            self.viewport().update()

    def fit(self) -> None:
        """Bring all of the step into sight."""
        self._scene.window.fit()
        self.viewport().update()

    def toggle(self, path: str) -> None:
        """Open a container, or close it into one bar."""
        self._has_opened = True
        self._scene.opened ^= {path}
        self._show_rows()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the scene."""
        del event
        painter = QPainter(self.viewport())
        try:
            painter.fillRect(self.viewport().rect(), self.palette().base())
            if self._scene.trace.events:
                LanePainter(painter, self._scene, self.geometry_now, theme_of(self.palette())).draw()
        finally:
            painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay the rows out anew."""
        super().resizeEvent(event)
        self._fit_scroll_bar()
        self._reveal_row(self._scene.at_hand_path)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom about the pointer; over the labels or with Shift scroll the rows, sideways move on in time."""
        delta, geometry = event.angleDelta(), self.geometry_now
        with_shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if event.position().x() < geometry.label_width or with_shift:
            notches = (delta.y() or delta.x()) / _NOTCH
            bar = self.verticalScrollBar()
            bar.setValue(round(bar.value() - notches * 2 * geometry.row_height))
        elif delta.x() and abs(delta.x()) > abs(delta.y()):
            self._scene.window.pan(-delta.x() / _NOTCH * _PAN)
        else:
            share = (event.position().x() - geometry.label_width) / geometry.bars_width
            self._scene.window.zoom(_ZOOM_PER_NOTCH ** (delta.y() / _NOTCH), share)
        self.viewport().update()
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """F shows everything, + and - zoom, the arrows move on, Home and End go to the first and the last event."""
        window = self._scene.window
        match event.key():
            case Qt.Key.Key_F:
                window.fit()
            case Qt.Key.Key_Plus | Qt.Key.Key_Equal:
                window.zoom(_ZOOM_PER_NOTCH, 0.5)
            case Qt.Key.Key_Minus:
                window.zoom(1 / _ZOOM_PER_NOTCH, 0.5)
            case Qt.Key.Key_Left:
                window.pan(-_PAN)
            case Qt.Key.Key_Right:
                window.pan(_PAN)
            case Qt.Key.Key_Home:
                self.first_requested.emit()
            case Qt.Key.Key_End:
                self.last_requested.emit()
            case _:
                super().keyPressEvent(event)
                return
        self.viewport().update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin a click or a drag."""
        if event.button() is Qt.MouseButton.LeftButton:
            self._pressed_at = event.position()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag, or show what a click would be meant for."""
        if self._pressed_at is None:
            self._hover(self.span_at(event.position()))
            return
        if self._dragged_at is None:
            way = (event.position() - self._pressed_at).manhattanLength()
            if way < QApplication.startDragDistance():
                return
            self._dragged_at = self._pressed_at
            self.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)
        moved = event.position() - self._dragged_at
        self._dragged_at = event.position()
        self._scene.window.pan(-moved.x() / self.geometry_now.bars_width)
        bar = self.verticalScrollBar()
        bar.setValue(round(bar.value() - moved.y()))
        self.viewport().update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End a drag, or do what was clicked."""
        was_dragged = self._dragged_at is not None
        was_pressed = self._pressed_at is not None
        self._pressed_at = self._dragged_at = None
        self.viewport().unsetCursor()
        if was_pressed and not was_dragged:
            self._click(event.position())

    def leaveEvent(self, event: QEvent) -> None:
        """Forget what the pointer was on."""
        self._hover(None)
        super().leaveEvent(event)

    def viewportEvent(self, event: QEvent) -> bool:
        """Say what is under a pointer that rests."""
        if event.type() is QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            self._show_tooltip(event.pos(), event.globalPos())
            return True
        return super().viewportEvent(event)

    def span_at(self, place: QPointF) -> Span | None:
        """Return the span whose bar is at a place, or next to it."""
        row, geometry = self._row_at(place), self.geometry_now
        if row is None or place.x() < geometry.label_width:
            return None
        best: tuple[float, float] | None = None
        found: Span | None = None
        for is_backward in (False, True):
            timed = self._scene.tree.timed(row, is_backward=is_backward)
            time_s = geometry.time_at(place.x(), self._scene.window)
            near_s = _NEAR_PX * self._scene.window.length_s / geometry.bars_width
            for number in ((timed.begin_s - near_s <= time_s) & (time_s <= timed.end_s + near_s)).nonzero()[0]:
                begin_s, end_s = timed.begin_s[number], timed.end_s[number]
                rank = (max(begin_s - time_s, time_s - end_s, 0.0), end_s - begin_s)
                if best is None or rank < best:
                    best, found = rank, timed.spans[number]
        return found

    def _show_rows(self) -> None:
        self._scene.rows = self._scene.tree.shown(self._scene.opened)
        self._scene.label_width = widest_label(self._scene, self.font())
        self._find_row_at_hand()
        self._fit_scroll_bar()
        self.viewport().update()

    def _find_row_at_hand(self) -> None:
        scene = self._scene
        span = scene.span_at(scene.at_hand)
        scene.at_hand_path = scene.tree.shown_around(span.path, scene.rows) if span is not None else None

    def _fit_scroll_bar(self) -> None:
        geometry, bar = self.geometry_now, self.verticalScrollBar()
        bar.setRange(0, max(0, len(self._scene.rows) * geometry.row_height - geometry.height))
        bar.setPageStep(geometry.height)
        bar.setSingleStep(geometry.row_height)

    def _reveal_row(self, path: str | None) -> None:
        number = next((number for number, row in enumerate(self._scene.rows) if row.path == path), None)
        if number is None:
            return
        geometry, bar = self.geometry_now, self.verticalScrollBar()
        top = number * geometry.row_height
        lowest = top + geometry.row_height - geometry.height
        bar.setValue(min(max(bar.value(), lowest), top))

    def _row_at(self, place: QPointF) -> LaneRow | None:
        rows = self._scene.rows
        number = self.geometry_now.row_at(place.y(), len(rows))
        return rows[number] if number is not None else None

    def _click(self, place: QPointF) -> None:
        row, geometry = self._row_at(place), self.geometry_now
        span = self.span_at(place)
        if span is not None:
            self.event_chosen.emit(event_of(span))
        elif row is not None and place.x() < geometry.label_width:
            if row.has_inner and place.x() < (row.depth + 1) * geometry.indent:
                self.toggle(row.path)
            else:
                self.module_chosen.emit(row.path)

    def _hover(self, span: Span | None) -> None:
        if span is not self._scene.hovered:
            self._scene.hovered = span
            self.viewport().setCursor(Qt.CursorShape.PointingHandCursor if span else Qt.CursorShape.ArrowCursor)
            self.viewport().update()

    def _show_tooltip(self, place: QPoint, on_screen: QPoint) -> None:
        scene, geometry = self._scene, self.geometry_now
        span, row = self.span_at(QPointF(place)), self._row_at(QPointF(place))
        text = ""
        if span is not None:
            text = span_tooltip(span, scene.trace, scene.names)
        elif row is not None and place.x() < geometry.label_width:
            text = " ".join(filter(None, (scene.names.within(row.path, None), scene.names.class_of(row.path))))
        elif row is not None:
            time_s = geometry.time_at(place.x(), scene.window)
            future = next((one for one in row.coming if one.begin_s <= time_s <= one.end_s), None)
            text = coming_tooltip(future, scene.names) if future is not None else ""
        QToolTip.showText(on_screen, text, self.viewport())


def event_of(span: Span) -> int:
    """Return the event to look at for a span: the output of a forward pass, the grad_output of a backward pass."""
    first, second = (span.enter, span.leave) if span.is_backward else (span.leave, span.enter)
    return next((number for number in (first, second) if number >= 0), span.first)
