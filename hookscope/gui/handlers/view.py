"""What the View menu does: panels, docks, theme, full screen."""

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMainWindow

from hookscope.gui.action_rows import MenuEntry
from hookscope.gui.dock_layout import DockLayout
from hookscope.gui.settings import ThemeChoice
from hookscope.gui.style import ThemeSwitch


class ViewHandlers(QObject):
    """Changes what the window shows, never what the model does.

    Args:
        window: The main window.
        docks: The docks of the window.
        theme: Switches the theme of the program.

    Signals:
        panel_requested: Another panel is wanted, of this kind.
        reset_requested: The panels of the start are wanted; the docks are back already.
    """

    panel_requested = Signal(str)
    reset_requested = Signal()

    def __init__(self, window: QMainWindow, docks: DockLayout, theme: ThemeSwitch) -> None:
        super().__init__(window)
        self._window = window
        self._docks = docks
        self._theme = theme

    def panel_entries(self) -> list[QAction | MenuEntry]:
        """Return the kinds of panel as entries of a menu, with lines between those that belong together."""
        from hookscope.gui.panels.registry import PANEL_KINDS, kind_title, starts_group  # noqa: PLC0415 - loads pyqtgraph

        entries: list[QAction | MenuEntry] = []
        for key, kind in PANEL_KINDS.items():
            if starts_group(key):
                entries.append(self._line())
            entries.append(MenuEntry(kind_title(key), key, kind.icon))
        return entries

    def add_panel(self, kind: object) -> None:
        """Add a panel of a kind."""
        self.panel_requested.emit(str(kind))

    def dock_entries(self) -> list[QAction | MenuEntry]:
        """Return what shows and hides each dock, and what floats it (which dragging cannot do everywhere)."""
        docks = self._docks.docks
        floats = [
            MenuEntry(text.format(title=dock.windowTitle()), dock.objectName(), "msc.link-external")
            for dock in docks
            for text in (self.tr("Dock {title}") if dock.isFloating() else self.tr("Float {title}"),)
        ]
        return [*(dock.toggleViewAction() for dock in docks), *floats]

    def float_dock(self, name: object) -> None:
        """Take a dock out of the window, or put it back."""
        dock = next(dock for dock in self._docks.docks if dock.objectName() == name)
        dock.setFloating(not dock.isFloating())
        dock.show()

    def _line(self) -> QAction:
        line = QAction(self)
        line.setSeparator(True)
        return line

    @Slot()
    def reset_layout(self) -> None:
        """Go back to the layout of the start."""
        self._docks.reset()
        self.reset_requested.emit()

    @Slot()
    def use_system_theme(self) -> None:
        """Follow the desktop."""
        self._theme.choose(ThemeChoice.SYSTEM)

    @Slot()
    def use_dark_theme(self) -> None:
        """Be dark."""
        self._theme.choose(ThemeChoice.DARK)

    @Slot()
    def use_light_theme(self) -> None:
        """Be light."""
        self._theme.choose(ThemeChoice.LIGHT)

    @Slot(bool)
    def set_full_screen(self, wanted: bool) -> None:
        """Use the whole screen, or go back to what was before."""
        state = self._window.windowState()
        full = Qt.WindowState.WindowFullScreen
        self._window.setWindowState(state | full if wanted else state & ~full)

    @Slot()
    def quit(self) -> None:
        """Close the window, which ends the program."""
        self._window.close()
