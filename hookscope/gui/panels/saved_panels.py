"""How a panel is written into a saved layout."""

from typing import Any

from hookscope.gui.panels.registry import AUTO, PANEL_KINDS
from hookscope.protocol.identity import Slot, TensorRef


def pack_ref(ref: TensorRef) -> dict[str, Any]:
    """Return a tensor as plain values."""
    packed = {"path": ref.path, "slot": ref.slot.value, "leaf": ref.leaf, "call": ref.call}
    return packed | {"operation": ref.operation} if ref.operation else packed


def unpack_panel(panel: dict[str, Any]) -> tuple[str, str, bool, TensorRef | None]:
    """Read the name, kind, compactness and tensor of a panel.

    Raises:
        ValueError, KeyError, TypeError: It is none.
    """
    name, kind, compact, ref = panel["name"], panel["kind"], panel["compact"], panel["ref"]
    if not isinstance(name, str) or (kind != AUTO and kind not in PANEL_KINDS):
        raise ValueError(f"{panel} is no panel")
    return name, kind, bool(compact), None if ref is None else _unpack_ref(ref)


def _unpack_ref(ref: dict[str, Any]) -> TensorRef:
    slot, call = Slot(ref["slot"]), int(ref["call"])
    return TensorRef(str(ref["path"]), slot, str(ref["leaf"]), call, str(ref.get("operation", "")))
