"""Batches, their private copies, and made-up inputs."""

from collections import OrderedDict, namedtuple
from dataclasses import dataclass
from types import MappingProxyType

import pytest
import torch
from torch import nn
from torch.nn.utils.parametrizations import spectral_norm
from torch.nn.utils.rnn import pack_sequence
from torch.utils.data import DataLoader, TensorDataset

from hookscope.engine.failure_report import FailureError
from hookscope.engine.workloads.inputs import Batch, Batches, describe, prepare
from hookscope.engine.workloads.sources import LoadedSource
from hookscope.engine.workloads.synthetic import guess_inputs, synthesize
from hookscope.engine.workloads.workload import Workload
from hookscope.protocol.failures import FailureKind
from hookscope.protocol.tensors import TensorSpec
from hookscope.protocol.workload import SyntheticInput

CPU = torch.device("cpu")
MODEL = nn.Linear(3, 1)
X, Y = torch.ones(2, 3), torch.zeros(2, 1)


def batches(inputs: object, targets: object = None, loss: object = None) -> Batches:
    return Batches(Workload(MODEL, inputs, targets, loss))


# -- which batch a step gets ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("inputs", "expected"),
    [(X, Batch((X,), {}, Y)), ((X, 3), Batch((X, 3), {}, Y)), ({"input": X}, Batch((), {"input": X}, Y))],
    ids=["tensor", "tuple", "dict"],
)
def test_that_a_single_batch_is_given_at_every_step(inputs: object, expected: Batch) -> None:
    source = batches(inputs, Y)
    assert source.count == 1
    for _ in range(3):
        batch = source.next()
        assert list(map(id, batch.args)) == list(map(id, expected.args))
        assert batch.kwargs == expected.kwargs
        assert batch.targets is Y


def test_that_a_list_goes_round_and_round_with_its_targets() -> None:
    source = batches([X, X + 1], [Y, Y + 1])
    assert source.count == 2
    seen = [(float(batch.args[0][0, 0]), float(batch.targets[0, 0])) for batch in (source.next() for _ in range(5))]
    assert seen == [(1, 0), (2, 1), (1, 0), (2, 1), (1, 0)]


def test_that_one_tensor_of_targets_serves_every_batch() -> None:
    source = batches([X, X + 1], Y)
    assert all(source.next().targets is Y for _ in range(3))


def test_that_looking_at_the_first_batch_uses_nothing_up() -> None:
    source = batches(iter([X, X + 1]))
    assert source.first() is source.first()
    assert float(source.next().args[0][0, 0]) == 1
    assert float(source.next().args[0][0, 0]) == 2
    assert float(source.first().args[0][0, 0]) == 1


def test_that_a_generator_that_ended_is_a_failure_with_the_number_of_batches() -> None:
    source = batches(x for x in (X, X, X))
    assert source.count is None
    for _ in range(3):
        source.next()
    for _ in range(2):
        with pytest.raises(FailureError) as caught:
            source.next()
        assert caught.value.failure.kind is FailureKind.BATCHES_ENDED
        assert caught.value.failure.values == {"count": "3"}


def test_that_a_generator_of_targets_ends_too() -> None:
    source = batches([X], iter([Y, Y]))
    source.next()
    with pytest.raises(FailureError, match="batches_ended"):
        source.next()


def test_that_a_loader_gives_inputs_and_targets_when_the_loss_needs_both() -> None:
    source = batches(DataLoader(TensorDataset(X, Y), batch_size=1), loss=nn.MSELoss())
    assert source.count == 2
    for _ in range(3):
        batch = source.next()
        assert [value.shape for value in batch.args] == [(1, 3)]
        assert batch.targets.shape == (1, 1)


def test_that_a_pair_is_two_arguments_when_no_targets_are_needed() -> None:
    assert len(batches([(X, Y)], loss=lambda output: output.sum()).next().args) == 2
    assert len(batches([(X, Y)], targets=Y, loss=nn.MSELoss()).next().args) == 2
    assert len(batches((X, Y), loss=nn.MSELoss()).next().args) == 2


