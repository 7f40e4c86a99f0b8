"""Colours: one table, read by Qt and by pyqtgraph alike."""

from dataclasses import dataclass

from PySide6.QtGui import QPalette


@dataclass(frozen=True)
class Theme:
    """One set of colours, as `#rrggbb`."""

    name: str
    window: str
    panel: str
    raised: str
    line: str
    text: str
    quiet: str
    accent: str
    on_accent: str
    forward: str
    backward: str
    at_hand: str
    trouble: str
    good: str
    selection: str


DARK = Theme(
    name="dark",
    window="#1e2127",
    panel="#23272e",
    raised="#2b3038",
    line="#363c46",
    text="#d7dae0",
    quiet="#8b929e",
    accent="#4aa8ff",
    on_accent="#10151c",
    forward="#4aa8ff",
    backward="#f29e4c",
    at_hand="#f0b429",
    trouble="#ff6b81",
    good="#5fc98f",
    selection="#2f4a66",
)
LIGHT = Theme(
    name="light",
    window="#f5f6f8",
    panel="#ffffff",
    raised="#eceef2",
    line="#d5d9e0",
    text="#22262d",
    quiet="#68707e",
    accent="#0b6bcb",
    on_accent="#ffffff",
    forward="#0b6bcb",
    backward="#b35a00",
    at_hand="#9a6700",
    trouble="#c62f45",
    good="#1a7f4b",
    selection="#cfe4fa",
)


def theme_of(palette: QPalette) -> Theme:
    """Return the theme that a palette was made of; widgets call it again on `QEvent.PaletteChange`."""
    return DARK if palette.window().color().lightnessF() < 0.5 else LIGHT
