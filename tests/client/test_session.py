"""Sessions over a fake debuggee that behaves well: states, what is kept, and what is replayed."""

import threading
from collections.abc import Callable

import pytest

from hookscope.client.changes import StateChanged
from hookscope.client.session import DebugSession
from hookscope.client.state import ALLOWED, SessionState, SessionStateError
from hookscope.protocol.events import Failed, HooksSet, Loaded, RunEnd, RunFinished, SettingsApplied
from hookscope.protocol.failures import FailureKind
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.views import StatisticsRequest
from hookscope.protocol.workload import ExampleSource, LossChoice, RunSettings, SyntheticInput
from tests.client.conftest import PATIENT, QUICK
from tests.client.fakes import drain_until, drain_until_state, drain_until_told, drain_until_view, printed

MakeSession = Callable[..., DebugSession]
GOOD = ExampleSource("good")
A_OUT = TensorRef("a", Slot.OUTPUT, "out")


def opened(session: DebugSession, name: str = "good") -> DebugSession:
    session.open(ExampleSource(name))
    drain_until_state(session, SessionState.IDLE)
    return session


def test_that_a_new_session_has_nothing_and_allows_no_step(fake_session: MakeSession) -> None:
    session = fake_session()
    assert session.state is SessionState.NO_MODEL
    assert (session.source, session.tree, session.workload, session.hello) == (None, None, None, None)
    assert session.drain() == []
    assert not session.wait(0)
    with pytest.raises(SessionStateError, match="step"):
        session.step()
    with pytest.raises(SessionStateError, match="restart"):
        session.restart()


def test_that_opening_goes_through_launching_and_loading_to_idle(fake_session: MakeSession) -> None:
    session = fake_session()
    session.open(GOOD)
    assert session.state is SessionState.LAUNCHING
    changes = drain_until_state(session, SessionState.IDLE)
    states = [change.state for change in changes if isinstance(change, StateChanged)]
    assert states == [SessionState.LAUNCHING, SessionState.LOADING, SessionState.IDLE]
    assert session.source == GOOD
    assert session.tree is not None
    assert [module.path for module in session.tree.modules] == ["", "a", "b"]
    assert session.workload is not None
    assert [device.name for device in session.devices] == ["cpu"]


def test_that_a_step_brings_records_and_history(fake_session: MakeSession) -> None:
    session = opened(fake_session())
    session.check(["a", "b", "a"])
    assert session.checked == ("a", "b")
    session.step()
    assert session.state is SessionState.RUNNING
    drain_until_state(session, SessionState.IDLE)
    assert [step.step for step in session.history] == [1]
    assert session.records.step == 1
    assert session.records.paths() == {"a", "b"}
    assert session.progress is None


def test_that_a_run_goes_on_until_it_is_paused(fake_session: MakeSession) -> None:
    session = opened(fake_session())
    session.run()
    drain_until(session, lambda: len(session.history) >= 5)
    assert session.state is SessionState.RUNNING
    assert session.progress is not None
    session.finish_step()
    changes = drain_until_state(session, SessionState.IDLE)
    assert [change.reason for change in changes if isinstance(change, RunFinished)] == [RunEnd.PAUSED]
    assert [step.step for step in session.history] == list(range(1, len(session.history) + 1))


def test_that_checking_acts_while_running_and_most_else_is_forbidden(fake_session: MakeSession) -> None:
    session = opened(fake_session())
    session.run()
    session.check(["a"])
    drain_until(session, lambda: session.records.paths() == {"a"})
    for intent in (session.step, session.cancel):
        with pytest.raises(SessionStateError, match="running"):
            intent()
    with pytest.raises(SessionStateError):
        session.change_settings(RunSettings())
    with pytest.raises(SessionStateError):
        session.give_inputs(())
    session.stop()
    assert session.state is SessionState.STOPPING
    with pytest.raises(SessionStateError):
        session.stop()
    drain_until_state(session, SessionState.IDLE)


def test_that_every_intent_has_a_row_that_allows_it_somewhere() -> None:
    for intent, states in ALLOWED.items():
        assert callable(getattr(DebugSession, intent))
        assert states


