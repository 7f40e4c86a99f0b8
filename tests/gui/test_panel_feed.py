"""How a panel asks: one request at a time, the newest wins, nothing while it is not seen."""

from collections.abc import Iterator

import pytest
import torch
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from hookscope.client.state import SessionState
from hookscope.gui.panels.feed import ViewFeed
from hookscope.protocol.events import ViewReady
from hookscope.protocol.views import HistogramRequest, StatisticsRequest
from tests.gui.panel_fakes import NOTHING, OTHER, OUTPUT, PanelBridge, pump


class Screen(QWidget):
    """A window with one widget that is supplied by a feed."""

    def __init__(self, bridge: PanelBridge, name: str = "panel-7") -> None:
        super().__init__()
        self.seen = QWidget(self)
        QVBoxLayout(self).addWidget(self.seen)
        self.feed = ViewFeed(bridge, name, self.seen)  # type: ignore[arg-type]
        self.answers: list[ViewReady] = []
        self.feed.arrived.connect(self.answers.append)
        self.resize(200, 200)
        self.show()
        pump()


@pytest.fixture
def bridge(qapp: QApplication) -> PanelBridge:
    return PanelBridge()


@pytest.fixture
def screen(bridge: PanelBridge) -> Iterator[Screen]:
    screen = Screen(bridge)
    yield screen
    screen.close()
    screen.deleteLater()


def test_that_nothing_is_asked_before_there_is_a_record(bridge: PanelBridge, screen: Screen) -> None:
    screen.feed.watch(OUTPUT, StatisticsRequest())
    assert not bridge.take_asked()
    assert not screen.feed.is_waiting

    bridge.capture({OUTPUT: torch.ones(3)})
    (asked,) = bridge.take_asked()
    assert (asked.panel, asked.ref, asked.request) == ("panel-7", OUTPUT, StatisticsRequest())
    assert screen.feed.is_waiting


def test_that_one_request_is_outstanding_and_the_newest_record_wins(bridge: PanelBridge, screen: Screen) -> None:
    screen.feed.watch(OUTPUT, StatisticsRequest())
    bridge.capture({OUTPUT: torch.ones(3)}, step=1)
    (first,) = bridge.take_asked()
    for step in range(2, 50):
        bridge.capture({OUTPUT: torch.ones(3)}, step=step)
    pump()
    assert not bridge.take_asked()

    bridge.answer(first, step=1)
    pump()
    (second,) = bridge.take_asked()
    assert second.number > first.number
    bridge.answer(second)
    pump()
    assert not bridge.take_asked()
    assert [answer.step for answer in screen.answers] == [1, 49]
    assert not screen.feed.is_waiting


def test_that_requests_are_not_sent_in_a_burst(bridge: PanelBridge, screen: Screen) -> None:
    screen.feed.watch(OUTPUT, StatisticsRequest())
    for step in range(1, 40):
        bridge.capture({OUTPUT: torch.ones(3)}, step=step)
        for asked in bridge.take_asked():
            bridge.answer(asked)
    # Answered at once and without any pause, only the first was sent at once.
    assert [answer.step for answer in screen.answers] == [1]
    bridge.answer_all()
    assert screen.answers[-1].step == 39


def test_that_stale_answers_are_dropped(bridge: PanelBridge, screen: Screen) -> None:
    screen.feed.watch(OUTPUT, StatisticsRequest())
    bridge.capture({OUTPUT: torch.ones(3), OTHER: torch.zeros(3)})
    (first,) = bridge.take_asked()
    screen.feed.watch(OTHER, StatisticsRequest())
    assert not bridge.take_asked()

    bridge.answer(first)
    pump()
    (second,) = bridge.take_asked()
    assert second.ref == OTHER
    bridge.answer(first)
    assert not screen.answers
    bridge.answer(second)
    assert [answer.ref for answer in screen.answers] == [OTHER]


def test_that_an_answer_of_another_kind_of_view_is_dropped(bridge: PanelBridge, screen: Screen) -> None:
    bridge.capture({OUTPUT: torch.ones(3)})
    screen.feed.watch(OUTPUT, StatisticsRequest())
    (first,) = bridge.take_asked()
    screen.feed.watch(OUTPUT, HistogramRequest())
    bridge.answer(first)
    assert not screen.answers
    bridge.answer_all()
    assert [type(answer.result).__name__ for answer in screen.answers] == ["Histogram"]


def test_that_going_back_to_the_kind_whose_answer_was_dropped_asks_again(bridge: PanelBridge, screen: Screen) -> None:
    bridge.capture({OUTPUT: torch.ones(3)})
    screen.feed.watch(OUTPUT, StatisticsRequest())
    (first,) = bridge.take_asked()
    screen.feed.watch(OUTPUT, HistogramRequest())
    bridge.answer(first)
    screen.feed.watch(OUTPUT, StatisticsRequest())
    bridge.answer_all(screen.feed)
    assert [type(answer.result).__name__ for answer in screen.answers] == ["Statistics"]


