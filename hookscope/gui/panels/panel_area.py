"""The middle of the window: panels side by side, in tabs or floating, and below them the current module's tensors."""

import base64
import json
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QSize, Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QDockWidget, QMainWindow, QSizePolicy, QTabWidget, QVBoxLayout, QWidget

from hookscope.gui.panels.base import TensorView
from hookscope.gui.panels.dock_tabs import DockTabs
from hookscope.gui.panels.fair_shares import FairShares
from hookscope.gui.panels.feed import is_seen
from hookscope.gui.panels.folding import SHARES, Folding
from hookscope.gui.panels.links import PanelLinks
from hookscope.gui.panels.panel import TensorPanel
from hookscope.gui.panels.registry import AUTO, PANEL_KINDS
from hookscope.gui.panels.saved_panels import pack_ref, unpack_panel
from hookscope.gui.panels.slot_strip import SlotStrip
from hookscope.gui.panels.target import is_local
from hookscope.gui.panels.tensor_memory import TensorMemory
from hookscope.protocol.identity import TensorRef

if TYPE_CHECKING:
    from hookscope.gui.current import Current
    from hookscope.gui.session_bridge import SessionBridge

_LAYOUT_VERSION = 1
_LINES_FOR_PICTURES = 32
"""Lines of text that the area must be high for the strip to have pictures."""
_LINES_FOR_TWO = 30
"""And for two panels, one below the other."""
_MIN_TILE = QSize(300, 200)
"""A new panel halves the largest one, unless the halves would be smaller than this; then it becomes a tab."""


