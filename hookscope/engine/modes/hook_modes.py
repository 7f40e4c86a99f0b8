"""How the gradients of each checked module are captured: who does it, what is refused, which hooks stand on it."""

import warnings
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from torch import nn

from hookscope.engine.capture.calls import Call
from hookscope.engine.capture.capture_writer import CaptureWriter
from hookscope.engine.capture.hooks import Handle, Hooker, StepHooks, hook_forward
from hookscope.engine.compat import backward_hook_flag
from hookscope.engine.modes.alias_inputs import AliasRecorder
from hookscope.engine.modes.legacy_hooks import LegacyRecorder
from hookscope.engine.modes.native_hooks import NativeRecorder
from hookscope.protocol.hooks import HookMode
from hookscope.protocol.tensors import Badge, BadgeKind

if TYPE_CHECKING:
    from hookscope.engine.capture.recorder import Recorder

EXACT: Mapping[str, HookMode] = MappingProxyType({})
"""The modes of a model all of which is captured exactly."""

_FORWARD = ("forward_pre_hook", "forward_hook")
_ON_MODULE: dict[HookMode, tuple[str, ...]] = {
    HookMode.EXACT: (*_FORWARD, "gradient edges (exact)"),
    HookMode.NATIVE: (*_FORWARD, "full_backward_pre_hook", "full_backward_hook"),
    HookMode.ALIAS: ("forward_pre_hook (gives views of the inputs)", "forward_hook", "gradient edges (alias)"),
    HookMode.LEGACY: (*_FORWARD, "backward_hook (deprecated)"),
}

_OF_PYTORCH = frozenset({HookMode.NATIVE, HookMode.LEGACY})
"""Modes that use PyTorch's own backward hooks."""

_QUIET = (
    (FutureWarning, "Using (a )?non-full backward hook"),
    (UserWarning, "For backward hooks to be called"),
    (UserWarning, "Full backward hook is firing when gradients are computed"),
)
"""What PyTorch says of those hooks on the user's console; the records say it, where it belongs."""


@dataclass(frozen=True)
class Verdict:
    """What was found out about wanted modes.

    Attributes:
        refused: Module path -> why its mode cannot be.
        remark: What the other modes do to the model's numbers; `""` for nothing.
        is_final: Whether it will stay so.
    """

    refused: Mapping[str, str] = field(default_factory=dict)
    remark: str = ""
    is_final: bool = True


ADMITTED = Verdict()
"""Nothing speaks against any mode."""


def refusal(module: nn.Module, mode: HookMode) -> str:
    """Return why a mode cannot be on a module, as far as can be told before it runs; `""` if nothing is known."""
    flag = backward_hook_flag(module)
    if mode is HookMode.NATIVE:
        if flag is False:
            return "it has a hook of register_backward_hook, and PyTorch allows only one kind on a module"
        if getattr(module, "inplace", False) is True:
            return "it works in place (inplace=True), which PyTorch's full backward hook does not allow"
    if mode is HookMode.LEGACY and flag is True:
        return "it has a full backward hook, and PyTorch allows only one kind on a module"
    return ""


def hooks_on(path: str, modes: Mapping[str, HookMode]) -> tuple[str, ...]:
    """Return, in words of PyTorch's API, the hooks of ours on a checked module."""
    return _ON_MODULE[modes.get(path, HookMode.EXACT)]


class Quiet(ExitStack):
    """Keeps PyTorch's warnings about its own backward hooks from the user's console. On the main thread."""

    def __init__(self) -> None:
        super().__init__()
        self.enter_context(warnings.catch_warnings())
        for category, message in _QUIET:
            warnings.filterwarnings("ignore", message=message, category=category)


class HookModes:
    """The modes of the watched modules.

    Args:
        recorder: Records what is common to all modes.
        writer: What captures are written with.
        step_hooks: What hooks are put on graph nodes with.

    Attributes:
        wanted: The modes that were asked for.
    """

    def __init__(self, recorder: "Recorder", writer: CaptureWriter, step_hooks: StepHooks) -> None:
        self.wanted = EXACT
        self._uses_pytorch = False
        self._native = NativeRecorder(recorder, writer)
        self._alias = AliasRecorder(recorder, writer, step_hooks)
        self._legacy = LegacyRecorder(recorder, writer)
        self._refused = _RefusedRecorder(recorder)
        self._hookers: dict[HookMode, Hooker] = {
            HookMode.NATIVE: self._native,
            HookMode.ALIAS: self._alias,
            HookMode.LEGACY: self._legacy,
        }
        self._quiet: Quiet | None = None

    def choose(
        self, modules: Mapping[str, nn.Module], modes: Mapping[str, HookMode], verdict: Verdict
    ) -> Mapping[str, Hooker]:
        """Let these modes hold, but for those that are refused, and return who puts hooks on which module.

        Args:
            modules: The modules that will be watched.
            modes: The wanted modes.
            verdict: What is known of them.
        """
        self.wanted = modes
        wanted = {path: mode for path, mode in modes.items() if path in modules and mode is not HookMode.EXACT}
        found = {path: verdict.refused.get(path) or refusal(modules[path], mode) for path, mode in wanted.items()}
        refused = {path: reason for path, reason in found.items() if reason}
        holding = {path: mode for path, mode in wanted.items() if path not in refused}
        self._uses_pytorch = not _OF_PYTORCH.isdisjoint(holding.values())
        self._refused.badges = {path: Badge(BadgeKind.NATIVE_REFUSED, why) for path, why in refused.items()}
        self._native.badge = Badge(BadgeKind.NATIVE, verdict.remark)
        self._alias.badge = Badge(BadgeKind.ALIAS, verdict.remark)
        hookers = {path: self._hookers[mode] for path, mode in holding.items()}
        return hookers | dict.fromkeys(refused, self._refused)

    def begin_step(self) -> None:
        """Let PyTorch's backward hooks be without their warnings."""
        if self._uses_pytorch:
            self._quiet = Quiet()

    def complete_step(self) -> None:
        """Say why what was awaited did not come, where more is known than the recorder knows."""
        self._native.complete_step()

    def end_step(self) -> None:
        """Leave nothing of the step, however it ended."""
        self._native.end_step()
        self._alias.end_step()
        self._legacy.end_step()
        if self._quiet is not None:
            self._quiet.close()
            self._quiet = None


class _RefusedRecorder:
    """Records modules exactly that were to be captured in another way, and says why they are not."""

    def __init__(self, recorder: "Recorder") -> None:
        self.badges: Mapping[str, Badge] = {}
        self._recorder = recorder

    def hook(self, path: str, module: nn.Module) -> Handle:
        return hook_forward(path, module, self)

    def entered(self, path: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Call | None:
        return self._recorder.entered(path, args, kwargs)

    def left(self, path: str, output: object) -> None:
        self._recorder.left(path, output, self._capture)

    def _capture(self, call: Call, output: object) -> None:
        self._recorder.capture_outputs(call, output)
        if call.path in self.badges:
            call.badges = (*call.badges, self.badges[call.path])  # the gradients carry it
