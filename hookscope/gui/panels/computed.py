"""What pictures have in common that show no captured values, but what was computed from them."""

from collections.abc import Callable
from dataclasses import replace

import msgspec

from hookscope.gui.panels.picking_view import PickingView
from hookscope.gui.panels.picture_view import PictureView
from hookscope.gui.panels.subject import Subject
from hookscope.gui.panels.tensor_memory import TensorMemory
from hookscope.protocol.events import ViewReady
from hookscope.protocol.views import ViewRequest


def apart(subject: Subject, kind: str) -> Subject:
    """Return a subject of its own for what is computed from a tensor, so that neither takes the other's range."""
    operation = " ".join(filter(None, (subject.ref.operation, kind)))
    return replace(subject, ref=msgspec.structs.replace(subject.ref, operation=operation))


def with_shape(subject: Subject, shape: tuple[int, ...]) -> Subject:
    """Return the same subject with the shape of what was computed."""
    return replace(subject, spec=msgspec.structs.replace(subject.spec, shape=shape, dtype="float32"))


def share_memory(view: PickingView, memory: TensorMemory) -> None:
    """Let a view share the choices of a window without asking the debuggee, who knows nothing of what it draws."""
    PictureView.use(view, memory, _ask_nobody)  # past `PickingView`, which then looks for values in the picture


def _ask_nobody(request: ViewRequest, receiver: Callable[[ViewReady], None]) -> None:
    del request, receiver
