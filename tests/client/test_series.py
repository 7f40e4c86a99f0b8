"""Series and overviews of a session, and the book that keeps what was told."""

from collections.abc import Callable

import numpy as np
import pytest

from hookscope.client.changes import Change
from hookscope.client.inbox import HISTORY_STEPS, Inbox
from hookscope.client.series_book import KEPT_POINTS, SeriesBook
from hookscope.client.series_text import series_from_json, series_to_json
from hookscope.client.session import DebugSession
from hookscope.client.state import SessionState, SessionStateError
from hookscope.protocol import events
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.series import (
    Distribution,
    ElementAt,
    Gap,
    Series,
    SeriesPoint,
    Statistic,
    StatisticOf,
    UpdateRatio,
)
from hookscope.protocol.workload import ExampleSource
from tests.client.fakes import drain_until, drain_until_state, drain_until_told

MakeSession = Callable[..., DebugSession]
OUT = TensorRef("a", Slot.OUTPUT, "out")
NORM, BANDS = Series(1, OUT), Series(2, OUT, Distribution())
SEVEN = tuple(map(float, range(7)))


def book_of(*series: Series) -> SeriesBook:
    book = SeriesBook()
    book.follow(series)
    return book


def points(*steps: int, id_: int = 1) -> list[SeriesPoint]:
    return [SeriesPoint(id_, step, (float(step),)) for step in steps]


def test_that_points_are_given_back_as_they_were_told() -> None:
    book = book_of(NORM, BANDS)
    told = [
        SeriesPoint(1, 1, (0.1,)),
        SeriesPoint(1, 2, gap=Gap.NOT_CAPTURED),
        SeriesPoint(1, 4, (), 12),
        SeriesPoint(1, 5, (3.0,), 2),
        SeriesPoint(1, 6, gap=Gap.NO_ELEMENT),
    ]
    bands = [SeriesPoint(2, 1, SEVEN, 3), SeriesPoint(2, 2, gap=Gap.NOT_IN_TIME)]
    book.add([*told, *bands])
    assert list(book.points(1)) == told
    assert list(book.points(2)) == bands
    assert (book.points(1)[-1], book.points(1)[1:3]) == (told[-1], tuple(told[1:3]))
    with pytest.raises(IndexError):
        book.points(1)[5]
    columns = book.columns(2)
    assert columns.values.shape == (2, 7)
    assert columns.gaps.tolist() == [0, 2]
    assert [columns.nearest(step) for step in (-9, 1.4, 1.6, 99)] == [0, 0, 1, 1]


def test_that_the_newest_steps_are_kept_and_the_others_counted() -> None:
    book = book_of(NORM)
    for first in range(1, 2 * KEPT_POINTS + 5, 1000):
        book.add(points(*range(first, first + 1000)))
    columns = book.columns(1)
    assert len(columns.steps) == KEPT_POINTS
    assert columns.left == columns.steps[0] - 1 == 11_000
    assert np.array_equal(columns.values[:, 0], columns.steps)
    assert len(book.points(1)) == KEPT_POINTS


def test_that_columns_that_were_given_out_stay_as_they_are_and_cannot_be_written_to() -> None:
    book = book_of(NORM)
    book.add(points(1, 2))
    columns = book.columns(1)
    book.add(points(*range(3, 3 * KEPT_POINTS)))
    assert columns.steps.tolist() == [1, 2]
    with pytest.raises(ValueError, match="read-only"):
        columns.values[0] = 9.0


def test_that_a_series_that_stays_keeps_its_points_and_one_that_went_has_none() -> None:
    book = book_of(NORM, BANDS)
    book.add([*points(1), SeriesPoint(2, 1, SEVEN)])
    version = book.version
    book.follow([NORM])
    assert book.version != version
    assert [len(book.points(id_)) for id_ in (1, 2, 3)] == [1, 0, 0]
    book.add([*points(2), SeriesPoint(2, 2, SEVEN), *points(2, id_=9)])
    assert [len(book.points(id_)) for id_ in (1, 2, 9)] == [2, 0, 0]
    book.follow([Series(1, OUT, UpdateRatio())])
    assert not book.points(1)
    book.clear()
    assert not len(book.points(1))


