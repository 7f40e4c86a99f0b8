"""A panel: a dock that shows one tensor, following the window or locked to it."""

from typing import TYPE_CHECKING

import msgspec
from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtGui import QHideEvent, QMoveEvent, QShowEvent
from PySide6.QtWidgets import QDockWidget, QGraphicsView, QWidget

from hookscope.client.state import SessionState
from hookscope.figures.choice import view_kinds
from hookscope.figures.text import slot_label
from hookscope.gui.panels.base import TensorView
from hookscope.gui.panels.dock_tabs import ICON_PROPERTY
from hookscope.gui.panels.feed import ViewFeed, is_seen
from hookscope.gui.panels.header import HeaderState, PanelHeader
from hookscope.gui.panels.long_question import LongQuestion
from hookscope.gui.panels.panel_body import PanelBody
from hookscope.gui.panels.past import PastSpec
from hookscope.gui.panels.registry import AUTO, kind_title
from hookscope.gui.panels.relatives import subject_of
from hookscope.gui.panels.side_questions import SideQuestions
from hookscope.gui.panels.subject import Subject
from hookscope.gui.panels.target import Target, aim_of, find_target, is_left_behind, look_again, words_of_absence
from hookscope.gui.panels.tensor_memory import TensorMemory
from hookscope.gui.panels.words import word_answer
from hookscope.gui.trials.comparison import NEWEST, CompareMode
from hookscope.gui.trials.comparison_keys import ComparisonKeys
from hookscope.protocol.events import ViewReady
from hookscope.protocol.identity import TensorRef
from hookscope.protocol.tensors import TensorSpec
from hookscope.protocol.views import NoPicture, StatisticsRequest

if TYPE_CHECKING:
    from hookscope.client.session import DebugSession
    from hookscope.gui.current import Current
    from hookscope.gui.session_bridge import SessionBridge
    from hookscope.protocol.workload import Source


