"""The look of the whole program: Fusion with our palette, and a small style sheet on top."""

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication

from hookscope.gui.cells import box_palette
from hookscope.gui.settings import Settings, ThemeChoice
from hookscope.gui.theme import DARK, LIGHT, Theme
from hookscope.protocol.resources import resource_path

_SHEET = """
QMainWindow, QDialog {{ background: {window}; }}
QMainWindow::separator {{ background: {window}; width: 6px; height: 6px; }}
QMainWindow::separator:hover {{ background: {line}; }}
QSplitter::handle {{ background: {window}; }}
QSplitter::handle:hover {{ background: {line}; }}
QToolTip {{ background: {raised}; color: {text}; border: 1px solid {line}; padding: 4px; }}

QMenuBar {{ background: {window}; padding: 2px 4px; }}
QMenuBar::item {{ background: transparent; padding: 4px 8px; border-radius: 4px; }}
QMenuBar::item:selected {{ background: {raised}; }}
QMenu {{ background: {panel}; border: 1px solid {line}; padding: 4px; }}
QMenu::item {{ padding: 5px 24px 5px 8px; border-radius: 4px; }}
QMenu::item:selected {{ background: {selection}; }}
QMenu::item:disabled {{ color: {quiet}; }}
QMenu::separator {{ background: {line}; height: 1px; margin: 4px 6px; }}
QMenu::icon {{ padding-left: 6px; }}

QToolBar {{ background: {window}; border: none; border-bottom: 1px solid {line}; padding: 5px 6px; spacing: 3px; }}
QToolBar::separator {{ background: {line}; width: 1px; margin: 5px 5px; }}
QToolButton {{ border: none; border-radius: 4px; padding: 5px 8px; }}
QToolButton:hover {{ background: {raised}; }}
QToolButton:pressed, QToolButton:checked {{ background: {selection}; }}
QToolButton:disabled {{ color: {faded}; }}
QToolButton:focus {{ outline: none; border: 1px solid {accent}; padding: 4px 7px; }}
QToolButton::menu-indicator {{ image: none; }}

QPushButton {{ background: {raised}; border: 1px solid {line}; border-radius: 4px; padding: 5px 12px; }}
QPushButton:hover {{ border-color: {quiet}; }}
QPushButton:pressed {{ background: {selection}; }}
QPushButton:focus {{ border-color: {accent}; }}
QPushButton:disabled {{ color: {faded}; }}
QPushButton:flat {{ background: transparent; border-color: transparent; }}
QPushButton:flat:hover {{ background: {raised}; }}
QPushButton:flat:focus {{ border-color: {accent}; }}

*[primary="true"] {{ background: {accent}; color: {on_accent}; border: 1px solid {accent}; border-radius: 4px;
    padding: 4px 14px; font-weight: 600; }}
*[primary="true"]:hover {{ background: {accent_hover}; border-color: {accent_hover}; }}
*[primary="true"]:pressed {{ background: {accent_pressed}; }}
*[primary="true"]:focus {{ border-color: {text}; padding: 4px 14px; }}
*[primary="true"]:disabled {{ background: {raised}; color: {faded}; border-color: {raised}; }}

QLineEdit, QComboBox, QAbstractSpinBox {{ background: {panel}; border: 1px solid {line}; border-radius: 4px;
    padding: 4px 7px; selection-background-color: {selection}; selection-color: {text}; }}
QAbstractSpinBox QLineEdit {{ background: transparent; border: none; padding: 0 0 0 4px; }}
QLineEdit:focus, QComboBox:focus, QAbstractSpinBox:focus {{ border-color: {accent}; }}
QLineEdit:disabled, QComboBox:disabled, QAbstractSpinBox:disabled {{ color: {faded}; }}
QComboBox::drop-down {{ border: none; width: 20px; }}
QComboBox::down-arrow {{ image: url("{icons}/chevron-down.svg"); width: 12px; height: 12px; }}
QComboBox QAbstractItemView {{ background: {panel}; border: 1px solid {line}; outline: none; padding: 2px;
    selection-background-color: {selection}; selection-color: {text}; }}
QAbstractSpinBox::up-button {{ subcontrol-position: top right; width: 18px; border: none; }}
QAbstractSpinBox::down-button {{ subcontrol-position: bottom right; width: 18px; border: none; }}
QAbstractSpinBox::up-arrow {{ image: url("{icons}/chevron-up.svg"); width: 10px; height: 10px; }}
QAbstractSpinBox::down-arrow {{ image: url("{icons}/chevron-down.svg"); width: 10px; height: 10px; }}

QTreeView, QTableView, QListView, QPlainTextEdit, QTextEdit {{ background: {panel}; border: none;
    selection-background-color: {selection}; selection-color: {text}; }}
QListView::item {{ padding: 3px 4px; }}
QHeaderView::section {{ background: {panel}; color: {quiet}; border: none; border-bottom: 1px solid {line};
    padding: 4px 6px; }}
QTableCornerButton::section {{ background: {panel}; border: none; }}

QDockWidget {{ color: {quiet}; }}
QDockWidget::title {{ background: {window}; padding: 6px 8px; }}
QTabWidget::pane {{ border: none; }}
QTabBar {{ background: transparent; }}
QTabBar::tab {{ color: {quiet}; background: transparent; padding: 6px 12px; border: none;
    border-bottom: 2px solid transparent; }}
QTabBar::tab:hover {{ color: {text}; }}
QTabBar::tab:selected {{ color: {text}; border-bottom-color: {accent}; }}
QTabBar::tab:focus {{ color: {accent}; }}

QScrollBar {{ background: transparent; border: none; }}
QScrollBar:vertical {{ width: 11px; }}
QScrollBar:horizontal {{ height: 11px; }}
QScrollBar::handle {{ background: {line}; border-radius: 3px; margin: 2px; }}
QScrollBar::handle:vertical {{ min-height: 24px; }}
QScrollBar::handle:horizontal {{ min-width: 24px; }}
QScrollBar::handle:hover {{ background: {quiet}; }}
QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}

QStatusBar {{ background: {window}; border-top: 1px solid {line}; }}
QStatusBar::item {{ border: none; }}
QProgressBar {{ background: {raised}; border: none; border-radius: 3px; max-height: 6px; }}
QProgressBar::chunk {{ background: {accent}; border-radius: 3px; }}

*[quiet="true"] {{ color: {quiet}; }}
*[trouble="true"] {{ color: {trouble}; }}
*[card="true"] {{ background: {panel}; border: 1px solid {line}; border-radius: 6px; }}
QPushButton[card="true"] {{ text-align: left; padding: 10px 14px; }}
QPushButton[card="true"]:hover, QPushButton[card="true"]:focus {{ border-color: {accent}; }}
#failure_card QScrollArea, #failure_card QScrollArea > QWidget > QWidget {{ background: transparent; }}
#failure_card {{ background: {panel}; border: 1px solid {line}; border-left: 3px solid {trouble}; border-radius: 4px; }}
#origin_card {{ background: {panel}; border: 1px solid {line}; border-left: 3px solid {good}; border-radius: 4px; }}
#origin_card[found="true"] {{ border-left-color: {trouble}; }}
#notice {{ background: {panel}; border: 1px solid {line}; border-left: 3px solid {at_hand}; border-radius: 4px; }}
#trial_ribbon {{ background: {panel}; border: 1px solid {line}; border-left: 3px solid {at_hand}; border-radius: 4px; }}
#proof_strip {{ background: {panel}; border: 1px solid {line}; border-left: 3px solid {good}; border-radius: 4px; }}
#proof_strip[found="true"] {{ border-left-color: {trouble}; }}
#toast {{ background: {raised}; border: 1px solid {line}; border-radius: 6px; }}
"""


