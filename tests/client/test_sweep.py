"""Sweeps over a fake debuggee, whose loss is 1.5 and what each `Add` adds to it."""

from collections.abc import Callable

import pytest

from hookscope.client.session import DebugSession
from hookscope.client.state import SessionState, SessionStateError
from hookscope.client.sweep import Measure, Sweep, linear_values, logarithmic_values
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.interventions import Intervention
from hookscope.protocol.tensor_changes import Add, Change, ClipNorm, Expression, Mean, Noise, Shuffle, StraightThrough
from hookscope.protocol.views import StatisticsRequest
from hookscope.protocol.workload import ExampleSource
from tests.client.fakes import GIVE_UP_S, drain_until_state

MakeSession = Callable[..., DebugSession]
OUT = TensorRef("a", Slot.OUTPUT, "out")


def opened(session: DebugSession, change: Change, name: str = "good") -> tuple[DebugSession, int]:
    session.open(ExampleSource(name))
    drain_until_state(session, SessionState.IDLE)
    fixed = Intervention(session.next_intervention_id(), "b", Slot.OUTPUT, Add(10.0))
    varied = Intervention(session.next_intervention_id(), "a", Slot.OUTPUT, change, enabled=False)
    session.set_interventions([fixed, varied])
    return session, varied.id


def until(session: DebugSession, sweep: Sweep, is_reached: Callable[[], bool]) -> None:
    while not is_reached():
        assert session.wait(GIVE_UP_S)
        for change in session.drain():
            sweep.note(change)


def test_that_a_trial_is_run_for_each_value_and_the_former_interventions_come_back(fake_session: MakeSession) -> None:
    session, varied = opened(fake_session(), Add(0.0))
    former = session.interventions
    measures = (Measure(OUT), Measure(OUT, "norm", of_difference=True), Measure(OUT, "positive"))
    sweep = Sweep(session, varied, "value", (1.0, 2.0, 4.0), measures)
    seen: list[float] = []
    while not sweep.is_done:
        seen.append(sweep.progress)
        until(session, sweep, lambda: sweep.progress != seen[-1])
    assert seen == [0.0, pytest.approx(1 / 3), pytest.approx(2 / 3)]
    assert sweep.progress == 1.0
    assert [(point.value, point.loss, point.error) for point in sweep.points] == [
        (1.0, 12.5, ""),
        (2.0, 13.5, ""),
        (4.0, 15.5, ""),
    ]
    assert [point.measured for point in sweep.points] == [(12.5, 11.0, 3), (13.5, 12.0, 3), (15.5, 14.0, 3)]
    assert session.interventions == former
    assert session.state is SessionState.IDLE


def test_that_what_cannot_be_swept_is_refused_before_anything_runs(fake_session: MakeSession) -> None:
    session, varied = opened(fake_session(), ClipNorm())
    former = session.interventions
    for field, values, message in (
        ("limit", (1.0, -1.0), "-1.0 is no limit of ClipNorm"),
        ("speed", (1.0,), "no field 'speed'"),
        ("limit", (), "at least one value"),
    ):
        with pytest.raises(ValueError, match=message):
            Sweep(session, varied, field, values)
    with pytest.raises(ValueError, match="no intervention 99"):
        Sweep(session, 99, "limit", (1.0,))
    with pytest.raises(ValueError, match="no statistic"):
        Measure(OUT, "volume")
    assert session.interventions == former
    session.run()
    with pytest.raises(SessionStateError, match="running"):
        Sweep(session, varied, "limit", (1.0,))
    assert session.interventions == former


def test_that_a_whole_number_stays_one_and_a_change_inside_of_another_is_varied(fake_session: MakeSession) -> None:
    session, varied = opened(fake_session(), StraightThrough(Shuffle()))
    sweep = Sweep(session, varied, "seed", linear_values(0, 4, 3))
    assert session.interventions[1].change == StraightThrough(Shuffle(seed=0))
    assert session.interventions[1].enabled
    until(session, sweep, lambda: len(sweep.points) == 1)
    assert session.interventions[1].change == StraightThrough(Shuffle(seed=2))