def test_that_panels_draw_one_after_the_other(bridge: PanelBridge) -> None:
    screens = [Screen(bridge, f"panel-{number}") for number in range(4)]
    bridge.capture({OUTPUT: torch.ones(3)})
    for screen in screens:
        screen.feed.watch(OUTPUT, StatisticsRequest())
    for asked in bridge.take_asked():
        bridge.answer(asked)
    assert [len(screen.answers) for screen in screens] == [1, 0, 0, 0]
    pump(lambda: not any(screen.feed.is_waiting for screen in screens))
    assert [len(screen.answers) for screen in screens] == [1, 1, 1, 1]
    for screen in screens:
        screen.close()
        screen.deleteLater()


def test_that_a_hidden_widget_asks_once_when_it_is_shown(bridge: PanelBridge, screen: Screen) -> None:
    screen.hide()
    screen.feed.watch(OUTPUT, StatisticsRequest())
    for step in range(1, 5):
        bridge.capture({OUTPUT: torch.ones(3)}, step=step)
    assert not bridge.take_asked()
    assert not screen.feed.is_waiting

    screen.show()
    screen.feed.pump()
    assert len(bridge.take_asked()) == 1


def test_that_a_minimised_window_asks_for_nothing(bridge: PanelBridge, screen: Screen) -> None:
    screen.showMinimized()
    pump()
    screen.feed.watch(OUTPUT, StatisticsRequest())
    bridge.capture({OUTPUT: torch.ones(3)})
    assert not bridge.take_asked()


@pytest.mark.parametrize("answers_before", [True, False])
def test_that_an_answer_of_the_step_before_is_asked_for_again(
    bridge: PanelBridge, screen: Screen, answers_before: bool
) -> None:
    bridge.enter(SessionState.RUNNING)
    screen.feed.watch(OUTPUT, StatisticsRequest())
    bridge.capture({OUTPUT: torch.ones(3)}, step=2)
    (asked,) = bridge.take_asked()
    if answers_before:
        bridge.answer(asked, step=1)
    bridge.finish_step(2)
    bridge.enter(SessionState.IDLE)
    if not answers_before:
        bridge.answer(asked, step=1)
    pump()
    (again,) = bridge.take_asked()
    bridge.answer(again, step=2)
    pump()
    assert [answer.step for answer in screen.answers] == [1, 2]
    assert not screen.feed.is_waiting


def test_that_a_step_that_left_no_capture_is_not_asked_for_for_ever(bridge: PanelBridge, screen: Screen) -> None:
    screen.feed.watch(OUTPUT, StatisticsRequest())
    bridge.capture({OUTPUT: torch.ones(3)}, step=2)
    times = 0
    while asked := bridge.take_asked():
        bridge.answer(asked[0], step=1)
        times += 1
        assert times < 5
        pump()
    assert not screen.feed.is_waiting


def test_that_a_capture_that_is_gone_is_not_asked_for_again(bridge: PanelBridge, screen: Screen) -> None:
    screen.feed.watch(OUTPUT, StatisticsRequest())
    bridge.capture({OUTPUT: torch.ones(3)}, step=2)
    (asked,) = bridge.take_asked()
    bridge.answer(asked, NOTHING, step=0)
    pump()
    assert not bridge.take_asked()
    assert [answer.result for answer in screen.answers] == [NOTHING]


def test_that_a_restart_forgets_the_answer_that_will_never_come(bridge: PanelBridge, screen: Screen) -> None:
    screen.feed.watch(OUTPUT, StatisticsRequest())
    bridge.capture({OUTPUT: torch.ones(3)}, step=3)
    (lost,) = bridge.take_asked()
    bridge.lose()
    assert not screen.feed.is_waiting

    bridge.restart()
    bridge.capture({OUTPUT: torch.ones(3)}, step=1)
    pump()
    (asked,) = bridge.take_asked()
    bridge.answer(lost)
    assert not screen.answers
    bridge.answer(asked)
    assert [answer.step for answer in screen.answers] == [1]


def test_that_values_of_a_debuggee_before_are_not_asked_for_until_the_model_has_run_again(
    bridge: PanelBridge, screen: Screen
) -> None:
    screen.feed.watch(OUTPUT, StatisticsRequest())
    bridge.capture({OUTPUT: torch.ones(3)}, step=7)
    bridge.answer_all(screen.feed)
    bridge.enter(SessionState.LAUNCHING)
    bridge.session.are_records_former = True
    bridge.enter(SessionState.IDLE)
    bridge.model_loaded.emit()
    screen.feed.watch(OUTPUT, HistogramRequest())
    pump()
    assert not bridge.take_asked()
    assert not screen.feed.is_waiting
    bridge.session.are_records_former = False
    bridge.capture({OUTPUT: torch.ones(3)}, step=1)
    assert len(bridge.take_asked()) == 1


def test_that_nothing_is_asked_of_a_debuggee_whose_loss_is_yet_to_be_told(bridge: PanelBridge, screen: Screen) -> None:
    screen.feed.watch(OUTPUT, StatisticsRequest())
    bridge.session.state = SessionState.LOST
    bridge.capture({OUTPUT: torch.ones(3)})
    assert not bridge.take_asked()
    assert not screen.feed.is_waiting
