"""Proves that a model is as it was: a run with nothing on it and an observed run give the same bits."""

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from functools import partial

import torch
from torch import nn

from hookscope.engine.capture.hooks import on_gradient
from hookscope.engine.convert import Unreadable
from hookscope.engine.step_runner import StepRunner
from hookscope.engine.tensor_tree import argument_leaves, leaves
from hookscope.engine.trials.difference import same_bits
from hookscope.engine.trials.digest import StateDigest
from hookscope.engine.workloads.inputs import Batch
from hookscope.protocol.events import StepFinished, UnchangedProved
from hookscope.protocol.workload import RunSettings


class Evidence:
    """Copies of what a run gave: loss, outputs, gradients of inputs and parameters, and buffers after it.

    Args:
        model: The model that runs.
    """

    def __init__(self, model: nn.Module) -> None:
        self._model = model
        self._values: dict[str, torch.Tensor] = {}

    def __len__(self) -> int:
        return len(self._values)

    def begins(self, batch: Batch) -> None:
        """The model is about to run. See `step_runner.Witness`."""
        for leaf, tensor in argument_leaves(batch.args, batch.kwargs):
            if tensor.requires_grad:
                on_gradient(tensor, partial(self._take, f"{leaf}.grad"))

    def returned(self, output: object) -> None:
        """The forward pass is over. See `step_runner.Witness`."""
        self._keep(leaves(output, "out"))

    def finished(self, loss: torch.Tensor) -> None:
        """The backward pass is over. See `step_runner.Witness`."""
        self._take("loss", loss)
        self._keep((f"{name}.grad", parameter.grad) for name, parameter in self._model.named_parameters())
        self._keep(self._model.named_buffers())

    def differing(self, other: "Evidence") -> tuple[str, ...]:
        """Return the names of what is not the same, bit for bit, in another run."""
        names = dict.fromkeys((*self._values, *other._values))
        return tuple(name for name in names if not _is_same(self._values.get(name), other._values.get(name)))

    def _keep(self, found: Iterable[tuple[str, torch.Tensor | None]]) -> None:
        for name, tensor in found:
            if tensor is not None:
                self._take(name, tensor)

    def _take(self, name: str, tensor: torch.Tensor) -> None:
        self._values[name] = tensor.detach().clone()


def prove_unchanged(
    runner: StepRunner,
    settings: RunSettings,
    unhooked: Callable[[], AbstractContextManager[None]],
    digest: StateDigest | None,
    tell: Callable[[StepFinished], None],
) -> UnchangedProved:
    """Run the newest step without any hook of ours and as it is observed, and compare what comes out of both.

    What differs between two runs without hooks, too, proves nothing and is left out.

    Args:
        runner: Runs the steps, and puts everything back.
        settings: How to run them.
        unhooked: Takes everything of ours off the model in a block.
        digest: What parameters and buffers were before the first intervention was set, if that can be compared.
        tell: Told of the observed step.

    Raises:
        FailureError: See `StepRunner.run`, also for the others.
        StepAborted: The window asked for Stop.
        KeyboardInterrupt: The main thread was interrupted.
    """
    bare, observed = Evidence(runner.model), Evidence(runner.model)
    with unhooked():
        runner.run_bare(settings, bare)
    tell(runner.try_out(settings, intervenes=False, witness=observed))
    differing, compared = bare.differing(observed), len(bare)
    if differing:
        again = Evidence(runner.model)
        with unhooked():
            runner.run_bare(settings, again)
        unsteady = set(bare.differing(again))
        differing = tuple(name for name in differing if name not in unsteady)
        compared -= len(unsteady)
    if digest is None:
        return UnchangedProved(compared, differing)
    differing = tuple(dict.fromkeys((*differing, *digest.differing(runner.model))))
    return UnchangedProved(compared + len(digest), differing, since_set=True)


def _is_same(one: torch.Tensor | None, other: torch.Tensor | None) -> bool:
    if one is None or other is None:
        return one is other
    try:
        return same_bits(one, other)
    except Unreadable:  # without values of its own there is nothing to compare
        return True
