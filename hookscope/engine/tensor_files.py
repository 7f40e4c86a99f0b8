"""Tensors that a person keeps in files: one array saved by numpy, or one tensor saved by torch."""

from pathlib import Path

import numpy as np
import torch

from hookscope.engine.specs import spec_of


class UnusableTensor(ValueError):  # noqa: N818 - it is what was found
    """What gives no tensor; the text says what was expected and what was given."""


def read_tensor(name: str) -> torch.Tensor:
    """Return the tensor in a file, on the CPU. Nothing in the file is run.

    Args:
        name: A `.npy` file with one array of numbers, or a `.pt` or `.pth` file with one strided tensor; `~` is the
            person's home.

    Raises:
        UnusableTensor: There is no such file, or no such tensor in it.
        MemoryError: It is too large.
    """
    if not name.strip():
        raise UnusableTensor("expected a .npy, .pt or .pth file, given none")
    file = Path(name.strip()).expanduser()
    reader = _READERS.get(file.suffix.lower())
    if reader is None:
        raise UnusableTensor(f"expected a .npy, .pt or .pth file, given {file.name}")
    if not file.is_file():
        raise UnusableTensor(f"expected a file that exists, given {file}")
    read, kind = reader
    try:
        return read(file)
    except (UnusableTensor, MemoryError):
        raise
    except OSError as error:
        raise UnusableTensor(f"{file.name} cannot be read: {error.strerror or error}") from None
    except Exception as error:
        # numpy, zip, pickle and torch each have their own; what they tell is how to load the file unsafely.
        what = type(error).__name__
        raise UnusableTensor(f"expected {kind}, given {file.name}, which cannot be read as one ({what})") from None


def from_numpy(values: np.ndarray[tuple[int, ...], np.dtype[np.generic]]) -> torch.Tensor:
    """Return a tensor of its own; numpy's arrays may be read-only, of other dtypes and in another order of bytes.

    Raises:
        UnusableTensor: They are no numbers, or of a dtype that torch lacks.
    """
    if values.dtype.kind not in "biufc":
        raise UnusableTensor(f"expected numbers, given an array of {values.dtype}")
    try:
        return torch.from_numpy(values.astype(values.dtype.newbyteorder("="), copy=True))
    except TypeError:
        raise UnusableTensor(f"expected a dtype that torch has, given an array of {values.dtype}") from None


def _read_numpy(file: Path) -> torch.Tensor:
    found = np.load(file, allow_pickle=False)
    if not isinstance(found, np.ndarray):
        found.close()
        raise UnusableTensor(f"expected one array in {file.name}, given an archive of several")
    return from_numpy(found)


def _read_torch(file: Path) -> torch.Tensor:
    found = torch.load(file, map_location="cpu", weights_only=True)
    if not isinstance(found, torch.Tensor):
        raise UnusableTensor(f"expected one tensor in {file.name}, given a {type(found).__name__}")
    spec = spec_of(found)
    if spec.layout != "strided" or found.is_quantized:
        raise UnusableTensor(f"expected a strided tensor in {file.name}, given {spec.layout} {spec.dtype}")
    return found.detach()


_ARRAY, _TENSOR = "an array of numbers saved by numpy.save", "a tensor saved by torch.save"
_READERS = {".npy": (_read_numpy, _ARRAY), ".pt": (_read_torch, _TENSOR), ".pth": (_read_torch, _TENSOR)}
