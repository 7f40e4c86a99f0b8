"""The bridge: what the session tells arrives as typed signals, on the GUI's thread, and none after the end."""

import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication
from pytestqt.qtbot import QtBot

from hookscope.client.state import SessionState
from hookscope.gui.session_bridge import SessionBridge
from hookscope.protocol.failures import Failure, FailureKind
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.interventions import HandChange, Intervention
from hookscope.protocol.stops import Breakpoint, EventPhase
from hookscope.protocol.tensor_changes import Add
from hookscope.protocol.views import StatisticsRequest
from hookscope.protocol.workload import ExampleSource, RunSettings
from tests.client.fakes import fake_interpreter

WAIT_MS = 60_000
"""Only a broken program waits that long."""

SIGNALS = (
    "state_changed",
    "model_loaded",
    "hooks_changed",
    "settings_changed",
    "records_changed",
    "step_finished",
    "progress_changed",
    "view_arrived",
    "stopped",
    "continued",
    "events_added",
    "breakpoints_changed",
    "stack_arrived",
    "source_arrived",
    "log_printed",
    "interventions_changed",
    "trial_finished",
    "steps_compared",
    "unchanged_proved",
    "at_hand_changed",
    "failure_raised",
    "output_printed",
)


class Listener:
    """Notes every signal of a bridge with its arguments, and on which thread it came."""

    def __init__(self, bridge: SessionBridge) -> None:
        self.heard: list[tuple[str, tuple[object, ...]]] = []
        self.threads: set[int] = set()
        for name in SIGNALS:
            getattr(bridge, name).connect(self._note(name))

    def _note(self, name: str):
        def note(*arguments: object) -> None:
            self.heard.append((name, arguments))
            self.threads.add(threading.get_ident())

        return note

    def names(self) -> list[str]:
        return [name for name, _ in self.heard]

    def arguments(self, name: str) -> list[object]:
        return [arguments[0] for known, arguments in self.heard if known == name]


@pytest.fixture
def bridge(qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SessionBridge]:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    bridge = SessionBridge(interpreter=fake_interpreter(tmp_path))
    yield bridge
    bridge.close()


@pytest.fixture
def listener(bridge: SessionBridge) -> Listener:
    return Listener(bridge)


def wait_for_state(qtbot: QtBot, bridge: SessionBridge, state: SessionState) -> None:
    qtbot.waitUntil(lambda: bridge.session.state is state, timeout=WAIT_MS)


def opened(qtbot: QtBot, bridge: SessionBridge, name: str = "good") -> None:
    bridge.session.open(ExampleSource(name))
    wait_for_state(qtbot, bridge, SessionState.IDLE)


def test_that_a_model_and_its_step_arrive_as_signals_in_order(
    qtbot: QtBot, bridge: SessionBridge, listener: Listener
) -> None:
    opened(qtbot, bridge)
    loaded = listener.names()
    assert loaded.index("model_loaded") < loaded.index("hooks_changed")
    assert "output_printed" in loaded
    bridge.session.check(["a", "b"])
    with qtbot.waitSignal(bridge.hooks_changed, timeout=WAIT_MS):
        pass
    listener.heard.clear()
    bridge.session.step()
    wait_for_state(qtbot, bridge, SessionState.IDLE)
    qtbot.waitUntil(lambda: listener.names()[-1:] == ["state_changed"], timeout=WAIT_MS)
    names = listener.names()
    assert names[0] == "state_changed"
    assert names.index("records_changed") < names.index("step_finished")
    assert set().union(*listener.arguments("records_changed")) == {"a", "b"}
    assert len(listener.arguments("step_finished")) == 1
    assert listener.threads == {threading.get_ident()}


def test_that_a_fast_run_tells_of_each_drain_once_and_keeps_every_step(
    qtbot: QtBot, bridge: SessionBridge, listener: Listener
) -> None:
    opened(qtbot, bridge)
    bridge.session.check(["a", "b"])
    bridge.session.run(200)
    wait_for_state(qtbot, bridge, SessionState.IDLE)
    steps = [getattr(step, "step", 0) for step in listener.arguments("step_finished")]
    assert steps == sorted(set(steps))
    assert steps[-1] == 200
    assert [step.step for step in bridge.session.history] == list(range(1, 201))
    assert 0 < len(listener.arguments("records_changed")) < 200
    assert len(steps) < 200


def test_that_views_settings_and_failures_arrive(qtbot: QtBot, bridge: SessionBridge, listener: Listener) -> None:
    opened(qtbot, bridge)
    with qtbot.waitSignal(bridge.view_arrived, timeout=WAIT_MS) as arrived:
        bridge.session.request_view("panel", 1, TensorRef("a", Slot.OUTPUT, "out"), StatisticsRequest())
    assert arrived.args is not None
    assert arrived.args[0].panel == "panel"
    with qtbot.waitSignals([bridge.settings_changed, bridge.failure_raised], timeout=WAIT_MS):
        bridge.session.change_settings(RunSettings(device="cuda:9"))
    (failure,) = listener.arguments("failure_raised")
    assert isinstance(failure, Failure)
    assert failure.kind is FailureKind.DEVICE_UNAVAILABLE
    assert bridge.session.settings.device == "cpu"


