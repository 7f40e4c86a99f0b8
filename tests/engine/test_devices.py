"""Devices: which there are, why one cannot be used, and moving there."""

import warnings
from collections.abc import Iterator

import pytest
import torch
from torch import nn

from hookscope.engine.devices import check_device, list_devices, move_workload
from hookscope.engine.failure_report import FailureError
from hookscope.engine.workloads.workload import Workload
from hookscope.protocol.failures import Failure, FailureKind

META = torch.device("meta")
without_cuda = pytest.mark.skipif(torch.cuda.is_available(), reason="there is a CUDA device")


def refusal(name: str) -> Failure:
    with pytest.raises(FailureError) as caught:
        check_device(name)
    assert caught.value.failure.kind is FailureKind.DEVICE_UNAVAILABLE
    assert caught.value.failure.values["device"] == name
    return caught.value.failure


def test_that_the_cpu_comes_first_and_can_be_used() -> None:
    cpu = list_devices()[0]
    assert (cpu.name, cpu.label, cpu.unavailable) == ("cpu", "CPU", "")
    assert cpu.total_bytes > 2**27
    assert check_device("cpu") == torch.device("cpu")


@without_cuda
def test_that_without_cuda_one_row_says_why() -> None:
    _, cuda = list_devices()
    assert cuda.name == "cuda"
    supported = torch.version.cuda is not None or torch.version.hip is not None
    reason = "no CUDA device was found" if supported else "this PyTorch build has no CUDA support"
    assert cuda.unavailable.startswith(reason)
    assert refusal("cuda:0").values["reason"].casefold().startswith(reason.casefold())


@without_cuda
def test_that_a_cuda_build_says_what_pytorch_warned_of(monkeypatch: pytest.MonkeyPatch) -> None:
    def unavailable() -> bool:
        warnings.warn("CUDA initialization: the driver is too old. Please update.", stacklevel=1)
        return False

    monkeypatch.setattr(torch.version, "cuda", "13.0")
    monkeypatch.setattr(torch.cuda, "is_available", unavailable)
    assert list_devices()[1].unavailable == "no CUDA device was found (CUDA initialization: the driver is too old)"


@pytest.mark.parametrize("name", ["gpu", "", "cuda:x"])
def test_that_an_unknown_device_is_refused(name: str) -> None:
    assert refusal(name).values["reason"] == "PyTorch knows no such device."


@pytest.mark.parametrize("name", ["meta", "mps"])
def test_that_a_device_hookscope_does_not_run_on_is_refused(name: str) -> None:
    assert "CPU and CUDA" in refusal(name).values["reason"]


@pytest.mark.cuda
@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device")
def test_that_cuda_devices_are_listed_and_checked() -> None:
    cuda = list_devices()[1:]
    assert [device.name for device in cuda] == [f"cuda:{index}" for index in range(torch.cuda.device_count())]
    assert all(device.total_bytes and device.label.startswith(f"{device.name} ") for device in cuda)
    assert check_device("cuda") == torch.device("cuda:0")
    assert "last CUDA device" in refusal(f"cuda:{len(cuda)}").values["reason"]


@pytest.fixture
def _parameters_stay_themselves() -> Iterator[None]:
    """To the meta device, which stands for CUDA here, parameters are replaced unless torch is told to swap them."""
    torch.__future__.set_swap_module_params_on_conversion(True)
    yield
    torch.__future__.set_swap_module_params_on_conversion(False)


@pytest.mark.usefixtures("_parameters_stay_themselves")
@pytest.mark.parametrize("optimizer", [torch.optim.Adam, torch.optim.SGD, torch.optim.LBFGS])
def test_that_model_loss_and_optimizer_move_together(optimizer: type[torch.optim.Optimizer]) -> None:
    model = nn.Linear(3, 2)
    options = {"lr": 0.1, "momentum": 0.9} if optimizer is torch.optim.SGD else {"lr": 0.1}
    made = optimizer(model.parameters(), **options)
    loss = nn.CrossEntropyLoss(weight=torch.ones(2))
    workload = Workload(model, torch.ones(1, 3), torch.tensor([0]), loss, made)

    def closure() -> torch.Tensor:
        made.zero_grad()
        value = loss(model(workload.inputs), workload.targets)
        value.backward()
        return value

    for _ in range(3):
        made.step(closure)
    parameters = list(model.parameters())
    move_workload(workload, META)
    assert [id(parameter) for parameter in model.parameters()] == [id(parameter) for parameter in parameters]
    assert {parameter.device.type for parameter in parameters} == {"meta"}
    assert loss.weight is not None
    assert loss.weight.device.type == "meta"
    moved = {
        name: value[0] if isinstance(value, list) else value
        for state in made.state.values()
        for name, value in state.items()
    }
    tensors = {name: value.device.type for name, value in moved.items() if isinstance(value, torch.Tensor)}
    assert tensors.pop("step", "cpu") == "cpu"
    assert set(tensors.values()) == {"meta"}


def test_that_an_optimizer_goes_on_after_a_move() -> None:
    model = nn.Linear(3, 1)
    workload = Workload(model, torch.ones(3), optimizer=torch.optim.Adam(model.parameters()))
    for _ in range(2):
        model(torch.ones(3)).sum().backward()
        workload.optimizer.step()
        move_workload(workload, torch.device("cpu"))


def test_that_a_model_that_cannot_be_moved_is_reported() -> None:
    with torch.device("meta"):
        model = nn.Linear(2, 2)
    with pytest.raises(FailureError) as caught:
        move_workload(Workload(model, torch.ones(2)), torch.device("cpu"))
    failure = caught.value.failure
    assert failure.kind is FailureKind.DEVICE_UNAVAILABLE
    assert failure.values == {"device": "cpu", "reason": "The model cannot be moved there."}
    assert failure.exception is not None
