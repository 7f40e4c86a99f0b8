"""Sessions that step through a real debuggee: every event, in forward and in backward, and every end."""

import os
import signal
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pytest

from hookscope.client.session import DebugSession
from hookscope.client.state import SessionState
from hookscope.client.supervisor import LadderTimes
from hookscope.protocol import events
from hookscope.protocol.exports import ExportForm
from hookscope.protocol.failures import FailureKind
from hookscope.protocol.stops import Breakpoint, ContinueMode, EventKind, EventPhase, Expression, StepEvent, StopKind
from hookscope.protocol.views import Statistics, StatisticsRequest
from hookscope.protocol.workload import FileSource
from tests.client.fakes import drain_until, drain_until_state, drain_until_told, drain_until_view, printed

MODELS = """
import torch
from hookscope import Workload
from torch import nn

class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Sequential(nn.Linear(3, 3), nn.Tanh())

    def forward(self, x):
        doubled = x * 2
        return x + self.inner(doubled)

class Nested(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = Block()
        self.second = Block()

    def forward(self, x):
        x = self.first(x)
        x = self.second(x)
        return self.first(x).sum()

class Loops(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)
        self.last = nn.Linear(3, 1)

    def forward(self, x):
        x = self.layer(x)
        print("looping")
        while True:
            pass

class Deaf(Loops):
    def forward(self, x):
        x = self.layer(x)
        print("looping")
        while True:
            try:
                while True:
                    pass
            except KeyboardInterrupt:
                pass

def nested():
    return Workload(Nested(), torch.ones(2, 3))

def loops():
    return Workload(Loops(), torch.ones(2, 3))

def deaf():
    return Workload(Deaf(), torch.ones(2, 3))
"""

FORWARD = frozenset({EventKind.FORWARD_ENTER, EventKind.FORWARD_LEAVE})
BACKWARD = frozenset({EventKind.BACKWARD_ENTER, EventKind.BACKWARD_LEAVE, EventKind.PARAMETER_GRADIENT})


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "stepped.py"
    path.write_text(MODELS)
    return path


@pytest.fixture
def session() -> Iterator[DebugSession]:
    with DebugSession(times=LadderTimes(abort_s=30.0, interrupt_s=30.0, close_s=30.0)) as session:
        yield session


def opened(session: DebugSession, models: Path, name: str) -> DebugSession:
    session.open(FileSource(str(models), name))
    drain_until_state(session, SessionState.IDLE, SessionState.NO_MODEL)
    assert session.state is SessionState.IDLE, session.failure
    return session


def held(session: DebugSession) -> events.Stopped:
    drain_until_state(session, SessionState.STOPPED, SessionState.IDLE, SessionState.LOST)
    assert session.stopped is not None, (session.state, session.failure)
    return session.stopped


def places(found: Iterable[StepEvent]) -> list[tuple[EventKind, str, int, int, str]]:
    return [(event.kind, event.path, event.call, event.depth, event.leaf) for event in found]


def all_stops(session: DebugSession, mode: ContinueMode) -> list[StepEvent]:
    """Step to the end of the step that is stopped; return its events from this one on."""
    found: list[StepEvent] = []
    while session.stopped is not None:
        found.append(session.stopped.event)
        session.continue_(mode)
        drain_until_state(session, SessionState.STOPPED, SessionState.IDLE)
    return found


def test_that_single_stepping_a_nested_model_gives_exactly_the_traced_events(
    session: DebugSession, models: Path
) -> None:
    opened(session, models, "nested")
    session.trace_steps = True
    session.step()
    drain_until_state(session, SessionState.IDLE)
    session.trace_steps = False
    traced = list(session.events.of(1))
    assert [event.number for event in traced] == list(range(len(traced)))
    assert {event.call for event in traced if event.path == "first"} == {0, 1}
    session.step_into()
    held(session)
    stepped = all_stops(session, ContinueMode.INTO)
    assert places(stepped) == places(traced)
    assert places(session.events.of(2)) == places(traced)
    assert [step.step for step in session.history] == [1, 2]


def test_that_the_same_commands_step_through_backward(session: DebugSession, models: Path) -> None:
    opened(session, models, "nested")
    session.to_end_of_forward()
    assert (held(session).event.path, held(session).event.kind) == ("", EventKind.FORWARD_LEAVE)
    session.run_to("second")
    entered = held(session)
    assert (entered.event.kind, entered.reason.kind) == (EventKind.BACKWARD_ENTER, StopKind.SELECTED)
    assert entered.ref is not None
    session.request_view("panel", 1, entered.ref, StatisticsRequest())
    view = drain_until_view(session)
    assert isinstance(view.result, Statistics)
    assert view.result.count == 6
    session.step_into()
    assert held(session).event.path.startswith("second.inner")
    assert held(session).event.kind in BACKWARD
    session.step_out()
    assert held(session).event.kind is EventKind.BACKWARD_LEAVE
    session.run_to("second")
    assert (held(session).event.path, held(session).event.kind) == ("second", EventKind.BACKWARD_LEAVE)
    depth = held(session).event.depth
    session.step_over()
    assert held(session).event.depth <= depth
    session.to_end_of_backward()
    assert held(session).reason.kind is StopKind.END_OF_BACKWARD
    session.to_non_finite()
    drain_until_state(session, SessionState.IDLE)  # all is finite
    assert [step.step for step in session.history] == [1]


