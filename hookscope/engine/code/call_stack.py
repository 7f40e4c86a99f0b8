"""Where the model's code is at an event: frames that are noted in passing, and those of a stopped thread.

Both give frames as a traceback does, innermost last, from what the debuggee called up to the code that fired the hook.
Frames of hookscope itself are left out: they stand for hooks, and not for anything that a person has written.
"""

import dis
import inspect
import linecache
import os
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from enum import Enum, auto
from functools import lru_cache
from itertools import islice
from pathlib import Path
from types import CodeType, FrameType, MappingProxyType
from typing import NamedTuple, TypeGuard

import torch

from hookscope import engine
from hookscope.engine.code.variables import Describer, is_shown
from hookscope.engine.failure_report import is_user_file
from hookscope.engine.workloads import examples
from hookscope.protocol.identity import LOCAL_PREFIX, Slot, TensorRef
from hookscope.protocol.stops import StackFrame, Variable

MAX_FRAMES = 64
"""Innermost frames that are kept."""

MAX_VARIABLES = 200
"""Variables of one frame that are shown; the first ones that it has."""

_ENGINE = Path(engine.__file__).parent
_OURS = os.path.realpath(_ENGINE.parent) + os.sep
_EXAMPLES = os.path.realpath(Path(examples.__file__).parent) + os.sep
_STEP_RUNNER = os.path.realpath(_ENGINE / "step_runner.py")

_LOCALS_ARE_COPIED = sys.version_info < (3, 13)
"""Until Python 3.13 a frame's `f_locals` is one dict that is filled again at each look, and `locals()` is that dict."""

_GIVES_LOCALS = {"locals", "vars"}
_REFERENCES_OF_NO_ONE_ELSE = 3
"""To a frame's `f_locals`: from the frame, a variable of ours, and the argument of `getrefcount`."""


class LightStack(NamedTuple):
    """Which code was running, innermost first. Holds no frame, and so nothing that a step has made.

    Attributes:
        codes: The code of each frame.
        places: Where in it: the offset of its newest instruction, which is cheaper to ask for than the line.
    """

    codes: tuple[CodeType, ...]
    places: tuple[int, ...]


def light_stack(limit: int = MAX_FRAMES) -> LightStack:
    """Note where this thread is. Costs some microseconds, as it runs at every forward while stepping.

    Args:
        limit: Innermost frames that are noted, those of hooks among them.
    """
    frame: FrameType | None = sys._getframe(1)
    codes: list[CodeType] = []
    places: list[int] = []
    while frame is not None and limit:
        codes.append(frame.f_code)
        places.append(frame.f_lasti)
        frame = frame.f_back
        limit -= 1
    return LightStack(tuple(codes), tuple(places))


def frames_of(light: LightStack) -> tuple[StackFrame, ...]:
    """Put a noted stack into words, innermost frame last; without variables, which were not kept."""
    found: list[StackFrame] = []
    for code, place in zip(light.codes, light.places, strict=True):
        owner = _owner_of(code.co_filename)
        if owner is _Owner.DEBUGGEE:
            break
        if owner is not _Owner.HOOKS:
            found.append(_frame(code, _line_at(code, place), owner))
    return tuple(reversed(found))


def live_frames(
    variables: "VariableStore", paths: Mapping[int, str] = MappingProxyType({}), limit: int = MAX_FRAMES
) -> tuple[StackFrame, ...]:
    """Describe the frames of this thread, innermost last, with the local variables of the user's.

    Called on the stopped thread, within a stop of `variables`.

    Args:
        variables: Keeps the tensors among the variables, so that a view can be made of them.
        paths: `id` of a module -> its path in the model, for variables that are modules.
        limit: Innermost frames that are described.
    """
    frame: FrameType | None = sys._getframe(1)
    frames: list[FrameType] = []
    while frame is not None and len(frames) < limit:
        owner = _owner_of(frame.f_code.co_filename)
        if owner is _Owner.DEBUGGEE:
            break
        if owner is not _Owner.HOOKS:
            frames.append(frame)
        frame = frame.f_back
    describer = Describer(paths)
    last = len(frames) - 1
    # The innermost is described first: what may be read of tensors in all goes to the nearest ones.
    described = [_live_frame(last - depth, found, describer, variables) for depth, found in enumerate(frames)]
    return tuple(reversed(described))