def palette_of(theme: Theme) -> QPalette:
    """Return the palette that `theme_of` reads back."""
    palette = QPalette()
    for role, color in (
        (QPalette.ColorRole.Window, theme.window),
        (QPalette.ColorRole.WindowText, theme.text),
        (QPalette.ColorRole.Base, theme.panel),
        (QPalette.ColorRole.AlternateBase, theme.raised),
        (QPalette.ColorRole.Text, theme.text),
        (QPalette.ColorRole.PlaceholderText, theme.quiet),
        (QPalette.ColorRole.Button, theme.raised),
        (QPalette.ColorRole.ButtonText, theme.text),
        (QPalette.ColorRole.BrightText, theme.trouble),
        (QPalette.ColorRole.ToolTipBase, theme.raised),
        (QPalette.ColorRole.ToolTipText, theme.text),
        (QPalette.ColorRole.Highlight, theme.selection),
        (QPalette.ColorRole.HighlightedText, theme.text),
        (QPalette.ColorRole.Accent, theme.accent),
        (QPalette.ColorRole.Link, theme.accent),
        (QPalette.ColorRole.LinkVisited, theme.accent),
        (QPalette.ColorRole.Light, theme.raised),
        (QPalette.ColorRole.Midlight, theme.raised),
        (QPalette.ColorRole.Mid, theme.line),
        (QPalette.ColorRole.Dark, theme.line),
        (QPalette.ColorRole.Shadow, theme.line),
    ):
        palette.setColor(role, QColor(color))
    for role in (QPalette.ColorRole.WindowText, QPalette.ColorRole.Text, QPalette.ColorRole.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, role, QColor(_mixed(theme.quiet, theme.window, 0.6)))
    return palette