class TensorPanel(QDockWidget):
    """Shows one tensor in one kind of view. Its object name is what its requests are called by.

    Signals:
        copy_requested, png_requested, svg_requested: A picture of this panel is wanted.
        export_requested: The values of its tensor are wanted in a file.
        link_requested: The panel is to share zoom, dims and range with the other linked ones, or not any more.
        view_made: A kind of view (`TensorView`) is used for the first time.
        tab_requested: A panel that stays with a tensor (`TensorRef`) is wanted.
        change_requested: A change of an entry of a dim of a tensor (`TensorRef`, `int`, `int`) is wanted.
    """

    copy_requested = Signal()
    png_requested = Signal()
    svg_requested = Signal()
    export_requested = Signal()
    tab_requested = Signal(object)
    link_requested = Signal(bool)
    view_made = Signal(object)
    change_requested = Signal(object, int, int)

    def __init__(self, bridge: "SessionBridge", current: "Current", name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)  # the panel that was clicked is the one to export
        self._bridge = bridge
        self._current = current
        self._own_ref: TensorRef | None = None
        self._kind = AUTO
        self._compact = False
        self._target = Target(None, None)
        self._aim = self._shown_aim = NEWEST
        self._aimed: tuple[str, Subject] | None = None
        self._shown: ViewReady | None = None
        self._shown_kind = ""
        self._shown_source: Source | None = None
        self._past = PastSpec()
        self._header = PanelHeader()
        self._questions = SideQuestions(bridge, name, self)
        self._counter = LongQuestion(bridge, name, self)
        self._body = PanelBody(TensorMemory.of(bridge), self._questions.ask, self._counter)
        self.setTitleBarWidget(self._header)
        self.setWidget(self._body)
        self._feed = ViewFeed(bridge, name, self)
        self._keys = ComparisonKeys(current, self)
        # When a dock comes out from behind another one, it is told so before it is moved.
        self._look_again = QTimer(self)
        self._look_again.setSingleShot(True)
        self._look_again.timeout.connect(self.refresh)
        self._connect()
        self.refresh()

    @property
    def session(self) -> "DebugSession":
        """The session that the panel shows."""
        return self._bridge.session

    @property
    def follows(self) -> bool:
        """Whether the panel shows whatever the window looks at."""
        return self._own_ref is None

    @property
    def ref(self) -> TensorRef | None:
        """The tensor that the panel is to show."""
        return self._target.ref

    @property
    def own_ref(self) -> TensorRef | None:
        """The tensor that the panel stays with; `None` while it follows."""
        return self._own_ref

    @property
    def kind(self) -> str:
        """`auto`, or the tag of the view that was chosen."""
        return self._kind

    @property
    def is_compact(self) -> bool:
        """Whether the header is a quiet title."""
        return self._compact

    @property
    def message(self) -> str:
        """The words in place of a picture; `""` while there is a picture."""
        return self._body.message

    @property
    def shown_step(self) -> int:
        """Step of what is shown; 0 when nothing is."""
        return self._shown.step if self._shown is not None else 0

    @property
    def shown_mode(self) -> CompareMode | None:
        """What is shown of a trial; `None` when it has nothing to do with one."""
        return self._current.comparison.mode_of(self.shown_step, self._shown_aim.minus)

    @property
    def shown_minus(self) -> int | None:
        """The step whose values are subtracted in what is shown; `None` when these are values themselves."""
        return self._shown_aim.minus if self._shown is not None else None

    @property
    def spec(self) -> TensorSpec | None:
        """What the shown tensor is."""
        return self._shown.spec if self._shown is not None else None

    @property
    def slot_text(self) -> str:
        """Name of the tensor within its module; `""` when there is none."""
        return slot_label(self._target.ref) if self._target.ref is not None else ""

    @property
    def view(self) -> TensorView | None:
        """The view that was used last."""
        return self._body.view

    @property
    def subject(self) -> Subject | None:
        """What the view was told to show."""
        return self._aimed[1] if self._aimed is not None else None

    @property
    def is_waiting(self) -> bool:
        """Whether the panel is seen and a newer picture is on its way."""
        return self._feed.is_waiting

    def plot(self) -> QGraphicsView | None:
        """Return the plot that is in sight, to be written as SVG; `None` when the panel shows none."""
        view = self._body.view
        return view.plot() if view is not None and not self._body.message else None

    def set_compact(self, compact: bool) -> None:
        """Make the header a quiet title: for a panel that stands below another one of the same tensor."""
        self._compact = compact
        self._header.set_compact(compact)
        self.refresh()

    def set_linked(self, is_linked: bool) -> None:
        """Show whether the panel is linked with others."""
        self._header.set_linked(is_linked)

    def follow(self) -> None:
        """Show whatever the window looks at."""
        self._own_ref = None
        self.refresh()

    def lock_to(self, ref: TensorRef) -> None:
        """Stay with one tensor."""
        self._own_ref = ref
        self.refresh()

    def set_kind(self, kind: str) -> None:
        """Choose how to show it: `auto` or the tag of a view."""
        self._kind = kind
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Look up what is to be shown, and ask for it if it is not what is shown."""
        ref = self._current.ref if self._own_ref is None else self._own_ref
        path = self._current.path if self._own_ref is None else self._own_ref.path
        target = self._target = find_target(self.session, path, ref, self._target)
        aim = self._aim = aim_of(self.session, target, self._current)
        self._questions.look_at(ref, aim)
        self._counter.look_at(ref, aim)
        spec = self._past.spec_of(ref, aim, target.record)
        fitting = view_kinds(spec, ref.slot) if spec is not None and ref is not None else None
        self._show_header(target, spec, fitting)
        if spec is None or ref is None or fitting is None:
            self._aimed = None
            if aim.step is not None and ref is not None:
                self._ask_what_it_was(ref)
                return
            self._feed.watch(None, None)
            self._show_absence(target)
            return
        kind = fitting[0] if self._kind == AUTO else self._kind
        view = self._body.use_view(kind)
        subject = subject_of(self.session, target, ref, spec, kind, is_difference=aim.is_difference)
        if self._aimed != (kind, subject):
            self._aimed = kind, subject
            view.aim(subject)
        if self._shown is None or (self._shown.ref, self._shown_kind) != (ref, kind):
            self._await_picture()
        elif not isinstance(self._shown.result, NoPicture):
            self._body.show_view()
        self._feed.watch(ref, view.request(), aim)
        self._show_age()

    def showEvent(self, event: QShowEvent) -> None:
        """Ask for what was not asked for while hidden."""
        super().showEvent(event)
        self._look_again.start()

    def hideEvent(self, event: QHideEvent) -> None:
        """Ask for nothing any more; the feed looks for itself."""
        super().hideEvent(event)
        self._look_again.stop()

    def moveEvent(self, event: QMoveEvent) -> None:
        """Notice that the panel came out from behind another one."""
        super().moveEvent(event)
        self._look_again.start()

    def _connect(self) -> None:
        bridge, header = self._bridge, self._header
        self._current.changed.connect(self._note_current)
        self._current.comparison.changed.connect(self.refresh)
        bridge.records_changed.connect(self._note_records)
        bridge.hooks_changed.connect(self.refresh)
        bridge.state_changed.connect(self.refresh)
        bridge.model_loaded.connect(self._note_model)
        self._feed.arrived.connect(self._take)
        self._body.request_changed.connect(self.refresh)
        self._body.lock_requested.connect(self._request_tab)
        self._body.view_made.connect(self.view_made)
        header.link_toggled.connect(self.link_requested)
        self._body.change_requested.connect(self._request_change)
        self.visibilityChanged.connect(self._look_soon)
        header.ref_chosen.connect(self._choose_ref)
        header.call_chosen.connect(self._choose_call)
        header.lock_toggled.connect(self._set_locked)
        header.kind_chosen.connect(self.set_kind)
        header.float_toggled.connect(self._toggle_floating)
        header.close_requested.connect(self.close)
        header.copy_requested.connect(self.copy_requested)
        header.png_requested.connect(self.png_requested)
        header.svg_requested.connect(self.svg_requested)
        header.export_requested.connect(self.export_requested)

    def _show_header(self, target: Target, spec: TensorSpec | None, fitting: tuple[str, ...] | None) -> None:
        class_name = target.module.class_name if target.module is not None and target.path else ""
        state = HeaderState(
            target.title, class_name, target.ref, target.choices, spec, target.calls, self.follows, self._kind, fitting
        )
        self._header.show_state(state)
        what = " ".join(filter(None, (target.title, self.slot_text)))
        title = self.tr("Follow") if self.follows else what
        if self._kind != AUTO:
            title = f"{title} · {kind_title(self._kind)}"
        self.setProperty(ICON_PROPERTY, "msc.eye" if self.follows else "msc.lock")
        if self.windowTitle() != title:
            self.setWindowTitle(title)
            self.setAccessibleName(title)

    def _await_picture(self) -> None:
        if self._are_values_gone():
            self._body.show_message(self.tr("These values were not looked at before the model's process ended."))
        else:
            self._body.expect()

    def _ask_what_it_was(self, ref: TensorRef) -> None:
        """Ask for numbers, whose answer tells what a tensor was in a step; the picture is asked for then."""
        if not self._past.is_known(ref, self._aim):
            self._await_picture()
            self._feed.watch(ref, StatisticsRequest(sampled=True), self._aim)

    def _fits_past(self, answer: ViewReady) -> bool:
        """Learn from an answer what a tensor was in a step; returns whether it can be drawn as it is."""
        is_as_aimed = self._aimed is not None and self._aimed[1].spec == answer.spec
        if answer.step not in {0, self._aim.step}:  # of a step that was passed on the way to this one
            return is_as_aimed
        self._past.learn(self._aim, answer)
        if not is_as_aimed:
            self.refresh()
            if answer.spec is None and isinstance(answer.result, NoPicture):
                self._body.show_message(word_answer(answer, answer.result))
        return is_as_aimed

    def _are_values_gone(self) -> bool:
        return self.session.state is SessionState.LOST or self.session.are_records_former

    def _show_absence(self, target: Target) -> None:
        # What was seen last stays in sight when the debuggee is gone, or has come back and has not run yet.
        is_kept = self._shown is not None and target.record is None and self._shown.ref == target.ref
        if not is_kept:
            self._shown = None
            self._body.show_message(words_of_absence(self.session, target))
        self._show_age()

    def _show_age(self) -> None:
        target = self._target
        is_old = target.record is None or is_left_behind(self.session, target.ref, self.shown_step)
        is_stale = self._are_values_gone() or (is_old and self._aim.step is None)
        self._body.show_step(self.shown_step if not self.message else 0, self.shown_mode, is_stale=is_stale)

    @Slot(object)
    def _take(self, answer: ViewReady) -> None:
        aim = self._aim
        if self._aimed is None and aim.step is None:
            return
        if aim.step is not None and not self._fits_past(answer):
            return
        assert self._aimed is not None
        self._shown, self._shown_kind, self._shown_aim = answer, self._aimed[0], aim
        self._shown_source = self.session.source
        if isinstance(answer.result, NoPicture):
            self._body.show_message(word_answer(answer, answer.result))
        else:
            self._body.show_answer(answer)
        self._show_age()

    @Slot(object)
    def _note_records(self, paths: frozenset[str]) -> None:
        if self._target.path not in paths or not is_seen(self):
            return
        self._target, is_other = look_again(self.session, self._target)
        if is_other:
            self.refresh()  # else the feed asks for the new values, and all the rest is as it was

    @Slot()
    def _note_current(self) -> None:
        if self.follows:
            self.refresh()

    @Slot()
    def _note_model(self) -> None:
        if self._shown is not None and self._shown_source != self.session.source:
            self._shown = None  # of another model
        self.refresh()

    @Slot()
    def _look_soon(self) -> None:
        self._look_again.start()

    @Slot(object)
    def _choose_ref(self, ref: TensorRef) -> None:
        if self.follows:
            self._current.select_ref(ref)
        else:
            self.lock_to(ref)

    @Slot()
    def _request_tab(self) -> None:
        if self._target.ref is not None:
            self.tab_requested.emit(self._target.ref)

    @Slot(int, int)
    def _request_change(self, dim: int, entry: int) -> None:
        if self._target.ref is not None:
            self.change_requested.emit(self._target.ref, dim, entry)

    @Slot(int)
    def _choose_call(self, call: int) -> None:
        ref = self._target.ref
        if ref is not None:
            self._choose_ref(msgspec.structs.replace(ref, call=call))

    @Slot(bool)
    def _set_locked(self, locked: bool) -> None:
        if locked and self._target.ref is not None:
            self.lock_to(self._target.ref)
        else:
            self.follow()

    @Slot()
    def _toggle_floating(self) -> None:
        self.setFloating(not self.isFloating())
