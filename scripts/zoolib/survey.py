"""Makes the tables anew: tries every architecture that transformers has. On Linux; takes half an hour."""

import gc
import re
import resource
import signal
import sys

from scripts.zoolib import tables
from scripts.zoolib.compare import Outcome, compare
from scripts.zoolib.recipe import names

LIMIT_S = 40
MEMORY_BYTES = 12 * 2**30
SUITE_S = 0.2
"""The tests compare what takes no longer than this."""
_PATH = re.compile(r" (from )?'?/\S*")


class _OutOfTimeError(BaseException):
    """Raised in the main thread; no `except Exception` on the way stops it."""


def survey() -> None:
    """Replace both tables, and print what happens to each architecture."""
    signal.signal(signal.SIGALRM, _stop)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    inside: list[tables.Architecture] = []
    outside: dict[str, str] = {}
    for name in names():
        try:
            found = _limited(name)
        except Exception as error:
            outside[name] = _reason(error)
            print(f"{name}: not built, {outside[name]}", file=sys.stderr)
        else:
            in_suite = found.seconds <= SUITE_S
            inside.append(tables.Architecture(name, found.modules, found.parameters, found.seconds, in_suite))
            print(f"{name}: {found.seconds:.2f} s {'; '.join(found.differences)}", file=sys.stderr)
        gc.collect()
    tables.write(inside, outside)


def _limited(name: str) -> Outcome:
    signal.alarm(LIMIT_S)
    try:
        compare(name)  # the first time, the architecture's code is imported
        return compare(name)
    except _OutOfTimeError:
        raise TimeoutError(f"takes longer than {LIMIT_S} s") from None
    finally:
        signal.alarm(0)


def _stop(_signal: int, _frame: object) -> None:
    raise _OutOfTimeError


def _reason(error: Exception) -> str:
    """Return one line, without where this machine keeps its files."""
    text = _PATH.sub("", " ".join(str(error).split()))
    return f"{type(error).__name__}: {text}"[:160]
