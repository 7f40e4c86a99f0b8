from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray, QSettings

from hookscope.gui.settings import RECENT_LIMIT, MemoryStore, Settings, ThemeChoice
from hookscope.protocol.hooks import HookMode
from hookscope.protocol.workload import CapturePlace


def on_disk(file: Path) -> Settings:
    return Settings(QSettings(str(file), QSettings.Format.IniFormat))


def of_captures(settings: Settings) -> tuple[HookMode, int | None, CapturePlace]:
    return settings.hook_mode, settings.budget_mib, settings.capture_place


def test_that_everything_comes_back_from_the_file(tmp_path: Path) -> None:
    file = tmp_path / "settings.ini"
    first = on_disk(file)
    first.theme = ThemeChoice.LIGHT
    first.add_recent("example:digits")
    first.last_folder = tmp_path
    first.hook_mode = HookMode.NATIVE
    first.budget_mib = 512
    first.capture_place = CapturePlace.CPU
    first.keep_interventions("net.py:x/y = [1]", '{"a": "ä, \\n"}')
    first.keep_layout("docks", QByteArray(b"\x00state\xff"))
    del first
    again = on_disk(file)
    assert again.theme is ThemeChoice.LIGHT
    assert again.recent == ("example:digits",)
    assert again.interventions("net.py:x/y = [1]") == '{"a": "ä, \\n"}'
    assert again.interventions("net.py:other") == ""
    assert again.last_folder == tmp_path
    assert again.layout("docks") == QByteArray(b"\x00state\xff")
    assert of_captures(again) == (HookMode.NATIVE, 512, CapturePlace.CPU)
    again.budget_mib = None
    assert on_disk(file).budget_mib is None


def test_that_nothing_is_remembered_at_first() -> None:
    settings = Settings(MemoryStore())
    assert settings.theme is ThemeChoice.SYSTEM
    assert settings.recent == ()
    assert settings.last_folder == Path.home()
    assert settings.layout("geometry") is None
    assert of_captures(settings) == (HookMode.EXACT, None, CapturePlace.DEVICE)


def test_that_the_newest_recent_entry_comes_first_and_once_and_old_ones_go() -> None:
    settings = Settings(MemoryStore())
    for number in range(RECENT_LIMIT + 3):
        settings.add_recent(f"net.py:model{number}")
    settings.add_recent("net.py:model7")
    assert settings.recent[:2] == ("net.py:model7", f"net.py:model{RECENT_LIMIT + 2}")
    assert len(settings.recent) == len(set(settings.recent)) == RECENT_LIMIT
    settings.clear_recent()
    assert settings.recent == ()


BROKEN = """
[window]
theme=pink
[files]
recent=@Invalid()
last_folder=/no
[capture]
hook_mode=7
budget_mib=-3
place=moon
"""


@pytest.mark.parametrize("text", [BROKEN, "\x00\xff[["])
def test_that_broken_values_are_as_good_as_none(tmp_path: Path, text: str) -> None:
    file = tmp_path / "settings.ini"
    file.write_text(text, encoding="latin-1")
    settings = on_disk(file)
    assert settings.theme is ThemeChoice.SYSTEM
    assert settings.recent == ()
    assert settings.last_folder == Path.home()
    assert settings.layout("docks") is None
    assert of_captures(settings) == (HookMode.EXACT, None, CapturePlace.DEVICE)


def test_that_a_layout_is_forgotten_on_reset() -> None:
    settings = Settings(MemoryStore())
    settings.keep_layout("docks", QByteArray(b"x"))
    settings.forget_layout()
    assert settings.layout("docks") is None
