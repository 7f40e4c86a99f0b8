"""A step that leaves the state as it was."""

import random
import threading

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn.utils import parametrizations

from hookscope.engine.capture.hooks import ModuleHooks
from hookscope.engine.state.state_snapshot import StateSnapshot

CPU = torch.device("cpu")


def take(model, **options):
    return StateSnapshot.take(model, CPU, **{"parameters": False, **options})


def restore(snapshot):
    snapshot.restore()
    assert snapshot.not_restored() == ()


class Nothing:
    """Observes nothing."""

    def entered(self, path, args, kwargs):
        return None

    def left(self, path, output):
        pass


# -- the acceptance case: Linear, BatchNorm and Dropout in train mode --------------------------------------------------


def test_that_a_step_with_batchnorm_and_dropout_replays_bit_for_bit():
    model = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.Dropout(0.5), nn.Linear(4, 1)).train()
    model[0].weight.grad = old = torch.ones(4, 4)
    x = torch.randn(8, 4)
    buffers = dict(model.named_buffers())
    values = {name: buffer.clone() for name, buffer in buffers.items()}
    attributes = {module: dict(vars(module)) for module in model.modules()}

    def step():
        snapshot = take(model)
        model.zero_grad()
        loss = model(x).sum()
        loss.backward()
        seen = loss.detach(), [parameter.grad.clone() for parameter in model.parameters()]
        assert model[1].num_batches_tracked == 1
        restore(snapshot)
        return seen

    first, second = step(), step()
    assert torch.equal(first[0], second[0])
    assert all(torch.equal(one, other) for one, other in zip(first[1], second[1], strict=True))
    assert all(buffer is buffers[name] for name, buffer in model.named_buffers())
    assert all(torch.equal(buffer, values[name]) for name, buffer in model.named_buffers())
    assert model[0].weight.grad is old
    assert torch.equal(old, torch.ones(4, 4))
    assert [parameter.grad for name, parameter in model.named_parameters() if name != "0.weight"] == [None] * 5
    for module in model.modules():
        assert vars(module).keys() == attributes[module].keys()
        assert all(value is attributes[module][name] for name, value in vars(module).items())


# -- what belongs to modules -------------------------------------------------------------------------------------------


def test_that_buffers_which_were_replaced_added_or_removed_are_put_back():
    model = nn.Module()
    model.register_buffer("replaced", torch.ones(2))
    model.register_buffer("removed", torch.full((2,), 2.0))
    model.register_buffer("grown", torch.full((2,), 3.0))
    model.register_buffer("optional", None)
    before = dict(model._buffers)
    snapshot = take(model)
    model.replaced = torch.zeros(5)
    del model.removed
    model.grown.data = torch.zeros(9)
    model.optional = torch.zeros(1)
    model.register_buffer("added", torch.zeros(1))
    restore(snapshot)
    assert list(model._buffers) == list(before)
    assert all(model._buffers[name] is buffer for name, buffer in before.items())
    assert [model.replaced.tolist(), model.removed.tolist(), model.grown.tolist()] == [[1, 1], [2, 2], [3, 3]]


def test_that_a_gradient_is_the_same_object_with_the_same_values():
    layer = nn.Linear(2, 1)
    layer.weight.grad = gradient = torch.ones(1, 2)
    snapshot = take(layer)
    layer(torch.full((1, 2), 5.0)).sum().backward()
    assert gradient.tolist() == [[6, 6]]
    layer.weight.grad = None
    restore(snapshot)
    assert layer.weight.grad is gradient
    assert gradient.tolist() == [[1, 1]]
    assert layer.bias.grad is None


def test_that_attributes_of_modules_are_put_back():
    model = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    model.calls, model.cache, model.seen, model.named = 3, torch.zeros(2), [torch.zeros(2)], {"x": 1}
    seen, cache = model.seen, model.cache
    snapshot = take(model)
    model.calls += 1
    model.cache += 1
    model.seen[0] += 1
    model.seen.append(torch.ones(1))
    model.named["y"] = 2
    model.made_later = torch.ones(1)
    model.eval()
    model[0].weight.requires_grad_(False)
    model.append(nn.Tanh())
    model[1] = nn.GELU()
    restore(snapshot)
    assert (model.calls, model.cache.tolist(), model.named) == (3, [0, 0], {"x": 1})
    assert model.cache is cache
    assert model.seen is seen
    assert [tensor.tolist() for tensor in seen] == [[0, 0]]
    assert not hasattr(model, "made_later")
    assert all(module.training for module in model.modules())
    assert model[0].weight.requires_grad
    assert [type(child).__name__ for child in model] == ["Linear", "ReLU"]


