"""What can be done to a tensor by hand: one struct per kind of change.

A row here, a function of the engine's table and a row of the script writer's are all that a new kind needs: the window
makes its form from the fields. `Meta(title=...)` names a field, `extra={"slider": (low, high)}` gives it a slider and
`extra={"log": True}` lets that go over powers of ten.
"""

from typing import Annotated

import msgspec
from msgspec import Meta

from hookscope.protocol.identity import TensorRef
from hookscope.protocol.tensors import Array


class Zero(msgspec.Struct, frozen=True, tag="zero"):
    """All zeros; of the forward pass, the gradient that goes back through them is zero too."""


class Scale(msgspec.Struct, frozen=True, tag="scale"):
    """`x * factor`."""

    factor: Annotated[float, Meta(title="Factor", extra={"slider": (-3.0, 3.0)})] = 2.0


class Add(msgspec.Struct, frozen=True, tag="add"):
    """`x + value`."""

    value: Annotated[float, Meta(title="Value", extra={"slider": (-3.0, 3.0)})] = 1.0


class Clamp(msgspec.Struct, frozen=True, tag="clamp"):
    """`x.clamp(low, high)`; either may be left out."""

    low: Annotated[float | None, Meta(title="Low", extra={"slider": (-3.0, 3.0)})] = -1.0
    high: Annotated[float | None, Meta(title="High", extra={"slider": (-3.0, 3.0)})] = 1.0


class ClipNorm(msgspec.Struct, frozen=True, tag="clip_norm"):
    """`x * (limit / norm)` where the Euclidean norm is above `limit`; else `x`."""

    limit: Annotated[float, Meta(title="Limit", gt=0, extra={"slider": (1e-3, 1e3), "log": True})] = 1.0


class Noise(msgspec.Struct, frozen=True, tag="noise"):
    """`x + std * N(0, 1)`, drawn from a generator of its own: the same in each step, and in a recomputation."""

    std: Annotated[float, Meta(title="Standard deviation", ge=0, extra={"slider": (0.0, 3.0)})] = 0.1
    seed: Annotated[int, Meta(title="Seed", ge=0)] = 0


class Constant(msgspec.Struct, frozen=True, tag="constant"):
    """Every element is `value`; no gradient but zeros goes back through it, see `StraightThrough`."""

    value: Annotated[float, Meta(title="Value", extra={"slider": (-3.0, 3.0)})] = 0.0


class Mean(msgspec.Struct, frozen=True, tag="mean"):
    """Every element is the mean over a dim, `x.mean(dim, keepdim=True).expand_as(x)`."""

    dim: Annotated[int, Meta(title="Dim")] = 0


class Replace(msgspec.Struct, frozen=True, tag="replace"):
    """The values of another tensor, of the same shape or one that broadcasts to it.

    Scripts give any tensor or numpy array; it is kept as an `Array`, bfloat16 as float32.
    """

    tensor: Array

    def __post_init__(self) -> None:
        given: object = self.tensor
        if not isinstance(given, Array):
            msgspec.structs.force_setattr(self, "tensor", Array.of(given))


class FromFile(msgspec.Struct, frozen=True, tag="from_file"):
    """The values in a `.npy` file, or in a `.pt` or `.pth` file that holds one tensor."""

    file: Annotated[str, Meta(title="File", extra={"file": "*.npy *.pt *.pth"})] = ""


class FromStep(msgspec.Struct, frozen=True, tag="from_step"):
    """What was captured in another step, for instance for another input (activation patching).

    Attributes:
        step: A kept step; it is not dropped as long as an intervention refers to it.
        ref: The tensor; by default the same slot, leaf and call.
    """

    step: Annotated[int, Meta(title="Step", ge=1, extra={"step": True})] = 1
    ref: TensorRef | None = None


class Shuffle(msgspec.Struct, frozen=True, tag="shuffle"):
    """The entries along a dim in another order, by default the samples of the batch; seeded as `Noise`."""

    seed: Annotated[int, Meta(title="Seed", ge=0)] = 0
    dim: Annotated[int, Meta(title="Dim")] = 0


class NanTo(msgspec.Struct, frozen=True, tag="nan_to"):
    """`value` in place of each NaN, and of each infinity when `infinities` is set."""

    value: Annotated[float, Meta(title="Value", extra={"slider": (-3.0, 3.0)})] = 0.0
    infinities: Annotated[bool, Meta(title="Infinities too")] = False


class Flip(msgspec.Struct, frozen=True, tag="flip"):
    """`-x`: on a gradient, gradient reversal."""


class StopGradient(msgspec.Struct, frozen=True, tag="stop_gradient"):
    """`x.detach()`: the value stays and no gradient flows back through it. Of the forward pass only."""


class Expression(msgspec.Struct, frozen=True, tag="expression"):
    """The value of a Python expression over `x, module, path, call, step`, `torch` and `math`."""

    text: Annotated[str, Meta(title="Expression", extra={"hint": "x * 0.5 + x.mean()"})] = "x"


PlainChange = (
    Zero
    | Scale
    | Add
    | Clamp
    | ClipNorm
    | Noise
    | Constant
    | Mean
    | Replace
    | FromFile
    | FromStep
    | Shuffle
    | NanTo
    | Flip
    | StopGradient
    | Expression
)


class StraightThrough(msgspec.Struct, frozen=True, tag="straight_through"):
    """`x + (change(x) - x).detach()`: the value changes, the gradient passes as if it had not. Forward pass only."""

    change: PlainChange


Change = PlainChange | StraightThrough
