"""Watches the operations in the own forward of chosen modules, by a `TorchFunctionMode` that is there only meanwhile.

An operation belongs to the module whose call is the innermost on the Python stack, so what a child runs is not its
parent's, and no child needs a hook. The mode calls each function as it was called, and hands back the very object that
it returned, unless its listener has another one; only an `OperationChanger` may do otherwise, and its mode is around
those that listen, which so are told what it has made.
"""

import sys
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from types import FrameType
from typing import Any, Protocol, runtime_checkable

from torch import nn
from torch.overrides import TorchFunctionMode

from hookscope.engine.capture.hooks import Handle, ModuleHooks, hook_forward
from hookscope.engine.compat import (
    MODULE_CALL,
    add_function_mode,
    add_function_mode_outside,
    function_modes,
    remove_function_mode,
    set_function_modes,
)
from hookscope.engine.operations.operation_names import operation_name, value_of
from hookscope.engine.state.eager import Eagerness
from hookscope.engine.tensor_tree import leaves

Given = tuple[tuple[Any, ...], Mapping[str, Any]]
"""Positional and keyword arguments of an operation."""

_HOOKS_FILE = hook_forward.__code__.co_filename
"""What a hook of ours does with tensors is no operation of the model's."""

_EAGERNESS = Eagerness()


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

    def number(self, name: str) -> int:
        """Return how many operations of this name ran before in this call."""
        return self._numbers[name]

    def next_number(self, name: str) -> int:
        """Return the same, and count one more."""
        number = self._numbers[name]
        self._numbers[name] = number + 1
        return number


class _Opener(Protocol):
    def opened(self, path: str) -> OperationScope | None:
        """A call of a hooked module begins; the answer is its scope, if its operations are wanted."""


class OperationListener(_Opener, Protocol):
    """Who is told of operations, on the thread that runs them. It raises nothing but what ends a step."""

    def ran(self, scope: OperationScope, name: str, value: object, given: Given, caller: FrameType) -> object | None:
        """An operation that was given `given` has returned `value`, which holds a tensor, to the code in `caller`.

        The answer, if there is one, is what that code gets.
        """


@runtime_checkable
class OperationChanger(_Opener, Protocol):
    """Who runs operations itself, on the thread that would have run them. It raises nothing but what ends a step."""

    def run(self, scope: OperationScope, name: str, function: Callable[..., Any], given: Given) -> object:
        """Run an operation as it was called; the answer is what it gives. It counts those that hold a tensor."""


class OperationScopes:
    """The calls that are watched. On each thread, the mode is active while such a call runs.

    Args:
        listener: Told of the operations, or who runs them.
    """

    def __init__(self, listener: OperationListener | OperationChanger) -> None:
        self._listener = listener
        self._hooks = ModuleHooks(self)
        self._local = threading.local()
        self._modes_before: list[TorchFunctionMode] = []

    def set(self, modules: Mapping[str, nn.Module]) -> None:
        """Watch the calls of exactly these modules, from the next one on. None of those left out may be running."""
        self._hooks.set(modules, dict.fromkeys(modules, self))

    def begin(self) -> None:
        """Note what is active on this thread, before the model runs."""
        self._modes_before = function_modes()

    def end(self) -> None:
        """End whatever is still watched on this thread: a `BaseException` leaves a call without a word to its hooks."""
        if self._mode().close():
            # Not ours alone: a mode of the user's that was left meanwhile may have taken ours off in its own place.
            set_function_modes(self._modes_before)

    def hook(self, path: str, module: nn.Module) -> Handle:
        """Put hooks on. See `hooks.Hooker`."""
        return hook_forward(path, module, self, always=True)

    def entered(self, path: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:  # noqa: ARG002
        """Begin to watch a call, if that is wanted. See `hooks.Observer`."""
        scope = self._listener.opened(path)
        frame = _module_frame(sys._getframe(1)) if scope is not None else None
        if scope is not None and frame is not None:
            self._mode().enter(frame, scope)

    def left(self, path: str, output: object) -> None:  # noqa: ARG002
        """End what `entered` began for the same call. See `hooks.Observer`."""
        frame = _module_frame(sys._getframe(1))
        if frame is not None:
            self._mode().leave(frame)

    def _mode(self) -> "_OperationMode":
        mode: _OperationMode | None = getattr(self._local, "mode", None)
        if mode is None:
            mode = self._local.mode = _OperationMode(self._listener)
        return mode


class _OperationMode(TorchFunctionMode):
    """Finds out whose operation it is that runs, and tells of those in a watched call. One a thread."""

    def __init__(self, listener: OperationListener | OperationChanger) -> None:
        super().__init__()
        self._run = listener.run if isinstance(listener, OperationChanger) else None
        self._tell = None if isinstance(listener, OperationChanger) else listener.ran
        self._scopes: dict[FrameType, OperationScope] = {}

    def enter(self, frame: FrameType, scope: OperationScope) -> None:
        if not self._scopes:
            _EAGERNESS.begin()  # a compiler would compile the mode into the model, or fail to
            if self._run is None:
                add_function_mode(self)
            else:
                add_function_mode_outside(self, _OperationMode)
        self._scopes[frame] = scope

    def leave(self, frame: FrameType) -> None:
        if self._scopes.pop(frame, None) is not None and not self._scopes:
            remove_function_mode(self)
            _EAGERNESS.end()

    def close(self) -> bool:
        """Forget the calls that were not left; return whether there were any."""
        was_open = bool(self._scopes)
        if was_open:
            self._scopes.clear()
            _EAGERNESS.end()
        return was_open

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: tuple[type, ...],
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        given = (args, kwargs or {})
        name = operation_name(func)
        caller = sys._getframe(1)
        scope = self._scope_of(caller) if name is not None else None
        if name is not None and scope is not None and self._run is not None:
            return self._run(scope, name, func, given)
        result = func(*args, **given[1])
        if name is not None and scope is not None and self._tell is not None:
            value = value_of(name, args, result)
            if holds_tensor(value):
                new = self._tell(scope, name, value, given, caller)
                return result if new is None else new
        return result

    def _scope_of(self, frame: FrameType | None) -> OperationScope | None:
        while frame is not None and frame.f_code.co_filename != _HOOKS_FILE:
            if frame.f_code is MODULE_CALL:
                return self._scopes.get(frame)
            frame = frame.f_back
        return None


def frames_in_call(frame: FrameType | None) -> list[FrameType]:
    """Return the frames of an operation's caller, innermost first, as far as they are within the module's call."""
    found = []
    while frame is not None and frame.f_code is not MODULE_CALL:
        found.append(frame)
        frame = frame.f_back
    if found and found[-1].f_code.co_filename == MODULE_CALL.co_filename:  # a function within it, that runs the hooks
        found.pop()
    return found


def _module_frame(frame: FrameType | None) -> FrameType | None:
    """Return the frame of the innermost running call of a module."""
    while frame is not None and frame.f_code is not MODULE_CALL:
        frame = frame.f_back
    return frame


def holds_tensor(value: object) -> bool:
    """Whether there is a tensor in a value; one that cannot be looked through has none."""
    try:
        return next(leaves(value, ""), None) is not None
    except Exception:  # a container of the user's that cannot be looked through
        return False
