"""From a model's output to the one number that backward starts from."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import torch

from hookscope.engine.failure_report import failed, raised, type_words
from hookscope.engine.specs import dtype_name
from hookscope.engine.tensor_tree import leaves
from hookscope.engine.workloads.start_gradients import start_gradients, sum_of_products
from hookscope.engine.workloads.workload import Workload, loss_name, takes
from hookscope.protocol.failures import FailureKind
from hookscope.protocol.workload import LossChoice, RunSettings

_Loss = Callable[..., Any]


def loss_of_step(settings: RunSettings, workload: Workload, output: object, targets: object) -> torch.Tensor:
    """Make the loss of a step as the settings say. See `compute_loss`, also for what it raises."""
    return compute_loss(
        settings.loss, workload.loss, output, targets, seed=settings.seed, gradient_file=settings.gradient_file
    )


def compute_loss(
    choice: LossChoice,
    workload_loss: _Loss | str | None,
    output: object,
    targets: object,
    *,
    seed: int | None = None,
    gradient_file: str = "",
) -> torch.Tensor:
    """Make the loss of a step.

    `AUTO` takes the workload's loss, else the output's own `loss` (an attribute, or a key of a mapping), else the
    output itself. `SUM`, `MEAN` and `MEAN_SQUARE`, and a workload's loss given by name, add up those of all tensors in
    the output that require a gradient; complex ones count by their magnitude. The choices of a gradient add up these
    tensors times their gradients, so that backward gives each of them its gradient.

    Args:
        choice: How to make it.
        workload_loss: The workload's own.
        output: What the model returned.
        targets: Second argument of a loss that takes two.
        seed: See `start_gradients`.
        gradient_file: Likewise.

    Returns:
        A real tensor of one element (of shape `()`, or as the loss gave it) that requires a gradient.

    Raises:
        FailureError: `LOSS_RAISED`, `LOSS_NOT_SCALAR` (more than one element, or a complex one), `LOSS_MISSING` (no
            tensor to make it of), `LOSS_NEEDS_NO_GRAD`, `GRADIENT_UNUSABLE`, `OUT_OF_MEMORY`.
    """
    if choice is LossChoice.AUTO and isinstance(workload_loss, str):
        choice = LossChoice(workload_loss)
    if choice is not LossChoice.AUTO:
        loss = _reduce(choice, output, seed, gradient_file)
    elif callable(workload_loss):
        loss = _call(workload_loss, output, targets)
    else:
        loss = _own_loss(output)
    if loss.numel() != 1:
        raise failed(FailureKind.LOSS_NOT_SCALAR, shape=_shape_text(loss))
    if loss.dtype.is_complex:
        raise failed(FailureKind.LOSS_NOT_SCALAR, shape=f"{_shape_text(loss)}, and is {dtype_name(loss.dtype)}")
    if not loss.requires_grad:
        raise failed(FailureKind.LOSS_NEEDS_NO_GRAD)
    return loss


def _call(loss: _Loss, output: object, targets: object) -> torch.Tensor:
    output_only = takes(loss, 1) and (targets is None or not takes(loss, 2))
    arguments = (output,) if output_only else (output, targets)
    try:
        result = loss(*arguments)
        if not isinstance(result, torch.Tensor):
            raise TypeError(f"the loss must return a tensor, but {loss_name(loss)} returned {type_words(result)}")
    except (Exception, SystemExit) as error:
        raise raised(FailureKind.LOSS_RAISED, error, loss=loss_name(loss)) from error
    return result


def _own_loss(output: object) -> torch.Tensor:
    own = output.get("loss") if isinstance(output, Mapping) else getattr(output, "loss", None)
    for candidate in (own, output):
        if isinstance(candidate, torch.Tensor):
            return candidate
    raise failed(FailureKind.LOSS_MISSING, given=type_words(output))


def _reduce(choice: LossChoice, output: object, seed: int | None, gradient_file: str) -> torch.Tensor:
    found = list(leaves(output, "out"))
    if not found:
        raise failed(FailureKind.LOSS_MISSING, given=type_words(output))
    differentiable = [(path, tensor) for path, tensor in found if tensor.requires_grad]
    if not differentiable:
        raise failed(FailureKind.LOSS_NEEDS_NO_GRAD)
    try:
        if choice.is_gradient:
            gradients = start_gradients(choice, differentiable, seed, gradient_file)
            return _total(map(sum_of_products, (tensor for _, tensor in differentiable), gradients))
        return _total(_REDUCTIONS[choice](_real(tensor)) for _, tensor in differentiable)
    except (RuntimeError, MemoryError) as error:
        raise raised(FailureKind.LOSS_RAISED, error, loss=choice.value) from error


def _real(tensor: torch.Tensor) -> torch.Tensor:
    if tensor.dtype.is_complex:
        tensor = tensor.abs()
    # The sum of a few thousand half-precision numbers is already infinite.
    return tensor.float() if tensor.element_size() < 4 else tensor


def _mean_square(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.square().mean()


_REDUCTIONS: dict[LossChoice, Callable[[torch.Tensor], torch.Tensor]] = {
    LossChoice.SUM: torch.sum,
    LossChoice.MEAN: torch.mean,
    LossChoice.MEAN_SQUARE: _mean_square,
}


def _total(parts: Iterable[torch.Tensor]) -> torch.Tensor:
    first, *others = parts
    for part in others:
        first = first + part.to(first.device)
    return first


def _shape_text(tensor: torch.Tensor) -> str:
    return str(tuple(tensor.shape))
