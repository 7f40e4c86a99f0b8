"""Writes interventions as a Python script of plain PyTorch hooks, which needs torch and numpy and no hookscope."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from hookscope.client.script_changes import Given, code_of, docstring
from hookscope.client.script_functions import Written, constant_texts, function_text
from hookscope.client.script_helpers import HELPERS, helper_text, with_needs
from hookscope.client.script_intervene import intervene_text
from hookscope.client.script_main import IMPORTS, default_source, helpers_needed, main_text
from hookscope.client.script_operations import PROPERTIES, operator_names
from hookscope.client.session import DebugSession
from hookscope.protocol.identity import Slot
from hookscope.protocol.interventions import Intervention
from hookscope.protocol.workload import RunSettings, Source, SyntheticInput

_ORDER = (Slot.PARAMETER, Slot.INPUT, Slot.GRAD_INPUT, None, Slot.OUTPUT, Slot.GRAD_OUTPUT, Slot.PARAMETER_GRAD)
"""In which order hooks are put on, so that gradients are those of changed values; `None` is an operation."""

_HEAD = """\
Changes tensors of a model by plain PyTorch hooks. Written by hookscope, which it does not need.
{comment}
    python THIS_FILE.py model.py:workload

runs one step of a model with the changes, and prints the loss and the norm of each gradient. The name is that of
a module, of an object with `model`, `inputs`, `targets` and `loss`, or of a function that returns one.{default}

In a program of your own, call `intervene(model)` before a step, and `remove()` each of the handles that it returns
when backward is done, before the optimizer steps.
"""


def write_script(
    interventions: Sequence[Intervention],
    source: Source | None,
    *,
    comment: str = "",
    arrays: Mapping[int, Given] | None = None,
    settings: RunSettings | None = None,
    inputs: tuple[SyntheticInput, ...] = (),
) -> str:
    """Return a script that puts the interventions on a model, and that runs one step with them when it is run itself.

    It reproduces the numbers of the step that hookscope would run on the CPU with these settings.

    Args:
        interventions: Those that are off are left out.
        source: The model that the script runs when it is given none.
        comment: A person's words, for the head of the script.
        arrays: What `FromStep` stands for, by intervention: values, or the name of a `.npy` file beside the script;
            without them such a change raises.
        settings: Seed and loss of the step.
        inputs: Made-up inputs, if the model is run on such.

    Raises:
        ValueError: An expression cannot be read.
    """
    given = arrays or {}
    on = [one for one in interventions if one.enabled]
    written = [Written(one, number, code_of(one, given.get(one.id))) for number, one in enumerate(on, 1)]
    written.sort(key=lambda one: _ORDER.index(None if one.intervention.operation else one.intervention.slot))
    main = main_text(source, settings or RunSettings(), inputs)
    helpers = with_needs([*_helpers_of(written), *helpers_needed(settings or RunSettings())])
    operations = {one.intervention.operation.partition(":")[0] for one in written} - {""}
    texts = {
        "tells_calls_apart": any(one.tells_calls_apart for one in written),
        "writes_in_place": any(name.endswith("_") or name == "setitem" for name in operations),
        "has_properties": bool(operations & PROPERTIES),
    }
    parts = [
        _imports([*IMPORTS, *(line for name in helpers for line in HELPERS[name].imports), *_imports_of(written)]),
        *(function_text(one, tells_calls_apart=texts["tells_calls_apart"]) for one in _by_number(written)),
        intervene_text(written, tells_calls_apart=texts["tells_calls_apart"]),
        *_operators(operations),
        *(helper_text(name, **texts) for name in helpers),
        *constant_texts(_by_number(written)),
        main,
    ]
    return _head(comment, source) + "\n\n" + "\n\n\n".join(part.strip("\n") for part in parts) + "\n"


def script_of(session: DebugSession, *, comment: str = "", arrays: Mapping[int, Given] | None = None) -> str:
    """Return the script of a session: of its interventions but for those that are refused, its model and its settings.

    Args:
        session: Whose.
        comment: As for `write_script`.
        arrays: Likewise.

    Raises:
        ValueError: As for `write_script`.
    """
    accepted = [one for one in session.interventions if one.id not in session.intervention_errors]
    workload = session.workload
    inputs: tuple[SyntheticInput, ...] = session.made_up_inputs
    if not inputs and workload is not None and workload.synthetic:
        inputs = tuple(SyntheticInput(found.spec.shape, found.spec.dtype) for found in workload.inputs)
    return write_script(
        accepted, session.source, comment=comment, arrays=arrays, settings=session.settings, inputs=inputs
    )


def _by_number(written: Iterable[Written]) -> list[Written]:
    return sorted(written, key=lambda one: one.number)


def _head(comment: str, source: Source | None) -> str:
    default = default_source(source)
    return docstring(
        _HEAD.format(
            comment=f"\n{comment.strip()}\n" if comment.strip() else "",
            default=f" Without an\nargument, it is {default}" if default else "",
        )
    )


def _imports(lines: Iterable[str]) -> str:
    standard = sorted({line for line in lines if "torch" not in line and "numpy" not in line}, key=_import_key)
    others = sorted({line for line in lines if "numpy" in line or "torch." in line} | {"import torch"}, key=_import_key)
    return "\n".join(_merged(standard)) + "\n\n" + "\n".join(others) + "\n"


def _import_key(line: str) -> tuple[bool, str]:
    return line.startswith("from"), line


def _merged(lines: Iterable[str]) -> list[str]:
    """Return imports with those of names from one module in one line."""
    names: dict[str, set[str]] = defaultdict(set)
    merged = []
    for line in lines:
        head, separator, imported = line.partition(" import ")
        if separator:
            names[head].update(imported.split(", "))
        else:
            merged.append(line)
    return merged + [f"{head} import {', '.join(sorted(names[head]))}" for head in names]


def _imports_of(written: Sequence[Written]) -> list[str]:
    lines = []
    if any("math" in one.code.names for one in written):
        lines.append("import math")
    if any(one.tells_calls_apart or "module" in one.code.names for one in written):
        lines.append("from functools import partial")
    return lines


def _operators(operations: Iterable[str]) -> list[str]:
    if not operations:
        return []
    rows = [f'    "{name}": "{operation}",' for operation in sorted(operations) for name in operator_names(operation)]
    text = "OPERATORS = {\n" + "\n".join(rows) + "\n}" if rows else "OPERATORS = {}"
    return [f"# What Python calls the functions of operators.\n{text}"]


def _helpers_of(written: Sequence[Written]) -> list[str]:
    names = []
    if any(one.tells_calls_apart for one in written):
        names.append("Calls")
    for one in written:
        names += one.code.helpers
        match one.intervention:
            case Intervention(slot=slot, operation=operation) if operation:
                names += ["change_operations", *(["on_gradient"] if slot.is_gradient else [])]
            case Intervention(slot=Slot.INPUT):
                names.append("change_input")
            case Intervention(slot=Slot.OUTPUT):
                names.append("change_output")
            case Intervention(slot=Slot.GRAD_INPUT):
                names += ["change_input", "on_share"]
            case Intervention(slot=Slot.GRAD_OUTPUT):
                names += ["change_output", "on_gradient"]
            case Intervention(slot=Slot.PARAMETER):
                names += ["parameter_of", "ChangedParameter"]
            case Intervention(slot=Slot.PARAMETER_GRAD):
                names.append("parameter_of")
    return names
