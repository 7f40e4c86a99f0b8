"""Tries hook modes out before a step: whether the model still runs with them, and whether its numbers stay.

The first batch is run from one and the same state, without and with the hooks, and the state is put back each time.
When the model raises only with them, the guilty modules are found by trying ever fewer. On the main thread.
"""

import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path

import torch
from torch import nn
from torch.nn.parameter import is_lazy

from hookscope.engine.eager import running_eagerly
from hookscope.engine.failing_module import FailingModule, failing_module
from hookscope.engine.failure_report import FailureError, describe_exception
from hookscope.engine.hook_modes import Quiet, Verdict
from hookscope.engine.hooks import Hooker, ModuleHooks
from hookscope.engine.inputs import Batches, prepare
from hookscope.engine.losses import compute_loss
from hookscope.engine.mode_trials import Looker, Nobody, TrialHooker
from hookscope.engine.module_tree import named_modules
from hookscope.engine.pause import Gate
from hookscope.engine.randomness import seed_everything
from hookscope.engine.state_snapshot import StateSnapshot
from hookscope.engine.tensor_tree import leaves
from hookscope.engine.workload import Workload
from hookscope.protocol.hooks import HookMode
from hookscope.protocol.workload import RunSettings

_Values = dict[str, torch.Tensor | None]

_NOT_YET = "the first step makes some of the model's parameters; from the next step on the mode can be tried"


class Preflight:
    """Tries modes on one workload.

    Args:
        workload: What is run.
        batches: Of which the first is taken, without using it up.
        settings: How it is run.
        gate: Looked at before each run.
    """

    def __init__(self, workload: Workload, batches: Batches, settings: RunSettings, gate: Gate) -> None:
        self._workload = workload
        self._batches = batches
        self._settings = settings
        self._gate = gate
        self._modules = named_modules(workload.model)

    def judge(self, modes: Mapping[str, HookMode]) -> Verdict | None:
        """Try these modes, while none of them is on the model.

        Returns:
            What was found out; `None` when the model raises without any hook too, as the step will say better.

        Raises:
            FailureError: There is no batch.
            StepAborted: See `Gate.pass_safe_point`.
            KeyboardInterrupt: The main thread was interrupted.
        """
        if any(is_lazy(parameter) for parameter in self._workload.model.parameters()):
            return Verdict(dict.fromkeys(modes, _NOT_YET), is_final=False)
        looker = Looker(modes)
        try:
            bare = self._run(dict.fromkeys(modes, looker))
        except Exception as error:
            if isinstance(error, FailureError):
                raise
            traceback.clear_frames(error.__traceback__)
            return None
        refused = dict(looker.refused)
        tried: _Values | None = None
        while tried is None and (wanted := [path for path in modes if path not in refused]):
            tried, reason = self._try(wanted, modes)
            if tried is None:
                refused |= self._guilty(wanted, modes, reason)
        return Verdict(refused, self._remark(bare, tried) if tried is not None else "")

    def _guilty(self, paths: Sequence[str], modes: Mapping[str, HookMode], reason: str) -> dict[str, str]:
        """Return which modules of some that cannot have their modes together cannot have them, and why."""
        if len(paths) == 1:
            return {paths[0]: reason}
        found: dict[str, str] = {}
        middle = len(paths) // 2
        for half in (paths[:middle], paths[middle:]):
            tried, half_reason = self._try(half, modes)
            if tried is None:
                found |= self._guilty(half, modes, half_reason)
        return found or dict.fromkeys(paths, reason)

    def _try(self, paths: Sequence[str], modes: Mapping[str, HookMode]) -> tuple[_Values | None, str]:
        """Run with the hooks; return what came out, or why nothing did."""
        hooker = TrialHooker(modes)
        try:
            return self._run(dict.fromkeys(paths, hooker)), ""
        except Exception as error:
            reason = explain(error, paths[0], self._modules)
            traceback.clear_frames(error.__traceback__)  # the frames hold activations
            return None, reason

    def _run(self, hookers: Mapping[str, Hooker]) -> _Values:
        """Run forward, loss and backward with these hooks, and put the state back."""
        self._gate.pass_safe_point()
        model = self._workload.model
        device = torch.device(self._settings.device)
        batch = prepare(self._batches.first(), device, self._settings.requires_grad)
        beside = [self._workload.loss] if isinstance(self._workload.loss, nn.Module) else []
        before = StateSnapshot.take(model, device, parameters=False, beside=beside)
        hooks = ModuleHooks(Nobody())
        try:
            model.zero_grad(set_to_none=True)
            if self._settings.seed is not None:
                seed_everything(self._settings.seed)
            with Quiet(), torch.enable_grad(), running_eagerly(self._settings.run_eagerly):
                hooks.set({path: self._modules[path] for path in hookers}, hookers)
                output = model(*batch.args, **batch.kwargs)
                values: _Values = {leaf: tensor.detach().clone() for leaf, tensor in leaves(output, "out")}
                try:
                    loss = compute_loss(self._settings.loss, self._workload.loss, output, batch.targets)
                except FailureError:
                    return values  # the outputs are all that can be compared
                loss.backward()  # type: ignore[no-untyped-call]
            return values | {f"grad {name}": parameter.grad for name, parameter in model.named_parameters()}
        finally:
            hooks.set({})
            before.restore()

    def _remark(self, bare: _Values, tried: _Values) -> str:
        """Say in what two runs differ, unless the model differs from itself."""
        found = _differences(bare, tried)
        if not found or _differences(bare, self._run({})):
            return ""
        return f"changes the model's numbers: {', '.join(found)}"


