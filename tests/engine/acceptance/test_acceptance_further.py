"""Further acceptance checks, each by the number of the situation that it is about."""

import copy
import gc
import io
import weakref

import pytest
import torch
from torch import nn
from torch.nn.utils import parametrizations

import hookscope
from hookscope.engine.capture.buffers import BufferPool
from hookscope.engine.capture.capture_writer import CaptureWriter
from hookscope.engine.capture.captures import CaptureStore
from hookscope.engine.capture.recorder import Recorder
from hookscope.engine.module_tree import describe_modules
from hookscope.engine.pause import Gate, StepAborted
from hookscope.protocol.identity import Slot
from tests.engine.acceptance.seeing import TWO, absence, arrived, badges, leaf_tensor, linear, value
from tests.engine.observing import step


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
def test_028_that_nested_tensors_between_encoder_layers_are_recorded():
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)
    model = nn.TransformerEncoder(layer, 2).eval()
    x, padding = torch.randn(2, 3, 16), torch.tensor([[False, False, False], [False, False, True]])
    expected = model(x, src_key_padding_mask=padding).detach()
    with torch.no_grad(), hookscope.observe(model) as seen:
        output = model(x, src_key_padding_mask=padding)
    assert torch.allclose(output[~padding], expected[~padding], atol=1e-6)
    assert not any("capture_failed" in record.badges for record in seen.records())
    assert arrived(seen, "layers.1", "output") == [(0, "out")]


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
def test_028_that_a_nested_tensor_without_a_shape_is_captured():
    class Rows(nn.Module):
        def forward(self, x):
            return x * 2

    rows = torch.nested.nested_tensor([torch.ones(3, 4), torch.ones(2, 4)])
    model = Rows()
    with hookscope.observe(model) as seen:
        model(rows)
    assert [tuple(row.shape) for row in seen.tensor("", "output").unbind()] == [(3, 4), (2, 4)]
    assert seen.tensor("", "output").unbind()[1].unique().tolist() == [2]


def test_042_that_looking_at_a_parametrized_module_runs_nothing_of_it():
    torch.manual_seed(0)
    model = nn.Sequential(parametrizations.spectral_norm(nn.Linear(3, 3)))
    twin = copy.deepcopy(model)
    before = {name: buffer.clone() for name, buffer in model.named_buffers()}
    describe_modules(model)
    with hookscope.observe(model):
        pass
    assert before.keys()
    assert all(torch.equal(before[name], buffer) for name, buffer in model.named_buffers())
    with hookscope.observe(model):
        model(torch.ones(1, 3)).sum().backward()
    twin(torch.ones(1, 3)).sum().backward()
    assert all(torch.equal(buffer, twin.get_buffer(name)) for name, buffer in model.named_buffers())
    assert all(torch.equal(p.grad, twin.get_parameter(name).grad) for name, p in model.named_parameters())


def test_048_that_after_unchecking_between_forward_and_backward_nothing_comes():
    model = nn.Sequential(linear(TWO), linear(TWO))
    captures = []
    recorder = Recorder(CaptureWriter(CaptureStore(BufferPool(2**20)), captures.append), Gate())
    recorder.watch(dict(model.named_modules()))
    recorder.begin_step(1)
    loss = model(torch.ones(1, 2)).sum()
    recorder.watch({"1": model[1]})
    loss.backward()
    recorder.end_step()
    recorder.watch({})
    assert {c.ref.path for c in captures if c.ref.slot.is_gradient and c.spec is not None} == {"1"}


def test_058_that_records_say_the_factor_of_a_gradient_scaler():
    model = linear([[1.0]])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
    with hookscope.observe(model, scaler=scaler) as seen:
        scaler.scale(model(leaf_tensor([[1]])).sum()).backward()
        scaler.step(optimizer)
        scaler.update()
    for slot in ("grad_output", "grad_input", "parameter_grad"):
        assert badges(seen, "", slot) == ("scaled",)
        assert value(seen, "", slot) == [[1024]]
    record = seen.records()[-1]
    assert record.remarks[0].endswith("(1024)")
    assert badges(seen, "", "output") == ()


def test_058_that_half_precision_of_autocast_is_shown_as_it_is():
    model = nn.Linear(2, 2)
    with hookscope.observe(model) as seen, torch.autocast("cpu", dtype=torch.bfloat16):
        model(torch.ones(1, 2)).float().sum().backward()
    dtypes = {record.slot: record.dtype for record in seen.records()}
    assert (dtypes["output"], dtypes["grad_output"], dtypes["parameter_grad"]) == ("bfloat16", "bfloat16", "float32")


def test_062_that_no_activation_outlives_the_block():
    kept = []

    class Keeping(nn.Module):
        def forward(self, x):
            y = x * 2
            kept.append(weakref.ref(y))
            return y * 1

    model = nn.Sequential(linear(TWO), Keeping())
    with hookscope.observe(model) as seen:
        model(torch.ones(1, 2)).sum().backward()
    gc.collect()
    assert kept[0]() is None
    assert value(seen, "1", "output") == [[4, 4]]


def test_072_that_a_model_can_be_copied_and_saved_while_it_is_observed():
    model = nn.Sequential(linear(TWO))
    file = io.BytesIO()
    with hookscope.observe(model) as seen:
        average = copy.deepcopy(model)
        torch.save(model, file)
        model(torch.ones(1, 2)).sum().backward()
        count = len(seen.records())
        average(torch.ones(1, 2)).sum().backward()
    file.seek(0)
    saved = torch.load(file, weights_only=False)
    assert saved(torch.ones(1, 2)).tolist() == [[2, 2]]
    assert len(seen.records()) == count
    assert value(seen, "0", "output") == [[2, 2]]


def test_075_that_a_generator_still_has_its_items():
    class Three(nn.Module):
        def forward(self, x):
            return (x * number for number in range(3))

    model = Three()
    with hookscope.observe(model) as seen:
        items = list(model(torch.ones(1)))
    assert [item.tolist() for item in items] == [[0], [1], [2]]
    assert absence(seen, "", "output").endswith("(generator)")


def test_078_that_a_model_cannot_swallow_an_abort():
    gate = Gate()

    class Stubborn(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = linear(TWO)
            self.fell_back = False

        def forward(self, x):
            gate.abort_wanted = True
            try:
                return self.layer(x)
            except Exception:
                self.fell_back = True
                return x

    model = Stubborn()
    with pytest.raises(StepAborted):
        step(model, lambda m: m(torch.ones(1, 2)).sum(), gate=gate)
    assert not model.fell_back
    gate.reset()
    assert step(model, _after_abort).value("layer", Slot.OUTPUT, "out") == [[2, 2]]


def _after_abort(model):
    return model.layer(torch.ones(1, 2)).sum()
