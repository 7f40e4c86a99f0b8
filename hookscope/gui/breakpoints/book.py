"""The breakpoints of a session as the window sees them: what is shown, toggled and edited in several places at once."""

from collections.abc import Collection

import msgspec
from PySide6.QtCore import QCoreApplication, QObject, Signal, Slot

from hookscope.figures.breakpoint_match import is_on
from hookscope.figures.breakpoint_words import word_condition, word_phases
from hookscope.gui.breakpoints.looks import BreakpointLook, look_of
from hookscope.gui.session_bridge import SessionBridge
from hookscope.protocol.stops import Breakpoint, EventPhase
from hookscope.protocol.tree import ModuleInfo

FIRST_PHASES = (EventPhase.FORWARD_ENTER,)
"""Where a breakpoint stops that was made with one click."""


class BreakpointBook(QObject):
    """Changes the whole set of breakpoints by one of them.

    Signals:
        changed: The set is another one, or the debuggee has said what is wrong with some of it.
        answered: The debuggee has said so; not emitted by a change of the set itself.
    """

    changed = Signal()
    answered = Signal()

    def __init__(self, bridge: SessionBridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = bridge.session
        bridge.breakpoints_changed.connect(self._hear)
        bridge.model_loaded.connect(self.changed)

    @property
    def breakpoints(self) -> tuple[Breakpoint, ...]:
        """All of them, in the order in which they were made."""
        return self._session.breakpoints

    @property
    def root_name(self) -> str:
        """What the root module is called."""
        tree = self._session.tree
        return tree.modules[0].name if tree is not None and tree.modules else self.tr("the root")

    def find(self, id_: int) -> Breakpoint | None:
        """Return the breakpoint of an id."""
        return next((point for point in self.breakpoints if point.id == id_), None)

    def at(self, path: str) -> Breakpoint | None:
        """Return the breakpoint that is on this module alone."""
        return next((point for point in self.breakpoints if point.pattern == path and not point.operation), None)

    def on(self, module: ModuleInfo) -> list[Breakpoint]:
        """Return all that are on a module, those on it alone first."""
        found = [point for point in self.breakpoints if is_on(point, module)]
        return sorted(found, key=lambda point: (bool(point.operation), point.pattern != module.path))

    def error_of(self, point: Breakpoint) -> str:
        """Return why the debuggee refuses a breakpoint; `""` when it does not."""
        return self._session.breakpoint_errors.get(point.id, "")

    def note_on(self, point: Breakpoint) -> str:
        """Say why a breakpoint does not stop; `""` when it does."""
        if point.id in self._session.unmatched_breakpoints:
            return self.tr("no such module in this model")
        return self.error_of(point)

    def look_of(self, point: Breakpoint) -> BreakpointLook:
        """Return how a breakpoint looks."""
        return look_of(point, is_verified=not self.note_on(point))

    def sentence(self, point: Breakpoint) -> str:
        """Say in one line when a breakpoint stops, for a tooltip."""
        words = [self.look_of(point).text, word_phases(point, _translate), word_condition(point.condition, _translate)]
        if point.hits > 1:
            words.append(self.tr("from hit {hits} on").format(hits=point.hits))
        return ", ".join(filter(None, (*words, self.note_on(point))))

    def new_at(self, pattern: str) -> Breakpoint:
        """Return a breakpoint that is not among the others yet."""
        return Breakpoint(self._session.next_breakpoint_id(), pattern, FIRST_PHASES)

    def toggle_at(self, path: str) -> None:
        """Set a breakpoint on a module, or take away the one that is on it alone."""
        point = self.at(path)
        if point is None:
            self.put(self.new_at(path))
        else:
            self.remove({point.id})

    def put(self, point: Breakpoint) -> None:
        """Add a breakpoint, or put it in the place of the one with its id."""
        if self.find(point.id) is None:
            self._set((*self.breakpoints, point))
        else:
            self._set(tuple(point if other.id == point.id else other for other in self.breakpoints))

    def remove(self, ids: Collection[int]) -> None:
        """Take some away."""
        self._set(tuple(point for point in self.breakpoints if point.id not in ids))

    def enable(self, ids: Collection[int], *, enabled: bool) -> None:
        """Switch some on or off."""
        self._set(
            tuple(
                msgspec.structs.replace(point, enabled=enabled) if point.id in ids else point
                for point in self.breakpoints
            )
        )

    def _set(self, points: tuple[Breakpoint, ...]) -> None:
        self._session.set_breakpoints(points)
        self.changed.emit()

    @Slot()
    def _hear(self) -> None:
        self.changed.emit()
        self.answered.emit()


def _translate(english: str) -> str:
    return QCoreApplication.translate("breakpoints", english)
