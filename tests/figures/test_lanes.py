"""A step as spans of time: who is inside whom, when each began and ended, and what adds up to what."""

import numpy as np
import pytest

from hookscope.figures.flame import flame_of
from hookscope.figures.forecast import forecast
from hookscope.figures.lane_rows import LaneTree, pixel_bars
from hookscope.figures.lanes import StepTrace
from tests.figures.stepped import (
    BACK,
    BACKWARD,
    DONE,
    ENTER,
    FORWARD,
    GRADIENT,
    LEAVE,
    LOSS,
    events_of,
    on_device,
    whole_step,
)


def milliseconds(trace: StepTrace, path: str, call: int = 0, *, is_backward: bool = False) -> tuple[int, int]:
    span = trace.spans[path, call, is_backward]
    return round(1000 * span.begin_s), round(1000 * trace.end_of(span))


def parent_of(trace: StepTrace, path: str, call: int = 0, *, is_backward: bool = False) -> str | None:
    parent = trace.spans[path, call, is_backward].parent
    return parent.path if parent is not None else None


def test_that_a_call_spans_the_time_from_its_entering_to_its_leaving():
    trace = StepTrace(whole_step())
    assert milliseconds(trace, "") == (0, 9)
    assert milliseconds(trace, "features") == (1, 6)
    assert milliseconds(trace, "features.1") == (4, 5)
    assert trace.duration_s == pytest.approx(0.023)
    assert [mark.number for mark in trace.marks] == [10, 23]
    assert trace.is_forward_over


def test_that_backward_spans_hold_those_inside_them_though_these_are_reached_first():
    trace = StepTrace(whole_step())
    assert milliseconds(trace, "", is_backward=True) == (11, 22)
    assert milliseconds(trace, "features", is_backward=True) == (15, 21)
    assert milliseconds(trace, "features.1", is_backward=True) == (15, 17)
    assert trace.spans["features", 0, True].enter == 16
    assert trace.spans["features", 0, True].first == 15


def test_that_a_gradient_that_is_accumulated_after_its_module_was_left_counts_for_it():
    assert milliseconds(StepTrace(whole_step()), "head", is_backward=True) == (11, 14)


def test_that_spans_know_what_they_are_inside_of():
    trace = StepTrace(whole_step())
    for is_backward in (False, True):
        assert parent_of(trace, "", is_backward=is_backward) is None
        assert parent_of(trace, "features.0", is_backward=is_backward) == "features"
        assert parent_of(trace, "head", is_backward=is_backward) == ""
        assert trace.spans["features", 0, is_backward].has_inner
        assert not trace.spans["head", 0, is_backward].has_inner


def test_that_outer_spans_come_before_those_inside_them():
    trace = StepTrace(whole_step())
    order = list(trace.spans.values())
    assert all(span.parent is None or order.index(span.parent) < order.index(span) for span in order)


def test_that_events_one_by_one_give_the_same_as_all_at_once():
    events = whole_step()
    grown = StepTrace(events[:1])
    for event in events[1:]:
        grown.extend([event])
    whole = StepTrace(events)
    assert list(grown.spans) == list(whole.spans)
    for key, span in whole.spans.items():
        other = grown.spans[key]
        assert (other.first, other.last, other.enter, other.leave) == (span.first, span.last, span.enter, span.leave)
        assert (other.begin_s, other.end_s) == (span.begin_s, span.end_s)


def test_that_a_call_that_has_not_returned_goes_on_until_now():
    trace = StepTrace(whole_step()[:4])
    assert milliseconds(trace, "features") == (1, 3)
    assert milliseconds(trace, "features.0") == (2, 3)
    assert not trace.is_forward_over


def test_that_calls_of_a_shared_module_are_apart():
    told = [(ENTER, ""), (ENTER, "m"), (LEAVE, "m"), (ENTER, "m", 1), (LEAVE, "m", 1), (LEAVE, ""), (LOSS, "")]
    told += [(BACK, "m", 1), (BACK, ""), (DONE, "m", 1), (BACK, "m"), (DONE, "m"), (DONE, "")]
    trace = StepTrace(events_of(*told))
    assert milliseconds(trace, "m", 1, is_backward=True) == (7, 9)
    assert milliseconds(trace, "m", 0, is_backward=True) == (10, 11)


