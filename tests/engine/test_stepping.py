"""Stepping through a step: events in the order in which things happen, stops, and a state that is as before."""

import pytest
import torch

from hookscope.protocol import commands, events
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.stops import (
    Breakpoint,
    ContinueMode,
    EventKind,
    EventPhase,
    Expression,
    NormAbove,
    StopKind,
)
from hookscope.protocol.views import Statistics, StatisticsRequest
from tests.engine import models
from tests.engine.driving import Driver, driving

MODELS = "tests.engine.models"
ENTER, LEAVE = EventKind.FORWARD_ENTER, EventKind.FORWARD_LEAVE
BACK, DONE = EventKind.BACKWARD_ENTER, EventKind.BACKWARD_LEAVE


@pytest.fixture
def driver():
    with driving() as started:
        yield started


def go_on(driver: Driver, mode: ContinueMode = ContinueMode.INTO, path: str = "") -> events.Event:
    driver.send(commands.Continue(mode, path))
    return driver.expect(events.Stopped | events.RunFinished)


def start(driver: Driver, mode: ContinueMode = ContinueMode.INTO, path: str = "", count: int | None = 1):
    driver.send(commands.RunSteps(count, mode, path))
    return driver.expect(events.Stopped | events.RunFinished)


def names(found: list[events.Stopped]) -> list[tuple[EventKind, str]]:
    return [(stop.event.kind, stop.event.path) for stop in found]


def all_stops(driver: Driver, mode: ContinueMode) -> list[events.Stopped]:
    found = [start(driver, mode)]
    while isinstance(found[-1], events.Stopped):
        found.append(go_on(driver, mode))
    return found[:-1]


def test_that_stepping_into_visits_every_event_in_the_order_of_the_step(driver):
    driver.load(f"{MODELS}:small")
    stops = all_stops(driver, ContinueMode.INTO)
    gradient = EventKind.PARAMETER_GRADIENT
    assert names(stops)[:9] == [
        (ENTER, ""),
        (ENTER, "0"),
        (LEAVE, "0"),
        (ENTER, "1"),
        (LEAVE, "1"),
        (ENTER, "2"),
        (LEAVE, "2"),
        (LEAVE, ""),
        (EventKind.LOSS, ""),
    ]
    backward = names(stops)[9:]
    assert {entry for entry in backward if entry[0] is gradient} == {(gradient, "0"), (gradient, "2")}
    order = [entry for entry in backward if entry[0] is not gradient]
    assert sorted(order[:2]) == sorted([(BACK, ""), (BACK, "2")])
    assert order[2:] == [
        (DONE, "2"),
        (BACK, "1"),
        (DONE, "1"),
        (BACK, "0"),
        (DONE, "0"),
        (DONE, ""),
        (EventKind.OPTIMIZER, ""),
    ]
    assert [stop.event.number for stop in stops] == list(range(len(stops)))
    assert all(stop.reason.kind is StopKind.STEP for stop in stops)


def test_that_the_events_are_those_of_the_recorded_list(driver):
    driver.load(f"{MODELS}:small")
    driver.send(commands.RunSteps(1, trace=True))
    driver.expect(events.RunFinished)
    traced = list(driver.events)
    driver.events.clear()
    stops = all_stops(driver, ContinueMode.INTO)
    assert [(e.kind, e.path, e.call, e.leaf) for e in traced] == [
        (s.event.kind, s.event.path, s.event.call, s.event.leaf) for s in stops
    ]
    assert [(e.kind, e.path) for e in driver.events] == names(stops)


def test_that_an_untraced_step_tells_no_events_and_leaves_no_hook(driver):
    driver.load(f"{MODELS}:small")
    all_stops(driver, ContinueMode.INTO)
    driver.events.clear()
    driver.run()
    assert not driver.events
    assert all(not module._forward_hooks for module in models.made[-1].modules())


def test_that_stepping_over_stays_at_its_depth(driver):
    driver.load(f"{MODELS}:small")
    first = start(driver)
    assert (first.event.kind, first.event.path) == (ENTER, "")
    after = go_on(driver, ContinueMode.OVER)
    assert (after.event.kind, after.event.path) == (LEAVE, "")
    go_on(driver, ContinueMode.OVER)
    assert go_on(driver, ContinueMode.OVER).event.kind in {BACK, DONE}


def test_that_stepping_out_leaves_the_enclosing_call(driver):
    driver.load(f"{MODELS}:small")
    start(driver, ContinueMode.TO_SELECTED, "1")
    out = go_on(driver, ContinueMode.OUT)
    assert (out.event.kind, out.event.path) == (LEAVE, "1")
    out = go_on(driver, ContinueMode.OUT)
    assert (out.event.kind, out.event.path) == (LEAVE, "")
    assert go_on(driver, ContinueMode.OUT).event.kind is EventKind.LOSS


