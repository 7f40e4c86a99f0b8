"""Lists the operations in a module's own forward, with the lines that they stand in."""

import linecache
import sysconfig
from pathlib import Path
from types import FrameType, TracebackType
from typing import Self

import torch
from torch import nn

from hookscope.engine.failure_report import is_user_file
from hookscope.engine.operations.operation_scopes import Given, OperationScope, OperationScopes, frames_in_call
from hookscope.engine.pause import Gate
from hookscope.engine.specs import spec_of
from hookscope.engine.tensor_tree import leaves
from hookscope.engine.workloads import function_model
from hookscope.protocol.hooks import OperationInfo, OperationRef

_MACHINERY = ("<", str(Path(torch.__file__).parent), sysconfig.get_path("stdlib"), function_model.__file__)


class OperationTrace:
    """Lists what the first call of a module runs, while it is entered as a context manager.

    Args:
        path: Path of the module.
        module: The module.
        gate: Looked at after each operation.

    Attributes:
        operations: What ran, in order; nothing, when the module was not called.
    """

    def __init__(self, path: str, module: nn.Module, gate: Gate) -> None:
        self.operations: list[OperationInfo] = []
        self._modules = {path: module}
        self._gate = gate
        self._scopes = OperationScopes(self)
        self._is_first = True

    def __enter__(self) -> Self:
        self._scopes.begin()
        self._scopes.set(self._modules)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._scopes.set({})
        self._scopes.end()

    def opened(self, path: str) -> OperationScope | None:
        """Want the first call. See `OperationListener`."""
        is_first, self._is_first = self._is_first, False
        return OperationScope(path, 0) if is_first else None

    def ran(self, scope: OperationScope, name: str, value: object, given: Given, caller: FrameType) -> None:  # noqa: ARG002
        """List an operation. See `OperationListener`."""
        ref = OperationRef(scope.path, name, scope.next_number(name))
        _, tensor = next(leaves(value, "out"))
        self.operations.append(OperationInfo(ref, spec_of(tensor), *place_of(frames_in_call(caller))))
        self._gate.pass_safe_point()


def place_of(frames: list[FrameType]) -> tuple[str, int, str]:
    """Return file, number and text of the line that a person would look for, given an operation's frames.

    That is the innermost one in a file of the user's, else in a library other than torch, else in the module's forward.
    """
    for is_wanted in (is_user_file, _is_library_file):
        for frame in frames:
            if is_wanted(frame.f_code.co_filename):
                return _line(frame)
    return _line(frames[-1]) if frames else ("", 0, "")


def _is_library_file(file: str) -> bool:
    return not file.startswith(_MACHINERY)


def _line(frame: FrameType) -> tuple[str, int, str]:
    file, line = frame.f_code.co_filename, frame.f_lineno
    return file, line, linecache.getline(file, line, frame.f_globals).strip()