def explain(error: Exception, path: str, modules: Mapping[str, nn.Module]) -> str:
    """Say why a model raised with PyTorch's backward hooks on a module.

    Args:
        error: What it raised.
        path: The hooked module.
        modules: All modules of the model by path.
    """
    message = str(error)
    where = failing_module(error, modules)
    if "BackwardHookFunction" in message and "inplace" in message:
        is_within = where is not None and f"{where.path}.".startswith(f"{path}." if path else "")
        tensor = "input" if is_within else "output"
        return f"its {tensor} is modified in place by {_doer(error, where)}"
    return f"with the hook on it the model raises {type(error).__name__}: {message.partition(chr(10))[0]}"


def _doer(error: Exception, where: FailingModule | None) -> str:
    """Name the module whose forward raised, or the line of the user's code that did it itself."""
    frames = describe_exception(error).frames
    users = [position for position, frame in enumerate(frames) if frame.user]
    calls = [position for position, frame in enumerate(frames) if frame.function == "_call_impl"]
    if users and (not calls or users[-1] > calls[-1]):  # not within a module of a library
        frame = frames[users[-1]]
        return f"{Path(frame.file).name}:{frame.line}, `{frame.text}`"
    if where is None:
        return "the model"
    return f"`{where.path}` ({where.class_name})" if where.path else f"the {where.class_name}"


def _differences(bare: _Values, tried: _Values) -> list[str]:
    outputs = {leaf for leaf in bare.keys() | tried.keys() if not leaf.startswith("grad ")}
    gradients = (bare.keys() | tried.keys()) - outputs
    found = []
    if any(not _same(bare.get(leaf), tried.get(leaf)) for leaf in outputs):
        found.append("outputs differ from those without the hook")
    invented = {leaf for leaf in gradients if bare.get(leaf) is None and tried.get(leaf) is not None}
    differing = {leaf for leaf in gradients - invented if not _same(bare.get(leaf), tried.get(leaf))}
    if differing:
        found.append(f"parameter gradients differ ({len(differing)})")
    if invented:
        found.append(f"parameters without a gradient get one ({len(invented)})")
    return found


def _same(one: torch.Tensor | None, other: torch.Tensor | None) -> bool:
    """Whether two tensors have the same values, NaN included. What cannot be compared is not said to differ."""
    if one is None or other is None:
        return one is other
    if one.shape != other.shape or one.dtype is not other.dtype:
        return False
    try:
        return bool(((one == other) | ((one != one) & (other != other))).all())  # noqa: PLR0124 - NaN is not itself
    except (RuntimeError, NotImplementedError):
        return True
