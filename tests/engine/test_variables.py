"""Local variables in words, and what looking at them must not do."""

import itertools
import types
from array import array
from collections import OrderedDict, deque, namedtuple
from dataclasses import dataclass, field
from enum import Enum
from pathlib import PurePosixPath

import msgspec
import numpy as np
import pytest
import torch
from torch import nn
from torch.overrides import TorchFunctionMode

from hookscope.engine.code import timed_repr, variables
from hookscope.engine.code.variables import MAX_TEXT, Describer, is_shown


def text(value: object) -> str:
    return Describer().describe("value", value).text


@dataclass
class Settings:
    hidden: int
    mask: torch.Tensor
    late: list[int] = field(init=False)


class Plain:
    pass


class Colour(Enum):
    RED = 1


@pytest.mark.parametrize(
    ("tensor", "expected"),
    [
        (torch.tensor([[-1.5, 2.0, 0.25]]), "1 × 3 float32 cpu: -1.5 … 2"),
        (torch.tensor(0.125), "scalar float32 cpu: 0.125"),
        (torch.tensor([1.0, float("nan"), float("inf"), -float("inf")]), "4 float32 cpu: 1, 1 NaN, 1 +Inf, 1 -Inf"),
        (torch.full((2,), float("nan")), "2 float32 cpu: 2 NaN"),
        (torch.tensor([3, 12345678]), "2 int64 cpu: 3 … 12345678"),
        (torch.tensor([2**63 - 1]), "1 int64 cpu: 9.223e+18"),
        (torch.tensor([True, False]), "2 bool cpu: 0 … 1"),
        (torch.tensor([3 + 4j]), "1 complex64 cpu: 5"),
        (torch.tensor([0.5, 3.0]).to(torch.bfloat16), "2 bfloat16 cpu: 0.5 … 3"),
        (torch.zeros(0, 3), "0 × 3 float32 cpu"),
        (torch.ones(2, 2).to_sparse(), "2 × 2 float32 cpu: 1"),
    ],
)
def test_that_a_tensor_shows_sizes_dtype_device_and_range(tensor: torch.Tensor, expected: str) -> None:
    assert text(tensor) == expected


def test_that_a_tensor_without_values_says_why() -> None:
    assert text(torch.empty(2, 3, device="meta")).startswith("2 × 3 float32 meta: on the meta device")
    assert text(nn.LazyLinear(2).weight).startswith("scalar float32 cpu: not initialized")
    seen: list[str] = []
    torch.func.vmap(lambda row: (seen.append(text(row)), row)[1])(torch.ones(2, 3))
    assert seen == ["3 float32 cpu: inside a torch.func transform: it has no values of its own"]


def test_that_looking_at_a_tensor_is_seen_by_no_mode_and_records_no_graph() -> None:
    class Seeing(TorchFunctionMode):
        seen: list[object] = []  # noqa: RUF012

        def __torch_function__(self, func, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
            self.seen.append(func)
            return func(*args, **(kwargs or {}))

    weight = nn.Parameter(torch.ones(3))
    with Seeing() as mode:
        described = Describer().describe("weight", weight)
        Describer().describe("weights", [weight])
    assert not mode.seen
    assert (described.type, described.text) == ("Parameter", "3 float32 cpu: 1")


def test_that_a_stack_reads_no_more_than_its_share_and_no_tensor_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(variables, "MAX_RANGE_ELEMENTS", 10)
    describer = Describer()
    small, large = torch.ones(6), torch.ones(5)
    texts = [describer.describe("x", tensor).text for tensor in (small, large, small, torch.ones(4))]
    assert texts == ["6 float32 cpu: 1", "5 float32 cpu", "6 float32 cpu: 1", "4 float32 cpu: 1"]


def test_that_a_module_shows_its_class_and_path() -> None:
    model = nn.Sequential(nn.Linear(2, 3))
    describer = Describer({id(module): path for path, module in model.named_modules()})
    assert describer.describe("layer", model[0]).text == "Linear 0"
    assert describer.describe("self", model).text == "Sequential"
    assert describer.describe("layers", [model[0], nn.ReLU()]).text == "list(2): Linear 0, ReLU"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ([1, 2.5, None, 4], "list(4): 1, 2.5, None, …"),
        ([], "list(0)"),
        ((torch.ones(2, 3), [1, 2], Plain()), "tuple(3): 2 × 3 float32 cpu, list(2), Plain"),
        ({"x": torch.ones(2), 3: {"y": 1}}, "dict(2): 'x': 2 float32 cpu, 3: dict(1)"),
        ({"a": 1}.keys(), "dict_keys(1): 'a'"),
        (OrderedDict(a=1), "OrderedDict(1): 'a': 1"),
        (deque([1, 2]), "deque(2): 1, 2"),
        (frozenset([7]), "frozenset(1): 7"),
        (array("i", range(9)), "array(9): 0, 1, 2, …"),
        (namedtuple("Point", "x y")(1, 2), "Point(2): 1, 2"),
        (Settings(8, torch.ones(1, 4)), "Settings(3): hidden=8, mask=1 × 4 float32 cpu, late=<not set>"),
        (torch.Size([2, 3, 4, 5]), "torch.Size([2, 3, 4, 5])"),
        (np.zeros((2, 3), np.float16), "2 × 3 float16"),
        (np.float64(0.5), repr(np.float64(0.5))),
        (torch.float16, "torch.float16"),
        (Plain(), f"{__name__}.Plain"),
        (Colour.RED, "<Colour.RED: 1>"),
        (PurePosixPath("a/b"), "PurePosixPath('a/b')"),
        (types.SimpleNamespace(a=1), "namespace(a=1)"),
        pytest.param(10**5000, "<an integer of 16,610 bits>", id="huge"),
        (True, "True"),
        ("two\nlines  here", r"'two\nlines  here'"),
        (bytearray(b"ab"), "b'ab'"),
    ],
)
def test_that_each_kind_of_value_has_its_words(value: object, expected: str) -> None:
    assert text(value) == expected


