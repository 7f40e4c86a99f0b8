"""The events of steps: their order, what is sent again, and bounds, in the book and in the inbox."""

import pytest

from hookscope.client import events as book_of_events
from hookscope.client import inbox as inbox_of_session
from hookscope.client.events import KEPT_STEPS, EventBook
from hookscope.client.inbox import KEPT_LOGS, Inbox
from hookscope.protocol.events import LogPrinted, StepEvents
from hookscope.protocol.stops import EventKind, StepEvent

FEW = 100


def event(number: int, device_s: float = 0.0) -> StepEvent:
    return StepEvent(number, EventKind.FORWARD_ENTER, "a", 0, 1, number / 1000, device_s=device_s)


def some(count: int, first: int = 0) -> tuple[StepEvent, ...]:
    return tuple(event(number) for number in range(first, first + count))


@pytest.fixture
def book() -> EventBook:
    return EventBook()


def taken_steps(inbox: Inbox) -> list[int]:
    return [arrival.step for _, arrival in inbox.take() if isinstance(arrival, StepEvents)]


@pytest.fixture
def few_events(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(book_of_events, "KEPT_EVENTS", FEW)
    monkeypatch.setattr(inbox_of_session, "KEPT_EVENTS", FEW)


def test_that_an_empty_book_has_nothing(book: EventBook) -> None:
    assert (book.steps, book.newest, book.of(1)) == ((), 0, ())


def test_that_events_go_on_where_the_last_ended(book: EventBook) -> None:
    book.add(1, some(3))
    seen = book.of(1)
    book.add(2, some(1))
    book.add(1, some(2, 3))
    assert tuple(seen) == some(5)  # grows
    assert (book.steps, book.newest) == ((1, 2), 2)


def test_that_events_that_are_sent_again_replace_the_first_ones_in_any_portions(book: EventBook) -> None:
    book.add(1, some(6))
    again = tuple(event(number, 0.5) for number in range(6))
    book.add(1, again[:4])
    assert tuple(book.of(1)) == (*again[:4], *some(2, 4))
    book.add(1, again[4:])
    assert tuple(book.of(1)) == again


def test_that_a_step_that_is_run_again_begins_anew(book: EventBook) -> None:
    book.add(7, some(6))
    book.end_run()
    assert len(book.of(7)) == 6
    book.add(7, some(2))
    book.add(7, some(1, 2))
    assert tuple(book.of(7)) == some(3)


def test_that_only_the_newest_steps_are_kept(book: EventBook) -> None:
    for step in range(1, KEPT_STEPS + 6):
        book.add(step, some(2))
    assert book.steps == tuple(range(6, KEPT_STEPS + 6))
    assert book.of(5) == ()


@pytest.mark.usefixtures("few_events")
def test_that_many_events_make_room_by_whole_steps_and_the_newest_stays_whole(book: EventBook) -> None:
    for step in (1, 2, 3):
        book.add(step, some(FEW // 2))
    assert book.steps == (2, 3)
    book.add(3, some(2 * FEW, FEW // 2))
    assert book.steps == (3,)
    assert len(book.of(3)) == FEW // 2 + 2 * FEW
    book.clear()
    book.add(4, some(FEW // 2))
    book.add(5, some(FEW // 2))
    assert book.steps == (4, 5)


def test_that_events_wait_unmerged_and_in_order() -> None:
    inbox = Inbox()
    arrivals = [StepEvents(1, some(3)), StepEvents(1, some(2, 3)), StepEvents(2, some(1))]
    for arrival in arrivals:
        inbox.put(1, arrival)
    assert inbox.take() == [(1, arrival) for arrival in arrivals]


def test_that_no_more_steps_wait_than_a_book_keeps() -> None:
    inbox = Inbox()
    for step in range(1, KEPT_STEPS + 6):
        inbox.put(1, StepEvents(step, some(1)))
        inbox.put(1, StepEvents(step, some(1, 1)))
    assert taken_steps(inbox) == [step for step in range(6, KEPT_STEPS + 6) for _ in range(2)]
    inbox.put(1, StepEvents(99, some(1)))
    assert taken_steps(inbox) == [99]


@pytest.mark.usefixtures("few_events")
def test_that_no_more_events_wait_than_a_book_keeps_but_the_newest_step_is_whole() -> None:
    inbox = Inbox()
    for step in (1, 2, 3):
        inbox.put(1, StepEvents(step, some(FEW // 2)))
    for first in range(FEW // 2, 3 * FEW, FEW // 2):
        inbox.put(1, StepEvents(3, some(FEW // 2, first)))
    assert taken_steps(inbox) == [3] * 6


def test_that_of_very_many_logs_the_newest_wait() -> None:
    inbox = Inbox()
    for number in range(KEPT_LOGS + 5):
        inbox.put(1, LogPrinted(1, 1, event(0), str(number)))
    texts = [arrival.text for _, arrival in inbox.take() if isinstance(arrival, LogPrinted)]
    assert (len(texts), texts[0], texts[-1]) == (KEPT_LOGS, "5", str(KEPT_LOGS + 4))
