"""Writes the function that puts all changes on a model."""

import builtins
import keyword
import re
from collections import defaultdict
from collections.abc import Sequence

from hookscope.client.script_changes import quoted
from hookscope.client.script_functions import Written
from hookscope.client.script_helpers import HELPERS
from hookscope.protocol.identity import Slot

_WIDTH = 120
_INDENT = " " * 8
_TAKEN = {"calls", "handles", "model", "partial", *HELPERS, *keyword.kwlist, *keyword.softkwlist, *dir(builtins)}
"""Names that no variable may have."""


def intervene_text(written: Sequence[Written], *, tells_calls_apart: bool) -> str:
    """Return the function that puts all changes on a model.

    Args:
        written: The interventions, in the order in which their hooks are put on.
        tells_calls_apart: Whether the changes are told which call they are made in.
    """
    names = _names(written)
    lines = ["def intervene(model):", '    """Put the changes on a model; `remove()` of the handles takes them off."""']
    lines += [f"    {name} = model.get_submodule({quoted(path)})" for path, name in names.items() if path]
    entries = [_call("*calls.watch", ["model", f"[{', '.join(names.values())}]"])] if tells_calls_apart else []
    done: set[str] = set()
    for one in written:
        path = one.intervention.path
        if not one.intervention.operation:
            entries.append(_installed(one, names, tells_calls_apart=tells_calls_apart))
        elif path not in done:
            done.add(path)
            ours = [each for each in written if each.intervention.operation and each.intervention.path == path]
            entries.append(_operations(ours, names, tells_calls_apart=tells_calls_apart))
    if not entries:
        return "\n".join([*lines, "    return []"])
    lines += ["    handles = [", *entries, "    ]"]
    if any(one.intervention.slot is Slot.PARAMETER for one in written):
        lines.append("    return handles[::-1]  # what was changed last is put back first")
    else:
        lines.append("    return handles")
    return "\n".join(lines)


def _names(written: Sequence[Written]) -> dict[str, str]:
    """Return a variable for each module, by its path."""
    names: dict[str, str] = {}
    for path in dict.fromkeys(one.intervention.path for one in written):
        name = re.sub(r"\W", "_", path)
        if not name.isidentifier():
            name = f"module_{name}"
        while name in _TAKEN or name in names.values() or re.fullmatch(r"change_\d+", name):
            name += "_"
        names[path] = name if path else "model"
    return names


def _installed(one: Written, names: dict[str, str], *, tells_calls_apart: bool) -> str:
    intervention = one.intervention
    module, change = names[intervention.path], _bound(one, names)
    leaf = quoted(intervention.leaf)
    only = [f"only_call={intervention.call}"] if intervention.call is not None else []
    match intervention.slot:
        case Slot.INPUT:
            return _call("change_input", [module, leaf, change, *only])
        case Slot.OUTPUT:
            return _call("change_output", [module, leaf, change, *only])
        case Slot.GRAD_INPUT:
            return _call("change_input", [module, leaf, f"on_share({module}, {change})", "of_gradient=True", *only])
        case Slot.GRAD_OUTPUT:
            return _call("change_output", [module, leaf, f"on_gradient({change})", "of_gradient=True", *only])
        case Slot.PARAMETER:
            return _call("ChangedParameter", [f"parameter_of({module}, {leaf})", change])
        case Slot.PARAMETER_GRAD:
            first = f"partial({change}, call=0)" if tells_calls_apart else change
            return _call(f"parameter_of({module}, {leaf}).register_hook", [first])


def _operations(written: Sequence[Written], names: dict[str, str], *, tells_calls_apart: bool) -> str:
    """Return what puts on all changes of operations in one module."""
    by_place: dict[str, list[str]] = defaultdict(list)
    for one in written:
        name, _, number = one.intervention.operation.partition(":")
        is_gradient = one.intervention.slot.is_gradient
        change = f"on_gradient({_bound(one, names)})" if is_gradient else _bound(one, names)
        only = [str(one.intervention.call)] if tells_calls_apart else []
        entry = ", ".join([quoted(one.intervention.leaf), change, str(is_gradient), *only])
        by_place[f"({quoted(name)}, {number or 0})"].append(f"({entry})")
    rows = ", ".join(f"{place}: [{', '.join(changes)}]" for place, changes in by_place.items())
    return _call("*change_operations", [names[written[0].intervention.path], f"{{{rows}}}"])


def _bound(one: Written, names: dict[str, str]) -> str:
    if "module" not in one.code.names:
        return one.function
    return f"partial({one.function}, module={names[one.intervention.path]})"


def _call(function: str, arguments: Sequence[str]) -> str:
    """Return a call as an entry of a list, on one line if it fits."""
    line = f"{_INDENT}{function}({', '.join(arguments)}),"
    if len(line) <= _WIDTH:
        return line
    return "\n".join(
        [f"{_INDENT}{function}(", *(f"{_INDENT}    {argument}," for argument in arguments), f"{_INDENT}),"]
    )
