"""How a module's gradients are captured, and which operations within it are."""

from enum import StrEnum

import msgspec

from hookscope.protocol.tensors import TensorSpec


class HookMode(StrEnum):
    """How the gradients of a checked module are captured."""

    EXACT = "exact"
    """Hooks on graph nodes: the model keeps every bit, and works with operations in place. The default."""
    NATIVE = "native"
    """PyTorch's own `register_full_backward_hook`: what that API delivers, with what it does to the model."""
    ALIAS = "alias"
    """Exact, on a view of each input: a pass-through's share, and q, k, v of one tensor apart."""
    LEGACY = "legacy"
    """The deprecated `register_backward_hook` of old tutorials, for those who read them."""


class OperationRef(msgspec.Struct, frozen=True, gc=False):
    """Names an operation in the forward of a module: `add` number 1 is the second `add` of one call.

    Attributes:
        path: The module in whose own forward it runs (not in a child's).
        name: `add`, `relu`, `scaled_dot_product_attention`, as PyTorch names its function.
        number: Index among the operations of this name, within one call of the module.
    """

    path: str
    name: str
    number: int

    @property
    def text(self) -> str:
        """The name as a tensor ref's `operation` carries it, `add:1`."""
        return f"{self.name}:{self.number}"


class OperationInfo(msgspec.Struct, frozen=True):
    """One operation that a traced call ran.

    Attributes:
        ref: Which one.
        output: What it returned (the first tensor), or `None` when that is no tensor.
        file: Source file of the innermost frame of the user's within the module's call, else of a library's that is not
            torch's, else of the module's forward.
        line: Line in that file.
        code: The source line.
    """

    ref: OperationRef
    output: TensorSpec | None
    file: str
    line: int
    code: str
