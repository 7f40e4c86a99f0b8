"""One training step twice, bare and observed, of two models that are the same: what differs afterwards."""

import random
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

import hookscope
from scripts.zoolib.recipe import Specimen, build

HOOK_DICTS = (
    "_forward_hooks", "_forward_hooks_with_kwargs", "_forward_hooks_always_called", "_forward_pre_hooks",
    "_forward_pre_hooks_with_kwargs", "_backward_hooks", "_backward_pre_hooks", "_is_full_backward_hook",
    "_state_dict_hooks", "_state_dict_pre_hooks", "_load_state_dict_pre_hooks", "_load_state_dict_post_hooks",
    "_post_accumulate_grad_hooks",
)  # fmt: skip
"""Of modules and of parameters."""


@dataclass(frozen=True)
class Step:
    """What one step left behind.

    Attributes:
        tensors: By name, all that must have the same bits: loss, outputs, gradients, buffers, random states.
        attributes: Module path -> names of its attributes.
        hooks_kept: Whether every hook dict was after the step what it was before.
        records: How many firings were recorded.
        faults: Values that could not be captured by a fault of hookscope's own.
    """

    tensors: Mapping[str, torch.Tensor | None]
    attributes: Mapping[str, frozenset[str]]
    hooks_kept: bool
    records: int = 0
    faults: tuple[str, ...] = ()


@dataclass(frozen=True)
class Outcome:
    """How an observed step compares with a bare one: it is the same when `differences` is empty."""

    name: str
    modules: int
    parameters: int
    records: int
    seconds: float
    differences: tuple[str, ...]


def compare(name: str) -> Outcome:
    """Run both steps of an architecture.

    Raises:
        Exception: It cannot be built, or its bare step raises.
    """
    started = time.perf_counter()
    specimen = build(name)
    model = specimen.model
    modules, parameters = sum(1 for _ in model.modules()), sum(p.numel() for p in model.parameters())
    bare = run_step(specimen, observed=False)
    records = 0
    try:
        observed = run_step(build(name), observed=True)
        records, differences = observed.records, tuple(_differences(bare, observed))
    except Exception as error:
        differences = (f"raises {type(error).__name__}: {error}",)
    return Outcome(name, modules, parameters, records, time.perf_counter() - started, differences)


def run_step(specimen: Specimen, *, observed: bool) -> Step:
    """Run one forward and backward pass, with every module observed or with nothing on the model."""
    model = specimen.model
    random.seed(0)
    np.random.seed(0)
    torch.manual_seed(1)
    hooked = [*model.modules(), *model.parameters()]  # some models exchange modules in their first forward pass
    hooks_before = _hooks(hooked)
    if observed:
        with hookscope.observe(model) as seen:
            loss, outputs = _run(specimen)
        records = seen.records()
    else:
        loss, outputs = _run(specimen)
        records = []
    return Step(
        dict(_results(model, loss, outputs)),
        {path: frozenset(vars(module)) for path, module in model.named_modules()},
        _hooks(hooked) == hooks_before,
        len(records),
        tuple(f"{r.path!r} {r.slot} {r.leaf}: {r.remarks[-1]}" for r in records if "capture_failed" in r.badges),
    )


def _run(specimen: Specimen) -> tuple[torch.Tensor, tuple[torch.Tensor, ...]]:
    loss, outputs = specimen.run()
    loss.backward()
    return loss, outputs


def _results(
    model: nn.Module, loss: torch.Tensor, outputs: tuple[torch.Tensor, ...]
) -> Iterator[tuple[str, torch.Tensor | None]]:
    yield "loss", loss.detach()
    yield from ((f"output {number}", output.detach()) for number, output in enumerate(outputs))
    yield from ((f"gradient of {name}", parameter.grad) for name, parameter in model.named_parameters())
    yield from ((f"buffer {name}", buffer) for name, buffer in model.named_buffers())
    yield "random state of torch", torch.get_rng_state()
    yield "random state of Python", torch.tensor(random.getstate()[1])
    yield "random state of numpy", torch.from_numpy(np.random.get_state()[1].astype(np.int64))


def _differences(bare: Step, observed: Step) -> Iterator[str]:
    names = bare.tensors.keys() | observed.tensors.keys()
    yield from sorted(
        name for name in names if not _same_bits(bare.tensors.get(name, None), observed.tensors.get(name, None))
    )
    if bare.attributes != observed.attributes:
        yield "attributes of modules"
    if not observed.hooks_kept:
        yield "hooks left on modules"
    yield from observed.faults


def _same_bits(one: torch.Tensor | None, other: torch.Tensor | None) -> bool:
    if one is None or other is None:
        return one is other
    if (one.shape, one.dtype, one.layout) != (other.shape, other.dtype, other.layout):
        return False
    if one.layout is not torch.strided:
        one, other = one.to_dense(), other.to_dense()
    # As bytes, so that a NaN equals itself and 0.0 is not -0.0.
    return torch.equal(*(tensor.contiguous().flatten().view(torch.uint8) for tensor in (one, other)))


def _hooks(hooked: list[nn.Module | nn.Parameter]) -> list[object]:
    """Return copies of all hook dicts; equal lists hold the same hooks."""
    return [_copied(getattr(thing, name, None)) for thing in hooked for name in HOOK_DICTS]


def _copied(hooks: object) -> object:
    return dict(hooks) if isinstance(hooks, Mapping) else hooks
