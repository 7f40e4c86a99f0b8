"""Stepping over a fake debuggee: states, what each intent sends, what is kept and what is replayed."""

from collections.abc import Callable

import pytest

from hookscope.client.changes import Change, StateChanged
from hookscope.client.session import DebugSession
from hookscope.client.state import SessionState, SessionStateError
from hookscope.client.supervisor import LadderTimes
from hookscope.protocol import events
from hookscope.protocol.failures import FailureKind
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.stops import Breakpoint, ContinueMode, EventKind, EventPhase, Expression, StopKind
from hookscope.protocol.views import StatisticsRequest
from hookscope.protocol.workload import ExampleSource, RunSettings
from tests.client.conftest import QUICK
from tests.client.fakes import drain_until, drain_until_state, drain_until_told, drain_until_view

MakeSession = Callable[..., DebugSession]
PLACES = ("", "a", "a", "b", "b", "", "", "b", "b", "b", "a", "a")
"""Where the events of a step are, see `fake_stepping.EVENTS`."""
ON_LEAVE = (EventPhase.FORWARD_LEAVE,)


def opened(session: DebugSession, name: str = "good") -> DebugSession:
    session.open(ExampleSource(name))
    drain_until_state(session, SessionState.IDLE)
    return session


def held(session: DebugSession) -> events.Stopped:
    """Wait until the run is stopped at an event."""
    drain_until_state(session, SessionState.STOPPED, SessionState.IDLE)
    assert session.stopped is not None
    return session.stopped


def told(changes: list[Change], kind: type) -> list[Change]:
    return [change for change in changes if isinstance(change, kind)]


def test_that_stepping_into_visits_every_event_and_ends_the_step(fake_session: MakeSession) -> None:
    session = opened(fake_session())
    visited: list[str] = []
    session.step_into()
    while drain_until_state(session, SessionState.STOPPED, SessionState.IDLE) and session.stopped is not None:
        visited.append(session.stopped.event.path)
        assert session.stopped.reason.kind is StopKind.STEP
        assert [event.number for event in session.events.of(1)] == list(range(len(visited)))
        session.step_into()
        assert session.state is SessionState.RUNNING
        assert session.stopped is None
    assert tuple(visited) == PLACES
    assert session.state is SessionState.IDLE
    assert [step.step for step in session.history] == [1]


def test_that_a_stop_and_what_follows_are_told_in_order(fake_session: MakeSession) -> None:
    session = opened(fake_session())
    session.run_to("b")
    changes = drain_until_state(session, SessionState.STOPPED)
    kinds = [type(change) for change in changes if not isinstance(change, events.StepProgress | events.Records)]
    assert kinds[-3:] == [events.StepEvents, events.Stopped, StateChanged]
    assert session.stopped is not None
    assert session.stopped.ref == TensorRef("b", Slot.INPUT, "args.0")
    session.continue_()
    changes = drain_until_state(session, SessionState.IDLE)
    assert told(changes, events.Continued) == [events.Continued(1)]
    assert told(changes, StateChanged) == [StateChanged(SessionState.RUNNING), StateChanged(SessionState.IDLE)]
    assert session.stopped is None


@pytest.mark.parametrize(
    ("intent", "mode"),
    [
        ("step_into", ContinueMode.INTO),
        ("step_over", ContinueMode.OVER),
        ("step_out", ContinueMode.OUT),
        ("to_non_finite", ContinueMode.TO_NON_FINITE),
        ("to_end_of_forward", ContinueMode.TO_END_OF_FORWARD),
        ("to_end_of_backward", ContinueMode.TO_END_OF_BACKWARD),
    ],
)
def test_that_every_command_starts_a_step_and_lets_a_stopped_one_go_on(
    fake_session: MakeSession, intent: str, mode: ContinueMode
) -> None:
    session = opened(fake_session(), "says what it is asked")
    for asked in ("run_steps", "continue"):
        getattr(session, intent)()
        changes = drain_until_state(session, SessionState.STOPPED)
        (log,) = told(changes, events.LogPrinted)
        assert isinstance(log, events.LogPrinted)
        assert log.text == f"{asked} {mode.value} "
    session.run_to("a")
    changes = drain_until_state(session, SessionState.STOPPED)
    assert [log.text for log in changes if isinstance(log, events.LogPrinted)] == ["continue to_selected a"]
    assert [log.text for log in session.logs][-1] == "continue to_selected a"


