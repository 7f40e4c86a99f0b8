"""The one gate from any tensor of a model to real numbers that can be counted and drawn.

Nothing here changes the tensor, draws random numbers, records a graph or is changed by autocast.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import torch
from torch.nn.parameter import is_lazy

from hookscope.engine import compat
from hookscope.engine.progress import looked_at
from hookscope.engine.specs import dtype_name
from hookscope.protocol.view_axes import Part

CHUNK_ELEMENTS = 1 << 22
"""Elements that are converted at once; a bound on the extra memory, 32 MiB as float64."""

_CPU_CHUNK_ELEMENTS = 1 << 15
"""Fewer on the CPU: they stay in its cache, and torch shares them out to no threads, which a running step keeps busy.

Of 16 M elements a histogram takes 100 ms so, beside a step 200 ms; with 4 M at once it is 300 ms and 1400 ms.
"""

MAX_DENSIFIED_ELEMENTS = 1 << 24
"""Sparse tensors above this many elements are not made dense."""

_MAX_SHAPES_TOLD = 8
"""In a sentence."""

MAX_PARTS = 256
"""In a list."""

# Exact in float64; int64 and uint64 are not beyond 2**53, and float32 would be worse. All other dtypes fit float32.
_WIDE = {torch.float64, torch.int64, torch.int32, torch.uint32, torch.uint64}


class Unreadable(Exception):  # noqa: N818 - a property of the tensor, not an error of ours
    """A tensor has no values that could be read; the text says why.

    Attributes:
        parts: Shapes of what a nested tensor is made of, `MAX_PARTS` at most.
    """

    def __init__(self, reason: str, parts: tuple[tuple[int, ...], ...] = ()) -> None:
        super().__init__(reason)
        self.parts = parts


@contextmanager
def quiet(tensor: torch.Tensor) -> Iterator[None]:
    """Switch off autograd, autocast and the overrides of tensor subclasses, in this thread, while values are read."""
    with ExitStack() as stack:
        stack.enter_context(torch._C.DisableTorchFunctionSubclass())
        stack.enter_context(torch.no_grad())
        # Only now, for even asking for the device may call an override.
        device_type = tensor.device.type
        if torch.amp.is_autocast_available(device_type):
            stack.enter_context(torch.autocast(device_type, enabled=False))
        yield


def dense(tensor: torch.Tensor) -> torch.Tensor:
    """Return the values as a plain strided tensor without a graph, of the same shape and on the same device.

    A strided tensor keeps its dtype and its memory is shared: whoever gets it must not write to it. Quantised tensors
    are dequantised, small sparse ones filled up.

    Raises:
        Unreadable: The tensor has no values, or not in a form with one shape.
    """
    with quiet(tensor):
        return _dense(tensor)


def _dense(tensor: torch.Tensor) -> torch.Tensor:
    if is_lazy(tensor):
        raise Unreadable("not initialized: a lazy module gives it a shape on its first call")
    if tensor.is_meta:
        raise Unreadable("on the meta device: it has a shape but no values")
    if compat.is_functorch_wrapped(tensor):
        raise Unreadable("inside a torch.func transform: it has no values of its own")
    try:
        if tensor.is_nested:
            raise _nested(tensor)
        if tensor.layout is not torch.strided:
            if tensor.numel() > MAX_DENSIFIED_ELEMENTS:
                raise Unreadable(f"{_layout_name(tensor)}, and too large to be filled up: {tensor.numel():,} elements")
            return tensor.detach().to_dense()
        if _keeps_values_elsewhere(tensor):
            raise Unreadable(f"a {type(tensor).__name__}, which keeps its values in a form of its own")
        plain = tensor.detach().as_subclass(torch.Tensor)
        return plain.dequantize() if plain.is_quantized else plain
    except (RuntimeError, TypeError) as error:
        raise Unreadable(
            f"torch cannot read this {_layout_name(tensor)} {dtype_name(tensor.dtype)} tensor: {error}"
        ) from error


def _layout_name(tensor: torch.Tensor) -> str:
    return str(tensor.layout).removeprefix("torch.")


def _nested(tensor: torch.Tensor) -> Unreadable:
    shapes = tuple(tuple(part.shape) for part in tensor.unbind())
    told = ", ".join(map(str, shapes[:_MAX_SHAPES_TOLD]))
    more = f", ... ({len(shapes)} in all)" if len(shapes) > _MAX_SHAPES_TOLD else ""
    return Unreadable(f"nested, with the shapes {told}{more}", shapes[:MAX_PARTS])


def _keeps_values_elsewhere(tensor: torch.Tensor) -> bool:
    """Whether it is a wrapper (`__torch_dispatch__`), whose own storage is a dummy."""
    if type(tensor) in {torch.Tensor, torch.nn.Parameter}:
        return False
    if tensor.untyped_storage().device.type == "meta":
        return True
    return tensor.numel() > 0 and tensor.data_ptr() == 0


def as_real(tensor: torch.Tensor) -> torch.Tensor:
    """Return the values as float32 or float64, of the same shape and on the same device.

    float64 and 32- and 64-bit integers become float64, everything narrower float32, which holds it exactly. Complex
    values become their magnitude, in the precision in which it cannot overflow (for complex128 there is none).
    float32 and float64 tensors share their memory with the result: do not write to it.

    Raises:
        Unreadable: There are no values, or torch cannot turn them into numbers.
    """
    with quiet(tensor):
        plain = _dense(tensor)
        if plain.is_complex():
            return plain.to(torch.complex64 if plain.dtype is torch.complex32 else torch.complex128).abs()
        try:
            return plain.to(torch.float64 if plain.dtype in _WIDE else torch.float32).resolve_neg()
        except (RuntimeError, TypeError) as error:
            raise Unreadable(f"torch cannot turn {dtype_name(plain.dtype)} into numbers") from error


def as_part(tensor: torch.Tensor, part: Part) -> torch.Tensor:
    """Return one number of each value as float32 or float64, as `as_real` does; angles are from -pi to pi.

    Raises:
        Unreadable: As `as_real`.
    """
    if part is Part.VALUE or (part is Part.MAGNITUDE and tensor.is_complex()):
        return as_real(tensor)
    with quiet(tensor):
        plain = _dense(tensor)
        if plain.is_complex():
            plain = plain.to(torch.complex64 if plain.dtype is torch.complex32 else plain.dtype).resolve_conj()
            return {Part.PHASE: torch.angle, Part.REAL: torch.real, Part.IMAG: torch.imag}[part](plain)
        values = as_real(plain)
        match part:
            case Part.MAGNITUDE:
                return values.abs()
            case Part.PHASE:
                return values.angle()
            case Part.IMAG:
                return torch.zeros_like(values)
            case _:
                return values


def part_shown(tensor: torch.Tensor, part: Part) -> Part:
    """Return what is drawn when `part` is asked for: the value of a complex number is its magnitude."""
    return Part.MAGNITUDE if part is Part.VALUE and tensor.is_complex() else part


def chunk_elements(tensor: torch.Tensor) -> int:
    """Return how many elements are best converted at once on the tensor's device."""
    return _CPU_CHUNK_ELEMENTS if tensor.device.type == "cpu" else CHUNK_ELEMENTS


