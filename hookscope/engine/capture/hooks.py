"""The only place that puts hooks on modules, graph nodes and parameters, and takes them off again."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Generic, Protocol, TypeVar

import torch
from torch import nn
from torch.autograd.graph import Node
from torch.compiler import is_compiling

from hookscope.engine.capture.calls import Call
from hookscope.engine.compat import backward_hook_flag, drop_empty_hook_dicts, restore_backward_hook_flag

Gradients = tuple[torch.Tensor | None, ...]
"""What PyTorch's own backward hooks deliver: a gradient, or `None`, by position."""

Arguments = tuple[tuple[Any, ...], dict[str, Any]]
"""What a module is called with: `args` and `kwargs`."""


class Observer(Protocol):
    """Who is told when a hooked module is entered and left. Called on the thread that runs the module."""

    def entered(self, path: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Call | None:
        """The module is about to run; the answer is its call, or `None` when nothing is recorded."""

    def left(self, path: str, output: object) -> None:
        """The module has returned `output`."""


class _Replacing(Protocol):
    def replaced(self, path: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments | None:
        """The module is about to run; the answer, if there is one, is what it runs with."""


class InputObserver(Observer, _Replacing, Protocol):
    """An observer that may replace what a module is called with; `replaced` is in place of `entered`."""


class ChangingObserver(_Replacing, Protocol):
    """Who may replace what a module is called with, and what it returns. Called as an `Observer` is."""

    def returned(self, path: str, output: object) -> object | None:
        """The module has returned `output`; the answer, if there is one, takes its place."""


class BackwardObserver(Observer, Protocol):
    """An observer that is also told what PyTorch's own backward hooks deliver, on the thread of the backward pass."""

    def outputs_delivered(self, call: Call, grad_output: Gradients) -> None:
        """A full backward pre-hook of this call has fired."""

    def delivered(self, call: Call, grad_input: Gradients, grad_output: Gradients) -> None:
        """A backward hook of this call, full or of the deprecated kind, has fired."""


_O = TypeVar("_O")


class Hooker(Protocol):
    """Who puts its own kind of hooks on a module."""

    def hook(self, path: str, module: nn.Module) -> "Handle":
        """Put them on; the handle takes all of them off."""


class Handle(Protocol):
    """What every `register_*hook` returns."""

    def remove(self) -> None:
        """Take the hook off."""


def inert(*_args: object, **_kwargs: object) -> None:
    """Do nothing: what a hook becomes in a deep copy or a pickle of the model."""


def _make_inert() -> Callable[..., None]:
    return inert


class _ModuleHook:
    """A hook on a module that stays with this very module: copies and pickles of the model get an inert one.

    A user's loop may deep copy the model (EMA, SWA) or save it while it is observed. A module that is compiled while
    the hook is on it gets nothing of it: the compiler would trace what the hook does, and stumble over it.
    """

    __slots__ = ()

    def __deepcopy__(self, memo: object) -> Callable[..., None]:
        return inert

    def __reduce__(self) -> tuple[Callable[[], Callable[..., None]], tuple[()]]:
        return _make_inert, ()


class _ForwardHook(_ModuleHook, Generic[_O]):
    __slots__ = ("observer", "path")

    def __init__(self, observer: _O, path: str) -> None:
        self.observer = observer
        self.path = path


class _Enter(_ForwardHook[Observer]):
    __slots__ = ()

    def __call__(self, _module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        if not is_compiling():
            self.observer.entered(self.path, args, kwargs)


class _EnterReplacing(_ForwardHook[_Replacing]):
    __slots__ = ()

    def __call__(self, _module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments | None:
        return None if is_compiling() else self.observer.replaced(self.path, args, kwargs)


class _Leave(_ForwardHook[Observer]):
    __slots__ = ()

    def __call__(self, _module: nn.Module, _args: tuple[Any, ...], _kwargs: dict[str, Any], output: object) -> None:
        if not is_compiling():
            self.observer.left(self.path, output)


class _LeaveReplacing(_ForwardHook[ChangingObserver]):
    __slots__ = ()

    def __call__(self, _module: nn.Module, _args: tuple[Any, ...], _kwargs: dict[str, Any], output: object) -> object:
        return None if is_compiling() else self.observer.returned(self.path, output)


class _EnterBinding(_Enter):
    __slots__ = ("backward_hooks",)

    def __init__(self, observer: Observer, path: str, backward_hooks: "_BackwardHooks") -> None:
        super().__init__(observer, path)
        self.backward_hooks = backward_hooks

    def __call__(self, _module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        if not is_compiling():
            self.backward_hooks.bind(self.observer.entered(self.path, args, kwargs))


class _BackwardHook(_ModuleHook):
    __slots__ = ("call", "tell")

    def __init__(self, tell: Callable[..., None]) -> None:
        self.tell = tell
        self.call: Call | None = None

    def __call__(self, _module: nn.Module, *gradients: Gradients) -> None:
        if self.call is not None:
            self.tell(self.call, *gradients)


class _BackwardHooks:
    """The backward hooks of one module, new ones for each call: PyTorch does not tell a hook which call it fires for.

    It collects a call's backward hooks before it runs the forward pre-hooks; so the ones that are on the module when a
    pre-hook runs are that call's, and the ones that are put on then are the next call's.

    Args:
        module: The module.
        kinds: How each hook is registered, and whom it tells.
    """

    def __init__(
        self, module: nn.Module, *kinds: tuple[Callable[[_BackwardHook], Handle], Callable[..., None]]
    ) -> None:
        self._module = module
        self._flag = backward_hook_flag(module)
        self._kinds = kinds
        self._hooks: list[tuple[_BackwardHook, Handle]] = []
        self._renew()

    def bind(self, call: Call | None) -> None:
        """Let the hooks of the call that begins be its own."""
        if call is not None:
            for hook, _ in self._hooks:
                hook.call = call
            self._renew()

    def remove(self) -> None:
        """Take them off; the module may have hooks of either kind again."""
        for _, handle in self._hooks:
            handle.remove()
        self._hooks = []
        restore_backward_hook_flag(self._module, self._flag)

    def _renew(self) -> None:
        for _, handle in self._hooks:
            handle.remove()
        hooks = [(_BackwardHook(tell), register) for register, tell in self._kinds]
        self._hooks = [(hook, register(hook)) for hook, register in hooks]


class _Together:
    """Handles that are removed as one."""

    def __init__(self, *handles: Handle) -> None:
        self._handles = handles

    def remove(self) -> None:
        for handle in self._handles:
            handle.remove()


def hook_forward(path: str, module: nn.Module, observer: Observer, *, always: bool = False) -> Handle:
    """Put a pair of forward hooks on a module.

    Args:
        path: Path of the module.
        module: The module.
        observer: Who is told.
        always: Whether it is also told of calls that an `Exception` leaves, and then without an output.
    """
    return _Together(
        module.register_forward_pre_hook(_Enter(observer, path), with_kwargs=True),
        module.register_forward_hook(_Leave(observer, path), with_kwargs=True, always_call=always),
    )


def hook_replacing(path: str, module: nn.Module, observer: InputObserver) -> Handle:
    """Put a pair of forward hooks on a module, the first of which may replace its inputs."""
    return _Together(
        module.register_forward_pre_hook(_EnterReplacing(observer, path), with_kwargs=True),
        module.register_forward_hook(_Leave(observer, path), with_kwargs=True),
    )


def hook_changing(path: str, module: nn.Module, observer: ChangingObserver, *, first: bool = False) -> Handle:
    """Put a pair of forward hooks on a module that may replace its inputs and its output.

    Args:
        path: Path of the module.
        module: The module.
        observer: Who replaces them.
        first: Whether the pair runs before all other hooks of ours, which then see what it has made; it runs after
            those of the user that are on the module.
    """
    entering = module.register_forward_pre_hook(_EnterReplacing(observer, path), with_kwargs=True)
    leaving = module.register_forward_hook(_LeaveReplacing(observer, path), with_kwargs=True)
    if first:
        _let_ours_follow(module._forward_pre_hooks, entering.id)
        _let_ours_follow(module._forward_hooks, leaving.id)
    return _Together(entering, leaving)


def _let_ours_follow(hooks: dict[int, Any], number: int) -> None:
    """Let the other hooks of ours run after this one. A call that is running goes on in the former order."""
    for other, hook in list(hooks.items()):
        if other != number and isinstance(hook, _ForwardHook):
            hooks[other] = hooks.pop(other)  # to the end


def hook_native(path: str, module: nn.Module, observer: BackwardObserver) -> Handle:
    """Put forward hooks and PyTorch's own full backward hooks on a module.

    Raises:
        RuntimeError: The module has a backward hook of the deprecated kind.
    """
    backward = _BackwardHooks(
        module,
        (module.register_full_backward_pre_hook, observer.outputs_delivered),
        (module.register_full_backward_hook, observer.delivered),
    )
    return _with_backward(path, module, observer, backward)


def hook_legacy(path: str, module: nn.Module, observer: BackwardObserver) -> Handle:
    """Put forward hooks and a backward hook of the deprecated kind on a module.

    Raises:
        RuntimeError: The module has a full backward hook.
    """
    backward = _BackwardHooks(module, (module.register_backward_hook, observer.delivered))
    return _with_backward(path, module, observer, backward)


def _with_backward(path: str, module: nn.Module, observer: Observer, backward: _BackwardHooks) -> Handle:
    return _Together(
        module.register_forward_pre_hook(_EnterBinding(observer, path, backward), with_kwargs=True),
        module.register_forward_hook(_Leave(observer, path), with_kwargs=True),
        backward,
    )


class ModuleHooks:
    """The hooks on the checked modules.

    The forward hooks return None and are appended, so they see what a caller gives and gets. Changes hold from the next
    call on.

    Args:
        observer: Who is told of the modules that have no hooker of their own; `None` if all have one.
    """

    def __init__(self, observer: Observer | None = None) -> None:
        self._observer = observer
        self._handles: dict[str, tuple[Handle, Hooker | None]] = {}

    @property
    def paths(self) -> tuple[str, ...]:
        """The hooked modules."""
        return tuple(self._handles)

    def set(self, modules: Mapping[str, nn.Module], hookers: Mapping[str, Hooker] = MappingProxyType({})) -> None:
        """Hook exactly these modules; those of `hookers` by what is given there."""
        for path, (handle, hooker) in list(self._handles.items()):
            if path not in modules or hookers.get(path) is not hooker:
                del self._handles[path]
                handle.remove()
        for path, module in modules.items():
            if path not in self._handles:
                self._hook(path, module, hookers.get(path))

    def _hook(self, path: str, module: nn.Module, hooker: Hooker | None) -> None:
        try:
            if hooker is not None:
                handle = hooker.hook(path, module)
            elif self._observer is not None:
                handle = hook_forward(path, module, self._observer)
            else:
                return
        except RuntimeError:  # TorchScript refuses hooks; the recorder says so when the module was never seen
            return
        self._handles[path] = (handle, hooker)


class StepHooks:
    """The hooks of one step on graph nodes; they go with the graph, and at the latest with `remove`."""

    def __init__(self) -> None:
        self._handles: list[Handle] = []
        self._nodes: list[Node] = []

    def before_node(self, node: Node, tap: Callable[[Gradients], Gradients | None]) -> None:
        """Call `tap` with the gradients that arrive at a node; what it answers, if anything, takes their place."""
        self._handles.append(node.register_prehook(tap))

    def before_leaf(self, node: Node, tap: Callable[[Gradients], Gradients | None]) -> None:
        """As `before_node`, for the node that accumulates into a leaf.

        The leaf itself does not hold this node: without a reference it would go, with its hooks, before it is used.
        """
        self._nodes.append(node)
        self.before_node(node, tap)

    def after_node(self, node: Node, tap: Callable[[Gradients, object], Gradients | None]) -> None:
        """Call `tap` with the gradients that a node passes on, and those that it received; answers as above."""
        self._handles.append(node.register_hook(tap))

    def remove(self) -> None:
        """Take off whatever is left."""
        for handle in self._handles:
            handle.remove()
        self._handles.clear()
        self._nodes.clear()


def on_accumulated(parameter: nn.Parameter, tap: Callable[[torch.Tensor], None]) -> Handle:
    """Call `tap` with a leaf parameter each time a gradient was accumulated into it."""
    return _ParameterHook(parameter, parameter.register_post_accumulate_grad_hook(tap))  # type: ignore[no-untyped-call]


def on_gradient(parameter: torch.Tensor, tap: Callable[[torch.Tensor], torch.Tensor | None]) -> Handle:
    """Let `tap` replace the gradient of a leaf before it is accumulated: all that one backward pass gives it."""
    return _ParameterHook(parameter, parameter.register_hook(tap))  # type: ignore[no-untyped-call]


class _ParameterHook:
    """A hook on a parameter; the last one of its kind to go takes torch's dict of hooks along, for there was none."""

    def __init__(self, parameter: torch.Tensor, handle: Handle) -> None:
        self._parameter = parameter
        self._handle = handle

    def remove(self) -> None:
        """Take the hook off."""
        self._handle.remove()
        drop_empty_hook_dicts(self._parameter)
