"""All layers side by side: what is listed, the axis, and which layers stand out."""

import math
import random

import pytest

from hookscope.figures.flow_words import MEASURES, word_flow, word_row, word_value, word_verdict
from hookscope.figures.gradient_flow import BOUNDS, Flow, FlowRow, Measure, Verdict, flow_of
from hookscope.protocol.identity import Slot
from hookscope.protocol.series import Layer, Magnitude
from hookscope.protocol.tensors import Badge, BadgeKind


def layers(*norms: float, count: int = 4) -> list[Layer]:
    """Make layers with these norms of grad_output, the last one nearest to the loss."""
    return [Layer(f"l{number}", number, grad_output=Magnitude(norm, count)) for number, norm in enumerate(norms)]


def verdicts(*norms: float) -> list[Verdict]:
    flow = flow_of(layers(*norms), Measure.GRAD_OUTPUT, by_element=False, containers=False)
    return [row.verdict for row in flow.rows]


def test_that_gradients_that_grow_towards_the_input_explode_there_and_vanish_nowhere() -> None:
    norms = [1000 / 3**number for number in range(14)]
    found = verdicts(*norms)
    middle = (norms[6] + norms[7]) / 2
    assert [verdict is Verdict.EXPLODING for verdict in found] == [norm > 100 * middle for norm in norms]
    assert found[0] is Verdict.EXPLODING
    assert Verdict.VANISHING not in found


def test_that_gradients_that_shrink_towards_the_input_vanish_there_and_explode_nowhere() -> None:
    found = verdicts(*(10.0 ** (number - 12) for number in range(12)))
    assert found[0] is found[4] is Verdict.VANISHING
    assert Verdict.EXPLODING not in found


def test_that_a_healthy_network_has_nothing_that_stands_out() -> None:
    numbers = random.Random(0)
    assert set(verdicts(*(10 ** numbers.uniform(-1.2, 0.3) for _ in range(60)))) == {Verdict.FINE}


@pytest.mark.parametrize(
    ("norms", "verdict"),
    [
        ((0.0, 1.0), Verdict.ZERO),
        ((2e6, 1.0), Verdict.EXPLODING),
        ((9e-8, 1.0), Verdict.VANISHING),
        ((1e-5, 1.0, 1.0), Verdict.FINE),  # of so few layers the median says nothing
        ((1e-5, 1.0, 1.0, 1.0), Verdict.VANISHING),
        ((0.9, 1e-3, 1e-3, 1e-3), Verdict.FINE),  # far above the others, but no large gradient
        ((1.1, 1e-3, 1e-3, 1e-3), Verdict.EXPLODING),
        ((1e5, 1e5, 1e5, 1e5), Verdict.FINE),  # a loss that is scaled
        ((1e-5, 0.0, 0.0, 1.0, 1.0, 1.0), Verdict.VANISHING),  # zeros are no part of the median
    ],
)
def test_that_the_rule_is_kept(norms: tuple[float, ...], verdict: Verdict) -> None:
    assert verdicts(*norms)[0] is verdict


def test_that_gradients_are_judged_by_norm_and_outputs_by_element_whatever_is_drawn() -> None:
    wide = [Layer(f"l{n}", n, Magnitude(1e5, 10**8), Magnitude(1e-5, 10**8)) for n in range(5)]
    for by_element in (False, True):
        for measure in (Measure.OUTPUT, Measure.GRAD_OUTPUT):
            flow = flow_of(wide, measure, by_element=by_element, containers=False)
            assert {row.verdict for row in flow.rows} == {Verdict.FINE}
            drawn = {Measure.OUTPUT: 1e5, Measure.GRAD_OUTPUT: 1e-5}[measure] / (1e4 if by_element else 1)
            assert flow.rows[0].value == pytest.approx(drawn)
            assert flow.median == pytest.approx(drawn)


def test_that_the_mean_square_is_of_the_finite_elements_and_what_is_not_finite_is_told() -> None:
    bad = [Layer("a", 0, Magnitude(6.0, 6, 2)), Layer("b", 1, Magnitude(0.0, 3, 3))]
    bad.append(Layer("c", 2, grad_output=Magnitude(1.0, 1)))
    flow = flow_of(bad, Measure.OUTPUT, by_element=True, containers=False)
    assert [(row.value, row.non_finite) for row in flow.rows] == [(3.0, 2), (None, 3), (None, 0)]
    assert [word_verdict(row, Measure.OUTPUT) for row in flow.rows] == [
        "2 NaN or infinite",
        "3 NaN or infinite",
        "not captured",
    ]
    assert word_flow(flow) == "3 layers · 2 with NaN or infinities"


