"""What is no tensor, in the window: cards, words, and nothing that looks like trouble."""

from collections.abc import Iterator

import pytest
import torch
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QMainWindow
from pytestqt.qtbot import QtBot

from hookscope.client.state import SessionState
from hookscope.gui.badge_looks import LOOKS
from hookscope.gui.current import Current
from hookscope.gui.interventions.place_form import PlaceForm
from hookscope.gui.module_tree.dock import ModuleTreeDock
from hookscope.gui.module_tree.model import ABSENT_ROLE, Column
from hookscope.gui.panels.panel import TensorPanel
from hookscope.gui.panels.slot_card import SlotCard
from hookscope.gui.panels.slot_strip import SlotStrip
from hookscope.gui.panels.text_card import CardWords, TextCard
from hookscope.gui.session_bridge import SessionBridge
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.interventions import Intervention
from hookscope.protocol.tensor_changes import Zero
from hookscope.protocol.tensors import Badge, BadgeKind, Record
from hookscope.protocol.workload import parse_source
from tests.gui.fakes import FakeBridge, FakeSession, record, small_tree
from tests.gui.panel_fakes import OUTPUT, PanelWindow, pump
from tests.gui.tree_driving import cell, index_of

PATIENCE_MS = 60_000
FLAG = TensorRef("features.0", Slot.INPUT, "kwargs.flag")
CACHE = TensorRef("features.0", Slot.OUTPUT, "out.1")
FIRST = TensorRef("features.0", Slot.OUTPUT, "out.2")


def no_tensor(ref: TensorRef, words: str, step: int = 1) -> Record:
    return Record(ref, step, 0, None, (Badge(BadgeKind.NOT_A_TENSOR, words),))


@pytest.fixture
def window(qapp: QApplication) -> Iterator[PanelWindow]:
    window = PanelWindow()
    yield window
    window.close()
    window.deleteLater()


def words_of(panel: TensorPanel) -> CardWords:
    card = panel.findChild(TextCard)
    assert isinstance(card, TextCard)
    assert card.isVisible()
    assert panel.message == card.words.text
    return card.words


def test_that_cards_without_a_tensor_come_last_and_say_the_value(window: PanelWindow, qtbot: QtBot) -> None:
    strip = SlotStrip(window.bridge, window.current)  # type: ignore[arg-type]
    qtbot.addWidget(strip)
    strip.resize(600, 140)
    strip.show()
    window.bridge.record(no_tensor(FLAG, "bool: True"), no_tensor(CACHE, "package.module.Cache"))
    window.bridge.capture({FIRST: torch.ones(2)})
    window.current.select_module("features.0")
    assert window.current.ref == FIRST
    assert [card.accessibleName() for card in strip.cards] == ["output 2, 2", "input flag, True", "output 1, Cache"]
    assert "no tensor" in strip.cards[1].toolTip()
    qtbot.mouseClick(strip.cards[1], Qt.MouseButton.LeftButton)
    assert window.current.ref == FLAG
    strip.close()


def test_that_such_a_card_is_quiet_and_opens_in_a_tab_of_its_own(qtbot: QtBot) -> None:
    assert LOOKS[BadgeKind.NOT_A_TENSOR].color == "quiet"
    host = QMainWindow()
    qtbot.addWidget(host)
    card, absent = SlotCard(host), SlotCard(host)
    card.show_record(no_tensor(FLAG, "int: 3"), is_current=False)
    absent.show_record(Record(FLAG, 1, 0, None, (Badge(BadgeKind.NEVER_CALLED),)), is_current=False)
    with qtbot.waitSignal(card.opened):
        qtbot.mouseDClick(card, Qt.MouseButton.LeftButton)
    with qtbot.assertNotEmitted(absent.opened):
        qtbot.mouseDClick(absent, Qt.MouseButton.LeftButton)


def test_that_a_panel_shows_name_type_and_value(window: PanelWindow) -> None:
    window.bridge.record(no_tensor(FLAG, "tuple of 2: (2, 3)"))
    window.current.select_ref(FLAG)
    words = words_of(window.panel)
    assert (words.what, words.value) == ("input flag · tuple of 2", "(2, 3)")
    assert "no tensor" in words.sentence
    assert not window.bridge.take_asked()
    window.bridge.record(no_tensor(FLAG, "tuple of 2: (4, 5)", step=2))
    assert words_of(window.panel).value == "(4, 5)"
    window.show_tensor(OUTPUT, torch.randn(2, 3, 3))
    assert window.panel.message == ""


