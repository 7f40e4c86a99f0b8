"""Numbers over the steps and layers side by side over a real session: a real process, real models, real steps."""

import itertools
import time
from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from hookscope.client.state import SessionState
from hookscope.figures.gradient_flow import FlowRow, Measure, Verdict
from hookscope.gui.current import Current
from hookscope.gui.series.dock import SeriesDock
from hookscope.gui.series.following import Following
from hookscope.gui.series.layer_model import Column
from hookscope.gui.series.layers_dock import LayersDock
from hookscope.gui.session_bridge import SessionBridge
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.series import Distribution, ElementAt, Gap, StatisticOf, UpdateRatio
from hookscope.protocol.workload import parse_source

PATIENCE_MS = 60_000


@pytest.fixture
def bridge(qapp: object) -> Iterator[SessionBridge]:
    bridge = SessionBridge()
    yield bridge
    bridge.close()


def opened(bridge: SessionBridge, source: str, qtbot: QtBot) -> None:
    with qtbot.waitSignal(bridge.model_loaded, timeout=PATIENCE_MS):
        bridge.session.open(parse_source(source))
    settled(bridge, qtbot)


def settled(bridge: SessionBridge, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: bridge.session.state is SessionState.IDLE, timeout=PATIENCE_MS)


def run(bridge: SessionBridge, count: int, qtbot: QtBot) -> None:
    bridge.session.run(count)
    settled(bridge, qtbot)


def shown(dock: LayersDock, measure: Measure, qtbot: QtBot) -> dict[str, FlowRow]:
    """Wait for the newest overview and return its rows by path."""
    qtbot.waitUntil(lambda: bool(dock.model.flow.rows) and not dock.is_waiting, timeout=PATIENCE_MS)
    dock.choose(measure)
    return {row.path: row for row in dock.model.flow.rows}


@pytest.fixture
def layers(bridge: SessionBridge, qtbot: QtBot) -> Iterator[LayersDock]:
    dock = LayersDock(bridge, Current(bridge, bridge))
    qtbot.addWidget(dock)
    dock.resize(800, 400)
    dock.show()
    yield dock
    dock.close()


def test_that_exploding_gradients_are_seen_at_once(bridge: SessionBridge, layers: LayersDock, qtbot: QtBot) -> None:
    opened(bridge, "example:broken_exploding", qtbot)
    tree = bridge.session.tree
    assert tree is not None
    bridge.session.check([module.path for module in tree.modules])
    run(bridge, 1, qtbot)
    rows = shown(layers, Measure.GRAD_OUTPUT, qtbot)
    order = ["stem", *(f"blocks.{number}.tanh" for number in range(16)), "head"]
    assert [path for path in rows if path in order] == order
    assert "blocks" not in rows
    norms = [rows[path].value or 0.0 for path in order]
    assert norms[0] > 1000 > 100 * norms[-1]
    assert all(earlier > later for earlier, later in itertools.pairwise(norms[:14]))
    assert rows["stem"].verdict is rows["blocks.0.tanh"].verdict is Verdict.EXPLODING
    assert rows["head"].verdict is rows["blocks.15.tanh"].verdict is Verdict.FINE
    assert layers.model.flow.count(Verdict.VANISHING) == 0
    assert "exploding" in layers.summary
    assert layers.link == ""


def test_that_a_dead_layer_has_only_zeros_above_it(bridge: SessionBridge, layers: LayersDock, qtbot: QtBot) -> None:
    opened(bridge, "example:broken_dead", qtbot)
    bridge.session.check(["conv", "hidden", "relu", "head"])
    run(bridge, 2, qtbot)
    rows = shown(layers, Measure.OUTPUT, qtbot)
    assert {path: row.verdict for path, row in rows.items()} == {
        "conv": Verdict.FINE,
        "hidden": Verdict.FINE,
        "relu": Verdict.ZERO,
        "head": Verdict.FINE,
    }
    zeros = {"conv": Verdict.ZERO, "hidden": Verdict.ZERO, "head": Verdict.FINE}
    assert {path: row.verdict for path, row in shown(layers, Measure.PARAMETER_GRADS, qtbot).items()} == zeros
    # Only the bias of the head has moved: what the step before has done is in this one's parameters.
    assert {path: row.verdict for path, row in shown(layers, Measure.UPDATE, qtbot).items()} == zeros
    assert layers.link.startswith("4 of 6 modules are checked.")


