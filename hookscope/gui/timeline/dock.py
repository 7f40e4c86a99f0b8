"""The timeline's dock: the events of a step as a tree, beside them where its time went, above them which step it is."""

import time
from collections.abc import Callable

from PySide6.QtCore import QEvent, QPoint, Qt, QTimer, Slot
from PySide6.QtGui import QAction, QMoveEvent, QShowEvent
from PySide6.QtWidgets import QDockWidget, QLabel, QMenu, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from hookscope.figures.lanes import StepTrace
from hookscope.gui.current import Current
from hookscope.gui.panels.feed import is_seen
from hookscope.gui.session_bridge import SessionBridge
from hookscope.gui.timeline.bookmarks import Bookmark, BookmarkBar
from hookscope.gui.timeline.control_row import ControlRow
from hookscope.gui.timeline.event_filter import EventFilter, parse_filter
from hookscope.gui.timeline.event_list import EventList
from hookscope.gui.timeline.event_tree import EventRows
from hookscope.gui.timeline.flame_pane import FlamePane
from hookscope.gui.timeline.lanes_view import LanesView
from hookscope.gui.timeline.marked_event import marked_number
from hookscope.gui.timeline.names import ModuleNames, event_name
from hookscope.gui.timeline.shown_step import TraceBook, steps_of, why_nothing

_INTERVAL_MS = 100
"""While a step runs the timeline is drawn at most this often."""
_UPDATES_PER_PAUSE = 4
"""One that takes long is drawn less often, so that the window stays free for the most of the time."""
_FILTER_DELAY_MS = 150


