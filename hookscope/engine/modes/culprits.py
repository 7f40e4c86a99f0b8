"""Finds out why a model raises with PyTorch's full backward hooks on it: which hook, and who wrote to what it guards.

Such a hook lets a module's inputs and outputs be views that must not be written to. The traceback of the exception has
the tensor that was written to, and its place in the graph tells whose view it is.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import torch
from torch import nn
from torch.autograd.graph import Node

from hookscope.engine.compat import MODULE_CALL
from hookscope.engine.failing_module import FailingModule, failing_module
from hookscope.engine.failure_report import describe_exception

if TYPE_CHECKING:
    from types import TracebackType

_GUARD = "BackwardHookFunction"
"""The name, in messages and of graph nodes, of what makes these views."""


def suspects(error: BaseException, made_by: Mapping[Node | None, str], paths: Mapping[int, str]) -> list[str]:
    """Return the modules whose hook may be the one that the model cannot have, the most likely first.

    Args:
        error: What the model raised.
        made_by: Nodes that made outputs of hooked modules, before these became views.
        paths: By `id`, the paths of the hooked modules.
    """
    frames = list(_frames(error.__traceback__))
    inputs = {id(value): path for frame in frames for path, value in _given(frame, paths)}
    found: list[str] = []
    for frame in reversed(frames):
        for value in frame.f_locals.values():
            node = _guard(value)
            if node is not None:
                found += [made_by[before] for before, _ in node.next_functions if before in made_by]
                found += [inputs[id(value)]] if id(value) in inputs else []
    return list(dict.fromkeys(found))


def explain(error: BaseException, path: str, modules: Mapping[str, nn.Module]) -> str:
    """Say why the model raised with a backward hook on this one module.

    Args:
        error: What it raised.
        path: The hooked module.
        modules: All modules of the model by path.
    """
    message = str(error)
    if _GUARD in message and "inplace" in message:
        where = failing_module(error, modules)
        is_within = where is not None and f"{where.path}.".startswith(f"{path}." if path else "")
        tensor = "input" if is_within else "output"
        return f"its {tensor} is modified in place by {_writer(error, where)}"
    return f"with the hook on it the model raises {type(error).__name__}: {message.partition(chr(10))[0]}"


def _writer(error: BaseException, where: FailingModule | None) -> str:
    """Name the module whose forward raised, or the line of the user's code that did it itself."""
    frames = describe_exception(error).frames
    users = [position for position, frame in enumerate(frames) if frame.user]
    calls = [position for position, frame in enumerate(frames) if frame.function == MODULE_CALL.co_name]
    if users and (not calls or users[-1] > calls[-1]):  # not in a module of a library
        frame = frames[users[-1]]
        return f"{Path(frame.file).name}:{frame.line}, `{frame.text}`"
    if where is None:
        return "the model"
    return f"`{where.path}` ({where.class_name})" if where.path else f"the {where.class_name}"


def _guard(value: object) -> Node | None:
    """Return the node of a view that a backward hook has made."""
    if not isinstance(value, torch.Tensor):
        return None
    try:
        node = value.grad_fn
    except RuntimeError:  # a view that something else has written to
        return None
    return node if node is not None and node.name().startswith(_GUARD) else None


def _given(frame: FrameType, paths: Mapping[int, str]) -> Iterator[tuple[str, object]]:
    """Yield what a hooked module was called with, if the frame is of such a call."""
    values = frame.f_locals if frame.f_code is MODULE_CALL else {}
    path = paths.get(id(values.get("self")))
    if path is not None:
        for value in values.get("args", ()):
            yield path, value


def _frames(traceback: "TracebackType | None") -> Iterator[FrameType]:
    while traceback is not None:
        yield traceback.tb_frame
        traceback = traceback.tb_next
