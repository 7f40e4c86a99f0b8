"""Debuggees that misbehave: each end is told as what it was, and nothing of it is left."""

from collections.abc import Callable
from pathlib import Path

import pytest

from hookscope.client.session import DebugSession
from hookscope.client.state import SessionState, SessionStateError
from hookscope.protocol.events import PROTOCOL_VERSION, Failed, RunEnd, RunFinished
from hookscope.protocol.failures import FailureKind
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.views import StatisticsRequest
from hookscope.protocol.workload import ExampleSource
from tests.client.conftest import QUICK
from tests.client.fakes import drain_until, drain_until_state

MakeSession = Callable[..., DebugSession]


def opened(session: DebugSession, name: str) -> DebugSession:
    session.open(ExampleSource(name))
    drain_until_state(session, SessionState.IDLE)
    return session


@pytest.mark.parametrize(
    ("manner", "kind", "values"),
    [
        ("lacks torch", FailureKind.INTERPRETER_UNUSABLE, {"output": "torch is missing"}),
        ("dies while connecting", FailureKind.INTERPRETER_UNUSABLE, {"output": ""}),
        ("is too new", FailureKind.VERSION_MISMATCH, {"window": str(PROTOCOL_VERSION), "debuggee": "999"}),
        ("talks nonsense", FailureKind.VERSION_MISMATCH, {"debuggee": "?"}),
    ],
)
def test_that_a_debuggee_that_cannot_start_is_a_failure(
    fake_session: MakeSession, manner: str, kind: FailureKind, values: dict[str, str]
) -> None:
    session = fake_session(manner, QUICK)
    session.open(ExampleSource("good"))
    changes = drain_until_state(session, SessionState.NO_MODEL)
    assert session.failure is not None
    assert session.failure.kind is kind
    assert values.items() <= session.failure.values.items()
    assert [change.failure for change in changes if isinstance(change, Failed)] == [session.failure]


def test_that_an_interpreter_that_is_not_there_is_a_failure() -> None:
    with DebugSession(interpreter="/nowhere/python") as session:
        session.open(ExampleSource("good"))
        drain_until_state(session, SessionState.NO_MODEL)
        assert session.failure is not None
        assert session.failure.kind is FailureKind.INTERPRETER_UNUSABLE
        assert session.failure.values["interpreter"] == "/nowhere/python"
        assert "No such file" in session.failure.values["output"]


def test_that_a_stranger_at_the_door_is_turned_away_and_the_debuggee_let_in(fake_session: MakeSession) -> None:
    opened(fake_session("knocks with a wrong key"), "good")


def test_that_a_debuggee_that_never_connects_can_be_cancelled(fake_session: MakeSession) -> None:
    session = fake_session("never connects")
    session.open(ExampleSource("good"))
    session.cancel()
    assert session.state is SessionState.NO_MODEL
    session.close()
    assert session.failure is None


@pytest.mark.parametrize("name", ["loads slowly", "loads for ever"])
def test_that_loading_can_be_cancelled_however_deaf_it_is(fake_session: MakeSession, name: str) -> None:
    session = fake_session(times=QUICK)
    session.open(ExampleSource(name))
    drain_until_state(session, SessionState.LOADING)
    session.cancel()
    assert session.state is SessionState.NO_MODEL
    session.drain()
    assert session.failure is None


@pytest.mark.parametrize(
    ("name", "kind", "values"),
    [
        ("aborts", FailureKind.DEBUGGEE_SIGNALLED, {"signal": "SIGABRT"}),
        ("exits", FailureKind.DEBUGGEE_EXITED, {"code": "7"}),
        ("garbled", FailureKind.INTERNAL, {}),
        ("hangs up", FailureKind.INTERNAL, {}),
        ("leaves a process", FailureKind.DEBUGGEE_EXITED, {"code": "0"}),
    ],
)
def test_that_an_end_in_a_step_loses_the_debuggee_and_nothing_else(
    fake_session: MakeSession, name: str, kind: FailureKind, values: dict[str, str]
) -> None:
    session = opened(fake_session(), name)
    session.check(["a"])
    session.step()
    drain_until_state(session, SessionState.LOST)
    assert session.failure is not None
    assert session.failure.kind is kind
    assert values.items() <= session.failure.values.items()
    if name == "exits":
        assert session.failure.values["output"].endswith("good bye")
    assert session.tree is not None
    assert session.checked == ("a",)
    with pytest.raises(SessionStateError):
        session.request_view("panel", 1, TensorRef("a", Slot.OUTPUT, "out"), StatisticsRequest())


def test_that_a_deaf_debuggee_is_killed_and_a_restart_brings_it_back(fake_session: MakeSession) -> None:
    session = opened(fake_session(times=QUICK), "deaf")
    session.check(["a"])
    session.step()
    session.stop()
    drain_until_state(session, SessionState.LOST)
    assert session.failure is not None
    assert session.failure.kind is FailureKind.DEBUGGEE_KILLED
    assert session.failure.values == {"seconds": "0.2"}
    session.check(["b"])  # what is set up while nobody is there is replayed too
    session.restart()
    drain_until_state(session, SessionState.IDLE)
    assert session.failure is None
    assert session.checked == ("b",)


def test_that_a_debuggee_that_does_not_hear_abort_is_interrupted(fake_session: MakeSession) -> None:
    session = opened(fake_session(times=QUICK), "stubborn")
    session.step()
    session.stop()
    changes = drain_until_state(session, SessionState.IDLE, SessionState.LOST)
    # On a machine that is busy enough the kill may come before the interrupt is answered.
    if session.state is SessionState.IDLE:
        assert [change.reason for change in changes if isinstance(change, RunFinished)] == [RunEnd.INTERRUPTED]


def test_that_a_load_goes_on_when_the_old_debuggee_ends_meanwhile(fake_session: MakeSession) -> None:
    session = opened(fake_session(times=QUICK), "deaf")
    session.step()
    session.open(ExampleSource("loads slowly"))  # stops the run, which nothing but a kill ends
    changes = drain_until(session, lambda: session.failure is not None)
    assert any(isinstance(change, Failed) for change in changes)
    drain_until_state(session, SessionState.LOADING)
    session.cancel()
    assert session.state is SessionState.LOST


def test_that_closing_ends_a_debuggee_that_hangs(fake_session: MakeSession) -> None:
    session = opened(fake_session(times=QUICK), "deaf")
    session.step()
    session.close()


def test_that_the_line_is_in_a_directory_of_its_own_that_only_the_user_may_enter(
    fake_session: MakeSession, temporary_files: Path
) -> None:
    opened(fake_session(), "good")
    (folder,) = temporary_files.iterdir()
    assert folder.stat().st_mode & 0o777 == 0o700
    assert [entry.is_socket() for entry in folder.iterdir()] in ([], [True])


def test_that_a_long_path_of_temporary_files_is_no_hindrance(
    fake_session: MakeSession, temporary_files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = temporary_files.parent / ("long" * 30)
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    opened(fake_session(), "good")
    assert not list(folder.iterdir())


def test_that_a_trace_before_it_does_not_spare_a_deaf_step_from_the_ladder(fake_session: MakeSession) -> None:
    session = opened(fake_session(times=QUICK), "deaf")
    session.trace_operations("a")
    drain_until_state(session, SessionState.IDLE)
    session.step()
    session.stop()
    drain_until_state(session, SessionState.LOST)
    assert session.failure is not None
    assert session.failure.kind is FailureKind.DEBUGGEE_KILLED
