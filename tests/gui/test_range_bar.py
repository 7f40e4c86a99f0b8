"""The range of a picture: what its boxes say."""

from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from hookscope.gui.panels.range_bar import RangeBar
from hookscope.protocol.identity import Slot, TensorRef


def test_that_a_narrow_box_shows_the_sign_of_its_value(qtbot: QtBot) -> None:
    bar = RangeBar()
    qtbot.addWidget(bar)
    bar.finish()
    bar.resize(200, bar.sizeHint().height())
    bar.show()
    bar.take_data(TensorRef("layer", Slot.GRAD_OUTPUT, "out"), -7.375e-6, 2e-6)
    low, high = bar.findChildren(QLineEdit)
    assert (low.text(), high.text()) == ("-7.375e-6", "7.375e-6")
    assert low.cursorPosition() == 0
    assert low.cursorRect().center().x() < low.width() // 2
