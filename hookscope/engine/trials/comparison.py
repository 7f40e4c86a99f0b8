"""Compares two kept steps: which captured tensors moved, and how far. Runs on the view thread."""

from collections.abc import Iterator

from hookscope.engine.capture.captures import Capture, CaptureStore
from hookscope.engine.convert import Unreadable
from hookscope.engine.trials.difference import Distance, distance
from hookscope.protocol.events import StepsCompared
from hookscope.protocol.interventions import Difference


def compare_steps(store: CaptureStore, before: int, after: int) -> StepsCompared:
    """Compare every tensor that both steps have captured in the same shape.

    A step may be dropped meanwhile; what was not compared by then is left out, and the step is said to be missing.
    """
    earlier, later = store.captures(before), store.captures(after)
    found: tuple[Difference, ...] = ()
    if earlier is not None and later is not None:
        known = {capture.ref: capture for capture in earlier}
        pairs = (
            (known[capture.ref], capture)
            for capture in sorted(later, key=lambda capture: capture.order)
            if capture.ref in known
        )
        found = tuple(_differences(store, pairs))
    missing = tuple(step for step in dict.fromkeys((before, after)) if not store.keeps(step))
    return StepsCompared(before, after, () if missing else found, missing)


def _differences(store: CaptureStore, pairs: Iterator[tuple[Capture, Capture]]) -> Iterator[Difference]:
    measured: dict[tuple[int, int], Distance | None] = {}
    for earlier, later in pairs:
        old, new = _values(earlier), _values(later)
        if earlier.spec is None or later.spec is None or earlier.spec.shape != later.spec.shape:
            continue
        if old is None or new is None:
            continue
        key = (id(old), id(new))
        if key not in measured:  # an output and the input that it becomes are one copy
            measured[key] = Distance() if old is new else _distance(store, earlier, later)
        found = measured[key]
        if found is not None:
            yield Difference(later.ref, later.order, found.norm, found.relative, found.changed, later.spec.count)


def _distance(store: CaptureStore, earlier: Capture, later: Capture) -> Distance | None:
    with store.open(earlier.ref, earlier.step) as (_, old), store.open(later.ref, later.step) as (_, new):
        if old is None or new is None:
            return None
        try:
            return distance(new, old)
        except (Unreadable, RuntimeError):  # a kind of tensor that torch cannot subtract
            return None


def _values(capture: Capture) -> object | None:
    """Return what has the values: a copy that other captures may share, or the parameter that is read where it is."""
    return capture.live if capture.live is not None else capture.buffer
