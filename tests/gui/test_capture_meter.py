"""How full the memory for captures is, in the status line."""

import pytest
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from hookscope.gui.capture_meter import CaptureMeter
from hookscope.gui.status_bar import StatusBar
from hookscope.gui.style import palette_of
from hookscope.gui.theme import DARK
from hookscope.protocol.events import StepFinished
from tests.gui.fakes import FakeBridge, small_tree
from tests.gui.shell import NotingSession

MIB = 1024**2


@pytest.fixture
def meter(qtbot: QtBot) -> CaptureMeter:
    meter = CaptureMeter()
    qtbot.addWidget(meter)
    meter.setPalette(palette_of(DARK))
    return meter


def colors_of(meter: CaptureMeter) -> set[str]:
    meter.resize(meter.sizeHint())
    picture = meter.grab().toImage()
    return {QColor(picture.pixel(x, y)).name() for x in range(picture.width()) for y in range(picture.height())}


def test_that_it_says_how_much_of_how_much(meter: CaptureMeter) -> None:
    meter.show_bytes(int(10.8 * MIB), 6 * 1024 * MIB)
    assert meter.text == "captures 10.8 MiB of 6.0 GiB"
    assert meter.accessibleName() == meter.text
    assert meter.toolTip().startswith(meter.text)
    assert not meter.is_nearly_full


def test_that_it_has_the_colour_of_what_is_at_hand_when_it_is_nearly_full(meter: CaptureMeter) -> None:
    meter.show_bytes(90 * MIB, 100 * MIB)
    assert not meter.is_nearly_full
    assert DARK.accent in colors_of(meter)
    assert DARK.at_hand not in colors_of(meter)
    meter.show_bytes(91 * MIB, 100 * MIB)
    assert meter.is_nearly_full
    assert DARK.at_hand in colors_of(meter)


def test_that_an_unknown_budget_has_no_bar(meter: CaptureMeter) -> None:
    meter.show_bytes(2 * MIB, 0)
    assert meter.text == "captures 2.0 MiB"
    assert meter.share == 0
    assert DARK.accent not in colors_of(meter)


def test_that_the_status_line_has_it_from_the_first_step_on(qapp: QApplication, qtbot: QtBot) -> None:
    session = NotingSession(small_tree())
    bridge = FakeBridge(session)
    bar = StatusBar(bridge)
    qtbot.addWidget(bar)
    assert bar.captures.isHidden()
    session.history.append(StepFinished(1, 0.5, 0.1, 0.05, 0.05, 300 * MIB, 8 * MIB, False, 64 * MIB))
    bridge.step_finished.emit(session.history[-1])
    assert not bar.captures.isHidden()
    assert bar.captures.text == "captures 8.0 MiB of 64.0 MiB"
    assert "captures" not in bar.figures_text
    bridge.deleteLater()