@pytest.mark.parametrize(
    ("mode", "kind", "reason"),
    [
        (ContinueMode.TO_END_OF_FORWARD, LEAVE, StopKind.END_OF_FORWARD),
        (ContinueMode.TO_END_OF_BACKWARD, DONE, StopKind.END_OF_BACKWARD),
    ],
)
def test_that_a_step_runs_to_the_end_of_a_pass(driver, mode, kind, reason):
    driver.load(f"{MODELS}:small")
    stop = start(driver, mode)
    assert (stop.event.kind, stop.event.path, stop.reason.kind) == (kind, "", reason)
    assert isinstance(go_on(driver, ContinueMode.CONTINUE), events.RunFinished)


def test_that_the_tensor_at_hand_can_be_viewed_though_its_module_is_not_checked(driver):
    driver.load(f"{MODELS}:small")
    stop = start(driver, ContinueMode.TO_SELECTED, "1")
    assert stop.ref == TensorRef("1", Slot.INPUT, "args.0", 0)
    answer = driver.view("1", Slot.INPUT, "args.0", StatisticsRequest())
    assert isinstance(answer.result, Statistics)
    assert answer.result.count == 6


def test_that_pause_stops_a_continuous_run_at_the_next_event(driver):
    driver.load(f"{MODELS}:waiting")
    driver.check("second")
    driver.send(commands.RunSteps(None))
    assert models.entered.wait(20)
    driver.send(commands.Pause())
    driver.view("first", Slot.OUTPUT, "out", StatisticsRequest())  # so that the pause has been taken
    models.go_on.set()
    stop = driver.expect(events.Stopped)
    assert stop.reason.kind is StopKind.PAUSE
    driver.send(commands.Abort())
    assert driver.expect(events.RunFinished).reason is events.RunEnd.ABORTED


def test_that_breakpoints_stop_where_they_hold(driver):
    driver.load(f"{MODELS}:small")
    points = (
        Breakpoint(1, "1", (EventPhase.FORWARD_LEAVE,)),
        Breakpoint(2, "class:Linear", (EventPhase.BACKWARD_ENTER,), hits=2),
        Breakpoint(3, "nowhere", (EventPhase.FORWARD_ENTER,)),
        Breakpoint(4, "0", (EventPhase.FORWARD_ENTER,), Expression("tensor +")),
        Breakpoint(5, "2", (EventPhase.FORWARD_LEAVE,), NormAbove(1e9)),
        Breakpoint(6, "0", (EventPhase.FORWARD_LEAVE,), log="saw {path} in step {step}"),
    )
    driver.send(commands.SetBreakpoints(points))
    answer = driver.expect(events.BreakpointsSet)
    assert answer.unmatched == (3,)
    assert list(answer.errors) == [4]
    stop = start(driver, ContinueMode.CONTINUE)
    assert (stop.event.kind, stop.event.path) == (LEAVE, "1")
    assert stop.reason.kind is StopKind.BREAKPOINT
    assert stop.reason.values["breakpoint"] == "1"
    assert [log.text for log in driver.logs] == ["saw 0 in step 1"]
    stop = go_on(driver, ContinueMode.CONTINUE)
    assert (stop.event.kind, stop.event.path, stop.reason.values["hits"]) == (BACK, "0", "2")
    assert isinstance(go_on(driver, ContinueMode.CONTINUE), events.RunFinished)


def test_that_a_breakpoint_on_an_operation_stops_in_forward_and_in_backward(driver):
    driver.load("example:leaf_gradient")
    phases = (EventPhase.FORWARD_LEAVE, EventPhase.BACKWARD_ENTER)
    driver.send(commands.SetBreakpoints((Breakpoint(1, "", phases, operation="mul"),)))
    driver.expect(events.BreakpointsSet)
    stop = start(driver, ContinueMode.CONTINUE)
    assert (stop.event.kind, stop.event.operation, stop.reason.kind) == (LEAVE, "mul:0", StopKind.BREAKPOINT)
    assert driver.view_ref(stop.ref, StatisticsRequest()).result.maximum == 6  # (1 + 2) * (1 + 1)
    stop = go_on(driver, ContinueMode.CONTINUE)
    assert (stop.event.kind, stop.event.operation, stop.reason.values["hits"]) == (BACK, "mul:0", "2")
    assert driver.view_ref(stop.ref, StatisticsRequest()).result.maximum == 1
    assert isinstance(go_on(driver, ContinueMode.CONTINUE), events.RunFinished)


