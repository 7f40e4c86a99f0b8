"""What is drawn of a series, what is said of it, and how it is written."""

import csv
import io
import math

import numpy as np
import pytest

from hookscope.figures.series_lines import DRAWABLE, Floats, SeriesLines, lines_of, log_ticks, runs_of
from hookscope.figures.series_table import TableColumns, csv_of
from hookscope.figures.series_words import (
    GAPS,
    STATISTICS,
    column_titles,
    word_index,
    word_kind,
    word_left,
    word_point,
    word_tensor,
    word_value,
)
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.series import (
    Distribution,
    ElementAt,
    Gap,
    SeriesPoint,
    Statistic,
    StatisticOf,
    UpdateRatio,
)

NAN = math.nan


def drawn(
    values: list[float] | Floats,
    non_finite: dict[int, int] | None = None,
    *,
    columns: int = 1000,
    first: float = 0.0,
    last: float | None = None,
    log: bool = False,
) -> SeriesLines:
    table = np.array(values, dtype=np.float64)
    table = table.reshape(len(table), table.size // max(len(table), 1) or 1)
    bad = np.zeros(len(table), np.int64)
    for at, count in (non_finite or {}).items():
        bad[at] = count
    steps = np.arange(1, len(table) + 1)
    end = float(len(table)) + 1 if last is None else last
    return lines_of(steps, table, bad, first=first, last=end, columns=columns, log=log)


def test_that_few_points_are_drawn_as_they_are() -> None:
    lines = drawn([1.0, 3.0, 2.0])
    assert lines.line.x.tolist() == [1, 2, 3]
    assert lines.line.y.tolist() == [1, 3, 2]
    assert (lines.edges, lines.bands, len(lines.gaps), len(lines.non_finite), len(lines.lone.x)) == ((), (), 0, 0, 0)
    assert lines.low < 1.0
    assert lines.high > 3.0


def test_that_a_step_without_a_number_breaks_the_line_and_is_a_gap() -> None:
    lines = drawn([1.0, NAN, NAN, 2.0, NAN, 3.0, 4.0])
    assert np.isnan(lines.line.y).tolist() == [False, True, True, False, True, False, False]
    assert lines.gaps.tolist() == [[1.5, 3.5], [4.5, 5.5]]
    assert lines.lone.x.tolist() == [1, 4]


def test_that_a_step_with_nothing_finite_is_marked_and_is_no_gap() -> None:
    lines = drawn([1.0, NAN, 2.0, 3.0], {1: 8, 3: 1})
    assert lines.non_finite.tolist() == [2, 4]
    assert not len(lines.gaps)
    assert np.isnan(lines.line.y[1])


@pytest.mark.parametrize("values", [[NAN], [NAN] * 5, []])
def test_that_nothing_can_be_drawn_too(values: list[float]) -> None:
    lines = drawn(values)
    assert not np.isfinite(lines.line.y).any()
    assert lines.low < lines.high


def test_that_many_points_keep_every_spike_and_every_mark() -> None:
    values = np.zeros(10_000)
    values[[777, 5_000]] = 9.0, -4.0
    values[6_000::2] = NAN
    lines = drawn(values, {8_888: 2}, columns=300)
    assert len(lines.line.x) <= 602
    assert (np.nanmax(lines.line.y), np.nanmin(lines.line.y)) == (9.0, -4.0)
    assert lines.line.x[np.nanargmax(lines.line.y)] == pytest.approx(778, abs=40)
    assert np.isfinite(lines.line.y).all()  # every column of the end still has points
    assert lines.non_finite.tolist() == [8_889]
    assert len(lines.gaps) <= 300
    assert lines.gaps[-1, 1] == 9_999.5


def test_that_only_what_is_seen_is_drawn_with_a_point_beyond_either_end() -> None:
    lines = drawn(np.arange(100.0), first=20.5, last=30.5)
    assert (lines.line.x[0], lines.line.x[-1]) == (20, 31)
    assert drawn(np.arange(100.0), first=500.0, last=600.0).line.x.tolist() == [100]


def test_that_a_distribution_has_bands_edges_and_a_median() -> None:
    rows = np.arange(7.0) + np.arange(5.0)[:, None]
    lines = drawn(rows)
    assert lines.line.y.tolist() == [3, 4, 5, 6, 7]
    assert [edge.y.tolist() for edge in lines.edges] == [[0, 1, 2, 3, 4], [6, 7, 8, 9, 10]]
    assert [(band.low[0], band.high[0]) for band in lines.bands] == [(1, 5), (2, 4)]
    rows[2] = NAN
    pieces = drawn(rows).bands[0].pieces()
    assert [(x.tolist(), y.tolist()) for x, y in pieces] == [
        ([1, 2, 2, 1], [1, 2, 6, 5]),
        ([4, 5, 5, 4], [4, 5, 9, 8]),
    ]
    many = drawn(np.tile(rows, (1000, 1)), columns=100)
    assert (np.nanmin(many.edges[0].y), np.nanmax(many.edges[1].y)) == (0, 10)
    assert (np.nanmin(many.bands[0].low), np.nanmax(many.bands[0].high)) == (1, 9)


def test_that_a_logarithmic_axis_has_powers_and_zeros_are_marked() -> None:
    lines = drawn([1e-3, 0.0, 10.0, NAN], log=True)
    assert lines.line.y[[0, 2]].tolist() == [-3, 1]
    assert lines.zeros.tolist() == [2]
    assert lines.gaps.tolist() == [[3.5, 4.5]]
    assert (lines.low, lines.high) == pytest.approx((-3.24, 1.24))


@pytest.mark.parametrize(
    ("low", "high", "most", "marks"),
    [
        (-4.0, 1.0, 8, [1e-4, 1e-3, 1e-2, 1e-1, 1, 10]),
        (-4.2, 1.2, 3, [1e-4, 1e-2, 1]),
        (-30.0, 10.0, 5, [1e-27, 1e-18, 1e-9, 1, 1e9]),
        (-4.1, -2.9, 8, [1e-4, 1e-3]),
        (-3.9, -2.7, 8, [2e-4, 5e-4, 1e-3]),
        (-2.9, -2.6, 4, [1.5e-3, 2e-3, 2.5e-3]),
        (math.log10(0.0031), math.log10(0.0039), 3, [0.0035]),
    ],
)
def test_that_a_logarithmic_axis_is_marked_at_round_numbers(
    low: float, high: float, most: int, marks: list[float]
) -> None:
    assert [10**place for place in log_ticks(low, high, most)] == pytest.approx(marks)


def test_that_huge_values_stay_within_what_can_be_drawn() -> None:
    lines = drawn([1e300, -1e308, 5.0])
    assert np.abs(lines.line.y).max() == DRAWABLE
    assert math.isfinite(lines.high - lines.low)


def test_that_runs_are_found_at_both_ends() -> None:
    assert runs_of(np.array([True, False, True, True])) == [(0, 1), (2, 4)]
    assert runs_of(np.array([], dtype=bool)) == []


def test_that_every_kind_and_gap_has_words() -> None:
    assert set(STATISTICS) == set(Statistic)
    assert set(GAPS) == set(Gap)
    assert word_kind(StatisticOf()) == "norm"
    assert word_kind(ElementAt((0, 3))) == "element [0, 3]"
    assert word_kind(Distribution()) == "distribution"
    assert word_kind(UpdateRatio()) == "update ratio"
    assert word_index(()) == "[]"
    assert column_titles(Distribution()) == ("min", "5 %", "25 %", "50 %", "75 %", "95 %", "max")
    assert word_tensor(TensorRef("", Slot.PARAMETER, "weight"), "Net") == "Net weight"


@pytest.mark.parametrize(
    ("point", "kind", "words"),
    [
        (SeriesPoint(1, 1200, (0.25,)), StatisticOf(), "step 1,200: 0.25"),
        (SeriesPoint(1, 2, (0.25,), 1), StatisticOf(), "step 2: 0.25; 1 element is NaN or infinite"),
        (SeriesPoint(1, 2, (), 4096), StatisticOf(), "step 2: 4,096 elements are NaN or infinite"),
        (SeriesPoint(1, 2, (3.0,), 3), StatisticOf(Statistic.NON_FINITE), "step 2: 3"),
        (SeriesPoint(1, 2), StatisticOf(), "step 2: no value: the tensor is empty"),
        (SeriesPoint(1, 2), UpdateRatio(), "step 2: no ratio: all of the parameter was zero before"),
        (SeriesPoint(1, 2, gap=Gap.NO_ELEMENT), ElementAt(), f"step 2: {GAPS[Gap.NO_ELEMENT]}"),
        (
            SeriesPoint(1, 2, tuple(map(float, range(7)))),
            Distribution(),
            "step 2: min 0, 5 % 1, 25 % 2, 50 % 3, 75 % 4, 95 % 5, max 6",
        ),
    ],
)
def test_that_a_step_is_told_in_a_sentence(point: SeriesPoint, kind: object, words: str) -> None:
    assert word_point(point, kind) == words  # type: ignore[arg-type]


def test_that_the_short_value_of_a_distribution_is_its_median() -> None:
    assert word_value(SeriesPoint(1, 2, tuple(map(float, range(7)))), Distribution()) == "3"
    assert word_value(SeriesPoint(1, 2), Distribution()) == "–"
    assert word_value(SeriesPoint(1, 2, (), 3), Distribution()) == "not finite"


def test_that_steps_that_have_left_are_said() -> None:
    assert word_left(10_000, 13_512) == "10,000 newest of 23,512 steps"
    assert word_left(10_000, 0) == ""


def test_that_a_table_has_a_row_for_every_step_and_reads_back_the_same_numbers() -> None:
    norm = [SeriesPoint(1, 1, (0.1 + 0.2,)), SeriesPoint(1, 3, (5.0,), 2), SeriesPoint(1, 4, gap=Gap.NOT_IN_TIME)]
    bands = [SeriesPoint(2, 3, tuple(n / 7 for n in range(7)))]
    text = csv_of(
        [TableColumns("a output", ("norm",), norm), TableColumns("b weight", column_titles(Distribution()), bands)]
    )
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["step"] for row in rows] == ["1", "3", "4"]
    assert float(rows[0]["a output norm"]) == 0.1 + 0.2
    assert (rows[1]["a output norm"], rows[1]["a output non-finite"]) == ("5", "2")
    assert (rows[2]["a output norm"], rows[2]["a output gap"]) == ("", "not_in_time")
    assert float(rows[1]["b weight 95 %"]) == 5 / 7
    assert rows[0]["b weight min"] == rows[0]["b weight non-finite"] == ""
