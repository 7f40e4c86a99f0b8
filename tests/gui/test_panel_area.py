"""Panels side by side: which are there, where they are, what is remembered of them; the cards below; the details."""

from collections.abc import Iterator

import pytest
import torch
from PySide6.QtCore import QByteArray, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QToolButton, QVBoxLayout, QWidget

from hookscope.gui.badge_text import badge_sentence
from hookscope.gui.current import Current
from hookscope.gui.panels.details import DetailsDock
from hookscope.gui.panels.panel import TensorPanel
from hookscope.gui.panels.panel_area import PanelArea
from hookscope.gui.panels.picture_view import PictureView
from hookscope.gui.panels.registry import AUTO, PANEL_KINDS
from hookscope.gui.panels.slot_card import SlotCard
from hookscope.gui.panels.slot_strip import SlotStrip
from hookscope.gui.style import apply_theme
from hookscope.gui.theme import DARK
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.tensors import Badge, BadgeKind, Record
from tests.gui.panel_fakes import GRADIENT, OTHER, OUTPUT, WEIGHT, PanelBridge, colors_of, pump

ABSENT = TensorRef("features.0", Slot.GRAD_INPUT, "args.0")


class Window(QWidget):
    """A window with the whole area."""

    def __init__(self) -> None:
        super().__init__()
        self.bridge = PanelBridge()
        self.current = Current(self.bridge)  # type: ignore[arg-type]
        self.area = self.new_area()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.area)
        self.resize(1000, 800)
        self.show()
        pump()

    def new_area(self) -> PanelArea:
        return PanelArea(self.bridge, self.current, self)  # type: ignore[arg-type]

    def capture(self) -> None:
        self.bridge.capture(
            {
                OUTPUT: torch.randn(4, 8, 6, 6),
                GRADIENT: torch.randn(4, 8, 6, 6),
                WEIGHT: torch.randn(8, 1, 3, 3),
                OTHER: torch.randn(4, 16, 3, 3),
            }
        )
        self.bridge.record(Record(ABSENT, 1, 0, None, (Badge(BadgeKind.INPUT_NEEDS_NO_GRAD),)))
        self.current.select_ref(OUTPUT)


@pytest.fixture
def window(qapp: QApplication) -> Iterator[Window]:
    qapp.setStyle("Fusion")
    apply_theme(qapp, DARK)
    window = Window()
    yield window
    window.close()
    window.deleteLater()


def settle(window: Window) -> None:
    """Answer whatever the panels ask for."""
    pump()
    window.bridge.answer_all(*window.area.panels)
    pump()


def told(area: PanelArea) -> list[tuple[str, TensorRef | None, bool]]:
    return [(panel.kind, panel.ref, panel.follows) for panel in area.panels]


def test_that_the_first_layout_follows_with_the_best_view_and_a_lower_histogram(window: Window) -> None:
    window.capture()
    window.bridge.answer_all(*window.area.panels)
    main, histogram = window.area.panels
    assert told(window.area) == [(AUTO, OUTPUT, True), ("histogram", OUTPUT, True)]
    assert main.geometry().bottom() < histogram.geometry().top()
    assert main.height() > 1.5 * histogram.height()
    assert main.width() == histogram.width()
    assert {main.shown_step, histogram.shown_step} == {1}
    assert window.area.is_settled
    assert window.area.focused_panel() is main
    assert window.area.visible_panels() == (main, histogram)


