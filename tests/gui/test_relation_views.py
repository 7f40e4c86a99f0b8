"""Channels, singular values, pairs of tensors, similarities, attention, colours: what is drawn is what is so."""

from collections.abc import Iterator

import numpy as np
import pytest
import torch
from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QApplication

from hookscope.gui.panels.attention import AttentionView, guess_heads
from hookscope.gui.panels.bars import BarsView, ChannelsView, SparsityView
from hookscope.gui.panels.base import TensorView
from hookscope.gui.panels.cosine import CosineView
from hookscope.gui.panels.points import EmbeddingView, ScatterView
from hookscope.gui.panels.rgb import RgbView
from hookscope.gui.panels.spectrum import SpectrumView
from hookscope.gui.style import apply_theme
from hookscope.gui.theme import DARK
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.tree import ModuleInfo, ModuleTree
from hookscope.protocol.views import ChannelsRequest, ChannelStatistic, EmbeddingRequest, RgbRequest
from tests.gui.panel_fakes import GRADIENT, OUTPUT, WEIGHT, PanelWindow, colors_of, pump, texts_of


@pytest.fixture
def window(qapp: QApplication) -> Iterator[PanelWindow]:
    qapp.setStyle("Fusion")
    apply_theme(qapp, DARK)
    window = PanelWindow()
    yield window
    window.close()
    window.deleteLater()


def settle(window: PanelWindow) -> None:
    pump()
    window.bridge.answer_all(window.panel)
    pump()


def point_at(view: TensorView, x: float, y: float) -> None:
    plot = view.plot()
    assert plot is not None
    box = plot.plotItem.getViewBox()  # type: ignore[attr-defined]
    plot.scene().sigMouseMoved.emit(box.mapViewToScene(QPointF(x, y)))  # type: ignore[attr-defined]


def test_that_a_bar_is_the_statistic_of_its_channel(window: PanelWindow) -> None:
    tensor = torch.randn(2, 5, 4, 4)
    window.show_tensor(OUTPUT, tensor, "channels")
    view = window.panel.view
    assert isinstance(view, ChannelsView)
    assert "5 channels in dim 1" in texts_of(window.panel)
    texts: list[str] = []
    view.pointed.connect(texts.append)
    point_at(view, 3.1, 0.0)
    assert texts[-1].startswith("[3] = ")
    assert float(texts[-1].split("= ")[1]) == pytest.approx(tensor[:, 3].mean().item(), rel=1e-3)
    assert view.statistic is not None

    view.statistic.setCurrentIndex(view.statistic.findText("maximum"))
    view.statistic.activated.emit(view.statistic.currentIndex())
    assert view.request() == ChannelsRequest(statistic=ChannelStatistic.MAXIMUM)
    settle(window)
    point_at(view, 4.0, 0.0)
    assert float(texts[-1].split("= ")[1]) == pytest.approx(tensor[:, 4].max().item(), rel=1e-3)


def test_that_the_dim_of_the_channels_is_chosen_and_forgotten_with_the_tensor(window: PanelWindow) -> None:
    window.show_tensor(OUTPUT, torch.randn(2, 5, 4, 7), "channels")
    view = window.panel.view
    assert isinstance(view, BarsView)
    assert (view.dim.value(), view.dim.maximum()) == (1, 3)
    view.dim.setValue(3)
    settle(window)
    assert "7 channels in dim 3" in texts_of(window.panel)
    window.show_tensor(GRADIENT, torch.randn(2, 5, 4, 7), "channels")
    assert "5 channels in dim 1" in texts_of(window.panel)
    assert DARK.backward in colors_of(view)


def test_that_sparsity_tells_zeros_from_saturation(window: PanelWindow) -> None:
    tensor = torch.full((4, 3, 2, 2), 0.5)
    tensor[:, 0] = 0.0
    tensor[:2, 1] = 1.0
    window.show_tensor(OUTPUT, tensor, "sparsity")
    view = window.panel.view
    assert isinstance(view, SparsityView)
    assert "line: saturated at 0 or 1" in texts_of(window.panel)
    texts: list[str] = []
    view.pointed.connect(texts.append)
    for channel in range(3):
        point_at(view, channel, 0.5)
    assert texts == ["[0] = 1, saturated 0", "[1] = 0, saturated 0.5", "[2] = 0, saturated 0"]


def test_that_singular_values_are_those_of_the_matrix(window: PanelWindow) -> None:
    tensor = torch.randn(12, 3) @ torch.randn(3, 8)
    window.show_tensor(WEIGHT, tensor, "singular_values")
    view = window.panel.view
    assert isinstance(view, SpectrumView)
    assert "12 × 8 matrix · rank 3 of 8" in texts_of(window.panel)
    texts: list[str] = []
    view.pointed.connect(texts.append)
    point_at(view, 1.2, 0.0)
    assert float(texts[-1].split("= ")[1]) == pytest.approx(torch.linalg.svdvals(tensor)[0].item(), rel=1e-3)


def test_that_values_that_are_not_finite_have_no_singular_values(window: PanelWindow) -> None:
    window.show_tensor(WEIGHT, torch.tensor([[1.0, torch.nan], [2.0, 3.0]]), "singular_values")
    assert window.panel.message == "This view needs finite values, but 1 of 4 values are NaN or infinite."


