"""Tries hook modes out before a step: whether the model still runs with them, and whether its numbers stay.

The first batch is run from one and the same state, without and with the hooks, and the state is put back each time.
When the model raises only with them, the guilty modules are found: by trying suspects alone, else ever fewer modules.
On the main thread.
"""

import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import nn
from torch.nn.parameter import is_lazy

from hookscope.engine.capture.hooks import Hooker, ModuleHooks
from hookscope.engine.failure_report import FailureError
from hookscope.engine.modes.culprits import explain, suspects
from hookscope.engine.modes.hook_modes import Quiet, Verdict
from hookscope.engine.modes.mode_trials import Looker, Nobody, TrialHooker
from hookscope.engine.module_tree import named_modules
from hookscope.engine.pause import Gate
from hookscope.engine.state.eager import running_eagerly
from hookscope.engine.state.randomness import seed_everything
from hookscope.engine.state.state_snapshot import StateSnapshot
from hookscope.engine.tensor_tree import leaves
from hookscope.engine.workloads.inputs import Batch, Batches, prepare
from hookscope.engine.workloads.losses import loss_of_step
from hookscope.engine.workloads.workload import Workload
from hookscope.protocol.hooks import HookMode
from hookscope.protocol.workload import RunSettings

_Values = dict[str, torch.Tensor | None]

_NOT_YET = "the first step makes some of the model's parameters; from the next step on the mode can be tried"


_GRADIENT = "gradient of "
"""How the names of gradients begin, among the values of a run; the others are outputs."""


@dataclass(frozen=True)
class _Trial:
    """How a run with some modes went.

    Attributes:
        values: What came out, or `None` when it raised.
        reason: Why it raised, if one module's hook is the cause.
        suspects: The modules whose hook may be the cause.
        raised_in_forward: Whether that was before the loss.
    """

    values: _Values | None
    reason: str = ""
    suspects: tuple[str, ...] = ()
    raised_in_forward: bool = False


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
        self._in_forward = False

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
        trial = _Trial({})
        while wanted := [path for path in modes if path not in refused]:
            trial = self._try(wanted, modes)
            if trial.values is not None:
                break
            refused |= self._guilty(wanted, modes, trial)
        return Verdict(refused, self._remark(bare, trial.values) if wanted and trial.values is not None else "")

    def _guilty(self, paths: Sequence[str], modes: Mapping[str, HookMode], trial: "_Trial") -> dict[str, str]:
        """Return which modules of some that cannot have their modes together cannot have them, and why.

        Args:
            paths: The modules.
            modes: The modes.
            trial: How trying them together went.
        """
        if len(paths) == 1:
            return {paths[0]: trial.reason}
        for path in trial.suspects:
            alone = self._try([path], modes, backward=not trial.raised_in_forward)
            if alone.values is None:
                return {path: alone.reason}
        found: dict[str, str] = {}
        middle = len(paths) // 2
        for half in (paths[:middle], paths[middle:]):
            part = self._try(half, modes, backward=not trial.raised_in_forward)
            if part.values is None:
                found |= self._guilty(half, modes, part)
        return found or dict.fromkeys(paths, trial.reason)

    def _try(self, paths: Sequence[str], modes: Mapping[str, HookMode], *, backward: bool = True) -> "_Trial":
        """Run with the hooks."""
        hooker = TrialHooker(modes)
        try:
            return _Trial(self._run(dict.fromkeys(paths, hooker), backward=backward))
        except Exception as error:
            found = suspects(error, hooker.made_by, {id(self._modules[path]): path for path in paths})
            reason = explain(error, paths[0], self._modules)
            traceback.clear_frames(error.__traceback__)  # the frames hold activations
            return _Trial(None, reason, tuple(found), raised_in_forward=self._in_forward)

    def _run(self, hookers: Mapping[str, Hooker], *, backward: bool = True) -> _Values:
        """Run forward, and loss and backward if they are wanted, with these hooks, and put the state back."""
        self._gate.pass_safe_point()
        model = self._workload.model
        device = torch.device(self._settings.device)
        batch = prepare(self._batches.first(), device, self._settings.requires_grad)
        beside = [self._workload.loss] if isinstance(self._workload.loss, nn.Module) else []
        before = StateSnapshot.take(model, device, parameters=True, beside=beside)
        hooks = ModuleHooks(Nobody())
        try:
            model.zero_grad(set_to_none=True)
            if self._settings.seed is not None:
                seed_everything(self._settings.seed)
            with Quiet(), torch.enable_grad(), running_eagerly(self._settings.run_eagerly):
                hooks.set({path: self._modules[path] for path in hookers}, hookers)
                self._in_forward = True
                output = model(*batch.args, **batch.kwargs)
                self._in_forward = False
                values: _Values = {leaf: tensor.detach().clone() for leaf, tensor in leaves(output, "out")}
                loss = self._loss(output, batch) if backward else None
                if loss is not None:
                    loss.backward()  # type: ignore[no-untyped-call]
                    values |= {f"{_GRADIENT}{name}": parameter.grad for name, parameter in model.named_parameters()}
            return values
        finally:
            hooks.set({})
            before.restore()

    def _loss(self, output: object, batch: Batch) -> torch.Tensor | None:
        """Return the loss, or `None` when there is none; then the outputs are all that can be compared."""
        try:
            return loss_of_step(self._settings, self._workload, output, batch.targets)
        except FailureError:
            return None

    def _remark(self, bare: _Values, tried: _Values) -> str:
        """Say in what two runs differ, unless the model differs from itself."""
        found = _differences(bare, tried)
        if not found or _differences(bare, self._run({})):
            return ""
        return f"changes the model's numbers: {', '.join(found)}"


def _differences(bare: _Values, tried: _Values) -> list[str]:
    outputs = {leaf for leaf in bare.keys() | tried.keys() if not leaf.startswith(_GRADIENT)}
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
