"""Names of dims, and what the roles become when they are changed."""

import pytest

from hookscope.figures.axes import (
    Role,
    Spot,
    dim_names,
    element_at,
    give_role,
    other_dims,
    rolled,
    spot_of,
    transposed,
    usual_axes,
    with_entry,
)
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.views import Axes

OUTPUT = TensorRef("layer", Slot.OUTPUT, "out")
WEIGHT = TensorRef("layer", Slot.PARAMETER, "weight")


@pytest.mark.parametrize(
    ("class_name", "rank", "names"),
    [
        ("Conv2d", 4, "N C H W"),
        ("Conv2d", 3, "C H W"),
        ("BatchNorm2d", 4, "N C H W"),
        ("AdaptiveAvgPool2d", 4, "N C H W"),
        ("Conv1d", 3, "N C L"),
        ("ConvTranspose3d", 5, "N C D H W"),
        ("Linear", 2, "N D"),
        ("Linear", 3, "B T D"),
        ("LayerNorm", 3, "B T D"),
        ("TransformerEncoderLayer", 3, "B T D"),
        ("MultiheadAttention", 4, "B heads T S"),
        ("LSTM", 3, "T B D"),
        ("ReLU", 4, "N C H W"),
        ("ReLU", 2, "N D"),
        ("Anything", 1, "D"),
        ("Anything", 0, ""),
        ("Anything", 6, "dim 0,dim 1,dim 2,dim 3,dim 4,dim 5"),
    ],
)
def test_that_names_are_guessed_from_the_class_and_the_rank(class_name: str, rank: int, names: str) -> None:
    wanted = tuple(names.split("," if "," in names else " ")) if names else ()
    assert dim_names(OUTPUT, class_name, rank) == wanted


def test_that_the_dims_of_a_weight_are_outputs_and_inputs() -> None:
    assert dim_names(WEIGHT, "Conv2d", 4) == ("O", "I", "H", "W")
    assert dim_names(WEIGHT, "Linear", 2) == ("O", "I")


@pytest.mark.parametrize(
    ("names", "with_tiles", "roles"),
    [
        ("NCHW", True, (2, 3, 1)),
        ("NCHW", False, (2, 3, None)),
        ("NCDHW", True, (3, 4, 1)),
        ("TBD", True, (0, 2, 1)),
        ("BTD", True, (1, 2, 0)),
        ("ND", True, (0, 1, None)),
        ("D", True, (None, 0, None)),
        ("", True, (None, None, None)),
    ],
)
def test_that_the_usual_axes_suit_the_names(
    names: str, with_tiles: bool, roles: tuple[int | None, int | None, int | None]
) -> None:
    axes = usual_axes(tuple(names), (2,) * len(names), with_tiles=with_tiles)
    assert (axes.rows, axes.columns, axes.tiles) == roles
    assert axes.index == (0,) * len(names)


def test_that_a_dim_with_a_role_swaps_it() -> None:
    axes = Axes(2, 3, 1, (0,) * 4)
    assert give_role(axes, Role.ROWS, 3) == Axes(3, 2, 1, (0,) * 4)
    assert give_role(axes, Role.TILES, 0) == Axes(2, 3, 0, (0,) * 4)
    assert give_role(axes, Role.ROWS, 2) == axes
    assert transposed(axes) == Axes(3, 2, 1, (0,) * 4)
    assert transposed(Axes(None, 0, None, (0,))) == Axes(None, 0, None, (0,))


@pytest.mark.parametrize("rank", range(1, 7))
def test_that_rolling_goes_through_all_dims_and_round(rank: int) -> None:
    first = axes = Axes().resolved((2,) * rank, with_tiles=True)
    columns = []
    for _turn in range(rank):
        columns.append(axes.columns)
        axes = rolled(axes, rank)
        assert axes == axes.resolved((2,) * rank, with_tiles=True)
    assert set(columns) == set(range(rank))
    assert axes == first


def test_that_dims_with_a_choice_are_offered() -> None:
    assert other_dims(Axes(2, 3, 1, (0,) * 4), (5, 6, 7, 8)) == (0,)
    assert other_dims(Axes(3, 4, None, (0,) * 5), (5, 1, 6, 7, 8)) == (0, 2)
    assert with_entry(Axes(2, 3, None, ()), 1, 4).index == (0, 4)


def test_that_a_place_leads_to_its_element_and_back() -> None:
    axes = Axes(1, 3, 2, (4, 0, 0, 0))
    index = element_at(axes, Spot(5, 6, 7))
    assert index == (4, 5, 7, 6)
    assert spot_of(axes, index) == Spot(5, 6, 7)
    assert spot_of(axes, (3, 5, 7, 6)) is None
    assert spot_of(axes, (4, 5)) is None
    assert spot_of(Axes(None, 0, None, (0,)), (3,)) == Spot(0, 3)
