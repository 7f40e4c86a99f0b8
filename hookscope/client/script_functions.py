"""Writes the function that makes the change of an intervention, and the values that it puts in."""

import base64
import io
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hookscope.client.script_changes import Code, docstring, number, part_text, quoted
from hookscope.protocol.identity import Slot
from hookscope.protocol.interventions import Heads, Intervention, MagnitudeAbove
from hookscope.protocol.tensors import Array

_LINE = 100
"""Characters in a line of base64."""

_WORDS = {
    Slot.INPUT: "input",
    Slot.OUTPUT: "output",
    Slot.GRAD_INPUT: "gradient of the input",
    Slot.GRAD_OUTPUT: "gradient of the output",
    Slot.PARAMETER: "parameter",
    Slot.PARAMETER_GRAD: "gradient of the parameter",
}


@dataclass(frozen=True)
class Written:
    """An intervention and the function that makes its change."""

    intervention: Intervention
    number: int
    code: Code

    @property
    def function(self) -> str:
        """What that function is called."""
        return f"change_{self.number}"

    @property
    def tells_calls_apart(self) -> bool:
        """Whether it does not do the same in each call."""
        return self.intervention.call is not None or bool(self.code.names & {"call", "step"})


def function_text(one: Written, *, tells_calls_apart: bool) -> str:
    """Return the function that makes a change; it is told the call if the script tells calls apart."""
    code, intervention = one.code, one.intervention
    part = part_text(intervention.where)
    tensor = "whole" if part else "x"
    arguments = [tensor, *(["call"] if tells_calls_apart else []), *(["module"] if "module" in code.names else [])]
    lines = [f"def {one.function}({', '.join(arguments)}):", f"    {docstring(_place_words(intervention))}"]
    lines += [f"    # {line}".rstrip() for line in intervention.note.splitlines()]
    if "path" in code.names:
        lines.append(f"    path = {quoted(intervention.path)}")
    if "step" in code.names:
        lines.append("    step = calls.step")
    if part:
        lines.append(f"    x = {part.format('whole')}")
    before, value = code.before, code.value
    if code.constant is not None:
        before = tuple(line.replace("VALUES", f"VALUES_{one.number}") for line in before)
        value = value.replace("VALUES", f"VALUES_{one.number}")
    lines += [f"    {line}" for line in before]
    match intervention.where:
        case MagnitudeAbove(limit=limit):
            lines.append(f"    return torch.where(x.abs() > {number(limit)}, {value}, x)")
        case None:
            lines.append(f"    return {value}")
        case _:
            lines += ["    changed = whole.clone()", f"    {part.format('changed')} = {value}", "    return changed"]
    return "\n".join(lines)


def _place_words(intervention: Intervention) -> str:
    """Say what is changed, in the words of a comment."""
    of_what = intervention.path or "the model"
    if intervention.operation:
        of_what = f"{intervention.operation} in {of_what}"
    words = [_WORDS[intervention.slot], *([intervention.leaf] if intervention.leaf else []), "of", of_what]
    heads = f", heads of {intervention.where.count}" if isinstance(intervention.where, Heads) else ""
    call = f", in call {intervention.call} alone" if intervention.call is not None else ""
    return f"Change the {' '.join(words)}{heads}{call}."


def constant_texts(written: Sequence[Written]) -> list[str]:
    """Return the values that are put in. They stand where they do not hide the functions."""
    parts = []
    for one in written:
        match one.code.constant:
            case str(text):
                parts.append(f"VALUES_{one.number} = {text}\n")
            case Array() as array:
                lines = textwrap.wrap(_packed(array), _LINE)
                rows = "\n".join(f'    "{line}"' for line in lines)
                shape = " x ".join(map(str, array.shape)) or "one number"
                parts.append(f"VALUES_{one.number} = packed(  # {shape}\n{rows}\n)\n")
    return parts


def _packed(array: Array) -> str:
    values = array.to_numpy()
    file = io.BytesIO()
    np.save(file, np.ascontiguousarray(values).reshape(values.shape), allow_pickle=False)
    return base64.b64encode(file.getvalue()).decode()
