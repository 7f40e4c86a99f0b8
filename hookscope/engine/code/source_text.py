"""The text of a source file around a line, for the window's code panel."""

import linecache
import os
import stat
from enum import StrEnum
from pathlib import Path

MAX_CONTEXT = 1000
"""Lines before, and lines after, the one that is asked for."""

MAX_LINE_LENGTH = 1000
MAX_FILE_BYTES = 1 << 24


class NoSource(StrEnum):
    """Why there is no text to show."""

    NO_FILE = "no_file"
    """The code was made while the program ran, `<string>`."""
    GONE = "gone"
    NOT_A_FILE = "not_a_file"
    NOT_TEXT = "not_text"
    TOO_LARGE = "too_large"
    """Above `MAX_FILE_BYTES`."""
    UNREADABLE = "unreadable"
    """`NoSourceError.detail`: what the system says."""


class NoSourceError(Exception):
    """A source file has no text that could be shown.

    Attributes:
        reason: Why.
        file: Which file.
        detail: What the system says, where it says something.
    """

    def __init__(self, reason: NoSource, file: str, detail: str = "") -> None:
        super().__init__(f"{file}: {reason}{f' ({detail})' if detail else ''}")
        self.reason = reason
        self.file = file
        self.detail = detail


def read_source(file: str, line: int, context: int = MAX_CONTEXT) -> tuple[int, tuple[str, ...]]:
    """Return the lines of a file around one of them.

    The text is the one that the frames of a call stack were worded with, which is what runs: a file that is changed on
    the disk afterwards is not read again.

    Args:
        file: As a `StackFrame` names it.
        line: The line in the middle, from 1; one that the file does not have counts as its last.
        context: Lines before and after it, at most `MAX_CONTEXT`.

    Returns:
        The number of the first line, and the lines without their ends; a line above `MAX_LINE_LENGTH` is cut.

    Raises:
        NoSourceError: There is no such text.
    """
    status = _status_of(file)
    if status is not None:
        _check(file, status)
    lines = [] if "\0" in file else linecache.getlines(file)  # no file can have that name
    if not lines:
        _explain(file, status)
    if any("\0" in text for text in lines):
        raise NoSourceError(NoSource.NOT_TEXT, file)
    context = min(max(context, 0), MAX_CONTEXT)
    middle = min(max(line, 1), max(len(lines), 1))
    first = max(1, middle - context)
    return first, tuple(_shown(text) for text in lines[first - 1 : middle + context])


def _status_of(file: str) -> os.stat_result | None:
    try:
        return Path(file).stat()
    except (OSError, ValueError):
        return None


def _check(file: str, status: os.stat_result) -> None:
    """Refuse what would block or fill the memory when it is read."""
    if not stat.S_ISREG(status.st_mode):
        raise NoSourceError(NoSource.NOT_A_FILE, file)
    if status.st_size > MAX_FILE_BYTES:
        raise NoSourceError(NoSource.TOO_LARGE, file)


def _explain(file: str, status: os.stat_result | None) -> None:
    """Say why a file has no lines, unless it is just empty.

    Raises:
        NoSourceError: It has none for another reason.
    """
    if status is None:
        raise NoSourceError(NoSource.NO_FILE if file.startswith("<") else NoSource.GONE, file)
    if status.st_size == 0:
        return
    try:
        with Path(file).open("rb") as opened:
            opened.read(1)
    except OSError as error:
        raise NoSourceError(NoSource.UNREADABLE, file, error.strerror or "") from None
    raise NoSourceError(NoSource.NOT_TEXT, file)


def _shown(text: str) -> str:
    text = text.rstrip("\r\n")
    return text if len(text) <= MAX_LINE_LENGTH else f"{text[: MAX_LINE_LENGTH - 1]}…"
