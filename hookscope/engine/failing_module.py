"""Finds the module in which an exception was raised, hooked or not, by the frames of its traceback."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import FrameType, TracebackType

from torch import nn

from hookscope.engine.specs import named_specs
from hookscope.engine.tensor_tree import argument_leaves
from hookscope.protocol.tensors import NamedSpec

_CALL_FUNCTION = "_call_impl"
"""`nn.Module._call_impl`: its frame has the module and what it was called with."""


@dataclass(frozen=True)
class FailingModule:
    """The innermost module that was running."""

    path: str
    class_name: str
    inputs: tuple[NamedSpec, ...]


def failing_module(error: BaseException, modules: Mapping[str, nn.Module]) -> FailingModule | None:
    """Return the innermost module of the model whose call the exception left, or `None` outside of any."""
    paths = {id(module): path for path, module in modules.items()}
    found: FailingModule | None = None
    for frame in _frames(error.__traceback__):
        if frame.f_code.co_name != _CALL_FUNCTION:
            continue
        values = frame.f_locals
        module = values.get("self")
        if id(module) in paths:
            inputs = list(argument_leaves(values.get("args", ()), values.get("kwargs", {})))
            found = FailingModule(paths[id(module)], type(module).__name__, named_specs(inputs))
    return found


def _frames(traceback: TracebackType | None) -> "list[FrameType]":
    frames = []
    while traceback is not None:
        frames.append(traceback.tb_frame)
        traceback = traceback.tb_next
    return frames
