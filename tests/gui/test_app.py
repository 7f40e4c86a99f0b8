"""The whole program in this process, without a display, with a real model in a real debuggee."""

import json
from pathlib import Path

import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from hookscope.client.start_options import StartOptions
from hookscope.gui.app import create_application, run_window
from hookscope.gui.first_look import best_to_see
from hookscope.protocol.workload import ExampleSource
from tests.gui.fakes import small_tree


def test_that_a_headless_run_writes_a_picture_that_says_what_it_shows(tmp_path: Path, qapp: QApplication) -> None:
    file = tmp_path / "out.png"
    options = StartOptions(ExampleSource("cnn"), checks=("conv*",), steps=2, screenshot=file, headless=True)
    assert run_window(options) == 0
    picture = QImage(str(file))
    assert (picture.width(), picture.height()) == (1600, 1000)
    assert picture.text("step") == "2"
    assert picture.text("torch")
    assert len({picture.pixel(x, y) for x in range(300, 1300, 7) for y in range(100, 600, 7)}) > 50, (
        "a picture is drawn"
    )


def test_that_a_picture_and_an_export_are_both_done(
    tmp_path: Path, qapp: QApplication, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, file = tmp_path / "captures", tmp_path / "out.png"
    options = StartOptions(
        ExampleSource("one_layer"), checks=("*",), steps=2, screenshot=file, headless=True, export=folder
    )
    assert run_window(options) == 0
    assert file.is_file()
    index = json.loads((folder / "index.json").read_text())
    assert index["step"] == 2
    assert capsys.readouterr().out.startswith(f"Saved {len(index['tensors'])} tensors in {folder}")


def test_that_an_export_that_fails_ends_a_headless_run_with_status_2(
    tmp_path: Path, qapp: QApplication, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "taken").touch()
    options = StartOptions(ExampleSource("one_layer"), steps=1, headless=True, export=tmp_path / "taken" / "x")
    assert run_window(options) == 2
    assert "nothing was captured in step 1" in capsys.readouterr().err
    checked = StartOptions(
        ExampleSource("one_layer"), checks=("*",), steps=1, headless=True, export=tmp_path / "taken" / "x"
    )
    assert run_window(checked) == 2
    assert "Not a directory" in capsys.readouterr().err


def test_that_an_unknown_glob_ends_a_headless_run_with_status_2(
    qapp: QApplication, capsys: pytest.CaptureFixture[str]
) -> None:
    options = StartOptions(ExampleSource("one_layer"), checks=("nothing.like.this*",), steps=1, headless=True)
    assert run_window(options) == 2
    assert "No module matches “nothing.like.this*”" in capsys.readouterr().err


def test_that_there_is_one_application_with_a_name(qapp: QApplication) -> None:
    app = create_application([])
    assert app is qapp
    assert app.applicationName() == "hookscope"
    assert app.desktopFileName() == "hookscope"


def test_that_a_convolution_is_looked_at_first_then_a_leaf_then_a_container() -> None:
    tree = small_tree()
    everything = frozenset(module.path for module in tree.modules)
    assert best_to_see(tree, everything) == "features.0"
    assert best_to_see(tree, frozenset({"", "features", "features.2", "classifier.1"})) == "features.2"
    assert best_to_see(tree, frozenset({"", "classifier"})) == ""
    assert best_to_see(tree, frozenset()) is None
