"""What is said about a captured tensor, and small arrays on their way to a panel."""

from enum import StrEnum
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from hookscope.protocol.identity import TensorRef


class TensorSpec(msgspec.Struct, frozen=True, gc=False):
    """What a tensor is, without its values.

    Attributes:
        shape: Sizes, outermost first; empty for a 0-D tensor.
        dtype: PyTorch's name without the `torch.` prefix, for example `float32`.
        device: PyTorch's name, for example `cpu` or `cuda:0`.
        layout: `strided`, `sparse_coo`, ..., or `nested` for nested tensors.
        size_bytes: Bytes of the values (`numel * element_size`); of a sparse or nested tensor, of what it stores.
    """

    shape: tuple[int, ...]
    dtype: str
    device: str
    layout: str = "strided"
    size_bytes: int = 0

    @property
    def count(self) -> int:
        """Number of elements."""
        total = 1
        for size in self.shape:
            total *= size
        return total


class NamedSpec(msgspec.Struct, frozen=True):
    """A leaf of a nested value and what it is; `spec` is `None` for a leaf that is no tensor."""

    leaf: str
    spec: TensorSpec | None
    text: str = ""


class BadgeKind(StrEnum):
    """Why a value is absent, or what a reader must know about it. The window words each one."""

    NEVER_CALLED = "never_called"
    NEVER_CALLED_WITH_GRADIENT = "never_called_with_gradient"
    """Its forward was bypassed, yet its parameters got a gradient."""
    CALLED_REPEATEDLY = "called_repeatedly"
    """`detail`: how many times in the step."""
    NO_GRAD_MODE = "no_grad_mode"
    INPUT_NEEDS_NO_GRAD = "input_needs_no_grad"
    OUTPUT_NEEDS_NO_GRAD = "output_needs_no_grad"
    NO_PATH_TO_INPUT = "no_path_to_input"
    NO_GRADIENT_REACHED = "no_gradient_reached"
    INTEGER_OUTPUT = "integer_output"
    PASS_THROUGH = "pass_through"
    FROM_BASE = "from_base"
    MODIFIED_IN_PLACE = "modified_in_place"
    MODIFIED_AFTERWARDS = "modified_afterwards"
    """An operation after the module wrote into this output; the capture has the module's own values."""
    DID_NOT_RETURN = "did_not_return"
    RECOMPUTED = "recomputed"
    LATER_PASS = "later_pass"
    """A further backward pass has replaced the gradient; `detail`: which one, from 2."""
    RAISED = "raised"
    """`detail`: the exception that left this call."""
    FROZEN = "frozen"
    UNINITIALIZED = "uninitialized"
    NO_DATA = "no_data"
    OVER_BUDGET = "over_budget"
    CAPTURE_FAILED = "capture_failed"
    COMPILED = "compiled"
    SCRIPTED = "scripted"
    EXPORTED = "exported"
    FUNCTORCH = "functorch"
    SHARDED = "sharded"
    """The value is this rank's part; `detail`: the global shape."""
    BYPASSES_CALL = "bypasses_call"
    """The class overrides `__call__`, so hooks are never run."""
    NATIVE = "native"
    """The value is what PyTorch's own full backward hook delivered."""
    NATIVE_REFUSED = "native_refused"
    """`detail`: why PyTorch's own hook cannot be put here; exact capture is used."""
    ALIAS = "alias"
    ALIAS_VOID = "alias_void"
    """The module wrote into its input in place, so the alias told nothing."""
    LEGACY = "legacy"
    """`detail`: what is misleading about this entry."""
    SCALED = "scaled"
    """`detail`: the factor of a gradient scaler that the value still has."""
    CHANGED = "changed"
    """An intervention made this value; `detail`: the ids, separated by blanks."""
    EDITED = "edited"
    """It was changed by hand while the step was stopped there."""
    NOT_A_TENSOR = "not_a_tensor"
    """`detail`: what is there instead, its type and, where it is told, its value after the first `: `."""


class Badge(msgspec.Struct, frozen=True, gc=False):
    """A badge and the words that only the engine knows (an exception's text, a class name)."""

    kind: BadgeKind
    detail: str = ""


class Record(msgspec.Struct, frozen=True):
    """One firing of a hook, without the values.

    Attributes:
        ref: Which tensor.
        step: Step number, from 1.
        order: Running number of the firing within the step: the order in which things happened.
        spec: What was captured, or `None` when there is nothing, and then `badges` says why.
        badges: Reasons and remarks.
        same_as: Other leaves of the same slot that are this very tensor (`query is key`).
    """

    ref: TensorRef
    step: int
    order: int
    spec: TensorSpec | None
    badges: tuple[Badge, ...] = ()
    same_as: tuple[str, ...] = ()

    @property
    def instead(self) -> str:
        """What there is instead of a tensor, `int: 3`; `""` where there is a tensor, or nothing at all."""
        return instead_of_tensor(self.badges)

    def is_like(self, other: "Record") -> bool:
        """Whether both say the same of the same tensor, be it of different steps."""
        mine = self.ref, self.spec, self.badges, self.same_as
        return mine == (other.ref, other.spec, other.badges, other.same_as)


def instead_of_tensor(badges: tuple[Badge, ...]) -> str:
    """Return what badges say there is instead of a tensor, `int: 3`; `""` if they do not say that there is none."""
    return next((badge.detail for badge in badges if badge.kind is BadgeKind.NOT_A_TENSOR), "")


_NUMPY_HAS = frozenset(
    f"torch.{name}"
    for name in (
        *("float64", "float32", "float16", "complex128", "complex64", "bool"),
        *("int64", "int32", "int16", "int8", "uint64", "uint32", "uint16", "uint8"),
    )
)
"""PyTorch's dtypes that numpy has too."""


class Array(msgspec.Struct, frozen=True):
    """A small dense array, as raw C-ordered bytes with dtype and shape (never pickled)."""

    dtype: str
    shape: tuple[int, ...]
    data: bytes

    @classmethod
    def from_numpy(cls, values: npt.NDArray[np.generic]) -> "Array":
        """Pack a numpy array of a plain numeric or bool dtype.

        Raises:
            ValueError: The dtype is an object or text dtype.
        """
        if values.dtype.kind not in "biufc":
            raise ValueError(f"arrays of dtype {values.dtype} cannot be sent")
        return cls(values.dtype.str, values.shape, np.ascontiguousarray(values).tobytes())

    @classmethod
    def of(cls, values: Any) -> "Array":
        """Pack what a script has: an array, anything numpy can make one of, or a PyTorch tensor (bfloat16 as float32).

        Raises:
            ValueError: It is neither, or its dtype is an object or text dtype.
        """
        detach = getattr(values, "detach", None)
        if detach is not None:
            values = detach().cpu()
            plain = values if str(values.dtype) in _NUMPY_HAS else values.float()
            values = plain.resolve_conj().resolve_neg().numpy()
        return cls.from_numpy(np.asarray(values))

    def to_numpy(self) -> npt.NDArray[np.generic]:
        """Unpack into a read-only array over the received bytes.

        Raises:
            ValueError: dtype, shape and number of bytes do not fit together.
        """
        dtype = np.dtype(self.dtype)
        if dtype.kind not in "biufc":
            raise ValueError(f"arrays of dtype {dtype} cannot be received")
        return np.frombuffer(self.data, dtype=dtype).reshape(self.shape)