def test_that_what_has_no_gradient_says_why_and_counts_as_such() -> None:
    size, lost = Magnitude(1.0, 4), Badge(BadgeKind.NO_GRADIENT_REACHED)
    frozen = {Slot.GRAD_OUTPUT: Badge(BadgeKind.NO_GRAD_MODE)}
    cut = Layer("cut", 0, size, absences={Slot.GRAD_OUTPUT: lost, Slot.PARAMETER_GRAD: lost})
    flow = flow_of(
        [cut, Layer("off", 1, size, absences=frozen), Layer("late", 2, size), Layer("at hand", 3)],
        Measure.GRAD_OUTPUT,
        by_element=False,
        containers=False,
    )
    assert [row.path for row in flow.rows] == ["cut", "off", "late"]  # nothing of these numbers was seen of the last
    assert [row.verdict for row in flow.rows] == [Verdict.UNREACHED, Verdict.FINE, Verdict.FINE]
    told = [word_verdict(row, Measure.GRAD_OUTPUT, is_running=True) for row in flow.rows]
    assert told == ["no gradient reached it", "gradients off", "not reached yet"]
    assert word_verdict(flow.rows[2], Measure.GRAD_OUTPUT) == "not captured"
    assert word_flow(flow) == "3 layers · 1 without a gradient"
    assert word_row(flow.rows[0], Measure.GRAD_OUTPUT, "Net").startswith(
        "cut, –, no gradient reached it. Backward ended"
    )


def test_that_zeros_among_nan_are_not_all_zero() -> None:
    flow = flow_of(
        [Layer("a", 0, Magnitude(0.0, 8, 5)), Layer("b", 1, Magnitude(0.0, 8))],
        Measure.OUTPUT,
        by_element=False,
        containers=False,
    )
    assert [word_verdict(row, Measure.OUTPUT) for row in flow.rows] == ["5 NaN or infinite", "all zero"]
    assert word_flow(flow) == "2 layers · 1 with NaN or infinities · 1 all zero"


def test_that_containers_are_left_out_unless_they_are_wanted_or_have_parameters() -> None:
    one = Magnitude(1.0, 1)
    paths = [Layer(path, order, one, one) for order, path in enumerate(["a.0", "a.1", "a", "b", "head", ""])]
    paths.append(Layer("head.inner", 6, one, one))
    paths[4] = Layer("head", 4, one, one, parameters=one)

    def listed(*, containers: bool, of: list[Layer] = paths) -> list[str]:
        return [row.path for row in flow_of(of, Measure.OUTPUT, by_element=False, containers=containers).rows]

    assert listed(containers=False) == ["a.0", "a.1", "b", "head", "head.inner"]
    assert listed(containers=True) == ["a.0", "a.1", "a", "b", "head", "", "head.inner"]
    assert listed(containers=False, of=paths[2:4]) == ["a", "b"]  # nothing in it is shown
    assert listed(containers=False, of=[paths[5]]) == [""]


def test_that_only_layers_with_parameters_are_listed_where_those_are_compared() -> None:
    one = Magnitude(1.0, 1)
    both = [Layer("linear", 0, one, one, one, one, 0.2), Layer("relu", 1, one, one)]
    for measure in Measure:
        rows = flow_of(both, measure, by_element=False, containers=False).rows
        assert [row.path for row in rows] == (["linear"] if measure.is_of_parameters else ["linear", "relu"])
    update = flow_of(both, Measure.UPDATE, by_element=True, containers=False).rows[0]
    assert (update.value, update.verdict) == (0.2, Verdict.EXPLODING)
    assert word_verdict(update, Measure.UPDATE) == "moves too far"


def test_that_the_axis_has_whole_decades_and_every_bar_some_length() -> None:
    flow = flow_of(layers(1e-3, 0.02, 5.0), Measure.GRAD_OUTPUT, by_element=False, containers=False)
    assert (flow.first_decade, flow.last_decade, flow.median) == (-4, 1, 0.02)
    assert flow.share(1e-3) == pytest.approx(0.2)
    assert (flow.share(0.0), flow.share(1e9)) == (0.0, 1.0)
    assert flow.ticks() == (-4, -3, -2, -1, 0, 1)
    wide = flow_of(layers(1e-30, 1e30), Measure.GRAD_OUTPUT, by_element=False, containers=False)
    assert len(wide.ticks()) <= 8
    same = flow_of(layers(1.0, 1.0), Measure.GRAD_OUTPUT, by_element=False, containers=False)
    assert (same.first_decade, same.last_decade) == (-2, 0)
    for nothing in (flow_of([], Measure.OUTPUT, by_element=False, containers=False), Flow()):
        assert (nothing.rows, nothing.median) == ((), None)
    zero = flow_of(layers(0.0), Measure.GRAD_OUTPUT, by_element=False, containers=False)
    assert (zero.rows[0].verdict, zero.median) == (Verdict.ZERO, None)


def test_that_every_measure_and_verdict_has_words() -> None:
    assert set(MEASURES) == set(Measure) == set(BOUNDS)
    for measure in Measure:
        for verdict in set(Verdict) - {Verdict.FINE}:
            assert word_verdict(FlowRow("a", 1.0, verdict), measure)
        assert not word_verdict(FlowRow("a", 1.0), measure)
    assert word_row(FlowRow("", 0.25, Verdict.VANISHING), Measure.OUTPUT, "Net") == "Net, 0.25, vanishing"
    assert word_value(FlowRow("a", None)) == "–"
    assert not math.isinf(BOUNDS[Measure.GRAD_OUTPUT].factor)
