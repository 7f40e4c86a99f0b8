"""Exports of a session: what is told of them, giving them up, and their end when the debuggee is lost."""

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from hookscope.client.changes import Change
from hookscope.client.inbox import Inbox
from hookscope.client.session import DebugSession
from hookscope.client.state import SessionState, SessionStateError
from hookscope.protocol import events
from hookscope.protocol.exports import ExportEnd, ExportForm
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.views import NoPicture, StatisticsRequest
from hookscope.protocol.workload import ExampleSource
from tests.client.fakes import drain_until, drain_until_state, drain_until_told

MakeSession = Callable[..., DebugSession]
OUT = TensorRef("a", Slot.OUTPUT, "out")


@pytest.fixture
def session(fake_session: MakeSession) -> DebugSession:
    session = fake_session()
    session.open(ExampleSource("good"))
    drain_until_state(session, SessionState.IDLE)
    return session


def drain_until_ended(session: DebugSession, number: int) -> list[Change]:
    """Drain until it is told that an export has ended; return what was told of exports."""

    def is_ended(changes: list[Change]) -> bool:
        return any(isinstance(change, events.Exported) and change.number == number for change in changes)

    changes = drain_until_told(session, is_ended)
    assert session.exports[number].ended in changes
    return [change for change in changes if isinstance(change, (events.ExportProgress, events.Exported))]


def test_that_a_tensor_is_written_where_the_session_stands_and_told_of(
    session: DebugSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    number = session.export_tensor(OUT, "out.csv", ExportForm.CSV, step=3)
    assert session.exports[number].place == str(tmp_path / "out.csv")
    progress, ended = drain_until_ended(session, number)
    assert progress == events.ExportProgress(number, 12, 24)
    assert ended == events.Exported(number, ExportEnd.WRITTEN, str(tmp_path / "out.csv"), 1, 24)
    assert (session.exports[number].done, session.exports[number].total) == (12, 24)
    assert (tmp_path / "out.csv").read_text() == "csv of a, step 3"


def test_that_each_export_has_a_number_of_its_own_and_one_that_fails_says_why(
    session: DebugSession, tmp_path: Path
) -> None:
    failing = session.export_tensor(OUT, tmp_path / "missing" / "out.npy", ExportForm.NPY)
    whole = session.export_step(tmp_path / "step")
    assert list(session.exports) == [failing, whole] == [1, 2]
    drain_until_ended(session, whole)
    failed, written = session.exports[failing].ended, session.exports[whole].ended
    assert failed is not None
    assert (failed.end, "No such file" in failed.detail) == (ExportEnd.FAILED, True)
    assert written is not None
    assert [skipped.reason for skipped in written.skipped] == ["it does not require a gradient"]


def test_that_an_export_can_be_given_up(session: DebugSession, tmp_path: Path) -> None:
    number = session.export_tensor(OUT, tmp_path / "slow.npy", ExportForm.NPY)
    drain_until(session, lambda: session.exports[number].done > 0)
    session.cancel_export(number)
    (ended,) = drain_until_ended(session, number)
    assert isinstance(ended, events.Exported)
    assert ended.end is ExportEnd.CANCELLED
    session.cancel_export(number)  # it has ended
    session.cancel_export(99)  # there is none


def test_that_an_export_ends_with_its_debuggee(session: DebugSession, tmp_path: Path) -> None:
    number = session.export_tensor(OUT, tmp_path / "slow.npy", ExportForm.NPY)
    drain_until(session, lambda: session.exports[number].done > 0)
    assert session.hello is not None
    os.kill(session.hello.pid, signal.SIGKILL)
    changes = drain_until_ended(session, number)
    assert [change.end for change in changes if isinstance(change, events.Exported)] == [ExportEnd.FAILED]
    drain_until_state(session, SessionState.LOST)
    with pytest.raises(SessionStateError):
        session.export_step(tmp_path)
    assert len(session.exports) == 1


def test_that_another_model_ends_the_exports_of_the_former_one(session: DebugSession, tmp_path: Path) -> None:
    number = session.export_tensor(OUT, tmp_path / "slow.npy", ExportForm.NPY)
    session.open(ExampleSource("other"))
    drain_until_ended(session, number)
    assert session.export_step(tmp_path) == number + 1


def test_that_nothing_is_exported_without_a_model(fake_session: MakeSession, tmp_path: Path) -> None:
    session = fake_session()
    with pytest.raises(SessionStateError):
        session.export_step(tmp_path)
    session.open(ExampleSource("loads slowly"))
    with pytest.raises(SessionStateError):
        session.export_tensor(OUT, tmp_path / "out.npy", ExportForm.NPY)
    assert not session.exports


def test_that_a_view_that_takes_long_tells_how_far_it_is_and_can_be_given_up(session: DebugSession) -> None:
    session.request_view("slow", 4, OUT, StatisticsRequest())
    changes = drain_until_told(session, lambda told: any(isinstance(one, events.ViewProgress) for one in told))
    assert events.ViewProgress("slow", 4, 1, 6) in changes
    session.cancel_view("slow", 4)
    changes = drain_until_told(session, lambda told: any(isinstance(one, events.ViewReady) for one in told))
    (answer,) = [change for change in changes if isinstance(change, events.ViewReady)]
    assert isinstance(answer.result, NoPicture)


def test_that_of_progress_only_the_newest_waits_in_the_inbox() -> None:
    inbox = Inbox()
    for done in range(5):
        for number in (1, 2):
            inbox.put(1, events.ExportProgress(number, done, 5))
        inbox.put(1, events.ViewProgress("p", 1, done, 5))
    ended = events.Exported(1, ExportEnd.WRITTEN, "x")
    inbox.put(1, ended)
    newest = [events.ExportProgress(1, 4, 5), events.ExportProgress(2, 4, 5), events.ViewProgress("p", 1, 4, 5), ended]
    assert [arrival for _, arrival in inbox.take()] == newest