def test_that_a_whole_step_takes_a_mode_too(fake_session: MakeSession) -> None:
    session = opened(fake_session())
    session.step(ContinueMode.TO_SELECTED, "b")
    assert held(session).event.path == "b"
    session.continue_(ContinueMode.TO_SELECTED, "a")
    assert held(session).event.kind is EventKind.BACKWARD_ENTER


def test_that_states_forbid_what_makes_no_sense(fake_session: MakeSession) -> None:
    session = fake_session()
    for intent in (session.step_into, session.continue_, session.pause, session.finish_step, session.request_stack):
        with pytest.raises(SessionStateError, match="no_model"):
            intent()
    with pytest.raises(SessionStateError, match="request_source"):
        session.request_source("net.py", 1)
    opened(session)
    with pytest.raises(SessionStateError, match="continue_"):
        session.continue_()
    session.step_into()
    with pytest.raises(SessionStateError, match="step_into"):
        session.step_into()
    held(session)
    for intent in (session.step, session.run, session.pause):
        with pytest.raises(SessionStateError, match="stopped"):
            intent()
    with pytest.raises(SessionStateError):
        session.change_settings(RunSettings())
    with pytest.raises(SessionStateError):
        session.trace_operations("a")


def test_that_a_pause_stops_a_run_at_an_event_and_the_step_can_be_its_last(fake_session: MakeSession) -> None:
    session = opened(fake_session())
    session.run()
    session.pause()
    assert held(session).reason.kind is StopKind.PAUSE
    session.finish_step()
    session.continue_()
    changes = drain_until_state(session, SessionState.IDLE)
    (end,) = told(changes, events.RunFinished)
    assert isinstance(end, events.RunFinished)
    assert end.reason is events.RunEnd.PAUSED


def test_that_stop_ends_a_stopped_step_at_once(fake_session: MakeSession) -> None:
    session = opened(fake_session())
    session.step_into()
    held(session)
    session.stop()
    assert session.state is SessionState.STOPPING
    assert session.stopped is None
    changes = drain_until_state(session, SessionState.IDLE)
    (end,) = told(changes, events.RunFinished)
    assert isinstance(end, events.RunFinished)
    assert end.reason is events.RunEnd.ABORTED
    assert not session.history
    assert [event.number for event in session.events.of(1)] == [0]
    session.run_to("a")  # the same step again, and its events anew
    held(session)
    assert [event.path for event in session.events.of(1)] == ["", "a"]


def test_that_a_stop_that_crosses_another_is_not_told(fake_session: MakeSession) -> None:
    session = opened(fake_session())
    session.step_into()
    session.wait(60)
    session.stop()  # nobody has looked whether it is stopped
    changes = drain_until_state(session, SessionState.IDLE)
    assert not told(changes, events.Stopped)
    assert StateChanged(SessionState.STOPPED) not in changes


def test_that_a_stopped_step_that_does_not_hear_stop_is_killed(fake_session: MakeSession) -> None:
    session = opened(fake_session(times=QUICK), "deaf when stopped")
    session.step_into()
    held(session)
    session.stop()
    drain_until_state(session, SessionState.LOST)
    assert session.failure is not None
    assert session.failure.kind is FailureKind.DEBUGGEE_KILLED
    assert session.stopped is None


def test_that_no_more_than_six_seconds_pass_before_a_deaf_step_is_killed() -> None:
    times = LadderTimes()
    assert times.abort_s + times.interrupt_s < 6.0


def test_that_views_checks_and_frames_are_answered_while_stopped(fake_session: MakeSession) -> None:
    session = opened(fake_session())
    session.step_into()
    stopped = held(session)
    assert stopped.ref is not None
    session.request_view("panel", 1, stopped.ref, StatisticsRequest())
    assert drain_until_view(session).ref == stopped.ref
    session.check(["a"])
    drain_until_told(session, lambda changes: bool(told(changes, events.HooksSet)))
    session.request_stack()
    drain_until(session, lambda: session.stack is not None)
    assert session.stack is not None
    assert session.stack.event == stopped.event
    assert [frame.function for frame in session.stack.frames] == ["Net.forward"]
    session.request_source("net.py", 3)
    changes = drain_until_told(session, lambda changes: bool(told(changes, events.SourceReady)))
    assert told(changes, events.SourceReady) == [events.SourceReady("net.py", 3, 3, ("return x",))]
    assert session.stack is not None
    session.step_into()
    assert session.stack is None


