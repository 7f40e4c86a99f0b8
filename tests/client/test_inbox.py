"""What waits in the inbox: order, newest wins, and bounds."""

from hookscope.client.changes import Ended, OutputPrinted
from hookscope.client.inbox import HISTORY_STEPS, Inbox
from hookscope.client.output import KEPT_CHARS
from hookscope.protocol.events import Phase, Records, RunEnd, RunFinished, StepFinished, StepProgress, ViewReady
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.tensors import Record
from hookscope.protocol.views import NoPicture, NoPictureReason

A = TensorRef("a", Slot.OUTPUT, "out")
B = TensorRef("b", Slot.OUTPUT, "out")


def record(ref: TensorRef, step: int) -> Record:
    return Record(ref, step, 0, None)


def finished(step: int) -> StepFinished:
    return StepFinished(step, 0.0, 0.0, 0.0, 0.0, 0, 0, False)


def view(panel: str, number: int) -> ViewReady:
    return ViewReady(panel, number, A, 1, None, (), NoPicture(NoPictureReason.EMPTY))


def progress(step: int) -> StepProgress:
    return StepProgress(step, Phase.FORWARD, 0, 1, "a")


def test_that_what_arrived_is_taken_once_and_in_order() -> None:
    inbox = Inbox()
    arrivals = [finished(1), RunFinished(RunEnd.COMPLETED, 1), Ended(0, ""), finished(2)]
    for sender, arrival in enumerate(arrivals, 1):
        inbox.put(sender, arrival)
    assert inbox.wait(0)
    assert inbox.take() == list(enumerate(arrivals, 1))
    assert not inbox.wait(0)
    assert inbox.take() == []


def test_that_records_are_merged_per_ref_before_the_end_of_their_step() -> None:
    inbox = Inbox()
    for arrival in (Records((record(A, 1), record(B, 1))), finished(1), Records((record(A, 2),)), finished(2)):
        inbox.put(1, arrival)
    inbox.put(2, Records((record(A, 1),)))
    assert inbox.take() == [
        (1, Records((record(B, 1), record(A, 2)))),
        (1, finished(1)),
        (1, finished(2)),
        (2, Records((record(A, 1),))),
    ]


def test_that_the_newest_view_of_a_panel_and_the_newest_progress_win() -> None:
    inbox = Inbox()
    for arrival in (view("p", 1), view("q", 1), progress(1), view("p", 2), finished(1), progress(2)):
        inbox.put(1, arrival)
    assert [arrival for _, arrival in inbox.take()] == [view("q", 1), view("p", 2), finished(1), progress(2)]


def test_that_output_is_joined_and_only_its_end_kept() -> None:
    inbox = Inbox()
    for _ in range(10):
        inbox.put(1, OutputPrinted("x" * KEPT_CHARS))
    inbox.put(1, OutputPrinted("end"))
    ((_, arrival),) = inbox.take()
    assert isinstance(arrival, OutputPrinted)
    assert len(arrival.text) == KEPT_CHARS
    assert arrival.text.endswith("xend")


def test_that_no_more_finished_steps_wait_than_a_history_holds() -> None:
    inbox = Inbox()
    for step in range(1, HISTORY_STEPS + 11):
        inbox.put(1, finished(step))
    taken = [arrival for _, arrival in inbox.take()]
    assert len(taken) == HISTORY_STEPS
    assert (taken[0], taken[-1]) == (finished(11), finished(HISTORY_STEPS + 10))


def test_that_readiness_is_told_once_until_everything_is_taken() -> None:
    told: list[str] = []
    inbox = Inbox(lambda: told.append("ready"))
    inbox.put(1, finished(1))
    inbox.put(1, finished(2))
    assert told == ["ready"]
    inbox.take()
    inbox.put(1, finished(3))
    assert told == ["ready", "ready"]


def test_that_a_closed_inbox_takes_nothing_and_tells_nothing() -> None:
    told: list[str] = []
    inbox = Inbox(lambda: told.append("ready"))
    inbox.close()
    inbox.put(1, finished(1))
    assert told == []
    assert inbox.take() == []
    assert not inbox.wait(60)
