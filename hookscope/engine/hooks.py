"""The only place that puts hooks on modules, graph nodes and parameters, and takes them off again."""

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import torch
from torch import nn
from torch.autograd.graph import Node


class Observer(Protocol):
    """Who is told when a hooked module is entered and left. Called on the thread that runs the module."""

    def entered(self, path: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        """The module is about to run."""

    def left(self, path: str, output: object) -> None:
        """The module has returned `output`."""


class Handle(Protocol):
    """What every `register_*hook` returns."""

    def remove(self) -> None:
        """Take the hook off."""


def inert(*_args: object, **_kwargs: object) -> None:
    """Do nothing: what a hook becomes in a deep copy or a pickle of the model."""


def _make_inert() -> Callable[..., None]:
    return inert


class _ForwardHook:
    """A hook on a module that stays with this very module: copies and pickles of the model get an inert one.

    A user's loop may deep copy the model (EMA, SWA) or save it while it is observed.
    """

    __slots__ = ("observer", "path")

    def __init__(self, observer: Observer, path: str) -> None:
        self.observer = observer
        self.path = path

    def __deepcopy__(self, memo: object) -> Callable[..., None]:
        return inert

    def __reduce__(self) -> tuple[Callable[[], Callable[..., None]], tuple[()]]:
        return _make_inert, ()


class _Enter(_ForwardHook):
    def __call__(self, _module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.observer.entered(self.path, args, kwargs)


class _Leave(_ForwardHook):
    def __call__(self, _module: nn.Module, _args: tuple[Any, ...], _kwargs: dict[str, Any], output: object) -> None:
        self.observer.left(self.path, output)


class ModuleHooks:
    """The forward hooks on the checked modules.

    They return None and are appended, so they see what a caller gives and gets. Changes hold from the next call on.
    """

    def __init__(self, observer: Observer) -> None:
        self._observer = observer
        self._handles: dict[str, tuple[Handle, Handle]] = {}

    @property
    def paths(self) -> tuple[str, ...]:
        """The hooked modules."""
        return tuple(self._handles)

    def set(self, modules: Mapping[str, nn.Module]) -> None:
        """Hook exactly these modules."""
        for path in [path for path in self._handles if path not in modules]:
            for handle in self._handles.pop(path):
                handle.remove()
        for path, module in modules.items():
            if path not in self._handles:
                self._hook(path, module)

    def _hook(self, path: str, module: nn.Module) -> None:
        try:
            before = module.register_forward_pre_hook(_Enter(self._observer, path), with_kwargs=True)
        except RuntimeError:  # TorchScript refuses hooks; the recorder says so when the module was never seen
            return
        after = module.register_forward_hook(_Leave(self._observer, path), with_kwargs=True)
        self._handles[path] = (before, after)


class StepHooks:
    """The hooks of one step on graph nodes; they go with the graph, and at the latest with `remove`."""

    def __init__(self) -> None:
        self._handles: list[Handle] = []
        self._nodes: list[Node] = []

    def before_node(self, node: Node, tap: Callable[[tuple[torch.Tensor | None, ...]], None]) -> None:
        """Call `tap` with the gradients that arrive at a node."""
        self._handles.append(node.register_prehook(tap))

    def before_leaf(self, node: Node, tap: Callable[[tuple[torch.Tensor | None, ...]], None]) -> None:
        """Call `tap` with the gradients that arrive at the node that accumulates into a leaf.

        The leaf itself does not hold this node: without a reference it would go, with its hooks, before it is used.
        """
        self._nodes.append(node)
        self.before_node(node, tap)

    def after_node(self, node: Node, tap: Callable[[tuple[torch.Tensor | None, ...], object], None]) -> None:
        """Call `tap` with the gradients that a node passes on, and those that it received."""
        self._handles.append(node.register_hook(tap))

    def remove(self) -> None:
        """Take off whatever is left."""
        for handle in self._handles:
            handle.remove()
        self._handles.clear()
        self._nodes.clear()


def on_accumulated(parameter: nn.Parameter, tap: Callable[[torch.Tensor], None]) -> Handle:
    """Call `tap` with a leaf parameter each time a gradient was accumulated into it."""
    handle: Handle = parameter.register_post_accumulate_grad_hook(tap)  # type: ignore[no-untyped-call]
    return handle
