"""Hook modes over a fake debuggee: what is asked for, what it answers, and what is replayed."""

from collections.abc import Callable

import pytest

from hookscope.client.changes import Change
from hookscope.client.session import DebugSession
from hookscope.client.state import SessionState, SessionStateError
from hookscope.protocol.events import HooksSet
from hookscope.protocol.hooks import HookMode
from hookscope.protocol.workload import ExampleSource
from tests.client.fakes import drain_until_state, drain_until_told

MakeSession = Callable[..., DebugSession]


def opened(session: DebugSession, name: str = "good") -> DebugSession:
    session.open(ExampleSource(name))
    drain_until_state(session, SessionState.IDLE)
    answered(session)  # what a fresh debuggee is told first
    return session


def answered(session: DebugSession) -> HooksSet:
    """Return the answer to what was just asked."""

    def is_answer(change: Change) -> bool:
        return isinstance(change, HooksSet)

    changes = drain_until_told(session, lambda changes: any(map(is_answer, changes)))
    return next(change for change in changes if isinstance(change, HooksSet))


def test_that_everything_is_exact_at_first(fake_session: MakeSession) -> None:
    session = opened(fake_session())
    session.check(["a"])
    assert answered(session).modes == {}
    assert session.default_hook_mode is HookMode.EXACT
    assert session.hook_modes == {}
    assert session.refused_modes == {}
    assert session.hooks_on("a") == ("forward_hook", "exact")
    assert session.hooks_on("b") == ()


def test_that_a_module_keeps_its_mode_when_check_marks_change(fake_session: MakeSession) -> None:
    session = opened(fake_session())
    session.check(["a"])
    answered(session)
    session.set_hook_mode(["a", ""], HookMode.NATIVE)
    assert answered(session).modes == {"a": HookMode.NATIVE}
    session.check([""])
    assert answered(session).modes == {"": HookMode.NATIVE}
    session.check(["", "a"])
    assert answered(session).modes == {"": HookMode.NATIVE, "a": HookMode.NATIVE}
    assert session.hook_modes == {"a": HookMode.NATIVE, "": HookMode.NATIVE}
    assert session.hooks_on("a") == ("forward_hook", "native")


def test_that_the_default_mode_is_that_of_modules_without_one_of_their_own(fake_session: MakeSession) -> None:
    session = opened(fake_session())
    session.check(["", "a"])
    answered(session)
    session.set_hook_mode(["a"], HookMode.EXACT)
    answered(session)
    session.set_default_hook_mode(HookMode.ALIAS)
    assert answered(session).modes == {"": HookMode.ALIAS}
    assert session.default_hook_mode is HookMode.ALIAS


def test_that_a_refusal_and_its_reason_can_be_seen_until_it_is_over(fake_session: MakeSession) -> None:
    session = opened(fake_session())
    session.check(["a", "b"])
    answered(session)
    session.set_hook_mode(["a", "b"], HookMode.LEGACY)
    assert answered(session).modes == {"a": HookMode.LEGACY}
    assert session.refused_modes == {"b": "b is like that"}
    assert session.hooks_on("b") == ("forward_hook", "exact")
    session.set_hook_mode(["b"], HookMode.EXACT)
    answered(session)
    assert session.refused_modes == {}


def test_that_a_restart_replays_the_modes(fake_session: MakeSession) -> None:
    session = opened(fake_session())
    session.check(["", "a"])
    session.set_hook_mode(["a"], HookMode.NATIVE)
    session.set_default_hook_mode(HookMode.LEGACY)
    session.restart()
    drain_until_state(session, SessionState.IDLE)
    assert answered(session).modes == {"": HookMode.LEGACY, "a": HookMode.NATIVE}


def test_that_another_model_keeps_the_default_mode_alone(fake_session: MakeSession) -> None:
    session = fake_session()
    session.set_default_hook_mode(HookMode.NATIVE)
    with pytest.raises(SessionStateError, match="set_hook_mode"):
        session.set_hook_mode(["a"], HookMode.ALIAS)
    opened(session)
    session.check(["a", "b"])
    answered(session)
    session.set_hook_mode(["a"], HookMode.ALIAS)
    answered(session)
    opened(session, "other")
    assert session.hook_modes == {}
    assert session.refused_modes == {}
    session.check(["a"])
    assert answered(session).modes == {"a": HookMode.NATIVE}
