from typing import get_args

import msgspec
import pytest

from hookscope.figures.breakpoint_match import is_on
from hookscope.figures.breakpoint_words import PHASES, TITLES, word_condition, word_phases, word_place
from hookscope.protocol.stops import Breakpoint, Condition, EventPhase, Expression, NormAbove, ZerosAbove
from hookscope.protocol.tree import ModuleInfo

CONV = ModuleInfo("features.0", "0", "Conv2d", 0, aliases=("stem.0",))


@pytest.mark.parametrize("kind", get_args(Condition))
def test_that_every_condition_can_be_chosen_and_read(kind: type[Condition]) -> None:
    assert TITLES[kind]
    fields = dict.fromkeys(kind.__struct_fields__, "1 > 0" if kind is Expression else 1)
    assert "{" not in word_condition(msgspec.convert(fields, kind)) != ""


def test_that_conditions_read_as_they_are_meant() -> None:
    assert word_condition(None) == ""
    assert word_condition(NormAbove(1000.0)) == "norm > 1000"
    assert word_condition(ZerosAbove(0.9)) == "zeros > 0.9"
    assert word_condition(Expression("tensor.max() > {1}.pop()")) == "tensor.max() > {1}.pop()"


def test_that_phases_come_in_the_order_in_which_they_happen() -> None:
    breakpoint_ = Breakpoint(1, "", (EventPhase.BACKWARD_ENTER, EventPhase.FORWARD_ENTER), operation="sqrt")
    assert word_phases(breakpoint_) == "forward enter, backward enter"
    assert word_place(breakpoint_, "Net") == "Net, sqrt"
    assert PHASES.keys() == set(EventPhase)


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [("features.0", True), ("stem.*", True), ("class:Conv*", True), ("class:Linear", False), ("", False), ("*", True)],
)
def test_that_a_breakpoint_is_on_modules_by_path_alias_or_class(pattern: str, expected: bool) -> None:
    assert is_on(Breakpoint(1, pattern, (EventPhase.FORWARD_ENTER,)), CONV) is expected
