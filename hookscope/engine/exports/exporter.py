"""Does exports on a thread of its own, one after the other; each can be cancelled.

`request` and `cancel` are called on the reader thread and never wait; `close` waits for the thread.
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import torch

from hookscope.engine.capture.captures import CaptureStore
from hookscope.engine.code.call_stack import VariableStore
from hookscope.engine.convert import Unreadable
from hookscope.engine.exports.step_files import size_of_step, why_absent, write_step
from hookscope.engine.exports.tensor_files import CannotWriteError, write_tensor
from hookscope.engine.progress import GivenUp
from hookscope.engine.specs import spec_of
from hookscope.engine.trials.difference import subtract
from hookscope.protocol.commands import ExportStep, ExportTensor
from hookscope.protocol.events import Event, Exported, ExportProgress
from hookscope.protocol.exports import ExportEnd
from hookscope.protocol.identity import LOCAL_PREFIX

_TELL_EVERY_S = 0.1
_OWNER = "export"


class Exporter:
    """Writes what the window asks for.

    Args:
        store: Where the captures are.
        variables: Where local variables are, while a step is stopped.
        newest_step: Returns the step that is meant when none is named.
        post: Tells the window.
    """

    def __init__(
        self,
        store: CaptureStore,
        variables: VariableStore,
        newest_step: Callable[[], int],
        post: Callable[[Event], None],
    ) -> None:
        self._store = store
        self._variables = variables
        self._newest_step = newest_step
        self._post = post
        self._waiting: deque[ExportTensor | ExportStep] = deque()
        self._running: int | None = None
        self._cancelled: set[int] = set()
        self._changed = threading.Condition()
        self._is_closed = False
        self._thread: threading.Thread | None = None

    def request(self, command: ExportTensor | ExportStep) -> None:
        """Queue an export."""
        with self._changed:
            self._waiting.append(command)
            self._changed.notify()
        if self._thread is None:
            self._thread = threading.Thread(target=self._serve, name="hookscope-exports", daemon=True)
            self._thread.start()

    def cancel(self, number: int) -> None:
        """End an export at its next block; nothing happens when it has ended already."""
        with self._changed:
            if number == self._running or any(command.number == number for command in self._waiting):
                self._cancelled.add(number)

    def close(self) -> None:
        """End the thread; an export that runs is cancelled."""
        with self._changed:
            self._is_closed = True
            self._changed.notify()
        if self._thread is not None:
            self._thread.join()

    def _serve(self) -> None:
        with torch.no_grad():
            while True:
                with self._changed:
                    self._changed.wait_for(lambda: self._waiting or self._is_closed)
                    if self._is_closed:
                        return
                    command = self._waiting.popleft()
                    self._running = command.number
                exported = self._export(command)
                with self._changed:
                    self._running = None
                    self._cancelled.discard(command.number)
                self._post(exported)

    def _export(self, command: ExportTensor | ExportStep) -> Exported:
        place = command.file if isinstance(command, ExportTensor) else command.folder
        try:
            if not self._is_wanted(command.number):
                raise GivenUp  # while it waited
            if isinstance(command, ExportTensor):
                return self._tensor(command)
            return self._step(command)
        except GivenUp:
            return Exported(command.number, ExportEnd.CANCELLED, place)
        except OSError as error:
            detail = f"{place}: {error.strerror or error}"
        except (CannotWriteError, Unreadable) as error:
            detail = str(error)
        except Exception as error:  # the thread must outlive a fault of ours
            detail = f"{type(error).__name__}: {error}"
        return Exported(command.number, ExportEnd.FAILED, place, detail=detail)

    def _tensor(self, command: ExportTensor) -> Exported:
        path = Path(command.file)
        with self._lent(command) as tensor:
            progress = _Progress(command.number, spec_of(tensor).size_bytes, self._post, self._is_wanted)
            write_tensor(tensor, path, command.form, progress)
        return Exported(command.number, ExportEnd.WRITTEN, command.file, 1, path.stat().st_size)

    @contextmanager
    def _lent(self, command: ExportTensor) -> Iterator[torch.Tensor]:
        """Give the values that are to be written; nothing writes to them in the block.

        Raises:
            CannotWriteError: They are not to be had.
            Unreadable: Of one of two tensors there is no difference.
        """
        ref, minus = command.ref, command.minus
        with self._variables.reading(ref) as variable:
            if variable is not None:
                yield variable
                return
        if ref.operation.startswith(LOCAL_PREFIX):
            raise CannotWriteError("the variable is gone: the step has gone on")
        with self._store.open(ref, command.step) as (capture, tensor):
            if tensor is None:
                raise CannotWriteError(why_absent(capture))
            if minus is None:
                yield tensor
                return
            with self._store.lend(ref, minus) as before:
                if before is None:
                    raise CannotWriteError(f"its values of step {minus:,} are not kept")
                if before.shape != tensor.shape:
                    shapes = f"{tuple(tensor.shape)} and, in step {minus:,}, {tuple(before.shape)}"
                    raise CannotWriteError(f"there is no difference of the shapes {shapes}")
                yield subtract(tensor, before)

    def _step(self, command: ExportStep) -> Exported:
        step = self._newest_step() if command.step is None else command.step
        if not self._store.keeps(step):
            raise CannotWriteError("no step is kept" if not step else f"step {step:,} is not kept any more")
        if not self._store.captures(step):
            raise CannotWriteError(f"nothing was captured in step {step:,}")
        progress = _Progress(command.number, size_of_step(self._store, step), self._post, self._is_wanted)
        folder = Path(command.folder)
        self._store.pin(_OWNER, (step,))  # steps that run meanwhile do not take its place
        try:
            done = write_step(self._store, step, folder, progress)
        finally:
            self._store.pin(_OWNER, ())
        size = sum((folder / entry["file"]).stat().st_size for entry in done.entries)
        return Exported(command.number, ExportEnd.WRITTEN, command.folder, len(done.entries), size, tuple(done.skipped))

    def _is_wanted(self, number: int) -> bool:
        return not self._is_closed and number not in self._cancelled


class _Progress:
    """Adds up what is written, and tells of it now and then."""

    def __init__(
        self, number: int, total: int, post: Callable[[Event], None], is_wanted: Callable[[int], bool]
    ) -> None:
        self._number = number
        self._total = total
        self._post = post
        self._is_wanted = is_wanted
        self._done = 0
        self._tell_at = time.monotonic() + _TELL_EVERY_S

    def __call__(self, written: int) -> None:
        if not self._is_wanted(self._number):
            raise GivenUp
        self._done += written
        if time.monotonic() >= self._tell_at:
            self._tell_at = time.monotonic() + _TELL_EVERY_S
            self._post(ExportProgress(self._number, min(self._done, self._total), self._total))