def test_that_a_trial_that_fails_gives_a_point_and_the_sweep_goes_on(fake_session: MakeSession) -> None:
    session, varied = opened(fake_session(), Mean())
    sweep = Sweep(session, varied, "dim", (8, 9, 10), [Measure(OUT)])
    until(session, sweep, lambda: sweep.is_done)
    assert [point.error for point in sweep.points] == ["", "no dim 9", ""]
    assert [point.measured for point in sweep.points] == [(11.5,), (None,), (11.5,)]


def test_that_an_intervention_that_is_refused_gives_points_that_say_so(fake_session: MakeSession) -> None:
    session, varied = opened(fake_session(), Add())
    other = session.interventions[0]
    wrong = Intervention(other.id, "b", Slot.OUTPUT, Expression("("))
    session.set_interventions([wrong, session.interventions[1]])
    sweep = Sweep(session, varied, "value", (1.0,))
    until(session, sweep, lambda: sweep.is_done)
    assert [point.error for point in sweep.points] == [""]  # another one is refused


def test_that_cancelling_stops_the_trial_and_brings_the_former_interventions_back(fake_session: MakeSession) -> None:
    session, varied = opened(fake_session(), Noise(), "tries slowly")
    former = session.interventions
    sweep = Sweep(session, varied, "std", (0.1, 0.2))
    sweep.cancel()
    assert sweep.is_done
    assert session.state is SessionState.STOPPING
    until(session, sweep, lambda: session.state is SessionState.IDLE)
    assert session.interventions == former
    assert (sweep.points, session.trial) == ((), None)
    sweep.cancel()
    assert session.state is SessionState.IDLE


def test_that_stop_ends_the_sweep(fake_session: MakeSession) -> None:
    session, varied = opened(fake_session(), Add(), "tries slowly")
    former = session.interventions
    sweep = Sweep(session, varied, "value", (0.1, 0.2))
    session.stop()
    until(session, sweep, lambda: sweep.is_done)
    assert session.interventions == former


def test_that_interventions_of_somebody_else_end_the_sweep_and_stay(fake_session: MakeSession) -> None:
    session, varied = opened(fake_session(), Add(), "tries slowly")
    sweep = Sweep(session, varied, "value", (0.1, 0.2))
    session.set_interventions([])
    session.request_view("panel", 1, OUT, StatisticsRequest())
    until(session, sweep, lambda: sweep.is_done)
    assert session.interventions == ()
    assert sweep.points == ()
    drain_until_state(session, SessionState.IDLE)
    session.set_interventions([Intervention(varied, "a", Slot.OUTPUT, Add())])
    sweep = Sweep(session, varied, "value", (0.1, 0.2))
    session.set_interventions([])
    sweep.cancel()
    assert session.interventions == ()


@pytest.mark.parametrize("source", ["other", "raises"])
def test_that_loading_a_model_ends_the_sweep(fake_session: MakeSession, source: str) -> None:
    session, varied = opened(fake_session(), Add(), "tries slowly")
    former = session.interventions
    sweep = Sweep(session, varied, "value", (0.1, 0.2))
    session.open(ExampleSource(source))
    until(session, sweep, lambda: sweep.is_done)
    assert session.interventions == former


def test_that_ranges_have_both_ends() -> None:
    assert linear_values(0.0, 1.0, 5) == (0.0, 0.25, 0.5, 0.75, 1.0)
    assert linear_values(1.0, -1.0, 2) == (1.0, -1.0)
    assert logarithmic_values(0.001, 1000.0, 7) == pytest.approx((1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0, 1e3))
    assert logarithmic_values(0.1, 0.3, 3)[::2] == (0.1, 0.3)
    for low, high, count in ((0.0, 1.0, 1), (0.0, float("inf"), 3)):
        with pytest.raises(ValueError, match="range"):
            linear_values(low, high, count)
    for low, high, count in ((0.0, 1.0, 3), (1.0, -1.0, 3), (1.0, 2.0, 1)):
        with pytest.raises(ValueError, match="range"):
            logarithmic_values(low, high, count)
