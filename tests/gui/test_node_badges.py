"""What a module is marked with: which badges of its tensors hold for all of it, and which of them comes first."""

from collections import Counter

import pytest

from hookscope.gui.assets import icon
from hookscope.gui.badge_looks import LOOKS
from hookscope.gui.module_tree.node_badges import IMPORTANCE, SAID_BY_MODE, SAID_BY_VALUE, node_badges
from hookscope.gui.theme import DARK, LIGHT
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.tensors import Badge, BadgeKind, Record, TensorSpec
from hookscope.protocol.tree import ModuleInfo, ParameterInfo

SPEC = TensorSpec((2, 3), "float32", "cpu")
PLAIN = ModuleInfo("net.0", "0", "Linear", 0)

OF_GRADIENTS = (
    BadgeKind.NO_GRAD_MODE,
    BadgeKind.NO_GRADIENT_REACHED,
    BadgeKind.OUTPUT_NEEDS_NO_GRAD,
    BadgeKind.INTEGER_OUTPUT,
)
NEVER_RAN = (
    BadgeKind.COMPILED,
    BadgeKind.SCRIPTED,
    BadgeKind.EXPORTED,
    BadgeKind.BYPASSES_CALL,
    BadgeKind.NEVER_CALLED,
    BadgeKind.NEVER_CALLED_WITH_GRADIENT,
)
NOT_OF_RECORDS = {BadgeKind.CALLED_REPEATEDLY, BadgeKind.FROZEN}


def tensor(
    slot: Slot, *kinds: BadgeKind, leaf: str = "", call: int = 0, spec: TensorSpec | None = SPEC, detail: str = ""
) -> Record:
    leaf = leaf or ("args.0" if slot in {Slot.INPUT, Slot.GRAD_INPUT} else "out")
    return Record(TensorRef("net.0", slot, leaf, call), 1, 0, spec, tuple(Badge(kind, detail) for kind in kinds))


def absent(slot: Slot, *kinds: BadgeKind, leaf: str = "", detail: str = "") -> Record:
    return tensor(slot, *kinds, leaf=leaf, spec=None, detail=detail)


def with_parameters(**requires_grad: bool) -> ModuleInfo:
    parameters = tuple(ParameterInfo(name, (3,), "float32", "cpu", flag) for name, flag in requires_grad.items())
    return ModuleInfo("net.0", "0", "Linear", 0, parameters=parameters)


def kinds_of(*records: Record, module: ModuleInfo = PLAIN, calls: int = 1) -> list[BadgeKind]:
    return [badge.kind for badge in node_badges(module, records, calls)]


def test_that_every_kind_has_its_place_or_is_said_elsewhere() -> None:
    assert Counter(IMPORTANCE) + Counter(SAID_BY_MODE) + Counter(SAID_BY_VALUE) == Counter(BadgeKind)


@pytest.mark.parametrize("kind", BadgeKind)
def test_that_every_kind_has_a_glyph_of_its_own(kind: BadgeKind, qapp: object) -> None:
    assert [look.icon for look in LOOKS.values()].count(LOOKS[kind].icon) == 1
    for theme in (DARK, LIGHT):
        assert not icon(LOOKS[kind].icon, getattr(theme, LOOKS[kind].color)).isNull()


def test_that_a_plain_module_has_no_badge() -> None:
    assert kinds_of(*(tensor(slot) for slot in Slot), module=with_parameters(weight=True)) == []
    assert kinds_of(calls=0) == []


@pytest.mark.parametrize("kind", [kind for kind in IMPORTANCE if kind not in {*OF_GRADIENTS, *NOT_OF_RECORDS}])
def test_that_a_badge_of_a_tensor_marks_its_module(kind: BadgeKind) -> None:
    slot = {BadgeKind.INPUT_NEEDS_NO_GRAD: Slot.GRAD_INPUT, BadgeKind.NO_PATH_TO_INPUT: Slot.GRAD_INPUT}
    assert kinds_of(absent(slot.get(kind, Slot.OUTPUT), kind)) == [kind]


@pytest.mark.parametrize("kind", NEVER_RAN[:4])
def test_that_what_is_known_before_a_step_marks_the_module_until_a_hook_was_called_after_all(kind: BadgeKind) -> None:
    module = ModuleInfo("net.0", "0", "Linear", 0, badges=(Badge(kind),))
    assert kinds_of(module=module, calls=0) == [kind]
    assert kinds_of(absent(Slot.OUTPUT, kind), module=module) == [kind]
    assert kinds_of(tensor(Slot.OUTPUT), module=module) == []


