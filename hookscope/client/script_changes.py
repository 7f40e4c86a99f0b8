"""How a script makes each change: one row a kind. `x` is the tensor, or the part of it that is changed."""

import ast
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hookscope.protocol.interventions import Channels, Heads, Index, Intervention, Selection, Span
from hookscope.protocol.tensor_changes import (
    Add,
    Change,
    Clamp,
    ClipNorm,
    Constant,
    Expression,
    Flip,
    FromFile,
    FromStep,
    Mean,
    NanTo,
    Noise,
    Replace,
    Scale,
    Shuffle,
    StopGradient,
    StraightThrough,
    Zero,
)
from hookscope.protocol.tensors import Array

Given = Array | str
"""Values, or the name of the `.npy` file beside the script that has them."""


@dataclass(frozen=True)
class Code:
    """How the new value of `x` is made.

    Attributes:
        value: An expression.
        before: Statements that come before it.
        helpers: Names of the helpers that it uses.
        names: What it uses besides `x`: `call`, `module`, `path`, `step`, `math`, `whole`.
        constant: What makes the values that it puts in, given as the constant `VALUES`; `None` when there are none.
    """

    value: str
    before: tuple[str, ...] = ()
    helpers: tuple[str, ...] = ()
    names: frozenset[str] = frozenset()
    constant: Array | str | None = None


def code_of(intervention: Intervention, given: Given | None) -> Code:
    """Return how an intervention makes its new values.

    Args:
        intervention: Whose.
        given: What `FromStep` stands for, where that is known: the values, or the `.npy` file beside the script.

    Raises:
        ValueError: Its expression cannot be read.
    """
    return _code(intervention.change, intervention, given)


def number(value: float) -> str:
    """Return a number as it is written: whole ones without a point, so that they do for tensors of integers too."""
    if math.isnan(value):
        return "math.nan"
    if math.isinf(value):
        return "math.inf" if value > 0 else "-math.inf"
    is_whole = value == int(value) and abs(value) < 2**53
    is_negative_zero = value == 0 and math.copysign(1, value) < 0
    return str(int(value)) if is_whole and not is_negative_zero else repr(value)


def quoted(text: str) -> str:
    """Return a text as it is written, in double quotes where that needs no escapes."""
    return repr(text) if '"' in text or "\\" in text or not text.isprintable() else f'"{text}"'


def loaded(file: str) -> str:
    """Return what reads the tensor in a file; of a `.npy` file it is the helper `array` that does."""
    if file.endswith(".npy"):
        return f"array({quoted(file)})"
    return f'torch.load({quoted(file)}, map_location="cpu", weights_only=True).detach()'


def docstring(text: str) -> str:
    """Return a text as a docstring; it must not end in a quotation mark."""
    escaped = text.replace("\\", "\\\\").replace('"""', "'''")
    return f'"""{escaped}"""'


def part_text(where: Selection | None) -> str:
    """Return what takes the selected part out of a tensor `{}`; `""` when there is no such text."""
    match where:
        case Index(parts=parts):
            return "{}[" + ", ".join(map(_index_text, parts)) + "]"
        case Channels(numbers=numbers, dim=dim):
            chosen = list(dict.fromkeys(numbers))
            places = [":"] * dim + [str(chosen)] if dim >= 0 else ["...", str(chosen)] + [":"] * (-dim - 1)
            return "{}[" + ", ".join(places) + "]"
        case Heads(numbers=numbers, count=count):
            return f"{{}}.unflatten(-1, ({count}, -1))[..., {list(dict.fromkeys(numbers))}, :]"
        case _:
            return ""


def _index_text(part: int | Span) -> str:
    if isinstance(part, Span):
        start, stop, step = ("" if value is None else str(value) for value in (part.start, part.stop, part.step))
        return f"{start}:{stop}:{step}" if step else f"{start}:{stop}"
    return f"{part}:{part + 1}" if part != -1 else "-1:"


def _code(change: Change, intervention: Intervention, given: Given | None) -> Code:
    code: Code = CHANGES[type(change)](change, intervention, given)
    return code


def _plain(text: str, *fields: str) -> Callable[[Any, Intervention, Given | None], Code]:
    """Return a row of a change that is written as an expression of its numbers."""

    def row(change: Any, _intervention: Intervention, _given: Given | None) -> Code:
        numbers = {field: number(getattr(change, field)) for field in fields}
        names = {"math"} if any("math." in text for text in numbers.values()) else set()
        return Code(text.format_map(numbers), names=frozenset(names))

    return row


