"""Interventions over a fake debuggee: states, what is kept and replayed, trials, and changes by hand."""

from collections.abc import Callable

import pytest

from hookscope.client.changes import Change, StateChanged
from hookscope.client.model import TRIALS_KEPT
from hookscope.client.session import DebugSession
from hookscope.client.state import SessionState, SessionStateError
from hookscope.protocol import events
from hookscope.protocol.failures import FailureKind
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.interventions import HandChange, Idle, Intervention
from hookscope.protocol.tensor_changes import Add, Expression, Mean, Zero
from hookscope.protocol.tensor_changes import Change as TensorChange
from hookscope.protocol.views import Statistics, StatisticsRequest
from hookscope.protocol.workload import ExampleSource
from tests.client.fakes import drain_until, drain_until_state, drain_until_told, drain_until_view

MakeSession = Callable[..., DebugSession]
OUT = TensorRef("a", Slot.OUTPUT, "out")


def opened(session: DebugSession, name: str = "good") -> DebugSession:
    session.open(ExampleSource(name))
    drain_until_state(session, SessionState.IDLE)
    return session


def on_output(session: DebugSession, change: TensorChange, path: str = "a", *, enabled: bool = True) -> Intervention:
    return Intervention(session.next_intervention_id(), path, Slot.OUTPUT, change, enabled=enabled)


def told(changes: list[Change], kind: type) -> list[Change]:
    return [change for change in changes if isinstance(change, kind)]


def tried(session: DebugSession) -> list[Change]:
    session.try_interventions()
    return drain_until_state(session, SessionState.IDLE)


def test_that_interventions_are_kept_without_a_model_and_told_to_every_debuggee(fake_session: MakeSession) -> None:
    session = fake_session()
    assert (session.interventions, session.trial, session.is_trying, session.edited) == ((), None, False, ())
    adds, elsewhere = on_output(session, Add(2.0)), on_output(session, Zero(), "nowhere")
    off, wrong = on_output(session, Zero(), enabled=False), on_output(session, Expression("("))
    session.set_interventions([adds, elsewhere, off, wrong])
    assert session.interventions == (adds, elsewhere, off, wrong)
    assert not session.intervention_errors
    opened(session)
    drain_until(session, lambda: bool(session.intervention_errors))
    assert dict(session.intervention_errors) == {wrong.id: "not Python"}
    session.step()
    drain_until_state(session, SessionState.IDLE)
    assert session.history[-1].loss == 3.5
    assert session.history[-1].acted == 2
    statuses = session.intervention_statuses
    assert (statuses[adds.id].applied, statuses[adds.id].refs) == (1, (OUT,))
    assert statuses[elsewhere.id].idle is Idle.UNKNOWN_MODULE
    assert statuses[off.id].idle is Idle.OFF
    session.restart()
    changes = drain_until_told(session, lambda changes: bool(told(changes, events.InterventionsSet)))
    assert told(changes, events.Loaded)
    assert not session.intervention_statuses  # of a debuggee that is gone
    opened(session, "other")
    assert session.interventions == (adds, elsewhere, off, wrong)
    session.step()
    drain_until_state(session, SessionState.IDLE)
    assert session.history[-1].loss == 3.5


def test_that_what_was_said_of_a_changed_or_removed_intervention_is_forgotten(fake_session: MakeSession) -> None:
    session = opened(fake_session())
    wrong = on_output(session, Expression("("))
    session.set_interventions([wrong])
    drain_until(session, lambda: bool(session.intervention_errors))
    session.step()
    drain_until_state(session, SessionState.IDLE)
    mended = Intervention(wrong.id, "a", Slot.OUTPUT, Expression("x"))
    session.set_interventions([mended])
    assert not session.intervention_errors
    assert list(session.intervention_statuses) == [wrong.id]
    session.set_interventions([])
    assert not session.intervention_statuses


