"""Series in words: what is followed, what a step gave, and why it gave nothing."""

from collections.abc import Callable, Sequence

from hookscope.figures.text import format_number, slot_label
from hookscope.protocol.identity import TensorRef
from hookscope.protocol.series import (
    LEVELS,
    Distribution,
    ElementAt,
    Gap,
    SeriesKind,
    SeriesPoint,
    Statistic,
    StatisticOf,
    UpdateRatio,
)

Translate = Callable[[str], str]

_NOTHING = "–"

STATISTICS: dict[Statistic, str] = {
    Statistic.NORM: "norm",
    Statistic.MEAN: "mean",
    Statistic.STD: "std",
    Statistic.MINIMUM: "min",
    Statistic.MAXIMUM: "max",
    Statistic.ZEROS: "share of zeros",
    Statistic.NON_FINITE: "NaN and infinite",
}
"""In the order in which they are offered."""

GAPS: dict[Gap, str] = {
    Gap.NOT_CAPTURED: "not captured: the module was not checked or not called, or the tensor has no values",
    Gap.NOT_IN_TIME: "steps were so fast that the values had left before they could be looked at",
    Gap.NO_ELEMENT: "the tensor has no such element in this step",
}


def word_kind(kind: SeriesKind, translate: Translate = str) -> str:
    """Name the numbers: `norm`, `distribution`, `element [0, 3]`, `update ratio`."""
    match kind:
        case StatisticOf():
            return translate(STATISTICS[kind.statistic])
        case ElementAt():
            return translate("element {index}").format(index=word_index(kind.index))
        case Distribution():
            return translate("distribution")
        case UpdateRatio():
            return translate("update ratio")


def word_index(index: Sequence[int]) -> str:
    """Write an index as a person types it: `[0, 3]`."""
    return f"[{', '.join(map(str, index))}]"


def word_tensor(ref: TensorRef, root: str) -> str:
    """Name a tensor with its module; `root` is what the root module is called."""
    return f"{ref.path or root} {slot_label(ref)}"


def column_titles(kind: SeriesKind, translate: Translate = str) -> tuple[str, ...]:
    """Name the values of a point, in their order."""
    if not isinstance(kind, Distribution):
        return (word_kind(kind, translate),)
    return (translate("min"), *(f"{100 * level:g} %" for level in LEVELS), translate("max"))


def word_value(point: SeriesPoint, kind: SeriesKind, translate: Translate = str) -> str:
    """Write the value of a step in short, of a distribution its median."""
    if not point.values:
        return translate("not finite") if point.non_finite else _NOTHING
    value = point.values[len(point.values) // 2]
    is_count = isinstance(kind, StatisticOf) and kind.statistic is Statistic.NON_FINITE
    return f"{int(value):,}" if is_count else format_number(value)


def word_point(point: SeriesPoint, kind: SeriesKind, translate: Translate = str) -> str:
    """Say what a step gave, in one sentence without its end."""
    parts = []
    if point.values and isinstance(kind, Distribution):
        pairs = zip(column_titles(kind, translate), point.values, strict=True)
        parts.append(", ".join(f"{title} {format_number(value)}" for title, value in pairs))
    elif point.values:
        parts.append(word_value(point, kind, translate))
    if point.non_finite and not (isinstance(kind, StatisticOf) and kind.statistic is Statistic.NON_FINITE):
        parts.append(_word_non_finite(point.non_finite, translate))
    if not parts:
        parts.append(translate(GAPS[point.gap]) if point.gap is not None else _word_nothing(kind, translate))
    return translate("step {step}: {told}").format(step=f"{point.step:,}", told="; ".join(parts))


def word_left(kept: int, left: int, translate: Translate = str) -> str:
    """Say that old steps are kept no more; `""` while all are there."""
    if not left:
        return ""
    return translate("{kept} newest of {all} steps").format(kept=f"{kept:,}", all=f"{kept + left:,}")


def _word_non_finite(count: int, translate: Translate) -> str:
    text = (
        translate("1 element is NaN or infinite") if count == 1 else translate("{count} elements are NaN or infinite")
    )
    return text.format(count=f"{count:,}")


def _word_nothing(kind: SeriesKind, translate: Translate) -> str:
    if isinstance(kind, UpdateRatio):
        return translate("no ratio: all of the parameter was zero before")
    return translate("no value: the tensor is empty")
