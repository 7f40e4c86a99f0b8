"""Each change at each point of a small model, against plain PyTorch hooks that do the same by hand."""

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
import torch
from torch import nn

import hookscope
from hookscope import changes

Values = Callable[[torch.Tensor], torch.Tensor]
Hooked = Callable[[nn.Sequential, Values], list[object]]

PATH = "1"


def generator(seed: int) -> torch.Generator:
    """Return the generator that the first call of the changed module has."""
    digest = hashlib.sha256(f"{seed} 0 {PATH}".encode()).digest()
    return torch.Generator().manual_seed(int.from_bytes(digest[:8], "big") >> 1)


def clipped(x: torch.Tensor) -> torch.Tensor:
    norm = torch.linalg.vector_norm(x, dtype=torch.float64)
    return x * (0.25 / norm) if norm > 0.25 else x


CHANGES: dict[changes.Change, Values] = {
    changes.Zero(): lambda x: x * 0,
    changes.Scale(-1.5): lambda x: x * -1.5,
    changes.Add(0.25): lambda x: x + 0.25,
    changes.Clamp(-0.1, 0.2): lambda x: x.clamp(-0.1, 0.2),
    changes.ClipNorm(0.25): clipped,
    changes.Noise(0.5, 3): lambda x: x + 0.5 * torch.randn(x.shape, generator=generator(3), dtype=x.dtype),
    changes.Constant(0.75): lambda x: x * 0 + 0.75,
    changes.Mean(0): lambda x: x.mean(0, keepdim=True).expand_as(x),
    changes.Replace(torch.tensor([0.5])): lambda x: torch.full_like(x, 0.5),
    changes.Shuffle(5): lambda x: x[torch.randperm(len(x), generator=generator(5))],
    changes.NanTo(1.0): lambda x: torch.nan_to_num(x, 1.0),
    changes.Flip(): lambda x: -x,
    changes.Expression("x * 2 + x.mean() + call"): lambda x: x * 2 + x.mean(),
}
OF_FORWARD: dict[changes.Change, Values] = {
    changes.StopGradient(): torch.Tensor.detach,
    changes.StraightThrough(changes.Scale(3.0)): lambda x: x + (x * 3 - x).detach(),
}


def on_input(model: nn.Sequential, values: Values) -> list[object]:
    return [model[1].register_forward_pre_hook(lambda _module, args: (values(args[0]),))]


def on_output(model: nn.Sequential, values: Values) -> list[object]:
    return [model[1].register_forward_hook(lambda _module, _args, output: values(output))]


def on_grad_output(model: nn.Sequential, values: Values) -> list[object]:
    def hook(_module: nn.Module, _args: object, output: torch.Tensor) -> None:
        output.register_hook(lambda gradient: values(gradient).clone())

    return [model[1].register_forward_hook(hook)]


def on_grad_input(model: nn.Sequential, values: Values) -> list[object]:
    def hook(_module: nn.Module, args: tuple[torch.Tensor]) -> tuple[torch.Tensor]:
        alias = args[0].view_as(args[0])
        alias.register_hook(lambda gradient: values(gradient).clone())
        return (alias,)

    return [model[1].register_forward_pre_hook(hook)]


def on_parameter_gradient(model: nn.Sequential, values: Values) -> list[object]:
    return [model[1].weight.register_hook(lambda gradient: values(gradient).clone())]


POINTS: dict[str, tuple[Hooked, str]] = {
    "input": (on_input, ""),
    "output": (on_output, ""),
    "grad_output": (on_grad_output, ""),
    "grad_input": (on_grad_input, ""),
    "parameter_grad": (on_parameter_gradient, "weight"),
}
FORWARD = {"input", "output"}
PAIRS = [
    *((slot, change, values) for slot in POINTS for change, values in CHANGES.items()),
    *((slot, change, values) for slot in sorted(FORWARD) for change, values in OF_FORWARD.items()),
]


def made() -> nn.Sequential:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 5), nn.Tanh(), nn.Linear(5, 2))


def run(model: nn.Sequential) -> list[torch.Tensor]:
    """Return the output, and all gradients; zeros for none."""
    inputs = torch.randn(6, 3, generator=torch.Generator().manual_seed(1))
    output = model(inputs)
    output.square().sum().backward()
    gradients = (parameter.grad for parameter in model.parameters())
    zeros = (torch.zeros_like(parameter) for parameter in model.parameters())
    return [output.detach(), *(zero if grad is None else grad for grad, zero in zip(gradients, zeros, strict=True))]


@contextmanager
def changed_weight(model: nn.Sequential, values: Values) -> Iterator[None]:
    before = model[1].weight.detach().clone()
    with torch.no_grad():
        model[1].weight.copy_(values(before))
    yield
    with torch.no_grad():
        model[1].weight.copy_(before)


@pytest.mark.parametrize(("slot", "change", "values"), PAIRS, ids=str)
def test_that_a_change_does_what_a_plain_hook_does(slot: str, change: changes.Change, values: Values) -> None:
    hook, leaf = POINTS[slot]
    by_hand, model = made(), made()
    handles = hook(by_hand, values)
    expected = run(by_hand)
    assert handles
    with hookscope.observe(model, "", interventions=[hookscope.Intervention(PATH, slot, change, leaf=leaf)]):
        found = run(model)
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize(("change", "values"), CHANGES.items(), ids=str)
def test_that_a_parameter_is_changed_for_the_block_alone(change: changes.Change, values: Values) -> None:
    by_hand, model, untouched = made(), made(), made()
    with changed_weight(by_hand, values):
        expected = run(by_hand)
    intervention = hookscope.Intervention(PATH, "parameter", change, leaf="weight")
    with hookscope.observe(model, "", interventions=[intervention]):
        found = run(model)
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-6, atol=1e-7)
    for one, other in zip(model.parameters(), untouched.parameters(), strict=True):
        assert one.equal(other)