def test_that_the_inbox_keeps_as_many_points_as_the_book_and_counts_the_others() -> None:
    inbox = Inbox()
    for step in range(1, HISTORY_STEPS + 8):
        inbox.put(1, events.SeriesPoints(tuple(points(step))))
    inbox.put(1, events.SeriesPoints((SeriesPoint(2, 5, SEVEN),)))
    for step in (1, 2, 3):
        inbox.put(1, events.OverviewReady(step, ()))
    (_, told), (_, overview) = inbox.take()
    assert isinstance(told, events.SeriesPoints)
    assert told.left_out == {1: 7}
    assert [point.step for point in told.points[:1]] == [8]
    assert told.points[-1] == SeriesPoint(2, 5, SEVEN)
    assert overview == events.OverviewReady(3, ())
    book = book_of(NORM, BANDS)
    book.add(told.points, told.left_out)
    assert (book.columns(1).left, len(book.points(1)), book.columns(2).left) == (7, HISTORY_STEPS, 0)


def test_that_every_kind_of_series_can_be_kept_as_text() -> None:
    kinds = (StatisticOf(Statistic.ZEROS), ElementAt((0, -3)), Distribution(), UpdateRatio())
    series = tuple(Series(number, OUT, kind) for number, kind in enumerate(kinds))
    assert series_from_json(series_to_json(series)) == series
    for text in ("", "[", '[{"id": "x"}]', "{}"):
        with pytest.raises(ValueError, match=r"."):
            series_from_json(text)


def run_step(session: DebugSession) -> list[Change]:
    book = session.series_book
    before = book.version
    session.step()
    changes = drain_until_state(session, SessionState.IDLE)
    return changes if not session.series else changes + drain_until(session, lambda: book.version > before)


def steps_of(session: DebugSession, series: Series) -> list[int]:
    return [point.step for point in session.series_book.points(series.id)]


def test_that_series_are_kept_without_a_model_and_told_to_every_debuggee(fake_session: MakeSession) -> None:
    session = fake_session()
    first, second = (Series(session.next_series_id(), OUT, kind) for kind in (StatisticOf(), ElementAt()))
    session.set_series([first, second])
    assert session.series == (first, second)
    assert session.next_series_id() == 3
    session.open(ExampleSource("good"))
    drain_until_state(session, SessionState.IDLE)
    run_step(session)
    run_step(session)
    assert steps_of(session, first) == steps_of(session, second) == [1, 2]
    session.set_series([second])
    run_step(session)
    assert (steps_of(session, first), steps_of(session, second)) == ([], [1, 2, 3])
    session.restart()
    drain_until_told(session, lambda changes: any(isinstance(change, events.Loaded) for change in changes))
    drain_until_state(session, SessionState.IDLE)
    assert steps_of(session, second) == [1, 2, 3]  # until there are newer ones
    run_step(session)
    assert steps_of(session, second) == [1]
    session.open(ExampleSource("other"))
    drain_until_told(session, lambda changes: any(isinstance(change, events.Loaded) for change in changes))
    assert session.series == (second,)
    assert not session.series_book.points(second.id)


def test_that_an_overview_is_answered_and_forgotten_with_its_debuggee(fake_session: MakeSession) -> None:
    session = fake_session()
    with pytest.raises(SessionStateError):
        session.request_overview()
    session.open(ExampleSource("good"))
    drain_until_state(session, SessionState.IDLE)
    assert session.overview is None
    session.check(["a", "b"])
    run_step(session)
    session.request_overview()
    drain_until(session, lambda: session.overview is not None)
    assert session.overview is not None
    assert (session.overview.step, [layer.path for layer in session.overview.layers]) == (1, ["a", "b"])
    session.request_overview(7)
    changes = drain_until_told(session, lambda told: any(isinstance(one, events.OverviewReady) for one in told))
    assert [one.step for one in changes if isinstance(one, events.OverviewReady)] == [7]
    session.open(ExampleSource("other"))
    drain_until_told(session, lambda told: any(isinstance(one, events.Loaded) for one in told))
    assert session.overview is None
