"""The range of a picture: what its boxes say."""

import numpy as np
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from hookscope.gui.panels.range_bar import RangeBar
from hookscope.gui.panels.range_control import RangeControl
from hookscope.gui.panels.subject import Subject
from hookscope.protocol.identity import Slot, TensorRef
from tests.gui.fakes import spec


def test_that_a_narrow_box_shows_the_sign_of_its_value(qtbot: QtBot) -> None:
    owner = QObject()
    control = RangeControl(owner)
    bar = RangeBar(control)
    qtbot.addWidget(bar)
    bar.finish()
    bar.resize(200, bar.sizeHint().height())
    bar.show()
    control.aim(Subject(TensorRef("layer", Slot.GRAD_OUTPUT, "out"), spec(1, 2)))
    control.take_data((-7.375e-6, 2e-6), np.zeros((1, 2), np.float32), None)
    bar.show_range()
    low, high = bar.findChildren(QLineEdit)
    assert (low.text(), high.text()) == ("-7.375e-6", "7.375e-6")
    assert low.cursorPosition() == 0
    assert low.cursorRect().center().x() < low.width() // 2
