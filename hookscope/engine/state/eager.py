"""Compiled modules: hooks in them fire only while they run eagerly."""

import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import torch
from torch import nn


def is_compiled(module: nn.Module) -> bool:
    """Whether `torch.compile` wrapped the module, or `Module.compile` compiled it in place. Imports no compiler."""
    return _wrapped(module) is not None or _is_compiled_in_place(module)


def unwrapped(model: nn.Module) -> nn.Module:
    """Return what `torch.compile` wrapped, or the model itself.

    Calling the wrapper calls what it wraps, so that is the root of the tree: its paths are those of the model as it was
    written. A wrapper further down is a module like any other, and has a child `_orig_mod`.
    """
    return _wrapped(model) or model


def compiled_paths(model: nn.Module) -> frozenset[str]:
    """Return the paths, as the tree has them, of the modules that run inside of compiled code; a wrapper does not."""
    modules = dict(unwrapped(model).named_modules())
    paths: set[str] = set()
    for path, module in modules.items():
        if path:
            parent = path.rpartition(".")[0]
            is_inside = parent in paths or _wrapped(modules[parent]) is not None
        else:
            is_inside = module is not model
        if is_inside or _is_compiled_in_place(module):
            paths.add(path)
    return frozenset(paths)


@contextmanager
def running_eagerly(wanted: bool) -> Iterator[None]:
    """Run everything that is compiled as it was written, inside the block, if that is wanted.

    The compiler is imported for it, which takes seconds once: the model may compile a part of itself as it runs. Where
    it cannot be imported, nothing can be compiled either.
    """
    if not wanted:
        yield
        return
    try:
        eager = torch.compiler.set_stance("force_eager")
    except ImportError:
        yield
        return
    with eager:
        yield


class Eagerness:
    """Runs what is compiled as it was written, as long as anyone wants that; they come and go in any order."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._wanting = 0
        self._stance = ExitStack()

    def begin(self) -> None:
        """Want it. A compiler that is not loaded yet has compiled nothing, and is not loaded for this."""
        with self._lock:
            self._wanting += 1
            if self._wanting == 1 and "torch._dynamo" in sys.modules:
                self._stance.enter_context(torch.compiler.set_stance("force_eager"))

    def end(self) -> None:
        """Want it no more."""
        with self._lock:
            self._wanting -= 1
            if not self._wanting:
                self._stance.close()


def _wrapped(module: nn.Module) -> nn.Module | None:
    children = module._modules
    return children["_orig_mod"] if "_orig_mod" in children else None  # noqa: SIM401 - TorchScript's has no get


def _is_compiled_in_place(module: nn.Module) -> bool:
    return vars(module).get("_compiled_call_impl") is not None
