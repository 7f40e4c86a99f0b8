"""How a panel is written into a saved layout."""

from dataclasses import dataclass
from typing import Any

from hookscope.gui.panels.registry import AUTO, PANEL_KINDS
from hookscope.protocol.identity import Slot, TensorRef


def pack_ref(ref: TensorRef) -> dict[str, Any]:
    """Return a tensor as plain values."""
    packed = {"path": ref.path, "slot": ref.slot.value, "leaf": ref.leaf, "call": ref.call}
    return packed | {"operation": ref.operation} if ref.operation else packed


@dataclass(frozen=True)
class SavedPanel:
    """One panel of a layout.

    Attributes:
        name: Its object name.
        kind: `auto` or the tag of a view.
        is_compact: Whether its header is a quiet title.
        ref: The tensor that it stays with; `None` when it follows.
        is_linked: Whether it is linked with others.
        is_folded: Whether it is behind a tab only for want of room.
    """

    name: str
    kind: str
    is_compact: bool
    ref: TensorRef | None
    is_linked: bool
    is_folded: bool = False


def unpack_panel(panel: dict[str, Any]) -> SavedPanel:
    """Read one panel.

    Raises:
        ValueError, KeyError, TypeError: It is none.
    """
    name, kind, compact, ref = panel["name"], panel["kind"], panel["compact"], panel["ref"]
    if not isinstance(name, str) or (kind != AUTO and kind not in PANEL_KINDS):
        raise ValueError(f"{panel} is no panel")
    own = None if ref is None else _unpack_ref(ref)
    is_linked, is_folded = (bool(panel.get(fact, False)) for fact in ("linked", "folded"))
    return SavedPanel(name, kind, bool(compact), own, is_linked, is_folded)


def _unpack_ref(ref: dict[str, Any]) -> TensorRef:
    slot, call = Slot(ref["slot"]), int(ref["call"])
    return TensorRef(str(ref["path"]), slot, str(ref["leaf"]), call, str(ref.get("operation", "")))
