"""The dock at the side: the current tensor in numbers, what is to be known about it, and its module's parameters."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, QTimer, Slot
from PySide6.QtGui import QMoveEvent, QShowEvent
from PySide6.QtWidgets import QDockWidget, QLabel, QSizePolicy, QVBoxLayout, QWidget

from hookscope.figures.text import format_shape, slot_label
from hookscope.gui.badge_text import badge_label, badge_sentence
from hookscope.gui.hook_words import mode_sentence, mode_title
from hookscope.gui.module_tree.mode_tag import mode_of
from hookscope.gui.module_tree.node_badges import node_badges
from hookscope.gui.panels.feed import ViewFeed, is_seen
from hookscope.gui.panels.long_question import LongQuestion
from hookscope.gui.panels.past import PastSpec
from hookscope.gui.panels.side_notes import SideNotes
from hookscope.gui.panels.statistics import StatisticsView
from hookscope.gui.panels.subject import Subject
from hookscope.gui.panels.target import Target, aim_of, explain_absence, find_target, look_again
from hookscope.gui.panels.words import word_no_picture
from hookscope.gui.trials.comparison import NEWEST, CompareMode
from hookscope.protocol.events import ViewReady
from hookscope.protocol.tree import ModuleInfo, ParameterInfo
from hookscope.protocol.views import NoPicture, NoPictureReason

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hookscope.gui.current import Current
    from hookscope.gui.session_bridge import SessionBridge
    from hookscope.protocol.tensors import Badge, BadgeKind


class DetailsDock(QDockWidget):
    """Statistics of the current tensor; it asks for them as a panel does, and only while it is seen."""

    def __init__(self, bridge: "SessionBridge", current: "Current", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("details")
        self.setWindowTitle(self.tr("Details"))
        self._bridge = bridge
        self._current = current
        self._target = Target(None, None)
        self._aim = NEWEST
        self._aimed: Subject | None = None
        self._statistics = StatisticsView()
        self._counter = LongQuestion(bridge, "details", self)
        self._statistics.count_with(self._counter)
        self._title = _text_label()
        self._message = _text_label(quiet=True)
        self._past = PastSpec()
        self.notes = SideNotes("remarks", "module", "parameters", "hooks")
        content = QWidget()
        layout = QVBoxLayout(content)
        layout.setContentsMargins(8, 2, 8, 8)
        layout.setSpacing(6)
        layout.addWidget(self._title)
        layout.addWidget(self._message)
        layout.addWidget(self._statistics, 1)
        layout.addWidget(self.notes)
        layout.addStretch(0)
        self.setWidget(content)
        self._feed = ViewFeed(bridge, self.objectName(), self)
        self._feed.arrived.connect(self._take)
        self._look_again = QTimer(self)
        self._look_again.setSingleShot(True)
        self._look_again.timeout.connect(self._refresh)
        current.changed.connect(self._refresh)
        current.comparison.changed.connect(self._refresh)
        bridge.records_changed.connect(self._note_records)
        bridge.hooks_changed.connect(self._refresh)
        bridge.state_changed.connect(self._refresh)
        bridge.model_loaded.connect(self._refresh)
        self.visibilityChanged.connect(self._look_soon)
        self._refresh()

    @property
    def statistics(self) -> StatisticsView:
        """The table of numbers."""
        return self._statistics

    @property
    def is_waiting(self) -> bool:
        """Whether the dock is seen and newer numbers are on their way."""
        return self._feed.is_waiting

    def showEvent(self, event: QShowEvent) -> None:
        """Ask for what was not asked for while hidden."""
        super().showEvent(event)
        self._look_again.start()

    def moveEvent(self, event: QMoveEvent) -> None:
        """Notice that the dock came out from behind another one."""
        super().moveEvent(event)
        self._look_again.start()

    def changeEvent(self, event: QEvent) -> None:
        """Draw the links' colours again when the theme has changed."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._refresh()

    @Slot()
    def _refresh(self) -> None:
        target = find_target(self._bridge.session, self._current.path, self._current.ref, self._target)
        record, ref = target.record, target.ref
        aim = self._aim = aim_of(self._bridge.session, target, self._current)
        self._counter.look_at(ref, aim)
        spec = record.spec if record is not None else None
        slot = slot_label(ref) if ref is not None else ""
        self._title.setText(" · ".join(filter(None, (target.title, slot, self._words_of_aim()))))
        self._title.setVisible(bool(self._title.text()))
        self._show_notes(target)
        is_same = self._target.ref == ref
        self._target = target
        if aim.step is not None and ref is not None:  # what it was is told by the answer
            self._aimed = None
            self._feed.watch(ref, self._statistics.request(), aim)
            return
        if spec is None or ref is None:
            self._aimed = None
            self._feed.watch(None, None)
            self._statistics.setVisible(is_same and record is None and ref is not None)
            self._say(explain_absence(self._bridge.session, target))
            return
        subject = Subject(ref, spec)
        if self._aimed != subject:
            self._aimed = subject
            self._statistics.aim(subject)
        self._statistics.setVisible(True)
        self._say("")
        self._feed.watch(ref, self._statistics.request())

    def _words_of_aim(self) -> str:
        """Say that other values than the newest are shown of a trial."""
        words = {CompareMode.BEFORE: self.tr("before"), CompareMode.DIFFERENCE: self.tr("difference")}
        mode = self._current.comparison.mode_of(self._aim.step or 0, self._aim.minus)
        return words.get(mode, "") if mode is not None else ""

    def _show_notes(self, target: Target) -> None:
        badges = self._past.badges_of(target.ref, self._aim, target.record)
        about = self._badges_of(target.module, {badge.kind for badge in badges}) if target.module is not None else []
        parameters = target.module.parameters if target.module is not None else ()
        is_said = target.record is not None and target.record.spec is None  # in place of the numbers
        self.notes.show_section("remarks", self.tr("Remarks"), "" if is_said else _remarks(badges))
        self.notes.show_section("module", self.tr("About the module"), _remarks(about))
        lines = "\n".join(map(self._parameter_text, parameters))
        self.notes.show_section("parameters", self.tr("Parameters"), lines)
        self._show_hooks(target.path)

    def _show_hooks(self, path: str | None) -> None:
        """Show which hooks of ours are on a module, and in which mode it is captured."""
        session = self._bridge.session
        hooks = session.hooks_on(path) if path is not None else ()
        if path is None or not hooks:
            self.notes.show_section("hooks", self.tr("Hooks"), self.tr("none") if path is not None else "")
            return
        mode, reason = mode_of(session, path), session.refused_modes.get(path, "")
        refused = self.tr("Refused, so it is captured exactly: {reason}.").format(reason=reason) if reason else ""
        title = self.tr("Hooks · {mode}").format(mode=mode_title(mode))
        self.notes.show_section("hooks", title, ", ".join(hooks), trouble=refused, tip=mode_sentence(mode))

    def _badges_of(self, module: ModuleInfo, kinds: "set[BadgeKind]") -> "list[Badge]":
        """Return the badges of a module that its current tensor does not have itself."""
        records = self._bridge.session.records
        badges = node_badges(
            module,
            records.of(module.path),
            records.calls(module.path),
            run_eagerly=self._bridge.session.settings.run_eagerly,
        )
        return [badge for badge in badges if badge.kind not in kinds]

    @Slot(object)
    def _take(self, answer: ViewReady) -> None:
        aim = self._aim
        if aim.step is not None:
            if answer.step in {0, aim.step}:
                self._past.learn(aim, answer)
            self._show_notes(self._target)
            self._statistics.setVisible(answer.spec is not None)
            if answer.spec is not None:
                self._statistics.aim(Subject(answer.ref, answer.spec, aim.is_difference))
            self._say("")
        if isinstance(answer.result, NoPicture):
            if answer.result.reason is not NoPictureReason.EMPTY:
                self._say(word_no_picture(answer.result, answer.spec, answer.badges))
            return
        self._statistics.draw(answer)
        self._statistics.setAccessibleDescription(self._statistics.summary())

    @Slot(object)
    def _note_records(self, paths: frozenset[str]) -> None:
        if self._current.path not in paths or not is_seen(self):
            return
        self._target, is_other = look_again(self._bridge.session, self._target)
        if is_other:
            self._refresh()  # else the feed asks for the new numbers, and all the rest is as it was

    @Slot()
    def _look_soon(self) -> None:
        self._look_again.start()

    def _say(self, text: str) -> None:
        self._message.setText(text)
        self._message.setVisible(bool(text))

    def _parameter_text(self, parameter: ParameterInfo) -> str:
        parts = [format_shape(parameter.shape), parameter.dtype]
        if not parameter.requires_grad:
            parts.append(self.tr("frozen"))
        return f"{parameter.name}  {' · '.join(parts)}"


def _remarks(badges: "Iterable[Badge]") -> str:
    return "\n".join(f"{badge_label(badge)}: {badge_sentence(badge)}" for badge in badges)


def _text_label(*, quiet: bool = False) -> QLabel:
    label = QLabel()
    label.setWordWrap(True)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    label.setProperty("quiet", quiet)
    label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
    return label
