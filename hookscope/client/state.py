"""The states of a session, and what may be asked of it in which one."""

from enum import StrEnum


class SessionState(StrEnum):
    """Where a session is; every enabled flag of the window derives from it.

    `NO_MODEL -> LAUNCHING -> LOADING -> IDLE -> RUNNING <-> STOPPED`, then `IDLE`; with a debuggee, any to `LOST`.
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
    """A step is held at an event, inside a hook."""
    LOST = "lost"
    """The debuggee is gone; what it had told can still be read, and `restart` brings the model back."""


class SessionStateError(Exception):
    """Something was asked of a session that its state forbids."""


_STATES = frozenset(SessionState)
_IN_LAUNCH = frozenset({SessionState.LAUNCHING, SessionState.LOADING})
_WITH_DEBUGGEE = _STATES - {SessionState.NO_MODEL, SessionState.LOST}
_IDLE_OR_STOPPED = frozenset({SessionState.IDLE, SessionState.STOPPED})

ALLOWED: dict[str, frozenset[SessionState]] = {
    "open": _STATES,
    "cancel": _IN_LAUNCH,
    "check": _STATES - {SessionState.NO_MODEL},
    "set_hook_mode": _STATES - {SessionState.NO_MODEL},
    "set_default_hook_mode": _STATES,
    "check_operations": _STATES - {SessionState.NO_MODEL},
    "trace_operations": frozenset({SessionState.IDLE}),
    "change_settings": frozenset({SessionState.NO_MODEL, SessionState.IDLE, SessionState.LOST}),
    "give_inputs": frozenset({SessionState.IDLE, SessionState.LOST}),
    "step": frozenset({SessionState.IDLE}),
    "run": frozenset({SessionState.IDLE}),
    "pause": frozenset({SessionState.RUNNING}),
    "finish_step": frozenset({SessionState.RUNNING, SessionState.STOPPED}),
    "continue_": frozenset({SessionState.STOPPED}),
    "step_into": _IDLE_OR_STOPPED,
    "step_over": _IDLE_OR_STOPPED,
    "step_out": _IDLE_OR_STOPPED,
    "run_to": _IDLE_OR_STOPPED,
    "to_non_finite": _IDLE_OR_STOPPED,
    "to_end_of_forward": _IDLE_OR_STOPPED,
    "to_end_of_backward": _IDLE_OR_STOPPED,
    "find_non_finite": frozenset({SessionState.IDLE}),
    "set_interventions": _STATES,
    "try_interventions": frozenset({SessionState.IDLE, SessionState.RUNNING}),
    "prove_unchanged": frozenset({SessionState.IDLE}),
    "compare_steps": _WITH_DEBUGGEE,
    "change_at_hand": frozenset({SessionState.STOPPED}),
    "stop": frozenset({SessionState.RUNNING, SessionState.STOPPED}),
    "set_breakpoints": _STATES,
    "restart": _STATES - _IN_LAUNCH,
    "request_view": _WITH_DEBUGGEE,
    "request_stack": frozenset({SessionState.STOPPED}),
    "request_source": _WITH_DEBUGGEE,
    "set_series": _STATES,
    "request_overview": _WITH_DEBUGGEE,
    "export_tensor": _WITH_DEBUGGEE,
    "export_step": _WITH_DEBUGGEE,
    "cancel_export": _STATES,
    "cancel_view": _STATES,
}
"""In which states each method of `DebugSession` may be called."""