def test_that_inputs_of_a_pair_may_be_keywords() -> None:
    batch = batches([({"input": X}, Y)], loss=nn.MSELoss()).next()
    assert (batch.args, batch.kwargs, batch.targets) == ((), {"input": X}, Y)


@pytest.mark.parametrize("bad", [3, None, {3: X}], ids=["int", "None", "keys"])
def test_that_a_batch_no_model_can_be_called_with_is_bad_input(bad: object) -> None:
    with pytest.raises(FailureError, match="bad_input"):
        batches([bad]).next()


def broken():
    yield X
    raise OSError("disk gone")


def test_that_an_iterable_that_raises_is_bad_input_with_the_exception() -> None:
    source = batches(broken())
    source.next()
    with pytest.raises(FailureError) as caught:
        source.next()
    assert caught.value.failure.kind is FailureKind.BAD_INPUT
    exception = caught.value.failure.exception
    assert exception is not None
    assert (exception.type, exception.message) == ("OSError", "disk gone")
    assert exception.frames[-1].function == "broken"


# -- private copies -------------------------------------------------------------------------------------------------

Pair = namedtuple("Pair", "left right")


@dataclass(frozen=True)
class Record:
    value: torch.Tensor
    name: str = "r"


def test_that_containers_keep_their_types_and_values() -> None:
    given = {
        "pair": Pair(X, (X + 1, None)),
        "record": Record(X),
        "ordered": OrderedDict(a=X, b=[X, "text"]),
        "fixed": MappingProxyType({"a": X}),
    }
    copied = prepare(Batch((), given), CPU, ()).kwargs
    assert isinstance(copied["pair"], Pair)
    assert isinstance(copied["ordered"], OrderedDict)
    assert copied["record"].name == "r"
    assert copied["pair"].right[1] is None
    assert copied["ordered"]["b"][1] == "text"
    assert torch.equal(copied["pair"].right[0], X + 1)
    for tensor in (copied["pair"].left, copied["record"].value, copied["ordered"]["a"], copied["fixed"]["a"]):
        assert tensor is not X
        assert torch.equal(tensor, X)


def test_that_one_tensor_in_two_places_stays_one() -> None:
    batch = prepare(Batch((X, [X]), {"key": X}), CPU, ("args.1.0",))
    assert batch.args[0] is batch.args[1][0] is batch.kwargs["key"]
    assert batch.args[0].requires_grad


def test_that_a_container_that_holds_itself_is_copied() -> None:
    loop: list[object] = [X]
    loop.append(loop)
    copied = prepare(Batch((loop,), {}), CPU, ()).args[0]
    assert copied[0] is not X


def test_that_a_model_that_changes_its_input_in_place_does_not_reach_the_users_tensor() -> None:
    x = torch.ones(2, 3)
    wanted = prepare(Batch((x,), {"mask": x + 1}), CPU, ("args.0",))
    wanted.args[0].mul_(5).sum().backward()
    wanted.kwargs["mask"].zero_()
    assert torch.equal(x, torch.ones(2, 3))
    assert not x.requires_grad
    assert x.grad is None


def test_that_only_the_wanted_leaves_require_a_gradient() -> None:
    indices = torch.tensor([1, 2])
    batch = prepare(Batch((X, indices), {"z": {"a": X + 1, "b": X + 2}}, X), CPU, ("args.1", "kwargs.z.b", "args.9"))
    assert not batch.args[0].requires_grad
    assert not batch.args[1].requires_grad
    assert not batch.kwargs["z"]["a"].requires_grad
    assert batch.kwargs["z"]["b"].requires_grad
    assert not batch.targets.requires_grad


