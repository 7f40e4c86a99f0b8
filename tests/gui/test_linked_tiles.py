"""Linked panels with tiles: the same tiles are in sight in all of them."""

from collections.abc import Iterator

import pytest
import torch
from PySide6.QtCore import QRectF, Qt
from PySide6.QtWidgets import QApplication

from hookscope.gui.panels.grid import GridView
from hookscope.gui.panels.panel import TensorPanel
from hookscope.gui.style import apply_theme
from hookscope.gui.theme import DARK
from tests.gui.panel_fakes import GRADIENT, OTHER, OUTPUT, pump
from tests.gui.test_panel_area import Window, settle

CHANNEL = 5


@pytest.fixture
def window(qapp: QApplication) -> Iterator[Window]:
    """A broad grid of 16 channels, beside it a narrow one of as many, and the narrow one's tensor has 32 as well."""
    qapp.setStyle("Fusion")
    apply_theme(qapp, DARK)
    window = Window()
    window.resize(1200, 500)
    window.bridge.capture(
        {OUTPUT: torch.rand(1, 16, 6, 6), OTHER: torch.rand(1, 16, 12, 12), GRADIENT: torch.rand(1, 32, 6, 6)}
    )
    window.current.select_ref(OUTPUT)
    first, below = window.area.panels
    below.close()
    second = window.area.add_panel("grid", OTHER)
    window.area._inner.resizeDocks([first, second], [850, 300], Qt.Orientation.Horizontal)
    settle(window)
    yield window
    window.close()
    window.deleteLater()


def grids(window: Window) -> list[GridView]:
    views = [panel.view for panel in window.area.panels]
    assert all(isinstance(view, GridView) for view in views)
    return views  # type: ignore[return-value]


def columns(window: Window) -> list[int]:
    return [view.mosaic.columns for view in grids(window) if view.mosaic is not None]


def zoom_to(view: GridView, channel: int) -> None:
    """Look at one channel, as with the wheel."""
    assert view.mosaic is not None
    row, column = view.mosaic.origin(view.mosaic.labels.index((channel,)))
    box = view.image.plot_widget.plotItem.getViewBox()
    box.setRange(QRectF(column, row, view.mosaic.tile_shape[1], view.mosaic.tile_shape[0]), padding=0)
    box.sigRangeChangedManually.emit([True, True])


def channel_in_the_middle(view: GridView) -> int:
    assert view.mosaic is not None
    middle = view.image.plot_widget.plotItem.getViewBox().viewRect().center()
    place = view.mosaic.locate(int(middle.y()), int(middle.x()))
    assert place is not None
    return place.label[0]


def link(*panels: TensorPanel) -> None:
    for panel in panels:
        panel.link_requested.emit(True)


def test_that_a_zoom_into_a_channel_shows_that_channel_in_all_linked_grids(window: Window) -> None:
    broad, narrow = columns(window)
    assert broad > narrow
    link(*window.area.panels)
    assert columns(window) == [broad, broad]
    for view in grids(window):
        zoom_to(view, CHANNEL)
        assert [channel_in_the_middle(other) for other in grids(window)] == [CHANNEL, CHANNEL]


def test_that_a_grid_with_more_channels_shows_the_same_one(window: Window) -> None:
    link(*window.area.panels)
    window.area.panels[1].lock_to(GRADIENT)
    settle(window)
    first, second = grids(window)
    assert second.mosaic is not None
    assert len(second.mosaic.labels) == 32
    zoom_to(first, CHANNEL)
    assert channel_in_the_middle(second) == CHANNEL


def test_that_linked_grids_follow_the_columns_of_the_first_and_a_grid_that_goes_alone_has_its_own(
    window: Window,
) -> None:
    broad, narrow = columns(window)
    first, second = window.area.panels
    link(second, first)
    assert columns(window) == [narrow, narrow]
    window.area._inner.resizeDocks([first, second], [300, 850], Qt.Orientation.Horizontal)
    pump(lambda: columns(window) == [broad, broad])
    assert columns(window) == [broad, broad]
    second.link_requested.emit(False)
    assert columns(window) == [narrow, broad]