def real_chunks(tensor: torch.Tensor, limit: int | None = None) -> Iterator[torch.Tensor]:
    """Yield all values once, in any order, as contiguous 1-D tensors of `as_real`.

    Args:
        tensor: Of any kind.
        limit: Elements of a chunk at most; by default what suits the device.

    Raises:
        Unreadable: As `as_real`.
        GivenUp: Who waits for this does not want it any more.
    """
    plain = dense(tensor)
    is_real = plain.dtype in {torch.float32, torch.float64} and not plain.is_neg()
    for chunk in _chunks(plain, limit or chunk_elements(plain)):
        yield (chunk if is_real else as_real(chunk)).contiguous()
        looked_at(chunk.numel())


def _chunks(tensor: torch.Tensor, limit: int) -> Iterator[torch.Tensor]:
    """Cut before copying, so that a strided or expanded tensor is never copied as a whole."""
    if tensor.numel() <= limit:
        yield tensor.reshape(-1)
    elif tensor.is_contiguous():
        yield from torch.split(tensor.view(-1), limit)
    else:
        dim = max(range(tensor.dim()), key=tensor.size)
        size = max(1, tensor.size(dim) * limit // tensor.numel())
        for part in torch.split(tensor, size, dim):
            yield from _chunks(part, limit)