def _clamp(change: Clamp, _intervention: Intervention, _given: Given | None) -> Code:
    bounds = ", ".join("None" if bound is None else number(bound) for bound in (change.low, change.high))
    return Code(f"x.clamp({bounds})", names=frozenset({"math"} if "math." in bounds else ()))


def _clip_norm(change: ClipNorm, _intervention: Intervention, _given: Given | None) -> Code:
    return Code(f"clip_norm(x, {number(change.limit)})", helpers=("clip_norm",))


def _noise(change: Noise, intervention: Intervention, _given: Given | None) -> Code:
    value = f"x + noise(x, {number(change.std)}, {change.seed}, {quoted(intervention.path)}, call)"
    return Code(value, helpers=("noise",), names=frozenset({"call"}))


def _shuffle(change: Shuffle, intervention: Intervention, _given: Given | None) -> Code:
    value = f"shuffled(x, {change.dim}, {change.seed}, {quoted(intervention.path)}, call)"
    return Code(value, helpers=("shuffled",), names=frozenset({"call"}))


def _replace(change: Replace, intervention: Intervention, _given: Given | None) -> Code:
    return _values(change.tensor, ("packed", "fitted"), intervention)


def _from_file(change: FromFile, intervention: Intervention, _given: Given | None) -> Code:
    helpers = ("array", "fitted") if change.file.endswith(".npy") else ("fitted",)
    return _values(loaded(change.file), helpers, intervention)


def _from_step(change: FromStep, intervention: Intervention, given: Given | None) -> Code:
    match given:
        case Array():
            return _values(given, ("packed", "fitted"), intervention)
        case str():
            beside = f"array(Path(__file__).parent / {quoted(given)})"
            return _values(beside, ("array", "fitted"), intervention)
    sentence = f"this script was written without the values of step {change.step}, which are put in here"
    return Code("x", (f'raise RuntimeError("{sentence}")',))


def _values(constant: Array | str, helpers: tuple[str, ...], intervention: Intervention) -> Code:
    part = part_text(intervention.where)
    if not part:
        return Code("fitted(VALUES, x)", helpers=helpers, constant=constant)
    before = ("values = VALUES", "if values.shape == whole.shape:", f"    values = {part.format('values')}")
    return Code("fitted(values, x)", before, helpers, frozenset({"whole"}), constant)


def _nan_to(change: NanTo, _intervention: Intervention, _given: Given | None) -> Code:
    unwanted = "~x.isfinite()" if change.infinities else "x.isnan()"
    value = number(change.value)
    return Code(f"x.masked_fill({unwanted}, {value})", names=frozenset({"math"} if "math." in value else ()))


def _expression(change: Expression, _intervention: Intervention, _given: Given | None) -> Code:
    text = change.text.strip()
    try:
        tree = ast.parse(text, mode="eval")
    except SyntaxError as error:
        raise ValueError(f"the expression {text!r} cannot be read: {error.msg}") from error
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    if "\n" in text or "#" in text:
        text = ast.unparse(tree)  # on one line, without comments
    if not isinstance(tree.body, (ast.BinOp, ast.UnaryOp)):
        # It may be somebody else's tensor, a parameter, and what comes next may write into it.
        text = f"({text}).clone()"
    return Code(text, names=frozenset(used & {"call", "module", "path", "step", "math"}))


def _straight_through(change: StraightThrough, intervention: Intervention, given: Given | None) -> Code:
    inner = _code(change.change, intervention, given)
    before = (*inner.before, f"value = {inner.value}")
    return Code("x + (value - x).detach()", before, inner.helpers, inner.names, inner.constant)


CHANGES: dict[type[Change], Callable[[Any, Intervention, Given | None], Code]] = {
    Zero: _plain("x.masked_fill(torch.ones_like(x, dtype=torch.bool), 0)"),
    Scale: _plain("x * {factor}", "factor"),
    Add: _plain("x + {value}", "value"),
    Clamp: _clamp,
    ClipNorm: _clip_norm,
    Noise: _noise,
    Constant: _plain("x.masked_fill(torch.ones_like(x, dtype=torch.bool), {value})", "value"),
    Mean: _plain("x.mean({dim}, keepdim=True).expand_as(x).clone()", "dim"),
    Replace: _replace,
    FromFile: _from_file,
    FromStep: _from_step,
    Shuffle: _shuffle,
    NanTo: _nan_to,
    Flip: _plain("-x"),
    StopGradient: _plain("x.detach()"),
    Expression: _expression,
    StraightThrough: _straight_through,
}
"""Kind of change -> how it is written."""