def test_that_a_failing_expression_stops_with_its_error(driver):
    driver.load(f"{MODELS}:small")
    driver.send(
        commands.SetBreakpoints((Breakpoint(1, "0", (EventPhase.FORWARD_LEAVE,), Expression("tensor.nope > 1")),))
    )
    driver.expect(events.BreakpointsSet)
    stop = start(driver, ContinueMode.CONTINUE)
    assert stop.reason.kind is StopKind.CONDITION_FAILED
    assert "nope" in stop.reason.values["error"]
    assert isinstance(go_on(driver, ContinueMode.CONTINUE), events.RunFinished)


@pytest.mark.parametrize("settings", [models.LOOKING, models.TRAINING], ids=["looking", "training"])
def test_that_aborting_at_each_event_leaves_the_state_as_it_was(driver, settings):
    driver.load(f"{MODELS}:small")
    driver.change(models.LOOKING)
    model = models.made[-1]
    before = {name: value.clone() for name, value in model.state_dict().items()}
    count = len(all_stops(driver, ContinueMode.INTO))
    driver.change(settings)
    for number in range(count):
        start(driver)
        for _ in range(number):
            go_on(driver)
        driver.send(commands.Abort())
        assert driver.expect(events.RunFinished).reason is events.RunEnd.ABORTED
        assert all(value.equal(before[name]) for name, value in model.state_dict().items())
        assert all(parameter.grad is None for parameter in model.parameters())
    assert isinstance(start(driver, ContinueMode.CONTINUE), events.RunFinished)


def test_that_the_stack_names_the_users_line_in_forward_and_in_backward(driver):
    driver.load(f"{MODELS}:stacked")
    start(driver, ContinueMode.TO_SELECTED, "layer")
    driver.send(commands.RequestStack())
    frames = driver.expect(events.StackReady).frames
    assert [frame.function for frame in frames if frame.user][-1].endswith("Stacked.forward")
    assert "self.layer(x)" in frames[-1].text or any("self.layer(x)" in frame.text for frame in frames)
    variables = {variable.name: variable for frame in frames for variable in frame.variables}
    assert "1 × 2" in variables["x"].text or "(1, 2)" in variables["x"].text
    answer = driver.view_ref(variables["x"].ref, StatisticsRequest())
    assert answer.result.count == 2
    driver.send(commands.Continue(ContinueMode.TO_END_OF_FORWARD))
    driver.expect(events.Stopped)
    driver.send(commands.Continue(ContinueMode.TO_SELECTED, "layer"))
    assert driver.expect(events.Stopped).event.kind is BACK
    driver.send(commands.RequestStack())
    frames = driver.expect(events.StackReady).frames
    assert any("self.layer(x)" in frame.text for frame in frames)
    driver.send(commands.Continue())
    driver.expect(events.RunFinished)


def test_that_a_source_file_is_shown_or_its_absence_explained(driver):
    driver.load(f"{MODELS}:small")
    driver.send(commands.RequestSource(models.__file__, 10))
    source = driver.expect(events.SourceReady)
    assert any("class Waiting" in line for line in source.lines)
    driver.send(commands.RequestSource("/nowhere/at/all.py", 1))
    assert driver.expect(events.SourceReady).missing


def test_that_hooks_set_while_stopped_hold_from_the_next_call(driver):
    driver.load(f"{MODELS}:small")
    start(driver)
    assert driver.check("2").paths == ("2",)
    assert isinstance(go_on(driver, ContinueMode.CONTINUE), events.RunFinished)
    assert TensorRef("2", Slot.OUTPUT, "out") in driver.records


def test_that_two_threads_that_fire_at_once_stop_one_after_the_other(driver):
    driver.load(f"{MODELS}:threaded")
    stops = all_stops(driver, ContinueMode.INTO)
    forward = [entry for entry in names(stops) if entry[0] in {ENTER, LEAVE}]
    assert sorted(forward) == sorted(
        [(ENTER, ""), (ENTER, "left"), (LEAVE, "left"), (ENTER, "right"), (LEAVE, "right"), (LEAVE, "")]
    )
    assert forward.index((ENTER, "left")) < forward.index((LEAVE, "left"))
    assert forward.index((ENTER, "right")) < forward.index((LEAVE, "right"))


def test_that_a_stop_in_a_distributed_run_warns_of_collectives(driver, tmp_path, capfd):
    if not torch.distributed.is_available():
        pytest.skip("this PyTorch build has no torch.distributed")
    torch.distributed.init_process_group("gloo", init_method=f"file://{tmp_path}/store", rank=0, world_size=1)
    try:
        driver.load(f"{MODELS}:small")
        start(driver)
        go_on(driver, ContinueMode.INTO)
        go_on(driver, ContinueMode.CONTINUE)
    finally:
        torch.distributed.destroy_process_group()
    assert capfd.readouterr().err.count("may time out") == 1