def test_that_a_step_that_is_traced_from_within_is_nested_by_its_paths():
    trace = StepTrace(
        events_of((LEAVE, "features.0"), (ENTER, "features.1"), (LEAVE, "features.1"), (LEAVE, "features"))
    )
    assert parent_of(trace, "features.1") is None
    trace = StepTrace(events_of((LEAVE, "features"), (BACK, "features.1"), (DONE, "features.1")))
    assert parent_of(trace, "features.1", is_backward=True) == "features"


def test_that_a_module_that_runs_again_during_backward_is_inside_of_the_root():
    told = [*FORWARD, (BACK, ""), (ENTER, "features", 1), (LEAVE, "features", 1), (BACK, "features", 1)]
    trace = StepTrace(events_of(*told, (DONE, "features", 1), (DONE, "")))
    assert parent_of(trace, "features", 1) == ""
    assert parent_of(trace, "features", 1, is_backward=True) == ""


def test_that_the_devices_own_times_and_its_memory_are_used_where_they_are_told():
    trace = StepTrace(on_device(whole_step()))
    assert trace.is_device_timed
    assert milliseconds(trace, "features") == (2, 12)
    assert trace.has_memory
    assert trace.spans["features", 0, False].allocated_bytes == 500
    on_cpu = StepTrace(whole_step())
    assert not on_cpu.is_device_timed
    assert not on_cpu.has_memory


# -- what has yet to come ----------------------------------------------------------------------------------------------

LEAVES = ("features.0", "features.1", "head")


def test_that_nothing_is_to_come_without_events():
    assert forecast(StepTrace(), None, LEAVES) == ()


def test_that_in_the_first_step_modules_follow_in_their_order_and_backward_returns_the_other_way():
    trace = StepTrace(whole_step()[:5])
    coming = forecast(trace, None, LEAVES)
    assert [(one.key, one.is_pending) for one in coming] == [
        (("head", 0, False), False),
        (("features.0", 0, True), True),
    ]
    assert [round(1000 * one.begin_s) for one in coming] == [4, 5]
    assert round(1000 * coming[1].end_s) == 7


def test_that_after_forward_nothing_that_was_not_called_is_expected():
    coming = forecast(StepTrace(whole_step()[:15]), None, (*LEAVES, "unused"))
    assert [one.key for one in coming] == [("features.1", 0, True), ("features.0", 0, True)]


def test_that_a_later_step_is_expected_to_be_like_a_former_one_from_where_it_stands():
    former = StepTrace(whole_step())
    trace = StepTrace(whole_step(0.002)[:17])  # stopped where backward enters `features`, after 32 ms instead of 16
    coming = forecast(trace, former, ())
    assert [(one.key, one.is_pending) for one in coming] == [(("features.0", 0, True), True)]
    assert (round(1000 * coming[0].begin_s), round(1000 * coming[0].end_s)) == (34, 36)


def test_that_backward_is_pending_only_where_forward_is_done():
    former = StepTrace(whole_step())
    states = {one.key: one.is_pending for one in forecast(StepTrace(whole_step()[:5]), former, ())}
    assert states["head", 0, False] is False
    assert states["features.0", 0, True] is True
    assert states["head", 0, True] is False


# -- where the time goes -----------------------------------------------------------------------------------------------


def test_that_the_flame_adds_up_forward_and_backward_under_each_caller():
    nodes = {node.path: node for node in flame_of(StepTrace(whole_step()))}
    times = {path: (round(1000 * n.forward_s), round(1000 * n.backward_s)) for path, n in nodes.items()}
    assert times == {"": (9, 11), "features": (5, 6), "features.0": (1, 2), "features.1": (1, 2), "head": (1, 3)}
    assert round(1000 * nodes["features"].own_s) == 5
    assert nodes["features.0"].depth == 2


def test_that_bars_of_the_flame_lie_inside_their_callers_and_side_by_side():
    nodes = flame_of(StepTrace(whole_step()))
    by_path = {node.path: node for node in nodes}
    assert (by_path[""].left, by_path[""].width) == (0.0, 1.0)
    assert by_path["features"].width == pytest.approx(11 / 20)
    assert by_path["head"].left == pytest.approx(11 / 20)
    for node in nodes:
        if node.parent >= 0:
            outer = nodes[node.parent]
            assert outer.left - 1e-9 <= node.left
            assert node.left + node.width <= outer.left + outer.width + 1e-9


