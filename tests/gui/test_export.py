"""Pictures that can be read again: PNG with what it shows, SVG, the clipboard, and clear errors."""

from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
import torch
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QApplication, QLabel, QMainWindow

import hookscope
from hookscope.gui import export
from hookscope.gui.current import Current
from hookscope.gui.panels.panel import TensorPanel
from hookscope.gui.panels.registry import PANEL_KINDS
from hookscope.gui.style import apply_theme
from hookscope.gui.theme import DARK
from tests.gui.panel_fakes import GRADIENT, OUTPUT, PanelBridge, pump


@pytest.fixture
def panel(qapp: QApplication) -> Iterator[TensorPanel]:
    apply_theme(qapp, DARK)
    window = QMainWindow()
    bridge = PanelBridge()
    current = Current(bridge)  # type: ignore[arg-type]
    panel = TensorPanel(bridge, current, "panel-0", window)  # type: ignore[arg-type]
    window.addDockWidget(Qt.DockWidgetArea.TopDockWidgetArea, panel)
    window.resize(400, 300)
    window.show()
    pump()
    bridge.capture({GRADIENT: torch.randn(2, 3, 8, 8)}, step=3)
    current.select_ref(GRADIENT)
    bridge.answer_all(panel)
    yield panel
    window.close()
    window.deleteLater()


@pytest.mark.parametrize("scale", [1, 2, 4])
def test_that_a_png_is_scaled_and_says_what_it_shows(panel: TensorPanel, tmp_path: Path, scale: int) -> None:
    text = export.panel_text(panel)
    path = export.save_png(panel, tmp_path / "picture.png", scale, text)
    image = QImage(str(path))
    assert image.size() == panel.size() * scale
    assert {key: image.text(key) for key in text} == text
    assert text["model"] == "digits"
    assert text["module path"] == "features.0"
    assert text["slot"] == "grad_output"
    assert text["step"] == "3"
    assert text["shape"] == "(2, 3, 8, 8)"
    assert text["dtype"] == "float32"
    assert text["hookscope"] == hookscope.__version__
    assert text["torch"] == "2.13.0"
    assert text["PySide6"]
    assert text["python"] == "3.11.9"
    assert [file.name for file in tmp_path.iterdir()] == ["picture.png"]


def test_that_the_picture_is_drawn_at_the_scale_and_not_blown_up(panel: TensorPanel) -> None:
    small, large = export.render_image(panel, 1), export.render_image(panel, 3)
    assert large.devicePixelRatio() == 3
    assert small.scaled(large.size()) != large


def test_that_a_name_is_suggested_that_every_file_system_takes(panel: TensorPanel) -> None:
    assert export.suggest_name(export.panel_text(panel)) == "digits_features.0_step3_grad_output.png"
    odd = {"model": "../a b:c", "module path": "x/y", "slot": "input 0", "step": "1"}
    assert export.suggest_name(odd, ".svg") == "a-b-c_x-y_step1_input-0.svg"
    assert export.suggest_name({}) == "hookscope.png"


def test_that_a_plot_becomes_an_svg_of_its_own_size(panel: TensorPanel, tmp_path: Path) -> None:
    for kind in ("histogram", "heatmap", "curve"):
        panel.set_kind(kind)
        panel._bridge.answer_all(panel)  # type: ignore[attr-defined]
        plot = panel.plot()
        assert plot is not None
        path = export.save_svg(plot, tmp_path / kind, "a title", export.panel_text(panel))
        assert path.suffix == ".svg"
        root = ElementTree.parse(path).getroot()
        size = plot.viewport().size()
        assert root.get("viewBox") == f"0 0 {size.width()} {size.height()}"
        assert "features.0" in path.read_text()
        assert len(list(root.iter())) > 10


@pytest.mark.parametrize("kind", PANEL_KINDS)
def test_that_every_kind_of_panel_becomes_a_png_an_svg_and_a_picture_on_the_clipboard(
    panel: TensorPanel, tmp_path: Path, kind: str
) -> None:
    bridge: PanelBridge = panel._bridge  # type: ignore[assignment]
    bridge.capture({GRADIENT: torch.randn(2, 3, 8, 8), OUTPUT: torch.randn(2, 3, 8, 8)}, step=4)
    panel.set_kind(kind)
    bridge.answer_all(panel)
    assert not panel.message
    plot = panel.plot()
    drawn = plot if plot is not None else panel.widget()
    path = export.save_svg(drawn, tmp_path / f"{kind}.svg", kind, export.panel_text(panel))
    shapes = [one for one in ElementTree.parse(path).getroot().iter() if one.tag.endswith(("path", "image", "text"))]
    assert len(shapes) > 5 or any(shape.tag.endswith("image") for shape in shapes), "something is drawn"
    assert QImage(str(export.save_png(panel, tmp_path / f"{kind}.png"))).size() == panel.size()
    export.copy_picture(panel, 1)
    copied = QGuiApplication.clipboard().image()
    colors = {copied.pixel(x, y) for x in range(0, copied.width(), 3) for y in range(40, copied.height(), 3)}
    assert len(colors) > 3, "something is drawn"


def test_that_a_sheet_has_every_panel_under_its_name(panel: TensorPanel) -> None:
    body = panel.widget().size()
    alone, four = export.render_sheet([panel], 2), export.render_sheet([panel] * 4, 1)
    assert alone.devicePixelRatio() == 2
    assert alone.width() == 2 * (body.width() + 24)
    assert four.width() == 2 * body.width() + 36
    assert four.height() > 2 * body.height() + 36
    assert four.copy(0, 12, four.width(), 20) != four.copy(0, 0, four.width(), 20)
    with pytest.raises(export.ExportError, match="no panel"):
        export.render_sheet([])


def test_that_a_panel_can_be_copied(panel: TensorPanel) -> None:
    export.copy_picture(panel, 2)
    assert QGuiApplication.clipboard().image().size() == panel.size() * 2


def test_that_a_place_that_cannot_be_written_is_told_and_leaves_nothing(panel: TensorPanel, tmp_path: Path) -> None:
    place = tmp_path / "missing" / "picture.png"
    with pytest.raises(export.ExportError, match=r"picture\.png could not be written: No such file"):
        export.save_png(panel, place)
    folder = tmp_path / "folder.svg"
    folder.mkdir()
    plot = panel.plot()
    assert plot is not None
    with pytest.raises(export.ExportError, match="could not be written"):
        export.save_svg(plot, folder)
    assert [file.name for file in tmp_path.iterdir()] == ["folder.svg"]


def test_that_something_without_an_area_is_refused(qapp: QApplication) -> None:
    label = QLabel()
    label.resize(0, 0)
    with pytest.raises(export.ExportError, match="no size"):
        export.render_image(label)
