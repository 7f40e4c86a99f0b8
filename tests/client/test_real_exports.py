"""Exports by a real debuggee: exact values of a real step, and an end to what takes too long."""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from hookscope.client.session import DebugSession
from hookscope.client.state import SessionState
from hookscope.protocol.events import Exported
from hookscope.protocol.exports import ExportEnd, ExportForm
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.workload import ExampleSource, FileSource
from tests.client.fakes import drain_until, drain_until_state

MODEL = """
import torch

class Wide(torch.nn.Module):
    def forward(self, x):
        return x.repeat(3_000_000)

def make():
    import hookscope
    return hookscope.Workload(Wide(), [torch.ones(1)])
"""


@pytest.fixture
def session() -> Iterator[DebugSession]:
    with DebugSession() as session:
        yield session


def ended(session: DebugSession, number: int) -> Exported:
    drain_until(session, lambda: session.exports[number].ended is not None)
    exported = session.exports[number].ended
    assert exported is not None
    return exported


def test_that_a_step_and_a_tensor_are_exported_while_others_run(session: DebugSession, tmp_path: Path) -> None:
    session.open(ExampleSource("one_layer"))
    drain_until_state(session, SessionState.IDLE)
    assert session.tree is not None
    session.check(module.path for module in session.tree.modules)
    session.step()
    drain_until_state(session, SessionState.IDLE)
    weight = next(record.ref for record in session.records.of("") if record.ref.leaf == "weight")
    whole = session.export_step(tmp_path / "step")
    one = session.export_tensor(weight, tmp_path / "weight.npy", ExportForm.NPY, step=1)
    session.run(3)
    assert ended(session, whole).end is ExportEnd.WRITTEN
    assert ended(session, one).end is ExportEnd.WRITTEN
    drain_until_state(session, SessionState.IDLE)
    index = json.loads((tmp_path / "step" / "index.json").read_text())
    files = {(entry["slot"], entry["leaf"]): tmp_path / "step" / entry["file"] for entry in index["tensors"]}
    values = {place: np.load(file) for place, file in files.items()}
    weights, bias = values["parameter", "weight"], values["parameter", "bias"]
    np.testing.assert_array_equal(np.load(tmp_path / "weight.npy"), weights)
    product = values["input", "args.0"] @ weights.T + bias
    np.testing.assert_allclose(values["output", "out"], product, rtol=1e-6)
    by_hand = np.outer(values["grad_output", "out"], values["input", "args.0"])
    np.testing.assert_allclose(values["parameter_grad", "weight"], by_hand, rtol=1e-6)


def test_that_a_long_export_is_given_up_and_leaves_no_file(session: DebugSession, tmp_path: Path) -> None:
    (tmp_path / "wide.py").write_text(MODEL)
    session.open(FileSource(str(tmp_path / "wide.py"), "make"))
    drain_until_state(session, SessionState.IDLE)
    session.check([""])
    session.step()
    drain_until_state(session, SessionState.IDLE)
    folder = tmp_path / "out"
    folder.mkdir()
    out = TensorRef("", Slot.OUTPUT, "out")
    long = session.export_tensor(out, folder / "long.csv", ExportForm.CSV)
    waiting = session.export_step(folder / "step")
    drain_until(session, lambda: session.exports[long].done > 0)
    assert session.exports[long].total == 12_000_000
    session.cancel_export(waiting)
    session.cancel_export(long)
    assert ended(session, long).end is ExportEnd.CANCELLED
    assert ended(session, waiting).end is ExportEnd.CANCELLED
    assert not list(folder.iterdir())