def test_that_calls_are_counted_and_memory_is_that_of_forward():
    told = [(ENTER, ""), (ENTER, "m"), (LEAVE, "m"), (ENTER, "m", 1), (LEAVE, "m", 1), (LEAVE, "")]
    nodes = {node.path: node for node in flame_of(StepTrace(on_device(events_of(*told))))}
    assert (nodes["m"].calls, nodes["m"].allocated_bytes) == (2, 200)
    assert nodes[""].allocated_bytes == 500


def test_that_a_step_without_events_has_no_flame():
    assert flame_of(StepTrace()) == ()


# -- rows and pixels ---------------------------------------------------------------------------------------------------


def test_that_closed_containers_are_one_row_and_the_root_has_none():
    tree = LaneTree(StepTrace(whole_step()))
    assert [row.path for row in tree.shown(())] == ["features", "head"]
    rows = tree.shown({"features"})
    assert [(row.path, row.depth) for row in rows] == [
        ("features", 0),
        ("features.0", 1),
        ("features.1", 1),
        ("head", 0),
    ]
    assert [span.is_backward for span in tree.rows["features"].spans] == [False, True]


def test_that_a_model_of_one_module_has_its_row():
    tree = LaneTree(StepTrace(events_of((ENTER, ""), (LEAVE, ""), (LOSS, ""), (BACK, ""), (GRADIENT, ""))))
    assert [row.path for row in tree.shown(())] == [""]


def test_that_containers_are_opened_from_the_outside_as_long_as_the_rows_stay_few():
    tree = LaneTree(StepTrace(whole_step()))
    assert tree.opened_within(3) == set()
    assert tree.opened_within(4) == {"features"}


def test_that_what_has_yet_to_come_has_rows_too():
    trace = StepTrace(whole_step()[:3])
    tree = LaneTree(trace, forecast(trace, StepTrace(whole_step()), ()))
    assert [row.path for row in tree.shown({"features"})] == ["features", "features.0", "features.1", "head"]
    assert tree.rows["head"].spans == []
    assert len(tree.rows["head"].coming) == 2


def test_that_a_module_in_a_closed_container_is_found_at_the_containers_row():
    tree = LaneTree(StepTrace(whole_step()))
    assert tree.shown_around("features.1", tree.shown(())) == "features"
    assert tree.shown_around("features.1", tree.shown({"features"})) == "features.1"
    assert tree.shown_around("elsewhere", tree.shown(())) is None


def test_that_spans_are_timed_by_pass():
    timed = LaneTree(StepTrace(whole_step())).timed(LaneTree(StepTrace(whole_step())).rows["head"], is_backward=True)
    assert (timed.begin_s.round(3).tolist(), timed.end_s.round(3).tolist()) == ([0.011], [0.014])


def test_that_bars_are_where_their_times_are_and_never_too_narrow_to_be_seen():
    bars = pixel_bars(np.array([0.0, 5.0]), np.array([2.0, 5.001]), 0.0, 10.0, 100, 2.0)
    assert (bars.left.tolist(), bars.width.tolist(), bars.index.tolist()) == ([0.0, 50.0], [20.0, 2.0], [0, 1])


def test_that_bars_out_of_sight_are_left_out_and_long_ones_cut():
    bars = pixel_bars(np.array([0.0, 3.0, 9.0]), np.array([1.0, 8.0, 9.5]), 4.0, 6.0, 100, 2.0)
    assert bars.index.tolist() == [1]
    assert (bars.left.tolist(), bars.width.tolist()) == ([-2.0], [104.0])


def test_that_of_many_bars_in_one_pixel_one_is_drawn():
    begin_s = np.arange(10_000) / 10_000
    bars = pixel_bars(begin_s, begin_s + 1e-5, 0.0, 1.0, 100, 2.0)
    assert len(bars.index) == 100
    assert bars.index[:3].tolist() == [0, 100, 200]


def test_that_backward_without_a_forward_is_nothing_special():
    assert list(StepTrace(events_of(*BACKWARD)).spans) == [
        ("head", 0, True),
        ("", 0, True),
        ("features.1", 0, True),
        ("features", 0, True),
        ("features.0", 0, True),
    ]
