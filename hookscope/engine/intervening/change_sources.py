"""Changes that take the values of another tensor: one that was given, one in a file, or the capture of another step."""

import torch

from hookscope.engine.intervening.moments import Moment
from hookscope.engine.intervening.numeric_changes import Make
from hookscope.engine.intervening.selections import Part
from hookscope.engine.intervening.validation import ChangeError
from hookscope.engine.specs import dtype_name
from hookscope.engine.tensor_files import UnusableTensor, from_numpy, read_tensor
from hookscope.protocol.identity import TensorRef
from hookscope.protocol.tensor_changes import FromFile, FromStep, Replace


def replace(change: Replace) -> Make:
    """The values of a tensor that was given."""
    try:
        return _of(from_numpy(change.tensor.to_numpy()))
    except UnusableTensor as error:
        raise ChangeError(str(error)) from None
    except ValueError as error:
        raise ChangeError(f"expected an array of numbers: {error}") from None


def from_file(change: FromFile) -> Make:
    """The values in a file, read once and for all."""
    try:
        return _of(read_tensor(change.file))
    except UnusableTensor as error:
        raise ChangeError(str(error)) from None


def from_step(change: FromStep) -> Make:
    """The values that were captured in another step."""
    if change.step < 1:
        raise ChangeError(f"expected a step from 1 on, given {change.step}")

    def make(part: Part, moment: Moment) -> torch.Tensor:
        ref = change.ref or moment.ref
        if moment.captured is None or ref is None:
            raise ChangeError(f"expected captures of step {change.step}, given none: nothing is kept here")
        with moment.captured(ref, change.step) as values:
            if values is None:
                raise ChangeError(f"expected a capture of {_words(ref)} in step {change.step}, given none")
            return _fitted(values.detach(), part)

    return make


def _of(values: torch.Tensor) -> Make:
    def make(part: Part, _moment: Moment) -> torch.Tensor:
        return _fitted(values, part)

    return make


def _fitted(values: torch.Tensor, part: Part) -> torch.Tensor:
    """Return a copy of values in the shape, dtype and place of a part.

    Values of the whole tensor's shape are taken from where the part is; others are broadcast to the part, or have its
    sizes but for dims of a single entry.
    """
    x = part.x
    if values.dtype.is_complex and not x.dtype.is_complex:
        raise ChangeError(f"expected real values for {dtype_name(x.dtype)}, given {dtype_name(values.dtype)}")
    if values.shape == part.whole:
        values = part.pick(values)
    try:
        return torch.empty_like(x).copy_(values.broadcast_to(x.shape))
    except RuntimeError:
        if _true_sizes(values) != _true_sizes(x):
            expected, given = tuple(x.shape), tuple(values.shape)
            raise ChangeError(f"expected shape {expected} or one that broadcasts to it, given {given}") from None
        return torch.empty_like(x).copy_(values.reshape(x.shape))


def _true_sizes(values: torch.Tensor) -> list[int]:
    return [size for size in values.shape if size != 1]


def _words(ref: TensorRef) -> str:
    return " ".join(filter(None, (ref.path or "the root", ref.operation, ref.slot, ref.leaf, f"of call {ref.call}")))
