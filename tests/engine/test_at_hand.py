"""Tensors changed by hand while a step is stopped: what follows is as if a hook had changed them."""

import pytest
import torch

from hookscope.protocol import commands, events
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.interventions import HandChange, Index
from hookscope.protocol.stops import Breakpoint, ContinueMode, EventKind, EventPhase
from hookscope.protocol.tensor_changes import Add, Constant, Expression, Mean, Scale, StopGradient
from hookscope.protocol.tensors import BadgeKind
from tests.engine import trial_models
from tests.engine.driving import Driver, driving
from tests.engine.trial_models import GRADIENTS_STAY
from tests.engine.trying import MODELS, mean

EDITED = BadgeKind.EDITED


@pytest.fixture
def driver():
    with driving() as started:
        yield started


def stop_at(driver: Driver, path: str, phase: EventPhase, operation: str = "") -> events.Stopped:
    """Run to an event of a module, and leave no breakpoint behind."""
    driver.send(commands.SetBreakpoints((Breakpoint(1, path, (phase,), operation=operation),)))
    driver.expect(events.BreakpointsSet)
    driver.send(commands.RunSteps(1))
    stopped = driver.expect(events.Stopped | events.RunFinished)
    assert isinstance(stopped, events.Stopped)
    driver.send(commands.SetBreakpoints(()))
    driver.expect(events.BreakpointsSet)
    return stopped


def change(driver: Driver, *changes: HandChange) -> events.AtHandChanged:
    driver.send(commands.ChangeAtHand(changes))
    return driver.expect(events.AtHandChanged)


def finish(driver: Driver) -> float | None:
    driver.send(commands.Continue())
    assert driver.expect(events.RunFinished).reason is events.RunEnd.COMPLETED
    return driver.finished[-1].loss


def gradients(model: torch.nn.Module) -> list[object]:
    return [parameter.grad.tolist() for parameter in model.parameters()]


@pytest.mark.parametrize("checked", [(), ("", "0", "1", "2")], ids=["unchecked", "checked"])
@pytest.mark.parametrize(
    ("path", "phase", "changed", "loss", "expected"),
    [
        ("0", EventPhase.FORWARD_ENTER, (Scale(2.0), None), 20.0, [[[2.0, 2.0], [2.0, 2.0]], [[6.0, 14.0]]]),
        ("0", EventPhase.FORWARD_LEAVE, (Constant(5.0), Index((0, 0))), 12.0, [[[0.0, 0.0], [1.0, 1.0]], [[5.0, 7.0]]]),
        ("2", EventPhase.FORWARD_LEAVE, (Add(1.0), None), 11.0, [[[1.0, 1.0], [1.0, 1.0]], [[3.0, 7.0]]]),
        ("0", EventPhase.BACKWARD_ENTER, (Scale(10.0), None), 10.0, [[[10.0, 10.0], [10.0, 10.0]], [[3.0, 7.0]]]),
        ("2", EventPhase.BACKWARD_LEAVE, (Constant(7.0), None), 10.0, [[[7.0, 7.0], [7.0, 7.0]], [[3.0, 7.0]]]),
        ("0", EventPhase.PARAMETER_GRADIENT, (Scale(3.0), None), 10.0, [[[3.0, 3.0], [3.0, 3.0]], [[3.0, 7.0]]]),
    ],
    ids=lambda value: value.value if isinstance(value, EventPhase) else "",
)
def test_that_what_follows_is_as_if_a_hook_had_made_the_change(driver, checked, path, phase, changed, loss, expected):
    driver.load(f"{MODELS}:net")
    driver.change(GRADIENTS_STAY)
    driver.check(*checked)
    stopped = stop_at(driver, path, phase)
    answer = change(driver, HandChange(stopped.ref, *changed))
    assert (answer.refs, answer.errors, answer.event) == ((stopped.ref,), ("",), stopped.event)
    assert EDITED in driver.badges(path, stopped.ref.slot, stopped.ref.leaf)
    assert finish(driver) == loss
    assert gradients(trial_models.made[-1].model) == expected
    assert EDITED in driver.badges(path, stopped.ref.slot, stopped.ref.leaf)


def test_that_the_new_values_are_shown_and_each_change_begins_with_those_that_came(driver):
    driver.load(f"{MODELS}:net")
    stopped = stop_at(driver, "0", EventPhase.FORWARD_LEAVE)
    for factor in (2.0, 3.0):
        change(driver, HandChange(stopped.ref, Scale(factor)))
        assert mean(driver, stopped.ref) == 5.0 * factor
    change(driver, HandChange(stopped.ref, Scale(2.0)), HandChange(stopped.ref, Add(1.0)))
    assert mean(driver, stopped.ref) == 11.0
    assert finish(driver) == 22.0


def test_that_no_changes_are_what_came(driver):
    driver.load(f"{MODELS}:net")
    driver.check("0")
    stopped = stop_at(driver, "0", EventPhase.FORWARD_LEAVE)
    change(driver, HandChange(stopped.ref, Scale(2.0)))
    answer = change(driver)
    assert (answer.refs, answer.errors) == ((), ())
    assert mean(driver, stopped.ref) == 5.0
    assert EDITED not in driver.badges("0", Slot.OUTPUT, "out")
    assert finish(driver) == 10.0


def test_that_values_that_were_tried_out_take_no_room(driver):
    driver.load(f"{MODELS}:net")
    held = []
    for count in (1, 30):
        stopped = stop_at(driver, "0", EventPhase.FORWARD_LEAVE)
        for factor in range(count):
            change(driver, HandChange(stopped.ref, Scale(float(factor))))
        finish(driver)
        held.append(driver.finished[-1].capture_bytes)
    assert held[1] <= 3 * held[0]  # two steps, with one edited tensor each, and the room for the next edit


