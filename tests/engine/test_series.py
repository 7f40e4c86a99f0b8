"""Series and overviews of real captures: exact numbers, and a gap with its reason wherever there is no number."""

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pytest
import torch
from torch import nn

from hookscope.engine.capture.buffers import BufferPool
from hookscope.engine.capture.capture_writer import CaptureWriter
from hookscope.engine.capture.captures import CaptureStore
from hookscope.engine.capture.recorder import Recorder
from hookscope.engine.pause import Gate
from hookscope.engine.series.numbers import NoNumbersError, element_of, magnitude_of, update_of
from hookscope.engine.series.overview import overview_of
from hookscope.engine.series.series_recorder import SeriesRecorder
from hookscope.protocol.events import SeriesPoints
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.series import (
    Distribution,
    ElementAt,
    Gap,
    Magnitude,
    Series,
    SeriesPoint,
    Statistic,
    StatisticOf,
    UpdateRatio,
)
from tests.engine.observing import linear

OUT = TensorRef("", Slot.OUTPUT, "out")
WEIGHT = TensorRef("", Slot.PARAMETER, "weight")
NAN, INF = math.nan, math.inf


@dataclass
class Bench:
    """A model under the real recorder, and a series recorder that looks at what it keeps."""

    model: nn.Module
    store: CaptureStore = field(default_factory=lambda: CaptureStore(BufferPool(2**30)))
    told: list[SeriesPoints] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.recorder = Recorder(CaptureWriter(self.store, lambda capture: None), Gate())
        self.recorder.watch(dict(self.model.named_modules()))
        self.series = SeriesRecorder(self.store, self.told.append)
        self.step = 0

    def run(self, inputs: torch.Tensor, update: Callable[[], None] | None = None, *, is_told: bool = True) -> None:
        self.step += 1
        self.recorder.begin_step(self.step)
        output = self.model(inputs)
        output.sum().backward()
        self.recorder.complete_step()
        self.recorder.end_step()
        if update is not None:
            self.store.keep_parameters()
            with torch.no_grad():
                update()
        self.model.zero_grad()
        if is_told:
            self.series.step_finished(self.step)
        while self.series.is_behind:  # else a slow machine would leave gaps
            time.sleep(0.001)

    def points(self, count: int) -> list[SeriesPoint]:
        """Wait for so many points, and return them."""
        while sum(len(told.points) for told in self.told) < count:
            assert self.series._thread is not None
            self.series._thread.join(0.001)
            assert self.series._thread.is_alive()
        return [point for told in self.told for point in told.points]


@pytest.fixture
def make() -> Iterator[Callable[[nn.Module], Bench]]:
    made: list[Bench] = []

    def bench(model: nn.Module) -> Bench:
        made.append(Bench(model))
        return made[-1]

    yield bench
    for one in made:
        one.series.close()
        one.recorder.watch({})


def test_that_every_statistic_of_every_step_is_told_exactly(make):
    bench = make(linear([[1.0, 0.0], [0.0, 1.0]]))
    bench.series.set(tuple(Series(n, OUT, StatisticOf(one)) for n, one in enumerate(Statistic)))
    bench.run(torch.tensor([[3.0, 0.0], [0.0, -4.0]]))
    bench.run(torch.tensor([[NAN, 2.0], [INF, 0.0]]))
    points = bench.points(2 * len(Statistic))
    assert [(point.step, point.id) for point in points] == [(step, n) for step in (1, 2) for n in range(len(Statistic))]
    told = {(point.step, list(Statistic)[point.id]): point for point in points}
    first = {one: told[1, one].values[0] for one in Statistic}
    assert first == {
        Statistic.MINIMUM: -4.0,
        Statistic.MAXIMUM: 3.0,
        Statistic.MEAN: -0.25,
        Statistic.STD: pytest.approx(math.sqrt((3.25**2 + 2 * 0.25**2 + 3.75**2) / 4)),
        Statistic.NORM: 5.0,
        Statistic.ZEROS: 0.5,
        Statistic.NON_FINITE: 0.0,
    }
    # Not a number times zero is none either: only the second column of the second row would be finite, and is not.
    assert told[2, Statistic.NON_FINITE].values == (4.0,)
    assert [told[2, one].non_finite for one in Statistic] == [4] * len(Statistic)
    assert told[2, Statistic.NORM].values == ()


def test_that_statistics_are_of_the_finite_values(make):
    bench = make(nn.Identity())
    bench.series.set((Series(1, OUT), Series(2, OUT, Distribution())))
    bench.run(torch.tensor([3.0, NAN, 4.0, INF], requires_grad=True))
    norm, distribution = bench.points(2)
    assert (norm.values, norm.non_finite) == ((5.0,), 2)
    assert distribution.values == pytest.approx((3.0, 3.05, 3.25, 3.5, 3.75, 3.95, 4.0))
    assert distribution.non_finite == 2


