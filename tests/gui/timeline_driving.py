"""A window with a timeline over a session that only notes what is asked."""

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import QMainWindow

from hookscope.gui.current import Current
from hookscope.gui.stop_follower import StopFollower
from hookscope.gui.timeline.dock import TimelineDock
from hookscope.gui.timeline.event_model import LOOK_ROLE, Column
from hookscope.gui.timeline.event_tree import TOP, EventRows
from hookscope.protocol.events import StepFinished
from hookscope.protocol.identity import TensorRef
from hookscope.protocol.stops import StepEvent
from tests.figures.stepped import whole_step
from tests.gui.fakes import FakeBridge, FakeSession, tree_of
from tests.gui.panel_fakes import pump

TREE = tree_of(
    [
        ("", "Net"),
        ("features", "Sequential"),
        ("features.0", "Conv2d"),
        ("features.1", "ReLU"),
        ("head", "Linear"),
        ("unused", "Linear"),
    ]
)


def outline(rows: EventRows, row: int = TOP) -> list[object]:
    """Return the numbers of rows, each followed by the list of those inside it."""
    found: list[object] = []
    for inner in rows.inside.get(row, ()):
        found.append(rows.number[inner])
        if inner in rows.inside:
            found.append(outline(rows, inner))
    return found


class TimelineWindow(QMainWindow):
    def __init__(self, width: int = 1000, height: int = 320) -> None:
        super().__init__()
        self.bridge = FakeBridge(FakeSession(TREE))
        self.session = self.bridge.session
        self.current = Current(self.bridge, self)  # type: ignore[arg-type]
        self.follower = StopFollower(self.bridge, self.current, self)  # type: ignore[arg-type]
        self.dock = TimelineDock(self.bridge, self.current, self)  # type: ignore[arg-type]
        self.addDockWidget(Qt.DockWidgetArea.BottomDockWidgetArea, self.dock)
        self.resize(width, height)
        self.show()
        pump()

    def trace(self, step: int, events: list[StepEvent] | None = None, *, is_finished: bool = True) -> None:
        self.bridge.add_events(step, *(events if events is not None else whole_step()))
        if is_finished:
            self.finish(step)

    def finish(self, step: int) -> None:
        finished = StepFinished(step, 0.5, 0.1, 0.05, 0.05, 0, 0, False)
        self.session.history.append(finished)
        self.bridge.step_finished.emit(finished)

    def settle(self, step: int) -> None:
        pump(lambda: self.dock.shown_step == step)
        assert self.dock.shown_step == step

    def stop_at(self, number: int, step: int = 1, ref: TensorRef | None = None) -> None:
        """Stop a step at an event that happens in every step."""
        events = whole_step()
        for event in events[len(self.session.events.of(step)) : number + 1]:
            self.bridge.add_events(step, event)
        self.bridge.stop_at(self.session.events.of(step)[number], ref=ref, step=step)

    def index_of(self, number: int) -> QModelIndex:
        model = self.dock.list.events
        return model.index_of_row(model.rows.row_of[number])

    def texts(self) -> list[str]:
        """Return what stands in the rows that show, with their depth."""
        found: list[str] = []
        self._collect(QModelIndex(), 0, found)
        return found

    def _collect(self, parent: QModelIndex, depth: int, found: list[str]) -> None:
        model = self.dock.list.events
        for row in range(model.rowCount(parent)):
            index = model.index(row, Column.NAME, parent)
            number = index.siblingAtColumn(Column.NUMBER).data()
            found.append(f"{'  ' * depth}{number} {index.data()} {index.data(LOOK_ROLE).note}".rstrip())
            if self.dock.list.isExpanded(index):
                self._collect(index, depth + 1, found)
