"""The table of breakpoints: what it refuses, where its breakpoints are, and what it decides."""

import itertools
import math
import threading

import pytest
import torch
from torch import nn

from hookscope.engine.stepping.breakpoints import BreakpointTable, Decision
from hookscope.engine.stepping.conditions import EventContext
from hookscope.protocol.stops import (
    Breakpoint,
    EventKind,
    EventPhase,
    Expression,
    NonFinite,
    NormAbove,
    SpecChanged,
    StepEvent,
    StepIs,
    StopKind,
    StopReason,
)

MODULES = {
    "": "Net",
    "conv1": "Conv2d",
    "layer1": "Sequential",
    "layer1.0": "Conv1d",
    "layer1.1": "ReLU",
    "layer10": "ConvTranspose2d",
    "tied[a]": "Linear",
}
LEAVE, ENTER = EventPhase.FORWARD_LEAVE, EventPhase.FORWARD_ENTER
LOSS_AND_OPTIMIZER = (EventKind.LOSS, EventKind.OPTIMIZER)
CONTEXT = EventContext("layer1.0", 1, 7, nn.Linear(2, 2), {})
GO_ON = Decision(stop=False)

numbers = itertools.count()


def at(path: str, kind: EventKind = EventKind.FORWARD_LEAVE, operation: str = "") -> StepEvent:
    return StepEvent(next(numbers), kind, path, 0, 1, 0.0, operation=operation)


def table_of(*breakpoints: Breakpoint) -> BreakpointTable:
    table = BreakpointTable()
    assert table.set(breakpoints) == {}
    return table


def matched(table: BreakpointTable, path: str, **event: object) -> list[int]:
    return [found.id for found in table.match(at(path, **event), MODULES.get(path, ""))]  # type: ignore[arg-type]


def stopped(breakpoint_: Breakpoint, hits: int, **values: str) -> Decision:
    told = {"what": "", "value": "", "limit": "", "leaf": "", **values}
    reason = StopReason(StopKind.BREAKPOINT, {"breakpoint": str(breakpoint_.id), "hits": str(hits), **told})
    return Decision(stop=True, reason=reason)


# -- where ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pattern", "paths"),
    [
        ("conv1", {"conv1"}),
        ("", {""}),
        ("*", set(MODULES)),
        ("layer1*", {"layer1", "layer1.0", "layer1.1", "layer10"}),
        ("layer1.?", {"layer1.0", "layer1.1"}),
        ("layer1.[01]", {"layer1.0", "layer1.1"}),
        ("tied[a]", {"tied[a]"}),
        ("class:Conv*", {"conv1", "layer1.0", "layer10"}),
        ("class:Conv?d", {"conv1", "layer1.0"}),
        ("class:Net", {""}),
        ("class:conv2d", set()),
        ("Conv2d", set()),
        ("layer2.0", set()),
    ],
)
def test_that_a_pattern_means_the_same_modules_wherever_it_is_asked(pattern: str, paths: set[str]) -> None:
    table = table_of(Breakpoint(1, pattern, (LEAVE,)))
    assert {path for path in MODULES if matched(table, path)} == paths
    assert table.paths_needed(MODULES) == paths
    assert table.unmatched(MODULES) == (() if paths else (1,))


@pytest.mark.parametrize("phase", EventPhase)
def test_that_a_breakpoint_is_on_the_events_of_its_phases_and_no_others(phase: EventPhase) -> None:
    table = table_of(Breakpoint(1, "*", (phase,)))
    assert [kind for kind in EventKind if matched(table, "conv1", kind=kind)] == [EventKind(phase.value)]


def test_that_no_breakpoint_is_on_the_loss_or_the_optimizer() -> None:
    table = table_of(Breakpoint(1, "*", tuple(EventPhase)))
    assert [matched(table, "", kind=kind) for kind in LOSS_AND_OPTIMIZER] == [[], []]


def test_that_breakpoints_match_in_the_order_in_which_they_were_set() -> None:
    table = table_of(*(Breakpoint(id_, pattern, (LEAVE,)) for id_, pattern in ((7, "*"), (3, "conv1"), (5, "layer1"))))
    assert matched(table, "conv1") == [7, 3]
    assert matched(table, "layer1") == [7, 5]