def test_that_names_of_pythons_own_and_modules_functions_and_classes_are_left_out() -> None:
    left_out = {"__name__": "x", ".0": iter(()), "np": np, "f": text, "m": [].append, "b": len, "C": Plain}
    assert not [name for name, value in left_out.items() if is_shown(name, value)]
    assert all(is_shown(name, value) for name, value in {"x": 1, "_y": None, "self": nn.ReLU()}.items())


def test_that_a_long_text_is_cut_and_stands_on_one_line() -> None:
    assert text("x" * 10**7) == "'" + "x" * (MAX_TEXT - 2) + "…"
    assert len(text([["y" * 10**6] * 3] * 10**6)) <= MAX_TEXT

    class Wide:
        def __repr__(self) -> str:
            return "first\n    second\udc80" + "z" * 1000

    described = Describer().describe("wide", Wide())
    assert described.text.startswith("first second\\udc80zzz")
    assert described.text.endswith("z…")
    assert len(described.text) == MAX_TEXT
    assert msgspec.msgpack.encode(described)


def test_that_a_generator_has_all_its_items_afterwards() -> None:
    items = (number for number in range(3))
    counter = itertools.count()
    assert "generator object" in text(items)
    assert text([counter, items]) == "list(2): count, generator"
    assert list(items) == [0, 1, 2]
    assert next(counter) == 0


def test_that_methods_which_a_container_overrides_are_not_called() -> None:
    class Sly(list[int]):
        def __iter__(self):  # type: ignore[no-untyped-def]
            raise AssertionError("iterated")

        def __len__(self) -> int:
            raise AssertionError("measured")

        def __repr__(self) -> str:
            raise AssertionError("asked")

    assert text(Sly([1, 2])) == "Sly(2): 1, 2"


class _Proxy:
    @property
    def __class__(self):  # type: ignore[no-untyped-def]
        raise AssertionError("asked for its class")


def test_that_a_proxy_is_not_asked_for_what_it_stands_for() -> None:
    assert is_shown("proxy", _Proxy())
    assert text(_Proxy()) == f"{__name__}._Proxy"


@pytest.mark.parametrize("error", [RuntimeError, SystemExit, KeyboardInterrupt])
def test_that_a_repr_that_raises_is_named(error: type[BaseException]) -> None:
    class Rude:
        def __repr__(self) -> str:
            raise error

    assert text(Rude()) == f"<its repr raised {error.__name__}>"


class Endless:
    asked = 0

    def __repr__(self) -> str:
        Endless.asked += 1
        while True:
            pass


def test_that_an_endless_repr_is_given_up_and_its_class_not_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timed_repr, "REPR_LIMIT_S", 0.05)
    describer = Describer()
    texts = [describer.describe("endless", Endless()).text for _ in range(3)]
    assert texts == ["<its repr takes too long>"] * 3
    assert Endless.asked == 1
