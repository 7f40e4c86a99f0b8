"""Made-up inputs: what a model without a workload is run on. Nothing here touches the global random state."""

from collections.abc import Callable

import torch
from torch import nn

from hookscope.engine.failure_report import failed, raised
from hookscope.engine.specs import dtype_name
from hookscope.protocol.failures import FailureKind
from hookscope.protocol.workload import SyntheticInput

_SEQUENCE = 8
_TOKENS = 16
_IMAGE_NET = 224
_SIZES = {1: 64, 2: 32, 3: 16}
"""Spatial size of made-up signals, images and volumes, by their number of spatial dims."""


def synthesize(inputs: tuple[SyntheticInput, ...]) -> tuple[torch.Tensor, ...]:
    """Make the tensors that were asked for, on the CPU; the same ones each time.

    Raises:
        FailureError: `BAD_INPUT` when there is no such dtype, or no values of it in the range asked for;
            `OUT_OF_MEMORY`.
    """
    generator = torch.Generator().manual_seed(0)
    return tuple(_make(asked, generator) for asked in inputs)


def _make(asked: SyntheticInput, generator: torch.Generator) -> torch.Tensor:
    dtype = getattr(torch, asked.dtype, None)
    if not isinstance(dtype, torch.dtype):
        raise failed(FailureKind.BAD_INPUT, reason=f"There is no dtype {asked.dtype}.")
    try:
        if dtype.is_complex or dtype.is_floating_point:
            drawn_as = torch.complex64 if dtype.is_complex else torch.float32
            return torch.randn(asked.shape, generator=generator, dtype=drawn_as).to(dtype)
        if dtype is not torch.bool and not 0 < asked.high <= torch.iinfo(dtype).max + 1:
            raise failed(FailureKind.BAD_INPUT, reason=f"{asked.dtype} has no values from 0 below {asked.high}.")
        return torch.randint(asked.high, asked.shape, generator=generator).to(dtype)
    except (RuntimeError, TypeError, MemoryError, NotImplementedError) as error:
        raise raised(FailureKind.BAD_INPUT, error, reason=f"{asked.dtype}{asked.shape} cannot be made.") from error


def guess_inputs(model: nn.Module) -> tuple[SyntheticInput, ...] | None:
    """Guess one input of a model from its first layer, in order of registration, that tells what it takes.

    Only declarations are read, nothing is run, so a model that begins otherwise gets an input that does not fit.

    Returns:
        One input, with a batch of 1, or `None` when no layer tells or a lazy one has yet to learn its sizes.
    """
    for module in model.modules():
        for layer_type, guess in _GUESSES:
            if isinstance(module, layer_type):
                if any(nn.parameter.is_lazy(parameter) for parameter in module.parameters()):
                    return None
                return (guess(module),)
    return None


def _convolution(layer: nn.Conv1d | nn.Conv2d | nn.Conv3d) -> SyntheticInput:
    spatial = len(layer.kernel_size)
    reach = max(gap * (size - 1) + 1 for size, gap in zip(layer.kernel_size, layer.dilation, strict=True))
    # Large first kernels (7x7 stems, 16x16 patches) belong to networks made for ImageNet's size.
    size = _IMAGE_NET if spatial == 2 and reach >= 7 else _SIZES[spatial]
    return SyntheticInput((1, layer.in_channels, *[max(size, reach)] * spatial), _dtype_of(layer))


def _linear(layer: nn.Linear) -> SyntheticInput:
    return SyntheticInput((1, layer.in_features), _dtype_of(layer))


def _embedding(layer: nn.Embedding) -> SyntheticInput:
    return SyntheticInput((1, _TOKENS), "int64", layer.num_embeddings)


def _recurrent(layer: nn.RNNBase) -> SyntheticInput:
    lead = (1, _SEQUENCE) if layer.batch_first else (_SEQUENCE, 1)
    return SyntheticInput((*lead, layer.input_size), _dtype_of(layer))


_GUESSES: tuple[tuple[type[nn.Module] | tuple[type[nn.Module], ...], Callable[..., SyntheticInput]], ...] = (
    ((nn.Conv1d, nn.Conv2d, nn.Conv3d), _convolution),
    (nn.Linear, _linear),
    (nn.Embedding, _embedding),
    (nn.RNNBase, _recurrent),
)


def _dtype_of(layer: nn.Module) -> str:
    # By way of parameters(): reading a parametrised `weight` would compute it, and spectral_norm would change.
    parameter = next(layer.parameters(), None)
    return dtype_name(parameter.dtype) if parameter is not None else "float32"
