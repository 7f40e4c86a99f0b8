"""Hook mechanics, errors, memory and threads."""

import gc
import weakref

import pytest
import torch
from torch import nn

from hookscope.engine.capture.buffers import BufferPool
from hookscope.engine.capture.capture_writer import CaptureWriter
from hookscope.engine.capture.captures import CaptureStore
from hookscope.engine.capture.recorder import Recorder
from hookscope.engine.pause import Gate, StepAborted
from hookscope.protocol.identity import Slot
from hookscope.protocol.tensors import BadgeKind
from tests.engine.observing import linear, step

TWO = [[2.0, 0.0], [0.0, 2.0]]


def test_case_025_and_045_an_exception_leaves_the_engine_usable():
    class Raising(nn.Module):
        def forward(self, x):
            raise KeyError("missing")

    model = nn.Sequential(linear(TWO), Raising())
    with pytest.raises(KeyError):
        step(model, lambda m: m(torch.ones(1, 2)).sum())
    assert all(not module._forward_hooks and not module._forward_pre_hooks for module in model.modules())
    assert step(model[:1], lambda m: m(torch.ones(1, 2)).sum()).value("0", Slot.OUTPUT, "out") == [[2, 2]]


def test_case_047_a_backward_inside_a_hook_of_the_users():
    model = nn.Sequential(linear(TWO), linear(TWO))
    inner = []

    def nested(gradient):
        with torch.enable_grad():
            y = torch.ones(1, requires_grad=True)
            (y * 3).sum().backward()
            inner.append(y.grad.item())

    def run(m):
        hidden = m[0](torch.ones(1, 2))
        hidden.register_hook(nested)
        return m[1](hidden).sum()

    seen = step(model, run)
    assert inner == [3]
    assert seen.value("0", Slot.GRAD_OUTPUT, "out") == [[2, 2]]


def test_case_051_no_global_hook_and_no_flag_is_left():
    model = nn.Sequential(linear(TWO))
    step(model, lambda m: m(torch.ones(1, 2)).sum())
    registry = torch.nn.modules.module
    assert not registry._global_forward_hooks
    assert not registry._global_backward_hooks
    assert model[0]._is_full_backward_hook is None


def test_case_052_the_gradient_is_what_the_parameter_holds():
    model = linear(TWO)
    model(torch.ones(1, 2)).sum().backward()
    seen = step(model, lambda m: m(torch.ones(1, 2)).sum())
    assert seen.value("", Slot.PARAMETER_GRAD, "weight") == [[2, 2], [2, 2]]  # accumulated over both passes


def test_case_054_the_users_multi_grad_hooks_still_fire():
    model = nn.Sequential(linear(TWO), linear(TWO))
    fired = []

    def run(m):
        hidden = m[0](torch.ones(1, 2))
        torch.autograd.graph.register_multi_grad_hook([hidden], lambda gradients: fired.append(gradients[0].tolist()))
        return m[1](hidden).sum()

    step(model, run)
    assert fired == [[[2, 2]]]


def test_case_055_a_second_pass_replaces_the_gradients_and_says_so():
    model = nn.Sequential(linear(TWO), linear(TWO))

    def run(m):
        loss = m(torch.ones(1, 2)).sum()
        loss.backward(retain_graph=True)
        return 10 * loss

    seen = step(model, run)
    assert seen.value("0", Slot.GRAD_OUTPUT, "out") == [[20, 20]]
    assert BadgeKind.LATER_PASS in seen.badges("0", Slot.GRAD_OUTPUT, "out")


def test_case_056_a_double_backward_leaks_no_graph():
    graphs = []

    def run(m):
        x = torch.ones(1, 2, requires_grad=True)
        y = m(x).square().sum()
        (gradient,) = torch.autograd.grad(y, x, create_graph=True)
        graphs.append(weakref.ref(gradient))
        return gradient.square().sum()

    step(linear(TWO), run)
    gc.collect()
    assert graphs[0]() is None


def test_case_063_hooks_survive_the_garbage_collector():
    model = nn.Sequential(linear(TWO), linear(TWO))

    def run(m):
        loss = m(torch.ones(1, 2)).sum()
        gc.collect()
        return loss

    assert step(model, run).value("0", Slot.GRAD_OUTPUT, "out") == [[2, 2]]


