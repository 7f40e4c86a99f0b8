"""Interventions: changes applied to tensors inside hooks, and what came of them."""

from enum import StrEnum

import msgspec

from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.tensor_changes import Change


class Span(msgspec.Struct, frozen=True, tag="span"):
    """A slice along one dim, as Python's `slice`."""

    start: int | None = None
    stop: int | None = None
    step: int | None = None


class Index(msgspec.Struct, frozen=True, tag="index"):
    """The part `x[parts]`; a number keeps its place, dims that are not named are whole."""

    parts: tuple[int | Span, ...]


class Channels(msgspec.Struct, frozen=True, tag="channels"):
    """Some entries along a dim; 1 is the channels' of images and of most activations."""

    numbers: tuple[int, ...]
    dim: int = 1


class Heads(msgspec.Struct, frozen=True, tag="heads"):
    """Some of `count` equal parts of the last dim: the attention heads of a projection `(B, T, heads * head_dim)`."""

    numbers: tuple[int, ...]
    count: int


class MagnitudeAbove(msgspec.Struct, frozen=True, tag="magnitude_above"):
    """The elements with `|x| > limit`."""

    limit: float


Selection = Index | Channels | Heads | MagnitudeAbove


class Intervention(msgspec.Struct, frozen=True):
    """A change at one place of the model.

    Attributes:
        id: Names it; never used twice in a session.
        path: The module.
        slot: What of it is changed. `GRAD_INPUT` is the share of each call; `PARAMETER` is changed for the step alone.
        change: What is done.
        leaf: Place in a nested value, or the name of a parameter; `""` is the only one there is.
        call: Index of a call, or `None` for all; a recomputed call counts as the one that it repeats.
        operation: Of an operation, `add:1`; its `OUTPUT` and `GRAD_OUTPUT` can be changed.
        where: Which elements; `None` is all of them.
        enabled: Whether it acts.
        note: A person's own words.
    """

    id: int
    path: str
    slot: Slot
    change: Change
    leaf: str = ""
    call: int | None = None
    operation: str = ""
    where: Selection | None = None
    enabled: bool = True
    note: str = ""


class HandChange(msgspec.Struct, frozen=True):
    """A change of a tensor at hand while a step is stopped, for this event alone.

    Attributes:
        ref: The tensor, one of the event's.
        change: What is done.
        where: Which elements; one element is an `Index` of numbers.
    """

    ref: TensorRef
    change: Change
    where: Selection | None = None


class Idle(StrEnum):
    """Why an intervention did not act in a step. `InterventionStatus.detail` carries what is listed with each."""

    OFF = "off"
    UNKNOWN_MODULE = "unknown_module"
    """`detail`: the nearest paths."""
    NEVER_CALLED = "never_called"
    NO_SUCH_CALL = "no_such_call"
    """`detail`: how many calls there were."""
    NO_SUCH_LEAF = "no_such_leaf"
    """`detail`: the leaves that there are."""
    SEVERAL_LEAVES = "several_leaves"
    """No leaf was named and there are several; `detail`: which."""
    NO_SUCH_OPERATION = "no_such_operation"
    """`detail`: the operations that ran."""
    NO_GRADIENT = "no_gradient"
    """No gradient came by; `detail`: a badge kind that says why, if one is known."""
    INPUT_OVERWRITTEN = "input_overwritten"
    """The module writes into this input in place and its gradient has several parts: it cannot be changed here."""
    STEP_ENDED = "step_ended"
    """The step ended before it came there."""


class InterventionStatus(msgspec.Struct, frozen=True):
    """How an intervention fared in a step.

    Attributes:
        id: Which one.
        applied: How often it acted, recomputations included.
        changed: Elements whose value was another one afterwards, over all calls.
        idle: Why it never acted; `None` when it did.
        detail: What belongs to `idle`.
        refs: The tensors that it changed.
        warning: What should be known although it acted: how many elements it made non-finite; `""` for nothing.
    """

    id: int
    applied: int
    changed: int = 0
    idle: Idle | None = None
    detail: str = ""
    refs: tuple[TensorRef, ...] = ()
    warning: str = ""


class Difference(msgspec.Struct, frozen=True):
    """How far a captured tensor moved from one step to another.

    Attributes:
        ref: Which tensor.
        order: When it was captured within the later step.
        norm: Euclidean norm of the difference; infinite when it has non-finite elements.
        relative: `norm` over the norm in the earlier step; infinite when that is zero.
        changed: Elements that differ in any bit.
        count: Elements.
    """

    ref: TensorRef
    order: int
    norm: float
    relative: float
    changed: int
    count: int