def test_that_a_stop_and_all_about_it_arrive(qtbot: QtBot, bridge: SessionBridge, listener: Listener) -> None:
    session = bridge.session
    opened(qtbot, bridge)
    with qtbot.waitSignal(bridge.breakpoints_changed, timeout=WAIT_MS):
        session.set_breakpoints([Breakpoint(1, "a", (EventPhase.FORWARD_LEAVE,), log="here")])
    session.run_to("b")
    with qtbot.waitSignal(bridge.stopped, timeout=WAIT_MS) as stopped:
        pass
    assert stopped.args is not None
    assert stopped.args[0] is session.stopped
    names = listener.names()
    assert names.index("log_printed") < names.index("events_added") < names.index("stopped")
    assert listener.arguments("events_added") == [1]
    with qtbot.waitSignals([bridge.stack_arrived, bridge.source_arrived], timeout=WAIT_MS):
        session.request_stack()
        session.request_source("net.py", 3)
    assert listener.arguments("stack_arrived") == [session.stack]
    with qtbot.waitSignal(bridge.continued, timeout=WAIT_MS):
        session.continue_()
    wait_for_state(qtbot, bridge, SessionState.IDLE)


def test_that_interventions_and_what_comes_of_them_arrive(
    qtbot: QtBot, bridge: SessionBridge, listener: Listener
) -> None:
    session = bridge.session
    opened(qtbot, bridge)
    with qtbot.waitSignal(bridge.interventions_changed, timeout=WAIT_MS):
        session.set_interventions([Intervention(1, "b", Slot.OUTPUT, Add(1.0))])
    with qtbot.waitSignal(bridge.trial_finished, timeout=WAIT_MS):
        session.try_interventions()
    wait_for_state(qtbot, bridge, SessionState.IDLE)
    assert listener.arguments("trial_finished") == [session.trial]
    assert listener.names().count("interventions_changed") > 1, "how they fared is told, too"
    assert session.trial is not None
    with qtbot.waitSignal(bridge.steps_compared, timeout=WAIT_MS):
        session.compare_steps(session.trial.before, session.trial.after)
    session.set_interventions(())
    with qtbot.waitSignal(bridge.unchanged_proved, timeout=WAIT_MS):
        session.prove_unchanged()
    wait_for_state(qtbot, bridge, SessionState.IDLE)
    session.run_to("b")
    wait_for_state(qtbot, bridge, SessionState.STOPPED)
    with qtbot.waitSignal(bridge.at_hand_changed, timeout=WAIT_MS):
        session.change_at_hand([HandChange(TensorRef("b", Slot.INPUT, "args.0"), Add(1.0))])
    assert listener.arguments("at_hand_changed") == [session.at_hand]
    session.continue_()
    wait_for_state(qtbot, bridge, SessionState.IDLE)


def test_that_a_stop_that_was_ended_meanwhile_is_not_told(
    qtbot: QtBot, bridge: SessionBridge, listener: Listener
) -> None:
    opened(qtbot, bridge)
    bridge.events_added.connect(bridge.session.stop)
    bridge.session.step_into()
    wait_for_state(qtbot, bridge, SessionState.IDLE)
    assert listener.arguments("events_added") == [1]
    assert "stopped" not in listener.names()


def test_that_losing_the_debuggee_is_told(qtbot: QtBot, bridge: SessionBridge, listener: Listener) -> None:
    opened(qtbot, bridge, "aborts")
    with qtbot.waitSignal(bridge.failure_raised, timeout=WAIT_MS):
        bridge.session.step()
    assert bridge.session.state is SessionState.LOST
    assert listener.names()[-1] in {"failure_raised", "state_changed"}


def test_that_nothing_is_told_after_the_end(qtbot: QtBot, bridge: SessionBridge) -> None:
    opened(qtbot, bridge)
    bridge.session.run()
    with qtbot.waitSignal(bridge.step_finished, timeout=WAIT_MS):
        pass
    listener = Listener(bridge)
    bridge.close()
    bridge.close()
    for _ in range(10):
        QCoreApplication.processEvents()
    assert listener.heard == []


def test_that_closing_in_the_middle_of_news_ends_them(qtbot: QtBot, bridge: SessionBridge) -> None:
    opened(qtbot, bridge)
    bridge.session.run()
    bridge.step_finished.connect(bridge.close)
    with qtbot.waitSignal(bridge.step_finished, timeout=WAIT_MS):
        pass
    listener = Listener(bridge)
    for _ in range(10):
        QCoreApplication.processEvents()
    assert listener.heard == []