class VariableStore:
    """The tensors among the variables of a stopped step, where they are: while it is stopped, nothing writes to them.

    `reading` is for any thread; the rest belongs to the thread that is stopped.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._stop = 0
        self._tensors: dict[TensorRef, torch.Tensor] = {}
        self._readers = 0

    def begin_stop(self) -> None:
        """Begin a stop. What it adds has other refs than that of an earlier one."""
        with self._changed:
            self._stop += 1
            self._tensors.clear()

    def add(self, frame_index: int, name: str, tensor: torch.Tensor) -> TensorRef:
        """Keep a tensor until the stop ends, and return what names it."""
        ref = TensorRef("", Slot.OUTPUT, name, operation=f"{LOCAL_PREFIX}{self._stop}:{frame_index}:{name}")
        with self._changed:
            self._tensors[ref] = tensor
        return ref

    def get(self, ref: TensorRef) -> torch.Tensor | None:
        """Return the tensor itself, or `None` once the stop has ended. On a thread that is not stopped: `reading`."""
        with self._changed:
            return self._tensors.get(ref)

    @contextmanager
    def reading(self, ref: TensorRef) -> Iterator[torch.Tensor | None]:
        """Give a tensor to a reader; inside the block nothing writes to it, for the stop does not end meanwhile."""
        with self._changed:
            tensor = self._tensors.get(ref)
            self._readers += 1
        try:
            yield tensor
        finally:
            del tensor
            with self._changed:
                self._readers -= 1
                self._changed.notify_all()

    def end_stop(self) -> None:
        """Let every tensor go, when the views and files that are being made of them are done; then the step goes on."""
        with self._changed:
            self._tensors.clear()
            self._changed.wait_for(self._has_no_readers)

    def _has_no_readers(self) -> bool:
        return self._readers == 0


class _Owner(Enum):
    """Whose code a file has."""

    USER = auto()
    LIBRARY = auto()
    HOOKS = auto()
    DEBUGGEE = auto()
    """Runs the steps: this and all that is further out is no part of the model."""


@lru_cache(maxsize=4096)
def _owner_of(file: str) -> _Owner:
    if file.startswith("<"):  # no file: it was made while the program ran
        return _Owner.LIBRARY
    path = os.path.realpath(file)
    if path == _STEP_RUNNER:
        return _Owner.DEBUGGEE
    if path.startswith(_EXAMPLES):  # what a person who opens an example would have written
        return _Owner.USER
    if path.startswith(_OURS):
        return _Owner.HOOKS
    return _Owner.USER if is_user_file(file) else _Owner.LIBRARY


def _line_at(code: CodeType, place: int) -> int:
    for start, end, line in code.co_lines():
        if start <= place < end and line is not None:
            return line
    return code.co_firstlineno


def _frame(code: CodeType, line: int, owner: _Owner, variables: tuple[Variable, ...] = ()) -> StackFrame:
    file = code.co_filename
    return StackFrame(
        file=file if file.startswith("<") else os.path.abspath(file),  # noqa: PTH100 - resolves no links, as Python
        line=line,
        function=code.co_qualname,
        text=linecache.getline(file, line).strip(),
        user=owner is _Owner.USER,
        variables=variables,
    )


def _live_frame(index: int, frame: FrameType, describer: Describer, store: VariableStore) -> StackFrame:
    code = frame.f_code
    owner = _owner_of(code.co_filename)
    described: tuple[Variable, ...] = ()
    if owner is _Owner.USER:
        shown = (item for item in _locals_of(frame).items() if is_shown(*item))
        described = tuple(
            describer.describe(name, value, store.add(index, name, value) if _is_tensor(value) else None)
            for name, value in islice(shown, MAX_VARIABLES)
        )
    return _frame(code, frame.f_lineno or code.co_firstlineno, owner, described)


def _is_tensor(value: object) -> TypeGuard[torch.Tensor]:
    return issubclass(type(value), torch.Tensor)


@lru_cache(maxsize=4096)
def _takes_locals(code: CodeType) -> bool:
    if _GIVES_LOCALS.isdisjoint(code.co_names):  # names of attributes are among them
        return False
    return any(one.opname == "LOAD_GLOBAL" and one.argval in _GIVES_LOCALS for one in dis.get_instructions(code))


def _locals_of(frame: FrameType) -> dict[str, object]:
    """Return a frame's variables, and leave the frame as it was: with nothing that keeps them alive.

    Where a look would change a dict that the function has got from `locals()`, there is none.
    """
    code = frame.f_code
    if not _LOCALS_ARE_COPIED or not code.co_flags & inspect.CO_OPTIMIZED:  # a module's or a class body's are no copy
        return dict(frame.f_locals)
    if _takes_locals(code):
        return {}
    copied = frame.f_locals
    found = dict(copied)
    # A debugger that traces the frame, or has the dict, writes it back; then it must stay complete.
    if frame.f_trace is None and sys.getrefcount(copied) == _REFERENCES_OF_NO_ONE_ELSE:
        for name in (*code.co_varnames, *code.co_cellvars, *code.co_freevars):
            copied.pop(name, None)
    return found