def test_that_what_is_no_tensor_marks_no_module_and_shows_that_it_was_called() -> None:
    module = ModuleInfo("net.0", "0", "Linear", 0, badges=(Badge(BadgeKind.COMPILED),))
    other = absent(Slot.OUTPUT, BadgeKind.NOT_A_TENSOR, detail="int: 3")
    assert kinds_of(tensor(Slot.INPUT), other) == []
    assert kinds_of(other, module=module) == []


def test_that_a_sharded_module_stays_marked() -> None:
    module = ModuleInfo("net.0", "0", "Linear", 0, badges=(Badge(BadgeKind.SHARDED),))
    records = tensor(Slot.OUTPUT), tensor(Slot.PARAMETER, BadgeKind.SHARDED, leaf="weight", detail="8 × 3")
    assert node_badges(module, records, 1) == (Badge(BadgeKind.SHARDED, "8 × 3"),)


@pytest.mark.parametrize("kind", OF_GRADIENTS)
def test_that_a_missing_gradient_marks_a_module_only_when_no_output_has_one(kind: BadgeKind) -> None:
    lost = absent(Slot.GRAD_OUTPUT, kind, leaf="out.0")
    assert kinds_of(tensor(Slot.OUTPUT), lost) == [kind]
    assert kinds_of(tensor(Slot.OUTPUT), lost, tensor(Slot.GRAD_OUTPUT, leaf="out.1")) == []


def test_that_one_input_with_a_gradient_is_enough() -> None:
    needs_none = absent(Slot.GRAD_INPUT, BadgeKind.INPUT_NEEDS_NO_GRAD)
    assert kinds_of(needs_none) == [BadgeKind.INPUT_NEEDS_NO_GRAD]
    assert kinds_of(needs_none, tensor(Slot.GRAD_INPUT, leaf="args.1")) == []


@pytest.mark.parametrize("kind", NEVER_RAN)
def test_that_a_module_that_never_ran_is_not_also_said_to_have_no_gradient(kind: BadgeKind) -> None:
    nothing = absent(Slot.OUTPUT, kind), absent(Slot.PARAMETER_GRAD, BadgeKind.NO_GRADIENT_REACHED, leaf="weight")
    assert kinds_of(*nothing, module=with_parameters(weight=True)) == [kind]


def test_that_calls_are_counted_without_recomputations() -> None:
    records = [tensor(Slot.OUTPUT, call=call) for call in range(3)]
    assert node_badges(PLAIN, records, 3) == (Badge(BadgeKind.CALLED_REPEATEDLY, "3 calls"),)
    again = [tensor(Slot.OUTPUT, BadgeKind.RECOMPUTED, call=1), tensor(Slot.OUTPUT)]
    assert kinds_of(*again, calls=2) == [BadgeKind.RECOMPUTED]


def test_that_the_detail_names_the_parameters_when_it_is_not_all_of_them() -> None:
    assert node_badges(with_parameters(weight=False), [], 0) == (Badge(BadgeKind.FROZEN),)
    assert node_badges(with_parameters(weight=True, bias=False), [], 0) == (Badge(BadgeKind.FROZEN, "bias"),)
    lost = absent(Slot.PARAMETER_GRAD, BadgeKind.NO_GRADIENT_REACHED, leaf="bias")
    module = with_parameters(weight=True, bias=True)
    assert node_badges(module, [tensor(Slot.OUTPUT), lost], 1) == (Badge(BadgeKind.NO_GRADIENT_REACHED, "bias"),)


def test_that_the_detail_names_the_tensors_that_a_badge_is_about() -> None:
    records = [tensor(Slot.INPUT, BadgeKind.MODIFIED_IN_PLACE, leaf=f"args.{number}") for number in range(2)]
    assert node_badges(PLAIN, records, 1) == (Badge(BadgeKind.MODIFIED_IN_PLACE, "input 0, input 1"),)
    many = [absent(Slot.INPUT, BadgeKind.OVER_BUDGET, leaf=f"args.{number}") for number in range(9)]
    assert node_badges(PLAIN, many, 1)[0].detail.endswith("input 3, …")


def test_that_the_most_important_badge_comes_first_and_each_kind_once() -> None:
    records = (
        tensor(Slot.INPUT, BadgeKind.MODIFIED_IN_PLACE, BadgeKind.SCALED, BadgeKind.NATIVE),
        absent(Slot.OUTPUT, BadgeKind.RAISED, detail="ValueError: no"),
        absent(Slot.GRAD_INPUT, BadgeKind.INPUT_NEEDS_NO_GRAD),
        tensor(Slot.PARAMETER, BadgeKind.SCALED, leaf="weight"),
    )
    assert [badge.kind for badge in node_badges(PLAIN, records, 1)] == [
        BadgeKind.RAISED,
        BadgeKind.MODIFIED_IN_PLACE,
        BadgeKind.SCALED,
        BadgeKind.INPUT_NEEDS_NO_GRAD,
    ]
