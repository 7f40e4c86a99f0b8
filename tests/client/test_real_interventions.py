"""Interventions over the real debuggee: the numbers of lessons, trials, proofs, restarts, failures, scripts, sweeps."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hookscope.client.intervention_list import InterventionList
from hookscope.client.script_captures import needed_captures
from hookscope.client.script_writer import script_of
from hookscope.client.session import DebugSession
from hookscope.client.state import SessionState
from hookscope.client.supervisor import LadderTimes
from hookscope.client.sweep import Measure, Sweep
from hookscope.protocol.exports import ExportForm
from hookscope.protocol.failures import FailureKind
from hookscope.protocol.hooks import OperationRef
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.interventions import Channels, HandChange, Idle, Index, Intervention
from hookscope.protocol.tensor_changes import (
    Add,
    Change,
    Expression,
    FromStep,
    Noise,
    Replace,
    Scale,
    StopGradient,
    Zero,
)
from hookscope.protocol.tensors import Array, BadgeKind
from hookscope.protocol.views import Statistics, StatisticsRequest, Table, TableRequest
from hookscope.protocol.workload import FileSource, RunSettings, Source, parse_source
from tests.client.fakes import GIVE_UP_S, drain_until, drain_until_state, drain_until_view

MODELS = """
try:
    from hookscope import Workload
except ImportError:
    from types import SimpleNamespace as Workload

import torch
from torch import nn

def workload():
    torch.manual_seed(1)
    model = nn.Sequential(nn.Linear(3, 4), nn.Dropout(0.5), nn.Tanh(), nn.Linear(4, 2))
    return Workload(model=model, inputs=torch.ones(2, 3), targets=torch.tensor([0, 1]), loss=nn.CrossEntropyLoss())
