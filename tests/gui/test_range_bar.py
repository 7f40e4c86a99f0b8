"""The range of a picture: what its boxes say."""

from itertools import pairwise

import numpy as np
from PySide6.QtCore import QObject, QRect
from PySide6.QtWidgets import QLineEdit, QWidget
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


def test_that_no_control_stands_on_another_and_the_boxes_go_together(qtbot: QtBot) -> None:
    panel = QWidget()
    qtbot.addWidget(panel)
    bar = RangeBar(RangeControl(panel))
    bar.setParent(panel)
    bar.finish()
    panel.show()
    layout = bar.layout()
    assert layout is not None
    counts = set()
    for width in range(400, 40, -12):
        bar.resize(width, bar.sizeHint().height())
        layout.activate()
        shown = [child for child in bar.findChildren(QWidget) if child.parent() is bar and child.isVisible()]
        places = sorted((child.geometry() for child in shown), key=QRect.left)
        assert all(left.right() < right.left() for left, right in pairwise(places)), width
        assert places[-1].right() < width
        counts.add(sum(isinstance(child, QLineEdit) for child in shown))
    assert counts == {0, 2}