def test_that_an_input_made_with_requires_grad_has_it_and_its_owner_gets_no_gradient() -> None:
    x = torch.ones(2, 3, requires_grad=True)
    for inputs in (x, x * 2):  # a leaf, and one whose graph could be walked only once
        for _ in range(2):
            prepared = prepare(Batch((inputs,), {}), CPU, ()).args[0]
            assert prepared.requires_grad
            prepared.sum().backward()
    assert x.grad is None


@pytest.mark.parametrize(
    "tensor",
    [
        torch.ones(2, dtype=torch.complex64),
        torch.ones(2).to(torch.float8_e4m3fn),
        torch.eye(3).to_sparse(),
        torch.ones(2, 3, 4, 4).to(memory_format=torch.channels_last),
        torch.ones(3).expand(4, 3),
        torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], layout=torch.jagged),
    ],
    ids=["complex", "float8", "sparse", "channels_last", "expanded", "nested"],
)
def test_that_every_kind_of_tensor_can_require_a_gradient(tensor: torch.Tensor) -> None:
    prepared = prepare(Batch((tensor,), {}), CPU, ("args.0",)).args[0]
    assert prepared.requires_grad
    assert prepared.layout == tensor.layout
    assert not tensor.requires_grad


def test_that_an_inference_tensor_can_require_a_gradient() -> None:
    with torch.inference_mode():
        x = torch.ones(3)
    prepared = prepare(Batch((x,), {}), CPU, ("args.0",)).args[0]
    assert prepared.requires_grad
    assert not prepared.is_inference()


def test_that_a_packed_sequence_keeps_its_batch_sizes_on_the_cpu() -> None:
    packed = pack_sequence([torch.ones(3, 2), torch.ones(2, 2)])
    batch = Batches(Workload(nn.LSTM(2, 2), [packed])).next()
    prepared = prepare(batch, torch.device("meta"), ("args.0.0",)).args[0]
    assert prepared.data.device.type == "meta"
    assert prepared.data.requires_grad
    assert prepared.batch_sizes.device.type == "cpu"


class Graph:
    def __init__(self, nodes: torch.Tensor) -> None:
        self.nodes = nodes

    def to(self, device: torch.device) -> "Graph":
        self.nodes = self.nodes.to(device)
        return self


def test_that_an_object_that_moves_itself_is_moved_as_a_copy() -> None:
    graph = Graph(torch.ones(2))
    batch = Batches(Workload(MODEL, [graph])).next()
    assert prepare(batch, torch.device("meta"), ()).args[0].nodes.device.type == "meta"
    assert graph.nodes.device.type == "cpu"


def test_that_an_input_without_values_cannot_be_copied() -> None:
    with pytest.raises(FailureError) as caught:
        prepare(Batch((torch.ones(2, device="meta"),), {}), CPU, ())
    assert caught.value.failure.kind is FailureKind.BAD_INPUT
    assert "cpu" in caught.value.failure.values["reason"]


# -- what the window is told ----------------------------------------------------------------------------------------


def test_that_a_workload_is_described_by_its_first_batch() -> None:
    workload = Workload(
        MODEL, {"x": X, "ids": [torch.tensor([1])]}, Y, nn.MSELoss(), torch.optim.SGD(MODEL.parameters())
    )
    info = describe(LoadedSource(workload, "title"), Batches(workload))
    assert [(entry.leaf, entry.can_require_grad) for entry in info.inputs] == [
        ("kwargs.x", True),
        ("kwargs.ids.0", False),
    ]
    assert info.inputs[0].spec == TensorSpec((2, 3), "float32", "cpu", "strided", 24)
    assert [target.leaf for target in info.targets] == ["targets"]
    assert (info.title, info.loss_name, info.optimizer_name, info.batches) == ("title", "MSELoss", "SGD", 1)
    assert not info.needs_input


def test_that_a_model_without_inputs_says_that_it_needs_them() -> None:
    info = describe(LoadedSource(Workload(MODEL, ()), "bare", needs_input=True), None)
    assert info.needs_input
    assert info.inputs == ()


