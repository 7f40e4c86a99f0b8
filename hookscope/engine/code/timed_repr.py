"""The `repr` of an object of the user's, which may be slow, endless, or raise."""

import sys
import threading
import time
from types import FrameType
from typing import Self

REPR_LIMIT_S = 0.5


def timed_repr(value: object) -> str | None:
    """Return the `repr` of a value, or what kept it from being made; `None` when it took too long.

    It runs on a thread of its own, which has none of this thread's modes and locks. What is written in Python is ended
    when its time is over; what waits in C is left behind.
    """
    answers: list[str] = []
    thread = threading.Thread(target=_make_repr, args=(value, answers), name="hookscope-repr", daemon=True)
    thread.start()
    thread.join(REPR_LIMIT_S)
    return answers[0] if answers else None


def _make_repr(value: object, answers: list[str]) -> None:
    sys.settrace(_Deadline())
    try:
        answers.append(repr(value))
    except _TooSlowError:
        return
    except BaseException as error:  # also a SystemExit: it is only a repr
        answers.append(f"<its repr raised {type(error).__name__}>")
    finally:
        sys.settrace(None)


class _TooSlowError(BaseException):
    """Ends a `repr`; no `Exception`, which the user's code might catch."""


class _Deadline:
    """A trace function that ends what runs on its thread when the time is over."""

    def __init__(self) -> None:
        self._end = time.monotonic() + REPR_LIMIT_S

    def __call__(self, _frame: FrameType, _event: str, _argument: object) -> Self:
        if time.monotonic() > self._end:
            raise _TooSlowError
        return self