def test_that_ids_are_never_used_twice(fake_session: MakeSession) -> None:
    session = fake_session()
    session.set_interventions([Intervention(7, "a", Slot.OUTPUT, Zero()), Intervention(7, "b", Slot.OUTPUT, Zero())])
    assert [one.path for one in session.interventions] == ["b"]
    session.set_interventions([])
    assert session.next_intervention_id() == 8


def test_that_a_trial_tells_both_steps_and_is_forgotten_after_an_ordinary_one(fake_session: MakeSession) -> None:
    session = opened(fake_session())
    session.set_interventions([on_output(session, Add(1.0))])
    session.try_interventions()
    assert (session.state, session.is_trying) == (SessionState.RUNNING, True)
    changes = drain_until_state(session, SessionState.IDLE)
    assert session.trial == events.TrialFinished(1, 2, 1.5, 2.5)
    assert not session.is_trying
    assert [step.is_trial for step in session.history] == [True, True]
    assert told(changes, StateChanged) == [StateChanged(SessionState.RUNNING), StateChanged(SessionState.IDLE)]
    tried(session)
    assert session.trial == events.TrialFinished(1, 3, 1.5, 2.5)
    session.step()
    drain_until_state(session, SessionState.IDLE)
    assert session.trial is None


def test_that_the_newest_interventions_are_tried_once_more_while_a_trial_runs(fake_session: MakeSession) -> None:
    session = opened(fake_session(), "tries slowly")
    former = on_output(session, Add(1.0))
    session.set_interventions([former])
    session.try_interventions()
    for value in range(2, 6):
        session.set_interventions([Intervention(former.id, "a", Slot.OUTPUT, Add(float(value)))])
        session.try_interventions()
    session.request_view("panel", 1, OUT, StatisticsRequest())  # lets the first one end
    changes = drain_until_state(session, SessionState.IDLE)
    trials = [change for change in changes if isinstance(change, events.TrialFinished)]
    assert [trial.loss_after for trial in trials] == [2.5, 6.5]  # the first one with what it began with
    assert [change.state for change in changes if isinstance(change, StateChanged)][-2:] == ["running", "idle"]
    assert len(told(changes, events.RunFinished)) == 2


def test_that_stop_ends_a_trial_and_what_was_to_follow_it(fake_session: MakeSession) -> None:
    session = opened(fake_session(), "tries slowly")
    session.set_interventions([on_output(session, Add(1.0))])
    session.try_interventions()
    session.try_interventions()
    session.set_interventions([on_output(session, Add(2.0))])
    session.stop()
    changes = drain_until_state(session, SessionState.IDLE)
    assert len(told(changes, events.RunFinished)) == 1
    assert (session.trial, session.is_trying) == (None, False)
    session.request_view("panel", 1, OUT, StatisticsRequest())
    tried(session)
    assert session.trial is not None
    assert session.trial.loss_after == 3.5  # what was set meanwhile is in force


def test_that_an_ordinary_run_is_not_disturbed_by_a_trial(fake_session: MakeSession) -> None:
    session = fake_session()
    with pytest.raises(SessionStateError, match="no_model"):
        session.try_interventions()
    opened(session)
    session.run()
    with pytest.raises(SessionStateError, match="no trial"):
        session.try_interventions()
    session.finish_step()
    drain_until_state(session, SessionState.IDLE)
    assert not any(step.is_trial for step in session.history)


def test_that_a_trial_that_fails_is_told_and_the_next_one_works(fake_session: MakeSession) -> None:
    session = opened(fake_session())
    session.set_interventions([on_output(session, Mean(9))])
    changes = tried(session)
    assert not told(changes, events.TrialFinished)
    assert session.failure is not None
    assert session.failure.kind is FailureKind.INTERVENTION_FAILED
    session.set_interventions([])
    tried(session)
    assert session.failure is None
    assert session.trial is not None