class TimelineDock(QDockWidget):
    """Shows the events of the step that the window looks at, and makes any of them the current one.

    Args:
        bridge: The session.
        current: What the window is looking at.
        parent: The main window.
    """

    def __init__(self, bridge: SessionBridge, current: Current, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = bridge.session
        self._current = current
        self._names = ModuleNames.of(self._session)
        self._traces = TraceBook(self._session)
        self._filter = EventFilter()
        self._rows: EventRows | None = None
        self._drawn: tuple[StepTrace, int, int | None] | None = None
        self._step = 0
        self._is_stale = True
        self.controls = ControlRow()
        self.bookmarks = BookmarkBar()
        self.list = EventList()
        self.lanes = LanesView()
        self.flame = FlamePane()
        self.message = _quiet_label()
        self._note = _quiet_label()
        self._drawings = QStackedWidget()
        self._pages = QStackedWidget()
        self._timer = self._single_shot(_INTERVAL_MS, self._update)
        self._look_again = self._single_shot(0, self._update_if_stale)
        self._filter_timer = self._single_shot(_FILTER_DELAY_MS, self._apply_filter)
        self._assemble()
        self._connect(bridge)
        self._update()

    @property
    def shown_step(self) -> int:
        """Number of the step whose events are shown; 0 when there are none."""
        return self._step if self._rows is not None else 0

    @property
    def note(self) -> str:
        """What stands above the events; `""` when they are those of the newest step."""
        return self._note.text() if self._note.isVisible() else ""

    # -- what actions do ------------------------------------------------------------------------------------------

    @Slot()
    def previous_event(self) -> None:
        """Look at the event before the current one."""
        self._go(-1)

    @Slot()
    def next_event(self) -> None:
        """Look at the event after the current one."""
        self._go(1)

    @Slot()
    def first_event(self) -> None:
        """Look at the first event of the step."""
        if self._rows is not None:
            self._select(0)

    @Slot()
    def last_event(self) -> None:
        """Look at the last event of the step so far."""
        if self._rows is not None:
            self._select(len(self._rows.trace.events) - 1)

    @Slot()
    def toggle_bookmark(self) -> None:
        """Set a bookmark on the current event, or take it away."""
        number = self._marked()
        if number is not None:
            self._toggle_bookmark(number)

    @Slot(int)
    def go_to_bookmark(self, index: int) -> None:
        """Look at a bookmarked event, in its step; does nothing when there are not so many bookmarks."""
        bookmarks = self.bookmarks.bookmarks
        if not 0 <= index < len(bookmarks):
            return
        bookmark = bookmarks[index]
        events = self._session.events.of(bookmark.step)
        if bookmark.number < len(events):
            self._current.select_event(bookmark.step, events[bookmark.number])
        else:
            self._current.show_step(bookmark.step)

    # -- showing --------------------------------------------------------------------------------------------------

    @Slot()
    def _schedule(self) -> None:
        self._is_stale = True
        if not self._timer.isActive():
            self._timer.start()

    @Slot()
    def _update_if_stale(self) -> None:
        if self._is_stale:
            self._update()

    @Slot()
    def _update(self) -> None:
        """Show everything anew that is another one; only when it can be seen."""
        self._is_stale = not is_seen(self)
        if self._is_stale:
            return
        started = time.monotonic()
        self._show_newest()
        pause_ms = round(1000 * _UPDATES_PER_PAUSE * (time.monotonic() - started))
        self._timer.setInterval(max(_INTERVAL_MS, pause_ms))

    def _show_newest(self) -> None:
        steps = steps_of(self._session)
        wanted = self._current.step
        # Following, the newest step that has events; a step that was gone to, whether it has any or not.
        step = wanted if wanted is not None else (self._session.events.newest or steps.last)
        shown = wanted if wanted is not None else steps.last
        self.controls.show_steps(steps, shown, is_past=wanted is not None)
        self.controls.show_traced(self._session.trace_steps)
        trace = self._traces.of(step)
        self._note.setVisible(trace is not None and step < shown)
        self._note.setText(
            self.tr("The newest step was not traced; these are the events of step {step}.").format(step=f"{step:,}")
        )
        self._step = step
        if trace is None:
            self._rows = None
            self.message.setText(why_nothing(self._session, step))
            self._pages.setCurrentWidget(self.message)
            return
        self._pages.setCurrentIndex(0)
        stopped = self._session.stopped
        at_hand = stopped.event.number if stopped is not None and stopped.step == step else None
        drawn = (trace, len(trace.events), at_hand)
        if self._rows is None or drawn != self._drawn:
            self._show_trace(trace, at_hand)
            self._drawn = drawn
        self._show_bookmarks()
        self._show_current()

    def _show_trace(self, trace: StepTrace, at_hand: int | None) -> None:
        coming = self._traces.coming(self._step, self._names)
        self.list.events.set_coming(())
        if self._rows is None or self._rows.trace is not trace:
            self._rows = EventRows(trace)
            self.list.show_rows(self._rows, self._names)
        elif len(self._rows.row_of) < len(trace.events):
            self.list.events.extend()
        self.list.events.set_coming(coming)
        self.lanes.show_trace(trace, self._names, coming)
        self._show_flame()
        self.list.point_at(at_hand)
        self.lanes.point_at(at_hand)

    def _show_flame(self) -> None:
        if self._drawings.currentWidget() is self.flame and self._rows is not None:
            self.flame.show_trace(self._rows.trace, self._names)

    @Slot()
    def _show_bookmarks(self) -> None:
        self.list.events.bookmarked = self.bookmarks.numbers_of(self._step)
        self.list.viewport().update()

    @Slot()
    def _show_current(self) -> None:
        """Mark the event of what the window looks at."""
        number = self._marked()
        self.list.mark(number)
        self.lanes.mark(number)
        self.flame.mark(self._current.path)

    def _marked(self) -> int | None:
        if self._rows is None:
            return None
        return marked_number(self._current, self._step, self._rows.trace.events)

    # -- what a person does ---------------------------------------------------------------------------------------

    @Slot()
    def _note_current(self) -> None:
        wanted = self._current.step
        is_same_step = self._rows is not None and self._step == (wanted or self._session.events.newest)
        if is_same_step and self.controls.is_past == (wanted is not None):
            self._show_current()
        else:
            self._update()

    @Slot(int)
    def _select(self, number: int) -> None:
        if self._rows is not None:
            self._current.select_event(self._step, self._rows.trace.events[number])

    def _go(self, direction: int) -> None:
        if self._rows is None:
            return
        events, marked = self._rows.trace.events, self._marked()
        start = marked if marked is not None else self.list.at_hand
        number = (-1 if direction > 0 else len(events)) if start is None else start
        while 0 <= number + direction < len(events):
            number += direction
            if self._filter.matches(events[number]):
                self._select(number)
                return

    @Slot(int)
    def _toggle_bookmark(self, number: int) -> None:
        if self._rows is not None:
            event = self._rows.trace.events[number]
            self.bookmarks.toggle(Bookmark(self._step, number, event_name(event, self._names)))

    @Slot(int, QPoint)
    def _open_menu(self, number: int, place: QPoint) -> None:
        is_marked = number in self.bookmarks.numbers_of(self._step)
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        action = menu.addAction(self.tr("Remove &bookmark") if is_marked else self.tr("Set &bookmark"))
        action.setData(number)
        action.triggered.connect(self._toggle_bookmark_of_action)
        menu.popup(place)

    @Slot()
    def _toggle_bookmark_of_action(self) -> None:
        action = self.sender()
        assert isinstance(action, QAction)
        self._toggle_bookmark(action.data())

    @Slot()
    def _apply_filter(self) -> None:
        self._filter = parse_filter(self.controls.filter.text())
        self.list.events.set_filter(self._filter)
        self.list.refilter()
        self._drawn = None
        self._update()

    @Slot(bool)
    def _trace_steps(self, are_traced: bool) -> None:
        self._session.trace_steps = are_traced

    @Slot(bool)
    def _use_flame(self, is_flame: bool) -> None:
        self._drawings.setCurrentWidget(self.flame if is_flame else self.lanes)
        self._show_flame()

    @Slot(int)
    def _go_to_step(self, step: int) -> None:
        self._current.show_step(step)

    @Slot()
    def _note_model(self) -> None:
        self._names = ModuleNames.of(self._session)
        self._traces.clear()
        self._rows = None
        if not self._session.are_records_former:
            self.bookmarks.clear()
        self._update()

    def showEvent(self, event: QShowEvent) -> None:
        """Show what was left out while hidden."""
        super().showEvent(event)
        self._look_again.start()

    def moveEvent(self, event: QMoveEvent) -> None:
        """Notice that the dock came out from behind another one."""
        super().moveEvent(event)
        self._look_again.start()

    def changeEvent(self, event: QEvent) -> None:
        """Tint the icons again when the theme has changed."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            self.controls.tint()

    # -- making ---------------------------------------------------------------------------------------------------

    def _assemble(self) -> None:
        self.setObjectName("timeline")
        self.setWindowTitle(self.tr("Timeline"))
        self._drawings.addWidget(self.lanes)
        self._drawings.addWidget(self.flame)
        splitter = QSplitter(Qt.Orientation.Horizontal)
        splitter.addWidget(self.list)
        splitter.addWidget(self._drawings)
        splitter.setStretchFactor(1, 1)
        splitter.setChildrenCollapsible(False)
        self._pages.addWidget(splitter)
        self._pages.addWidget(self.message)
        gap = self.fontMetrics().height() // 2
        content = QWidget()
        rows = QVBoxLayout(content)
        rows.setContentsMargins(gap, 0, gap, gap // 2)
        rows.setSpacing(gap // 2)
        for part in (self.controls, self.bookmarks, self._note):
            rows.addWidget(part)
        rows.addWidget(self._pages, 1)
        self.setWidget(content)

    def _connect(self, bridge: SessionBridge) -> None:
        for signal in (bridge.events_added, bridge.step_finished, bridge.state_changed, bridge.continued):
            signal.connect(self._schedule)
        bridge.stopped.connect(self._update)
        bridge.model_loaded.connect(self._note_model)
        self._current.changed.connect(self._note_current)
        self.visibilityChanged.connect(self._look_again.start)
        controls = self.controls
        controls.filter.textChanged.connect(self._filter_timer.start)
        controls.trace_toggled.connect(self._trace_steps)
        controls.flame_toggled.connect(self._use_flame)
        controls.strip.step_chosen.connect(self._go_to_step)
        controls.latest_requested.connect(self._current.show_latest)
        self.list.event_chosen.connect(self._select)
        self.list.menu_requested.connect(self._open_menu)
        self.lanes.event_chosen.connect(self._select)
        self.lanes.first_requested.connect(self.first_event)
        self.lanes.last_requested.connect(self.last_event)
        for drawing in (self.lanes, self.flame):
            drawing.module_chosen.connect(self._current.select_module)
        self.bookmarks.changed.connect(self._show_bookmarks)
        self.bookmarks.chosen.connect(self.go_to_bookmark)

    def _single_shot(self, interval_ms: int, slot: Callable[[], None]) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setInterval(interval_ms)
        timer.timeout.connect(slot)
        return timer


def _quiet_label() -> QLabel:
    label = QLabel()
    label.setProperty("quiet", True)
    label.setWordWrap(True)
    label.setAlignment(Qt.AlignmentFlag.AlignCenter)
    return label