"""


TIMES = LadderTimes(abort_s=30.0, interrupt_s=30.0, close_s=30.0)


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "changed_model.py"
    path.write_text(MODELS)
    return path


@pytest.fixture
def session() -> Iterator[DebugSession]:
    with DebugSession(times=TIMES) as session:
        yield session


@pytest.fixture(scope="module")
def shared_session(models: Path) -> Iterator[DebugSession]:
    with DebugSession(times=TIMES) as session:
        yield opened(session, FileSource(str(models), "workload"))


@pytest.fixture
def ready(shared_session: DebugSession) -> Iterator[DebugSession]:
    """A session in which the model was loaded and one step was run; tests leave it as they found it."""
    shared_session.check(["0", "1", "2", "3"])
    stepped(shared_session)
    yield shared_session
    shared_session.set_interventions([])


def opened(session: DebugSession, source: Source) -> DebugSession:
    session.open(source)
    drain_until_state(session, SessionState.IDLE, SessionState.NO_MODEL)
    assert session.state is SessionState.IDLE, session.failure
    return session


def intervention(session: DebugSession, path: str, slot: Slot, change: Change, **more: object) -> Intervention:
    return Intervention(session.next_intervention_id(), path, slot, change, **more)  # type: ignore[arg-type]


def stepped(session: DebugSession) -> None:
    session.step()
    drain_until_state(session, SessionState.IDLE)
    assert session.failure is None


def tried(session: DebugSession) -> tuple[int, int]:
    session.try_interventions()
    drain_until_state(session, SessionState.IDLE)
    assert session.failure is None
    assert session.trial is not None
    return session.trial.before, session.trial.after


def cells(
    session: DebugSession, ref: TensorRef, step: int | None = None, minus: int | None = None
) -> list[list[float]]:
    session.request_view("table", 1, ref, TableRequest(), step, minus)
    view = drain_until_view(session)
    assert isinstance(view.result, Table), view.result
    return [[float(cell) for cell in row] for row in view.result.cells]


def flat(session: DebugSession, ref: TensorRef, step: int | None = None) -> list[float]:
    return [value for row in cells(session, ref, step) for value in row]


def gradient_of(name: str) -> TensorRef:
    return TensorRef("", Slot.PARAMETER_GRAD, name)


def test_that_a_scaled_gradient_of_a_leaf_is_before_and_after_side_by_side(session: DebugSession) -> None:
    opened(session, parse_source("example:leaf_gradient"))
    session.check([""])
    stepped(session)
    session.set_interventions([intervention(session, "", Slot.PARAMETER_GRAD, Scale(3.0), leaf="w")])
    before, after = tried(session)
    assert [flat(session, gradient_of("w"), step) for step in (before, after)] == [[5.0], [15.0]]
    assert [flat(session, gradient_of("x"), step) for step in (before, after)] == [[2.0], [2.0]]
    assert session.trial is not None
    assert (session.trial.loss_before, session.trial.loss_after) == (6.0, 6.0)
    record = session.records.get(gradient_of("w"))
    assert record is not None
    assert BadgeKind.CHANGED in {badge.kind for badge in record.badges}


def test_that_a_scaled_gradient_of_an_operation_reaches_the_leaves_behind_it(session: DebugSession) -> None:
    opened(session, parse_source("example:non_leaf"))
    session.check([""])
    session.check_operations([OperationRef("", "add", 0)])
    stepped(session)
    assert flat(session, gradient_of("a")) == [2.0, 2.0]
    scaled = intervention(session, "", Slot.GRAD_OUTPUT, Scale(2.0), operation="add:0")
    session.set_interventions([scaled])
    before, after = tried(session)
    of_c = TensorRef("", Slot.GRAD_OUTPUT, "out", operation="add:0")
    assert [flat(session, of_c, step) for step in (before, after)] == [[2.0, 2.0], [4.0, 4.0]]
    for name, expected in (("a", [4.0, 4.0]), ("b", [4.0, 4.0]), ("d", [10.0])):
        assert flat(session, gradient_of(name), after) == expected
    status = session.intervention_statuses[scaled.id]
    assert (status.applied, status.changed, status.idle, status.refs) == (1, 2, None, (of_c,))


def test_that_a_trial_changes_nothing_and_steps_are_compared_and_subtracted(ready: DebugSession) -> None:
    session = ready
    ordinary = session.history[-1].loss
    zeroed = intervention(session, "0", Slot.OUTPUT, Zero(), where=Channels((2,)))
    session.set_interventions([zeroed])
    before, after = tried(session)
    assert session.trial is not None
    assert session.trial.loss_before == ordinary  # the same dropout
    assert session.trial.loss_after != ordinary
    out = TensorRef("0", Slot.OUTPUT, "out")
    difference = cells(session, out, after, before)
    assert [[value != 0 for value in row] for row in difference] == [[False, False, True, False]] * 2
    assert [row[2] for row in cells(session, out, after)] == [0.0, 0.0]
    session.compare_steps(before, after)
    drain_until(session, lambda: session.comparison is not None)
    assert session.comparison is not None
    moved = {found.ref: found.changed for found in session.comparison.differences}
    assert moved[out] == 2
    assert moved[TensorRef("0", Slot.INPUT, "args.0")] == 0
    session.set_interventions([])
    session.prove_unchanged()
    drain_until_state(session, SessionState.IDLE)
    assert session.proof is not None
    assert session.proof.differing == ()
    assert session.proof.compared > 4
    stepped(session)
    assert session.history[-1].loss == ordinary
    assert session.trial is None


def test_that_interventions_come_back_with_a_killed_debuggee_and_say_where_there_is_no_place_for_them(
    session: DebugSession, models: Path
) -> None:
    opened(session, FileSource(str(models), "workload"))
    listed = InterventionList(session)
    listed.put(intervention(session, "3", Slot.OUTPUT, Replace(Array.of([[3.0, 0.0]]))))
    listed.put(intervention(session, "3", Slot.GRAD_OUTPUT, StopGradient()))
    drain_until(session, lambda: bool(session.intervention_errors))
    refused = listed.entries[1].id
    assert list(session.intervention_errors) == [refused]
    session.step()
    drain_until_state(session, SessionState.IDLE)
    assert session.failure is not None  # a constant cuts the loss off
    listed.put(intervention(session, "3", Slot.OUTPUT, Add(0.0)))
    listed.remove([listed.entries[0].id])
    stepped(session)
    loss = session.history[-1].loss
    assert session.hello is not None
    os.kill(session.hello.pid, signal.SIGKILL)
    drain_until_state(session, SessionState.LOST)
    listed.put(intervention(session, "3", Slot.OUTPUT, Expression("x + torch.tensor([1.0, 0.0])")))
    session.restart()
    drain_until_state(session, SessionState.IDLE)
    stepped(session)
    assert session.history[-1].loss not in {None, loss}
    assert session.history[-1].acted == 2
    opened(session, parse_source("example:one_layer"))
    stepped(session)
    assert session.intervention_statuses[listed.entries[1].id].idle is Idle.UNKNOWN_MODULE
    assert session.history[-1].acted == 0


def test_that_an_intervention_that_fails_is_told_and_the_next_step_works(ready: DebugSession) -> None:
    session = ready
    loss = session.history[-1].loss
    wrong = intervention(session, "0", Slot.OUTPUT, Expression("x[:, :2]"))
    session.set_interventions([wrong])
    for intent in (session.step, session.try_interventions):
        intent()
        drain_until_state(session, SessionState.IDLE)
        assert session.failure is not None
        assert session.failure.kind is FailureKind.INTERVENTION_FAILED
        assert session.failure.values["id"] == str(wrong.id)
        assert "expected shape (2, 4), given shape (2, 2)" in session.failure.values["reason"]
        session.dismiss_failure()
    session.set_interventions([])
    stepped(session)
    assert session.history[-1].loss == loss


def test_that_the_newest_of_many_values_is_tried_last(ready: DebugSession) -> None:
    session = ready
    one = intervention(session, "3", Slot.OUTPUT, Scale(1.0))
    losses = []
    for factor in (4.0, 4.0, 5.0):
        session.set_interventions([Intervention(one.id, "3", Slot.OUTPUT, Scale(factor))])
        tried(session)
        assert session.trial is not None
        losses.append(session.trial.loss_after)
    assert losses[0] == losses[1] != losses[2]
    for factor in (1.0, 2.0, 3.0, 4.0):
        session.set_interventions([Intervention(one.id, "3", Slot.OUTPUT, Scale(factor))])
        session.try_interventions()
    drain_until_state(session, SessionState.IDLE)
    assert session.trial is not None
    assert session.trial.loss_after == losses[0]


def test_that_a_tensor_at_hand_is_changed_for_this_event_alone(ready: DebugSession) -> None:
    session = ready
    loss = session.history[-1].loss
    session.run_to("3")
    drain_until_state(session, SessionState.STOPPED)
    assert session.stopped is not None
    ref = session.stopped.ref
    assert ref is not None
    session.change_at_hand([HandChange(ref, Zero(), Index((0, 2)))])
    drain_until(session, lambda: session.at_hand is not None)
    assert session.at_hand is not None
    assert session.at_hand.errors == ("",)
    assert session.edited == (ref,)
    assert cells(session, ref)[0][2] == 0.0
    session.continue_()
    drain_until_state(session, SessionState.IDLE)
    assert session.edited == ()
    assert session.history[-1].loss != loss
    stepped(session)
    assert session.history[-1].loss == loss


def test_that_more_noise_changes_an_output_more(ready: DebugSession) -> None:
    session = ready
    before = session.history[-1].loss
    one = intervention(session, "0", Slot.OUTPUT, Noise(1.0, 3))
    session.set_interventions([one])
    out = TensorRef("0", Slot.OUTPUT, "out")
    sweep = Sweep(session, one.id, "std", (0.0, 1.0, 2.0), [Measure(out, of_difference=True), Measure(out, "nan")])
    while not sweep.is_done:
        assert session.wait(GIVE_UP_S)
        for change in session.drain():
            sweep.note(change)
    assert [point.error for point in sweep.points] == ["", "", ""]
    norms = [point.measured[0] for point in sweep.points]
    assert norms[0] == 0.0
    assert norms[1] is not None
    assert norms[2] == pytest.approx(2 * norms[1], rel=1e-4)
    assert [point.measured[1] for point in sweep.points] == [0, 0, 0]
    assert sweep.points[0].loss == before
    assert session.interventions == (one,)


def printed_by(script: Path) -> dict[str, float]:
    """Run a script, where hookscope is not, and return the numbers that it prints."""
    run = subprocess.run(
        [sys.executable, "-I", "-W", "error", str(script)],
        cwd=script.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, run.stderr) == (0, "")
    return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in run.stdout.splitlines())}


def test_that_a_script_takes_the_values_of_another_step_from_beside_it(
    session: DebugSession, models: Path, tmp_path: Path
) -> None:
    opened(session, FileSource(str(models), "workload"))
    session.check(["0", "2"])
    session.change_settings(RunSettings(seed=5))
    stepped(session)
    session.change_settings(RunSettings(seed=6))
    session.set_interventions([intervention(session, "2", Slot.OUTPUT, FromStep(1), where=Channels((1, 2)))])
    assert [needed.ref for needed in needed_captures(session)] == [None], "not known before it has acted"
    stepped(session)
    (needed,) = needed_captures(session)
    assert (needed.ref, needed.step) == (TensorRef("2", Slot.OUTPUT, "out"), 1)
    number = session.export_tensor(needed.ref, tmp_path / "values.npy", ExportForm.NPY, needed.step)
    drain_until(session, lambda: session.exports[number].ended is not None)
    script = tmp_path / "script.py"
    script.write_text(script_of(session, arrays={needed.intervention.id: "values.npy"}))
    assert "hookscope." not in script.read_text()
    loss = session.history[-1].loss
    assert loss is not None
    assert printed_by(script)["loss"] == pytest.approx(loss, rel=1e-8)


def test_that_the_script_of_a_session_gives_its_numbers(session: DebugSession, models: Path) -> None:
    opened(session, FileSource(str(models), "workload"))
    session.check(["0", "3"])
    session.change_settings(RunSettings(seed=5))
    session.set_interventions(
        [
            intervention(session, "1", Slot.OUTPUT, Noise(0.5, 3)),
            intervention(session, "0", Slot.GRAD_OUTPUT, Scale(-1.0), where=Channels((0, 3))),
            intervention(session, "3", Slot.PARAMETER, Scale(0.5), leaf="weight"),
            intervention(session, "nowhere", Slot.OUTPUT, Zero(), enabled=False),
            intervention(session, "3", Slot.GRAD_OUTPUT, StopGradient()),
        ]
    )
    stepped(session)
    script = models.with_name("script.py")
    script.write_text(script_of(session, comment="As in the test."))
    lines = printed_by(script)
    loss = session.history[-1].loss
    assert loss is not None
    assert lines.pop("loss") == pytest.approx(loss, rel=1e-8)
    assert lines.keys() == {"0.weight", "0.bias", "3.weight", "3.bias"}
    for name, norm in lines.items():
        path, _, leaf = name.rpartition(".")
        session.request_view(name, 1, TensorRef(path, Slot.PARAMETER_GRAD, leaf), StatisticsRequest())
        view = drain_until_view(session)
        assert isinstance(view.result, Statistics)
        assert norm == pytest.approx(view.result.norm, rel=1e-6)
