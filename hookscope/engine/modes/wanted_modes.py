"""The hook modes that the window wants, and what is known of them: tried once before a step, then in force."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from torch import nn

from hookscope.engine.capture.recorder import Recorder
from hookscope.engine.modes.hook_modes import EXACT, Verdict, hooks_on, refusal
from hookscope.engine.modes.preflight import Preflight
from hookscope.protocol.events import HooksSet
from hookscope.protocol.hooks import HookMode


class WantedModes:
    """Watches modules, in the wanted modes once these were tried and until then exactly. Belongs to the main thread.

    Args:
        recorder: Who watches.
    """

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._modules: Mapping[str, nn.Module] = {}
        self._wanted: Mapping[str, HookMode] = EXACT
        self._refused_at_once: dict[str, str] = {}
        self._verdict: Verdict | None = None

    @property
    def are_tried(self) -> bool:
        """Whether nothing is left to be tried before a step."""
        return not self._to_try() or (self._verdict is not None and self._verdict.is_final)

    def set(self, modules: Mapping[str, nn.Module], modes: Mapping[str, HookMode]) -> None:
        """Watch exactly these modules, from their next call on.

        Args:
            modules: The modules by path.
            modes: The wanted modes; they hold from the next step on, when they have been tried.
        """
        wanted = {path: mode for path, mode in modes.items() if path in modules and mode is not HookMode.EXACT}
        if not self._is_known(wanted):
            self._verdict = None
            self._recorder.watch(modules)  # else hooks of ours would be taken for the user's
            found = {path: refusal(modules[path], mode) for path, mode in wanted.items()}
            self._refused_at_once = {path: reason for path, reason in found.items() if reason}
        self._modules, self._wanted = modules, wanted
        self._watch()

    def try_out(self, preflight: Preflight) -> bool:
        """Try the modes, and let those that can be hold.

        Returns:
            Whether more is refused, or less, than was known.

        Raises:
            FailureError: See `Preflight.judge`, also for the others.
            StepAborted: The window asked for Stop.
            KeyboardInterrupt: The main thread was interrupted.
        """
        known = self.answer()
        self._verdict = None
        self._watch()  # none of them may be on the model while they are tried
        wanted = self._wanted
        verdict = preflight.judge(self._to_try())
        if self._wanted == wanted:  # else the window has changed its mind meanwhile
            self._verdict = verdict
            self._watch()
        return self.answer() != known

    @contextmanager
    def unhooked(self) -> Iterator[None]:
        """Watch nothing in the block, and afterwards what was watched before."""
        self._recorder.watch({})
        try:
            yield
        finally:
            self._watch()

    def answer(self, unknown: tuple[str, ...] = ()) -> HooksSet:
        """Say what holds, for the window.

        Args:
            unknown: What is no module of the model.
        """
        found = self._refused_at_once
        if self._verdict is not None:
            found = found | dict(self._verdict.refused)
        refused = {path: reason for path, reason in found.items() if path in self._wanted}
        modes = {path: mode for path, mode in self._wanted.items() if path not in refused}
        paths = self._recorder.paths
        return HooksSet(paths, unknown, modes, refused, {path: hooks_on(path, modes) for path in paths})

    def _is_known(self, wanted: Mapping[str, HookMode]) -> bool:
        """Whether all that was found out about the present modes holds for these too."""
        if self._verdict is not None and self._verdict.remark:
            return wanted == self._wanted
        return wanted.items() <= self._wanted.items()

    def _to_try(self) -> dict[str, HookMode]:
        return {path: mode for path, mode in self._wanted.items() if path not in self._refused_at_once}

    def _watch(self) -> None:
        """Watch the modules: in the modes that hold, or, before those were tried, exactly."""
        if self._verdict is None:
            at_once = {path: mode for path, mode in self._wanted.items() if path in self._refused_at_once}
            self._recorder.watch(self._modules, at_once)
        else:
            self._recorder.watch(self._modules, self._wanted, self._verdict)
