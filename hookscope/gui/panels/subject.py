"""What a view is to show."""

from dataclasses import dataclass

from hookscope.protocol.identity import TensorRef
from hookscope.protocol.tensors import TensorSpec


@dataclass(frozen=True)
class Subject:
    """Which tensor a view is to show, and what it is.

    Attributes:
        ref: The tensor.
        spec: What it is.
        is_difference: Whether its values are those of one step minus those of another: signed, about zero.
        class_name: Class of its module, without its package; tells what the dims are. `""` when it is not known.
        others: Other tensors of the same module that have equally many elements.
        keys: Tensors of the same module and of those beside it that may be keys to this one as a query.
    """

    ref: TensorRef
    spec: TensorSpec
    is_difference: bool = False
    class_name: str = ""
    others: tuple[TensorRef, ...] = ()
    keys: tuple[TensorRef, ...] = ()
