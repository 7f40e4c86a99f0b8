"""Sessions over fake debuggees; each test proves that nothing of them is left on disk either."""

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hookscope.client.session import DebugSession
from hookscope.client.supervisor import LadderTimes
from tests.client.fakes import fake_interpreter

QUICK = LadderTimes(abort_s=0.1, interrupt_s=0.1, close_s=0.1)
PATIENT = LadderTimes(abort_s=60.0, interrupt_s=60.0, close_s=60.0)


@pytest.fixture(autouse=True)
def temporary_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield folder
    assert not list(folder.iterdir()), "left on disk"


@pytest.fixture
def fake_session(tmp_path: Path, temporary_files: Path) -> Iterator[Callable[..., DebugSession]]:
    sessions: list[DebugSession] = []

    def make(manner: str = "good", times: LadderTimes = PATIENT) -> DebugSession:
        sessions.append(DebugSession(interpreter=fake_interpreter(tmp_path, manner), times=times))
        return sessions[-1]

    yield make
    for session in sessions:
        session.close()
