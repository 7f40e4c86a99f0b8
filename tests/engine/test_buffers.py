"""The buffers of captures: one copy per tensor, reuse from step to step, a budget, and readers who see no change."""

import pytest
import torch

from hookscope.engine.buffers import BufferPool, NoDataError, OverBudgetError
from hookscope.engine.capture_writer import CaptureWriter
from hookscope.engine.captures import CaptureStore
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


def test_that_steps_reuse_buffers_and_hold_no_more_than_two_steps():
    pool = BufferPool(10**6)
    store = CaptureStore(pool)
    writer = CaptureWriter(store, lambda _capture: None)
    for step in range(1, 20):
        writer.begin_step(step)
        writer.activation(REF, torch.full((step % 3 + 1, 100), float(step)))
    assert pool.held_bytes <= 6 * 3 * 400
    with store.open(REF) as (_, tensor):
        assert tensor[0, 0] == 19


def test_that_what_no_step_wants_is_given_back():
    pool = BufferPool(10**6)
    store = CaptureStore(pool)
    writer = CaptureWriter(store, lambda _capture: None)
    writer.begin_step(1)
    writer.activation(REF, torch.ones(1000))
    for step in range(2, 12):
        writer.begin_step(step)
        writer.activation(REF, torch.ones(10))
    assert pool.held_bytes < 1000


def test_that_a_reader_sees_no_change_though_its_step_is_dropped():
    store = CaptureStore(BufferPool(10**6))
    writer = CaptureWriter(store, lambda _capture: None)
    writer.begin_step(1)
    writer.activation(REF, torch.ones(4))
    with store.open(REF) as (capture, tensor):
        for step in range(2, 8):
            writer.begin_step(step)
            writer.activation(REF, torch.full((4,), float(step)))
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
