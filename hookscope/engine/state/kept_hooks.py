"""The hooks on a module as they are now, to be put back later."""

from typing import Any

from torch import nn

from hookscope import engine
from hookscope.engine.state.kept_values import put_back_mapping

HOOK_DICTS = (
    "_forward_hooks",
    "_forward_hooks_with_kwargs",
    "_forward_hooks_always_called",
    "_forward_pre_hooks",
    "_forward_pre_hooks_with_kwargs",
    "_backward_hooks",
    "_backward_pre_hooks",
)
"""Attributes of a module that hold its hooks, or what is said of them, by number."""
_FULL = "_is_full_backward_hook"
_OURS = engine.__name__


class KeptHooks:
    """The hooks on one module.

    Hooks of ours stay as they are when the others are put back: the module may have been checked in between.

    Args:
        module: Whose hooks.
        attributes: A copy of the module's `__dict__`, which will be put back; the flag in it that belongs to the hooks
            is brought up to date by `restore`.
    """

    __slots__ = ("_attributes", "_module", "_then")

    def __init__(self, module: nn.Module, attributes: dict[str, Any]) -> None:
        self._module = module
        self._attributes = attributes
        self._then = {name: attributes[name].copy() for name in HOOK_DICTS if attributes.get(name)}

    def restore(self) -> None:
        """Put the user's hooks back, in their order; called before the module's `__dict__` is put back.

        Where they are as they were, the order in which they and ours run stays; else theirs run before ours.
        """
        now: dict[str, dict[int, Any]] = {name: hooks for name in HOOK_DICTS if (hooks := self._attributes.get(name))}
        then = self._then
        if now.keys() == then.keys() and all(list(now[name]) == list(then[name]) for name in now):
            return
        ours_now = _ours_in(now)
        ours_then = _ours_in(then)
        for name in now.keys() | then.keys():
            hooks = self._attributes[name]
            theirs_then = {number: hook for number, hook in then.get(name, {}).items() if number not in ours_then}
            if [number for number in hooks if number not in ours_now] != list(theirs_then):
                ours = {number: hook for number, hook in hooks.items() if number in ours_now}
                put_back_mapping(hooks, theirs_then | ours)
        if ours_now != ours_then:
            self._attributes[_FULL] = vars(self._module).get(_FULL)


def _ours_in(hooks: dict[str, dict[int, Any]]) -> set[int]:
    return {number for numbered in hooks.values() for number, hook in numbered.items() if _is_ours(hook)}


def _is_ours(hook: object) -> bool:
    module = getattr(hook, "__module__", None)
    return isinstance(module, str) and module.startswith(_OURS)
