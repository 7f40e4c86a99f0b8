from hookscope.figures.reach import Reach, StepReach
from hookscope.protocol.stops import EventKind, StepEvent

KINDS = EventKind


def events(*rows: tuple[EventKind, str]) -> list[StepEvent]:
    return [StepEvent(number, kind, path, 0, 0, number / 1000) for number, (kind, path) in enumerate(rows)]


STEP = events(
    (KINDS.FORWARD_ENTER, ""),
    (KINDS.FORWARD_ENTER, "a"),
    (KINDS.FORWARD_LEAVE, "a"),
    (KINDS.FORWARD_ENTER, "b"),
    (KINDS.FORWARD_LEAVE, "b"),
    (KINDS.FORWARD_LEAVE, ""),
    (KINDS.LOSS, ""),
    (KINDS.BACKWARD_ENTER, ""),
    (KINDS.BACKWARD_ENTER, "b"),
)


def reach_at(last: int) -> dict[str, Reach]:
    reach = StepReach()
    reach.follow(1, STEP, last)
    return {path: reach.of(path) for path in ("", "a", "b")}


def test_that_modules_are_done_pending_or_not_reached() -> None:
    assert reach_at(2) == {"": Reach.PENDING, "a": Reach.DONE, "b": Reach.NOT_REACHED}


def test_that_backward_begins_with_nothing_reached() -> None:
    assert set(reach_at(6).values()) == {Reach.NOT_REACHED}
    assert reach_at(8) == {"": Reach.PENDING, "a": Reach.NOT_REACHED, "b": Reach.PENDING}


def test_that_each_event_counts_once_and_another_step_begins_anew() -> None:
    reach = StepReach()
    for last in (1, 2, 2, 3):
        reach.follow(1, STEP, last)
    assert reach.of("a") is Reach.DONE
    reach.follow(2, STEP, 0)
    assert (reach.of("a"), reach.of("")) == (Reach.NOT_REACHED, Reach.PENDING)
    reach.follow(2, STEP, 8)
    assert reach.is_backward
    reach.follow(2, STEP, 1)
    assert reach.of("a") is Reach.PENDING, "going back in time counts anew"
