"""Values in words: what they are, without a line of the user's code being run."""

import enum
from collections.abc import Iterator

import numpy as np
import pytest
import torch

from hookscope.engine.value_words import MAX_TEXT, MAX_VALUES, describe, describe_all


class Color(enum.Enum):
    RED = 1


class Touchy:
    """Tells on whoever runs anything of it."""

    touched: list[str] = []  # noqa: RUF012 - shared on purpose

    def __touch(self, what: str) -> str:
        self.touched.append(what)
        return what

    def __repr__(self) -> str:
        return self.__touch("repr")

    def __str__(self) -> str:
        return self.__touch("str")

    def __len__(self) -> int:
        return len(self.__touch("len"))

    def __iter__(self) -> Iterator[object]:
        return iter(self.__touch("iter"))

    def __eq__(self, other: object) -> bool:
        return bool(self.__touch("eq"))

    def __hash__(self) -> int:
        return 1

    def __format__(self, spec: str) -> str:
        return self.__touch("format")


class TouchyList(Touchy, list):
    pass


class TouchyInt(Touchy, int):
    __hash__ = Touchy.__hash__


class Meta(type):
    @property
    def __module__(cls) -> str:
        raise AssertionError


class OfMeta(metaclass=Meta):
    pass


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (3, "int: 3"),
        (True, "bool: True"),
        (0.1, "float: 0.1"),
        (2j, "complex: 2j"),
        (None, "None"),
        ("cls: a", "str: 'cls: a'"),
        (b"\x00", "bytes: b'\\x00'"),
        (range(3), "range: range(0, 3)"),
        (slice(1, None), "slice: slice(1, None, None)"),
        (torch.float16, "torch.dtype: torch.float16"),
        (torch.device("cpu"), "torch.device: cpu"),
        (torch.Size([2, 3]), "torch.Size of 2: [2, 3]"),
        (np.float32(0.5), "numpy.float32: 0.5"),
        (np.zeros((2, 3)), "numpy.ndarray: 2 × 3 float64"),
        (Color.RED, f"{__name__}.Color: RED"),
        ([], "list: []"),
        ((), "tuple: ()"),
        (set(), "set: set()"),
        ([1, "a", None], "list of 3: [1, 'a', None]"),
        ({"a": 1}, "dict of 1: {'a': 1}"),
        (frozenset({1}), "frozenset of 1: {1}"),
        ([[1]], "list of 1: [list]"),
        (object(), "object"),
        (torch.nn.Linear(1, 1), "torch.nn.modules.linear.Linear"),
        (len, "builtin_function_or_method"),
        ("a\ud800", "str: 'a\\ud800'"),
    ],
)
def test_that_a_value_is_told_with_its_type(value: object, words: str) -> None:
    assert describe(value) == words


def test_that_numbers_that_python_refuses_to_write_are_told_otherwise() -> None:
    assert describe(10**5000) == "int: an integer of 16,610 bits"
    assert describe(range(10**5000)) == "range"


def test_that_nothing_of_the_users_is_run() -> None:
    inside = Touchy()
    values = [inside, TouchyList([1]), TouchyInt(3), [inside], {inside: inside}, {inside}, slice(inside), OfMeta()]
    found = [describe(value).removeprefix(f"{__name__}.").partition(" of ")[0] for value in values[:3]]
    assert found == ["Touchy", "TouchyList", "TouchyInt"]
    for value in values:
        describe(value)
    assert describe(OfMeta()) == f"{__name__}.OfMeta"
    assert Touchy.touched == []


@pytest.mark.parametrize("value", ["x" * 10_000, b"x" * 10_000, list(range(10_000)), ["x" * 10_000] * 10])
def test_that_a_long_value_is_cut(value: object) -> None:
    text = describe(value).partition(": ")[2]
    assert len(text) == MAX_TEXT + 1
    assert text.endswith("…")


def test_that_of_very_many_values_the_last_says_how_many_more_there_are() -> None:
    told = list(describe_all([(f"out.{number}", number) for number in range(100)]))
    assert len(told) == MAX_VALUES
    assert told[-2:] == [("out.30", "int: 30"), ("out.31", "69 more values")]
    assert list(describe_all([("out", 1)] * MAX_VALUES))[-1] == ("out", "int: 1")
