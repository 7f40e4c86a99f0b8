"""Opens a line of a file in the editor of the person's choice."""

import os
import shlex
from collections.abc import Mapping
from pathlib import PurePath

from PySide6.QtCore import QProcess

KNOWN: dict[str, str] = {
    "code": "{program} --goto {file}:{line}",
    "codium": "{program} --goto {file}:{line}",
    "subl": "{program} {file}:{line}",
    "zed": "{program} {file}:{line}",
    "emacs": "{program} +{line} {file}",
    "emacsclient": "{program} --no-wait +{line} {file}",
    "gvim": "{program} +{line} {file}",
    "gedit": "{program} {file} +{line}",
    "kate": "{program} --line {line} {file}",
    "pycharm": "{program} --line {line} {file}",
}
"""How editors with a window of their own are told the line, by the name of their program."""

FALLBACK = "xdg-open {file}"


def default_command(environment: Mapping[str, str] = os.environ) -> str:
    """Return the command for the editor that `$VISUAL` or `$EDITOR` names, if that has a window of its own."""
    for variable in ("VISUAL", "EDITOR"):
        program = environment.get(variable, "").partition(" ")[0]
        if PurePath(program).name in KNOWN:
            return KNOWN[PurePath(program).name].replace("{program}", shlex.quote(program))
    return FALLBACK


def editor_arguments(command: str, file: str, line: int) -> list[str]:
    """Return program and arguments; each word of the command is filled in by itself, and no shell reads it.

    Raises:
        ValueError: The command is empty, or a quote in it is not closed.
    """
    words = shlex.split(command)
    if not words:
        raise ValueError("the command is empty")
    return [word.replace("{file}", file).replace("{line}", str(line)) for word in words]


def open_in_editor(command: str, file: str, line: int) -> bool:
    """Start the editor; return whether that was possible."""
    try:
        program, *arguments = editor_arguments(command, file, line)
    except ValueError:
        return False
    return bool(QProcess.startDetached(program, arguments)[0])
