"""Layers side by side in words: what is compared, and what of it stands out."""

from collections.abc import Callable

from hookscope.figures.gradient_flow import Flow, FlowRow, Measure, Verdict
from hookscope.figures.text import format_number
from hookscope.protocol.badge_words import badge_label, badge_reason

Translate = Callable[[str], str]

MEASURES: dict[Measure, str] = {
    Measure.GRAD_OUTPUT: "Gradients of outputs",
    Measure.PARAMETER_GRADS: "Gradients of parameters",
    Measure.OUTPUT: "Outputs",
    Measure.PARAMETERS: "Parameters",
    Measure.UPDATE: "Updates of parameters",
}
"""In the order in which they are offered."""

_VERDICTS: dict[Verdict, str] = {
    Verdict.FINE: "",
    Verdict.VANISHING: "vanishing",
    Verdict.EXPLODING: "exploding",
    Verdict.ZERO: "all zero",
    Verdict.UNREACHED: "no gradient reached it",
}
_VERDICTS_OF_UPDATES: dict[Verdict, str] = {
    Verdict.FINE: "",
    Verdict.VANISHING: "hardly moves",
    Verdict.EXPLODING: "moves too far",
    Verdict.ZERO: "not moved",
    Verdict.UNREACHED: "no gradient reached it",
}

_NOTHING = "–"


def word_value(row: FlowRow) -> str:
    """Write the number of a layer."""
    return _NOTHING if row.value is None else format_number(row.value)


def word_verdict(row: FlowRow, measure: Measure, translate: Translate = str, *, is_running: bool = False) -> str:
    """Say what of a layer stands out, or why it has no number; `""` when there is nothing to say.

    Args:
        row: The layer.
        measure: What is compared.
        translate: Into the person's language.
        is_running: Whether the step has not come to its end: what is not there may still come.
    """
    words = _VERDICTS_OF_UPDATES if measure is Measure.UPDATE else _VERDICTS
    texts = []
    if row.non_finite:
        texts.append(translate("{count} NaN or infinite").format(count=f"{row.non_finite:,}"))
    if words[row.verdict]:
        texts.append(translate(words[row.verdict]))
    elif row.value is None and not row.non_finite:
        texts.append(_word_absence(row, measure, translate, is_running=is_running))
    return ", ".join(texts)


def _word_absence(row: FlowRow, measure: Measure, translate: Translate, *, is_running: bool) -> str:
    if row.absence is not None:
        return badge_label(row.absence, translate)
    if measure is Measure.UPDATE:
        return translate("no step before")
    return translate("not reached yet") if is_running else translate("not captured")


def word_row(row: FlowRow, measure: Measure, root: str, translate: Translate = str, *, is_running: bool = False) -> str:
    """Return a layer in one line; `root` is what the root module is called."""
    told = word_verdict(row, measure, translate, is_running=is_running)
    if row.absence is not None:
        told = f"{told}. {badge_reason(row.absence, translate)}"
    return ", ".join(filter(None, (row.path or root, word_value(row), told)))


def word_flow(flow: Flow, translate: Translate = str) -> str:
    """Say how many layers there are, and how many of them stand out."""
    count = len(flow.rows)
    texts = [translate("1 layer") if count == 1 else translate("{count} layers").format(count=f"{count:,}")]
    bad = sum(row.non_finite > 0 for row in flow.rows)
    if bad:
        texts.append(translate("{count} with NaN or infinities").format(count=f"{bad:,}"))
    for verdict, text in (
        (Verdict.EXPLODING, "{count} exploding"),
        (Verdict.VANISHING, "{count} vanishing"),
        (Verdict.ZERO, "{count} all zero"),
        (Verdict.UNREACHED, "{count} without a gradient"),
    ):
        if flow.count(verdict):
            texts.append(translate(text).format(count=f"{flow.count(verdict):,}"))
    return " · ".join(texts)
