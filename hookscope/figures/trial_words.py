"""Trials in words: how many changes are on, what they do to the loss, what moved, and whether the model is back."""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import IntEnum

from hookscope.figures.text import format_number
from hookscope.protocol.events import UnchangedProved
from hookscope.protocol.interventions import Difference, Idle, Intervention, InterventionStatus

Translate = Callable[[str], str]

ARROW = "→"
_MANY_TIMES = 10.0
"""From this ratio on a relative change is a factor, and below it a percentage."""
_NAMED = 3
"""So many tensors are named that differ; of the others there is the number."""


class Direction(IntEnum):
    """Where a number went."""

    DOWN = -1
    SAME = 0
    UP = 1


@dataclass(frozen=True)
class LossWords:
    """What a trial does to the loss.

    Attributes:
        values: The loss before and after.
        delta: How far it moved, signed; `""` when that is no number.
        direction: Where it went.
    """

    values: str
    delta: str
    direction: Direction


def word_loss(before: float | None, after: float | None, translate: Translate = str) -> LossWords:
    """Put the two losses of a trial into words; `None` is one that is not finite."""
    unknown = translate("not finite")
    texts = [unknown if loss is None else format_number(loss) for loss in (before, after)]
    values = f"{texts[0]} {ARROW} {texts[1]}"
    if before is None or after is None:
        return LossWords(values, "", Direction.SAME)
    delta = after - before
    if delta == 0.0:
        return LossWords(values, translate("unchanged"), Direction.SAME)
    return LossWords(values, signed(delta), Direction.UP if delta > 0 else Direction.DOWN)


def signed(value: float) -> str:
    """Write a number with its sign."""
    return f"+{format_number(value)}" if value > 0 else format_number(value)


def word_changes(
    interventions: Iterable[Intervention],
    errors: Mapping[int, str],
    statuses: Mapping[int, InterventionStatus],
    translate: Translate = str,
) -> str:
    """Say how many interventions are on, how many of them are refused and how many did not act; `""` for none."""
    on = [intervention.id for intervention in interventions if intervention.enabled]
    if not on:
        return ""
    words = [translate("1 change is on" if len(on) == 1 else "{count} changes are on").format(count=len(on))]
    refused = sum(id_ in errors for id_ in on)
    did_not_act = sum(id_ not in errors and id_ in statuses and _is_idle(statuses[id_]) for id_ in on)
    if refused:
        words.append(translate("{count} refused").format(count=refused))
    if did_not_act:
        words.append(translate("{count} did not act").format(count=did_not_act))
    return ", ".join(words)


def _is_idle(status: InterventionStatus) -> bool:
    return status.idle is not None and status.idle is not Idle.OFF


def word_edited(count: int, translate: Translate = str) -> str:
    """Say how many tensors were changed by hand in the step at hand; `""` for none."""
    if not count:
        return ""
    english = "Edited by hand: 1 tensor, until this step ends"
    if count > 1:
        english = "Edited by hand: {count} tensors, until this step ends"
    return translate(english).format(count=count)


def word_proof(proof: UnchangedProved, translate: Translate = str) -> str:
    """Say whether the model is back, and what is not the same."""
    if not proof.differing:
        english = "The model is back: {count} tensors are the same in every bit"
        if not proof.since_set:
            english = "No hook changes the model: {count} tensors are the same in every bit. It was trained meanwhile"
        return translate(english).format(count=f"{proof.compared:,}")
    named = ", ".join(proof.differing[:_NAMED])
    more = len(proof.differing) - _NAMED
    if more > 0:
        named = translate("{names} and {count} more").format(names=named, count=more)
    text = translate("Not the same: {differing} of {count} tensors differ: {names}")
    return text.format(differing=f"{len(proof.differing):,}", count=f"{proof.compared:,}", names=named)


def word_relative(difference: Difference, translate: Translate = str) -> str:
    """Write how far a tensor moved in relation to its former size."""
    if not difference.changed:
        return "0"
    if not math.isfinite(difference.norm):
        return translate("not finite")
    if not math.isfinite(difference.relative):
        return translate("from zero")
    if difference.relative >= _MANY_TIMES:
        return f"{format_number(difference.relative)}×"
    return f"{format_number(100 * difference.relative)} %"


def word_elements(difference: Difference, translate: Translate = str) -> str:
    """Write how many elements changed of how many."""
    return translate("{changed} of {count}").format(changed=f"{difference.changed:,}", count=f"{difference.count:,}")


def share_of_bar(difference: Difference) -> float:
    """Return the length of a bar, from 0 to 1: as long as a change is large against the former values, at most full."""
    if not difference.changed:
        return 0.0
    return min(1.0, difference.relative) if math.isfinite(difference.relative) else 1.0


def sorted_by_change(differences: Iterable[Difference]) -> list[Difference]:
    """Sort by relative change, the largest first: infinite ones before all, by their norm; ties as they happened."""
    return sorted(differences, key=_largest_first)


def _largest_first(difference: Difference) -> tuple[bool, float, float, int]:
    norm = math.inf if math.isnan(difference.norm) else difference.norm
    relative = math.inf if math.isnan(difference.relative) else difference.relative
    return not difference.changed, -relative, -norm, difference.order


STATISTIC_TITLES: dict[str, str] = {
    "norm": "norm",
    "mean": "mean",
    "std": "std",
    "minimum": "min",
    "maximum": "max",
    "zero": "zeros",
    "negative": "negatives",
    "positive": "positives",
    "nan": "NaN",
    "pos_inf": "+Inf",
    "neg_inf": "-Inf",
}
"""What a sweep can measure of a tensor, by the name of its statistic, in the order of the choice."""


def word_measure(tensor: str, statistic: str, *, of_difference: bool, translate: Translate = str) -> str:
    """Name what is measured: `norm of features.3 output`, or of its change."""
    text = translate("{statistic} of the change of {tensor}" if of_difference else "{statistic} of {tensor}")
    return text.format(statistic=translate(STATISTIC_TITLES[statistic]), tensor=tensor)