def test_that_in_a_low_window_the_histogram_goes_behind_a_tab_and_comes_back(window: Window) -> None:
    window.capture()
    window.bridge.answer_all(*window.area.panels)
    main, histogram = window.area.panels
    assert isinstance(main.view, PictureView)
    before = main.height(), histogram.height()
    for _ in range(2):
        window.resize(1000, 380)
        pump(lambda: not histogram.isVisible() or histogram.visibleRegion().isEmpty())
        assert window.area.visible_panels() == (main,)
        assert main.height() > 250
        pump(main.view.color_bar.isVisible)
        assert main.view.color_bar.isVisible()
        kept = window.area.save_state()
        window.resize(1000, 800)
        pump(lambda: window.area.visible_panels() == (main, histogram))
        assert (main.height(), histogram.height()) == pytest.approx(before, abs=4)
        pump(main.view.color_bar.isHidden)
        assert not main.view.color_bar.isVisible()
    assert window.area.restore_state(kept)  # from a low window, in a high one
    pump(lambda: window.area.visible_panels() == (main, histogram))
    assert main.geometry().bottom() < histogram.geometry().top()
    assert main.height() > histogram.height()


def test_that_other_panels_and_tabs_stay_when_the_histogram_is_folded_and_unfolded(window: Window) -> None:
    window.capture()
    main, histogram = window.area.panels
    right = window.area.add_panel("curve", OTHER)
    pump()
    before = {panel: panel.geometry() for panel in window.area.panels}
    window.resize(1000, 380)
    pump(lambda: histogram not in window.area.visible_panels())
    window.resize(1000, 800)
    pump(lambda: histogram in window.area.visible_panels())
    assert {panel: panel.geometry() for panel in window.area.panels} == before
    right.close()
    window.resize(1000, 380)
    pump(lambda: histogram not in window.area.visible_panels())
    locked = window.area.open_tab(WEIGHT)
    pump(lambda: locked in window.area.visible_panels())
    window.resize(1000, 800)
    pump(lambda: histogram in window.area.visible_panels())
    assert window.area.visible_panels() == (histogram, locked)
    assert locked.height() > 2 * histogram.height()
    main.raise_()
    pump(lambda: main in window.area.visible_panels())
    assert main.geometry().bottom() < histogram.geometry().top()


def test_that_a_panel_that_was_closed_in_a_low_window_stays_closed(window: Window) -> None:
    window.capture()
    main, histogram = window.area.panels
    window.resize(1000, 380)
    pump(lambda: window.area.visible_panels() == (main,))
    histogram.close()
    window.resize(1000, 800)
    pump()
    pump()
    assert window.area.panels == (main,)
    assert main.height() > 600
    added = window.area.add_panel("curve", OTHER)
    pump(lambda: added in window.area.visible_panels())
    assert window.area.visible_panels() == (main, added)


def test_that_a_panel_of_every_kind_can_be_added(window: Window) -> None:
    window.capture()
    for kind in (AUTO, *PANEL_KINDS):
        panel = window.area.add_panel(kind)
        pump()
        assert (panel.kind, panel.ref, panel.follows) == (kind, OUTPUT, False)
        assert panel in window.area.visible_panels()
        assert window.area.focused_panel() is panel


def test_that_what_is_under_the_pointer_is_told_whichever_panel_it_is_in(window: Window) -> None:
    window.capture()
    window.bridge.answer_all(*window.area.panels)
    heard: list[str] = []
    window.area.pointed.connect(heard.append)
    for panel in window.area.panels:
        assert panel.view is not None
        panel.view.pointed.emit(f"{panel.kind}: [0, 1] = 2")
    assert heard == [f"{AUTO}: [0, 1] = 2", "histogram: [0, 1] = 2"]


def test_that_an_unknown_kind_is_refused(window: Window) -> None:
    with pytest.raises(KeyError):
        window.area.add_panel("hologram")
    assert len(window.area.panels) == 2


def test_that_panels_tile_and_become_tabs_when_there_is_no_room(window: Window) -> None:
    window.capture()
    added = [window.area.add_panel("histogram", OTHER) for _ in range(7)]
    pump()
    assert len(window.area.panels) == 9
    assert all(panel.width() >= 200 for panel in window.area.visible_panels())
    assert len(window.area.visible_panels()) < 9
    assert added[-1] in window.area.visible_panels()


