"""The functions that written scripts are made of. A script has those that its interventions need."""

from collections.abc import Iterable

from hookscope.client.script_hooks import HOOKS, IN_PLACE, NAME, NAME_OF_ALL, Helper
from hookscope.client.script_values import VALUES

HELPERS: dict[str, Helper] = HOOKS | VALUES
"""Name -> what is written, in the order in which they stand in a script."""

_SAME: dict[str, str] = {
    "@bind_in_mode": "",
    "@in_calls": "",
    "@only_call": "",
    "@unless_called": "",
    "@change": "change",
    "@of_call": "change",
    "@given_call": "",
    "@first_call": "",
}
_APART: dict[str, str] = {
    "@bind_in_mode": """\
                call = calls.number(self.module)
                if only_call not in (None, call):
                    continue
                change = partial(change, call=call)
""",
    "@in_calls": ", only_call",
    "@only_call": ", only_call=None",
    "@unless_called": """\
        if only_call not in (None, calls.number(module)):
            return None
""",
    "@change": "partial(change, call=calls.number(module))",
    "@of_call": "partial(change, call=call)",
    "@given_call": ", call",
    "@first_call": ", call=0",
}


def helper_text(name: str, *, tells_calls_apart: bool, writes_in_place: bool, has_properties: bool) -> str:
    """Return the source of a helper.

    Args:
        name: Which one.
        tells_calls_apart: Whether the script numbers calls.
        writes_in_place: Whether it changes operations that write into a tensor.
        has_properties: Whether it changes operations that are attributes, such as `x.T`.
    """
    marks = (_APART if tells_calls_apart else _SAME) | {
        **{mark: text if writes_in_place else "" for mark, text in IN_PLACE.items()},
        "@operation_name": NAME_OF_ALL if has_properties else NAME,
    }
    text = HELPERS[name].text
    for mark, source in marks.items():
        text = text.replace(mark, source)
    return text


def with_needs(names: Iterable[str]) -> tuple[str, ...]:
    """Return helpers and those that they need, in the order in which they stand in a script."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += HELPERS[name].needs
    return tuple(name for name in HELPERS if name in found)
