"""Texts of log points: what they may name, and what becomes of it when one is reached."""

import string
from collections.abc import Callable
from dataclasses import dataclass

import torch

from hookscope.engine.convert import Unreadable
from hookscope.engine.specs import spec_of
from hookscope.engine.stepping.conditions import EventContext, number_words, spec_words
from hookscope.engine.views.statistics import build_statistics
from hookscope.protocol.views import StatisticsRequest


@dataclass(frozen=True)
class LogMoment:
    """What a log point is reached with.

    Attributes:
        tensor: The tensor at hand, if there is one.
        context: The event.
        hits: How often the log point was hit, this time included.
    """

    tensor: torch.Tensor | None
    context: EventContext
    hits: int


LogText = Callable[[LogMoment], str]
"""Fills a text in. One that names the tensor reads all its values, and on a CUDA device waits for them."""

_FIELDS: dict[str, Callable[[LogMoment], str]] = {
    "tensor": lambda moment: tensor_words(moment.tensor),
    "path": lambda moment: moment.context.path or "the model",
    "call": lambda moment: str(moment.context.call),
    "step": lambda moment: str(moment.context.step),
    "hits": lambda moment: str(moment.hits),
}


def compile_log_text(text: str) -> LogText:
    """Check a text and make what fills it in: `{tensor}`, `{path}`, `{call}`, `{step}`, `{hits}`; `{{` is a bracket.

    Raises:
        ValueError: A bracket is not closed, or holds something else; the message says which.
    """
    parts: list[tuple[str, str | None]] = []
    try:
        for literal, name, form, conversion in string.Formatter().parse(text):
            if form or conversion:
                raise ValueError(f"`{{{name}}}` cannot be given a format")
            if name is not None and name not in _FIELDS:
                known = ", ".join(f"{{{known}}}" for known in _FIELDS)
                raise ValueError(f"`{{{name}}}` cannot be filled in; there are {known}")
            parts.append((literal, name))
    except ValueError as error:
        raise ValueError(f"the log text is wrong: {error}") from None

    def fill_in(moment: LogMoment) -> str:
        return "".join(literal + (_FIELDS[name](moment) if name else "") for literal, name in parts)

    return fill_in


def tensor_words(tensor: torch.Tensor | None) -> str:
    """Say in short what a tensor holds: `float32 (2, 3), min -1.5, max 2, mean 0.25, norm 3.1, 1 NaN`."""
    if tensor is None:
        return "no tensor"
    words = [spec_words(spec_of(tensor))]
    try:
        found = build_statistics(tensor, StatisticsRequest())
    except Unreadable as reason:
        return f"{words[0]}, {reason}"
    measured = {"min": found.minimum, "max": found.maximum, "mean": found.mean, "norm": found.norm}
    words += [f"{name} {number_words(value)}" for name, value in measured.items() if value is not None]
    counts = {"NaN": found.nan, "+Inf": found.pos_inf, "-Inf": found.neg_inf}
    words += [f"{count:,} {name}" for name, count in counts.items() if count]
    return ", ".join(words)