def test_that_one_element_is_followed_and_one_that_is_not_there_is_a_gap(make):
    bench = make(nn.Identity())
    bench.series.set((Series(1, OUT, ElementAt((1, 2))), Series(2, OUT, ElementAt((0,)))))
    bench.run(torch.arange(6.0, requires_grad=True).reshape(2, 3))
    bench.run(torch.arange(4.0, requires_grad=True).reshape(2, 2))
    bench.run(torch.full((2, 3), -INF, requires_grad=True))
    points = [point for point in bench.points(6) if point.id == 1]
    assert points == [
        SeriesPoint(1, 1, (5.0,)),
        SeriesPoint(1, 2, gap=Gap.NO_ELEMENT),
        SeriesPoint(1, 3, (), 1),
    ]
    assert {point.gap for point in bench.points(6) if point.id == 2} == {Gap.NO_ELEMENT}


def test_that_an_update_is_told_of_the_step_that_made_it(make):
    layer = linear([[3.0, 0.0], [0.0, 4.0]])
    bench = make(layer)
    bench.series.set((Series(7, WEIGHT, UpdateRatio()),))
    inputs = torch.ones(1, 2)
    bench.run(inputs, lambda: layer.weight.add_(0.5))
    bench.run(inputs)
    bench.run(inputs, lambda: layer.weight.mul_(NAN))
    bench.run(inputs)
    points = bench.points(3)
    assert [(point.id, point.step) for point in points] == [(7, 1), (7, 2), (7, 3)]
    assert points[0].values == pytest.approx((1.0 / 5.0,))  # the norm of four halves, over that of 3 and 4
    assert points[1].values == (0.0,)
    assert (points[2].values, points[2].non_finite) == ((), 4)


def test_that_an_update_begins_with_the_step_since_which_it_is_followed_or_one_that_is_still_known(make):
    bench = make(linear([[1.0]]))
    bench.recorder.watch({})
    inputs = torch.ones(1, 1)
    bench.run(inputs)
    bench.series.set((Series(1, WEIGHT, UpdateRatio()),))
    bench.recorder.watch(dict(bench.model.named_modules()))
    for _ in range(3):
        bench.run(inputs)
    bench.series.set((Series(2, WEIGHT, UpdateRatio()),))
    bench.run(inputs)
    assert [(point.id, point.step, point.gap) for point in bench.points(3)] == [
        (1, 2, None),
        (1, 3, None),
        (2, 4, None),
    ]


def test_that_a_tensor_that_is_not_captured_is_a_gap(make):
    bench = make(nn.Identity())
    bench.series.set(
        (
            Series(1, TensorRef("nowhere", Slot.OUTPUT, "out")),
            Series(2, TensorRef("", Slot.PARAMETER, "weight"), UpdateRatio()),
        )
    )
    inputs = torch.ones(2, requires_grad=True)
    bench.run(inputs)
    bench.run(inputs)
    assert bench.points(3) == [
        SeriesPoint(1, 1, gap=Gap.NOT_CAPTURED),
        SeriesPoint(1, 2, gap=Gap.NOT_CAPTURED),
        SeriesPoint(2, 1, gap=Gap.NOT_CAPTURED),
    ]


def test_that_a_step_that_has_left_before_it_was_looked_at_is_a_gap_of_its_own(make):
    bench = make(nn.Identity())
    inputs = torch.ones(2, requires_grad=True)
    for _ in range(12):
        bench.run(inputs, is_told=False)
    bench.series.set((Series(1, OUT),))
    bench.series.step_finished(1)
    bench.series.step_finished(12)
    assert bench.points(2) == [SeriesPoint(1, 1, gap=Gap.NOT_IN_TIME), SeriesPoint(1, 12, (math.sqrt(2),))]


def test_that_no_step_is_left_out_and_another_set_holds_from_the_next_step_on(make):
    bench = make(nn.Identity())
    inputs = torch.ones(4, requires_grad=True)
    bench.series.set((Series(1, OUT),))
    for _ in range(50):
        bench.run(inputs)
    bench.series.set((Series(2, OUT),))
    bench.run(inputs)
    points = bench.points(51)
    assert [(point.id, point.step) for point in points] == [*((1, step) for step in range(1, 51)), (2, 51)]
    assert all(told.points for told in bench.told)


def test_that_closing_ends_the_thread_whether_there_was_one_or_not(make):
    bench = make(nn.Identity())
    bench.series.close()
    with_thread = make(nn.Identity())
    with_thread.series.set((Series(1, OUT),))
    with_thread.series.close()
    with_thread.run(torch.ones(1, requires_grad=True))
    assert not with_thread.told


