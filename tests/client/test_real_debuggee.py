"""Sessions over the real debuggee: real models, real tensors, real ends."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from hookscope.client.session import DebugSession
from hookscope.client.state import SessionState
from hookscope.client.supervisor import LadderTimes
from hookscope.protocol.events import RunEnd, RunFinished
from hookscope.protocol.failures import FailureKind
from hookscope.protocol.identity import Slot
from hookscope.protocol.views import Statistics, StatisticsRequest
from hookscope.protocol.workload import FileSource, Source, parse_source
from tests.client.fakes import drain_until, drain_until_state, drain_until_told, drain_until_view, printed

MODELS = """
import os, sys
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 2)

    def forward(self, x):
        return self.layer(x).sum()

class Aborts(Net):
    def forward(self, x):
        out = super().forward(x)
        os.abort()

class Loops(Net):
    def forward(self, x):
        out = super().forward(x)
        print("grüße aus forward", sys.argv[1:], repr(sys.stdin.read()))
        while True:
            pass
"""


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "models.py"
    path.write_text(MODELS)
    return path


@pytest.fixture
def session() -> Iterator[DebugSession]:
    with DebugSession(times=LadderTimes(abort_s=0.3, interrupt_s=30.0, close_s=30.0)) as session:
        yield session


def opened(session: DebugSession, models: Path, name: str) -> DebugSession:
    return opened_source(session, FileSource(str(models), name))


def opened_source(session: DebugSession, source: Source) -> DebugSession:
    session.open(source)
    drain_until_state(session, SessionState.IDLE, SessionState.NO_MODEL)
    assert session.state is SessionState.IDLE, session.failure
    return session


def test_that_a_step_of_an_example_can_be_seen(session: DebugSession) -> None:
    opened_source(session, parse_source("example:one_layer"))
    assert session.hello is not None
    assert session.hello.pid != os.getpid()
    assert session.devices[0].name == "cpu"
    assert session.tree is not None
    path = session.tree.modules[-1].path
    session.check([path])
    session.step()
    drain_until_state(session, SessionState.IDLE)
    assert session.failure is None
    assert len(session.history) == 1
    slots = {record.ref.slot for record in session.records.of(path)}
    assert {Slot.INPUT, Slot.OUTPUT, Slot.GRAD_OUTPUT, Slot.PARAMETER, Slot.PARAMETER_GRAD} <= slots
    output = session.records.output(path)
    assert output is not None
    session.request_view("panel", 1, output.ref, StatisticsRequest())
    view = drain_until_view(session)
    assert isinstance(view.result, Statistics)
    assert view.step == 1


def test_that_a_killed_debuggee_comes_back_with_its_model_and_checks(session: DebugSession, models: Path) -> None:
    opened(session, models, "Net")
    session.check(["layer"])
    session.step()
    drain_until_state(session, SessionState.IDLE)
    assert session.hello is not None
    os.kill(session.hello.pid, signal.SIGKILL)
    drain_until_state(session, SessionState.LOST)
    assert session.failure is not None
    assert session.failure.kind is FailureKind.DEBUGGEE_SIGNALLED
    assert session.failure.values["signal"] == "SIGKILL"
    assert session.records.paths() == {"layer"}
    session.restart()
    drain_until_state(session, SessionState.IDLE)
    session.step()
    drain_until_state(session, SessionState.IDLE)
    assert [step.step for step in session.history] == [1]
    assert session.records.paths() == {"layer"}


def test_that_an_abort_in_native_code_is_told_with_where_it_happened(session: DebugSession, models: Path) -> None:
    opened(session, models, "Aborts")
    session.check(["layer"])
    session.step()
    drain_until_state(session, SessionState.LOST)
    assert session.failure is not None
    assert session.failure.values["signal"] == "SIGABRT"
    assert "models.py" in session.failure.values["output"]  # from faulthandler
    assert "in forward" in session.failure.values["output"]


def test_that_a_loop_prints_into_the_window_and_is_interrupted_by_stop(session: DebugSession, models: Path) -> None:
    opened(session, models, "Loops")
    session.check(["layer"])
    session.step()
    changes = drain_until_told(session, lambda changes: "\n" in printed(changes))
    assert "grüße aus forward [] ''" in printed(changes)
    session.stop()
    changes = drain_until_state(session, SessionState.IDLE)
    assert [change.reason for change in changes if isinstance(change, RunFinished)] == [RunEnd.INTERRUPTED]
    assert session.failure is None


def test_that_a_file_that_cannot_be_imported_leaves_the_old_model(
    session: DebugSession, models: Path, tmp_path: Path
) -> None:
    opened(session, models, "Net")
    broken = tmp_path / "broken.py"
    broken.write_text("import there_is_no_such_module\n")
    session.open(FileSource(str(broken), "model"))
    drain_until(session, lambda: session.failure is not None)
    assert session.failure is not None
    assert session.failure.kind is FailureKind.SOURCE_RAISED
    assert session.state is SessionState.IDLE
    session.step()
    drain_until_state(session, SessionState.IDLE)
    assert len(session.history) == 1


@pytest.mark.parametrize(("wish", "expected"), [(None, "passive"), ("active", "active")])
def test_that_threads_of_torch_sleep_while_they_wait_unless_a_person_wants_them_to_spin(
    wish: str | None, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OMP_WAIT_POLICY", raising=False)
    if wish is not None:
        monkeypatch.setenv("OMP_WAIT_POLICY", wish)
    file = tmp_path / "says.py"
    file.write_text("import os, torch\nprint('policy', os.environ['OMP_WAIT_POLICY'])\nmodel = torch.nn.Linear(2, 1)\n")
    with DebugSession() as session:
        session.open(FileSource(str(file), "model"))
        changes = drain_until_told(session, lambda changes: "\n" in printed(changes))
    assert printed(changes).split() == ["policy", expected]
