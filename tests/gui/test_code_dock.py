from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from hookscope.client.state import SessionState
from hookscope.gui.code_dock.dock import MISSING, CodeDock
from hookscope.gui.editor import FALLBACK, default_command, editor_arguments, open_in_editor
from hookscope.gui.panels.target import Target, explain_absence, find_target, step_of
from hookscope.protocol.events import SourceReady
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.stops import EventKind, StackFrame, Variable
from tests.gui.fakes import FakeBridge, event

REF = TensorRef("", Slot.OUTPUT, "hidden", operation="local:2")
OUTER = StackFrame("/models/net.py", 12, "Net.forward", "return self.body(x)", user=True)
LIBRARY = StackFrame("/lib/torch/module.py", 1751, "Module._call_impl", "return forward_call()", user=False)
INNER = StackFrame(
    "/models/net.py",
    31,
    "Body.forward",
    "hidden = self.act(hidden)",
    user=True,
    variables=(Variable("self", "Body", "Body"), Variable("hidden", "Tensor", "4 × 8 float32, −1 … 1", REF)),
)
FORWARD = event(4, EventKind.FORWARD_ENTER, "body.act")


@pytest.fixture
def code(bridge: FakeBridge, qtbot: QtBot) -> Iterator[CodeDock]:
    dock = CodeDock(bridge)
    qtbot.addWidget(dock)
    dock.resize(400, 700)
    dock.show()
    yield dock
    dock.close()


def rows(code: CodeDock) -> list[str]:
    items = (code.stack.topLevelItem(row) for row in range(code.stack.topLevelItemCount()))
    return [item.text(0) for item in items if item is not None]


def test_that_a_stop_asks_for_the_frames_and_the_source_of_the_innermost_own_one(
    bridge: FakeBridge, code: CodeDock
) -> None:
    bridge.stop_at(FORWARD)
    assert bridge.session.wishes == [("request_stack",)]
    bridge.show_stack(OUTER, LIBRARY, LIBRARY, INNER, LIBRARY)
    assert rows(code) == ["▸ 1 library frame", "Body.forward", "▸ 2 library frames", "Net.forward"]
    assert code.stack.selected_frame() == INNER
    assert bridge.session.wishes[-1] == ("request_source", "/models/net.py", 31)


def test_that_the_line_is_marked_and_only_what_was_asked_for_last_is_shown(bridge: FakeBridge, code: CodeDock) -> None:
    bridge.stop_at(FORWARD)
    bridge.show_stack(OUTER, INNER)
    bridge.source_arrived.emit(SourceReady("/models/net.py", 12, 1, ("old",)))
    assert code.source.toPlainText() == ""
    bridge.source_arrived.emit(SourceReady("/models/net.py", 31, 30, ("def forward():", "    act", "")))
    assert (code.source.first_line, code.source.line) == (30, 31)
    assert code.source.textCursor().block().text() == "    act"
    assert code.source.extraSelections()
    code.grab()


@pytest.mark.parametrize("reason", MISSING)
def test_that_missing_source_is_explained(bridge: FakeBridge, code: CodeDock, reason: str) -> None:
    bridge.stop_at(FORWARD)
    bridge.show_stack(INNER)
    bridge.source_arrived.emit(SourceReady("/models/net.py", 31, 0, (), reason))
    assert code.source.placeholderText() == MISSING[reason]
    assert code.source.toPlainText() == ""


def test_that_a_tensor_among_the_variables_can_be_opened(bridge: FakeBridge, code: CodeDock, qtbot: QtBot) -> None:
    bridge.stop_at(FORWARD)
    bridge.show_stack(INNER)
    opened: list[TensorRef] = []
    code.tensor_requested.connect(opened.append)
    view = code.variables
    assert [view.topLevelItem(row).text(0) for row in range(view.topLevelItemCount())] == ["self", "hidden"]
    for row in range(2):
        view.setCurrentItem(view.topLevelItem(row))
        qtbot.keyClick(view, Qt.Key.Key_Return)
    assert opened == [REF]


def test_that_backward_says_whose_frames_they_are_and_has_no_variables(bridge: FakeBridge, code: CodeDock) -> None:
    bridge.stop_at(event(31, EventKind.BACKWARD_ENTER, "body.act"))
    bridge.show_stack(OUTER)
    assert code.caption.isVisible()
    assert "forward call" in code.caption.text()
    assert not code.variables.isVisible()


