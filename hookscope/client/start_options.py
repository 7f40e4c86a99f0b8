"""What was asked for on the command line, and which modules its globs mean."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from hookscope.protocol.failures import Failure, FailureKind
from hookscope.protocol.patterns import match_paths, nearest
from hookscope.protocol.tree import ModuleTree
from hookscope.protocol.workload import RunSettings, Source, SyntheticInput


@dataclass(frozen=True)
class StartOptions:
    """What to do at the start.

    Attributes:
        source: What to open; `None` for nothing yet.
        device: Where to run it.
        checks: Globs of modules to check.
        steps: How many steps to run.
        seed: Seed of the first step; `None` leaves the random state alone.
        screenshot: Where to save a picture of the window when all this is done.
        headless: Whether to end then, with what went wrong on standard error.
        inputs: Made-up inputs, in place of the source's own.
        export: Folder for every capture of the last step.
    """

    source: Source | None = None
    device: str = "cpu"
    checks: tuple[str, ...] = ()
    steps: int = 0
    seed: int | None = 0
    screenshot: Path | None = None
    headless: bool = False
    inputs: tuple[SyntheticInput, ...] = ()
    export: Path | None = None

    @property
    def settings(self) -> RunSettings:
        """How steps are run."""
        return RunSettings(device=self.device, seed=self.seed)


def modules_to_check(patterns: Iterable[str], tree: ModuleTree) -> tuple[str, ...] | Failure:
    """Return the paths of the modules that any of the globs matches, or why one of them is of no use."""
    paths = [module.path for module in tree.modules]
    found: dict[str, None] = {}
    for pattern in patterns:
        matches = match_paths(pattern, paths)
        if not matches:
            near = ", ".join(nearest(pattern, paths))
            return Failure(FailureKind.UNKNOWN_MODULES, {"pattern": pattern, "near": near})
        found.update(dict.fromkeys(matches))
    return tuple(found)
