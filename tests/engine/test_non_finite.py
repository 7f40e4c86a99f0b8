"""Where the first NaN or infinity is born: the producer, not its victims."""

import pytest

from hookscope.protocol import commands, events
from hookscope.protocol.stops import OriginPhase
from tests.engine import non_finite_models
from tests.engine.driving import Driver, driving


@pytest.fixture
def driver():
    with driving() as started:
        yield started


def search(driver: Driver, name: str, steps: int = 1) -> events.NonFiniteSearched:
    driver.load(f"tests.engine.non_finite_models:{name}")
    driver.send(commands.FindNonFinite(steps))
    found = driver.expect(events.NonFiniteSearched)
    driver.expect(events.RunFinished)
    return found


@pytest.mark.parametrize(
    ("name", "phase", "path", "operation", "code"),
    [
        ("forward", OriginPhase.FORWARD, "born", "log:0", "torch.log"),
        ("backward", OriginPhase.BACKWARD, "", "sqrt:0", ".sqrt()"),
        ("masked", OriginPhase.FORWARD, "", "softmax:0", ".softmax(-1)"),
        ("loss", OriginPhase.LOSS, "", "div:0", "zero / zero"),
        ("parameter", OriginPhase.PARAMETER, "1", "bias", ""),
        ("inputs", OriginPhase.INPUT, "", "args.0", ""),
    ],
)
def test_that_the_producer_is_named(driver, name, phase, path, operation, code):
    origin = search(driver, name).origin
    assert (origin.phase, origin.path, origin.operation, origin.step) == (phase, path, operation, 1)
    assert code in origin.code
    if code:
        assert origin.file == non_finite_models.__file__
        assert origin.line > 0
    assert origin.what
    assert origin.refs


@pytest.mark.parametrize("name", ["healthy", "partly_masked"])
def test_that_nothing_is_found_where_no_harm_is_done(driver, name):
    assert search(driver, name, steps=2) == events.NonFiniteSearched(2, None)


def test_that_the_tensors_that_led_to_it_can_be_viewed(driver):
    origin = search(driver, "forward").origin
    values = [driver.values(ref.path, ref.slot, ref.leaf, ref.call) for ref in origin.refs if not ref.operation]
    assert values == []  # they are an operation's
    assert all(ref in driver.records for ref in origin.refs)
    assert driver.records[origin.refs[-1]].spec.shape == (1, 2)


def test_that_searching_leaves_no_hook_behind(driver):
    search(driver, "backward")
    driver.run()
    assert driver.finished[-1].step == 2