def test_that_a_stop_that_crosses_the_end_of_the_run_does_no_harm(fake_session: MakeSession) -> None:
    session = opened(fake_session(times=QUICK))
    session.step()
    threading.Event().wait(0.5)  # the end of the run is in the inbox by then, but nobody has looked
    session.stop()
    threading.Event().wait(0.5)  # longer than the ladder, at the end of which the process would be killed
    drain_until_state(session, SessionState.IDLE)
    session.step()
    drain_until_state(session, SessionState.IDLE)
    assert session.failure is None


def test_that_modules_that_do_not_exist_are_unchecked_again(fake_session: MakeSession) -> None:
    session = opened(fake_session())
    session.check(["a", "nowhere"])
    changes = drain_until(session, lambda: session.checked == ("a",))
    assert any(isinstance(change, HooksSet) and change.unknown == ("nowhere",) for change in changes)


def test_that_settings_hold_at_once_and_come_back_when_refused(fake_session: MakeSession) -> None:
    session = opened(fake_session())
    session.change_settings(RunSettings(seed=7))
    session.change_settings(RunSettings(seed=8))
    assert session.settings.seed == 8
    answers = 0
    while answers < 2:
        session.wait(10)
        answers += sum(isinstance(change, SettingsApplied) for change in session.drain())
        assert session.settings.seed == 8  # the answer to the first does not bring back the first
    session.change_settings(RunSettings(device="cuda:9", seed=8))
    drain_until(session, lambda: session.failure is not None)
    assert session.failure is not None
    assert session.failure.kind is FailureKind.DEVICE_UNAVAILABLE
    assert session.settings == RunSettings(seed=8)
    session.change_settings(RunSettings(seed=9))
    drain_until(session, lambda: session.failure is None)


def test_that_a_view_is_answered_also_while_running(fake_session: MakeSession) -> None:
    session = opened(fake_session())
    session.run()
    session.request_view("panel", 3, A_OUT, StatisticsRequest())
    view = drain_until_view(session)
    assert (view.panel, view.number, view.ref) == ("panel", 3, A_OUT)
    session.stop()
    drain_until_state(session, SessionState.IDLE)


def test_that_a_failed_step_leaves_the_session_idle_and_the_next_success_clears_it(fake_session: MakeSession) -> None:
    session = opened(fake_session(), "raises in forward")
    session.step()
    changes = drain_until_state(session, SessionState.IDLE)
    assert any(isinstance(change, Failed) for change in changes)
    assert session.failure is not None
    assert session.failure.module_path == "a"
    session.dismiss_failure()
    assert session.failure is None


def test_that_the_old_model_stays_when_a_new_one_cannot_be_loaded(fake_session: MakeSession) -> None:
    session = opened(fake_session())
    session.check(["a"])
    session.step()
    drain_until_state(session, SessionState.IDLE)
    session.open(ExampleSource("raises"))
    drain_until(session, lambda: session.failure is not None)
    assert session.state is SessionState.IDLE
    assert session.source == GOOD
    assert session.wanted_source == ExampleSource("raises")
    assert session.checked == ("a",)
    session.step()  # the old debuggee still works, and its success clears the failure
    drain_until_state(session, SessionState.IDLE)
    assert session.failure is None
    assert len(session.history) == 2
    assert session.wanted_source == GOOD


def test_that_restart_after_a_failed_load_tries_that_again(fake_session: MakeSession) -> None:
    session = fake_session()
    made = (SyntheticInput((1, 3)), SyntheticInput((2,)))
    session.open(ExampleSource("raises"), inputs=made)
    drain_until_state(session, SessionState.NO_MODEL)
    assert session.failure is not None
    assert session.failure.kind is FailureKind.SOURCE_RAISED
    session.restart()
    changes = drain_until_told(
        session, lambda changes: "\n" in printed(changes) and session.state is SessionState.NO_MODEL
    )
    assert "loading raises with 2 inputs" in printed(changes)
    session.dismiss_failure()
    with pytest.raises(SessionStateError):
        session.restart()


def test_that_a_load_is_tried_again_with_the_settings_of_now(fake_session: MakeSession) -> None:
    session = fake_session()
    session.change_settings(RunSettings(device="cuda:9"))
    session.open(GOOD)
    drain_until_state(session, SessionState.NO_MODEL)
    assert session.failure is not None
    assert session.failure.kind is FailureKind.DEVICE_UNAVAILABLE
    assert [device.name for device in session.devices] == ["cpu"]  # to choose another one from
    session.change_settings(RunSettings(device="cpu"))
    session.restart()
    drain_until_state(session, SessionState.IDLE)
    assert session.source == GOOD
    assert session.settings.device == "cpu"