class PanelArea(QWidget):
    """Makes, places and keeps the panels.

    A closed panel is hidden and taken again for the next one: plots must not be deleted while the program runs.

    Signals:
        copy_requested, png_requested, svg_requested: A picture of `focused_panel()` is wanted.
        export_requested: The values of its tensor are wanted in a file.
        change_requested: A change of an entry of a dim of a tensor (`TensorRef`, `int`, `int`) is wanted.
        pointed: Index and value under the pointer, in whichever panel that is; empty when it left.
    """

    copy_requested = Signal()
    png_requested = Signal()
    svg_requested = Signal()
    export_requested = Signal()
    change_requested = Signal(object, int, int)
    pointed = Signal(str)

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
        self._strip.opened.connect(self.open_tab)
        self._links = PanelLinks(TensorMemory.of(bridge), self)
        self._shares = FairShares(self._inner)
        self._tabs = DockTabs(self._inner)
        self._tabs.close_requested.connect(self._close_tab)
        self._folding = Folding(self._inner, self._tabs)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._inner, 1)
        layout.addWidget(self._strip)
        self._source = bridge.session.source
        bridge.model_loaded.connect(self._leave_former_model)
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._note_focus)
        self.reset_layout()

    @property
    def is_settled(self) -> bool:
        """Whether nothing in sight waits for a picture."""
        is_waiting = self._strip.is_waiting or any(panel.is_waiting for panel in self._panels)
        return not (is_waiting or self._folding.is_pending)

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

    @Slot(object)
    def open_tab(self, ref: TensorRef) -> TensorPanel:
        """Show a tensor in a panel that stays with it, as a tab beside the one that follows.

        A panel that shows it like that already comes to the front.
        """
        panel = next((panel for panel in self.panels if panel.kind == AUTO and panel.own_ref == ref), None)
        if panel is None:
            beside = next((panel for panel in self.panels if panel.follows and not panel.is_compact), None)
            beside = beside or next(iter(self.panels), None)
            panel = self._take_panel()
            panel.set_compact(False)
            panel.set_kind(AUTO)
            panel.lock_to(ref)
            if beside is None or beside.isFloating():
                self._inner.addDockWidget(Qt.DockWidgetArea.TopDockWidgetArea, panel)
            else:
                self._inner.tabifyDockWidget(beside, panel)
            panel.show()
        panel.raise_()
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
        self._folding.begin()
        self._fold_if_low()

    def save_state(self) -> QByteArray:
        """Return the panels, what they show and where they are."""
        panels = [
            {
                "name": panel.objectName(),
                "kind": panel.kind,
                "compact": panel.is_compact,
                "folded": panel is self._folding.folded,
                "linked": panel in self._links.linked,
                "ref": pack_ref(panel.own_ref) if panel.own_ref is not None and not is_local(panel.own_ref) else None,
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
            wanted = [unpack_panel(panel) for panel in layout["panels"]]
        except (ValueError, KeyError, TypeError):
            return False
        if layout.get("version") != _LAYOUT_VERSION or not wanted:
            return False
        for panel in self._panels:
            self._put_away(panel)
        for saved in wanted:
            panel = self._panel_named(saved.name)
            panel.set_compact(saved.is_compact)
            panel.set_kind(saved.kind)
            if saved.ref is None:
                panel.follow()
            else:
                panel.lock_to(saved.ref)
            self._links.set_linked(panel, saved.is_linked)
            self._inner.addDockWidget(Qt.DockWidgetArea.TopDockWidgetArea, panel)
            panel.show()
        self._focused, self._fresh = self._panel_named(wanted[0].name), None
        if not self._inner.restoreState(QByteArray(docks), _LAYOUT_VERSION):
            self.reset_layout()
            return False
        self._folding.begin(next((self._panel_named(saved.name) for saved in wanted if saved.is_folded), None))
        self._fold_if_low()
        return True

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave out the small pictures where the panels need their room."""
        super().resizeEvent(event)
        self._strip.set_pictures(self._has_lines(_LINES_FOR_PICTURES))
        self._fold_if_low()

    def showEvent(self, event: QShowEvent) -> None:
        """Share out the heights again, for a layout that was never shown has none."""
        super().showEvent(event)
        if not event.spontaneous() and self._fresh is not None:
            self._share_heights(*self._fresh)
        self._fold_if_low()

    def _fold_if_low(self) -> None:
        if self.isVisible():  # before, its height says nothing
            self._folding.adapt(self.panels, is_low=not self._has_lines(_LINES_FOR_TWO))

    def _has_lines(self, count: int) -> bool:
        return self.height() >= self.fontMetrics().lineSpacing() * count

    def _share_heights(self, main: TensorPanel, histogram: TensorPanel) -> None:
        self._fresh = (main, histogram)
        self._inner.resizeDocks([main, histogram], list(SHARES), Qt.Orientation.Vertical)

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
        self._split(neighbour, panel, orientation)
        self._inner.resizeDocks([neighbour, panel], [half, half], orientation)

    def _split(self, neighbour: TensorPanel, panel: TensorPanel, orientation: Qt.Orientation) -> None:
        """Put a panel beside another one and the tabs that share its place."""
        first, *others = self._tabs.docks_with(neighbour)
        for dock in others:  # Qt loses docks when it splits a place that has tabs
            self._inner.removeDockWidget(dock)
        self._inner.splitDockWidget(first, panel, orientation)
        for dock in others:
            self._inner.tabifyDockWidget(first, dock)
            dock.show()
        if others:
            neighbour.raise_()

    @Slot(bool)
    def _link(self, is_linked: bool) -> None:
        panel = self.sender()
        if isinstance(panel, TensorPanel):
            self._links.set_linked(panel, is_linked)

    @Slot()
    def _leave_former_model(self) -> None:
        """Close what stays with a tensor of a module that another model does not have."""
        session, before = self._bridge.session, self._source
        self._source = session.source
        if session.source == before or session.tree is None:
            return
        paths = {path for module in session.tree.modules for path in (module.path, *module.aliases)}
        for panel in self.panels:
            if panel.own_ref is not None and panel.own_ref.path not in paths:
                self._links.set_linked(panel, False)
                panel.close()
        if not self.panels:
            self.reset_layout()

    @Slot(object)
    def _take_view(self, view: TensorView) -> None:
        self._links.take_view(view)
        view.pointed.connect(self.pointed)

    @Slot(object)
    def _close_tab(self, dock: QDockWidget) -> None:
        if len(self.panels) > 1:
            dock.close()

    def _take_panel(self) -> TensorPanel:
        closed = next((panel for panel in self._panels if panel.isHidden()), None)
        if closed is not None:
            self._put_away(closed)
            return closed
        names = {panel.objectName() for panel in self._panels}
        number = next(number for number in range(len(names) + 1) if f"panel-{number}" not in names)
        return self._panel_named(f"panel-{number}")

    def _put_away(self, panel: TensorPanel) -> None:
        self._links.set_linked(panel, False)
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
            panel.export_requested.connect(self._export)
            panel.tab_requested.connect(self.open_tab)
            panel.link_requested.connect(self._link)
            self._shares.watch(panel)
            panel.view_made.connect(self._take_view)
            if panel.view is not None:  # it was made before anybody listened, as there is a current tensor
                self._take_view(panel.view)
            panel.windowTitleChanged.connect(self._tabs.refresh_soon)
            panel.change_requested.connect(self.change_requested)
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

    @Slot()
    def _export(self) -> None:
        self._focus_sender()
        self.export_requested.emit()

    @Slot(QWidget, QWidget)
    def _note_focus(self, _before: QWidget | None, now: QWidget | None) -> None:
        while now is not None:
            if isinstance(now, TensorPanel) and now in self._panels:
                self._focused = now
                return
            now = now.parentWidget()


def _area(panel: TensorPanel) -> int:
    return panel.width() * panel.height()
