"""The script that is written from the window: alone, with values beside it, and what is said of what it lacks."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QApplication

from hookscope.client.state import SessionState
from hookscope.protocol.events import Exported
from hookscope.protocol.exports import ExportEnd, ExportForm
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.interventions import Intervention, InterventionStatus
from hookscope.protocol.tensor_changes import Change, FromStep, Scale, StraightThrough
from tests.gui.fakes import small_tree
from tests.gui.intervention_driving import put
from tests.gui.shell import Shell

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")

OUTPUT = TensorRef("features.0", Slot.OUTPUT, "out")
ELSEWHERE = TensorRef("features.3", Slot.OUTPUT, "out")


@pytest.fixture
def shell(qapp: QApplication) -> Iterator[Shell]:
    shell = Shell(qapp)
    shell.load(small_tree())
    yield shell
    shell.close()


def patch(shell: Shell, change: Change, *refs: TensorRef) -> None:
    """Put an intervention on the list that acted on some tensors."""
    put(shell, Intervention(1, "features.0", Slot.OUTPUT, change))
    shell.bridge.act(InterventionStatus(1, len(refs), refs=refs))


def export(shell: Shell, folder: Path) -> str:
    shell.window.interventions.files.export_to(str(folder / "mine.py"))
    return (folder / "mine.py").read_text()


def end(shell: Shell, end: ExportEnd, detail: str = "") -> None:
    ((number, state),) = shell.session.exports.items()
    event = Exported(number, end, state.place, 1, 64, detail=detail)
    shell.session.exporting.note(event)
    shell.bridge.exported.emit(event)
    QCoreApplication.processEvents()


def said(shell: Shell) -> str:
    return shell.window.toast.accessibleName()


def test_that_a_script_that_needs_no_values_is_a_file_alone(shell: Shell, tmp_path: Path) -> None:
    patch(shell, Scale(2.0), OUTPUT)
    assert "return x * 2" in export(shell, tmp_path)
    assert said(shell) == "Saved mine.py"
    assert not shell.session.exports


@pytest.mark.parametrize(
    ("change", "ref"),
    [
        (FromStep(3), OUTPUT),
        (FromStep(3, ELSEWHERE), ELSEWHERE),
        (StraightThrough(FromStep(3)), OUTPUT),
    ],
)
def test_that_values_of_another_step_are_written_beside_the_script(
    shell: Shell, tmp_path: Path, change: Change, ref: TensorRef
) -> None:
    patch(shell, change, OUTPUT)
    text = export(shell, tmp_path)
    assert 'VALUES_1 = array(Path(__file__).parent / "mine_values_1.npy")' in text
    file = tmp_path / "mine_values_1.npy"
    assert shell.session.wishes[-1] == ("export_tensor", ref, file, ExportForm.NPY, 3, None)
    end(shell, ExportEnd.WRITTEN)
    assert said(shell) == "Saved mine.py, and beside it the values that it takes from another step"


def test_that_values_that_cannot_be_written_are_told_of(shell: Shell, tmp_path: Path) -> None:
    patch(shell, FromStep(3), OUTPUT)
    export(shell, tmp_path)
    end(shell, ExportEnd.FAILED, "its values are not kept")
    assert said(shell) == "Saved mine.py, but it lacks mine_values_1.npy (its values are not kept)."


@pytest.mark.parametrize("refs", [(), (OUTPUT, TensorRef("features.0", Slot.OUTPUT, "out", 1))])
def test_that_a_change_in_no_place_or_in_several_has_no_values_in_the_script(
    shell: Shell, tmp_path: Path, refs: tuple[TensorRef, ...]
) -> None:
    patch(shell, FromStep(3), *refs)
    assert "this script was written without the values of step 3" in export(shell, tmp_path)
    assert said(shell).startswith("Saved mine.py, but it lacks the values of step 3 for features.0 (it has not acted")
    assert not shell.session.exports


def test_that_without_a_process_nobody_can_write_the_values(shell: Shell, tmp_path: Path) -> None:
    patch(shell, FromStep(3), OUTPUT)
    shell.bridge.enter(SessionState.LOST)
    assert "this script was written without the values of step 3" in export(shell, tmp_path)
    assert "(the model's process is gone)" in said(shell)