def test_that_a_panel_behind_a_tab_asks_when_it_comes_out(window: Window) -> None:
    window.capture()
    window.resize(420, 500)
    pump()
    main = window.area.panels[0]
    window.area.add_panel("statistics", OTHER)
    pump()
    assert main not in window.area.visible_panels()
    window.bridge.answer_all(*window.area.panels)
    before = main.shown_step

    window.bridge.capture({OUTPUT: torch.randn(4, 8, 6, 6)}, step=2)
    pump()
    assert main.objectName() not in {asked.panel for asked in window.bridge.take_asked()}
    assert main.shown_step == before

    main.raise_()
    pump(lambda: bool(window.bridge.session.asked))
    assert main in window.area.visible_panels()
    assert [asked.panel for asked in window.bridge.session.asked if asked.panel == main.objectName()]


def test_that_a_closed_panel_is_kept_and_taken_again(window: Window) -> None:
    window.capture()
    panel = window.area.add_panel("curve", OTHER)
    pump()
    closer = next(b for b in panel.findChildren(QToolButton) if b.accessibleName() == "Close this panel")
    closer.click()
    pump()
    assert panel not in window.area.panels
    again = window.area.add_panel("table", WEIGHT)
    assert again is panel
    assert (again.kind, again.ref) == ("table", WEIGHT)
    assert len(window.area.panels) == 3


@pytest.mark.qt_log_ignore("This plugin does not support raise", extend=True)
def test_that_reset_brings_back_the_first_layout(window: Window) -> None:
    window.capture()
    for kind in ("curve", "table", "heatmap"):
        window.area.add_panel(kind, OTHER)
    window.area.panels[0].setFloating(True)
    window.area.panels[1].close()
    pump()
    window.area.reset_layout()
    pump()
    assert told(window.area) == [(AUTO, OUTPUT, True), ("histogram", OUTPUT, True)]
    assert not any(panel.isFloating() for panel in window.area.panels)


def test_that_the_layout_is_remembered_with_kinds_and_locks(window: Window) -> None:
    window.capture()
    window.area.add_panel("kernels", WEIGHT)
    window.area.add_panel("statistics", OTHER)
    window.area.panels[1].close()
    pump()
    state = window.area.save_state()
    expected = told(window.area)
    places = [panel.geometry() for panel in window.area.panels]

    window.area.reset_layout()
    pump()
    assert told(window.area) != expected
    assert window.area.restore_state(state)
    pump()
    assert sorted(map(str, told(window.area))) == sorted(map(str, expected))
    assert sorted(map(str, places)) == sorted(str(panel.geometry()) for panel in window.area.panels)


@pytest.mark.parametrize(
    "state",
    [
        b"",
        b"\xff\xfe garbage",
        b"[]",
        b"{}",
        b'{"version": 99, "panels": [], "docks": ""}',
        b'{"version": 1, "docks": "", "panels": [{"name": "a", "kind": "hologram", "compact": 0, "ref": null}]}',
        b'{"version": 1, "docks": "", "panels": [{"name": "a", "kind": "auto", "compact": 0, "ref": {"path": 1}}]}',
    ],
)
def test_that_a_layout_that_cannot_be_read_changes_nothing(window: Window, state: bytes) -> None:
    before = told(window.area)
    assert not window.area.restore_state(QByteArray(state))
    assert told(window.area) == before


def test_that_the_panel_that_was_used_last_is_the_one_to_export(window: Window) -> None:
    window.capture()
    window.activateWindow()
    pump(window.isActiveWindow)
    main, histogram = window.area.panels
    copied: list[TensorPanel | None] = []
    window.area.copy_requested.connect(lambda: copied.append(window.area.focused_panel()))
    button = next(b for b in histogram.findChildren(QToolButton) if b.menu() is not None)
    button.menu().actions()[0].trigger()
    assert copied == [histogram]

    QTest.mouseClick(main, Qt.MouseButton.LeftButton)
    assert window.area.focused_panel() is main