def test_that_the_model_is_proved_unchanged_only_while_nothing_is_on(fake_session: MakeSession) -> None:
    session = opened(fake_session())
    session.set_interventions([on_output(session, Zero())])
    with pytest.raises(SessionStateError, match="on"):
        session.prove_unchanged()
    session.set_interventions([on_output(session, Zero(), enabled=False)])
    session.prove_unchanged()
    assert (session.state, session.is_trying) == (SessionState.RUNNING, False)
    drain_until_state(session, SessionState.IDLE)
    assert session.proof == events.UnchangedProved(7)
    session.set_interventions([on_output(session, Zero())])
    assert session.proof is None


def test_that_steps_are_compared_and_subtracted(fake_session: MakeSession) -> None:
    session = opened(fake_session())
    session.set_interventions([on_output(session, Add(0.5))])
    tried(session)
    trial = session.trial
    assert trial is not None
    session.compare_steps(trial.before, trial.after)
    drain_until(session, lambda: session.comparison is not None)
    assert session.comparison is not None
    assert [moved.ref.path for moved in session.comparison.differences] == ["b"]
    session.request_view("panel", 1, OUT, StatisticsRequest(), trial.after, minus=trial.before)
    view = drain_until_view(session)
    assert isinstance(view.result, Statistics)
    assert view.result.norm == 0.5
    session.compare_steps(1, 99)
    drain_until(session, lambda: session.comparison is not None and bool(session.comparison.missing))
    opened(session, "other")
    assert (session.comparison, session.trial) == (None, None)


def test_that_what_is_changed_by_hand_is_known_until_the_step_goes_on_and_ends(fake_session: MakeSession) -> None:
    session = opened(fake_session())
    with pytest.raises(SessionStateError, match="change_at_hand"):
        session.change_at_hand([])
    session.run_to("a")
    drain_until_state(session, SessionState.STOPPED)
    ref = TensorRef("a", Slot.INPUT, "args.0")
    changes = (HandChange(ref, Zero()), HandChange(ref, Add(1.0)))
    session.change_at_hand(changes)
    assert session.hand_changes == changes
    drain_until(session, lambda: session.at_hand is not None)
    assert session.at_hand is not None
    assert (session.at_hand.refs, session.at_hand.errors) == ((ref,), ("", ""))
    assert session.edited == (ref,)
    session.step_into()
    assert (session.hand_changes, session.at_hand) == ((), None)
    drain_until_state(session, SessionState.STOPPED)
    assert session.edited == (ref,)
    session.change_at_hand([HandChange(OUT, Zero())])
    drain_until(session, lambda: session.at_hand is not None)
    assert session.edited == (ref, OUT)
    session.change_at_hand([])
    drain_until(session, lambda: session.edited == (ref,))
    session.continue_()
    drain_until_state(session, SessionState.IDLE)
    assert session.edited == ()


def test_that_an_answer_to_a_change_by_hand_of_a_stop_that_is_over_is_not_told(fake_session: MakeSession) -> None:
    session = opened(fake_session())
    session.step_into()
    drain_until_state(session, SessionState.STOPPED)
    session.change_at_hand([HandChange(OUT, Zero())])
    session.wait(60)
    session.step_into()
    changes = drain_until_state(session, SessionState.STOPPED)
    assert not told(changes, events.AtHandChanged)
    assert session.at_hand is None


def test_that_many_trials_do_not_push_training_steps_out_of_the_history(fake_session: MakeSession) -> None:
    session = opened(fake_session())
    session.step()
    drain_until_state(session, SessionState.IDLE)
    session.set_interventions([on_output(session, Add(1.0))])
    for _ in range(TRIALS_KEPT + 5):
        tried(session)
    assert [step.is_trial for step in session.history] == [False] + [True] * TRIALS_KEPT
    newest = session.history[-1].step
    session.step()
    drain_until_state(session, SessionState.IDLE)
    tried(session)
    assert [step.step for step in session.history][-3:] == [newest + 1, newest + 2, newest + 3]
