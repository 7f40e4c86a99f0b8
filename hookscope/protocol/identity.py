"""What names a tensor: the module, its call, the slot, and the place in a nested value."""

from enum import StrEnum

import msgspec


class Slot(StrEnum):
    """The places of a module at which a tensor is captured."""

    INPUT = "input"
    OUTPUT = "output"
    GRAD_INPUT = "grad_input"
    GRAD_OUTPUT = "grad_output"
    PARAMETER = "parameter"
    PARAMETER_GRAD = "parameter_grad"

    @property
    def is_gradient(self) -> bool:
        """Whether the slot is filled by the backward pass."""
        return self in {Slot.GRAD_INPUT, Slot.GRAD_OUTPUT, Slot.PARAMETER_GRAD}


SLOT_ORDER: tuple[Slot, ...] = tuple(Slot)


LOCAL_PREFIX = "local:"
"""Begins the `operation` of a local variable of a stopped step; it can be viewed until the step goes on."""


class TensorRef(msgspec.Struct, frozen=True, gc=False):
    """Names one tensor of a step.

    Attributes:
        path: Module path as `named_modules()` gives it; `""` is the root.
        slot: Where on the module.
        leaf: Place in a nested value: `args.0`, `kwargs.mask`, `out`, `out.logits`, or a parameter's own name.
        call: Index of the module's call within the step, from 0. Parameters have call 0.
        operation: Of an operation within the module, `add:1` (see `OperationRef.text`); `""` for the module itself.
    """

    path: str
    slot: Slot
    leaf: str
    call: int = 0
    operation: str = ""
