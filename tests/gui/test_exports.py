"""Data out of the window: the dialogs, what the debuggee is asked for, the entry in the status bar, and the toasts."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QFileDialog, QMainWindow, QMenu, QToolButton

from hookscope.client.state import SessionState
from hookscope.gui.current import Current
from hookscope.gui.exports.parts import ExportParts
from hookscope.gui.handlers.pictures import PictureHandlers
from hookscope.gui.notifications import Notifications
from hookscope.gui.panels.panel import TensorPanel
from hookscope.gui.panels.panel_area import PanelArea
from hookscope.gui.settings import MemoryStore, Settings
from hookscope.gui.trials.comparison import CompareMode
from hookscope.protocol.events import Exported, ExportProgress, StepFinished, TrialFinished
from hookscope.protocol.exports import ExportEnd, ExportForm, SkippedTensor
from hookscope.protocol.identity import LOCAL_PREFIX, Slot, TensorRef
from tests.gui.panel_fakes import GRADIENT, OUTPUT, PanelBridge, pump


class ExportWindow(QMainWindow):
    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.bridge = PanelBridge()
        self.session = self.bridge.session
        self.current = Current(self.bridge, self)  # type: ignore[arg-type]
        self.area = PanelArea(self.bridge, self.current, self)  # type: ignore[arg-type]
        self.setCentralWidget(self.area)
        settings = Settings(MemoryStore())
        settings.last_folder = folder
        self.toast = Notifications(self.area)
        pictures = PictureHandlers(self.bridge, settings, self.toast, self.area.focused_panel, self)  # type: ignore[arg-type]
        self.parts = ExportParts(self.bridge, self.current, settings, pictures, self)  # type: ignore[arg-type]
        self.parts.join(self.statusBar(), self.toast)
        self.parts.use_panels(self.area)
        self.resize(1000, 700)
        self.show()
        pump()

    @property
    def activity(self) -> str:
        return self.parts.activity.text

    @property
    def said(self) -> str:
        return self.toast.accessibleName() if self.toast.isVisible() else ""

    def dialog(self) -> QFileDialog:
        return next(picker for picker in self.findChildren(QFileDialog) if picker.isVisible())

    def run_step(self, step: int = 1) -> None:
        self.bridge.capture({OUTPUT: torch.randn(2, 3, 8, 8), GRADIENT: torch.randn(2, 3, 8, 8)}, step=step)
        self.session.history.append(StepFinished(step, 0.5, 0.01, 0.005, 0.005, 0, 0, False))
        self.current.select_ref(OUTPUT)
        self.bridge.answer_all(*self.area.panels)

    def progress(self, number: int, done: int, total: int = 100) -> None:
        event = ExportProgress(number, done, total)
        self.session.exporting.note(event)
        self.bridge.export_progress.emit(event)

    def end(
        self, number: int, end: ExportEnd = ExportEnd.WRITTEN, files: int = 1, skipped: int = 0, detail: str = ""
    ) -> None:
        ref = TensorRef("a", Slot.GRAD_INPUT, "args.0")
        place = self.session.exports[number].place
        event = Exported(number, end, place, files, 2048, (SkippedTensor(ref, "no gradient"),) * skipped, detail)
        self.session.exporting.note(event)
        self.bridge.exported.emit(event)


@pytest.fixture
def window(qapp: QApplication, tmp_path: Path) -> Iterator[ExportWindow]:
    window = ExportWindow(tmp_path)
    yield window
    window.close()
    window.deleteLater()


def test_that_the_tensor_of_the_focused_panel_is_exported_in_the_step_that_it_shows(
    window: ExportWindow, tmp_path: Path
) -> None:
    window.run_step(3)
    window.parts.handlers.export_tensor()
    picker = window.dialog()
    assert picker.testOption(QFileDialog.Option.DontUseNativeDialog)
    assert picker.selectedFiles() == [str(tmp_path / "digits_features.0_step3_output.npy")]
    picker.accept()
    file = tmp_path / "digits_features.0_step3_output.npy"
    assert window.session.wishes == [("export_tensor", OUTPUT, file, ExportForm.NPY, 3, None)]


def test_that_a_difference_is_exported_as_one_and_its_name_says_so(window: ExportWindow, tmp_path: Path) -> None:
    window.run_step(3)
    window.run_step(4)
    window.session.trial = TrialFinished(3, 4, 0.5, 0.5)
    window.bridge.trial_finished.emit(window.session.trial)
    window.current.compare(CompareMode.DIFFERENCE)
    window.bridge.answer_all(*window.area.panels)
    window.parts.handlers.export_tensor()
    window.dialog().accept()
    file = tmp_path / "digits_features.0_step4-minus-3_output.npy"
    assert window.session.wishes == [("export_tensor", OUTPUT, file, ExportForm.NPY, 4, 3)]


def test_that_a_local_variable_is_exported_by_its_name(window: ExportWindow, tmp_path: Path) -> None:
    window.run_step()
    ref = TensorRef("", Slot.OUTPUT, "hidden", 0, LOCAL_PREFIX + "1:0:hidden")
    window.area.add_panel("table", ref)
    window.parts.handlers.export_tensor()
    window.dialog().accept()
    file = tmp_path / "digits_step1_hidden.npy"
    assert window.session.wishes == [("export_tensor", ref, file, ExportForm.NPY, None, None)]


def test_that_the_kind_of_file_goes_by_its_suffix_and_the_suffix_by_the_choice(
    window: ExportWindow, tmp_path: Path
) -> None:
    window.run_step()
    window.parts.handlers.export_tensor()
    picker = window.dialog()
    picker.selectNameFilter(picker.nameFilters()[1])
    picker.filterSelected.emit(picker.nameFilters()[1])  # as a choice by hand does
    assert picker.selectedFiles() == [str(tmp_path / "digits_features.0_step1_output.csv")]
    picker.selectFile("mine")
    picker.accept()
    window.parts.handlers.export_tensor()
    other = window.dialog()
    other.selectFile("mine.NPY")
    other.accept()
    window.parts.handlers.export_tensor()
    wrong = window.dialog()
    wrong.selectFile("mine.png")
    wrong.accept()
    asked = [(file.name, form) for _, _, file, form, *_ in window.session.wishes]  # type: ignore[attr-defined]
    assert asked == [("mine.csv", ExportForm.CSV), ("mine.NPY", ExportForm.NPY)]
    assert "has to end in one of .npy .csv" in window.said


def test_that_the_menu_of_a_panel_exports_the_tensor_of_that_panel(window: ExportWindow) -> None:
    window.run_step()
    panel = window.area.add_panel("statistics", GRADIENT)
    window.area.add_panel("histogram", OUTPUT)
    entries = [
        action
        for button in panel.findChildren(QToolButton)
        if isinstance(button.menu(), QMenu)
        for action in button.menu().actions()
    ]
    next(action for action in entries if "Export" in action.text()).trigger()
    window.dialog().accept()
    assert window.session.wishes[0][1] == GRADIENT


def test_that_there_is_a_word_where_there_is_nothing_to_export(window: ExportWindow) -> None:
    window.parts.handlers.export_tensor()
    assert "no tensor to export yet" in window.said
    window.parts.handlers.export_step()
    assert "no step to export yet" in window.said
    assert not window.session.wishes


def test_that_a_step_is_exported_into_a_folder_of_its_own(window: ExportWindow, tmp_path: Path) -> None:
    window.run_step(4)
    window.parts.handlers.export_step()
    picker = window.dialog()
    assert "digits_step4" in picker.windowTitle()
    picker.selectFile(str(tmp_path))
    picker.accept()
    assert window.session.wishes == [("export_step", tmp_path / "digits_step4", None)]
    window.end(1, files=1200, skipped=3)
    assert window.said == "Saved 1,200 tensors in digits_step4, 2.0 KiB; 3 without values"
    assert window.toast.action_button.text() == "Open folder"


def test_that_a_step_that_was_gone_to_is_the_one_that_is_exported(window: ExportWindow, tmp_path: Path) -> None:
    window.run_step(4)
    window.run_step(5)
    window.current.show_step(4)
    window.parts.handlers.export_step()
    picker = window.dialog()
    assert "digits_step4" in picker.windowTitle()
    picker.selectFile(str(tmp_path))
    picker.accept()
    assert window.session.wishes == [("export_step", tmp_path / "digits_step4", 4)]


def test_that_an_export_is_seen_when_it_takes_long_and_can_be_given_up(window: ExportWindow, tmp_path: Path) -> None:
    activity = window.parts.activity
    numbers = [window.session.export_step(tmp_path / name) for name in ("one", "two", "three")]
    activity.look()
    assert window.activity == ""
    pump(lambda: bool(window.activity))
    assert (window.activity, activity.share) == ("Exporting one, 2 more", None)
    window.progress(numbers[0], 25)
    assert activity.share == 0.25
    activity.cancel_button.click()
    assert not activity.cancel_button.isEnabled()
    assert window.session.wishes[-1] == ("cancel_export", numbers[0])
    window.progress(numbers[0], 30)
    assert not activity.cancel_button.isEnabled()
    window.end(numbers[0], ExportEnd.CANCELLED)
    assert window.said == "Export to one given up"
    assert window.toast.action_button.isHidden()
    assert window.activity == "Exporting two, 1 more"
    assert activity.cancel_button.isEnabled()
    window.end(numbers[1], ExportEnd.FAILED, detail="/x/two: No space left on device")
    assert window.said == "Export failed: /x/two: No space left on device"
    window.end(numbers[2], files=0, skipped=2)
    assert window.said == "Nothing that was captured has values, so three has only an index"
    assert window.activity == ""


def test_that_a_quick_export_is_told_of_in_a_toast_alone(window: ExportWindow, tmp_path: Path) -> None:
    number = window.session.export_tensor(OUTPUT, tmp_path / "out.npy", ExportForm.NPY)
    window.parts.activity.look()
    window.end(number)
    pump(timeout_s=0.4, until=lambda: bool(window.activity))
    assert window.activity == ""
    assert window.said == "Saved out.npy, 2.0 KiB"


def test_that_nothing_is_asked_of_a_debuggee_that_has_gone_meanwhile(window: ExportWindow, tmp_path: Path) -> None:
    window.run_step()
    window.parts.handlers.export_tensor()
    window.bridge.enter(SessionState.LOST)
    window.dialog().accept()
    assert not window.session.wishes
    assert "process is gone" in window.said


def test_that_all_panels_in_sight_are_saved_on_one_sheet(window: ExportWindow, tmp_path: Path) -> None:
    window.run_step(2)
    window.area.add_panel("statistics", GRADIENT)
    window.bridge.answer_all(*window.area.panels)
    window.parts.handlers.export_panels()
    window.dialog().accept()
    sheet = QImage(str(next(tmp_path.glob("*.png"))))
    assert sheet.text("panels").splitlines() == [
        "features.0 · output · step 2 · (2, 3, 8, 8) · float32",
        "features.0 · output · step 2 · (2, 3, 8, 8) · float32",
        "features.0 · grad_output · step 2 · (2, 3, 8, 8) · float32",
    ]
    widest = max(panel.widget().width() for panel in window.area.visible_panels())
    assert sheet.width() > 2 * widest, "beside each other, two pixels a point"


def test_that_without_panels_there_is_no_sheet(window: ExportWindow) -> None:
    for panel in window.findChildren(TensorPanel):
        panel.close()
    window.parts.handlers.export_panels()
    assert "no panel" in window.said
