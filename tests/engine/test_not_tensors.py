"""Inputs and outputs that are no tensors: each has a record that says what it is, and the model does not notice."""

import gc
import json
import weakref
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence
from torch.utils.checkpoint import checkpoint

import hookscope
from hookscope.engine.exports.step_files import write_step
from hookscope.engine.series.overview import overview_of
from hookscope.protocol.hooks import HookMode
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.tensors import BadgeKind, instead_of_tensor
from tests.engine.observing import Seen, step
from tests.engine.operating import Running, Session


def told(seen: Seen, path: str, slot: Slot) -> dict[str, str]:
    """Return by leaf what a slot has that is no tensor."""
    captures = [capture for capture in seen.order if (capture.ref.path, capture.ref.slot) == (path, slot)]
    return {capture.ref.leaf: words for capture in captures if (words := instead_of_tensor(capture.badges))}


class Giving(nn.Module):
    """Returns anything, besides of what a loss is made."""

    def __init__(self, value: object) -> None:
        super().__init__()
        self.inner = Running(lambda _self, *_args, **_kwargs: value)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.inner(x)
        return x * 2


def given(value: object) -> dict[str, str]:
    """Return what is recorded of a module that returns a value."""
    x = torch.ones(2, requires_grad=True)
    return told(step(Giving(value), lambda m: m(x).sum()), "inner", Slot.OUTPUT)


class Cache:
    pass


@dataclass
class Answer:
    score: object
    name: str


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (3, {"out": "int: 3"}),
        ("cls", {"out": "str: 'cls'"}),
        (None, {"out": "None"}),
        ([], {"out": "list: []"}),
        (OrderedDict(), {"out": "collections.OrderedDict"}),
        ([1, 2], {"out": "list of 2: [1, 2]"}),
        (torch.Size([4, 1]), {"out": "torch.Size of 2: [4, 1]"}),
        (Cache(), {"out": f"{__name__}.Cache"}),
        ((torch.ones(1), None), {"out.1": "None"}),
        ((torch.ones(1), {"n": 1, "names": ["a"]}), {"out.1.n": "int: 1", "out.1.names": "list of 1: ['a']"}),
        (Answer(torch.ones(1), "a"), {"out.name": "str: 'a'"}),
        (Answer(1, "a"), {"out.score": "int: 1", "out.name": "str: 'a'"}),
        ((torch.ones(1), [torch.ones(1)]), {}),
    ],
    ids=repr,
)
def test_that_what_a_module_returns_besides_tensors_is_told(value: object, words: dict[str, str]) -> None:
    assert given(value) == words


def test_that_the_parts_of_a_packed_sequence_are_tensors_and_what_it_leaves_out_is_told() -> None:
    packed = pack_padded_sequence(torch.ones(2, 3, 1), torch.tensor([3, 2]), batch_first=True)
    assert given(packed) == {"out.2": "None", "out.3": "None"}
    assert given(torch.distributions.Normal(0.0, 1.0)) == {"out": "torch.distributions.normal.Normal"}


def test_that_a_generator_is_told_and_still_has_its_items() -> None:
    made: list[Iterator[int]] = [iter(range(3)), (number for number in range(3))]
    assert given(made[0]) == {"out": "range_iterator"}
    assert given(made[1]) == {"out": "generator"}
    assert [list(one) for one in made] == [[0, 1, 2], [0, 1, 2]]


def test_that_a_container_in_itself_does_not_go_on_for_ever() -> None:
    value: dict[str, Any] = {"n": 1}
    value["again"] = value
    assert given(value) == {"out.n": "int: 1"}


