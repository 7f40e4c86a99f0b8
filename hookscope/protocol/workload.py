"""What a step runs: where a model comes from, its inputs, its loss, and the settings of a run."""

import re
from enum import StrEnum
from pathlib import Path

import msgspec

from hookscope.protocol.tensors import NamedSpec, TensorSpec


class ExampleSource(msgspec.Struct, frozen=True, tag="example"):
    """A built-in example, written `example:NAME`."""

    name: str


class FileSource(msgspec.Struct, frozen=True, tag="file"):
    """A callable or object in a Python file, written `path/to/file.py:NAME`; `path` is absolute."""

    path: str
    attribute: str


class ModuleSource(msgspec.Struct, frozen=True, tag="module"):
    """A callable or object in an importable module, written `package.module:NAME`."""

    module: str
    attribute: str


Source = ExampleSource | FileSource | ModuleSource


def parse_source(text: str) -> Source:
    """Read a source as a person types it.

    Args:
        text: `example:NAME`, `path/to/file.py:NAME` or `package.module:NAME`. For a file, `:NAME` may be left out and
            is then `workload`.

    Raises:
        ValueError: The text is none of these; the message says what to type.
    """
    text = text.strip()
    if text.startswith("example:"):
        return ExampleSource(text.removeprefix("example:"))
    head, separator, attribute = text.rpartition(":")
    if text.endswith(".py") or not separator:
        head, attribute = text, ""
    if head.endswith(".py"):
        return FileSource(str(Path(head).expanduser().absolute()), attribute or "workload")
    if separator and attribute.isidentifier() and all(part.isidentifier() for part in head.split(".")):
        return ModuleSource(head, attribute)
    raise ValueError(f"{text!r} is not a model source; write example:NAME, path/to/file.py:NAME or package.module:NAME")


def source_text(source: Source) -> str:
    """Return the text that `parse_source` reads back."""
    match source:
        case ExampleSource(name=name):
            return f"example:{name}"
        case FileSource(path=path, attribute=attribute):
            return f"{path}:{attribute}"
        case ModuleSource(module=module, attribute=attribute):
            return f"{module}:{attribute}"


class SyntheticInput(msgspec.Struct, frozen=True):
    """A made-up positional input: standard normal for floating dtypes, uniform in `[0, high)` for integers."""

    shape: tuple[int, ...]
    dtype: str = "float32"
    high: int = 2


_INPUT_PATTERN = re.compile(r"(?:(?P<dtype>[a-z]+\d*)(?:<(?P<high>\d+))?)?\s*\(?(?P<shape>[\d\s,x×]*)\)?")


def parse_inputs(text: str) -> tuple[SyntheticInput, ...]:
    """Read made-up inputs as a person types them: `1x3x32x32`, `float32(1, 10)`, `int64<1000(1, 16); float32(1, 8)`.

    Args:
        text: Inputs separated by semicolons; `<N` gives the exclusive upper bound of integers.

    Raises:
        ValueError: A part cannot be read; the message shows the form.
    """
    inputs = []
    for part in filter(None, (part.strip() for part in text.split(";"))):
        match = _INPUT_PATTERN.fullmatch(part)
        if match is None or not match["shape"].strip():
            raise ValueError(f"{part!r} is not an input; write for example 1x3x32x32 or int64<1000(1, 16)")
        shape = tuple(int(size) for size in re.split(r"[\s,x×]+", match["shape"].strip(" ,x×")))
        inputs.append(SyntheticInput(shape, match["dtype"] or "float32", int(match["high"] or 2)))
    if not inputs:
        raise ValueError("an input is needed; write for example 1x3x32x32 or int64<1000(1, 16)")
    return tuple(inputs)


class LossChoice(StrEnum):
    """How backward starts: from a scalar that is made of the model's output, or from a gradient of the output.

    A gradient is what PyTorch calls `output.backward(gradient)`; the loss that is told is then the sum of output times
    gradient, whose gradient it is.
    """

    AUTO = "auto"
    """The workload's own loss, else the output's `.loss`, else the output itself if it is a scalar."""
    SUM = "sum"
    MEAN = "mean"
    MEAN_SQUARE = "mean_square"
    GRADIENT_ONES = "gradient_ones"
    GRADIENT_RANDOM = "gradient_random"
    """Standard normal numbers from a generator of their own: the same ones in each step with the same seed."""
    GRADIENT_FILE = "gradient_file"
    """The tensor in `RunSettings.gradient_file`."""

    @property
    def is_gradient(self) -> bool:
        """Whether backward starts from a gradient of the output."""
        return self in _GRADIENTS


_GRADIENTS = {LossChoice.GRADIENT_ONES, LossChoice.GRADIENT_RANDOM, LossChoice.GRADIENT_FILE}


class CapturePlace(StrEnum):
    """Where captures are kept."""

    DEVICE = "device"
    """Beside the tensors themselves."""
    CPU = "cpu"
    """In main memory, to leave the device's to the model."""


class RunSettings(msgspec.Struct, frozen=True):
    """Everything about a run that the window can set; sent whole each time.

    Attributes:
        device: Where the model runs, for example `cpu` or `cuda:0`.
        seed: Seed of step 1; step k is seeded with `seed + k - 1`, or with `seed` itself where the state is restored,
            so that steps repeat. `None` leaves the random state alone.
        loss: How the loss is made, or the gradient that backward starts from.
        gradient_file: `.npy`, `.pt` or `.pth` file with a gradient in the output's shape, for `GRADIENT_FILE`.
        requires_grad: Input leaves whose own gradient is wanted.
        optimizer: Whether the workload's optimizer steps after backward.
        restore_state: Whether a step leaves buffers, random state, `.grad`, hooks and flags as it found them, however
            it ends; `None` means: if the workload has no optimizer. `True` puts parameters and the optimizer's state
            back too, so that a step is a look at what would happen.
        run_eagerly: Whether compiled modules run uncompiled, so that hooks in them fire.
        budget_bytes: What captures may hold; `None` is a quarter of what was free when the model was loaded.
        capture_place: Where captures are kept.
    """

    device: str = "cpu"
    seed: int | None = 0
    loss: LossChoice = LossChoice.AUTO
    requires_grad: tuple[str, ...] = ()
    optimizer: bool = True
    restore_state: bool | None = None
    run_eagerly: bool = False
    budget_bytes: int | None = None
    capture_place: CapturePlace = CapturePlace.DEVICE
    gradient_file: str = ""


class InputInfo(msgspec.Struct, frozen=True):
    """One input leaf of the current batch.

    Attributes:
        leaf: `args.0`, `kwargs.mask`, ...
        spec: What it is.
        can_require_grad: Whether its dtype can have a gradient.
    """

    leaf: str
    spec: TensorSpec
    can_require_grad: bool


class WorkloadInfo(msgspec.Struct, frozen=True):
    """What was loaded, besides the module tree.

    Attributes:
        title: What the window calls the model.
        inputs: Leaves of the first batch; empty when `needs_input`.
        targets: Leaves of the first batch's targets.
        loss_name: The workload's own loss in words, `""` if it has none.
        optimizer_name: Class of the workload's optimizer, `""` if it has none.
        batches: Number of batches, or `None` when it cannot be told.
        synthetic: Whether the inputs were made up.
        needs_input: Whether a step cannot run before inputs are given.
    """

    title: str
    inputs: tuple[InputInfo, ...] = ()
    targets: tuple[NamedSpec, ...] = ()
    loss_name: str = ""
    optimizer_name: str = ""
    batches: int | None = 1
    synthetic: bool = False
    needs_input: bool = False
