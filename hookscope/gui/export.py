"""Pictures out of the window: PNG with what it shows written into it, SVG, a sheet of panels, the clipboard.

All functions take what they need as arguments and must be called on the GUI thread. A file is written beside its goal
and then renamed, so a failed export never leaves half a picture.
"""

import math
import os
import platform
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import PySide6
from PySide6.QtCore import QBuffer, QCoreApplication, QIODevice, QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QGraphicsView, QWidget

import hookscope
from hookscope.gui.theme import theme_of

if TYPE_CHECKING:
    from hookscope.client.session import DebugSession
    from hookscope.gui.panels.panel import TensorPanel

MIN_SCALE, MAX_SCALE = 1, 4
_GAP = 12
"""Between the panels of a sheet, and around them, in logical pixels."""
_UNFIT_FOR_NAMES = re.compile(r"[^\w.\-]+")


class ExportError(Exception):
    """A picture could not be made or written; the text says why, in words for a person."""


def render_image(widget: QWidget, scale: int = 1) -> QImage:
    """Draw a widget with its children into an image of `scale` pixels per logical pixel.

    Raises:
        ExportError: The widget has no area.
    """
    scale = min(max(scale, MIN_SCALE), MAX_SCALE)
    size: QSize = widget.size()
    if size.isEmpty():
        raise ExportError(QCoreApplication.translate("Export", "There is nothing to draw: the panel has no size."))
    image = QImage(size * scale, QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(scale)
    image.fill(widget.palette().window().color())
    widget.render(image)
    return image


def save_png(widget: QWidget, path: Path, scale: int = 1, text: Mapping[str, str] | None = None) -> Path:
    """Write a picture of a widget.

    Args:
        widget: What to draw, usually a panel or the window.
        path: Where to; `.png` is appended when it has no suffix.
        scale: Pixels per logical pixel, 1 to 4.
        text: Names and values for the text chunks of the file, see `panel_text`.

    Returns:
        The path that was written.

    Raises:
        ExportError: The picture could not be made, or the file not be written.
    """
    return save_image(render_image(widget, scale), path, text)


def save_image(image: QImage, path: Path, text: Mapping[str, str] | None = None) -> Path:
    """Write an image as `save_png` does.

    Raises:
        ExportError: The file could not be written.
    """
    for key, value in (text or {}).items():
        image.setText(key, value)
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    if not image.save(buffer, "PNG"):  # type: ignore[call-overload]  # the stubs know only file names
        raise ExportError(QCoreApplication.translate("Export", "The picture could not be encoded as PNG."))
    return _write(path if path.suffix else path.with_suffix(".png"), bytes(buffer.data().data()))


def save_svg(drawn: QWidget, path: Path, title: str = "", text: Mapping[str, str] | None = None) -> Path:
    """Write what a plot, or any other widget, shows as vector graphics; pictures inside it stay bitmaps.

    Args:
        drawn: The plot's view, or what is to be drawn with all that is in it.
        path: Where to; `.svg` is appended when it has no suffix.
        title: Title of the document.
        text: Names and values for its description.

    Returns:
        The path that was written.

    Raises:
        ExportError: There is no area to draw, or the file could not be written.
    """
    area: QRect = drawn.viewport().rect() if isinstance(drawn, QGraphicsView) else drawn.rect()
    if area.isEmpty():
        raise ExportError(QCoreApplication.translate("Export", "There is nothing to draw: the panel has no size."))
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setResolution(drawn.logicalDpiX())  # without it the axes and the data do not line up
    generator.setSize(area.size())
    generator.setViewBox(area)
    generator.setTitle(title)
    generator.setDescription("\n".join(f"{key}: {value}" for key, value in (text or {}).items()))
    painter = QPainter(generator)
    try:
        if isinstance(drawn, QGraphicsView):
            painter.fillRect(area, drawn.backgroundBrush())
            drawn.render(painter, QRectF(area), area)
        else:
            painter.fillRect(area, drawn.palette().window())
            drawn.render(painter, QPoint())
    finally:
        painter.end()
    return _write(path if path.suffix else path.with_suffix(".svg"), bytes(buffer.data().data()))


def render_sheet(panels: "Sequence[TensorPanel]", scale: int = 1) -> QImage:
    """Draw panels beside and below each other, each under a line that says what it is.

    Raises:
        ExportError: There is none, or one has no area.
    """
    if not panels:
        raise ExportError(QCoreApplication.translate("Export", "There is no panel to be seen."))
    pictures = [render_image(panel.widget(), scale) for panel in panels]
    sizes = [picture.deviceIndependentSize().toSize() for picture in pictures]
    line = panels[0].fontMetrics().height() + _GAP // 2
    places, area = _places([QSize(size.width(), size.height() + line) for size in sizes])
    ratio = pictures[0].devicePixelRatio()
    sheet = QImage(area * ratio, QImage.Format.Format_ARGB32_Premultiplied)
    sheet.setDevicePixelRatio(ratio)
    sheet.fill(panels[0].palette().window().color())
    font = QFont(panels[0].font())
    font.setBold(True)
    painter = QPainter(sheet)
    try:
        painter.setFont(font)
        painter.setPen(QColor(theme_of(panels[0].palette()).text))
        for panel, picture, size, place in zip(panels, pictures, sizes, places, strict=True):
            title = painter.fontMetrics().elidedText(sheet_title(panel), Qt.TextElideMode.ElideRight, size.width())
            painter.drawText(QRect(place, QSize(size.width(), line)), Qt.AlignmentFlag.AlignLeft, title)
            painter.drawImage(place + QPoint(0, line), picture)
    finally:
        painter.end()
    return sheet


def _places(sizes: list[QSize]) -> tuple[list[QPoint], QSize]:
    """Put things in rows, about as many beside as below each other; return their places and what they take in all."""
    columns = math.ceil(math.sqrt(len(sizes)))
    widths = [size.width() for size in sizes]
    limit = max(math.ceil(sum(widths) / len(widths) * columns), *widths)
    places: list[QPoint] = []
    left = top = bottom = right = used = 0
    for size in sizes:
        if used and used + size.width() > limit:  # the next row
            left, used, top = 0, 0, bottom
        places.append(QPoint(left + _GAP, top + _GAP))
        left, used = left + size.width() + _GAP, used + size.width()
        right, bottom = max(right, left), max(bottom, top + size.height() + _GAP)
    return places, QSize(right + _GAP, bottom + _GAP)


def sheet_title(panel: "TensorPanel") -> str:
    """Return what stands over a panel in a sheet: module, slot, step, shape and dtype."""
    text = panel_text(panel)
    step = QCoreApplication.translate("Export", "step {step}").format(step=text["step"]) if "step" in text else ""
    module = text.get("module path", "") or text.get("model", "")
    return " · ".join(filter(None, (module, text.get("slot"), step, text.get("shape"), text.get("dtype"))))


def copy_picture(widget: QWidget, scale: int = 1) -> None:
    """Put a picture of a widget on the clipboard.

    Raises:
        ExportError: The widget has no area.
    """
    QGuiApplication.clipboard().setImage(render_image(widget, scale))


def suggest_name(text: Mapping[str, str], suffix: str = ".png") -> str:
    """Return `model_module_step_slot.png` of what `panel_text` or `window_text` said, safe on every file system."""
    parts = [text.get("model", ""), text.get("module path", ""), text.get("step", ""), text.get("slot", "")]
    if parts[2]:
        parts[2] = f"step{parts[2]}"
    stem = "_".join(filter(None, (_UNFIT_FOR_NAMES.sub("-", part).strip("-.") for part in parts)))
    return (stem or "hookscope") + suffix


def window_text(session: "DebugSession") -> dict[str, str]:
    """Return what a picture of the whole window should say about itself: the model, the step and the versions."""
    text = {"model": session.workload.title} if session.workload is not None else {}
    if session.records.step:
        text["step"] = str(session.records.step)
    text |= {"hookscope": hookscope.__version__, "PySide6": PySide6.__version__, "python": platform.python_version()}
    if session.hello is not None:
        text |= {"torch": session.hello.torch, "python": session.hello.python}
    return text


def panel_text(panel: "TensorPanel") -> dict[str, str]:
    """Return what a picture of a panel should say: as `window_text`, and which tensor it shows."""
    text = window_text(panel.session)
    if panel.ref is not None:
        text |= {"module path": panel.ref.path, "slot": panel.slot_text, "call": str(panel.ref.call)}
    if panel.shown_step:
        text["step"] = str(panel.shown_step)
        if panel.shown_minus is not None:
            text["step"] += f" minus {panel.shown_minus}"
    if panel.spec is not None:
        text |= {"shape": str(panel.spec.shape), "dtype": panel.spec.dtype, "device": panel.spec.device}
    return text


def _write(path: Path, data: bytes) -> Path:
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        try:
            part.write_bytes(data)
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        text = QCoreApplication.translate("Export", "{path} could not be written: {reason}")
        raise ExportError(text.format(path=path, reason=error.strerror or error)) from error
    return path
