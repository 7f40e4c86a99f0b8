"""The private names of torch that capture needs, in one place, each with a fallback.

Checked on torch 2.13.0. A missing name costs precision, never a step: see the fallback at each function.
"""

from collections.abc import Callable, Sequence
from types import CodeType

import torch
import torch.utils.checkpoint
from torch import nn, overrides
from torch.autograd.graph import Node
from torch.overrides import TorchFunctionMode

_UNKNOWN = -1


def _optional(owner: object, name: str) -> Callable[..., object] | None:
    found = getattr(owner, name, None)
    return found if callable(found) else None


_next_sequence = _optional(torch.autograd, "_get_sequence_nr")
_graph_task = _optional(torch._C, "_current_graph_task_id")
_is_functorch = _optional(getattr(torch._C, "_functorch", None), "is_functorch_wrapped_tensor")


def next_sequence_number() -> int:
    """Return the number that the next graph node of this thread will get; 0 (walk everything) when not available."""
    return int(_next_sequence()) if _next_sequence is not None else 0  # type: ignore[call-overload]


def _sequence_of_node(node: Node) -> int:
    return node._sequence_nr()


def _sequence_unknown(_node: Node) -> int:
    return 0


sequence_number: Callable[[Node], int] = _sequence_of_node if hasattr(Node, "_sequence_nr") else _sequence_unknown
"""Return a node's number; leaves (AccumulateGrad) have the largest possible one. Unknown numbers are 0."""


def backward_pass() -> int:
    """Return the number of the backward pass that autograd runs in this thread, or -1 outside of any."""
    return int(_graph_task()) if _graph_task is not None else _UNKNOWN  # type: ignore[call-overload]


def inside_backward() -> bool:
    """Whether autograd is running a backward pass in this thread, so that a forward now is a recomputation."""
    return backward_pass() != _UNKNOWN


def recomputation_stop(error: BaseException) -> BaseException | None:
    """Return what checkpointing ends a recomputation with once backward has all it needs, if that led to an error.

    It is raised by whatever operation saves the last tensor, which may be one of ours. Without it, early stop looks
    like a fault of that operation.
    """
    kind = getattr(torch.utils.checkpoint, "_StopRecomputationError", None)
    found: BaseException | None = error
    while kind is not None and found is not None and not isinstance(found, kind):
        found = found.__context__
    return found if kind is not None else None


def is_functorch_wrapped(tensor: torch.Tensor) -> bool:
    """Whether `vmap`, `grad` or `jvp` wraps the tensor: it has no values that outlive the transform."""
    return bool(_is_functorch(tensor)) if _is_functorch is not None else False


def functorch_value(tensor: torch.Tensor) -> torch.Tensor:
    """Return the plain tensor within a wrapped one; `vmap` has added its batch dim to it."""
    while is_functorch_wrapped(tensor):
        tensor = torch._C._functorch.get_unwrapped(tensor)
    return tensor


def drop_empty_hook_dicts(parameter: torch.Tensor) -> None:
    """Take torch's dicts of hooks off a parameter on which no hook of their kind is left."""
    if getattr(parameter, "_post_accumulate_grad_hooks", None) == {}:
        parameter._post_accumulate_grad_hooks = None  # type: ignore[assignment]
    if getattr(parameter, "_backward_hooks", None) == {}:
        parameter._backward_hooks = None


def version_of(tensor: torch.Tensor) -> int | None:
    """Return the in-place version counter; `None` for inference tensors, which have none."""
    try:
        return tensor._version
    except RuntimeError:
        return None


def base_of(tensor: torch.Tensor) -> torch.Tensor | None:
    """Return the tensor that this one is a differentiable view of, if it is one."""
    return tensor._base if tensor._is_view() else None


MODULE_CALL: CodeType = getattr(nn.Module, "_call_impl", nn.Module.__call__).__code__
"""The code that every call of a module runs; its frame stands for the call."""


def function_modes() -> list[TorchFunctionMode]:
    """Return the modes that are active on this thread, outermost first."""
    modes: list[TorchFunctionMode] = overrides._get_current_function_mode_stack()  # type: ignore[no-untyped-call]
    return modes


def set_function_modes(modes: Sequence[TorchFunctionMode]) -> None:
    """Make exactly these modes active on this thread."""
    for _ in function_modes():
        overrides._pop_mode()  # type: ignore[no-untyped-call]
    for mode in modes:
        add_function_mode(mode)


def add_function_mode(mode: TorchFunctionMode) -> None:
    """Activate a mode on this thread, within those that are active."""
    overrides._push_mode(mode)  # type: ignore[no-untyped-call]


def add_function_mode_outside(mode: TorchFunctionMode, inner: type[TorchFunctionMode]) -> None:
    """Activate a mode on this thread around the outermost one of a kind; without such a one, within those there are."""
    modes = function_modes()
    place = next((index for index, other in enumerate(modes) if isinstance(other, inner)), len(modes))
    set_function_modes([*modes[:place], mode, *modes[place:]])


def remove_function_mode(mode: TorchFunctionMode) -> None:
    """End a mode on this thread; those that were entered after it stay."""
    set_function_modes([other for other in function_modes() if other is not mode])


def backward_hook_flag(module: torch.nn.Module) -> bool | None:
    """Return which kind of backward hooks a module may have: full ones, deprecated ones (`False`), or still either."""
    flag: bool | None = getattr(module, "_is_full_backward_hook", None)
    return flag


def restore_backward_hook_flag(module: torch.nn.Module, flag: bool | None) -> None:
    """Let a module that has no backward hook any more be as it was: removing a hook leaves its kind fixed."""
    if backward_hook_flag(module) is not flag and not getattr(module, "_backward_hooks", None):
        module._is_full_backward_hook = flag


def version_probe(tensor: torch.Tensor) -> torch.Tensor:
    """Return a tensor that shares the in-place version counter of another one, and keeps none of its memory."""
    probe = tensor.detach()
    probe.data = torch.empty(0)
    return probe