class Chain(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = linear([[3.0, 0.0], [0.0, 4.0]])
        self.relu = nn.ReLU()
        self.last = linear([[1.0, 1.0]])

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.last(self.relu(self.first(x)))


def test_that_an_overview_has_the_layers_in_forward_order_with_exact_magnitudes(make):
    model = Chain()
    bench = make(model)
    inputs = torch.tensor([[1.0, -1.0]])
    bench.run(inputs, lambda: model.first.weight.add_(0.5))
    bench.run(inputs)
    assert (bench.series.newest, bench.series.former_of(2), bench.series.former_of(1)) == (2, 1, 0)
    layers = overview_of(bench.store, 2, 1)
    assert [layer.path for layer in layers] == ["first", "relu", "last", ""]
    first, relu, last, root = layers
    assert first.output == Magnitude(math.hypot(3.0, -4.0), 2)
    assert first.grad_output == Magnitude(1.0, 2)
    assert first.parameters == Magnitude(pytest.approx(math.hypot(3.5, 0.5, 0.5, 4.5)), 4)
    assert first.parameter_grads == Magnitude(pytest.approx(math.sqrt(2)), 4)
    assert first.update == pytest.approx(1.0 / 5.0)
    assert relu.output == Magnitude(3.0, 2)
    assert (relu.parameters, relu.update) == (None, None)
    assert last.update == 0.0
    assert root.output == Magnitude(3.0, 1)
    assert overview_of(bench.store, 99, 1) == ()
    assert [layer.update for layer in overview_of(bench.store, 1, 0)] == [None] * 4


def test_that_a_module_that_is_called_twice_is_one_layer(make):
    class Twice(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = linear([[2.0]])

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.layer(self.layer(x))

    bench = make(Twice())
    bench.run(torch.tensor([[1.0]]))
    layer = next(one for one in overview_of(bench.store, 1, 0) if one.path == "layer")
    assert layer.output == Magnitude(math.hypot(2.0, 4.0), 2)
    assert layer.grad_output == Magnitude(math.hypot(2.0, 1.0), 2)


@pytest.mark.parametrize(
    ("values", "norm", "non_finite"),
    [
        (torch.tensor([3.0, 4.0], dtype=torch.bfloat16), 5.0, 0),
        (torch.tensor([3, 4], dtype=torch.int64), 5.0, 0),
        (torch.tensor([3 + 4j, 0]), 5.0, 0),
        (torch.tensor([True, False, True, True, True]), 2.0, 0),
        (torch.tensor([3e38, 4e38 / 2]), math.hypot(3e38, 2e38), 0),
        (torch.tensor([3e-30, 4e-30]), 5e-30, 0),
        (torch.tensor([3e200, 4e200], dtype=torch.float64), 5e200, 0),
        (torch.tensor([NAN, 3.0, -INF, 4.0]), 5.0, 2),
        (torch.zeros(3), 0.0, 0),
        (torch.empty(0, 3), 0.0, 0),
        (torch.ones(100_003), math.sqrt(100_003), 0),
        (torch.ones(300, 400).t(), math.sqrt(120_000), 0),
        (torch.tensor([3.0, 4.0]).to(torch.float8_e4m3fn), 5.0, 0),
        (torch.tensor([[3.0, 0.0], [0.0, 4.0]]).to_sparse(), 5.0, 0),
    ],
    ids=[
        "bfloat16",
        "int64",
        "complex",
        "bool",
        "squares beyond float32",
        "squares below float32",
        "squares beyond float64",
        "not finite",
        "zero",
        "empty",
        "more than a run",
        "not contiguous",
        "float8",
        "sparse",
    ],
)
def test_that_the_size_of_any_tensor_is_that_of_its_finite_values(values, norm, non_finite):
    found = magnitude_of([values])
    assert found is not None
    assert found.norm == pytest.approx(norm, rel=1e-6)
    assert (found.count, found.non_finite) == (values.numel(), non_finite)


def test_that_what_has_no_values_has_no_size_and_no_update():
    meta = torch.ones(2, device="meta")
    assert magnitude_of([]) is None
    assert magnitude_of([meta]) is None
    for pairs in ([], [(meta, meta)], [(torch.ones(2), torch.ones(3))]):
        with pytest.raises(NoNumbersError):
            update_of(pairs)
    with pytest.raises(NoNumbersError):
        element_of(meta, (0,))


def test_that_an_update_is_of_what_is_finite_and_needs_something_to_compare_with():
    ones = torch.ones(4)
    assert update_of([(ones, torch.tensor([1.0, 1.0, 1.0, NAN]))]) == (0.0, 1)
    assert update_of([(torch.zeros(2), torch.ones(2))]) == (None, 0)
    assert update_of([(ones.half(), ones.half() + 1)]) == (1.0, 0)
    assert update_of([(3 * ones, 3 * ones), (torch.ones(2, 2), torch.ones(2, 2) * 4)]) == (1.0 * 6 / math.sqrt(40), 0)
    both = [(torch.tensor([3 + 4j]), torch.tensor([0j]))]
    assert update_of(both) == (1.0, 0)
