"""The batches of a workload, one a step, and their private copies on the model's device."""

import itertools
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch

from hookscope.engine.failure_report import failed, raised, type_words
from hookscope.engine.specs import named_specs, spec_of
from hookscope.engine.tensor_tree import argument_leaves, leaves
from hookscope.engine.workloads.copier import Copier, moves_itself
from hookscope.engine.workloads.workload import Workload, is_batch, is_series, length_of, loss_name, takes
from hookscope.protocol.failures import FailureKind
from hookscope.protocol.workload import InputInfo, WorkloadInfo

if TYPE_CHECKING:
    from hookscope.engine.workloads.sources import LoadedSource


@dataclass(frozen=True)
class Batch:
    """What one step runs on: the model is called with `args` and `kwargs`, the loss gets `targets`."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    targets: Any = None


class Batches:
    """Gives the batches of a workload for ever; a one-shot iterable only once. Belongs to one thread.

    Making it runs none of the user's code; `first`, `next` and `again` run the user's iterable.
    """

    def __init__(self, workload: Workload) -> None:
        self._workload = workload
        self._is_single = is_batch(workload.inputs)
        self._is_paired = workload.targets is None and callable(workload.loss) and not takes(workload.loss, 1)
        self._items: Iterator[tuple[Any, Any]] | None = None
        self._taken = 0
        self._first: Batch | None = None
        self._newest: Batch | None = None
        self._first_is_unused = False

    @property
    def count(self) -> int | None:
        """Number of batches until they start again; `None` when it cannot be told."""
        return 1 if self._is_single else length_of(self._workload.inputs)

    def first(self) -> Batch:
        """Return the first batch without using it up, also later on.

        Raises:
            FailureError: As for `next`.
        """
        if self._first is None:
            self._first = self._take()
            self._first_is_unused = True
        return self._first

    def next(self) -> Batch:
        """Return the next step's batch: the user's own tensors, see `prepare`.

        Raises:
            FailureError: `BATCHES_ENDED` when there is none and the iterable cannot start again; `BAD_INPUT` when the
                iterable raised, or gave something that a model cannot be called with.
        """
        batch = self.first()
        if self._first_is_unused:
            self._first_is_unused = False
        else:
            batch = self._take()
        self._newest = batch
        return batch

    def again(self) -> Batch:
        """Return the batch that `next` gave last, or the first one; none is used up.

        Raises:
            FailureError: As for `next`.
        """
        return self._newest or self.first()

    def _take(self) -> Batch:
        if self._is_single:
            return _batch_of(self._workload.inputs, self._workload.targets)
        value, targets = self._next_item()
        if self._is_paired and isinstance(value, (tuple, list)) and len(value) == 2:
            value, targets = value
        return _batch_of(value, targets)

    def _next_item(self) -> tuple[Any, Any]:
        try:
            if self._items is None:
                self._items = self._start()
            item = next(self._items, None)
            if item is None and not self._is_one_shot():
                self._items = self._start()
                item = next(self._items, None)
        except (Exception, SystemExit) as error:
            raise raised(FailureKind.BAD_INPUT, error, reason="Getting the next batch raised an error.") from error
        if item is None:
            raise failed(FailureKind.BATCHES_ENDED, count=str(self._taken))
        self._taken += 1
        return item

    def _start(self) -> Iterator[tuple[Any, Any]]:
        targets = self._workload.targets
        return zip(self._workload.inputs, targets if is_series(targets) else itertools.repeat(targets), strict=False)

    def _is_one_shot(self) -> bool:
        inputs, targets = self._workload.inputs, self._workload.targets
        return isinstance(inputs, Iterator) or (is_series(targets) and isinstance(targets, Iterator))


def _batch_of(value: object, targets: object) -> Batch:
    if isinstance(value, Mapping):
        if not all(isinstance(name, str) for name in value):
            raise failed(FailureKind.BAD_INPUT, reason="A batch that is a mapping needs argument names as its keys.")
        return Batch((), dict(value), targets)
    if isinstance(value, torch.Tensor) or moves_itself(value):
        return Batch((value,), {}, targets)
    if isinstance(value, (tuple, list)):
        return Batch(tuple(value), {}, targets)
    reason = f"A batch must be a tensor, a tuple or a dict of them, but one of them is {type_words(value)}."
    raise failed(FailureKind.BAD_INPUT, reason=reason)


def prepare(batch: Batch, device: torch.device, requires_grad: Collection[str]) -> Batch:
    """Copy a batch to the model's device; the user's tensors keep their values, their flags and their `.grad`.

    An input that was made with `requires_grad` has it here too. See `Copier` for what a copy keeps.

    Args:
        batch: As `Batches` gives it.
        device: Where the model is.
        requires_grad: Input leaves (`args.0`, `kwargs.mask`) whose gradient is wanted; those that are no leaf of this
            batch, or whose dtype has no gradient, are passed over.

    Raises:
        FailureError: `OUT_OF_MEMORY`, or `BAD_INPUT` when a tensor cannot be copied.
    """
    wanted = {
        id(tensor)
        for leaf, tensor in argument_leaves(batch.args, batch.kwargs)
        if (leaf in requires_grad or tensor.requires_grad) and can_require_grad(tensor)
    }
    inputs = Copier(device, wanted)
    try:
        return Batch(
            tuple(inputs.copy(value) for value in batch.args),
            {name: inputs.copy(value) for name, value in batch.kwargs.items()},
            Copier(device).copy(batch.targets),
        )
    except Exception as error:
        reason = f"The inputs and targets could not be copied to {device}."
        raise raised(FailureKind.BAD_INPUT, error, reason=reason) from error


def can_require_grad(tensor: torch.Tensor) -> bool:
    """Whether a tensor's dtype can have a gradient."""
    return tensor.dtype.is_floating_point or tensor.dtype.is_complex


def describe(loaded: "LoadedSource", batches: Batches | None) -> WorkloadInfo:
    """Say what was loaded.

    Args:
        loaded: What a source gave.
        batches: Its batches, of which the first is looked at; `None` while inputs are needed.

    Raises:
        FailureError: The first batch cannot be had, see `Batches.next`.
    """
    workload = loaded.workload
    first = batches.first() if batches is not None else Batch((), {})
    return WorkloadInfo(
        title=loaded.title,
        inputs=tuple(
            InputInfo(leaf, spec_of(tensor), can_require_grad(tensor))
            for leaf, tensor in argument_leaves(first.args, first.kwargs)
        ),
        targets=named_specs(list(leaves(first.targets, "targets"))),
        loss_name=loss_name(workload.loss),
        optimizer_name=type(workload.optimizer).__name__ if workload.optimizer is not None else "",
        batches=batches.count if batches is not None else None,
        synthetic=loaded.synthetic,
        needs_input=loaded.needs_input,
    )
