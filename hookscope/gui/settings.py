"""What the window remembers. A broken or missing value is as good as none: nothing here can stop the start."""

import hashlib
from enum import StrEnum
from pathlib import Path
from typing import Protocol, TypeVar

from PySide6.QtCore import QByteArray, QSettings

from hookscope.gui.editor import default_command
from hookscope.protocol.hooks import HookMode
from hookscope.protocol.workload import CapturePlace

RECENT_LIMIT = 10
LAYOUT_VERSION = 3
"""Raised when docks or toolbars change so much that a remembered layout no longer fits."""


_Choice = TypeVar("_Choice", bound=StrEnum)

_KEY_DIGITS = 16

MAX_BUDGET_MIB = 16 * 1024**2
"""A budget above this is taken for a slip."""


class ThemeChoice(StrEnum):
    """What a person chose; `SYSTEM` follows the desktop."""

    SYSTEM = "system"
    DARK = "dark"
    LIGHT = "light"


class Store(Protocol):
    """Where values are kept; `QSettings` is one."""

    def value(self, key: str, /) -> object:
        """Return what is kept under `key`, or `None`."""

    def setValue(self, key: str, value: object, /) -> None:
        """Keep `value` under `key`."""


class MemoryStore:
    """Keeps values as long as it lives; runs without a display neither read nor change what the window remembers."""

    def __init__(self) -> None:
        self._values: dict[str, object] = {}

    def value(self, key: str, /) -> object:
        """See `Store.value`."""
        return self._values.get(key)

    def setValue(self, key: str, value: object, /) -> None:
        """See `Store.setValue`."""
        self._values[key] = value


class Settings:
    """Typed access to a store.

    Args:
        store: Where to keep the values; tests give an ini file of their own.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    @classmethod
    def of_user(cls) -> "Settings":
        """Return the settings of the person who runs the program."""
        return cls(QSettings(QSettings.Format.IniFormat, QSettings.Scope.UserScope, "hookscope", "hookscope"))

    @property
    def theme(self) -> ThemeChoice:
        """The chosen theme."""
        return _choice(self._store.value("window/theme"), ThemeChoice.SYSTEM)

    @theme.setter
    def theme(self, choice: ThemeChoice) -> None:
        self._store.setValue("window/theme", choice.value)

    @property
    def hook_mode(self) -> HookMode:
        """How the gradients of a module are captured when nothing was chosen for it."""
        return _choice(self._store.value("capture/hook_mode"), HookMode.EXACT)

    @hook_mode.setter
    def hook_mode(self, mode: HookMode) -> None:
        self._store.setValue("capture/hook_mode", mode.value)

    @property
    def budget_mib(self) -> int | None:
        """What captures may take, in MiB; `None` lets the debuggee choose."""
        text = str(self._store.value("capture/budget_mib"))
        return int(text) if text.isdecimal() and 0 < int(text) <= MAX_BUDGET_MIB else None

    @budget_mib.setter
    def budget_mib(self, size: int | None) -> None:
        self._store.setValue("capture/budget_mib", "" if size is None else size)

    @property
    def capture_place(self) -> CapturePlace:
        """Where captures are kept."""
        return _choice(self._store.value("capture/place"), CapturePlace.DEVICE)

    @capture_place.setter
    def capture_place(self, place: CapturePlace) -> None:
        self._store.setValue("capture/place", place.value)

    @property
    def editor(self) -> str:
        """The command that opens a line of a file, with `{file}` and `{line}` in it."""
        command = self._store.value("code/editor")
        return command if isinstance(command, str) and command.strip() else default_command()

    @editor.setter
    def editor(self, command: str) -> None:
        self._store.setValue("code/editor", command.strip())

    @property
    def recent(self) -> tuple[str, ...]:
        """Sources opened last, newest first, as a person types them."""
        value = self._store.value("files/recent")
        entries = [value] if isinstance(value, str) else value if isinstance(value, list) else []
        return tuple(entry for entry in entries if isinstance(entry, str) and entry)[:RECENT_LIMIT]

    def add_recent(self, source: str) -> None:
        """Put a source in front of the recent ones."""
        others = [entry for entry in self.recent if entry != source]
        self._store.setValue("files/recent", [source, *others][:RECENT_LIMIT])

    def clear_recent(self) -> None:
        """Forget the recent sources."""
        self._store.setValue("files/recent", [])

    @property
    def last_folder(self) -> Path:
        """Where the file dialog starts: the folder used last, or the home folder."""
        value = self._store.value("files/last_folder")
        folder = Path(value) if isinstance(value, str) and value else Path.home()
        return folder if folder.is_dir() else Path.home()

    @last_folder.setter
    def last_folder(self, folder: Path) -> None:
        self._store.setValue("files/last_folder", str(folder))

    def interventions(self, source: str) -> str:
        """Return the list of interventions that was kept for a model's source, as text; `""` when none was."""
        value = self._store.value(_key_of("interventions", source))
        return value if isinstance(value, str) else ""

    def keep_interventions(self, source: str, text: str) -> None:
        """Keep a list of interventions for a model's source."""
        self._store.setValue(_key_of("interventions", source), text)

    def series(self, source: str) -> str:
        """Return what was followed over the steps of a model's source, as text; `""` when nothing was."""
        value = self._store.value(_key_of("series", source))
        return value if isinstance(value, str) else ""

    def keep_series(self, source: str, text: str) -> None:
        """Keep what is followed of a model's source."""
        self._store.setValue(_key_of("series", source), text)

    def layout(self, name: str) -> QByteArray | None:
        """Return a remembered layout (`geometry`, `docks`, `panels`) of this version, or `None`."""
        value = self._store.value(f"layout{LAYOUT_VERSION}/{name}")
        return value if isinstance(value, QByteArray) and not value.isEmpty() else None

    def keep_layout(self, name: str, state: QByteArray) -> None:
        """Remember a layout."""
        self._store.setValue(f"layout{LAYOUT_VERSION}/{name}", state)

    def forget_layout(self) -> None:
        """Forget every remembered layout."""
        for name in ("geometry", "docks", "panels"):
            self._store.setValue(f"layout{LAYOUT_VERSION}/{name}", QByteArray())


def _key_of(group: str, source: str) -> str:
    """Return a key for a model's source that an ini file can have, whatever is in a path."""
    return f"{group}/{hashlib.sha256(source.encode()).hexdigest()[:_KEY_DIGITS]}"


def _choice(value: object, default: _Choice) -> _Choice:
    """Read a choice; what is none is the default."""
    return next((choice for choice in type(default) if choice.value == value), default)
