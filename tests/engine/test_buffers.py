"""The buffers of captures: one copy per tensor, reuse from step to step, a budget, and readers who see no change."""

import pytest
import torch

from hookscope.engine.capture.buffers import BufferPool, NoDataError, OverBudgetError
from hookscope.engine.capture.capture_writer import CaptureWriter
from hookscope.engine.capture.captures import STEPS_KEPT, CaptureStore
from hookscope.engine.specs import spec_of
from hookscope.protocol.identity import Slot, TensorRef

REF = TensorRef("layer", Slot.OUTPUT, "out")


def test_that_a_tensor_is_copied_once_until_it_changes():
    pool = BufferPool(1000)
    pool.begin_step(1)
    tensor = torch.ones(4)
    first = pool.copy_activation(tensor)
    assert pool.copy_activation(tensor) is first
    tensor.add_(1)
    second = pool.copy_activation(tensor)
    assert second is not first
    assert (first.tensor.tolist(), second.tensor.tolist()) == ([1] * 4, [2] * 4)


def test_that_a_gradient_handed_on_is_recognised_by_its_memory():
    pool = BufferPool(1000)
    pool.begin_step(1)
    gradient = torch.ones(4)
    first = pool.copy_gradient(gradient)
    assert pool.copy_gradient(gradient.view(4)) is first
    assert pool.copy_gradient(gradient.view(2, 2)) is not first
    values = torch.ones(4, dtype=torch.complex64)
    assert pool.copy_gradient(values) is not pool.copy_gradient(values.conj())


@pytest.fixture
def small():
    """A store that has room for twenty steps of 400 bytes."""
    return CaptureStore(BufferPool(20 * 400))


def run_steps(store: CaptureStore, steps: range, length: int = 100) -> CaptureWriter:
    writer = CaptureWriter(store, lambda _capture: None)
    for step in steps:
        writer.begin_step(step)
        writer.activation(REF, torch.full((length,), float(step)))
    return writer


def test_that_steps_are_kept_up_to_half_of_the_budget_and_their_buffers_reused_then(small):
    run_steps(small, range(1, 11))
    assert all(small.keeps(step) for step in range(1, 11))
    pointers = set()
    for step in range(1, 11):
        with small.open(REF, step) as (capture, tensor):
            assert (capture.step, tensor[0]) == (step, step)
            pointers.add(tensor.data_ptr())
    run_steps(small, range(11, 60))
    assert [small.keeps(step) for step in (48, 49, 50, 59)] == [False, False, True, True]
    assert small.pool.held_bytes == 10 * 400
    with small.open(REF) as (_, newest), small.open(REF, 50) as (_, oldest):
        assert (newest[0], oldest[0]) == (59, 50)
        assert {newest.data_ptr(), oldest.data_ptr()} <= pointers


def test_that_there_is_a_limit_to_the_steps_kept_however_large_the_budget():
    store = CaptureStore(BufferPool(10**9))
    run_steps(store, range(1, STEPS_KEPT + 11), 1)
    assert [store.keeps(step) for step in (10, 11)] == [False, True]
    assert store.pool.held_bytes == STEPS_KEPT * 4


def test_that_two_steps_are_kept_though_they_take_more_than_their_share(small):
    run_steps(small, range(1, 5), 1000)
    assert list(map(small.keeps, range(1, 5))) == [False, False, True, True]
    with small.open(REF) as (_, tensor):
        assert tensor[0] == 4


def test_that_steps_of_changing_shapes_stay_within_the_budget(small):
    writer = CaptureWriter(small, lambda _capture: None)
    for step in range(1, 60):
        writer.begin_step(step)
        assert writer.activation(REF, torch.full((step % 3 + 1, 100), float(step))).buffer is not None
        assert small.pool.held_bytes <= 20 * 400
    with small.open(REF) as (_, tensor):
        assert tensor[0, 0] == 59


def test_that_what_no_step_wants_is_given_back(small):
    run_steps(small, range(1, 2), 1000)
    run_steps(small, range(2, 12), 10)
    assert small.pool.held_bytes == 10 * 40


def test_that_a_step_that_is_run_again_replaces_the_one_that_was_given_up(small):
    for _ in range(30):
        run_steps(small, range(1, 2))
    assert small.pool.held_bytes == 400


def test_that_a_parameter_is_copied_for_all_kept_steps_before_it_is_written_to(small):
    writer = CaptureWriter(small, lambda _capture: None)
    parameter = torch.ones(100)
    ref = TensorRef("layer", Slot.PARAMETER, "weight")
    for step in (1, 2, 3):
        writer.begin_step(step)
        writer.parameter(ref, parameter, spec_of(parameter))
    assert small.pool.held_bytes == 0
    small.keep_parameters()
    parameter.zero_()
    assert small.pool.held_bytes == 400
    for step in (1, 2, 3):
        with small.open(ref, step) as (_, tensor):
            assert tensor[0] == 1


def test_that_a_reader_sees_no_change_though_its_step_is_dropped():
    store = CaptureStore(BufferPool(64))
    writer = CaptureWriter(store, lambda _capture: None)
    writer.begin_step(1)
    writer.activation(REF, torch.ones(4))
    with store.open(REF) as (capture, tensor):
        for step in range(2, 8):
            writer.begin_step(step)
            writer.activation(REF, torch.full((4,), float(step)))
        assert not store.keeps(1)
        assert capture.step == 1
        assert tensor.tolist() == [1] * 4


def test_that_a_short_budget_drops_old_steps_before_it_refuses():
    store = CaptureStore(BufferPool(3 * 400))
    writer = CaptureWriter(store, lambda _capture: None)
    for step in (1, 2):
        writer.begin_step(step)
        captures = [
            writer.activation(TensorRef(str(i), Slot.OUTPUT, "out"), torch.full((100,), float(i))) for i in range(4)
        ]
    assert [capture.buffer is not None for capture in captures] == [True, True, True, False]
    assert captures[3].statistics.mean == 3
    assert captures[3].spec.shape == (100,)


def test_that_a_refused_copy_holds_nothing():
    pool = BufferPool(100)
    pool.begin_step(1)
    with pytest.raises(OverBudgetError):
        pool.copy_activation(torch.ones(1000))
    assert pool.held_bytes == 0


def test_that_a_meta_tensor_has_no_data():
    pool = BufferPool(100)
    pool.begin_step(1)
    with pytest.raises(NoDataError, match="meta"):
        pool.copy_activation(torch.ones(3, device="meta"))


@pytest.mark.parametrize(
    "make", [lambda: torch.ones(3).to_sparse(), lambda: torch.nested.nested_tensor([torch.ones(2)])]
)
@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
def test_that_other_layouts_are_kept_as_they_are(make):
    pool = BufferPool(10**6)
    pool.begin_step(1)
    tensor = make()
    copy = pool.copy_activation(tensor).tensor
    assert copy.layout == tensor.layout
    assert copy is not tensor
