"""The keys of a picture that has the focus."""

from enum import StrEnum

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QKeySequence


class Command(StrEnum):
    """What a key does while the picture has the focus; the values are their names in Qt's portable words."""

    LEFT = "Left"
    RIGHT = "Right"
    UP = "Up"
    DOWN = "Down"
    FAR_LEFT = "Shift+Left"
    FAR_RIGHT = "Shift+Right"
    FAR_UP = "Shift+Up"
    FAR_DOWN = "Shift+Down"
    MAXIMUM = "Home"
    MINIMUM = "End"
    NON_FINITE = "F"
    GO_TO = "Ctrl+G"
    FORGET = "Esc"
    NEGATIVE = "N"
    CLIPPED = "K"
    FIT = "A"
    SHOW_ALL = "Ctrl+0"
    UNDO = "Ctrl+Z"
    REDO = "Ctrl+Shift+Z"
    ROLL = "Ctrl+E"
    TRANSPOSE = "Ctrl+T"
    NEXT = "PgDown"
    PREVIOUS = "PgUp"
    MENU = "Menu"
    MENU_TOO = "Shift+F10"


_BY_KEY = {command.value: command for command in Command}


def command_of(event: QKeyEvent) -> Command | None:
    """Return the command of a key that was pressed, `None` when it is no key of a picture."""
    modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
    text = QKeySequence(event.key() | modifiers.value).toString(QKeySequence.SequenceFormat.PortableText)
    return _BY_KEY.get(text)