def style_sheet(theme: Theme) -> str:
    """Return the style sheet of a theme."""
    return _SHEET.format(
        window=theme.window,
        panel=theme.panel,
        raised=theme.raised,
        line=theme.line,
        text=theme.text,
        quiet=theme.quiet,
        accent=theme.accent,
        trouble=theme.trouble,
        at_hand=theme.at_hand,
        good=theme.good,
        selection=theme.selection,
        faded=_mixed(theme.quiet, theme.window, 0.6),
        on_accent=theme.on_accent,
        accent_hover=_mixed(theme.accent, theme.text, 0.88),
        accent_pressed=_mixed(theme.accent, theme.window, 0.85),
        icons=resource_path("icons").as_posix(),
    )


def apply_theme(app: QApplication, theme: Theme) -> None:
    """Give the whole program a theme; widgets that draw for themselves follow on `QEvent.PaletteChange`."""
    palette = palette_of(theme)
    app.setPalette(palette)
    app.setPalette(box_palette(palette, theme), "QCheckBox")  # type: ignore[arg-type]  # the stubs ask for bytes, which Qt refuses
    app.setStyleSheet(style_sheet(theme))


class ThemeSwitch(QObject):
    """Applies the chosen theme, and follows the desktop while `SYSTEM` is chosen.

    Args:
        app: The program.
        settings: Where the choice is remembered.

    Signals:
        chosen: Another choice was made.
    """

    chosen = Signal()

    def __init__(self, app: QApplication, settings: Settings) -> None:
        super().__init__(app)
        self._app = app
        self._settings = settings
        app.setStyle("Fusion")
        app.styleHints().colorSchemeChanged.connect(self._apply)
        self._apply()

    @property
    def choice(self) -> ThemeChoice:
        """What was chosen."""
        return self._settings.theme

    def choose(self, choice: ThemeChoice) -> None:
        """Apply a choice and remember it."""
        self._settings.theme = choice
        self._apply()
        self.chosen.emit()

    @Slot()
    def _apply(self) -> None:
        apply_theme(self._app, self._theme())

    def _theme(self) -> Theme:
        match self.choice:
            case ThemeChoice.DARK:
                return DARK
            case ThemeChoice.LIGHT:
                return LIGHT
            case ThemeChoice.SYSTEM:
                is_light = self._app.styleHints().colorScheme() == Qt.ColorScheme.Light
                return LIGHT if is_light else DARK


def _mixed(one: str, other: str, share: float) -> str:
    """Return `share` of one colour and the rest of the other."""
    first, second = QColor(one), QColor(other)
    parts = ((first.red(), second.red()), (first.green(), second.green()), (first.blue(), second.blue()))
    red, green, blue = (round(share * a + (1 - share) * b) for a, b in parts)
    return QColor(red, green, blue).name()