def test_that_a_branch_that_is_cut_off_says_that_no_gradient_reached_it(
    bridge: SessionBridge, layers: LayersDock, qtbot: QtBot
) -> None:
    opened(bridge, "example:broken_detached", qtbot)
    bridge.session.check(["strokes.conv", "outline.conv", "outline.relu", "head"])
    run(bridge, 1, qtbot)
    for measure in (Measure.GRAD_OUTPUT, Measure.PARAMETER_GRADS):
        rows = shown(layers, measure, qtbot)
        assert {path for path, row in rows.items() if row.verdict is Verdict.UNREACHED} == {
            path for path in ("outline.conv", "outline.relu") if path in rows
        }
        row = layers.model.row_of("outline.conv")
        assert layers.model.index(row, Column.VERDICT).data() == "no gradient reached it"
    assert "without a gradient" in layers.summary


def test_that_a_step_that_is_stopped_in_backward_shows_how_far_it_came(
    bridge: SessionBridge, layers: LayersDock, qtbot: QtBot
) -> None:
    opened(bridge, "example:broken_nan", qtbot)
    bridge.session.check(["encoder.0", "encoder.4", "distances"])
    asked = time.monotonic()
    bridge.session.to_non_finite()
    qtbot.waitUntil(lambda: bridge.session.state is SessionState.STOPPED, timeout=PATIENCE_MS)
    before_s = time.monotonic() - asked
    rows = shown(layers, Measure.GRAD_OUTPUT, qtbot)
    assert {path: row.value is not None for path, row in rows.items()} == {
        "encoder.0": False,
        "encoder.4": False,
        "distances": True,
    }
    assert layers.model.index(0, Column.VERDICT).data() == "not reached yet"
    began, held_s = time.monotonic(), 0.4
    qtbot.wait(round(held_s * 1000))
    bridge.session.continue_()
    settled(bridge, qtbot)
    finished = bridge.session.history[-1]
    assert max(finished.duration_s, finished.backward_s) < before_s + time.monotonic() - began - held_s
    assert all(row.non_finite for path, row in shown(layers, Measure.GRAD_OUTPUT, qtbot).items() if path != "distances")


def test_that_numbers_are_followed_over_the_steps_of_a_run(bridge: SessionBridge, qtbot: QtBot) -> None:
    following, session = Following(bridge, bridge), bridge.session
    dock = SeriesDock(bridge, following, Current(bridge, bridge))
    qtbot.addWidget(dock)
    dock.resize(1200, 400)
    dock.show()
    opened(bridge, "example:cnn", qtbot)
    tree = session.tree
    assert tree is not None
    path = next(module.path for module in tree.modules if module.class_name == "Conv2d")
    out, weight = TensorRef(path, Slot.OUTPUT, "out"), TensorRef(path, Slot.PARAMETER, "weight")
    kinds = {
        "norm": (out, StatisticOf()),
        "bands": (out, Distribution()),
        "element": (weight, ElementAt((0, 0, 0, 0))),
        "missing": (weight, ElementAt((99,))),
        "ratio": (weight, UpdateRatio()),
    }
    series = {name: following.follow(*kind) for name, kind in kinds.items()}
    assert session.checked == (path,)
    run(bridge, 6, qtbot)
    norm = following.series[0]
    qtbot.waitUntil(lambda: len(session.series_book.points(norm.id)) == 6, timeout=PATIENCE_MS)
    found = {name: session.series_book.points(one.id) for name, one in series.items() if one is not None}
    for name in ("norm", "bands", "element", "missing"):
        assert [point.step for point in found[name]] == [1, 2, 3, 4, 5, 6]
    assert [point.step for point in found["ratio"]] == [1, 2, 3, 4, 5]
    assert all(point.values[0] > 0 for point in found["norm"])
    assert all(list(point.values) == sorted(point.values) for point in found["bands"])
    assert {point.gap for point in found["missing"]} == {Gap.NO_ELEMENT}
    qtbot.waitUntil(lambda: not dock.is_waiting and len(dock.plots[0].lines.line.x) == 6, timeout=PATIENCE_MS)
    assert dock.plots[3].lines.gaps.tolist() == [[0.5, 6.5]]
    dock.close()
