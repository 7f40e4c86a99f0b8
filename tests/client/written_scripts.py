"""Scripts that were written, as modules; a small model, and interventions at every kind of place in it."""

import types
from typing import Any

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

import hookscope
from hookscope.protocol import tensor_changes as kinds
from hookscope.protocol.identity import Slot
from hookscope.protocol.interventions import Index, Intervention, Span


def loaded(script: str) -> types.ModuleType:
    module = types.ModuleType("written")
    exec(compile(script, "written.py", "exec"), module.__dict__)
    return module


class Inner(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 4)
        nn.init.constant_(self.linear.bias, 0.7)
        self.act = nn.ReLU(inplace=True)

    def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None) -> dict[str, Any]:
        y = self.act(self.linear(x))
        y = y + 1
        y = 2 + y
        y.mul_(0.5)
        return {"y": y if mask is None else y * mask, "rest": [y.detach(), "text"]}


class Outer(nn.Module):
    def __init__(self, *, checkpointed: bool = False) -> None:
        super().__init__()
        torch.manual_seed(3)
        self.first = nn.Linear(4, 4)
        self.inner = Inner()
        self.checkpointed = checkpointed

    def block(self, x: torch.Tensor, mask: torch.Tensor | None) -> torch.Tensor:
        y: torch.Tensor = self.inner(x, mask=mask)["y"]
        return y

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.first(x)
        for mask in (None, torch.tensor([1.0, 0.0, 2.0, 3.0])):
            x = checkpoint(self.block, x, mask, use_reentrant=False) if self.checkpointed else self.block(x, mask)
        return x.square().sum()


X = torch.randn(3, 4, generator=torch.Generator().manual_seed(1))

PLACES: dict[str, list[Intervention]] = {
    "input": [Intervention(1, "inner", Slot.INPUT, kinds.Scale(1.5), "args.0")],
    "keyword input of one call": [Intervention(1, "inner", Slot.INPUT, kinds.Add(0.5), "kwargs.mask", 1)],
    "only input": [Intervention(1, "first", Slot.INPUT, kinds.Scale(-1.0))],
    "output": [Intervention(1, "first", Slot.OUTPUT, kinds.Clamp(-0.5, 0.5))],
    "nested output": [Intervention(1, "inner", Slot.OUTPUT, kinds.Flip(), "out.y")],
    "output of one call": [Intervention(1, "inner.linear", Slot.OUTPUT, kinds.Scale(3.0), call=1)],
    "noise in each call": [Intervention(1, "inner.linear", Slot.OUTPUT, kinds.Noise(0.5, 1))],
    "expression with a module": [
        Intervention(1, "inner.linear", Slot.OUTPUT, kinds.Expression("x + module.weight.sum() * (call + 1)"))
    ],
    "gradient of the output": [Intervention(1, "inner.linear", Slot.GRAD_OUTPUT, kinds.Scale(0.1))],
    "gradient of a nested output": [Intervention(1, "inner", Slot.GRAD_OUTPUT, kinds.ClipNorm(0.5))],
    "gradient of one call": [Intervention(1, "inner.linear", Slot.GRAD_OUTPUT, kinds.Zero(), call=0)],
    "noise on gradients": [Intervention(1, "inner.linear", Slot.GRAD_OUTPUT, kinds.Noise(0.5, 1))],
    "share of an input": [Intervention(1, "inner.linear", Slot.GRAD_INPUT, kinds.Flip())],
    "share of an input that is overwritten": [Intervention(1, "inner.act", Slot.GRAD_INPUT, kinds.Scale(2.0))],
    "parameter": [
        Intervention(1, "first", Slot.PARAMETER, kinds.Scale(2.0), "weight", where=Index((0,))),
        Intervention(2, "first", Slot.PARAMETER, kinds.Add(1.0), "weight"),
    ],
    "gradient of a parameter": [Intervention(1, "inner.linear", Slot.PARAMETER_GRAD, kinds.Scale(3.0), "bias")],
    "operation": [Intervention(1, "inner", Slot.OUTPUT, kinds.Scale(2.0), operation="add:1")],
    "operation in place": [Intervention(1, "inner", Slot.OUTPUT, kinds.Add(1.0), operation="mul_:0")],
    "operation of one call": [Intervention(1, "inner", Slot.OUTPUT, kinds.Scale(0.25), operation="mul:0", call=1)],
    "gradient of an operation": [Intervention(1, "inner", Slot.GRAD_OUTPUT, kinds.Scale(5.0), operation="add:0")],
    "several in their order": [
        Intervention(1, "inner.linear", Slot.GRAD_OUTPUT, kinds.Scale(5.0)),
        Intervention(2, "inner.linear", Slot.OUTPUT, kinds.Add(1.0)),
        Intervention(3, "inner.linear", Slot.OUTPUT, kinds.Scale(0.5), where=Index((Span(), 1))),
        Intervention(4, "inner", Slot.GRAD_OUTPUT, kinds.Clamp(-0.1, 0.1), "out", operation="add:0"),
        Intervention(5, "inner", Slot.OUTPUT, kinds.Flip(), operation="add:0"),
        Intervention(6, "inner.linear", Slot.GRAD_INPUT, kinds.Noise(0.1), call=1),
        Intervention(7, "first", Slot.OUTPUT, kinds.Zero(), enabled=False),
    ],
}


def as_in_scripts(interventions: list[Intervention]) -> list[hookscope.Intervention]:
    return [
        hookscope.Intervention(
            *(one.path, one.slot.value, one.change, one.call, index_of(one)), leaf=one.leaf, operation=one.operation
        )
        for one in interventions
        if one.enabled
    ]


def index_of(one: Intervention) -> tuple[int | slice, ...] | None:
    if not isinstance(one.where, Index):
        return None
    return tuple(slice(p.start, p.stop, p.step) if isinstance(p, Span) else p for p in one.where.parts)
