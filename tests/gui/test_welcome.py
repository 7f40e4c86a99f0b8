from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPushButton
from pytestqt.qtbot import QtBot

from hookscope.gui.dialogs.open_model import OpenModelDialog
from hookscope.gui.settings import MemoryStore, Settings
from hookscope.gui.welcome import WelcomePage
from hookscope.protocol.examples import EXAMPLES, ExampleInfo
from hookscope.protocol.workload import ExampleSource, ModuleSource


@pytest.fixture
def settings() -> Settings:
    return Settings(MemoryStore())


@pytest.fixture
def dialog(settings: Settings, qtbot: QtBot) -> OpenModelDialog:
    dialog = OpenModelDialog(settings)
    qtbot.addWidget(dialog)
    return dialog


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_that_every_example_is_a_card_that_opens_it(settings: Settings, qtbot: QtBot, example: ExampleInfo) -> None:
    page = WelcomePage(settings)
    qtbot.addWidget(page)
    card = page.example_button(example.name)
    texts = [label.text() for label in card.findChildren(QLabel)]
    assert texts == [example.title, example.summary]
    with qtbot.waitSignal(page.source_chosen) as chosen:
        QTest.keyClick(card, Qt.Key.Key_Space)
    assert chosen.args == [f"example:{example.name}"]


def test_that_a_narrow_card_gets_higher_instead_of_cutting_its_text(settings: Settings, qtbot: QtBot) -> None:
    page = WelcomePage(settings)
    qtbot.addWidget(page)
    card = page.example_button(EXAMPLES[0].name)
    assert card.heightForWidth(120) > card.heightForWidth(600)


def test_that_recent_models_are_offered_and_stay_up_to_date(settings: Settings, qtbot: QtBot) -> None:
    page = WelcomePage(settings)
    qtbot.addWidget(page)
    settings.add_recent("a&b.py:net")
    page.refresh_recent()
    button = next(button for button in page.findChildren(QPushButton) if "a&&b.py" in button.text())
    with qtbot.waitSignal(page.source_chosen) as chosen:
        button.click()
    assert chosen.args == ["a&b.py:net"]


def test_that_a_source_that_cannot_be_read_is_told_at_the_field_and_not_opened(
    dialog: OpenModelDialog, qtbot: QtBot
) -> None:
    dialog.open_with()
    dialog.source_edit.setText("not a model")
    assert not dialog.open_button.isEnabled()
    assert "package.module:build" in dialog.message.text()
    with qtbot.assertNotEmitted(dialog.source_chosen):
        dialog.accept()
    assert dialog.isVisible()


def test_that_a_missing_file_is_told_while_typing(dialog: OpenModelDialog) -> None:
    dialog.open_with()
    dialog.source_edit.setText("/no/such/net.py:build")
    assert "/no/such/net.py" in dialog.message.text()


def test_that_a_good_source_is_passed_on(dialog: OpenModelDialog, qtbot: QtBot) -> None:
    dialog.open_with("package.net:build")
    with qtbot.waitSignal(dialog.source_chosen) as chosen:
        dialog.open_button.click()
    assert chosen.args == [ModuleSource("package.net", "build")]
    assert not dialog.isVisible()


def test_that_the_name_after_the_colon_is_ready_to_be_typed_over(
    dialog: OpenModelDialog, settings: Settings, tmp_path: Path
) -> None:
    file = tmp_path / "net.py"
    file.write_text("")
    dialog.open_with(f"{file}:workload")
    assert dialog.source_edit.selectedText() == "workload"
    dialog.accept()
    assert settings.last_folder == tmp_path


def test_that_an_example_can_be_taken_by_its_row(dialog: OpenModelDialog, qtbot: QtBot) -> None:
    dialog.open_with()
    dialog.examples.setCurrentRow(1)
    with qtbot.waitSignal(dialog.source_chosen) as chosen:
        dialog.accept()
    assert chosen.args == [ExampleSource(EXAMPLES[1].name)]