def test_that_loading_can_be_cancelled_and_the_old_model_works_on(fake_session: MakeSession) -> None:
    session = opened(fake_session())
    session.open(ExampleSource("loads slowly"))
    drain_until_state(session, SessionState.LOADING)
    session.cancel()
    assert session.state is SessionState.IDLE
    session.step()
    drain_until_state(session, SessionState.IDLE)
    assert session.failure is None
    assert len(session.history) == 1


def test_that_another_open_takes_the_place_of_one_that_is_loading(fake_session: MakeSession) -> None:
    session = fake_session(times=QUICK)
    session.open(ExampleSource("loads for ever"))
    drain_until_state(session, SessionState.LOADING)
    session.open(GOOD)
    drain_until_state(session, SessionState.IDLE)
    assert session.source == GOOD
    assert session.failure is None


def test_that_another_model_starts_without_what_was_chosen_for_the_first(fake_session: MakeSession) -> None:
    session = opened(fake_session())
    session.change_settings(RunSettings("cpu", 5, LossChoice.SUM, ("args.0",), optimizer=False))
    session.check(["a"])
    session.step()
    drain_until_state(session, SessionState.IDLE)
    session.open(ExampleSource("other"))
    drain_until_state(session, SessionState.IDLE)
    assert session.settings == RunSettings("cpu", 5, optimizer=False)
    assert session.checked == ()
    assert session.records.paths() == frozenset()
    assert not session.history


def test_that_a_restart_brings_everything_back_and_keeps_records_until_there_are_newer(
    fake_session: MakeSession,
) -> None:
    session = opened(fake_session())
    first = session.hello
    settings = RunSettings("cpu", 5, LossChoice.SUM)
    session.change_settings(settings)
    session.give_inputs((SyntheticInput((1, 3)),))
    session.check(["a", "b"])
    session.run(2)
    drain_until_state(session, SessionState.IDLE)
    session.check(["a"])
    session.restart()
    changes = drain_until_told(session, lambda changes: "\n" in printed(changes) and session.state is SessionState.IDLE)
    assert any(isinstance(change, Loaded) and change.settings == settings for change in changes)
    assert "with 1 inputs" in printed(changes)
    assert session.hello is not None
    assert first is not None
    assert session.hello.pid != first.pid
    assert session.checked == ("a",)
    assert session.records.step == 2
    session.step()
    drain_until_state(session, SessionState.IDLE)
    assert session.records.paths() == {"a"}
    assert session.records.step == 1
    assert [step.step for step in session.history] == [1]


def test_that_refused_inputs_are_not_replayed(fake_session: MakeSession) -> None:
    session = opened(fake_session())
    session.give_inputs((SyntheticInput((0, 3)),))
    drain_until(session, lambda: session.failure is not None)
    assert session.failure is not None
    assert session.failure.kind is FailureKind.BAD_INPUT
    session.restart()
    changes = drain_until_told(session, lambda changes: "\n" in printed(changes) and session.state is SessionState.IDLE)
    assert "with 0 inputs" in printed(changes)


def test_that_opening_while_running_stops_the_run(fake_session: MakeSession) -> None:
    session = opened(fake_session())
    session.run()
    drain_until(session, lambda: len(session.history) > 1)
    session.open(ExampleSource("raises"))
    drain_until_state(session, SessionState.STOPPING, SessionState.IDLE)
    drain_until_state(session, SessionState.IDLE)
    assert session.source == GOOD


def test_that_a_closed_session_refuses_everything_and_may_be_closed_again(fake_session: MakeSession) -> None:
    session = opened(fake_session(times=PATIENT))
    session.close()
    session.close()
    assert session.drain() == []
    with pytest.raises(SessionStateError, match="closed"):
        session.step()


def test_that_a_session_closes_at_the_end_of_a_with_block(fake_session: MakeSession) -> None:
    with fake_session() as session:
        opened(session)
    with pytest.raises(SessionStateError, match="closed"):
        session.open(GOOD)
