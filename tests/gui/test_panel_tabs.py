"""Tabs that stay with a tensor, the small pictures that open them, and panels that are linked."""

from collections.abc import Iterator

import pytest
import torch
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QContextMenuEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QTabBar, QWidget

from hookscope.client.state import SessionState
from hookscope.gui.panels.grid import GridView
from hookscope.gui.panels.heatmap import HeatmapView
from hookscope.gui.panels.panel import TensorPanel
from hookscope.gui.panels.registry import AUTO
from hookscope.gui.panels.slot_card import SlotCard
from hookscope.gui.panels.slot_strip import SlotStrip
from hookscope.gui.panels.tensor_memory import TensorMemory, key_of
from hookscope.gui.panels.thumbnail_queue import NAME
from hookscope.gui.style import apply_theme
from hookscope.gui.theme import DARK, LIGHT
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.tree import ModuleTree
from hookscope.protocol.views import CurveRequest, GridRequest, HeatmapRequest, KernelRequest, TableRequest
from hookscope.protocol.workload import ExampleSource
from tests.gui.panel_fakes import GRADIENT, OTHER, OUTPUT, WEIGHT, colors_of, pump
from tests.gui.test_panel_area import Window, settle

BIAS = TensorRef("features.0", Slot.PARAMETER, "bias")
SCALAR = TensorRef("features.0", Slot.OUTPUT, "out.loss")
PLANE = TensorRef("features.0", Slot.OUTPUT, "out.plane")


@pytest.fixture
def window(qapp: QApplication) -> Iterator[Window]:
    qapp.setStyle("Fusion")
    apply_theme(qapp, DARK)
    window = Window()
    window.capture()
    settle(window)
    yield window
    window.close()
    window.deleteLater()


def strip_of(window: Window) -> SlotStrip:
    strip = window.area.findChild(SlotStrip)
    assert strip is not None
    return strip


def card_of(window: Window, ref: TensorRef) -> SlotCard:
    return next(card for card in strip_of(window).cards if card.record is not None and card.record.ref == ref)


def tabs(window: Window) -> QTabBar:
    bars = [bar for bar in window.area.findChildren(QTabBar) if bar.isVisible() and bar.count() > 1]
    assert len(bars) == 1
    return bars[0]


def titles(window: Window) -> list[str]:
    return [tabs(window).tabText(tab) for tab in range(tabs(window).count())]


def test_that_a_double_click_on_a_card_opens_a_tab_that_stays_with_the_tensor(window: Window) -> None:
    QTest.mouseDClick(card_of(window, WEIGHT), Qt.MouseButton.LeftButton)
    settle(window)
    assert titles(window) == ["Follow", "features.0 weight"]
    opened = window.area.focused_panel()
    assert opened is not None
    assert (opened.ref, opened.follows, opened.shown_step) == (WEIGHT, False, 1)
    assert opened in window.area.visible_panels()
    icons = [tabs(window).tabIcon(tab) for tab in range(2)]
    assert not any(icon.isNull() for icon in icons)
    assert icons[0].pixmap(16).toImage() != icons[1].pixmap(16).toImage()

    window.current.select_ref(OTHER)
    assert opened.ref == WEIGHT


def test_that_a_tensor_is_not_opened_twice(window: Window) -> None:
    first = window.area.open_tab(WEIGHT)
    window.area.open_tab(GRADIENT)
    assert window.area.open_tab(WEIGHT) is first
    assert len(window.area.panels) == 4
    pump()
    assert first in window.area.visible_panels()