def test_that_arguments_are_told_and_those_that_were_not_given_are_not() -> None:
    class Taking(nn.Module):
        def forward(self, x, flag, mask=None, size=(1, 1), options=None):
            return x * 2

    class Outer(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = Taking()

        def forward(self, x):
            return self.inner(x, True, mask=None, size=(2, 3), options=[x, None, "a"])

    seen = step(Outer(), lambda m: m(torch.ones(2, requires_grad=True)).sum())
    assert told(seen, "inner", Slot.INPUT) == {
        "args.1": "bool: True",
        "kwargs.size": "tuple of 2: (2, 3)",
        "kwargs.options.2": "str: 'a'",
    }
    assert seen.leaves("inner", Slot.INPUT) == ["args.0", "kwargs.options.0"]


def test_that_of_very_many_values_a_few_are_told() -> None:
    found = given([[number, [number]] for number in range(100)])
    assert len(found) == 32
    assert list(found.values())[-1] == "169 more values"


def test_that_a_module_without_anything_else_has_records_of_tensors_only() -> None:
    seen = step(nn.Linear(2, 1), lambda m: m(torch.ones(1, 2)).sum())
    assert not any(instead_of_tensor(capture.badges) for capture in seen.order)


@pytest.mark.parametrize("mode", [HookMode.NATIVE, HookMode.LEGACY, HookMode.ALIAS])
def test_that_it_is_told_in_every_mode(mode: HookMode) -> None:
    model = Running(lambda _self, x: (x * 2, {"n": 3}))
    seen = step(model, lambda m: m(torch.ones(2, requires_grad=True) * 1)[0].sum(), ("",), modes={"": mode})
    assert told(seen, "", Slot.OUTPUT) == {"out.1": "dict of 1: {'n': 3}"}
    assert seen.leaves("", Slot.OUTPUT) == ["out.0"]


def test_that_what_a_recomputation_gives_is_told_of_its_own_call() -> None:
    model = Running(
        lambda self, x: checkpoint(self.inner, x, use_reentrant=True)[0],
        inner=Running(lambda _self, x: (x.sin(), 7)),
    )
    seen = step(model, lambda m: m(torch.ones(2, requires_grad=True)).sum())
    assert seen.badges("inner", Slot.OUTPUT, "out.1", 0) == [BadgeKind.NOT_A_TENSOR]
    assert seen.badges("inner", Slot.OUTPUT, "out.1", 1) == [BadgeKind.NOT_A_TENSOR, BadgeKind.RECOMPUTED]


def test_that_what_an_operation_gives_besides_tensors_is_told() -> None:
    attention = nn.MultiheadAttention(4, 2)
    session = Session(attention, ["multi_head_attention_forward:0"])
    session.step(lambda m: m(*[torch.ones(3, 1, 4)] * 3, need_weights=False)[0].sum())
    ref = TensorRef("", Slot.OUTPUT, "out.1", operation="multi_head_attention_forward:0")
    with session.store.open(ref) as (capture, tensor):
        assert capture is not None
        assert (instead_of_tensor(capture.badges), tensor) == ("None", None)


def test_that_nothing_of_it_is_kept_alive() -> None:
    references: list[weakref.ref[object]] = []

    class Making(nn.Module):
        def forward(self, x, cache):
            made = Cache()
            references.extend([weakref.ref(made), weakref.ref(cache)])
            return x * 2, [made, made]

    class Outer(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = Making()

        def forward(self, x):
            return self.inner(x, cache=Cache())[0]

    model = Outer()
    gc.disable()
    try:
        with hookscope.observe(model) as seen:
            model(torch.ones(2, requires_grad=True))
            assert [reference() for reference in references] == [None, None]
    finally:
        gc.enable()
    assert [record.leaf for record in seen.records() if "not_a_tensor" in record.badges] == ["kwargs.cache", "out.1"]


class Mixing(nn.Module):
    """Draws random numbers, and gives and takes what is no tensor."""

    def forward(self, x: torch.Tensor, *_args: object, **_kwargs: object) -> tuple[object, ...]:
        return nn.functional.dropout(x), Cache(), [3, "a"], None, {}


class Wayward(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 4)
        self.inner = Mixing()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.layer(x)
        x, *_ = self.inner(x, 3, "a", cache=Cache(), flag=True, size=x.shape, nothing=None)
        return self.layer(x)


def test_that_outputs_gradients_and_random_state_keep_every_bit() -> None:
    def run(observed: bool) -> list[torch.Tensor]:
        torch.manual_seed(0)
        model = Wayward()
        x = torch.randn(3, 4, requires_grad=True)
        if observed:
            with hookscope.observe(model) as seen:
                y = model(x)
                y.sum().backward()
            assert "not_a_tensor" in {badge for record in seen.records() for badge in record.badges}
        else:
            y = model(x)
            y.sum().backward()
        return [y, x.grad, *(p.grad for p in model.parameters()), torch.get_rng_state()]

    assert all(torch.equal(*pair) for pair in zip(run(observed=True), run(observed=False), strict=True))


def test_that_a_script_is_told_why_there_is_no_tensor() -> None:
    model = Giving("cls")
    with hookscope.observe(model) as seen:
        model(torch.ones(2))
    record = next(record for record in seen.records() if (record.path, record.slot) == ("inner", "output"))
    assert (record.leaf, record.shape, record.badges) == ("out", None, ("not_a_tensor",))
    for ask in (("inner", "output"), ("inner", "output", 0, "out")):
        with pytest.raises(hookscope.NotCaptured, match=r"is no tensor.* \(str: 'cls'\)"):
            seen.tensor(*ask)
    with pytest.raises(hookscope.NotCaptured, match="no tensor whose gradient"):
        seen.tensor("inner", "grad_output")


def test_that_a_tensor_beside_other_values_needs_no_name() -> None:
    model = Running(lambda _self, x, *_args: (None, x * 2, 3))
    with hookscope.observe(model) as seen:
        model(torch.ones(2), "a", 5)
    assert seen.tensor("", "output").tolist() == [2, 2]
    assert seen.tensor("", "input").tolist() == [1, 1]


def test_that_an_export_lists_it_without_a_file(tmp_path: Path) -> None:
    seen = step(Giving({"n": [1, 2]}), lambda m: m(torch.ones(2, requires_grad=True)).sum())
    done = write_step(seen.store, 1, tmp_path, lambda _done: None)
    index = json.loads((tmp_path / "index.json").read_bytes())
    assert index["not_tensors"] == [
        {
            "path": "inner",
            "slot": "output",
            "call": 0,
            "leaf": "out.n",
            "operation": "",
            "text": "list of 2: [1, 2]",
        }
    ]
    assert len(list(tmp_path.glob("*.npy"))) == len(done.entries) == len(index["tensors"])
    assert not any(skipped.ref.leaf == "out.n" for skipped in done.skipped)


def test_that_an_overview_of_layers_says_that_there_is_no_tensor() -> None:
    seen = step(Giving((3, None)), lambda m: m(torch.ones(2, requires_grad=True)).sum())
    layers = {layer.path: layer for layer in overview_of(seen.store, 1, 0)}
    inner, root = layers["inner"], layers[""]
    assert (inner.output, inner.grad_output) == (None, None)
    assert [inner.absences[slot].kind for slot in (Slot.OUTPUT, Slot.GRAD_OUTPUT)] == [BadgeKind.NOT_A_TENSOR] * 2
    assert inner.order < root.order
    assert root.absences == {}


def test_that_what_stands_beside_a_tensor_does_not_explain_its_absence() -> None:
    model = Running(lambda _self, x: (torch.ones(2, device="meta"), 3, x))
    seen = step(model, lambda m: m(torch.ones(2, requires_grad=True))[2].sum())
    assert overview_of(seen.store, 1, 0)[0].output is not None
    seen = step(Giving((torch.ones(2, device="meta"), 3)), lambda m: m(torch.ones(2, requires_grad=True)).sum())
    inner = next(layer for layer in overview_of(seen.store, 1, 0) if layer.path == "inner")
    assert inner.absences[Slot.OUTPUT].kind is BadgeKind.NO_DATA