# -- made-up inputs -------------------------------------------------------------------------------------------------


def test_that_made_up_inputs_are_the_same_each_time_and_leave_the_random_state_alone() -> None:
    state = torch.get_rng_state()
    asked = (SyntheticInput((2, 3)), SyntheticInput((50,), "int64", 7), SyntheticInput((4,), "bool"))
    first, second = synthesize(asked), synthesize(asked)
    assert all(torch.equal(one, other) for one, other in zip(first, second, strict=True))
    assert [tensor.dtype for tensor in first] == [torch.float32, torch.int64, torch.bool]
    assert set(first[1].tolist()) <= set(range(7))
    assert torch.equal(state, torch.get_rng_state())


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64", "complex64", "float8_e4m3fn", "uint8", "int32"])
def test_that_inputs_of_other_dtypes_can_be_made(dtype: str) -> None:
    (made,) = synthesize((SyntheticInput((3, 2), dtype),))
    assert made.dtype is getattr(torch, dtype)
    assert made.shape == (3, 2)


@pytest.mark.parametrize(
    "asked",
    [
        SyntheticInput((2,), "float33"),
        SyntheticInput((2,), "tensor"),
        SyntheticInput((2,), "uint8", 300),
        SyntheticInput((2,), "int64", 0),
        SyntheticInput((2,), "qint8"),
        SyntheticInput((2**40, 2**40)),
    ],
    ids=["unknown", "no dtype", "too high", "empty range", "quantised", "too large"],
)
def test_that_an_input_that_cannot_be_made_is_bad_input(asked: SyntheticInput) -> None:
    with pytest.raises(FailureError) as caught:
        synthesize((asked,))
    assert caught.value.failure.kind is FailureKind.BAD_INPUT
    assert caught.value.failure.values["reason"]


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        (nn.Conv2d(3, 8, 3), SyntheticInput((1, 3, 32, 32))),
        (nn.Conv2d(3, 8, 7), SyntheticInput((1, 3, 224, 224))),
        (nn.Conv2d(3, 8, 300), SyntheticInput((1, 3, 300, 300))),
        (nn.Conv1d(2, 8, 100), SyntheticInput((1, 2, 100))),
        (nn.Conv3d(1, 8, 3, dilation=9), SyntheticInput((1, 1, 19, 19, 19))),
        (nn.Linear(5, 1).double(), SyntheticInput((1, 5), "float64")),
        (nn.Embedding(77, 4), SyntheticInput((1, 16), "int64", 77)),
        (nn.LSTM(6, 4), SyntheticInput((8, 1, 6))),
        (nn.GRU(6, 4, batch_first=True), SyntheticInput((1, 8, 6))),
        (nn.Sequential(nn.Flatten(), nn.ReLU(), nn.Linear(4, 2), nn.Linear(2, 1)), SyntheticInput((1, 4))),
    ],
    ids=lambda value: str(value).partition("(")[0],
)
def test_that_an_input_is_guessed_from_the_first_layer_that_tells(model: nn.Module, expected: SyntheticInput) -> None:
    assert guess_inputs(model) == (expected,)
    model(*synthesize((expected,)))


@pytest.mark.parametrize("model", [nn.ReLU(), nn.Sequential(nn.LazyLinear(3), nn.Linear(3, 1)), nn.Bilinear(2, 3, 4)])
def test_that_nothing_is_guessed_when_no_layer_tells(model: nn.Module) -> None:
    assert guess_inputs(model) is None


def test_that_guessing_does_not_compute_a_parametrised_weight() -> None:
    model = spectral_norm(nn.Linear(4, 3))
    before = {name: buffer.clone() for name, buffer in model.named_buffers()}
    assert guess_inputs(model) == (SyntheticInput((1, 4)),)
    assert before
    assert all(torch.equal(before[name], buffer) for name, buffer in model.named_buffers())
