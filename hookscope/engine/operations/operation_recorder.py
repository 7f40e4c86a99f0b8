"""Captures what the checked operations give, and the gradients there."""

import itertools
from collections.abc import Callable, Iterable, Mapping
from types import FrameType

from torch import nn

from hookscope.engine.capture.calls import Call
from hookscope.engine.capture.capture_writer import CaptureWriter
from hookscope.engine.compat import inside_backward
from hookscope.engine.operations.operation_scopes import Given, OperationScope, OperationScopes
from hookscope.protocol.hooks import OperationRef
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.tensors import Badge, BadgeKind


class OperationRecorder:
    """Watches the checked operations of one step after the other. Without any, it puts nothing on the model.

    Args:
        writer: What captures are written with.
        capture: Captures what an operation gave and awaits its gradient, as if a module's call had returned it. It
            raises nothing but `StepAborted`.
    """

    def __init__(self, writer: CaptureWriter, capture: Callable[[Call, object], None]) -> None:
        self._writer = writer
        self._capture = capture
        self._scopes = OperationScopes(self)
        self._wanted: dict[str, nn.Module] = {}
        self._hooked: dict[str, nn.Module] = {}
        self._checked: set[tuple[str, str]] = set()
        self._ran: set[tuple[str, str]] = set()
        self._counts: dict[str, itertools.count[int]] = {}
        self._running = False

    # -- on the main thread -------------------------------------------------------------------------------------

    def watch(self, modules: Mapping[str, nn.Module], checked: Iterable[OperationRef]) -> None:
        """Watch exactly these operations, from the next call on of the modules that run them.

        Args:
            modules: All modules by path; operations of other ones are passed over.
            checked: The operations.
        """
        self._checked = {(ref.path, ref.text) for ref in checked if ref.path in modules}
        self._wanted = {path: modules[path] for path, _ in self._checked}
        # A call that is running must be left as it was entered, so within a step no hook goes.
        self._hook(self._hooked | self._wanted if self._running else self._wanted)

    def is_checked(self, call: Call) -> bool:
        """Whether a call stands for an operation that is checked at this moment."""
        return (call.path, call.operation) in self._checked

    def begin_step(self) -> None:
        """Open a step."""
        self._running = True
        self._scopes.begin()

    def complete_step(self, why_never_called: Callable[[str, nn.Module], Badge]) -> None:
        """Say which operations did not run. Called after a whole backward.

        Args:
            why_never_called: Gives the reason for a module that was not called at all.
        """
        for path, operation in sorted(self._checked - self._ran):
            was_called = path in self._counts
            badge = Badge(BadgeKind.NEVER_CALLED) if was_called else why_never_called(path, self._wanted[path])
            self._writer.absent(TensorRef(path, Slot.OUTPUT, "out", operation=operation), badge)

    def end_step(self) -> None:
        """Leave nothing active and remember nothing of the step, however it ended."""
        self._running = False
        self._scopes.end()
        self._hook(self._wanted)
        self._ran.clear()
        self._counts.clear()

    # -- in hooks -----------------------------------------------------------------------------------------------

    def opened(self, path: str) -> OperationScope | None:
        """Number a call. See `OperationListener`."""
        if not self._running or path not in self._wanted:
            return None
        return OperationScope(path, next(self._counts.setdefault(path, itertools.count())))

    def ran(self, scope: OperationScope, name: str, value: object, given: Given, caller: FrameType) -> None:  # noqa: ARG002
        """Capture an operation, if it is checked. See `OperationListener`."""
        operation = OperationRef(scope.path, name, scope.next_number(name)).text
        if (scope.path, operation) not in self._checked:
            return
        self._ran.add((scope.path, operation))
        call = Call(scope.path, scope.index, 0, operation)
        if inside_backward():
            call.badges = (Badge(BadgeKind.RECOMPUTED),)
        self._capture(call, value)

    def _hook(self, modules: dict[str, nn.Module]) -> None:
        self._hooked = modules
        self._scopes.set(modules)
