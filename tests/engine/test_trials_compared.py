"""What differs between two steps: the list of tensors that moved, and views of differences."""

import math

import pytest
import torch

from hookscope.engine.trials.difference import Distance, distance, same_bits, subtract
from hookscope.engine.trials.digest import StateDigest
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.tensor_changes import Scale
from hookscope.protocol.views import NoPicture, NoPictureReason
from tests.engine.driving import driving
from tests.engine.trying import MODELS, compare, intervene, look, moved, on, try_out


@pytest.fixture
def driver():
    with driving() as started:
        yield started


def test_that_the_list_says_how_far_each_tensor_moved_in_the_order_of_the_step(driver):
    driver.load(f"{MODELS}:net")
    driver.check("0", "1", "2")
    intervene(driver, on("0", Slot.OUTPUT, Scale(2.0)))
    trial = try_out(driver)
    found = compare(driver, trial.before, trial.after)
    assert (found.before, found.after, found.missing) == (1, 2, ())
    orders = [one.order for one in found.differences]
    assert orders == sorted(orders)
    differences = moved(driver, trial)
    output = differences["0", Slot.OUTPUT]
    assert (output.norm, output.relative, output.changed, output.count) == (math.sqrt(58), 1.0, 2, 2)
    assert (differences["0", Slot.INPUT].norm, differences["0", Slot.PARAMETER].changed) == (0.0, 0)
    assert differences["2", Slot.OUTPUT].norm == 10.0
    assert differences["0", Slot.PARAMETER_GRAD].norm == 2.0  # of four elements, from 1 to 2 each


def test_that_a_step_that_is_not_kept_is_missing(driver):
    driver.load(f"{MODELS}:net")
    driver.check("0")
    driver.run()
    found = compare(driver, 1, 99)
    assert (found.differences, found.missing) == ((), (99,))


def test_that_a_view_can_be_of_what_differs(driver):
    driver.load(f"{MODELS}:net")
    driver.check("0")
    intervene(driver, on("0", Slot.OUTPUT, Scale(2.0)))
    try_out(driver)
    ref = TensorRef("0", Slot.OUTPUT, "out")
    found = look(driver, ref, 2, minus=1)
    assert (found.minimum, found.maximum) == (3.0, 7.0)
    assert look(driver, ref, None, minus=2).maximum == 0.0


def test_that_a_view_of_what_differs_says_what_it_lacks(driver):
    driver.load("example:texts")
    driver.load(f"{MODELS}:net")
    driver.check("0")
    driver.run()
    missing = look(driver, TensorRef("0", Slot.OUTPUT, "out"), 1, minus=99)
    assert isinstance(missing, NoPicture)
    assert missing.reason is NoPictureReason.STEP_GONE
    driver.check("0", "2")
    driver.run()
    missing = look(driver, TensorRef("2", Slot.OUTPUT, "out"), 2, minus=1)
    assert missing.reason is NoPictureReason.NOT_CAPTURED


NAN, INF = math.nan, math.inf


@pytest.mark.parametrize(
    ("after", "before", "expected"),
    [
        (torch.tensor([3.0, 4.0]), torch.zeros(2), Distance(5.0, INF, 2)),
        (torch.tensor([1.0, NAN]), torch.tensor([1.0, NAN]), Distance()),
        (torch.tensor([2.0, NAN, INF]), torch.tensor([1.0, NAN, INF]), Distance(1.0, INF, 1)),
        (torch.tensor([1.0, NAN]), torch.tensor([1.0, 2.0]), Distance(INF, INF, 1)),
        (torch.tensor([0.0]), torch.tensor([-0.0]), Distance(0.0, 0.0, 1)),
        (torch.tensor([3, 5, 5]), torch.tensor([3, 4, 5]), Distance(1.0, 1 / math.sqrt(50), 1)),
        (torch.tensor([True, False]), torch.tensor([True, True]), Distance(1.0, 1 / math.sqrt(2), 1)),
        (torch.tensor([3 + 4j]), torch.tensor([0j]), Distance(5.0, INF, 1)),
        (torch.tensor([1.5], dtype=torch.bfloat16), torch.tensor([1.0], dtype=torch.bfloat16), Distance(0.5, 0.5, 1)),
        (torch.zeros(0, 3), torch.zeros(0, 3), Distance()),
        (torch.tensor([1.0]), torch.tensor([1.0], dtype=torch.float64), Distance()),
        (torch.eye(3).to_sparse(), torch.zeros(3, 3).to_sparse(), Distance(math.sqrt(3), INF, 3)),
    ],
)
def test_that_the_distance_is_exact_for_every_kind_of_number(after, before, expected):
    found = distance(after, before)
    assert (found.norm, found.changed) == (pytest.approx(expected.norm, rel=1e-12), expected.changed)
    assert found.relative == pytest.approx(expected.relative, rel=1e-12)


def test_that_a_difference_is_wide_enough_and_of_equal_bits_zero():
    assert subtract(torch.ones(2, dtype=torch.float16), torch.zeros(2, dtype=torch.float16)).dtype is torch.float32
    assert subtract(torch.tensor([5]), torch.tensor([7])).tolist() == [-2.0]
    assert subtract(torch.tensor([True]), torch.tensor([False])).dtype is torch.float64
    assert subtract(torch.tensor([NAN, INF, 1.0]), torch.tensor([NAN, INF, 3.0])).tolist() == [0.0, 0.0, -2.0]


def test_that_bits_are_compared_and_not_values():
    assert same_bits(torch.tensor([NAN]), torch.tensor([NAN]))
    assert not same_bits(torch.tensor([0.0]), torch.tensor([-0.0]))
    assert not same_bits(torch.zeros(2), torch.zeros(2, dtype=torch.float64))
    assert not same_bits(torch.zeros(2), torch.zeros(1, 2))


def test_that_a_digest_notices_every_single_bit():
    model = torch.nn.BatchNorm1d(3)
    digest = StateDigest(model)
    assert digest.differing(model) == ()
    for name, tensor in model.state_dict().items():
        octets = tensor.reshape(-1).view(torch.uint8)
        for index in range(octets.numel()):
            for bit in range(8):
                octets[index] ^= 1 << bit
                assert digest.differing(model) == (name,)
                octets[index] ^= 1 << bit
    assert digest.differing(model) == ()