def test_that_the_area_is_usable_when_it_is_small(window: Window) -> None:
    window.capture()
    window.resize(300, 400)
    pump()
    assert window.width() == 300
    pump()
    assert [panel.follows for panel in window.area.visible_panels()] == [True]  # the histogram is behind its tab


def cards(window: Window) -> tuple[SlotCard, ...]:
    strip = window.area.findChild(SlotStrip)
    assert strip is not None
    return strip.cards


def test_that_every_tensor_of_the_module_has_a_card(window: Window) -> None:
    window.capture()
    assert [card.text() for card in cards(window)] == ["output", "grad_input 0", "grad_output", "weight"]
    assert [card.isChecked() for card in cards(window)] == [True, False, False, False]
    output, absent, *_ = cards(window)
    assert DARK.accent in colors_of(output)
    assert DARK.accent not in colors_of(absent)
    assert "4 × 8 × 6 × 6" in output.toolTip()
    assert "input needs no grad" in absent.accessibleName()
    assert "does not require grad" in absent.toolTip()


def test_that_a_click_on_a_card_looks_at_its_tensor(window: Window) -> None:
    window.capture()
    QTest.mouseClick(cards(window)[2], Qt.MouseButton.LeftButton)
    assert window.current.ref == GRADIENT
    assert [card.isChecked() for card in cards(window)] == [False, False, True, False]
    QTest.keyClick(cards(window)[3], Qt.Key.Key_Space)
    assert window.current.ref == WEIGHT


def test_that_cards_are_reused(window: Window) -> None:
    window.capture()
    before = cards(window)
    window.current.select_ref(OTHER)
    assert cards(window) == before[:1]
    window.current.select_ref(OUTPUT)
    assert cards(window) == before


class DetailsWindow(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self.bridge = PanelBridge()
        self.current = Current(self.bridge)  # type: ignore[arg-type]
        self.dock = DetailsDock(self.bridge, self.current, self)  # type: ignore[arg-type]
        QVBoxLayout(self).addWidget(self.dock)
        self.resize(300, 600)
        self.show()
        pump()

    def text(self) -> str:
        return " | ".join(label.text() for label in self.dock.findChildren(QLabel) if label.isVisible())


@pytest.fixture
def details(qapp: QApplication) -> Iterator[DetailsWindow]:
    window = DetailsWindow()
    yield window
    window.close()
    window.deleteLater()


def test_that_the_details_follow_the_current_tensor(details: DetailsWindow) -> None:
    assert "Select a module" in details.text()
    details.bridge.capture({OUTPUT: torch.ones(2, 3)}, badges=(Badge(BadgeKind.MODIFIED_IN_PLACE),))
    details.current.select_ref(OUTPUT)
    assert "shape 2 × 3" in details.dock.statistics.summary()
    details.bridge.answer_all(details.dock)
    assert "mean 1" in details.dock.statistics.summary()
    assert "features.0 · output" in details.text()
    assert badge_sentence(Badge(BadgeKind.MODIFIED_IN_PLACE)) in details.text()
    assert "weight  16 × 1 × 3 × 3 · float32" in details.text()
    assert not details.dock.is_waiting


def test_that_the_details_say_why_a_tensor_is_absent(details: DetailsWindow) -> None:
    details.bridge.record(Record(ABSENT, 1, 0, None, (Badge(BadgeKind.INPUT_NEEDS_NO_GRAD),)))
    details.current.select_ref(ABSENT)
    assert "does not require grad" in details.text()
    assert not details.dock.statistics.isVisible()


def test_that_hidden_details_ask_for_nothing(details: DetailsWindow) -> None:
    details.dock.hide()
    details.bridge.capture({OUTPUT: torch.ones(2, 3)})
    details.current.select_ref(OUTPUT)
    assert not details.bridge.take_asked()
    details.dock.show()
    pump(lambda: bool(details.bridge.session.asked))
    assert [asked.panel for asked in details.bridge.take_asked()] == ["details"]