def test_that_a_scatter_offers_the_tensors_of_as_many_elements(window: PanelWindow) -> None:
    window.bridge.capture({GRADIENT: torch.arange(6.0), WEIGHT: torch.zeros(7)})
    window.show_tensor(OUTPUT, -torch.arange(6.0).reshape(2, 3), "scatter")
    view = window.panel.view
    assert isinstance(view, ScatterView)
    assert [view.other.itemText(row) for row in range(view.other.count())] == ["grad_output"]
    assert "6 points" in texts_of(window.panel)
    texts: list[str] = []
    view.pointed.connect(texts.append)
    point_at(view, -4.0, 4.0)
    assert texts[-1] == "[1, 1]: -4, 4"


def test_that_an_embedding_separates_what_differs(window: PanelWindow) -> None:
    tensor = torch.zeros(6, 4)
    tensor[3:, 2] = 10.0
    window.show_tensor(OUTPUT, tensor, "embedding")
    view = window.panel.view
    assert isinstance(view, EmbeddingView)
    assert "6 points · 100% and 0% of the variance" in texts_of(window.panel)
    view.dim.setValue(1)
    assert view.request() == EmbeddingRequest(dim=1)
    settle(window)
    assert "4 points" in texts_of(window.panel)


def test_that_similarities_are_drawn_between_minus_one_and_one(window: PanelWindow) -> None:
    window.show_tensor(OUTPUT, torch.tensor([[1.0, 0.0], [0.0, 2.0], [-3.0, 0.0]]), "cosine")
    view = window.panel.view
    assert isinstance(view, CosineView)
    assert view.control.levels == (-1.0, 1.0)
    assert {"#a8d8ff", DARK.panel, "#ffcf9e"} <= colors_of(view.image)
    assert "cosine of 3 rows along N" in texts_of(window.panel)
    view.go_to((0, 2))
    assert view.picker.picked is not None
    assert view.picker.picked.words == "[0, 2] = -1"


def test_that_a_range_of_similarities_is_not_that_of_the_tensor(window: PanelWindow) -> None:
    window.show_tensor(OUTPUT, torch.tensor([[1.0, 0.0], [0.0, 200.0]]), "cosine")
    view = window.panel.view
    assert isinstance(view, CosineView)
    view.control.type_levels((0.5, 0.75))
    window.show_tensor(OUTPUT, torch.tensor([[1.0, 0.0], [0.0, 200.0]]), "heatmap", step=2)
    heatmap = window.panel.view
    assert heatmap is not None
    assert heatmap.control.levels == (0.0, 200.0)  # type: ignore[attr-defined]


def attention_tree() -> ModuleTree:
    return ModuleTree(
        (
            ModuleInfo("", "Net", "Net", -1, has_children=True),
            ModuleInfo("attn", "attn", "Attention", 0, has_children=True),
            ModuleInfo("attn.q_proj", "q_proj", "Linear", 1),
            ModuleInfo("attn.v_proj", "v_proj", "Linear", 1),
            ModuleInfo("attn.k_proj", "k_proj", "Linear", 1),
        )
    )


def test_that_attention_is_recomputed_with_the_key_from_beside(window: PanelWindow) -> None:
    window.bridge.session.tree = attention_tree()
    query, key, value = (TensorRef(f"attn.{name}_proj", Slot.OUTPUT, "out") for name in "qkv")
    tensors = {ref: torch.randn(2, 5, 128) for ref in (query, key, value)}
    window.bridge.capture({key: tensors[key], value: tensors[value]})
    window.show_tensor(query, tensors[query], "attention")
    view = window.panel.view
    assert isinstance(view, AttentionView)
    assert view.key.ref == key
    assert [view.key.itemText(row) for row in range(view.key.count())] == ["k_proj output", "v_proj output"]
    assert view.heads.value() == 2
    assert "recomputed from query and key" in texts_of(window.panel)

    view.sample.setValue(1)
    view.causal.trigger()
    settle(window)
    head = slice(64, 128)
    scores = tensors[query][1, :, head] @ tensors[key][1, :, head].T / 8.0
    weights = scores.masked_fill(~torch.ones(5, 5).tril().bool(), -torch.inf).softmax(-1)
    view.go_to((1, 1, 4, 2))
    assert view.picker.picked is not None
    assert float(view.picker.picked.text) == pytest.approx(weights[4, 2].item(), rel=1e-3)
    view.go_to((1, 1, 2, 4))
    assert view.picker.picked.text == "0"


@pytest.mark.parametrize(("features", "heads"), [(768, 12), (64, 2), (96, 3), (7, 1), (1, 1), (0, 1)])
def test_that_the_heads_are_guessed(features: int, heads: int) -> None:
    assert guess_heads(features) == heads


def test_that_three_channels_are_red_green_and_blue(window: PanelWindow) -> None:
    tensor = torch.zeros(1, 4, 2, 2)
    tensor[0, 0, 0, 0] = tensor[0, 1, 0, 1] = tensor[0, 3, 1, 0] = 1.0
    tensor[0, :, 1, 1] = torch.nan
    window.show_tensor(OUTPUT, tensor, "rgb")
    view = window.panel.view
    assert isinstance(view, RgbView)
    colors = colors_of(view.image)
    assert {"#ff0000", "#00ff00", "#ff00ff"} <= colors
    assert "#0000ff" not in colors
    view.picks[2].setValue(3)
    request = view.request()
    assert isinstance(request, RgbRequest)
    assert request.picks == (0, 1, 3)
    settle(window)
    assert "#0000ff" in colors_of(view.image)
    assert np.array([box.maximum() for box in view.picks]).tolist() == [3, 3, 3]
    view.control.type_levels((0.0, 2.0))
    settle(window)
    assert {"#800000", "#008000", "#000080", "#ff00ff"} <= colors_of(view.image)
