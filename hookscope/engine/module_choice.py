"""Which modules of a model a person means by paths and globs."""

from collections.abc import Iterable

from torch import nn

from hookscope.engine.module_tree import named_modules
from hookscope.engine.observed import listed, unknown
from hookscope.engine.state.eager import unwrapped
from hookscope.protocol.patterns import match_paths


def first_paths(model: nn.Module) -> dict[str, str]:
    """Return every name of every module -> the first name of the same module, under which it is recorded."""
    first = {id(module): path for path, module in named_modules(model).items()}
    return {path: first[id(module)] for path, module in unwrapped(model).named_modules(remove_duplicate=False)}


def choose_modules(model: nn.Module, patterns: Iterable[str]) -> dict[str, nn.Module]:
    """Return the modules that module paths and globs match, in the model's order, each under its first path.

    Raises:
        UnknownNameError: One of them matches nothing.
    """
    names = first_paths(model)
    wanted: set[str] = set()
    for pattern in patterns:
        found = [pattern] if pattern in names else match_paths(pattern, names)
        if not found:
            raise unknown("module", pattern, names, otherwise=f"there are {listed(names)}")
        wanted.update(names[path] for path in found)
    return {path: module for path, module in named_modules(model).items() if path in wanted}