def test_that_a_change_is_for_one_event_alone(driver):
    driver.load(f"{MODELS}:net")
    stopped = stop_at(driver, "0", EventPhase.FORWARD_LEAVE)
    change(driver, HandChange(stopped.ref, Scale(2.0)))
    assert finish(driver) == 20.0
    driver.run()
    assert driver.finished[-1].loss == 10.0


def test_that_a_change_that_cannot_be_made_says_why_and_the_others_are_made(driver):
    driver.load(f"{MODELS}:net")
    ref = stop_at(driver, "0", EventPhase.FORWARD_LEAVE).ref
    elsewhere = TensorRef("2", Slot.OUTPUT, "out")
    answer = change(
        driver,
        HandChange(ref, Expression("x @ torch.ones(9, 9)")),
        HandChange(ref, Mean(dim=5)),
        HandChange(elsewhere, Scale(2.0)),
        HandChange(ref, Add(1.0)),
    )
    assert answer.refs == (ref,)
    assert ["9" in answer.errors[0], "dim" in answer.errors[1], "at hand" in answer.errors[2]] == [True] * 3
    assert answer.errors[3] == ""
    assert finish(driver) == 12.0


def test_that_a_gradient_cannot_be_stopped_where_it_is_one(driver):
    driver.load(f"{MODELS}:net")
    ref = stop_at(driver, "0", EventPhase.BACKWARD_ENTER).ref
    assert change(driver, HandChange(ref, StopGradient())).errors[0]
    finish(driver)


def test_that_the_loss_is_not_changed_by_hand(driver):
    driver.load(f"{MODELS}:net")
    driver.send(commands.RunSteps(1, ContinueMode.TO_END_OF_FORWARD))
    driver.expect(events.Stopped)
    driver.send(commands.Continue(ContinueMode.INTO))
    stopped = driver.expect(events.Stopped)
    assert stopped.event.kind is EventKind.LOSS
    answer = change(driver, HandChange(stopped.ref, Scale(2.0)))
    assert (answer.refs, "loss" in answer.errors[0]) == ((), True)
    finish(driver)


def test_that_a_share_of_several_parts_stays_and_the_reason_is_told(driver):
    driver.load(f"{MODELS}:two_parts")
    stopped = stop_at(driver, "twice", EventPhase.BACKWARD_LEAVE)
    answer = change(driver, HandChange(stopped.ref, Scale(2.0)))
    assert (answer.refs, "2 parts" in answer.errors[0]) == ((), True)
    finish(driver)


def test_that_both_shares_of_one_operation_can_be_changed(driver):
    driver.load(f"{MODELS}:two_parts")
    driver.change(GRADIENTS_STAY)
    stopped = stop_at(driver, "product", EventPhase.BACKWARD_LEAVE)
    a, b = (TensorRef("product", Slot.GRAD_INPUT, leaf) for leaf in ("args.0", "args.1"))
    assert stopped.ref in {a, b}
    answer = change(driver, HandChange(a, Constant(0.0)), HandChange(b, Constant(5.0)))
    assert answer.errors == ("", "")
    finish(driver)
    assert trial_models.made[-1].model.scale.grad.tolist() == [5.0, 5.0]


def test_that_an_edited_input_still_passes_the_step_through_all_events(driver):
    driver.load(f"{MODELS}:two_parts")
    driver.change(GRADIENTS_STAY)
    driver.check("twice")
    stopped = stop_at(driver, "twice", EventPhase.FORWARD_ENTER)
    change(driver, HandChange(stopped.ref, Scale(2.0)))
    finish(driver)
    scale = torch.tensor([2.0, 3.0], requires_grad=True)
    doubled = scale * 2
    loss = ((doubled.exp() + doubled.sin()) * (scale + 1)).sum()
    loss.backward()
    assert driver.finished[-1].loss == pytest.approx(loss.item(), rel=1e-6)
    assert torch.allclose(trial_models.made[-1].model.scale.grad, scale.grad)


def test_that_giving_up_a_step_with_edited_tensors_changes_nothing(driver):
    driver.load(f"{MODELS}:training")
    driver.run(2)
    model = trial_models.made[-1].model
    before = {name: value.clone() for name, value in model.state_dict().items()}
    stopped = stop_at(driver, "first", EventPhase.PARAMETER_GRADIENT)
    change(driver, HandChange(stopped.ref, Constant(1e6)))
    driver.send(commands.Abort())
    assert driver.expect(events.RunFinished).reason is events.RunEnd.ABORTED
    assert all(value.equal(before[name]) for name, value in model.state_dict().items())


@pytest.mark.parametrize(("phase", "loss"), [(EventPhase.FORWARD_LEAVE, 12.0), (EventPhase.BACKWARD_ENTER, 6.0)])
def test_that_an_operation_can_be_changed_by_hand(driver, phase, loss):
    driver.load("example:leaf_gradient")
    driver.check("")
    stopped = stop_at(driver, "", phase, "mul")
    answer = change(driver, HandChange(stopped.ref, Scale(2.0)))
    assert (answer.refs, answer.errors) == ((stopped.ref,), ("",))
    assert finish(driver) == loss
    assert mean(driver, TensorRef("", Slot.PARAMETER_GRAD, "w")) == 10.0


def test_that_an_operation_in_place_is_not_changed_by_hand(driver):
    driver.load(f"{MODELS}:in_place")
    stopped = stop_at(driver, "", EventPhase.FORWARD_LEAVE, "add_")
    answer = change(driver, HandChange(stopped.ref, Scale(2.0)))
    assert (answer.refs, "writes" in answer.errors[0]) == ((), True)
    finish(driver)
