"""Runs steps and exports the last one without a window: for the command line, scripts and continuous integration."""

from dataclasses import dataclass
from pathlib import Path

from hookscope.client.session import DebugSession
from hookscope.client.start_options import StartOptions, modules_to_check
from hookscope.client.state import SessionState
from hookscope.protocol.events import Exported
from hookscope.protocol.failures import Failure

_IN_WORK = {SessionState.LAUNCHING, SessionState.LOADING, SessionState.RUNNING}
_WAIT_S = 1.0


@dataclass(frozen=True)
class ExportOutcome:
    """How it has ended: with an export, or with what kept it from one."""

    exported: Exported | None = None
    failure: Failure | None = None


def run_and_export(options: StartOptions, folder: Path) -> ExportOutcome:
    """Load a model in a debuggee of its own, run its steps, write the last one to a folder, and end. Blocks.

    Args:
        options: What to load, check and run; at least one step is run.
        folder: Where every captured tensor is written to.

    Raises:
        ValueError: There is nothing to load.
    """
    if options.source is None:
        raise ValueError("nothing to load")
    with DebugSession() as session:
        session.change_settings(options.settings)
        session.open(options.source, inputs=options.inputs)
        failure = _work(session)
        if failure is not None or session.tree is None:
            return ExportOutcome(failure=failure)
        checked = modules_to_check(options.checks, session.tree)
        if isinstance(checked, Failure):
            return ExportOutcome(failure=checked)
        session.check(checked)
        session.run(max(options.steps, 1))
        failure = _work(session)
        if failure is not None:
            return ExportOutcome(failure=failure)
        number = session.export_step(folder)
        while session.exports[number].ended is None:
            session.wait(_WAIT_S)
            session.drain()
        return ExportOutcome(session.exports[number].ended)


def _work(session: DebugSession) -> Failure | None:
    """Wait until nothing runs; return what went wrong."""
    while session.state in _IN_WORK:
        session.wait(_WAIT_S)
        session.drain()
    return session.failure