def test_that_frames_of_a_stop_that_is_over_are_not_told(fake_session: MakeSession) -> None:
    session = opened(fake_session())
    session.step_into()
    held(session)
    session.request_stack()
    session.wait(60)
    session.step_into()
    changes = drain_until_state(session, SessionState.STOPPED)
    assert not told(changes, events.StackReady)
    assert session.stack is None


@pytest.mark.parametrize("start", ["stopped", "running"])
def test_that_opening_and_restarting_end_the_step(fake_session: MakeSession, start: str) -> None:
    session = opened(fake_session())
    session.run() if start == "running" else session.step_into()
    if start == "stopped":
        held(session)
    session.open(ExampleSource("raises"))
    assert session.stopped is None
    drain_until(session, lambda: session.failure is not None)
    drain_until_state(session, SessionState.IDLE)
    session.step_into()
    held(session)
    session.dismiss_failure()
    session.restart()
    drain_until_state(session, SessionState.IDLE)
    assert session.stopped is None


def test_that_breakpoints_are_kept_without_a_model_and_told_to_every_debuggee(fake_session: MakeSession) -> None:
    session = fake_session()
    first, second = session.next_breakpoint_id(), session.next_breakpoint_id()
    points = (Breakpoint(first, "b", ON_LEAVE), Breakpoint(second, "nowhere", ON_LEAVE))
    session.set_breakpoints(points)
    assert session.breakpoints == points
    assert session.unmatched_breakpoints == frozenset()  # nobody knows yet
    opened(session)
    drain_until(session, lambda: session.unmatched_breakpoints == {second})
    session.step()
    stopped = held(session)
    assert (stopped.event.path, stopped.event.kind) == ("b", EventKind.FORWARD_LEAVE)
    assert stopped.reason.values["breakpoint"] == str(first)
    session.restart()
    changes = drain_until_told(session, lambda changes: bool(told(changes, events.BreakpointsSet)))
    assert told(changes, events.Loaded)
    assert session.breakpoints == points
    assert session.unmatched_breakpoints == {second}
    opened(session, "other")
    assert session.breakpoints == points


def test_that_breakpoints_act_while_running_and_say_what_is_wrong_with_them(fake_session: MakeSession) -> None:
    session = opened(fake_session())
    session.run()
    wrong = Breakpoint(1, "a", ON_LEAVE, Expression("("), enabled=False)
    log = Breakpoint(2, "a", ON_LEAVE, log="here")
    session.set_breakpoints([wrong, log])
    drain_until(session, lambda: bool(session.logs))
    assert dict(session.breakpoint_errors) == {1: "not Python"}
    assert {entry.text for entry in session.logs} == {"here"}
    session.set_breakpoints([Breakpoint(1, "a", ON_LEAVE), log])
    assert dict(session.breakpoint_errors) == {}  # it is another one
    assert held(session).reason.values["breakpoint"] == "1"
    session.set_breakpoints([])
    session.finish_step()
    session.continue_()
    drain_until_state(session, SessionState.IDLE)
    assert session.next_breakpoint_id() == 3


def test_that_events_are_told_only_of_steps_that_are_traced(fake_session: MakeSession) -> None:
    session = opened(fake_session())
    session.run(2)
    drain_until_state(session, SessionState.IDLE)
    assert session.events.steps == ()
    session.trace_steps = True
    assert session.trace_steps
    session.run(2)
    drain_until_state(session, SessionState.IDLE)
    assert session.events.steps == (3, 4)
    assert session.events.newest == 4
    assert tuple(event.path for event in session.events.of(4)) == PLACES


def test_that_events_of_the_former_debuggee_are_kept_until_there_are_newer(fake_session: MakeSession) -> None:
    session = opened(fake_session())
    session.trace_steps = True
    session.run(3)
    drain_until_state(session, SessionState.IDLE)
    session.restart()
    drain_until_state(session, SessionState.IDLE)
    assert session.events.steps == (1, 2, 3)
    session.step_into()
    held(session)
    assert session.events.steps == (1,)
    assert len(session.events.of(1)) == 1
    opened(session, "other")
    assert session.events.steps == ()
