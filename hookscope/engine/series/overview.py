"""All checked modules of one step side by side: how large what flows through them is, forward and backward."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager

import torch

from hookscope.engine.capture.captures import Capture, CaptureStore
from hookscope.engine.series.numbers import NoNumbersError, magnitude_of, update_of
from hookscope.protocol.identity import Slot
from hookscope.protocol.series import Layer
from hookscope.protocol.tensors import Badge, BadgeKind, instead_of_tensor


def overview_of(store: CaptureStore, step: int, former: int) -> tuple[Layer, ...]:
    """Return the layers of a kept step in the order of its forward pass; nothing of one that is not kept.

    On the view thread. Values are looked at, not copied; each tensor once.

    Args:
        store: Where the captures are.
        step: The step.
        former: The step before it that counted, which updates are told of; 0 for none.
    """
    by_path: dict[str, list[Capture]] = defaultdict(list)
    for capture in store.captures(step) or ():
        if not capture.ref.operation:
            by_path[capture.ref.path].append(capture)
    layers = [_layer(store, step, former, path, captures) for path, captures in by_path.items()]
    return tuple(sorted(layers, key=lambda layer: layer.order))


def _layer(store: CaptureStore, step: int, former: int, path: str, captures: list[Capture]) -> Layer:
    outputs = [capture.order for capture in captures if capture.ref.slot is Slot.OUTPUT]
    magnitudes = {}
    absences: dict[Slot, Badge] = {}
    for slot in (Slot.OUTPUT, Slot.GRAD_OUTPUT, Slot.PARAMETER, Slot.PARAMETER_GRAD):
        of_slot = [capture for capture in captures if capture.ref.slot is slot]
        with _tensors(store, step, of_slot) as tensors:
            magnitudes[slot] = magnitude_of(tensors)
        reason = _reason(of_slot)
        if magnitudes[slot] is None and reason is not None:
            absences[slot] = reason
        elif slot is Slot.GRAD_OUTPUT and not of_slot and _returns_no_tensor(absences):
            absences[slot] = absences[Slot.OUTPUT]
    return Layer(
        path=path,
        order=min(outputs, default=min(capture.order for capture in captures)),
        output=magnitudes[Slot.OUTPUT],
        grad_output=magnitudes[Slot.GRAD_OUTPUT],
        parameters=magnitudes[Slot.PARAMETER],
        parameter_grads=magnitudes[Slot.PARAMETER_GRAD],
        update=_update(store, step, former, [capture for capture in captures if capture.ref.slot is Slot.PARAMETER]),
        absences=absences,
    )


def _reason(captures: list[Capture]) -> Badge | None:
    """Return the first that is said of tensors; where there are none, that what there is is none."""
    tensors = [capture for capture in captures if not instead_of_tensor(capture.badges)]
    return next((badge for capture in tensors or captures for badge in capture.badges), None)


def _returns_no_tensor(absences: Mapping[Slot, Badge]) -> bool:
    return Slot.OUTPUT in absences and absences[Slot.OUTPUT].kind is BadgeKind.NOT_A_TENSOR


def _update(store: CaptureStore, step: int, former: int, parameters: list[Capture]) -> float | None:
    with ExitStack() as stack:
        pairs = []
        for capture in parameters:
            _, before = stack.enter_context(store.open(capture.ref, former))
            _, after = stack.enter_context(store.open(capture.ref, step))
            if before is not None and after is not None:
                pairs.append((before, after))
        try:
            return update_of(pairs)[0]
        except NoNumbersError:
            return None


@contextmanager
def _tensors(store: CaptureStore, step: int, captures: list[Capture]) -> Iterator[list[torch.Tensor]]:
    with ExitStack() as stack:
        opened = [stack.enter_context(store.open(capture.ref, step))[1] for capture in captures]
        yield [tensor for tensor in opened if tensor is not None]
