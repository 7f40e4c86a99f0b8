"""Wrapped and transformed models."""

import importlib
import warnings

import pytest
import torch
from torch import nn
from torch.nn.utils import parametrizations

from hookscope.engine.module_tree import describe_modules
from hookscope.protocol.identity import Slot
from hookscope.protocol.tensors import BadgeKind
from tests.engine.observing import linear, step

TWO = [[2.0, 0.0], [0.0, 2.0]]


class Small(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(2, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layer(x)


def kinds(model):
    return {info.path: [badge.kind for badge in info.badges] for info in describe_modules(model).modules}


@pytest.mark.filterwarnings("ignore")
def test_case_035_torchscript_is_said_and_does_no_harm():
    scripted = torch.jit.script(Small())
    assert kinds(scripted)[""] == [BadgeKind.SCRIPTED]
    seen = step(scripted, lambda m: m(torch.ones(1, 2)).sum())
    assert seen.badges("layer", Slot.OUTPUT, "out") == [BadgeKind.SCRIPTED]
    assert seen.tensor("layer", Slot.PARAMETER_GRAD, "weight").tolist() == [[1, 1], [1, 1]]


@pytest.mark.filterwarnings("ignore")
def test_case_036_an_exported_graph_is_said(monkeypatch):
    tqdm = pytest.importorskip("tqdm")  # the exporter shows its progress with it, and it would leave a thread behind
    monkeypatch.setattr(tqdm.tqdm, "monitor_interval", 0)
    exported = torch.export.export(Small(), (torch.ones(1, 2),))
    flat = exported.module()
    assert kinds(flat)["layer"] == [BadgeKind.EXPORTED]
    seen = step(flat, lambda m: m(torch.ones(1, 2)).sum())
    assert seen.badges("layer", Slot.OUTPUT, "out") in ([BadgeKind.EXPORTED], [BadgeKind.NEVER_CALLED_WITH_GRADIENT])
    seen = step(torch.export.unflatten(exported), lambda m: m(torch.ones(1, 2)).sum())
    assert seen.tensor("layer", Slot.OUTPUT, "out") is not None


def test_case_037_a_value_under_vmap_is_shown_with_its_batch_dim():
    model = linear(TWO)

    def run(m):
        torch.func.vmap(m)(torch.ones(3, 2))
        return torch.ones(1, requires_grad=True).sum()

    seen = step(model, run)
    assert seen.value("", Slot.OUTPUT, "out") == [[2, 2]] * 3
    assert seen.badges("", Slot.OUTPUT, "out") == [BadgeKind.FUNCTORCH]
    assert seen.badges("", Slot.GRAD_OUTPUT, "out") == [BadgeKind.FUNCTORCH]


def test_case_037_a_gradient_by_torch_func_is_the_same():
    model = linear(TWO)
    results = []

    def run(m):
        results.append(torch.func.grad(lambda x: m(x).sum())(torch.ones(2)))
        return torch.ones(1, requires_grad=True).sum()

    step(model, run)
    assert results[0].tolist() == [2, 2]


def test_case_038_data_parallel_on_the_cpu_calls_the_module_itself():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = nn.DataParallel(linear(TWO))
    seen = step(model, lambda m: m(torch.ones(1, 2)).sum())
    assert seen.value("module", Slot.OUTPUT, "out") == [[2, 2]]


@pytest.mark.filterwarnings("ignore")
def test_case_040_quantised_tensors_are_kept_as_they_are():
    class Quantising(nn.Module):
        def forward(self, x):
            return torch.quantize_per_tensor(x, 0.5, 0, torch.qint8)

    seen = step(Quantising(), lambda m: m(torch.ones(2)).dequantize().sum() + torch.ones(1, requires_grad=True).sum())
    assert seen.capture("", Slot.OUTPUT, "out").spec.dtype == "qint8"
    assert seen.tensor("", Slot.OUTPUT, "out").dequantize().tolist() == [1, 1]


@pytest.mark.filterwarnings("ignore:Lazy modules")
def test_case_041_a_lazy_module_is_not_initialised_before_its_first_step():
    model = nn.Sequential(nn.LazyLinear(2))
    seen = step(model, lambda m: m(torch.ones(1, 3)).sum())
    assert seen.badges("0", Slot.PARAMETER, "weight") == [BadgeKind.UNINITIALIZED]
    assert seen.capture("0", Slot.OUTPUT, "out").spec.shape == (1, 2)
    seen = step(model, lambda m: m(torch.ones(1, 3)).sum())
    assert seen.capture("0", Slot.PARAMETER, "weight").spec.shape == (2, 3)


def test_case_042_looking_at_a_parametrised_module_runs_none_of_its_code():
    layer = parametrizations.spectral_norm(nn.Linear(3, 3))
    before = {name: value.clone() for name, value in layer.named_buffers()}
    describe_modules(layer)
    assert all(torch.equal(before[name], value) for name, value in layer.named_buffers())


def test_case_039_a_sharded_value_is_shown_as_the_local_part(tmp_path):
    distributed = torch.distributed
    if not distributed.is_available():
        pytest.skip("this PyTorch build has no torch.distributed")
    tensors = importlib.import_module("torch.distributed.tensor")
    init_device_mesh = importlib.import_module("torch.distributed.device_mesh").init_device_mesh
    distributed.init_process_group("gloo", init_method=f"file://{tmp_path}/store", rank=0, world_size=1)
    try:
        mesh = init_device_mesh("cpu", (1,))
        sharded = tensors.distribute_tensor(torch.ones(2, 2, requires_grad=True), mesh, [tensors.Shard(0)])
        seen = step(nn.Identity(), lambda m: m(sharded).redistribute(mesh, [tensors.Replicate()]).to_local().sum())
    finally:
        distributed.destroy_process_group()
    assert seen.value("", Slot.OUTPUT, "out") == [[1, 1], [1, 1]]
    assert BadgeKind.SHARDED in seen.badges("", Slot.OUTPUT, "out")
