"""The way from a pixel to its element, and back."""

import numpy as np
import pytest

from hookscope.figures.grid import compose
from hookscope.figures.scenes import KernelScene, MosaicScene, PlaneScene, Scene
from hookscope.protocol.tensors import Array
from hookscope.protocol.views import Axes, Tiles


def tiles(labels: tuple[tuple[int, ...], ...], height: int, width: int, stride: int = 1) -> Tiles:
    pixels = np.zeros((len(labels), -(-height // stride), -(-width // stride)), np.float32)
    return Tiles(Array.from_numpy(pixels), None, labels, 2, 0.0, 0.0, 0, 1, len(labels), stride)


SCENES: dict[str, Scene] = {
    "plane": PlaneScene(Axes(2, 0, None, (0, 4, 0)), (3, 5)),
    "row": PlaneScene(Axes(None, 0, None, (0,)), (1, 5)),
    "scalar": PlaneScene(Axes(), (1, 1)),
    "tiles": MosaicScene(Axes(2, 3, 1, (5, 0, 0, 0)), compose(tiles(((2,), (7,), (3,)), 3, 4))),
    "kernels 1-D": KernelScene((4, 2, 5), compose(tiles(((1, 0), (1, 1)), 1, 5))),
    "kernels 2-D": KernelScene((4, 2, 3, 5), compose(tiles(((1, 0), (1, 1)), 3, 5))),
    "kernels 3-D": KernelScene((4, 2, 7, 3, 5), compose(tiles(((1, 0), (1, 1)), 3, 5))),
}


@pytest.mark.parametrize("name", SCENES)
def test_that_every_place_leads_to_an_element_and_back(name: str) -> None:
    scene = SCENES[name]
    found = set()
    for row in range(-1, 12):
        for column in range(-1, 14):
            index = scene.index_at(row, column)
            if index is not None:
                assert scene.place_of(index) == (row, column)
                assert scene.is_exact(index)
                found.add(index)
    assert len(found) == {"plane": 15, "row": 5, "scalar": 1, "tiles": 36, "kernels 1-D": 10}.get(name, 30)


def test_that_indices_are_those_of_the_tensor() -> None:
    assert SCENES["plane"].index_at(2, 3) == (3, 4, 2)
    assert SCENES["tiles"].index_at(1, 5) == (5, 7, 1, 0)
    assert SCENES["kernels 3-D"].index_at(2, 6) == (1, 1, 3, 2, 0)
    assert SCENES["kernels 1-D"].index_at(0, 6) == (1, 1, 0)


@pytest.mark.parametrize(
    ("name", "index"),
    [
        ("plane", (0, 3, 0)),
        ("plane", (0, 4, 9)),
        ("plane", (0,)),
        ("tiles", (0, 7, 0, 0)),
        ("tiles", (5, 4, 0, 0)),
        ("kernels 3-D", (1, 0, 0, 0, 0)),
        ("kernels 2-D", (0, 0, 0, 0)),
    ],
)
def test_that_an_element_of_another_picture_has_no_place(name: str, index: tuple[int, ...]) -> None:
    assert SCENES[name].place_of(index) is None


def test_that_only_every_nth_element_is_drawn_itself() -> None:
    plane = PlaneScene(Axes(0, 1, None, (0, 0)), (10, 10), (2, 3))
    assert plane.is_exact((4, 6))
    assert not plane.is_exact((4, 7))
    mosaic = MosaicScene(Axes(1, 2, 0, (0, 0, 0)), compose(tiles(((0,), (1,)), 4, 4, stride=2)))
    assert mosaic.is_exact((1, 2, 0))
    assert not mosaic.is_exact((1, 2, 1))
    assert mosaic.place_of((1, 3, 1)) == mosaic.place_of((1, 2, 0))