def test_that_a_card_wraps_what_is_long_and_scrolls_when_there_is_no_room(qtbot: QtBot) -> None:
    card = TextCard()
    qtbot.addWidget(card)
    card.resize(300, 500)
    card.show()
    card.show_words(CardWords("output · str", "x" * 500, "Why."))
    assert card.document().size().width() <= card.viewport().width()
    assert not card.verticalScrollBar().isVisible()
    above = card.viewport().y()
    below = card.height() - above - round(card.document().size().height())
    assert abs(above - below) <= 2  # it is in the middle
    card.resize(300, 60)
    pump()
    assert card.verticalScrollBar().isVisible()


def test_that_the_tree_names_the_type_and_sees_no_trouble(qtbot: QtBot) -> None:
    bridge = FakeBridge(FakeSession(small_tree()))
    dock = ModuleTreeDock(bridge, Current(bridge, bridge))  # type: ignore[arg-type]
    qtbot.addWidget(dock)
    dock.show()
    bridge.record(no_tensor(TensorRef("features.0", Slot.OUTPUT, "out"), "package.module.Cache"))
    bridge.record(record("features.3", badges=(Badge(BadgeKind.NEVER_CALLED),)))
    assert cell(dock, "features.0", Column.OUTPUT) == "Cache"
    assert [index_of(dock, path, Column.OUTPUT).data(ABSENT_ROLE) for path in ("features.0", "features.3")] == [
        False,
        True,
    ]
    assert cell(dock, "features.0", Column.DTYPE) == ""
    dock.close()


def test_that_it_is_no_place_for_an_intervention(qtbot: QtBot) -> None:
    form = PlaceForm()
    qtbot.addWidget(form)
    records = [no_tensor(FLAG, "bool: True"), record("features.0", leaf="out.2"), no_tensor(CACHE, "None")]
    records.append(record("features.0", Slot.GRAD_OUTPUT, "out.2"))
    form.show_place(Intervention(1, "features.0", Slot.OUTPUT, Zero()), records, (), 1)
    assert [form.slot.itemText(row) for row in range(form.slot.count())] == ["output", "grad_output"]
    assert [form.leaf.itemText(row) for row in range(form.leaf.count())] == ["out.2"]


@pytest.fixture
def bridge(qapp: object) -> Iterator[SessionBridge]:
    bridge = SessionBridge()
    yield bridge
    bridge.close()


def test_that_a_real_step_shows_what_is_no_tensor_and_what_has_no_picture(bridge: SessionBridge, qtbot: QtBot) -> None:
    current = Current(bridge, bridge)
    window = QMainWindow()
    qtbot.addWidget(window)
    panel = TensorPanel(bridge, current, "panel-0", window)
    window.addDockWidget(Qt.DockWidgetArea.TopDockWidgetArea, panel)
    window.resize(700, 500)
    window.show()
    session = bridge.session

    def step() -> None:
        with qtbot.waitSignal(bridge.step_finished, timeout=PATIENCE_MS):
            session.step()
        qtbot.waitUntil(lambda: session.state is SessionState.IDLE, timeout=PATIENCE_MS)

    def shown(path: str) -> CardWords:
        current.select_module(path)
        qtbot.waitUntil(lambda: not panel.is_waiting, timeout=PATIENCE_MS)
        return words_of(panel)

    with qtbot.waitSignal(bridge.model_loaded, timeout=PATIENCE_MS):
        session.open(parse_source("tests.engine.mixed_models:mixed"))
    qtbot.waitUntil(lambda: session.state is SessionState.IDLE, timeout=PATIENCE_MS)
    session.check(["", "counting", "nesting", "shaping"])
    step()
    first = shown("counting")
    assert first.what == "output · int"
    step()
    qtbot.waitUntil(lambda: words_of(panel).value == str(int(first.value) + 1), timeout=PATIENCE_MS)
    current.show_step(1)
    qtbot.waitUntil(lambda: words_of(panel) == first, timeout=PATIENCE_MS)
    current.show_latest()
    assert [record.instead for record in session.records.of("counting") if record.ref.slot is Slot.INPUT] == [
        "",
        "bool: True",
        "tuple of 2: (2, 3)",
    ]
    nested = shown("nesting")
    assert (nested.what, nested.value) == ("2 × ? × 3 · float32 · nested · cpu", "0: 2 × 3\n1: 4 × 3")
    shape = shown("shaping")
    assert (shape.what, shape.value) == ("1 × 2 · float32 · meta", "")
    current.select_module("")
    assert current.ref == TensorRef("", Slot.OUTPUT, "out.1")
    window.close()
