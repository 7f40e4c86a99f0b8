"""The list of operations: what it shows, what clicks in it ask of the session, and what the window looks at then."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QApplication, QStyle, QStyleOptionViewItem
from pytestqt.qtbot import QtBot

from hookscope.client.state import SessionState
from hookscope.gui.current import Current
from hookscope.gui.operations.dock import OperationsDock
from hookscope.gui.operations.model import Column
from hookscope.gui.style import apply_theme
from hookscope.gui.theme import DARK, LIGHT
from hookscope.protocol.hooks import OperationInfo, OperationRef
from hookscope.protocol.identity import Slot, TensorRef
from tests.gui.fakes import FakeBridge, record, spec

LEFT = Qt.MouseButton.LeftButton
ADD, MUL, ADD_AGAIN, SIZE = (
    OperationInfo(OperationRef("features", name, number), output, "/a/net.py", line, code)
    for name, number, output, line, code in (
        ("add", 0, spec(16, 8), 31, "x = x + y"),
        ("mul", 0, spec(16, 8, dtype="float16"), 32, "x = x * 2 if a < b else x"),
        ("add", 1, spec(), 33, "return (x + 1).sum()"),
        ("size", 0, None, 34, "n = x.size()"),
    )
)
DARK_QUIET, LIGHT_QUIET = (QColor(theme.quiet).value() for theme in (DARK, LIGHT))
OPERATIONS = (ADD, MUL, ADD_AGAIN, SIZE)


@pytest.fixture
def dock(bridge: FakeBridge, current: Current, qtbot: QtBot) -> Iterator[OperationsDock]:
    dock = OperationsDock(bridge, current)
    qtbot.addWidget(dock)
    dock.resize(900, 240)
    dock.show()
    yield dock
    dock.close()


@pytest.fixture
def traced(bridge: FakeBridge, current: Current, dock: OperationsDock) -> OperationsDock:
    current.select_module("features")
    bridge.session.operations["features"] = OPERATIONS
    bridge.operations_traced.emit("features")
    return dock


def rows(dock: OperationsDock) -> list[list[str]]:
    model = dock.model
    return [[str(model.index(row, column).data()) for column in Column] for row in range(model.rowCount())]


def box_of(dock: OperationsDock, row: int) -> QPoint:
    option, index, view = QStyleOptionViewItem(), dock.model.index(row, Column.NAME), dock.view
    option.rect, option.widget = view.visualRect(index), view
    view.itemDelegate().initStyleOption(option, index)
    return view.style().subElementRect(QStyle.SubElement.SE_ItemViewItemCheckIndicator, option, view).center()


def click_row(dock: OperationsDock, row: int, qtbot: QtBot) -> None:
    place = dock.view.visualRect(dock.model.index(row, Column.OUTPUT)).center()
    qtbot.mouseClick(dock.view.viewport(), LEFT, pos=place)


def test_that_it_says_what_can_be_done_before_there_is_a_list(
    bridge: FakeBridge, current: Current, dock: OperationsDock, qtbot: QtBot
) -> None:
    assert "Net" in dock.message.text(), "without a current module it is about the root"
    current.select_module("features")
    assert "features" in dock.message.text()
    with qtbot.waitSignal(dock.operations_requested) as asked:
        qtbot.mouseClick(dock.button, LEFT)
    assert asked.args == ["features"]
    bridge.enter(SessionState.RUNNING)
    assert not dock.button.isEnabled()
    bridge.load(None)
    assert "Open a model" in dock.message.text()
    assert dock.button.isHidden()


def test_that_operations_are_listed_in_order_with_their_lines(traced: OperationsDock) -> None:
    QAbstractItemModelTester(traced.model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    assert traced.view.isVisible()
    assert traced.title == "features: 4 operations"
    assert rows(traced) == [
        ["add", "0", "16 × 8", "float32", "x = x + y", "net.py:31"],
        ["mul", "0", "16 × 8", "float16", "x = x * 2 if a < b else x", "net.py:32"],
        ["add", "1", "scalar", "float32", "return (x + 1).sum()", "net.py:33"],
        ["size", "0", "", "", "n = x.size()", "net.py:34"],
    ]
    tip = traced.model.index(1, Column.PLACE).data(Qt.ItemDataRole.ToolTipRole)
    assert "a &lt; b" in tip, "code is no markup"
    assert "/a/net.py:32" in tip


def test_that_a_module_that_does_nothing_itself_says_so(
    bridge: FakeBridge, current: Current, dock: OperationsDock
) -> None:
    current.select_module("classifier")
    bridge.session.operations["classifier"] = ()
    bridge.operations_traced.emit("classifier")
    assert "does nothing itself" in dock.message.text()
    assert not dock.view.isVisible()


def test_that_the_list_is_that_of_the_current_module(current: Current, traced: OperationsDock) -> None:
    current.select_module("classifier")
    assert rows(traced) == []
    current.select_module("features")
    assert len(rows(traced)) == len(OPERATIONS)


def test_that_a_click_on_a_box_captures_the_operation_and_another_one_does_not_any_more(
    bridge: FakeBridge, traced: OperationsDock, qtbot: QtBot
) -> None:
    elsewhere = OperationRef("classifier", "add", 0)
    bridge.session.check_operations([elsewhere])
    qtbot.mouseClick(traced.view.viewport(), LEFT, pos=box_of(traced, 2))
    assert bridge.session.checked_operations == (elsewhere, ADD_AGAIN.ref)
    assert traced.model.index(2, 0).data(Qt.ItemDataRole.CheckStateRole) == Qt.CheckState.Checked
    assert traced.model.index(0, 0).data(Qt.ItemDataRole.CheckStateRole) == Qt.CheckState.Unchecked
    qtbot.mouseClick(traced.view.viewport(), LEFT, pos=box_of(traced, 2))
    assert bridge.session.checked_operations == (elsewhere,)


def test_that_space_toggles_wherever_in_the_row_the_focus_is(
    bridge: FakeBridge, traced: OperationsDock, qtbot: QtBot
) -> None:
    click_row(traced, 0, qtbot)
    qtbot.keyClick(traced.view, Qt.Key.Key_Down)
    qtbot.keyClick(traced.view, Qt.Key.Key_Space)
    assert bridge.session.checked_operations == (MUL.ref,)
    bridge.enter(SessionState.NO_MODEL)
    qtbot.keyClick(traced.view, Qt.Key.Key_Space)
    assert bridge.session.checked_operations == (MUL.ref,)


def test_that_a_selected_operation_is_looked_at_and_its_gradient_while_gradients_are(
    current: Current, traced: OperationsDock, qtbot: QtBot
) -> None:
    click_row(traced, 0, qtbot)
    assert current.ref == TensorRef("features", Slot.OUTPUT, "out", operation="add:0")
    current.select_ref(TensorRef("features", Slot.GRAD_OUTPUT, "out", operation="add:0"))
    click_row(traced, 2, qtbot)
    assert current.ref == TensorRef("features", Slot.GRAD_OUTPUT, "out", operation="add:1")
    assert traced.view.currentIndex().row() == 2


def test_that_the_leaf_that_was_captured_is_taken(
    bridge: FakeBridge, current: Current, traced: OperationsDock, qtbot: QtBot
) -> None:
    ref = TensorRef("features", Slot.OUTPUT, "out.values", operation="mul:0")
    bridge.record(type(record(""))(ref, 1, 0, spec(3)))
    click_row(traced, 1, qtbot)
    assert current.ref == ref


def test_that_the_row_of_the_current_operation_is_marked_and_none_when_a_module_is_looked_at(
    bridge: FakeBridge, current: Current, traced: OperationsDock
) -> None:
    current.select_ref(TensorRef("features", Slot.OUTPUT, "out", operation="add:1"))
    assert [index.row() for index in traced.view.selectionModel().selectedRows()] == [2]
    bridge.record(record("features", of=spec(2)))
    current.select_module("features")
    assert current.ref == TensorRef("features", Slot.OUTPUT, "out")
    assert not traced.view.selectionModel().hasSelection()


def test_that_an_operation_stays_looked_at_while_steps_go_by(
    bridge: FakeBridge, current: Current, traced: OperationsDock, qtbot: QtBot
) -> None:
    click_row(traced, 0, qtbot)
    shown = current.ref
    bridge.record(record("features", of=spec(2), step=2))
    assert current.ref == shown


def test_that_the_code_is_as_plain_as_the_name_on_its_base_line_and_the_rest_is_quiet(
    traced: OperationsDock, qapp: QApplication
) -> None:
    palette, sheet = qapp.palette(), qapp.styleSheet()
    apply_theme(qapp, DARK)
    name, code, dtype, place = (
        ink_of(traced, 0, column) for column in (Column.NAME, Column.CODE, Column.DTYPE, Column.PLACE)
    )
    qapp.setPalette(palette)
    qapp.setStyleSheet(sheet)
    assert rows(traced)[0][Column.NAME] == "add"
    assert code.brightest == pytest.approx(name.brightest, abs=20)
    for quiet in (dtype, place):
        assert LIGHT_QUIET + 10 < quiet.brightest <= DARK_QUIET, "the quiet text of this theme, and not of the other"
    assert code.lowest == name.lowest


@dataclass(frozen=True)
class Ink:
    """How bright a text is, and how far down it reaches."""

    brightest: int
    lowest: int


def ink_of(dock: OperationsDock, row: int, column: Column) -> Ink:
    picture = dock.view.viewport().grab(dock.view.visualRect(dock.model.index(row, column))).toImage()
    character = dock.view.fontMetrics().averageCharWidth()
    # Behind the box; and of the code only the x that it begins with, for the y goes below the base line.
    left = picture.width() // 4 if column is Column.NAME else 0
    right = 2 * character if column is Column.CODE else picture.width()
    lines = [max(picture.pixelColor(x, y).value() for x in range(left, right)) for y in range(picture.height())]
    brightest = max(lines)
    return Ink(brightest, max(y for y, value in enumerate(lines) if value > 0.6 * brightest))