def test_that_hooks_of_the_model_are_put_back_in_their_order():
    def first(*_):
        pass

    def second(*_):
        pass

    def third(*_):
        pass

    layer = nn.Linear(1, 1)
    handle = layer.register_forward_hook(first, with_kwargs=True)
    layer.register_forward_hook(second, always_call=True)
    snapshot = take(layer)
    handle.remove()
    layer.register_forward_hook(third, prepend=True)
    layer.register_forward_pre_hook(third, with_kwargs=True)
    layer.register_full_backward_hook(third).remove()
    restore(snapshot)
    assert list(layer._forward_hooks.values()) == [first, second]
    assert len(layer._forward_hooks_with_kwargs) == len(layer._forward_hooks_always_called) == 1
    assert not layer._forward_pre_hooks
    assert not layer._forward_pre_hooks_with_kwargs
    assert layer._is_full_backward_hook is None


def test_that_hooks_of_ours_stay_as_they_are_now():
    model = nn.Sequential(nn.Linear(1, 1), nn.Linear(1, 1))
    hooks = ModuleHooks(Nothing())
    hooks.set({"0": model[0]})
    snapshot = take(model)
    hooks.set({"1": model[1]})
    model[1].register_forward_hook(print)
    restore(snapshot)
    assert not model[0]._forward_hooks
    assert len(model[1]._forward_hooks) == len(model[1]._forward_pre_hooks) == 1
    hooks.set({})
    assert not model[1]._forward_hooks
    assert not model[1]._forward_hooks_with_kwargs


def test_that_lazy_modules_keep_what_their_first_call_made():
    model = nn.Sequential(nn.LazyLinear(2), nn.LazyBatchNorm1d(), nn.Linear(2, 1))
    snapshot = take(model)
    x = torch.ones(3, 4)
    model(x).sum().backward()
    snapshot.restore()
    assert snapshot.not_restored() == (
        "0 (LazyLinear): its parameters were made",
        "1 (LazyBatchNorm1d): its parameters were made",
    )
    assert all(parameter.grad is None for parameter in model.parameters())
    snapshot = take(model)
    model(x).sum().backward()
    restore(snapshot)
    assert model[1].num_batches_tracked == 1


def test_that_taking_a_snapshot_runs_none_of_the_models_code():
    layer = parametrizations.spectral_norm(nn.Linear(40, 40)).train()
    layer.lock = threading.Lock()  # nothing that can be deep copied
    vector = layer.parametrizations.weight[0]._u
    before = vector.clone()
    snapshot = take(layer, parameters=True)
    assert torch.equal(vector, before)
    layer(torch.ones(1, 40))
    assert not torch.equal(vector, before)
    restore(snapshot)
    assert layer.parametrizations.weight[0]._u is vector
    assert torch.equal(vector, before)


@pytest.mark.filterwarnings("ignore:.*torch.jit.:DeprecationWarning")
def test_that_torchscript_modules_are_restored():
    model = torch.jit.script(nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2)))
    snapshot = take(model)
    model(torch.randn(4, 2))
    model.eval()
    restore(snapshot)
    assert model.training
    assert [buffer.tolist() for buffer in model.buffers()] == [[0, 0], [1, 1], 0]


def test_that_odd_buffers_are_kept_as_they_are():
    model = nn.Module()
    model.register_buffer("expanded", torch.zeros(1).expand(3))
    model.register_buffer("sparse", torch.eye(2).to_sparse())
    model.register_buffer("meta", torch.empty(2, device="meta"))
    model.register_buffer("empty", torch.empty(0, 2))
    with torch.inference_mode():
        model.register_buffer("inferred", torch.zeros(2))
    restore(take(model))
    snapshot = take(model)
    model.sparse.mul_(3)
    with torch.inference_mode():
        model.inferred.add_(1)
    restore(snapshot)
    assert model.sparse.to_dense().tolist() == [[1, 0], [0, 1]]
    assert model.inferred.tolist() == [0, 0]
    snapshot = take(model)
    model.expanded.data[0:1].fill_(4)
    snapshot.restore()
    assert snapshot.not_restored() == (
        "a tensor of the model (Module) (several of its elements share one place in memory)",
    )


