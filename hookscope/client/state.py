"""The states of a session, and what may be asked of it in which one."""

from enum import StrEnum


class SessionState(StrEnum):
    """Where a session is; every enabled flag of the window derives from it.

    `NO_MODEL -> LAUNCHING -> LOADING -> IDLE -> RUNNING -> IDLE`; from any state with a debuggee to `LOST`.
    """

    NO_MODEL = "no_model"
    LAUNCHING = "launching"
    """A process was started and has not said hello. A model loaded before stays until the new one is loaded."""
    LOADING = "loading"
    """It is importing and building the model."""
    IDLE = "idle"
    """A model is loaded and no step runs."""
    RUNNING = "running"
    STOPPING = "stopping"
    """The run was told to end and has not ended yet."""
    STOPPED = "stopped"
    """A step is held inside a hook."""
    LOST = "lost"
    """The debuggee is gone; what it had told can still be read, and `restart` brings the model back."""


class SessionStateError(Exception):
    """Something was asked of a session that its state forbids."""


_STATES = frozenset(SessionState)
_IN_LAUNCH = frozenset({SessionState.LAUNCHING, SessionState.LOADING})

ALLOWED: dict[str, frozenset[SessionState]] = {
    "open": _STATES,
    "cancel": _IN_LAUNCH,
    "check": _STATES - {SessionState.NO_MODEL},
    "set_hook_mode": _STATES - {SessionState.NO_MODEL},
    "set_default_hook_mode": _STATES,
    "check_operations": _STATES - {SessionState.NO_MODEL},
    "trace_operations": frozenset({SessionState.IDLE}),
    "change_settings": frozenset({SessionState.NO_MODEL, SessionState.IDLE, SessionState.STOPPED, SessionState.LOST}),
    "give_inputs": frozenset({SessionState.IDLE, SessionState.STOPPED, SessionState.LOST}),
    "step": frozenset({SessionState.IDLE}),
    "run": frozenset({SessionState.IDLE}),
    "pause": frozenset({SessionState.RUNNING}),
    "stop": frozenset({SessionState.RUNNING, SessionState.STOPPED}),
    "restart": _STATES - _IN_LAUNCH,
    "request_view": _STATES - {SessionState.NO_MODEL, SessionState.LOST},
}
"""In which states each method of `DebugSession` may be called."""
