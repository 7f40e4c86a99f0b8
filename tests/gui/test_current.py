"""What the window is looking at, as the session goes on."""

import pytest
from pytestqt.qtbot import QtBot

from hookscope.gui.current import Current, Moment
from hookscope.protocol.events import StepFinished
from hookscope.protocol.hooks import OperationRef
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.stops import EventKind
from hookscope.protocol.tensors import Record
from hookscope.protocol.workload import ExampleSource
from tests.gui.fakes import FakeBridge, FakeSession, event, record, small_tree, spec, tree_of

GRADIENT = TensorRef("features.0", Slot.GRAD_OUTPUT, "out")


@pytest.fixture
def bridge(qapp: object) -> FakeBridge:
    return FakeBridge(FakeSession(small_tree()))


@pytest.fixture
def current(bridge: FakeBridge) -> Current:
    return Current(bridge, bridge)


def step_forward(bridge: FakeBridge, *paths: str) -> None:
    bridge.record(*(record(path, of=spec(16, 8)) for path in paths))


def step_backward(bridge: FakeBridge, *paths: str) -> None:
    bridge.record(*(record(path, Slot.GRAD_OUTPUT, of=spec(16, 8)) for path in paths))


def test_that_nothing_is_current_at_first(current: Current) -> None:
    assert current.path is None
    assert current.ref is None


def test_that_a_module_without_records_has_no_tensor_until_its_output_is_captured(
    bridge: FakeBridge, current: Current, qtbot: QtBot
) -> None:
    current.select_module("features.0")
    assert (current.path, current.ref) == ("features.0", None)
    step_forward(bridge, "features.3")
    assert current.ref is None
    with qtbot.waitSignal(current.changed):
        step_forward(bridge, "features.0")
    assert current.ref == TensorRef("features.0", Slot.OUTPUT, "out")


def test_that_a_module_of_which_only_operations_are_checked_shows_the_first_of_them(
    bridge: FakeBridge, current: Current
) -> None:
    session = bridge.session
    session.check_operations([OperationRef("features.0", "add", 0), OperationRef("features.0", "mul", 0)])
    current.select_module("features.0")
    added, product = (TensorRef("features.0", Slot.OUTPUT, "out", operation=text) for text in ("add:0", "mul:0"))
    session.check(["features.0"])
    bridge.record(Record(added, 1, 0, spec(2)), Record(product, 1, 1, spec(2)))
    assert current.ref is None, "the module's own output comes later in the step"
    step_forward(bridge, "features.0")
    assert current.ref == TensorRef("features.0", Slot.OUTPUT, "out")
    session.check([])
    session.records.clear()
    current.select_module("features.3")
    bridge.record(Record(added, 2, 0, spec(2)), Record(product, 2, 1, spec(2)))
    current.select_module("features.0")
    assert current.ref == added


def test_that_the_slot_chosen_last_is_kept_where_a_module_has_it(bridge: FakeBridge, current: Current) -> None:
    step_forward(bridge, "features.0", "features.2", "features.3")
    step_backward(bridge, "features.0", "features.3")
    current.select_ref(GRADIENT)
    current.select_module("features.2")
    assert current.ref == TensorRef("features.2", Slot.OUTPUT, "out")
    current.select_module("features.3")
    assert current.ref == TensorRef("features.3", Slot.GRAD_OUTPUT, "out")


def test_that_a_parameter_of_the_same_name_is_preferred(bridge: FakeBridge, current: Current) -> None:
    for path in ("features.0", "features.3"):
        for name in ("bias", "weight"):
            bridge.record(record(path, Slot.PARAMETER, name, spec(16)))
    current.select_ref(TensorRef("features.0", Slot.PARAMETER, "weight"))
    current.select_module("features.3")
    assert current.ref == TensorRef("features.3", Slot.PARAMETER, "weight")


def test_that_the_wanted_slot_replaces_the_output_when_it_comes(bridge: FakeBridge, current: Current) -> None:
    current.select_ref(GRADIENT)
    current.select_module("features.3")
    step_forward(bridge, "features.3")
    assert current.ref == TensorRef("features.3", Slot.OUTPUT, "out")
    step_backward(bridge, "features.3")
    assert current.ref == TensorRef("features.3", Slot.GRAD_OUTPUT, "out")


def test_that_a_chosen_call_stays_current_while_the_next_step_has_only_reached_an_earlier_one(
    bridge: FakeBridge, current: Current
) -> None:
    first, second = (TensorRef("features.0", Slot.OUTPUT, "out", call) for call in (0, 1))
    bridge.record(Record(first, 1, 0, spec(16, 8)), Record(second, 1, 1, spec(16, 8)))
    bridge.session.records.finish(1)
    current.select_ref(second)
    bridge.record(Record(first, 2, 0, spec(16, 8)))
    assert current.ref == second


def test_that_a_gradient_is_not_left_for_the_output_of_a_model_that_was_loaded_again(
    bridge: FakeBridge, current: Current
) -> None:
    step_backward(bridge, "features.0")
    current.select_ref(GRADIENT)
    bridge.load(small_tree())
    bridge.session.records.clear()
    step_forward(bridge, "features.0")
    assert current.ref == GRADIENT