def test_that_cards_are_used_with_keys(window: Window) -> None:
    card = card_of(window, OUTPUT)
    window.activateWindow()
    card.setFocus()
    pump(card.hasFocus)
    for _ in range(3):
        focused = QApplication.focusWidget()
        assert focused is not None
        QTest.keyClick(focused, Qt.Key.Key_Right)
    last = card_of(window, WEIGHT)
    assert last.hasFocus()
    QTest.keyClick(last, Qt.Key.Key_Return)
    assert window.current.ref == WEIGHT
    QTest.keyClick(last, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    pump()
    assert titles(window) == ["Follow", "features.0 weight"]


def test_that_a_middle_click_closes_a_tab(window: Window) -> None:
    window.area.open_tab(WEIGHT)
    window.area.open_tab(GRADIENT)
    settle(window)
    bar = tabs(window)
    assert titles(window) == ["Follow", "features.0 weight", "features.0 grad_output"]
    QTest.mouseClick(bar, Qt.MouseButton.MiddleButton, pos=bar.tabRect(1).center())
    pump()
    assert titles(window) == ["Follow", "features.0 grad_output"]
    QTest.mouseClick(bar, Qt.MouseButton.MiddleButton, pos=QPoint(bar.width() - 2, bar.height() - 2))
    assert len(window.area.panels) == 3


def test_that_a_panel_comes_beside_all_tabs_of_a_place(window: Window) -> None:
    window.area.open_tab(WEIGHT)
    window.area.panels[0].raise_()
    pump()
    added = window.area.add_panel("grid", OTHER)
    settle(window)
    assert titles(window) == ["Follow", "features.0 weight"]
    assert tabs(window).tabText(tabs(window).currentIndex()) == "Follow"
    follow, histogram = window.area.panels[:2]
    assert set(window.area.visible_panels()) == {follow, histogram, added}
    assert added.geometry().left() > follow.geometry().right()


def test_that_the_last_panel_is_not_closed_by_a_click(window: Window) -> None:
    first, *rest = window.area.panels
    for panel in rest:
        panel.close()
    window.area._close_tab(first)
    assert window.area.panels == (first,)


def test_that_tabs_and_operations_and_links_are_remembered(window: Window) -> None:
    operation = TensorRef("features.0", Slot.OUTPUT, "out", operation="add:1")
    window.area.open_tab(operation)
    linked = window.area.open_tab(WEIGHT)
    linked.link_requested.emit(True)
    pump()
    state = window.area.save_state()
    window.area.reset_layout()
    assert window.area.restore_state(state)
    pump()
    refs = [panel.own_ref for panel in window.area.panels]
    assert refs == [None, None, operation, WEIGHT]
    assert [panel.own_ref for panel in window.area._links.linked] == [WEIGHT]
    assert next(tabs(window).tabText(tab) for tab in range(3)) == "Follow"


def test_that_tabs_of_modules_that_another_model_does_not_have_are_closed(window: Window) -> None:
    kept, gone = window.area.open_tab(WEIGHT), window.area.open_tab(OTHER)
    tree = window.bridge.session.tree
    assert tree is not None
    left = ModuleTree(tuple(module for module in tree.modules if module.path != OTHER.path))
    window.bridge.session.tree = left
    window.bridge.restart()
    assert gone in window.area.panels, "the same model without it may be one that is being edited"
    window.bridge.session.source = ExampleSource("cnn")
    window.bridge.restart()
    assert gone not in window.area.panels
    assert kept in window.area.panels


def test_that_a_panel_that_is_put_down_beside_another_shares_its_room(window: Window) -> None:
    main = next(panel for panel in window.area.panels if panel.follows and not panel.is_compact)
    other = window.area.add_panel("histogram", OUTPUT)
    settle(window)
    window.area._inner.resizeDocks([main, other], [900, 1], Qt.Orientation.Horizontal)
    pump()
    assert main.width() > 2 * other.width()
    other.topLevelChanged.emit(False)  # as Qt does when a dock was let go of; the offscreen platform drags none
    pump()
    assert abs(main.width() - other.width()) < 20


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_that_a_right_click_on_the_line_above_a_panel_offers_what_can_be_done_with_it(window: Window) -> None:
    panel = window.area.panels[0]
    header = panel.titleBarWidget()
    QApplication.sendEvent(header, QContextMenuEvent(QContextMenuEvent.Reason.Mouse, QPoint(9, 9), QPoint(9, 9)))
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    assert "&Link zoom, dims and range" in [action.text() for action in menu.actions()]
    menu.close()


def test_that_every_card_has_a_small_picture(window: Window) -> None:
    window.bridge.capture(
        {BIAS: torch.randn(16), SCALAR: torch.tensor(3.5), PLANE: torch.rand(4, 5), WEIGHT: torch.randn(8, 1, 3, 3)},
        step=2,
    )
    window.current.select_ref(OUTPUT)
    settle(window)
    requests = {}
    window.bridge.capture({ref: window.bridge.tensors[ref] for ref in (OUTPUT, BIAS, SCALAR, PLANE, WEIGHT)}, step=3)
    QTest.qWait(300)
    while asked := [one for one in window.bridge.take_asked() if one.panel == NAME]:
        assert len(asked) == 1  # never two at a time
        requests[asked[0].ref] = type(asked[0].request)
        window.bridge.answer(asked[0])
    expected = {OUTPUT: GridRequest, BIAS: CurveRequest, SCALAR: TableRequest, PLANE: HeatmapRequest}
    assert requests == expected | {WEIGHT: KernelRequest}
    pictures = [card.picture for card in strip_of(window).cards if card.record and card.record.spec]
    assert not any(picture.isNull() for picture in pictures)
    assert "#fde725" in colors_of(card_of(window, PLANE))
    line = QColor(DARK.forward)
    assert any(abs(QColor(name).hue() - line.hue()) < 8 for name in colors_of(card_of(window, BIAS)))


def test_that_small_pictures_have_the_colours_of_the_panels(window: Window, qapp: QApplication) -> None:
    plane = {PLANE: torch.tensor([[0.0, 1.0], [torch.nan, 2.0]]).repeat(2, 4)}
    window.bridge.capture(plane, step=1)
    window.current.select_ref(PLANE)
    settle(window)
    card = card_of(window, PLANE)
    assert {"#440154", "#fde725", "#ff00ff"} <= colors_of(card)
    subject = window.area.panels[0].subject
    assert subject is not None
    memory = TensorMemory.of(window.bridge)
    memory.choose_range(key_of(subject), memory.range_of(key_of(subject)).__class__((-2.0, 2.0), is_symmetric=True))
    pump()
    assert "#fde725" not in colors_of(card)
    assert DARK.panel in colors_of(card)
    apply_theme(qapp, LIGHT)
    pump()
    assert "#7a3d00" in colors_of(card)


def test_that_a_small_picture_of_a_few_numbers_is_the_numbers(window: Window) -> None:
    pictures = []
    for step, values in enumerate(([1.0, -2.0, 3.0], [1.0, -2.5, 3.0], [1.0, -2.0, 3.0]), 1):
        window.bridge.capture({BIAS: torch.tensor(values)}, step=step)
        window.current.select_ref(BIAS)
        QTest.qWait(300)
        settle(window)
        picture = card_of(window, BIAS).picture.toImage()
        assert any(picture.pixelColor(x, y).alpha() for x in range(20) for y in range(picture.height()))
        pictures.append(picture)
    assert pictures[0] == pictures[2] != pictures[1]


def test_that_small_pictures_are_asked_for_at_most_four_times_a_second(window: Window) -> None:
    window.bridge.take_asked()
    for step in range(2, 30):
        window.bridge.capture({OUTPUT: torch.randn(4, 8, 6, 6)}, step=step)
        for asked in window.bridge.take_asked():
            if asked.panel == NAME:
                window.bridge.answer(asked)
    assert window.area._strip.is_waiting
    assert len([one for one in window.bridge.take_asked() if one.panel == NAME]) <= 1


def test_that_nothing_small_is_asked_for_while_the_strip_is_not_seen(window: Window) -> None:
    window.hide()
    window.bridge.take_asked()
    window.bridge.capture({OUTPUT: torch.randn(4, 8, 6, 6)}, step=2)
    pump()
    assert window.bridge.take_asked() == []
    window.show()
    QTest.qWait(300)
    assert NAME in {asked.panel for asked in window.bridge.take_asked()}


def test_that_small_pictures_stay_when_the_debuggee_is_gone_and_go_with_the_model(window: Window) -> None:
    window.bridge.enter(SessionState.LOST)
    pump()
    assert not card_of(window, OUTPUT).picture.isNull()
    assert not window.area._strip.is_waiting


def test_that_a_low_window_has_cards_without_pictures(window: Window) -> None:
    high = strip_of(window).height()
    window.resize(1000, 400)
    pump()
    assert strip_of(window).height() < high - 40
    assert card_of(window, OUTPUT).isVisible()
    window.resize(1000, 800)
    pump()
    assert strip_of(window).height() == high


@pytest.fixture
def pair(window: Window) -> tuple[TensorPanel, TensorPanel]:
    window.bridge.capture({OUTPUT: torch.rand(4, 8, 6, 6), OTHER: 2 * torch.rand(4, 16, 3, 3)}, step=2)
    panels = window.area.add_panel("heatmap", OUTPUT), window.area.add_panel("heatmap", OTHER)
    settle(window)
    for panel in panels:
        panel.link_requested.emit(True)
    return panels


def heatmap(panel: TensorPanel) -> HeatmapView:
    assert isinstance(panel.view, HeatmapView)
    return panel.view


def test_that_linked_panels_show_the_same_part(window: Window, pair: tuple[TensorPanel, TensorPanel]) -> None:
    first, second = pair
    box = heatmap(first).image.plot_widget.plotItem.getViewBox()
    box.setRange(QRectF(0, 0, 3, 3), padding=0)
    box.sigRangeChangedManually.emit([True, True])
    part, other = heatmap(first).image.part, heatmap(second).image.part
    assert part is not None
    assert other is not None
    assert other.contains(part.adjusted(0.01, 0.01, -0.01, -0.01))
    heatmap(second).image.show_all()
    assert heatmap(first).image.part is None


def test_that_tabs_that_were_opened_on_what_there_is_can_be_linked_and_name_what_is_under_the_pointer(
    window: Window,
) -> None:
    window.bridge.capture({OUTPUT: torch.rand(4, 8, 6, 6), OTHER: torch.rand(4, 8, 6, 6)}, step=2)
    panels = window.area.open_tab(OUTPUT), window.area.add_panel("auto", OTHER)
    settle(window)
    images = []
    for panel in panels:
        panel.link_requested.emit(True)
        assert isinstance(panel.view, GridView)
        images.append(panel.view.image)
    turn_wheel(images[0].plot_widget.viewport())
    assert images[0].part is not None
    assert images[1].part is not None
    texts: list[str] = []
    window.area.pointed.connect(texts.append)
    for panel in panels:
        assert panel.view is not None
        panel.view.pointed.emit(panel.objectName())
    assert texts == [panel.objectName() for panel in panels]


def turn_wheel(widget: QWidget) -> None:
    middle = QPointF(widget.rect().center())
    place, turn = QPointF(widget.mapToGlobal(middle)), QPoint(0, 120)
    keys, buttons = Qt.KeyboardModifier.NoModifier, Qt.MouseButton.NoButton
    event = QWheelEvent(middle, place, turn, turn, buttons, keys, Qt.ScrollPhase.NoScrollPhase, False)
    QApplication.sendEvent(widget, event)
    pump()


def test_that_linked_panels_show_the_same_entries(window: Window, pair: tuple[TensorPanel, TensorPanel]) -> None:
    first, second = pair
    heatmap(first).dims.set_entry(1, 5)
    assert heatmap(second).dims.choice.axes.index == (0, 5, 0, 0)
    heatmap(second).dims.transpose()
    assert (heatmap(first).dims.choice.axes.rows, heatmap(first).dims.choice.axes.columns) == (3, 2)


def test_that_linked_panels_have_one_range(window: Window, pair: tuple[TensorPanel, TensorPanel]) -> None:
    first, second = pair
    assert heatmap(first).control.levels == heatmap(second).control.levels
    assert heatmap(first).control.levels[1] > 1.0
    heatmap(second).control.type_levels((-1.0, 4.0))
    assert heatmap(first).control.levels == (-1.0, 4.0)
    heatmap(second).control.undo()
    assert heatmap(first).control.levels == heatmap(second).control.levels != (-1.0, 4.0)


def test_that_a_panel_that_goes_alone_is_left_alone(window: Window, pair: tuple[TensorPanel, TensorPanel]) -> None:
    first, second = pair
    second.link_requested.emit(False)
    heatmap(first).dims.set_entry(1, 5)
    heatmap(first).control.type_levels((-1.0, 4.0))
    assert heatmap(second).dims.choice.axes.index == (0, 0, 0, 0)
    assert heatmap(second).control.levels != (-1.0, 4.0)
    assert window.area.add_panel(AUTO).subject is not None
