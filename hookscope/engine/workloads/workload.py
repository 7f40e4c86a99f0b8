"""What a step runs. `Workload` is public: it is what a file opened in hookscope returns."""

import inspect
from collections.abc import Callable, Iterable, Mapping, Sized
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import nn

from hookscope.engine.workloads.function_model import model_of
from hookscope.protocol.workload import LossChoice

NAMED_LOSSES = (LossChoice.SUM.value, LossChoice.MEAN.value, LossChoice.MEAN_SQUARE.value)
"""Losses that can be given by name; `hookscope.engine.workloads.losses` says what each one does."""


@dataclass
class Workload:
    """A model and everything that one step of it needs.

    A step calls the model on the next batch, makes one number of its output, and runs backward from it::

        def workload():
            model = Net()
            return Workload(model, torch.randn(8, 3, 32, 32), torch.randint(10, (8,)), nn.CrossEntropyLoss())

    What `inputs` is decides how the model is called:

    ===============================  ==================================================================
    a tensor                         `model(inputs)`, the same one at every step
    a tuple                          `model(*inputs)`
    a dict (any mapping)             `model(**inputs)`
    a list, a `DataLoader`, any      one batch a step, each of them a tensor, a tuple or a mapping as
    other iterable                   above; goes round and round, or, if it is a generator, once
    ===============================  ==================================================================

    When `targets` is `None` and the loss needs two arguments, a batch of an iterable that is a pair is
    `(inputs, targets)`, as a `DataLoader` over a labelled data set gives it.

    A plain function is a model too. The leaf tensors that require a gradient, among the inputs that it is called with,
    become the parameters of the module that is made of it, named by its arguments::

        def workload():
            w = torch.tensor([1.0], requires_grad=True)
            return Workload(lambda w, x: w * x, {"w": w, "x": torch.tensor([2.0])})

    Attributes:
        model: Any module or function; a module is hooked while it runs and otherwise left as it is. Of a function, this
            attribute is the module that was made of it, and `inputs` what is left.
        inputs: See above. The tensors may be on any device and are copied for every step, so that neither the model nor
            hookscope changes them. The leaves of a function are not copied: they are parameters.
        targets: Second argument of the loss. With an iterable of batches it is iterated in step with them, unless it is
            a tensor, a tuple or a mapping; those, and any value beside a single batch, are the same for every step.
        loss: `loss(output, targets)`, or `loss(output)` if it takes one argument; a name, one of `sum`, `mean` and
            `mean_square`; or `None` for the output's own `.loss`, else the output itself if it is one number.
        optimizer: Steps after backward while its switch is on. It must have been made of the model's parameters.

    Raises:
        TypeError: An argument is of a kind that cannot be used; the message says what is needed.
        ValueError: There is no batch, or there are not as many targets as batches.
    """

    model: nn.Module
    inputs: Any
    targets: Any = None
    loss: Callable[..., Any] | str | None = None
    optimizer: torch.optim.Optimizer | None = None

    if TYPE_CHECKING:  # what may be given for `model` is more than what it is afterwards

        def __init__(
            self,
            model: nn.Module | Callable[..., Any],
            inputs: Any,
            targets: Any = None,
            loss: Callable[..., Any] | str | None = None,
            optimizer: torch.optim.Optimizer | None = None,
        ) -> None: ...

    def __post_init__(self) -> None:
        self._check_inputs()
        given: object = self.model
        if not isinstance(given, nn.Module):
            if isinstance(given, type) or not callable(given):
                raise TypeError(f"model must be a torch.nn.Module or a function, not {_kind(given)}")
            self.model, self.inputs = model_of(given, self.inputs)
        self._check_targets()
        if not (self.loss is None or callable(self.loss) or self.loss in NAMED_LOSSES):
            raise TypeError(f"loss must be a callable, None, or one of {NAMED_LOSSES}, not {self.loss!r}")
        if self.optimizer is not None and not isinstance(self.optimizer, torch.optim.Optimizer):
            raise TypeError(f"optimizer must be a torch.optim.Optimizer or None, not {_kind(self.optimizer)}")

    def _check_inputs(self) -> None:
        if isinstance(self.inputs, np.ndarray):
            raise TypeError("inputs must be tensors, not a numpy array; wrap it in torch.from_numpy(...)")
        if isinstance(self.inputs, (str, bytes)) or not (is_batch(self.inputs) or isinstance(self.inputs, Iterable)):
            raise TypeError(
                f"inputs must be a tensor, a tuple, a dict or an iterable of batches, not {_kind(self.inputs)}"
            )
        if isinstance(self.inputs, Mapping) and not all(isinstance(name, str) for name in self.inputs):
            raise TypeError("inputs given as a mapping are keyword arguments: its keys must be texts")
        if not is_batch(self.inputs) and length_of(self.inputs) == 0:
            raise ValueError("inputs holds no batch")

    def _check_targets(self) -> None:
        if is_batch(self.inputs) or not is_series(self.targets):
            return
        batches, targets = length_of(self.inputs), length_of(self.targets)
        if batches is not None and targets is not None and batches != targets:
            raise ValueError(f"inputs holds {batches} batches, but targets holds {targets}")


def is_batch(value: object) -> bool:
    """Whether a value is one batch: a tensor, a tuple of arguments or a mapping of keyword arguments."""
    return isinstance(value, (torch.Tensor, tuple, Mapping))


def is_series(value: object) -> bool:
    """Whether a value beside an iterable of batches is one value a batch, not the same value for all of them."""
    return isinstance(value, Iterable) and not is_batch(value) and not isinstance(value, (str, bytes, np.ndarray))


def length_of(value: object) -> int | None:
    """Return how many batches an iterable has, or `None` when it does not say (a generator, an IterableDataset)."""
    if not isinstance(value, Sized):
        return None
    try:
        return len(value)
    except TypeError:  # a DataLoader has __len__ even if its data set has none
        return None


def takes(loss: Callable[..., Any], arguments: int) -> bool:
    """Whether a loss can be called with so many positional arguments; a builtin that does not tell needs two."""
    # nn.Module.__call__ takes anything; what counts is the module's forward.
    function = loss.forward if isinstance(loss, nn.Module) else loss
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return arguments == 2
    try:
        signature.bind(*range(arguments))
    except TypeError:
        return False
    return True


def loss_name(loss: Callable[..., Any] | str | None) -> str:
    """Return what a person calls a loss: its name, its function's name or its class; `""` for none."""
    if loss is None:
        return ""
    if isinstance(loss, str):
        return loss
    function = getattr(loss, "func", loss)  # functools.partial
    name = getattr(function, "__name__", None)
    return name.strip("<>") if isinstance(name, str) else type(function).__name__


def _kind(value: object) -> str:
    return f"the class {value.__name__}" if isinstance(value, type) else type(value).__name__
