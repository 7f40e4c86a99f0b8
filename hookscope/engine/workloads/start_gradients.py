"""The gradients of an output that backward can start from, as in `output.backward(gradient)`."""

from collections.abc import Sequence

import torch

from hookscope.engine.failure_report import failed
from hookscope.engine.specs import dtype_name
from hookscope.engine.tensor_files import UnusableTensor, read_tensor
from hookscope.protocol.failures import FailureKind
from hookscope.protocol.workload import LossChoice


def start_gradients(
    choice: LossChoice, outputs: Sequence[tuple[str, torch.Tensor]], seed: int | None, file: str
) -> list[torch.Tensor]:
    """Make a gradient for each tensor of an output, in its shape, dtype and place.

    Args:
        choice: One that is a gradient.
        outputs: The tensors that require a gradient, by their paths.
        seed: Of the numbers of `GRADIENT_RANDOM`; the random state of the model is left alone.
        file: Of `GRADIENT_FILE`; as `output.backward` takes it, its shape must be the output's, while any real dtype
            does for a real output.

    Raises:
        FailureError: `GRADIENT_UNUSABLE`.
        MemoryError: The file is too large.
    """
    if choice is LossChoice.GRADIENT_ONES:
        return [torch.ones_like(tensor) for _, tensor in outputs]
    if choice is LossChoice.GRADIENT_RANDOM:
        # On the CPU, so that the numbers are the same on each device.
        generator = torch.Generator().manual_seed(seed or 0)
        return [_drawn(tensor, generator) for _, tensor in outputs]
    try:
        return [_read(file, outputs)]
    except UnusableTensor as error:
        raise failed(FailureKind.GRADIENT_UNUSABLE, reason=str(error)) from None


def sum_of_products(output: torch.Tensor, gradient: torch.Tensor) -> torch.Tensor:
    """Return the real number whose gradient with regard to an output is the one that is given, bit for bit."""
    if output.dtype.is_complex:
        return (output * gradient.conj()).real.sum()
    # The sum of a few thousand half-precision numbers is already infinite.
    is_narrow = output.element_size() < 4
    return (output.float() * gradient.float() if is_narrow else output * gradient).sum()


def _drawn(tensor: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    drawn_as = torch.complex64 if tensor.dtype.is_complex else torch.float32
    drawn = torch.randn(tensor.shape, generator=generator, dtype=drawn_as, device="cpu")
    return drawn.to(tensor.device, tensor.dtype)


def _read(file: str, outputs: Sequence[tuple[str, torch.Tensor]]) -> torch.Tensor:
    if len(outputs) > 1:
        paths = ", ".join(path for path, _ in outputs)
        raise UnusableTensor(
            f"expected an output of one tensor that requires a gradient, as a file holds the gradient of one; "
            f"given {len(outputs)}: {paths}"
        )
    (_, output), gradient = outputs[0], read_tensor(file)
    if gradient.shape != output.shape:
        raise UnusableTensor(f"expected the output's shape {tuple(output.shape)}, given {tuple(gradient.shape)}")
    if gradient.dtype.is_complex != output.dtype.is_complex:
        kind = "complex" if output.dtype.is_complex else "real"
        raise UnusableTensor(
            f"expected {kind} numbers, as the output is {dtype_name(output.dtype)}, given {dtype_name(gradient.dtype)}"
        )
    return gradient.to(output.device, output.dtype)