def test_that_a_module_that_is_gone_after_a_load_is_not_current_any_more(
    bridge: FakeBridge, current: Current, qtbot: QtBot
) -> None:
    current.select_module("features.0")
    with qtbot.waitSignal(current.changed):
        bridge.load(tree_of([("", "Other"), ("encoder", "Linear")]))
    assert (current.path, current.ref) == (None, None)


def test_that_another_model_is_looked_at_anew_even_where_its_modules_have_the_same_names(
    bridge: FakeBridge, current: Current
) -> None:
    step_backward(bridge, "features.0")
    current.select_ref(GRADIENT)
    bridge.session.source = ExampleSource("cnn")
    bridge.session.records.clear()
    bridge.load(small_tree())
    assert (current.path, current.ref) == (None, None)
    current.select_module("features.0")
    step_forward(bridge, "features.0")
    step_backward(bridge, "features.0")
    assert current.ref == TensorRef("features.0", Slot.OUTPUT, "out")


def test_that_a_path_that_the_model_does_not_have_changes_nothing(current: Current, qtbot: QtBot) -> None:
    current.select_module("features.0")
    with qtbot.assertNotEmitted(current.changed):
        current.select_module("encoder.9")
        current.select_module("features.0")
    assert current.path == "features.0"


def finish(bridge: FakeBridge, *steps: int) -> None:
    bridge.session.history += [StepFinished(step, 0.5, 0.1, 0.05, 0.05, 0, 0, False) for step in steps]


@pytest.mark.parametrize(
    ("kind", "leaf", "ref"),
    [
        (EventKind.FORWARD_ENTER, "args.1", TensorRef("features.0", Slot.INPUT, "args.1", 1)),
        (EventKind.FORWARD_LEAVE, "out", TensorRef("features.0", Slot.OUTPUT, "out", 1)),
        (EventKind.BACKWARD_ENTER, "out", TensorRef("features.0", Slot.GRAD_OUTPUT, "out", 1)),
        (EventKind.BACKWARD_LEAVE, "args.0", TensorRef("features.0", Slot.GRAD_INPUT, "args.0", 1)),
        (EventKind.BACKWARD_LEAVE, "", TensorRef("features.0", Slot.GRAD_INPUT, "args.0", 1)),
        (EventKind.PARAMETER_GRADIENT, "weight", TensorRef("features.0", Slot.PARAMETER_GRAD, "weight")),
    ],
)
def test_that_an_event_makes_its_tensor_and_its_step_current(
    bridge: FakeBridge, current: Current, kind: EventKind, leaf: str, ref: TensorRef
) -> None:
    finish(bridge, 1, 2, 3)
    chosen = event(7, kind, "features.0", 1, leaf=leaf)
    current.select_event(2, chosen)
    assert (current.step, current.ref, current.moment) == (2, ref, Moment(2, chosen))


def test_that_an_event_of_the_newest_step_keeps_following(bridge: FakeBridge, current: Current) -> None:
    finish(bridge, 1, 2)
    current.select_event(2, event(3, EventKind.FORWARD_LEAVE, "features.0", leaf="out"))
    assert current.step is None
    bridge.session.events.add(3, [event(0, EventKind.FORWARD_ENTER)])
    current.select_event(2, event(3, EventKind.FORWARD_LEAVE, "features.0", leaf="out"))
    assert current.step == 2


def test_that_the_loss_is_looked_at_where_it_was_captured(bridge: FakeBridge, current: Current) -> None:
    current.select_ref(GRADIENT)
    current.select_event(1, event(9, EventKind.LOSS))
    assert current.ref == GRADIENT
    bridge.record(record("", leaf="loss", of=spec()))
    current.select_event(1, event(9, EventKind.LOSS))
    assert current.ref == TensorRef("", Slot.OUTPUT, "loss")


def test_that_an_older_step_stays_while_other_tensors_are_looked_at_and_steps_run(
    bridge: FakeBridge, current: Current
) -> None:
    finish(bridge, 1, 2)
    current.select_event(1, event(3, EventKind.FORWARD_LEAVE, "features.0", leaf="out"))
    current.select_ref(GRADIENT)
    assert (current.step, current.moment) == (1, None)
    step_forward(bridge, "features.0")
    current.select_module("features.3")
    assert (current.step, current.path) == (1, "features.3")
    current.show_latest()
    assert (current.step, current.path) == (None, "features.3")


@pytest.mark.parametrize("ends", ["stop", "load"])
def test_that_a_stop_and_another_model_end_the_look_back(bridge: FakeBridge, current: Current, ends: str) -> None:
    finish(bridge, 1, 2)
    current.select_ref(GRADIENT)
    current.show_step(1)
    if ends == "stop":
        bridge.stop_at(event(0, EventKind.FORWARD_ENTER), step=3)
    else:
        bridge.load(small_tree())
    assert (current.step, current.ref) == (None, GRADIENT)