def test_that_what_was_found_before_does_not_outlive_a_change() -> None:
    table = table_of(Breakpoint(1, "conv1", (LEAVE,)))
    assert matched(table, "conv1") == [1]
    assert matched(table, "layer1") == []
    table.set([Breakpoint(2, "layer1", (LEAVE,))])
    assert matched(table, "conv1") == []
    assert matched(table, "layer1") == [2]


def test_that_a_breakpoint_on_any_name_of_a_shared_module_is_one_on_the_module() -> None:
    table = table_of(Breakpoint(1, "head.tied", (LEAVE,)), Breakpoint(2, "head.*", (LEAVE,)))
    assert table.unmatched(MODULES) == (1, 2)
    assert matched(table, "tied[a]") == []
    table.set_aliases({"tied[a]": ("tied[a]", "head.tied")})
    assert table.unmatched(MODULES) == ()
    assert matched(table, "tied[a]") == [1, 2]
    assert table.paths_needed(MODULES) == {"tied[a]"}


@pytest.mark.parametrize(
    ("pattern", "operations"),
    [("add", ["add:0", "add:1"]), ("add:1", ["add:1"]), ("*", ["add:0", "add:1", "relu:0"]), ("softmax", [])],
)
def test_that_a_breakpoint_on_operations_is_on_those_and_not_on_modules(pattern: str, operations: list[str]) -> None:
    table = table_of(Breakpoint(1, "layer1", (LEAVE,), operation=pattern), Breakpoint(2, "conv1", (LEAVE,)))
    found = [name for name in ("add:0", "add:1", "relu:0") if matched(table, "layer1", operation=name)]
    assert found == operations
    assert matched(table, "layer1") == []
    assert matched(table, "conv1", operation="add:0") == []
    assert table.paths_needed(MODULES) == {"conv1"}
    assert table.paths_needed(MODULES, operations=True) == {"layer1"}


def test_that_events_are_needed_only_for_what_is_in_force() -> None:
    table = table_of()
    assert not table.needs_events
    off = Breakpoint(1, "conv1", (LEAVE,), SpecChanged(), enabled=False)
    table.set([off])
    assert not table.needs_events
    assert not table.needs_previous
    assert matched(table, "conv1") == []
    assert table.paths_needed(MODULES) == frozenset()
    table.set([off, Breakpoint(2, "conv1", (LEAVE,), hits=0)])
    assert not table.needs_events
    table.set([off, Breakpoint(3, "layer1", (LEAVE,))])
    assert table.needs_events
    assert not table.needs_previous
    table.set([Breakpoint(1, "conv1", (LEAVE,), SpecChanged())])
    assert table.needs_previous


def test_that_a_breakpoint_that_is_switched_off_is_told_to_match_nothing_too() -> None:
    assert table_of(Breakpoint(1, "gone", (LEAVE,), enabled=False)).unmatched(MODULES) == (1,)


# -- what is refused ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (Breakpoint(1, "class:", (LEAVE,)), "`class:` must be followed by the name of a class, for example"),
        (Breakpoint(1, "conv1", ()), "it is on no event: choose at least one phase"),
        (Breakpoint(1, "conv1", (LEAVE,), hits=0), "hits are counted from 1; it cannot stop at hit 0"),
        (Breakpoint(1, "conv1", (LEAVE,), Expression("tensr > 0")), "unknown name `tensr`; did you mean `tensor`?"),
        (Breakpoint(1, "conv1", (LEAVE,), NormAbove(math.nan)), "nan is not"),
        (
            Breakpoint(1, "conv1", (LEAVE,), log="{tensors}"),
            "`{tensors}` cannot be filled in; there are {tensor},",
        ),
        (Breakpoint(1, "conv1", (LEAVE,), log="{tensor.shape}"), "`{tensor.shape}` cannot be filled in"),
        (Breakpoint(1, "conv1", (LEAVE,), log="{}"), "`{}` cannot be filled in"),
        (Breakpoint(1, "conv1", (LEAVE,), log="{step:3}"), "`{step}` cannot be given a format"),
        (Breakpoint(1, "conv1", (LEAVE,), log="{step!r}"), "`{step}` cannot be given a format"),
        (Breakpoint(1, "conv1", (LEAVE,), log="at {step"), "the log text is wrong: expected '}' before end of string"),
        (Breakpoint(1, "conv1", (LEAVE,), log="at } step"), "the log text is wrong: Single '}'"),
    ],
)
def test_that_a_wrong_breakpoint_is_refused_and_the_others_hold(wrong: Breakpoint, why: str) -> None:
    table = BreakpointTable()
    refused = table.set([wrong, Breakpoint(2, "conv1", (LEAVE,))])
    assert list(refused) == [1]
    assert why in refused[1]
    assert matched(table, "conv1") == [2]
    assert table.hit(wrong, [], CONTEXT) == GO_ON


