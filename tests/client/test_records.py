"""The record book: newest per ref, sorted for a reader, described by the newest finished step."""

import pytest

from hookscope.client.records import RecordBook
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.tensors import Badge, BadgeKind, Record
from hookscope.protocol.tree import ModuleInfo, ModuleTree, ParameterInfo


def record(slot: Slot, leaf: str, step: int = 1, call: int = 0, path: str = "a") -> Record:
    return Record(TensorRef(path, slot, leaf, call), step, 0, None)


@pytest.fixture
def book() -> RecordBook:
    return RecordBook()


def test_that_an_empty_book_knows_nothing(book: RecordBook) -> None:
    assert (book.step, book.of("a"), book.output("a"), book.calls("a"), book.paths()) == (0, (), None, 0, frozenset())
    assert book.get(TensorRef("a", Slot.OUTPUT, "out")) is None


def test_that_records_are_sorted_by_slot_call_and_leaf(book: RecordBook) -> None:
    sorted_records = (
        record(Slot.INPUT, "args.2"),
        record(Slot.INPUT, "args.10"),
        record(Slot.INPUT, "kwargs.mask"),
        record(Slot.OUTPUT, "out"),
        record(Slot.OUTPUT, "out", call=1),
        record(Slot.PARAMETER, "weight"),
    )
    book.add(reversed(sorted_records))
    assert book.of("a") == sorted_records


def test_that_parameters_are_in_the_modules_own_order_and_those_it_has_got_since_come_last(book: RecordBook) -> None:
    names = ("weight", "bias", "alpha.10", "alpha.9")
    parameters = tuple(ParameterInfo(name, (1,), "float32", "cpu", True) for name in names[:2])
    ordered = [record(slot, name) for slot in (Slot.PARAMETER, Slot.PARAMETER_GRAD) for name in ("weight", "bias")]
    book.add(reversed(ordered))
    assert [one.ref.leaf for one in book.of("a")] == ["bias", "weight"] * 2, "nothing is known of the module yet"
    book.follow(ModuleTree((ModuleInfo("a", "a", "Linear", -1, parameters=parameters),)))
    assert list(book.of("a")) == ordered
    book.add([record(Slot.PARAMETER, name) for name in names[2:]])
    assert [one.ref.leaf for one in book.of("a")][:4] == ["weight", "bias", "alpha.9", "alpha.10"]
    book.clear()
    book.add(reversed(ordered))
    assert list(book.of("a")) == ordered, "the steps are forgotten, and not the model"


def test_that_the_newest_record_of_a_ref_replaces_the_older(book: RecordBook) -> None:
    book.add([record(Slot.OUTPUT, "out", 1)])
    book.add([record(Slot.OUTPUT, "out", 2), record(Slot.OUTPUT, "out", 2, path="b")])
    newest = record(Slot.OUTPUT, "out", 2)
    assert book.of("a") == (newest,)
    assert book.get(newest.ref) == newest
    assert book.step == 2
    assert book.paths() == {"a", "b"}


def test_that_the_output_is_the_first_leaf_of_the_first_call(book: RecordBook) -> None:
    book.add([record(Slot.OUTPUT, "out.1"), record(Slot.OUTPUT, "out.0"), record(Slot.OUTPUT, "out.0", call=1)])
    book.add([record(Slot.INPUT, "args.0")])
    assert book.output("a") == record(Slot.OUTPUT, "out.0")


def test_that_calls_that_no_longer_happen_are_gone_when_the_step_is_finished(book: RecordBook) -> None:
    book.add([record(Slot.OUTPUT, "out", 1, 0), record(Slot.OUTPUT, "out", 1, 1), record(Slot.PARAMETER, "weight", 1)])
    book.finish(1)
    book.add([record(Slot.OUTPUT, "out", 2, 0)])
    assert book.calls("a") == 2  # the second call of step 2 may still come
    book.finish(2)
    assert book.calls("a") == 1
    assert book.get(TensorRef("a", Slot.OUTPUT, "out", 1)) is None
    assert book.of("a") == (record(Slot.OUTPUT, "out", 2, 0), record(Slot.PARAMETER, "weight", 1))


def test_that_a_module_that_did_not_fire_keeps_what_it_had(book: RecordBook) -> None:
    book.add([record(Slot.OUTPUT, "out", 1), record(Slot.OUTPUT, "out", 1, path="b")])
    book.finish(1)
    book.add([record(Slot.OUTPUT, "out", 2)])
    book.finish(2)
    assert book.output("b") == record(Slot.OUTPUT, "out", 1, path="b")


def test_that_a_cleared_book_is_empty(book: RecordBook) -> None:
    book.add([record(Slot.OUTPUT, "out", 3)])
    book.clear()
    assert book.step == 0
    assert book.paths() == frozenset()


def test_that_the_output_is_a_tensor_if_there_is_one(book: RecordBook) -> None:
    nothing = (Badge(BadgeKind.NOT_A_TENSOR, "None"),)
    other = Record(TensorRef("a", Slot.OUTPUT, "out.0"), 1, 0, None, nothing)
    book.add([other])
    assert book.output("a") == other
    book.add([record(Slot.OUTPUT, "out.1")])
    assert book.output("a") == record(Slot.OUTPUT, "out.1")


LATE = Badge(BadgeKind.MODIFIED_AFTERWARDS)


def overwritten(step: int, *badges: Badge) -> Record:
    return Record(TensorRef("a", Slot.OUTPUT, "out"), step, 0, None, badges)


def test_that_a_badge_of_a_steps_end_is_kept_while_the_next_step_runs(book: RecordBook) -> None:
    book.add([overwritten(1, LATE)])
    book.add([overwritten(2)])
    assert book.output("a") == overwritten(2, LATE)
    book.add([overwritten(2, LATE)])
    assert book.settle(2) == ()
    assert book.output("a") == overwritten(2, LATE)


def test_that_a_badge_that_a_step_did_not_give_itself_is_taken_back_at_its_end(book: RecordBook) -> None:
    book.add([overwritten(1, LATE)])
    book.add([overwritten(2)])
    assert book.settle(1) == (), "the second step is not at its end"
    assert book.settle(2) == (overwritten(2),)
    assert book.output("a") == overwritten(2)


def test_that_a_step_that_is_looked_at_on_its_way_says_what_it_has_told_itself(book: RecordBook) -> None:
    book.add([overwritten(1, LATE)])
    book.add([overwritten(2)])
    assert book.settle() == (overwritten(2),)
    assert book.output("a") == overwritten(2)
