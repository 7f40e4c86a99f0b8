"""From options to a window on the screen, and back to an exit status."""

import sys
from collections.abc import Sequence

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication

from hookscope import __version__
from hookscope.client.start_options import StartOptions
from hookscope.gui.assets import application_icon
from hookscope.gui.error_log import ErrorLog, log_folder
from hookscope.gui.headless import HEADLESS_SIZE, HeadlessRun
from hookscope.gui.main_window import MainWindow
from hookscope.gui.session_bridge import SessionBridge
from hookscope.gui.settings import MemoryStore, Settings
from hookscope.gui.startup import StartUp
from hookscope.gui.style import ThemeSwitch
from hookscope.gui.terminal_signals import TerminalSignals


def create_application(arguments: Sequence[str]) -> QApplication:
    """Return the program's one `QApplication`, made with a name and an icon if it does not exist yet."""
    existing = QApplication.instance()
    app = existing if isinstance(existing, QApplication) else QApplication(list(arguments))
    app.setApplicationName("hookscope")
    app.setApplicationVersion(__version__)
    app.setDesktopFileName("hookscope")
    app.setWindowIcon(application_icon())
    return app


def run_window(options: StartOptions) -> int:
    """Show the window, do what the options say, and stay until it is closed.

    Returns:
        The exit status: 0, or 2 when a headless run could not do what was asked of it.
    """
    app = create_application(sys.argv[:1])
    settings = Settings(MemoryStore()) if options.headless else Settings.of_user()
    error_log = ErrorLog(log_folder(), app)
    error_log.install()
    signals = TerminalSignals(app)
    signals.received.connect(app.closeAllWindows)
    bridge = SessionBridge(app)
    theme = ThemeSwitch(app, settings)
    window = MainWindow(bridge, settings, theme)
    error_log.error_caught.connect(window.central.show_failure)
    start_up = StartUp(bridge, window, options)
    if options.headless:
        window.resize(HEADLESS_SIZE)
        run = HeadlessRun(app)
        start_up.told.connect(run.tell)
        start_up.finished.connect(run.end)
        start_up.failed.connect(run.fail)
        error_log.error_caught.connect(run.fail_internally)
    window.show()
    start_up.start()
    try:
        return app.exec()
    finally:
        # Plots that are left to the clean-up of Python or Qt can crash it, so everything is taken down here, in order.
        app.closeAllWindows()
        bridge.close()
        signals.close()
        for thing in (window, bridge, theme, signals):
            thing.deleteLater()
        app.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        error_log.uninstall()
        error_log.deleteLater()
