"""Series, overviews, exports and long views, through the debuggee's front door."""

import json
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch

from hookscope.engine.capture.buffers import BufferPool
from hookscope.engine.capture.captures import Capture, CaptureStore
from hookscope.engine.code.call_stack import VariableStore
from hookscope.engine.outbox import Outbox
from hookscope.engine.series.series_recorder import SeriesRecorder
from hookscope.engine.specs import spec_of
from hookscope.engine.view_server import ViewServer
from hookscope.protocol import commands, events
from hookscope.protocol.channel import MemoryChannel, memory_channels
from hookscope.protocol.exports import ExportEnd
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.series import ElementAt, Gap, Series, Statistic, StatisticOf, UpdateRatio
from hookscope.protocol.views import (
    CurveRequest,
    HistogramRequest,
    NoPicture,
    NoPictureReason,
    Statistics,
    StatisticsRequest,
    ValueRequest,
    ViewRequest,
)
from hookscope.protocol.wire import decode_event
from tests.engine.driving import Driver, driving

LAYER_OUT = TensorRef("layer", Slot.OUTPUT, "out")
WEIGHT = TensorRef("layer", Slot.PARAMETER, "weight")

MODEL = """
import torch
import hookscope

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 1, bias=False)
        torch.nn.init.ones_(self.layer.weight)

    def forward(self, x):
        return self.layer(x)

def workload():
    model = Net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.25)
    return hookscope.Workload(model, torch.tensor([[3.0, 4.0]]), optimizer=optimizer)
"""
"""The output is 7 in the first step; each step takes a quarter of the input, [0.75, 1], from the weight, [1, 1]."""


@pytest.fixture
def driver(tmp_path: Path) -> Iterator[Driver]:
    file = tmp_path / "net.py"
    file.write_text(MODEL)
    with driving() as driver:
        driver.load(f"{file}:workload")
        driver.check("layer")
        yield driver


def step(driver: Driver, count: int = 1) -> None:
    driver.send(commands.RunSteps(count))
    driver.expect(events.RunFinished)


def test_that_a_search_for_non_finite_values_runs_steps_that_count(driver: Driver) -> None:
    driver.send(commands.SetSeries((Series(1, LAYER_OUT, StatisticOf(Statistic.MAXIMUM)),)))
    driver.send(commands.FindNonFinite(2))
    points: dict[int, tuple[float, ...]] = {}
    while len(points) < 2:
        told = driver.expect(events.SeriesPoints)
        assert isinstance(told, events.SeriesPoints)
        points |= {point.step: point.values for point in told.points}
    assert points == {1: (7.0,), 2: (0.75,)}
    assert [(finished.step, finished.loss) for finished in driver.finished] == [(1, 7.0), (2, 0.75)]


def test_that_series_have_a_point_for_every_step(driver: Driver) -> None:
    series = (
        Series(1, LAYER_OUT, StatisticOf(Statistic.MAXIMUM)),
        Series(2, WEIGHT, ElementAt((0, 1))),
        Series(3, WEIGHT, UpdateRatio()),
        Series(4, WEIGHT, ElementAt((5, 5))),
        Series(5, TensorRef("other", Slot.OUTPUT, "out")),
    )
    driver.send(commands.SetSeries(series))
    driver.send(commands.RunSteps(2))
    points: list[object] = []
    while len(points) < 9:
        told = driver.expect(events.SeriesPoints)
        assert isinstance(told, events.SeriesPoints)
        points += told.points
    found = {(point.id, point.step): (point.values, point.gap) for point in points}  # type: ignore[attr-defined]
    assert found == {
        (1, 1): ((7.0,), None),
        (1, 2): ((0.75,), None),  # 7 - 0.25 * (9 + 16)
        (2, 1): ((1.0,), None),
        (2, 2): ((0.0,), None),
        (3, 1): ((pytest.approx(1.25 / np.sqrt(2)),), None),
        (4, 1): ((), Gap.NO_ELEMENT),
        (4, 2): ((), Gap.NO_ELEMENT),
        (5, 1): ((), Gap.NOT_CAPTURED),
        (5, 2): ((), Gap.NOT_CAPTURED),
    }


def test_that_an_overview_has_every_checked_module(driver: Driver) -> None:
    driver.send(commands.RequestOverview())
    nothing = driver.expect(events.OverviewReady)
    assert nothing == events.OverviewReady(0, ())
    driver.check("", "layer")
    step(driver, 2)
    driver.send(commands.RequestOverview())
    overview = driver.expect(events.OverviewReady)
    assert isinstance(overview, events.OverviewReady)
    assert overview.step == 2
    assert {layer.path for layer in overview.layers} == {"", "layer"}
    layer = next(layer for layer in overview.layers if layer.path == "layer")
    assert layer.output is not None
    assert layer.output.norm == 0.75
    assert layer.parameter_grads is not None
    assert layer.parameter_grads.norm == 5.0
    assert layer.update == pytest.approx(1.25 / np.sqrt(2))


