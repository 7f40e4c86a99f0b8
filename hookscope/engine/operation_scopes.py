"""Watches the operations in the own forward of chosen modules, by a `TorchFunctionMode` that is there only meanwhile.

An operation belongs to the module whose call is the innermost on the Python stack, so what a child runs is not its
parent's, and no child needs a hook. The mode calls each function as it was called and hands back the very object that
it returned.
"""

import sys
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from types import CodeType, FrameType
from typing import Any, Protocol

import torch
from torch.overrides import TorchFunctionMode

from hookscope.engine.compat import MODULE_CALL, function_modes, remove_function_mode, set_function_modes
from hookscope.engine.hooks import HOOKS_FILE
from hookscope.engine.operation_names import operation_name, value_of
from hookscope.engine.tensor_tree import leaves


class OperationScope:
    """One running call of a module.

    Attributes:
        path: The module.
        index: Number of the call within the step.
    """

    __slots__ = ("_numbers", "index", "path")

    def __init__(self, path: str, index: int) -> None:
        self.path = path
        self.index = index
        self._numbers: Counter[str] = Counter()

    def next_number(self, name: str) -> int:
        """Return how many operations of this name ran before in this call."""
        number = self._numbers[name]
        self._numbers[name] = number + 1
        return number


class OperationListener(Protocol):
    """Who is told of operations, on the thread that runs them. It raises nothing but `StepAborted`."""

    def ran(self, scope: OperationScope, name: str, value: object, caller: FrameType) -> None:
        """An operation has returned `value`, which holds a tensor, to the Python code in `caller`."""


class OperationScopes:
    """The calls that are watched, of each thread. The mode is active on a thread while it has one.

    Args:
        listener: Told of the operations.
    """

    def __init__(self, listener: OperationListener) -> None:
        self._listener = listener
        self._local = threading.local()

    def enter(self, scope: OperationScope) -> None:
        """Watch the call whose forward pre-hook is running."""
        frame = _calling_frame(sys._getframe(1))
        if frame is not None:
            self._mode().enter(frame, scope)

    def leave(self) -> None:
        """End what `enter` began for the call whose forward hook is running, if it did."""
        frame = _calling_frame(sys._getframe(1))
        if frame is not None:
            self._mode().leave(frame)

    def close(self) -> None:
        """End whatever was left open on this thread: a `BaseException` runs no forward hooks."""
        self._mode().close()

    def _mode(self) -> "_OperationMode":
        mode: _OperationMode | None = getattr(self._local, "mode", None)
        if mode is None:
            mode = self._local.mode = _OperationMode(self._listener)
        return mode


class _OperationMode(TorchFunctionMode):
    """Finds out whose operation it is that runs, and tells of those in a watched call. One a thread."""

    def __init__(self, listener: OperationListener) -> None:
        super().__init__()
        self._listener = listener
        self._scopes: dict[FrameType, OperationScope] = {}
        self._modes_before: list[Any] = []
        self._eagerness = ExitStack()

    def enter(self, frame: FrameType, scope: OperationScope) -> None:
        if not self._scopes:
            self._modes_before = function_modes()
            if "torch._dynamo" in sys.modules:  # it would compile the mode into the model, or fail to
                self._eagerness.enter_context(torch.compiler.set_stance("force_eager"))
            self.__enter__()
        self._scopes[frame] = scope

    def leave(self, frame: FrameType) -> None:
        if self._scopes.pop(frame, None) is not None and not self._scopes:
            remove_function_mode(self)
            self._end()

    def close(self) -> None:
        if self._scopes:
            self._scopes.clear()
            # Modes of the user's that were entered and left around ours may have taken ours for theirs.
            set_function_modes(self._modes_before)
            self._end()

    def _end(self) -> None:
        self._modes_before = []
        self._eagerness.close()

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: tuple[type, ...],
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        name = operation_name(func)
        if name is not None:
            caller = sys._getframe(1)
            scope = self._scope_of(caller)
            if scope is not None:
                value = value_of(name, args, result)
                if _holds_tensor(value):
                    self._listener.ran(scope, name, value, caller)
        return result

    def _scope_of(self, frame: FrameType | None) -> OperationScope | None:
        while frame is not None and not _is_ours(frame.f_code):
            if frame.f_code is MODULE_CALL:
                return self._scopes.get(frame)
            frame = frame.f_back
        return None


def frames_to_call(frame: FrameType | None) -> list[FrameType]:
    """Return the frames from an operation's caller out to the module's call, innermost first, without the latter."""
    found = []
    while frame is not None and frame.f_code is not MODULE_CALL:
        found.append(frame)
        frame = frame.f_back
    return found


def _calling_frame(frame: FrameType | None) -> FrameType | None:
    while frame is not None and frame.f_code is not MODULE_CALL:
        frame = frame.f_back
    return frame


def _is_ours(code: CodeType) -> bool:
    """Whether a hook of ours runs: its own tensor operations are not the model's."""
    return code.co_filename == HOOKS_FILE


def _holds_tensor(value: object) -> bool:
    try:
        return next(leaves(value, ""), None) is not None
    except Exception:  # a container of the user's that cannot be looked through
        return False
