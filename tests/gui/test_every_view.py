"""Every kind of view takes every kind of tensor: what cannot be drawn is refused in words, and nothing ever raises."""

import warnings

import pytest
import torch
from PySide6.QtWidgets import QApplication

from hookscope.engine.specs import spec_of
from hookscope.engine.views import build_view
from hookscope.figures.choice import view_kinds
from hookscope.gui.panels.base import TensorView
from hookscope.gui.panels.registry import PANEL_KINDS
from hookscope.gui.panels.subject import Subject
from hookscope.gui.panels.tensor_memory import TensorMemory
from hookscope.gui.panels.thumbnails import draw_thumbnail, thumbnail_request
from hookscope.gui.panels.words import word_no_picture
from hookscope.gui.style import apply_theme
from hookscope.gui.theme import DARK
from hookscope.protocol.events import ViewReady
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.views import NoPicture, NoPictureReason, ViewRequest
from tests.gui.panel_fakes import OUTPUT, WEIGHT

SHAPES = ((), (5,), (3, 4), (2, 3, 4), (2, 3, 4, 2), (2, 1, 3, 2, 2), (2, 1, 2, 1, 3, 2))

DTYPES = (
    *(torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.float8_e4m3fn, torch.float8_e5m2),
    *(torch.complex64, torch.complex128, torch.complex32),
    *(torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64),
    *(torch.uint16, torch.uint32, torch.uint64),
)

NAN, INF = float("nan"), float("inf")


def of_dtype(shape: tuple[int, ...], dtype: torch.dtype) -> torch.Tensor:
    values = torch.arange(spec_count(shape), dtype=torch.float64).reshape(shape) % 7 - 2
    unsigned = dtype in {torch.uint8, torch.uint16, torch.uint32, torch.uint64}
    return (values.abs() if unsigned else values).to(dtype)


def spec_count(shape: tuple[int, ...]) -> int:
    return int(torch.Size(shape).numel())


def filled(shape: tuple[int, ...], *values: float, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    repeats = -(-spec_count(shape) // len(values))
    return torch.tensor(values, dtype=dtype).repeat(repeats)[: spec_count(shape)].reshape(shape)


def awkward() -> list[torch.Tensor]:
    tensors = [of_dtype(shape, dtype) for shape in SHAPES for dtype in DTYPES]
    for shape in SHAPES:
        tensors += [
            filled(shape, NAN),
            filled(shape, INF),
            filled(shape, -INF),
            filled(shape, NAN, INF, -INF, 1.0, -1.0),
            filled(shape, 3.0),
            filled(shape, 1e38, -1e38, 3.4e38),
            filled(shape, 1e300, -1e300, 1e-300, dtype=torch.float64),
            filled(shape, 2**53 + 1, -(2**62), dtype=torch.int64),
        ]
    tensors += [torch.zeros(shape) for shape in ((0,), (0, 30), (2, 0, 3), (1, 0, 2, 0))]
    tensors += [torch.zeros(3, 4, device="meta"), torch.zeros(2, 2).to_sparse()]
    tensors.append(torch.nested.nested_tensor([torch.ones(2, 3), torch.ones(4, 3)], layout=torch.jagged))
    return tensors


@pytest.fixture(scope="module")
def tensors() -> list[torch.Tensor]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch says of some that they are experimental
        return awkward()


class Driver:
    """One view, and the engine behind it."""

    def __init__(self, view: TensorView, ref: TensorRef) -> None:
        self.view = view
        self.ref = ref
        self.tensor = torch.zeros(())
        self.step = 0
        view.use(TensorMemory(view), self.ask)
        view.resize(500, 300)
        view.show()

    def ask(self, request: ViewRequest, receiver: object) -> None:
        receiver(self.answer(request))  # type: ignore[operator]

    def answer(self, request: ViewRequest) -> ViewReady:
        result = build_view(self.tensor, request, self.tensor)
        return ViewReady("panel", self.step, self.ref, self.step, spec_of(self.tensor), (), result)

    def show(self, tensor: torch.Tensor) -> NoPicture | None:
        self.tensor, self.step = tensor, self.step + 1
        self.view.aim(Subject(self.ref, spec_of(tensor), others=(self.ref,), keys=(self.ref,)))
        answer = self.answer(self.view.request())
        if isinstance(answer.result, NoPicture):
            return answer.result
        self.view.draw(answer)
        assert self.view.summary()
        self.view.grab()
        return None


@pytest.fixture(autouse=True)
def dark(qapp: QApplication) -> None:
    qapp.setStyle("Fusion")
    apply_theme(qapp, DARK)


@pytest.mark.parametrize("kind", PANEL_KINDS)
def test_that_every_kind_takes_every_tensor(kind: str, tensors: list[torch.Tensor]) -> None:
    ref = WEIGHT if kind in {"kernels", "singular_values"} else OUTPUT
    driver = Driver(PANEL_KINDS[kind].factory(), ref)
    drawn = 0
    for tensor in tensors:
        spec = spec_of(tensor)
        nothing = driver.show(tensor)
        is_offered = kind in view_kinds(spec, ref.slot) and spec.count > 0
        if nothing is None:
            drawn += 1
            continue
        words = word_no_picture(nothing, spec)
        assert nothing.reason is not NoPictureReason.FAILED, (spec, words)
        assert "{" not in words
        is_explained = nothing.reason in {NoPictureReason.NOT_FINITE, NoPictureReason.NO_DATA}
        assert not is_offered or is_explained, (spec, words)
    assert drawn > 40
    driver.view.close()
    driver.view.deleteLater()


def test_that_every_tensor_has_a_small_picture_or_none(qapp: QApplication, tensors: list[torch.Tensor]) -> None:
    memory = TensorMemory(qapp)
    for slot in (Slot.OUTPUT, Slot.PARAMETER):
        ref = TensorRef("a", slot, "out")
        for tensor in tensors:
            spec = spec_of(tensor)
            subject = Subject(ref, spec)
            request = thumbnail_request(subject)
            if request is None:
                assert view_kinds(spec, slot) == ("statistics",)
                continue
            result = build_view(tensor, request)
            picture = draw_thumbnail(result, subject, memory, DARK, 2.0)
            is_line_without_points = picture.isNull() and len(spec.shape) == 1
            assert not picture.isNull() or is_line_without_points or isinstance(result, NoPicture)