# -- what is decided ------------------------------------------------------------------------------------------------

HUGE = [("out.0", torch.ones(2)), ("out.1", torch.tensor([3000.0, -4000.0]))]


def test_that_a_breakpoint_without_a_condition_stops_at_every_hit() -> None:
    always = Breakpoint(4, "*", (LEAVE,))
    table = table_of(always)
    assert table.hit(always, [], CONTEXT) == stopped(always, 1)
    assert table.hit(always, HUGE, CONTEXT) == stopped(always, 2)


def test_that_a_stop_says_of_which_tensor_the_condition_holds() -> None:
    large = Breakpoint(4, "*", (LEAVE,), NormAbove(1e3))
    table = table_of(large)
    assert table.hit(large, HUGE[:1], CONTEXT) == GO_ON
    why = {"what": "norm_above", "value": "5000", "limit": "1000", "leaf": "out.1"}
    assert table.hit(large, HUGE, CONTEXT) == stopped(large, 1, **why)


def test_that_only_hits_count_and_a_step_stops_from_the_wanted_one_on() -> None:
    third = Breakpoint(4, "*", (LEAVE,), NormAbove(1e3), hits=3)
    table = table_of(third)
    decisions = [table.hit(third, tensors, CONTEXT).stop for tensors in (HUGE, [], HUGE, HUGE[:1], HUGE, HUGE)]
    assert decisions == [False, False, False, False, True, True]


def test_that_hits_are_counted_on_while_the_breakpoint_lives_and_not_beyond() -> None:
    first, other = Breakpoint(1, "conv1", (LEAVE,)), Breakpoint(2, "conv1", (LEAVE,))
    table = table_of(first, other)
    assert [table.hit(first, [], CONTEXT) for _ in range(2)][1] == stopped(first, 2)
    changed = Breakpoint(1, "layer1", (LEAVE, ENTER))
    table.set([changed])
    assert table.hit(changed, [], CONTEXT) == stopped(changed, 3)
    off = Breakpoint(1, "conv1", (LEAVE,), enabled=False)
    table.set([off])
    wrong = Breakpoint(1, "conv1", ())
    table.set([wrong])
    table.set([first])
    assert table.hit(first, [], CONTEXT) == stopped(first, 4)
    table.set([])
    table.set([first])
    assert table.hit(first, [], CONTEXT) == stopped(first, 1)


def test_that_a_breakpoint_that_was_changed_or_taken_away_meanwhile_does_not_stop() -> None:
    former = Breakpoint(1, "conv1", (LEAVE,))
    table = table_of(former)
    (matched_before,) = table.match(at("conv1"), "Conv2d")
    table.set([Breakpoint(1, "conv1", (LEAVE,), StepIs(8))])
    assert table.hit(matched_before, [], CONTEXT) == GO_ON
    table.set([])
    assert table.hit(matched_before, [], CONTEXT) == GO_ON


def test_that_a_failing_condition_stops_with_its_error_and_counts_no_hit() -> None:
    failing = Breakpoint(9, "*", (LEAVE,), Expression("tensor.nope > 1 if step == 7 else True"))
    table = table_of(failing)
    error = "AttributeError: 'Tensor' object has no attribute 'nope'"
    reason = StopReason(StopKind.CONDITION_FAILED, {"breakpoint": "9", "error": error})
    assert table.hit(failing, HUGE, CONTEXT) == Decision(stop=True, reason=reason)
    later = EventContext("", 0, 8, None, {})
    decision = table.hit(failing, HUGE, later)
    assert decision.reason is not None
    assert decision.reason.values["hits"] == "1"