def test_that_a_step_is_exported_by_the_debuggee(driver: Driver, tmp_path: Path) -> None:
    step(driver)
    driver.send(commands.ExportStep(3, str(tmp_path / "out")))
    exported = driver.expect(events.Exported)
    assert isinstance(exported, events.Exported)
    assert (exported.number, exported.end) == (3, ExportEnd.WRITTEN)
    index = json.loads((tmp_path / "out" / "index.json").read_text())
    weight = next(entry for entry in index["tensors"] if entry["slot"] == "parameter")
    np.testing.assert_array_equal(np.load(tmp_path / "out" / weight["file"]), [[1.0, 1.0]])


HUGE = TensorRef("", Slot.OUTPUT, "out")
"""10,000 times 10,000 ones, of which there is only one in memory."""
ENORMOUS = TensorRef("", Slot.OUTPUT, "out.enormous")
"""2 * 10^9 ones."""
SMALL = TensorRef("", Slot.INPUT, "args.0")


@pytest.fixture
def views() -> Iterator[tuple[ViewServer, MemoryChannel]]:
    store = CaptureStore(BufferPool(2**20))
    store.begin_step(1)
    for ref, tensor in (
        (HUGE, torch.ones(1).expand(10_000, 10_000)),
        (ENORMOUS, torch.ones(1).expand(40_000, 50_000)),
        (SMALL, torch.tensor([5.0])),
    ):
        capture = Capture(ref, 1, 0, spec_of(tensor))
        capture.live = tensor
        store.add(capture)
    here, there = memory_channels()
    outbox = Outbox(there)
    series = SeriesRecorder(store, outbox.post)
    server = ViewServer(store, VariableStore(), series, outbox)
    yield server, here
    for part in (server, series, outbox):
        part.close()


def answers(channel: MemoryChannel, panel: str) -> list[events.Event]:
    """Return what is told until a panel has its answer."""
    told = [decode_event(channel.receive())]
    while not (isinstance(told[-1], events.ViewReady) and told[-1].panel == panel):
        told.append(decode_event(channel.receive()))
    return told


def test_that_a_long_view_tells_how_far_it_is_and_lets_others_pass(views: tuple[ViewServer, MemoryChannel]) -> None:
    server, channel = views
    server.request(commands.RequestView("long", 1, HUGE, StatisticsRequest()))
    first = decode_event(channel.receive())
    assert isinstance(first, events.ViewProgress)
    assert (first.panel, first.number, first.total) == ("long", 1, 100_000_000)
    assert 0 < first.done < first.total
    server.request(commands.RequestView("short", 1, SMALL, ValueRequest((0,))))
    told = answers(channel, "long")
    assert [event.panel for event in told if isinstance(event, events.ViewReady)] == ["short", "long"]
    result = told[-1].result  # type: ignore[union-attr]
    assert isinstance(result, Statistics)
    assert (result.count, result.positive, result.mean) == (100_000_000, 100_000_000, 1.0)


@pytest.mark.parametrize(
    "request_",
    [StatisticsRequest(), HistogramRequest(exact=True), CurveRequest(exact=True)],
    ids=lambda request: type(request).__name__,
)
def test_that_a_long_view_can_be_given_up(views: tuple[ViewServer, MemoryChannel], request_: ViewRequest) -> None:
    server, channel = views
    server.request(commands.RequestView("long", 7, ENORMOUS, request_))
    assert isinstance(decode_event(channel.receive()), events.ViewProgress)
    server.cancel(commands.CancelView("long", 7))
    told = answers(channel, "long")
    assert told[-1].result == NoPicture(NoPictureReason.CANCELLED)  # type: ignore[union-attr]
    server.request(commands.RequestView("long", 8, SMALL, StatisticsRequest()))
    assert isinstance(answers(channel, "long")[-1].result, Statistics)  # type: ignore[union-attr]


def test_that_giving_up_comes_too_late_for_a_view_that_is_done(views: tuple[ViewServer, MemoryChannel]) -> None:
    server, channel = views
    request = commands.RequestView("panel", 1, SMALL, StatisticsRequest())
    server.request(request)
    assert isinstance(answers(channel, "panel")[-1].result, Statistics)  # type: ignore[union-attr]
    server.cancel(commands.CancelView("panel", 1))
    server.request(request)
    assert isinstance(answers(channel, "panel")[-1].result, Statistics)  # type: ignore[union-attr]


def test_that_a_server_ends_in_the_middle_of_a_long_view(views: tuple[ViewServer, MemoryChannel]) -> None:
    server, channel = views
    server.request(commands.RequestView("long", 1, HUGE, StatisticsRequest()))
    assert isinstance(decode_event(channel.receive()), events.ViewProgress)
    server.close()
    assert "hookscope-views" not in {thread.name for thread in threading.enumerate()}
