"""Series as a table in a text file, one row a step."""

import csv
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass

from hookscope.protocol.series import SeriesPoint


@dataclass(frozen=True)
class TableColumns:
    """One series.

    Attributes:
        title: What is followed.
        values: What its values are called, in their order.
        points: Its points.
    """

    title: str
    values: tuple[str, ...]
    points: Sequence[SeriesPoint]


def csv_of(series: Sequence[TableColumns]) -> str:
    """Return a table with a row for each step that any of the series has, and for each series its columns.

    Those are its values, the number of elements that are not finite, and why there is no value. Numbers are written so
    that the same ones are read back; a field without one is empty.
    """
    by_step: dict[int, dict[int, SeriesPoint]] = {}
    for number, one in enumerate(series):
        for point in one.points:
            by_step.setdefault(point.step, {})[number] = point
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["step", *(title for one in series for title in _titles(one))])
    for step in sorted(by_step):
        told = by_step[step]
        writer.writerow(
            [step, *(field for number, one in enumerate(series) for field in _fields(told.get(number), one))]
        )
    return text.getvalue()


def _titles(one: TableColumns) -> list[str]:
    return [f"{one.title} {name}" for name in (*one.values, "non-finite", "gap")]


def _fields(point: SeriesPoint | None, one: TableColumns) -> list[str]:
    if point is None:
        return [""] * (len(one.values) + 2)
    values = [_number(value) for value in point.values] or [""] * len(one.values)
    return [*values, str(point.non_finite), point.gap or ""]


def _number(value: float) -> str:
    return str(int(value)) if math.isfinite(value) and value == int(value) and abs(value) < 2**53 else repr(value)
