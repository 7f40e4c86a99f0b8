"""Questions beside the picture: one at a time, the newest of each receiver, and none about what is gone."""

import torch
from PySide6.QtWidgets import QApplication

from hookscope.gui.panels.side_questions import SideQuestions
from hookscope.gui.trials.comparison import NEWEST, Aim
from hookscope.protocol.events import ViewReady
from hookscope.protocol.views import Value, ValueRequest
from tests.gui.panel_fakes import OTHER, OUTPUT, PanelBridge


class Receiver:
    def __init__(self) -> None:
        self.values: list[str] = []

    def take(self, answer: ViewReady) -> None:
        assert isinstance(answer.result, Value)
        self.values.append(answer.result.text)

    def take_too(self, answer: ViewReady) -> None:
        self.take(answer)


def test_that_one_question_is_out_and_the_newest_of_each_receiver_waits(qapp: QApplication) -> None:
    bridge, receiver = PanelBridge(), Receiver()
    bridge.capture({OUTPUT: torch.arange(5.0)})
    questions = SideQuestions(bridge, "panel-3", bridge)  # type: ignore[arg-type]
    questions.ask(ValueRequest((0,)), receiver.take)
    assert bridge.take_asked() == []
    questions.look_at(OUTPUT, NEWEST)
    for entry in range(4):
        questions.ask(ValueRequest((entry,)), receiver.take)
    questions.ask(ValueRequest((4,)), receiver.take_too)
    requests = []
    while asked := bridge.take_asked():
        assert [one.panel for one in asked] == ["panel-3/aside"]
        requests.append(asked[0].request)
        bridge.answer(asked[0])
    assert requests == [ValueRequest((0,)), ValueRequest((3,)), ValueRequest((4,))]
    assert receiver.values == ["0.0", "3.0", "4.0"]


def test_that_answers_about_what_is_not_looked_at_any_more_are_dropped(qapp: QApplication) -> None:
    bridge, receiver = PanelBridge(), Receiver()
    bridge.capture({OUTPUT: torch.arange(5.0), OTHER: torch.arange(7.0)})
    questions = SideQuestions(bridge, "panel-3", bridge)  # type: ignore[arg-type]
    questions.look_at(OUTPUT, NEWEST)
    questions.ask(ValueRequest((1,)), receiver.take)
    questions.ask(ValueRequest((2,)), receiver.take)
    questions.look_at(OTHER, Aim(4, 3))
    questions.ask(ValueRequest((3,)), receiver.take)
    first = bridge.take_asked()[0]
    bridge.answer(first)
    assert receiver.values == []
    second = bridge.take_asked()[0]
    assert (second.ref, second.step, second.minus) == (OTHER, 4, 3)
    bridge.answer(second)
    assert receiver.values == ["3.0"]


def test_that_nothing_is_waited_for_when_the_debuggee_is_gone(qapp: QApplication) -> None:
    bridge, receiver = PanelBridge(), Receiver()
    bridge.capture({OUTPUT: torch.arange(5.0)})
    questions = SideQuestions(bridge, "panel-3", bridge)  # type: ignore[arg-type]
    questions.look_at(OUTPUT, NEWEST)
    questions.ask(ValueRequest((1,)), receiver.take)
    bridge.lose()
    questions.ask(ValueRequest((2,)), receiver.take)
    assert len(bridge.take_asked()) == 1
    bridge.restart()
    bridge.capture({OUTPUT: torch.arange(5.0)})
    questions.ask(ValueRequest((3,)), receiver.take)
    bridge.answer(bridge.take_asked()[0])
    assert receiver.values == ["3.0"]
