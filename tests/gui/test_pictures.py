from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from hookscope.gui.handlers.pictures import COPY_SCALE
from tests.gui.fakes import record, small_tree, spec
from tests.gui.shell import Shell


@pytest.fixture
def shell(qapp: QApplication, tmp_path: Path) -> Iterator[Shell]:
    shell = Shell(qapp)
    shell.settings.last_folder = tmp_path
    shell.window.show()
    shell.window.complete()
    shell.load(small_tree())
    shell.bridge.record(record("features.0", of=spec(1, 16, 8, 8)))
    yield shell
    shell.close()


def save_as(shell: Shell, qtbot: QtBot, key: str, scale_index: int = 0) -> QFileDialog:
    shell.window.action_set[key].trigger()
    picker = next(picker for picker in shell.window.findChildren(QFileDialog) if picker.isVisible())
    picker.selectNameFilter(picker.nameFilters()[scale_index])
    picker.accept()
    return picker


@pytest.mark.parametrize(("scale_index", "scale"), [(0, 2), (1, 1), (3, 4)])
def test_that_the_window_is_saved_at_the_scale_chosen(
    shell: Shell, qtbot: QtBot, tmp_path: Path, scale_index: int, scale: int
) -> None:
    save_as(shell, qtbot, "screenshot", scale_index)
    file = next(tmp_path.glob("*.png"))
    picture = QImage(str(file))
    assert picture.width() == shell.window.width() * scale
    assert picture.text("model") == "Net"
    assert shell.window.toast.isVisible()


def test_that_the_focused_panel_is_saved_with_what_it_shows(shell: Shell, qtbot: QtBot, tmp_path: Path) -> None:
    save_as(shell, qtbot, "save_panel")
    picture = QImage(str(next(tmp_path.glob("*.png"))))
    assert picture.text("module path") == "features.0"
    assert picture.text("slot") == "output"


def test_that_a_plot_is_saved_as_svg(shell: Shell, qtbot: QtBot, tmp_path: Path) -> None:
    assert shell.window.panels is not None
    shell.window.panels.add_panel("histogram")
    save_as(shell, qtbot, "save_svg")
    assert "<svg" in next(tmp_path.glob("*.svg")).read_text()


def test_that_a_panel_is_copied(shell: Shell) -> None:
    assert shell.window.panels is not None
    panel = shell.window.panels.focused_panel()
    shell.window.action_set["copy_panel"].trigger()
    assert QGuiApplication.clipboard().image().width() == panel.width() * COPY_SCALE