def test_that_stop_ends_a_stopped_step_in_either_pass_and_the_next_one_works(
    session: DebugSession, models: Path
) -> None:
    opened(session, models, "nested")
    for kinds in (FORWARD, BACKWARD):
        session.step(ContinueMode.TO_END_OF_FORWARD)
        held(session)
        if kinds is BACKWARD:
            session.run_to("second")
        assert held(session).event.kind in kinds
        session.stop()
        changes = drain_until_state(session, SessionState.IDLE, SessionState.LOST)
        assert [end.reason for end in changes if isinstance(end, events.RunFinished)] == [events.RunEnd.ABORTED]
        assert session.failure is None
        assert not session.history
    session.step()
    drain_until_state(session, SessionState.IDLE)
    assert len(session.history) == 1


def test_that_a_debuggee_killed_while_stopped_comes_back_with_its_breakpoints(
    session: DebugSession, models: Path
) -> None:
    opened(session, models, "nested")
    points = (
        Breakpoint(session.next_breakpoint_id(), "*.inner.0", (EventPhase.BACKWARD_ENTER,)),
        Breakpoint(session.next_breakpoint_id(), "nowhere", (EventPhase.FORWARD_ENTER,)),
        Breakpoint(session.next_breakpoint_id(), "second", (EventPhase.FORWARD_LEAVE,), log="{path} in {step}"),
        Breakpoint(session.next_breakpoint_id(), "second", (EventPhase.FORWARD_LEAVE,), Expression("tensor +")),
    )
    session.set_breakpoints(points)
    session.step()
    stopped = held(session)
    assert (stopped.event.path, stopped.event.kind) == ("first.inner.0", EventKind.BACKWARD_ENTER)
    assert session.hello is not None
    os.kill(session.hello.pid, signal.SIGKILL)
    drain_until_state(session, SessionState.LOST)
    assert session.stopped is None
    assert session.breakpoints == points
    session.restart()
    changes = drain_until_state(session, SessionState.IDLE)
    if not any(isinstance(change, events.BreakpointsSet) for change in changes):
        changes = drain_until_told(session, lambda told: any(isinstance(x, events.BreakpointsSet) for x in told))
    assert session.unmatched_breakpoints == {2}
    assert list(session.breakpoint_errors) == [4]
    logs = len(session.logs)
    session.step()
    assert held(session).event == session.events.of(1)[-1]
    assert held(session).reason.values["breakpoint"] == "1"
    assert [log.text for log in session.logs][logs:] == ["second in 1"]
    session.request_stack()
    drain_until(session, lambda: session.stack is not None)
    assert session.stack is not None
    assert any("self.inner(doubled)" in frame.text for frame in session.stack.frames)


def test_that_a_local_variable_of_a_stopped_step_is_exported(
    session: DebugSession, models: Path, tmp_path: Path
) -> None:
    opened(session, models, "nested")
    session.run_to("first.inner")
    held(session)
    session.request_stack()
    drain_until(session, lambda: session.stack is not None)
    assert session.stack is not None
    frame = next(frame for frame in session.stack.frames if "self.inner(doubled)" in frame.text)
    refs = {variable.name: variable.ref for variable in frame.variables}
    numbers = []
    for name in ("x", "doubled"):
        ref = refs[name]
        assert ref is not None
        numbers.append(session.export_tensor(ref, tmp_path / f"{name}.npy", ExportForm.NPY))
    drain_until(session, lambda: session.exports[numbers[-1]].ended is not None)
    np.testing.assert_array_equal(np.load(tmp_path / "x.npy"), np.ones((2, 3), np.float32), strict=True)
    np.testing.assert_array_equal(np.load(tmp_path / "doubled.npy"), np.full((2, 3), 2, np.float32), strict=True)


@pytest.mark.parametrize(("name", "interrupt_s"), [("loops", 30.0), ("deaf", 0.7)])
def test_that_a_loop_between_two_events_is_interrupted_or_killed(models: Path, name: str, interrupt_s: float) -> None:
    with DebugSession(times=LadderTimes(abort_s=0.3, interrupt_s=interrupt_s, close_s=30.0)) as session:
        opened(session, models, name)
        session.run_to("layer")
        held(session)
        session.step_into()
        assert held(session).event.kind is EventKind.FORWARD_LEAVE
        session.step_into()  # to an event that never comes
        drain_until_told(session, lambda changes: "looping" in printed(changes))
        session.stop()
        changes = drain_until_state(session, SessionState.IDLE, SessionState.LOST)
        ends = [end.reason for end in changes if isinstance(end, events.RunFinished)]
        if name == "loops":
            assert (ends, session.failure) == ([events.RunEnd.INTERRUPTED], None)
        else:
            assert session.state is SessionState.LOST
            assert session.failure is not None
            assert session.failure.kind is FailureKind.DEBUGGEE_KILLED
            assert session.failure.values == {"seconds": "1"}
