"""Operations that are no modules, in a session: they are listed, checked, and checked again after a restart."""

import os
import signal
from collections.abc import Callable

import pytest

from hookscope.client.session import DebugSession
from hookscope.client.state import SessionState, SessionStateError
from hookscope.protocol.events import RunEnd, RunFinished
from hookscope.protocol.failures import FailureKind
from hookscope.protocol.hooks import OperationRef
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.workload import ExampleSource
from tests.client.fakes import drain_until, drain_until_state

MakeSession = Callable[..., DebugSession]
ADD = OperationRef("a", "add", 0)
OTHER = OperationRef("a", "add", 1)


def opened(session: DebugSession, name: str = "good") -> DebugSession:
    session.open(ExampleSource(name))
    drain_until_state(session, SessionState.IDLE)
    return session


def step(session: DebugSession) -> None:
    session.step()
    drain_until_state(session, SessionState.IDLE)


def test_that_a_trace_is_a_run_that_lists_operations_and_makes_no_step(fake_session: MakeSession) -> None:
    session = opened(fake_session())
    assert session.operations == {}
    session.trace_operations("a")
    assert session.state is SessionState.RUNNING
    with pytest.raises(SessionStateError, match="trace_operations"):
        session.trace_operations("a")
    changes = drain_until_state(session, SessionState.IDLE)
    assert [change.reason for change in changes if isinstance(change, RunFinished)] == [RunEnd.COMPLETED]
    assert [operation.ref for operation in session.operations["a"]] == [ADD]
    assert len(session.history) == 0


def test_that_a_trace_that_fails_keeps_what_was_listed_before(fake_session: MakeSession) -> None:
    session = opened(fake_session())
    session.trace_operations("a")
    drain_until_state(session, SessionState.IDLE)
    session.trace_operations("b")
    drain_until_state(session, SessionState.IDLE)
    assert session.failure is not None
    assert session.failure.kind is FailureKind.FORWARD_RAISED
    assert set(session.operations) == {"a"}


def test_that_checked_operations_have_records_of_their_own(fake_session: MakeSession) -> None:
    session = opened(fake_session())
    session.check(["a"])
    session.check_operations([ADD, OTHER, ADD])
    assert session.checked_operations == (ADD, OTHER)
    step(session)
    of_module = TensorRef("a", Slot.OUTPUT, "out")
    assert [record.ref for record in session.records.of("a")] == [of_module]
    assert [record.ref for record in session.records.of("a", "add:1")] == [
        TensorRef("a", Slot.OUTPUT, "out", operation="add:1")
    ]
    assert session.records.calls("a") == 1
    output = session.records.output("a")
    assert output is not None
    assert output.ref == of_module


def test_that_an_operation_alone_is_no_record_of_its_module(fake_session: MakeSession) -> None:
    session = opened(fake_session())
    session.check_operations([ADD])
    step(session)
    assert session.records.of("a", "add:0")
    assert session.records.of("a") == ()
    assert session.records.paths() == frozenset()


def test_that_operations_of_unknown_modules_are_unchecked(fake_session: MakeSession) -> None:
    session = opened(fake_session())
    session.check_operations([ADD, OperationRef("nowhere", "add", 0)])
    drain_until(session, lambda: session.checked_operations == (ADD,))


def test_that_a_restart_checks_the_same_operations_again_and_another_model_none(fake_session: MakeSession) -> None:
    session = opened(fake_session())
    session.trace_operations("a")
    drain_until_state(session, SessionState.IDLE)
    session.check_operations([ADD])
    assert session.hello is not None
    os.kill(session.hello.pid, signal.SIGKILL)
    drain_until_state(session, SessionState.LOST)
    session.restart()
    drain_until_state(session, SessionState.IDLE)
    assert session.checked_operations == (ADD,)
    assert set(session.operations) == {"a"}
    step(session)
    assert session.records.of("a", "add:0")
    opened(session, "another")
    assert session.checked_operations == ()
    assert session.operations == {}


def test_that_a_real_debuggee_lists_and_captures_operations() -> None:
    with DebugSession() as session:
        opened(session, "leaf_gradient")
        session.trace_operations("")
        drain_until_state(session, SessionState.IDLE)
        assert [operation.ref.text for operation in session.operations[""]] == ["add:0", "add:1", "mul:0"]
        session.check_operations(operation.ref for operation in session.operations[""])
        step(session)
        assert [record.ref.slot for record in session.records.of("", "add:0")] == [Slot.OUTPUT, Slot.GRAD_OUTPUT]
        assert session.history[-1].loss == 6.0