def test_case_064_nothing_piles_up_on_the_users_batch():
    x = torch.ones(1, 2, requires_grad=True)
    model = linear(TWO)
    for _ in range(3):
        step(model, lambda m: m(x).sum())
    assert not x._backward_hooks


def test_case_085_other_users_of_hooks_keep_theirs():
    model = linear(TWO)
    forward = model.register_forward_hook(lambda *_: None)
    backward = model.register_full_backward_hook(lambda *_: None)
    before = (dict(model._forward_hooks), dict(model._backward_hooks), model._is_full_backward_hook)
    step(model, lambda m: m(torch.ones(1, 2, requires_grad=True)).sum())
    assert (dict(model._forward_hooks), dict(model._backward_hooks), model._is_full_backward_hook) == before
    forward.remove()
    backward.remove()


@pytest.mark.filterwarnings("ignore:Anomaly Detection")
def test_case_067_anomaly_mode_works_with_capture():
    with torch.autograd.detect_anomaly():
        seen = step(linear(TWO), lambda m: m(torch.ones(1, 2)).sum())
    assert seen.value("", Slot.GRAD_OUTPUT, "out") == [[1, 1]]


def test_case_068_the_users_saved_tensor_hooks_still_run():
    packed = []
    model = nn.Sequential(linear(TWO), nn.Sigmoid())

    def run(m):
        with torch.autograd.graph.saved_tensors_hooks(lambda t: packed.append(1) or t, lambda t: t):
            return m(torch.ones(1, 2)).sum()

    bare = len(packed)
    run(model).backward()
    expected = len(packed) - bare
    packed.clear()
    step(model, run)
    assert len(packed) == expected


def test_case_069_gradients_are_copied_and_writing_to_a_copy_changes_nothing():
    model = nn.Sequential(linear(TWO), linear(TWO))
    seen = step(model, lambda m: m(torch.ones(1, 2)).sum())
    with seen.store.open(seen.capture("1", Slot.GRAD_INPUT, "args.0").ref) as (_, tensor):
        tensor.zero_()
    assert model[0].weight.grad.tolist() == [[2, 2], [2, 2]]


def test_case_048_unchecking_between_forward_and_backward_yields_no_gradient():
    captures = []
    recorder = Recorder(CaptureWriter(CaptureStore(BufferPool(2**20)), captures.append), Gate())
    model = linear(TWO)
    recorder.watch({"": model})
    recorder.begin_step(1)
    loss = model(torch.ones(1, 2)).sum()
    recorder.watch({})
    loss.backward()
    recorder.end_step()
    assert not [c for c in captures if c.ref.slot is Slot.GRAD_OUTPUT]


def test_case_078_a_users_except_exception_cannot_swallow_an_abort():
    assert not issubclass(StepAborted, Exception)


@pytest.mark.parametrize(
    "dtype", [torch.float16, torch.bfloat16, torch.float64, torch.complex64, torch.float8_e4m3fn], ids=str
)
def test_case_057_every_floating_dtype_is_captured_as_it_is(dtype):
    class Convert(nn.Module):
        def forward(self, x):
            return x.to(dtype)

    x = torch.ones(2, requires_grad=True)
    seen = step(Convert(), lambda m: m(x).to(torch.complex64).real.sum() if dtype.is_complex else m(x).float().sum())
    capture = seen.capture("", Slot.OUTPUT, "out")
    assert capture.spec.dtype == str(dtype).removeprefix("torch.")
    assert seen.value("", Slot.GRAD_INPUT, "args.0") == [1, 1]


def test_case_059_sparse_gradients_are_kept_sparse():
    model = nn.Embedding(5, 2, sparse=True)
    seen = step(model, lambda m: m(torch.tensor([1, 1, 3])).sum())
    gradient = seen.tensor("", Slot.PARAMETER_GRAD, "weight")
    assert gradient.layout is torch.sparse_coo
    assert gradient.to_dense()[1].tolist() == [2, 2]


def test_case_061_meta_tensors_have_a_shape_and_no_data():
    model = nn.Linear(2, 3, device="meta")

    def run(m):
        m(torch.ones(1, 2, device="meta"))
        return torch.ones(1, requires_grad=True).sum()

    seen = step(model, run)
    assert seen.capture("", Slot.OUTPUT, "out").spec.shape == (1, 3)
    assert seen.badges("", Slot.OUTPUT, "out") == [BadgeKind.NO_DATA]
