"""Failures as the engine makes them: an exception of the user's code, described so that it survives its process."""

import linecache
import os
import re
import sysconfig
import traceback
from collections.abc import Iterable
from pathlib import Path

import torch

from hookscope.protocol.failures import ExceptionInfo, Failure, FailureKind, Frame
from hookscope.protocol.patterns import nearest

MAX_FRAMES = 100
"""Innermost frames that are kept; an endless recursion has a thousand."""

_LIBRARY_FOLDERS = tuple(
    os.path.realpath(folder) + os.sep
    for folder in (
        Path(__file__).parents[1],
        Path(torch.__file__).parent,
        sysconfig.get_path("stdlib"),
        sysconfig.get_path("platstdlib"),
    )
)
_INSTALLED = {"site-packages", "dist-packages"}


class FailureError(Exception):
    """Ends a command of the window; `failure` is what a person is shown."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure)
        self.failure = failure

    def __str__(self) -> str:
        values = ", ".join(f"{name}={value}" for name, value in self.failure.values.items())
        return f"{self.failure.kind} ({values})" if values else str(self.failure.kind)


def failed(kind: FailureKind, **values: str) -> FailureError:
    """Make a failure without an exception behind it; the values that a kind needs are listed at the kind."""
    return FailureError(Failure(kind, values))


def raised(kind: FailureKind, error: BaseException, **values: str) -> FailureError:
    """Make a failure of an exception that user code raised; running out of memory is always `OUT_OF_MEMORY`."""
    device = _exhausted_device(error)
    if device is not None:
        return FailureError(Failure(FailureKind.OUT_OF_MEMORY, {"device": device}, exception=describe_exception(error)))
    return FailureError(Failure(kind, values, exception=describe_exception(error)))


def describe_exception(error: BaseException) -> ExceptionInfo:
    """Put an exception into words and frames. Never raises, even if the exception's own `__str__` does.

    Args:
        error: What was raised. The place of a `SyntaxError` counts as its innermost frame.
    """
    extracted = traceback.TracebackException.from_exception(error)
    frames = [
        Frame(frame.filename, frame.lineno or 0, frame.name, (frame.line or "").strip(), is_user_file(frame.filename))
        for frame in extracted.stack[-MAX_FRAMES:]
    ]
    if isinstance(error, SyntaxError) and error.filename:
        text = (error.text or linecache.getline(error.filename, error.lineno or 0)).strip()
        frames.append(Frame(error.filename, error.lineno or 0, "<module>", text, is_user_file(error.filename)))
    return ExceptionInfo(_type_name(type(error)), _message(error), tuple(frames), "".join(extracted.format()))


def is_user_file(file: str) -> bool:
    """Whether code is the user's own: no part of Python, of torch, of hookscope or of an installed package."""
    if file.startswith("<"):  # <frozen importlib>, <string>: nothing that a person can open
        return False
    path = os.path.realpath(file)
    return not path.startswith(_LIBRARY_FOLDERS) and _INSTALLED.isdisjoint(Path(path).parts)


def near_names(name: str, names: Iterable[str]) -> str:
    """Return the names that a person may have meant, as one text; `""` when there are none."""
    return ", ".join(nearest(name, names))


def type_words(value: object) -> str:
    """Return what a value is, for a sentence: `a dict`, `an int`, `None`."""
    if value is None:
        return "None"
    name = f"class {value.__qualname__}" if isinstance(value, type) else type(value).__qualname__
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"


def _type_name(error: type[BaseException]) -> str:
    if error.__module__ in {"builtins", "__main__"}:
        return error.__qualname__
    return f"{error.__module__}.{error.__qualname__}"


def _message(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:
        return "<its text could not be made>"


def _exhausted_device(error: BaseException) -> str | None:
    if isinstance(error, torch.OutOfMemoryError):
        number = re.search(r"GPU (\d+)", _message(error))
        return f"cuda:{number[1]}" if number else "cuda"
    if isinstance(error, MemoryError) or "DefaultCPUAllocator: can't allocate memory" in _message(error):
        return "cpu"
    return None
