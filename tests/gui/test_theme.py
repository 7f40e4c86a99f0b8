import re
from dataclasses import fields

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication, QCheckBox

from hookscope.gui.assets import application_icon, icon
from hookscope.gui.settings import MemoryStore, Settings, ThemeChoice
from hookscope.gui.style import ThemeSwitch, apply_theme, palette_of, style_sheet
from hookscope.gui.theme import DARK, LIGHT, Theme, theme_of


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=lambda theme: theme.name)
def test_that_a_palette_says_which_theme_it_was_made_of(theme: Theme) -> None:
    assert theme_of(palette_of(theme)) is theme


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=lambda theme: theme.name)
def test_that_texts_can_be_read_on_what_they_stand_on(theme: Theme) -> None:
    for text, ground in (
        (theme.text, theme.window),
        (theme.text, theme.panel),
        (theme.text, theme.raised),
        (theme.text, theme.selection),
        (theme.quiet, theme.window),
        (theme.on_accent, theme.accent),
        (theme.trouble, theme.panel),
        (theme.good, theme.window),
    ):
        assert contrast(text, ground) >= 4.5, (text, ground)


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=lambda theme: theme.name)
def test_that_the_style_sheet_uses_colours_of_the_theme_and_files_that_exist(theme: Theme, qapp: QApplication) -> None:
    sheet = style_sheet(theme)
    named = {getattr(theme, field.name) for field in fields(theme)}
    derived = set(re.findall(r"#[0-9a-f]{6}\b", sheet)) - named
    assert len(derived) <= 3, "only the faded, hovered and pressed colours are mixed"
    assert "{" + "window}" not in sheet


def test_that_a_choice_changes_the_program_and_is_remembered(qapp: QApplication) -> None:
    settings = Settings(MemoryStore())
    switch = ThemeSwitch(qapp, settings)
    switch.choose(ThemeChoice.LIGHT)
    assert theme_of(qapp.palette()) is LIGHT
    assert LIGHT.window in qapp.styleSheet()
    switch.choose(ThemeChoice.DARK)
    assert theme_of(qapp.palette()) is DARK
    assert settings.theme is ThemeChoice.DARK
    switch.deleteLater()


def test_that_a_desktop_that_says_nothing_gets_the_dark_theme(qapp: QApplication) -> None:
    switch = ThemeSwitch(qapp, Settings(MemoryStore()))
    assert switch.choice is ThemeChoice.SYSTEM
    assert theme_of(qapp.palette()) is DARK
    switch.deleteLater()


def test_that_icons_are_drawn_in_the_colour_asked_for(qapp: QApplication) -> None:
    picture = icon("msc.debug-stop", "#ff0000").pixmap(32, 32).toImage()
    colors = {QColor(picture.pixel(x, y)).name() for x in range(32) for y in range(32)}
    assert "#ff0000" in colors
    assert not application_icon().pixmap(64, 64).isNull()


def contrast(one: str, other: str) -> float:
    bright, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def luminance(color: str) -> float:
    parts = (QColor(color).redF(), QColor(color).greenF(), QColor(color).blueF())
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=lambda theme: theme.name)
def test_that_the_outline_of_an_empty_check_box_can_be_seen(theme: Theme, qapp: QApplication) -> None:
    qapp.setStyle("Fusion")
    apply_theme(qapp, theme)
    box = QCheckBox()
    picture = box.grab().toImage()
    seen = {picture.pixelColor(x, y).name() for x in range(picture.width()) for y in range(picture.height())}
    apply_theme(qapp, DARK)
    assert max(contrast(color, theme.window) for color in seen) >= 2.5
    box.deleteLater()


def test_that_an_icon_for_which_there_is_no_room_is_an_empty_picture(qapp: QApplication) -> None:
    assert icon("msc.eye").pixmap(QSize(16, 0)).isNull()
    assert not icon("msc.eye").pixmap(QSize(16, 16)).isNull()