# -- parameters and the optimizer --------------------------------------------------------------------------------------


def test_that_a_parameter_that_was_written_to_is_said_or_put_back():
    layer = nn.Linear(2, 1)
    before = layer.weight.detach().clone()
    snapshot = take(layer)
    with torch.no_grad():
        layer.weight.add_(1)
    snapshot.restore()
    assert snapshot.not_restored() == ("the parameter weight: the model wrote to it",)
    assert torch.equal(layer.weight, before + 1)
    snapshot = take(layer, parameters=True)
    with torch.no_grad():
        layer.weight.add_(1)
    restore(snapshot)
    assert torch.equal(layer.weight, before + 1)


@pytest.mark.parametrize("warm_up", [0, 2])
@pytest.mark.parametrize("kind", [torch.optim.Adam, torch.optim.LBFGS])
def test_that_an_optimizer_step_is_undone(kind, warm_up):
    layer = nn.Linear(2, 1)
    optimizer = kind(layer.parameters(), lr=0.1)

    def step():
        def closure():
            layer.zero_grad()
            loss = (layer(torch.ones(1, 2)) ** 2).sum()
            loss.backward()
            return loss

        optimizer.step(closure)
        return layer.weight.detach().clone()

    for _ in range(warm_up):
        step()
    before, state = layer.weight.detach().clone(), optimizer.state_dict()
    snapshot = take(layer, parameters=True, optimizer=optimizer)
    first = step()
    optimizer.param_groups[0]["lr"] = 7
    restore(snapshot)
    assert torch.equal(layer.weight, before)
    assert optimizer.state_dict()["state"].keys() == state["state"].keys()
    assert optimizer.param_groups[0]["lr"] == 0.1
    assert torch.equal(step(), first)


def test_that_a_loss_with_a_state_is_restored_too():
    model, loss = nn.Linear(2, 2), nn.BatchNorm1d(2)
    snapshot = take(model, beside=[loss])
    loss(model(torch.ones(3, 2)))
    restore(snapshot)
    assert loss.num_batches_tracked == 0


# -- what belongs to the process ---------------------------------------------------------------------------------------


def test_that_random_generators_and_flags_are_put_back():
    def draw():
        return random.random(), float(np.random.rand()), float(torch.rand(()))

    snapshot = take(nn.Identity())
    expected = draw()
    torch.set_grad_enabled(False)
    torch.set_default_dtype(torch.float64)
    torch.set_default_device("meta")
    torch.backends.mha.set_fastpath_enabled(False)
    torch.set_autocast_enabled("cpu", True)
    torch.set_autocast_dtype("cpu", torch.float16)
    restore(snapshot)
    assert draw() == expected
    assert torch.is_grad_enabled()
    assert torch.get_default_dtype() is torch.float32
    assert torch.empty(0).device == CPU
    assert torch.backends.mha.get_fastpath_enabled()
    assert not torch.is_autocast_enabled("cpu")
    assert torch.get_autocast_dtype("cpu") is torch.bfloat16


class Interrupting:
    """A hook that interrupts whoever asks for its module, once: a Ctrl+C at a bad moment."""

    interrupted = False

    @property
    def __module__(self):
        if not Interrupting.interrupted:
            Interrupting.interrupted = True
            raise KeyboardInterrupt
        return "user"

    def __call__(self, *_):
        pass


def test_that_an_interrupt_leaves_nothing_half_restored():
    layer = nn.BatchNorm1d(2)
    snapshot = take(layer)
    layer(torch.ones(3, 2))
    layer.register_forward_hook(Interrupting())
    with pytest.raises(KeyboardInterrupt):
        snapshot.restore()
    assert Interrupting.interrupted
    assert not layer._forward_hooks
    assert layer.num_batches_tracked == 0
