"""The bridge tells of operations that were listed."""

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from hookscope.client.state import SessionState
from hookscope.gui.session_bridge import SessionBridge
from hookscope.protocol.workload import ExampleSource
from tests.client.fakes import fake_interpreter

WAIT_MS = 60_000
"""Only a broken program waits that long."""


def test_that_a_trace_is_told_with_its_path_when_its_operations_can_be_read(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    bridge = SessionBridge(interpreter=fake_interpreter(tmp_path))
    try:
        bridge.session.open(ExampleSource("good"))
        qtbot.waitUntil(lambda: bridge.session.state is SessionState.IDLE, timeout=WAIT_MS)
        with qtbot.waitSignal(bridge.operations_traced, timeout=WAIT_MS) as heard:
            bridge.session.trace_operations("a")
        assert heard.args == ["a"]
        assert len(bridge.session.operations["a"]) == 1
    finally:
        bridge.close()
