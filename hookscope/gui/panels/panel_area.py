"""The middle of the window: panels side by side, in tabs or floating, and below them the current module's tensors."""

import base64
import json
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QByteArray, QSize, Qt, Signal, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QApplication, QMainWindow, QSizePolicy, QTabWidget, QVBoxLayout, QWidget

from hookscope.gui.panels.feed import is_seen
from hookscope.gui.panels.panel import TensorPanel
from hookscope.gui.panels.registry import AUTO, PANEL_KINDS
from hookscope.gui.panels.slot_strip import SlotStrip
from hookscope.gui.panels.target import is_local
from hookscope.protocol.identity import Slot as TensorSlot
from hookscope.protocol.identity import TensorRef

if TYPE_CHECKING:
    from hookscope.gui.current import Current
    from hookscope.gui.session_bridge import SessionBridge

_LAYOUT_VERSION = 1
_MAIN_SHARE, _HISTOGRAM_SHARE = 3, 1
_MIN_TILE = QSize(300, 200)
"""A new panel halves the largest one, unless the halves would be smaller than this; then it becomes a tab."""


class PanelArea(QWidget):
    """Makes, places and keeps the panels.

    A closed panel is hidden and taken again for the next one: plots must not be deleted while the program runs.

    Signals:
        copy_requested, png_requested, svg_requested: A picture of `focused_panel()` is wanted.
    """

    copy_requested = Signal()
    png_requested = Signal()
    svg_requested = Signal()

    def __init__(self, bridge: "SessionBridge", current: "Current", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._current = current
        self._panels: list[TensorPanel] = []
        self._focused: TensorPanel | None = None
        self._fresh: tuple[TensorPanel, TensorPanel] | None = None
        self._inner = QMainWindow(self)
        self._inner.setWindowFlags(Qt.WindowType.Widget)  # only a frame for docks; the constructor insists on a window
        self._inner.setDockOptions(
            QMainWindow.DockOption.AllowNestedDocks
            | QMainWindow.DockOption.AllowTabbedDocks
            | QMainWindow.DockOption.GroupedDragging
        )
        self._inner.setTabPosition(Qt.DockWidgetArea.AllDockWidgetAreas, QTabWidget.TabPosition.North)
        self._inner.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._strip = SlotStrip(bridge, current)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._inner, 1)
        layout.addWidget(self._strip)
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._note_focus)
        self.reset_layout()

    @property
    def is_settled(self) -> bool:
        """Whether no panel in sight waits for a picture."""
        return not any(panel.is_waiting for panel in self._panels)

    @property
    def panels(self) -> tuple[TensorPanel, ...]:
        """The open panels, those behind a tab included."""
        return tuple(panel for panel in self._panels if not panel.isHidden())

    def visible_panels(self) -> tuple[TensorPanel, ...]:
        """Return the panels that a person can see now."""
        return tuple(panel for panel in self._panels if is_seen(panel))

    def focused_panel(self) -> TensorPanel | None:
        """Return the panel that was used last, or the first one; `None` when there is none."""
        panels = self.panels
        return self._focused if self._focused in panels else next(iter(panels), None)

    def add_panel(self, kind: str, ref: TensorRef | None = None) -> TensorPanel:
        """Open a panel beside the others.

        Args:
            kind: `auto` or the tag of a view request.
            ref: The tensor to stay with; by default the current one. Without any, the panel follows the window.

        Raises:
            KeyError: There is no such kind.
        """
        if kind != AUTO and kind not in PANEL_KINDS:
            raise KeyError(kind)
        neighbour = max(self.visible_panels(), key=_area, default=None)
        panel = self._take_panel()
        panel.set_compact(False)
        panel.set_kind(kind)
        own = ref if ref is not None else self._current.ref
        if own is None:
            panel.follow()
        else:
            panel.lock_to(own)
        self._place(panel, neighbour)
        panel.show()
        panel.raise_()
        self._settle_sizes()
        self._focused = panel
        return panel

    def reset_layout(self) -> None:
        """Go back to a panel that follows with the best view, and its histogram below."""
        for panel in self._panels:
            self._put_away(panel)
        main = self._take_panel()
        self._inner.addDockWidget(Qt.DockWidgetArea.TopDockWidgetArea, main)
        main.show()  # not to be taken twice
        histogram = self._take_panel()
        self._inner.splitDockWidget(main, histogram, Qt.Orientation.Vertical)
        histogram.show()
        for panel, kind in ((main, AUTO), (histogram, "histogram")):
            panel.set_compact(panel is histogram)
            panel.set_kind(kind)
            panel.follow()
        self._share_heights(main, histogram)
        self._focused = main

    def save_state(self) -> QByteArray:
        """Return the panels, what they show and where they are."""
        panels = [
            {
                "name": panel.objectName(),
                "kind": panel.kind,
                "compact": panel.is_compact,
                "ref": None if panel.follows or panel.ref is None or is_local(panel.ref) else _pack(panel.ref),
            }
            for panel in self.panels
        ]
        docks = base64.b64encode(self._inner.saveState(_LAYOUT_VERSION).data()).decode("ascii")
        return QByteArray(json.dumps({"version": _LAYOUT_VERSION, "panels": panels, "docks": docks}).encode())

    def restore_state(self, state: QByteArray) -> bool:
        """Bring back what `save_state` returned.

        Returns:
            Whether it could be read; otherwise nothing has changed.
        """
        try:
            layout = json.loads(bytes(state.data()).decode())
            docks = base64.b64decode(layout["docks"], validate=True)
            wanted = [_unpack(panel) for panel in layout["panels"]]
        except (ValueError, KeyError, TypeError):
            return False
        if layout.get("version") != _LAYOUT_VERSION or not wanted:
            return False
        for panel in self._panels:
            self._put_away(panel)
        for name, kind, compact, ref in wanted:
            panel = self._panel_named(name)
            panel.set_compact(compact)
            panel.set_kind(kind)
            if ref is None:
                panel.follow()
            else:
                panel.lock_to(ref)
            self._inner.addDockWidget(Qt.DockWidgetArea.TopDockWidgetArea, panel)
            panel.show()
        self._focused, self._fresh = self._panel_named(wanted[0][0]), None
        if not self._inner.restoreState(QByteArray(docks), _LAYOUT_VERSION):
            self.reset_layout()
            return False
        return True

    def showEvent(self, event: QShowEvent) -> None:
        """Share out the heights again, for a layout that was never shown has none."""
        super().showEvent(event)
        if not event.spontaneous() and self._fresh is not None:
            self._share_heights(*self._fresh)

    def _share_heights(self, main: TensorPanel, histogram: TensorPanel) -> None:
        self._fresh = (main, histogram)
        self._inner.resizeDocks([main, histogram], [_MAIN_SHARE * 100, _HISTOGRAM_SHARE * 100], Qt.Orientation.Vertical)

    def _settle_sizes(self) -> None:
        # The next panel may be added before the event loop comes round, and is placed by the sizes of these.
        layout = self._inner.layout()
        if layout is not None:
            layout.activate()

    def _place(self, panel: TensorPanel, neighbour: TensorPanel | None) -> None:
        if neighbour is None or neighbour.isFloating():
            self._inner.addDockWidget(Qt.DockWidgetArea.TopDockWidgetArea, panel)
            return
        size = neighbour.size()
        is_wide = size.width() > size.height()
        halved = QSize(size.width() // 2, size.height()) if is_wide else QSize(size.width(), size.height() // 2)
        if halved.width() < _MIN_TILE.width() or halved.height() < _MIN_TILE.height():
            self._inner.tabifyDockWidget(neighbour, panel)
            return
        orientation = Qt.Orientation.Horizontal if is_wide else Qt.Orientation.Vertical
        half = size.width() // 2 if is_wide else size.height() // 2
        self._inner.splitDockWidget(neighbour, panel, orientation)
        self._inner.resizeDocks([neighbour, panel], [half, half], orientation)

    def _take_panel(self) -> TensorPanel:
        closed = next((panel for panel in self._panels if panel.isHidden()), None)
        if closed is not None:
            self._put_away(closed)
            return closed
        names = {panel.objectName() for panel in self._panels}
        number = next(number for number in range(len(names) + 1) if f"panel-{number}" not in names)
        return self._panel_named(f"panel-{number}")

    def _put_away(self, panel: TensorPanel) -> None:
        panel.setFloating(False)
        self._inner.removeDockWidget(panel)

    def _panel_named(self, name: str) -> TensorPanel:
        panel = next((panel for panel in self._panels if panel.objectName() == name), None)
        if panel is None:
            panel = TensorPanel(self._bridge, self._current, name, self._inner)
            panel.hide()
            panel.copy_requested.connect(self._copy)
            panel.png_requested.connect(self._save_png)
            panel.svg_requested.connect(self._save_svg)
            self._panels.append(panel)
        return panel

    def _focus_sender(self) -> None:
        sender = self.sender()
        if isinstance(sender, TensorPanel):
            self._focused = sender

    @Slot()
    def _copy(self) -> None:
        self._focus_sender()
        self.copy_requested.emit()

    @Slot()
    def _save_png(self) -> None:
        self._focus_sender()
        self.png_requested.emit()

    @Slot()
    def _save_svg(self) -> None:
        self._focus_sender()
        self.svg_requested.emit()

    @Slot(QWidget, QWidget)
    def _note_focus(self, _before: QWidget | None, now: QWidget | None) -> None:
        while now is not None:
            if isinstance(now, TensorPanel) and now in self._panels:
                self._focused = now
                return
            now = now.parentWidget()


def _area(panel: TensorPanel) -> int:
    return panel.width() * panel.height()


def _pack(ref: TensorRef) -> dict[str, Any]:
    return {"path": ref.path, "slot": ref.slot.value, "leaf": ref.leaf, "call": ref.call}


def _unpack(panel: dict[str, Any]) -> tuple[str, str, bool, TensorRef | None]:
    """Read one panel of a saved layout; raises `ValueError`, `KeyError` or `TypeError` when it is none."""
    name, kind, compact, ref = panel["name"], panel["kind"], panel["compact"], panel["ref"]
    if not isinstance(name, str) or (kind != AUTO and kind not in PANEL_KINDS):
        raise ValueError(f"{panel} is no panel")
    if ref is None:
        return name, kind, bool(compact), None
    return (
        name,
        kind,
        bool(compact),
        TensorRef(str(ref["path"]), TensorSlot(ref["slot"]), str(ref["leaf"]), int(ref["call"])),
    )