def test_that_an_event_without_frames_says_so(bridge: FakeBridge, code: CodeDock) -> None:
    bridge.stop_at(event(31, EventKind.OPTIMIZER))
    bridge.show_stack()
    assert code.message.isVisible()
    assert "No Python code" in code.message.text()


def test_that_the_code_stays_while_the_step_goes_on_and_goes_with_the_run(bridge: FakeBridge, code: CodeDock) -> None:
    bridge.stop_at(FORWARD)
    bridge.show_stack(INNER)
    bridge.go_on()
    assert code.source.isVisible()
    bridge.enter(SessionState.IDLE)
    assert not code.source.isVisible()
    assert "Pause a step" in code.message.text()


def test_that_a_place_can_be_shown_without_a_stop(bridge: FakeBridge, code: CodeDock) -> None:
    code.show_place("/models/net.py", 41)
    assert bridge.session.wishes == [("request_source", "/models/net.py", 41)]
    bridge.source_arrived.emit(SourceReady("/models/net.py", 41, 41, ("return d.sqrt()",)))
    assert code.source.isVisible()
    assert not code.stack.isVisible()


def test_that_library_frames_unfold(bridge: FakeBridge, code: CodeDock) -> None:
    bridge.stop_at(FORWARD)
    bridge.show_stack(LIBRARY, INNER)
    item = code.stack.topLevelItem(1)
    assert item is not None
    code.stack.itemClicked.emit(item, 0)
    assert item.isExpanded()
    assert item.text(0).startswith("▾")


def test_that_without_own_frames_no_library_code_is_shown_unasked(bridge: FakeBridge, code: CodeDock) -> None:
    bridge.stop_at(event(36, EventKind.BACKWARD_LEAVE))
    bridge.show_stack(LIBRARY, LIBRARY)
    assert rows(code) == ["▸ 2 library frames"]
    assert "library frame" in code.source.placeholderText()
    assert bridge.session.wishes == [("request_stack",)]


def test_that_a_variable_is_asked_for_only_while_the_step_is_stopped_there(bridge: FakeBridge) -> None:
    bridge.stop_at(FORWARD, step=7)
    bridge.show_stack(INNER)
    assert step_of(bridge.session, REF, None) == 7
    target = find_target(bridge.session, "", REF, Target(None, None))
    bridge.go_on()
    assert step_of(bridge.session, REF, 3) is None
    assert "gone" in explain_absence(bridge.session, target)
    assert step_of(bridge.session, TensorRef("", Slot.OUTPUT, "out"), 3) == 3


def test_that_the_location_of_a_frame_is_copied_as_tools_take_it(bridge: FakeBridge, code: CodeDock) -> None:
    code.stack.copy_requested.emit(INNER)
    assert QGuiApplication.clipboard().text() == "/models/net.py:31"


def test_that_the_parts_stand_side_by_side_in_a_wide_dock(code: CodeDock, qtbot: QtBot) -> None:
    bar = code.source.parentWidget().parentWidget()
    code.resize(1200, 200)
    qtbot.waitUntil(lambda: bar.orientation() is Qt.Orientation.Horizontal)


def test_that_the_editor_gets_its_arguments_without_a_shell() -> None:
    arguments = editor_arguments("code --goto {file}:{line}", "/a b/$(rm).py", 7)
    assert arguments == ["code", "--goto", "/a b/$(rm).py:7"]
    for broken in ("", "code '{file}"):
        with pytest.raises(ValueError, match=r"empty|quotation"):
            editor_arguments(broken, "x", 1)
        assert not open_in_editor(broken, "x", 1)


def test_that_editors_of_the_terminal_are_not_started_without_one() -> None:
    assert default_command({"EDITOR": "vim"}) == FALLBACK
    assert default_command({"VISUAL": "/opt/bin/code --wait", "EDITOR": "vim"}) == "/opt/bin/code --goto {file}:{line}"


def test_that_a_program_that_is_not_there_is_no_error(tmp_path: Path) -> None:
    assert not open_in_editor(f"{tmp_path}/no-editor {{file}}", "x.py", 1)