def test_that_memory_that_runs_out_in_a_condition_is_its_error() -> None:
    """Nothing but an abort may leave a hook."""

    class Unlucky(torch.Tensor):
        @classmethod
        def __torch_function__(cls, *_: object, **__: object) -> object:
            raise torch.OutOfMemoryError("CUDA out of memory")

    changed = Breakpoint(9, "*", (LEAVE,), SpecChanged())
    table = table_of(changed)
    decision = table.hit(changed, [("out", torch.ones(2).as_subclass(Unlucky))], CONTEXT)
    values = {"breakpoint": "9", "error": "OutOfMemoryError: CUDA out of memory"}
    assert decision == Decision(stop=True, reason=StopReason(StopKind.CONDITION_FAILED, values))


def test_that_an_abort_within_a_condition_goes_through() -> None:
    class Abort(BaseException):
        pass

    class Aborting(nn.Module):
        @property
        def value(self) -> int:
            raise Abort

    asking = Breakpoint(1, "*", (LEAVE,), Expression("module.value"))
    with pytest.raises(Abort):
        table_of(asking).hit(asking, [], EventContext("", 0, 1, Aborting(), {}))


def test_that_two_threads_never_count_the_same_hit() -> None:
    always = Breakpoint(1, "*", (LEAVE,))
    table = table_of(always)
    seen: list[str] = []

    def fire() -> None:
        for _ in range(500):
            reason = table.hit(always, [], CONTEXT).reason
            assert reason is not None
            seen.append(reason.values["hits"])

    threads = [threading.Thread(target=fire) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(map(int, seen)) == list(range(1, 2001))


# -- log points -----------------------------------------------------------------------------------------------------


def logged(text: str, tensors: list[tuple[str, torch.Tensor]], context: EventContext = CONTEXT) -> str | None:
    point = Breakpoint(1, "*", (LEAVE,), log=text)
    decision = table_of(point).hit(point, tensors, context)
    assert not decision.stop
    assert decision.reason is None
    return decision.log


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("here", "here"),
        ("{path}, call {call}, step {step}, hit {hits}", "layer1.0, call 1, step 7, hit 1"),
        ("{{{step}}} {step}", "{7} 7"),
        ("{tensor}", "float32 (2,), min 1, max 1, mean 1, norm 1.414"),
    ],
)
def test_that_a_log_point_fills_in_its_text_and_does_not_stop(text: str, line: str) -> None:
    assert logged(text, HUGE) == line


def test_that_the_root_has_a_name_in_the_log() -> None:
    assert logged("{path}", [], EventContext("", 0, 1, None, {})) == "the model"


@pytest.mark.parametrize(
    ("tensor", "words"),
    [
        (
            torch.tensor([-1.5, 2.0, math.nan, math.inf]),
            "float32 (4,), min -1.5, max 2, mean 0.25, norm 2.5, 1 NaN, 1 +Inf",
        ),
        (torch.tensor(3, dtype=torch.int64), "int64 (), min 3, max 3, mean 3, norm 3"),
        (torch.empty(0, 3), "float32 (0, 3)"),
        (torch.ones(3, device="meta"), "float32 (3,), on the meta device: it has a shape but no values"),
    ],
)
def test_that_a_tensor_is_told_in_short(tensor: torch.Tensor, words: str) -> None:
    assert logged("{tensor}", [("out", tensor)]) == words


def test_that_an_event_without_a_tensor_is_logged_as_one() -> None:
    assert logged("{tensor}", []) == "no tensor"


def test_that_a_log_point_tells_of_the_tensor_that_meets_its_condition_from_the_wanted_hit_on() -> None:
    point = Breakpoint(1, "*", (LEAVE,), NormAbove(1e3), hits=2, log="{hits}: {tensor}")
    table = table_of(point)
    decisions = [table.hit(point, tensors, CONTEXT) for tensors in (HUGE, HUGE[:1], HUGE)]
    line = "2: float32 (2,), min -4000, max 3000, mean -500, norm 5000"
    assert decisions == [GO_ON, GO_ON, Decision(stop=False, log=line)]


def test_that_a_log_point_whose_condition_fails_says_so_and_does_not_stop() -> None:
    point = Breakpoint(1, "*", (LEAVE,), Expression("1 / 0"), log="{tensor}")
    decision = table_of(point).hit(point, HUGE, CONTEXT)
    assert decision == Decision(stop=False, log="The condition failed: ZeroDivisionError: division by zero")


def test_that_a_condition_on_values_does_not_hold_without_tensors() -> None:
    point = Breakpoint(1, "*", (LEAVE,), NonFinite())
    assert table_of(point).hit(point, [], CONTEXT) == GO_ON
