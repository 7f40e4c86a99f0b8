"""Icons, named by meaning and tinted by the theme.

The glyphs are the codicons that qtawesome ships. Its font is read without importing qtawesome, which would load every
class of Qt first and take longer than the rest of the start.
"""

import json
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontDatabase,
    QGuiApplication,
    QIcon,
    QIconEngine,
    QPainter,
    QPixmap,
    QPixmapCache,
)

from hookscope.gui.theme import theme_of
from hookscope.protocol.resources import resource_path

_GLYPH_SHARE = 0.94
"""Height of a glyph in its square."""
_FADED_ALPHA = 0.55


def icon(name: str, color: str | None = None) -> QIcon:
    """Return a codicon.

    Args:
        name: Its qtawesome name, for example `msc.debug-start`.
        color: `#rrggbb`; the theme's text by default. Disabled, every icon is the theme's quiet text, half transparent.

    Raises:
        KeyError: There is no such codicon.
    """
    theme = theme_of(QGuiApplication.palette())
    faded = QColor(theme.quiet)
    faded.setAlphaF(_FADED_ALPHA)
    glyph = _codicons()[name.removeprefix("msc.")]
    return QIcon(_GlyphEngine(glyph, QColor(color or theme.text), faded))


def application_icon() -> QIcon:
    """Return the icon of the program."""
    return QIcon(str(resource_path("icons/hookscope.svg")))


class _GlyphEngine(QIconEngine):
    """Draws one glyph of the icon font at whatever size is asked for."""

    def __init__(self, glyph: str, color: QColor, faded: QColor) -> None:
        super().__init__()
        self._glyph = glyph
        self._color = color
        self._faded = faded

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:  # noqa: ARG002
        """Draw into a rectangle."""
        painter.save()
        _draw(painter, rect, self._glyph, self._color_in(mode))
        painter.restore()

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        """Return a picture of its own; Qt asks for one whenever a button or a row is painted.

        It does so for buttons that have been squeezed to nothing too.
        """
        del state
        if size.isEmpty():
            return QPixmap()
        color = self._color_in(mode)
        return _pixmap(self._glyph, color.rgba(), size.width(), size.height())

    def _color_in(self, mode: QIcon.Mode) -> QColor:
        return self._faded if mode is QIcon.Mode.Disabled else self._color

    def clone(self) -> QIconEngine:
        """Return a copy, as Qt asks for before it changes an icon."""
        return _GlyphEngine(self._glyph, self._color, self._faded)


def _draw(painter: QPainter, rect: QRect, glyph: str, color: QColor) -> None:
    font = QFont(_font_family())
    font.setPixelSize(max(1, round(min(rect.width(), rect.height()) * _GLYPH_SHARE)))
    painter.setFont(font)
    painter.setPen(color)
    painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, glyph)


def _pixmap(glyph: str, rgba: int, width: int, height: int) -> QPixmap:
    """Draw a glyph once for each colour and size: laying text out takes far longer than copying a picture."""
    key = f"codicon {glyph} {rgba} {width} {height}"
    pixmap = QPixmap(width, height)
    if QPixmapCache.find(key, pixmap):
        return pixmap
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    try:
        _draw(painter, QRect(0, 0, width, height), glyph, QColor.fromRgba(rgba))
    finally:
        painter.end()
    QPixmapCache.insert(key, pixmap)
    return pixmap


def _fonts() -> Path:
    spec = find_spec("qtawesome")
    if spec is None or spec.origin is None:
        raise FileNotFoundError("qtawesome is not installed; it has the icons")
    return Path(spec.origin).parent / "fonts"


@cache
def _codicons() -> dict[str, str]:
    """Return the glyphs by their names."""
    codes = json.loads(next(_fonts().glob("codicon-charmap-*.json")).read_text(encoding="utf-8"))
    return {name: chr(int(code, 16)) for name, code in codes.items()}


@cache
def _font_family() -> str:
    """Load the font once; needs the application."""
    file = next(_fonts().glob("codicon-*.ttf"))
    return QFontDatabase.applicationFontFamilies(QFontDatabase.addApplicationFont(str(file)))[0]
