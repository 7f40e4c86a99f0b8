"""Searches for the first NaN or infinity without a window: for the command line, scripts and continuous integration."""

from dataclasses import dataclass

from hookscope.client.session import DebugSession
from hookscope.client.state import SessionState
from hookscope.protocol.events import NonFiniteSearched
from hookscope.protocol.failures import Failure
from hookscope.protocol.workload import RunSettings, Source, SyntheticInput

_IN_WORK = {SessionState.LAUNCHING, SessionState.LOADING, SessionState.RUNNING}
_WAIT_S = 1.0


@dataclass(frozen=True)
class SearchOutcome:
    """How a search has ended: with an answer, or with what kept it from one."""

    found: NonFiniteSearched | None
    failure: Failure | None


def search_non_finite(
    source: Source, settings: RunSettings, inputs: tuple[SyntheticInput, ...], steps: int
) -> SearchOutcome:
    """Load a model in a debuggee of its own, search, and end the debuggee. Blocks.

    Args:
        source: Where the model comes from.
        settings: How steps are run.
        inputs: Made-up inputs, if any.
        steps: How many steps at most.
    """
    with DebugSession() as session:
        session.change_settings(settings)
        session.open(source, inputs=inputs)
        _wait(session)
        if session.state is SessionState.IDLE and session.failure is None:
            session.find_non_finite(steps)
            _wait(session)
        return SearchOutcome(session.non_finite_search, session.failure)


def _wait(session: DebugSession) -> None:
    while session.state in _IN_WORK:
        session.wait(_WAIT_S)
        session.drain()
