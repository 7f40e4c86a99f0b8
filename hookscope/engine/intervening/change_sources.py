"""Changes that take the values of another tensor: one that was given, one in a file, or the capture of another step."""

from pathlib import Path

import numpy as np
import torch

from hookscope.engine.intervening.moments import Moment
from hookscope.engine.intervening.numeric_changes import Make
from hookscope.engine.intervening.selections import Part
from hookscope.engine.intervening.validation import ChangeError
from hookscope.engine.specs import dtype_name, spec_of
from hookscope.protocol.identity import TensorRef
from hookscope.protocol.tensor_changes import FromFile, FromStep, Replace


def replace(change: Replace) -> Make:
    """The values of a tensor that was given."""
    try:
        values = _from_numpy(change.tensor.to_numpy())
    except ValueError as error:
        raise ChangeError(f"expected an array of numbers: {error}") from None
    return _of(values)


def from_file(change: FromFile) -> Make:
    """The values in a file, read once and for all."""
    if not change.file.strip():
        raise ChangeError("expected a .npy, .pt or .pth file, given none")
    file = Path(change.file.strip()).expanduser()
    reader = _READERS.get(file.suffix.lower())
    if reader is None:
        raise ChangeError(f"expected a .npy, .pt or .pth file, given {file.name}")
    if not file.is_file():
        raise ChangeError(f"expected a file that exists, given {file}")
    read, kind = reader
    try:
        return _of(read(file))
    except (ChangeError, MemoryError):
        raise
    except OSError as error:
        raise ChangeError(f"{file.name} cannot be read: {error.strerror or error}") from None
    except Exception as error:
        # numpy, zip, pickle and torch each have their own; what they tell is how to load the file unsafely.
        what = type(error).__name__
        raise ChangeError(f"expected {kind}, given {file.name}, which cannot be read as one ({what})") from None


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


def _read_numpy(file: Path) -> torch.Tensor:
    found = np.load(file, allow_pickle=False)
    if not isinstance(found, np.ndarray):
        found.close()
        raise ChangeError(f"expected one array in {file.name}, given an archive of several")
    return _from_numpy(found)


def _read_torch(file: Path) -> torch.Tensor:
    found = torch.load(file, map_location="cpu", weights_only=True)
    if not isinstance(found, torch.Tensor):
        raise ChangeError(f"expected one tensor in {file.name}, given a {type(found).__name__}")
    spec = spec_of(found)
    if spec.layout != "strided" or found.is_quantized:
        raise ChangeError(f"expected a strided tensor in {file.name}, given {spec.layout} {spec.dtype}")
    return found.detach()


_ARRAY, _TENSOR = "an array of numbers saved by numpy.save", "a tensor saved by torch.save"
_READERS = {".npy": (_read_numpy, _ARRAY), ".pt": (_read_torch, _TENSOR), ".pth": (_read_torch, _TENSOR)}


def _from_numpy(values: np.ndarray[tuple[int, ...], np.dtype[np.generic]]) -> torch.Tensor:
    """Return a tensor of its own; numpy's arrays may be read-only, of other dtypes and in another order of bytes."""
    if values.dtype.kind not in "biufc":
        raise ChangeError(f"expected numbers, given an array of {values.dtype}")
    try:
        return torch.from_numpy(values.astype(values.dtype.newbyteorder("="), copy=True))
    except TypeError:
        raise ChangeError(f"expected a dtype that torch has, given an array of {values.dtype}") from None


def _words(ref: TensorRef) -> str:
    return " ".join(filter(None, (ref.path or "the root", ref.operation, ref.slot, ref.leaf, f"of call {ref.call}")))
