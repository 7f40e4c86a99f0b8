"""Small pictures of tensors: what to ask for, and how to draw the answer."""

import math

import msgspec
import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QImage, QPainter, QPixmap, QPolygonF

from hookscope.figures.axes import dim_names, usual_axes
from hookscope.figures.choice import view_kinds
from hookscope.figures.grid import compose
from hookscope.figures.levels import color_indices, is_signed
from hookscope.figures.ranges import fitted
from hookscope.gui.colormaps import lookup_table
from hookscope.gui.panels.base import fixed_font
from hookscope.gui.panels.plot_view import drawable
from hookscope.gui.panels.plots import slot_color
from hookscope.gui.panels.subject import Subject
from hookscope.gui.panels.tensor_memory import TensorMemory, key_of
from hookscope.gui.theme import Theme
from hookscope.protocol.tensors import Array
from hookscope.protocol.views import (
    Curve,
    CurveRequest,
    GridRequest,
    HeatmapRequest,
    Image,
    KernelRequest,
    Table,
    TableRequest,
    Tiles,
    ViewRequest,
    ViewResult,
)

SIZE = QSize(96, 44)
"""Of a small picture, in pixels of the window."""

_TILES, _KERNELS = 8, 32
_EDGE = 2.0
_MOST_NUMBERS = 6
"""Elements of which there is room to write the values."""

Pixels = npt.NDArray[np.float32]
Mask = npt.NDArray[np.uint8]


def thumbnail_request(subject: Subject) -> ViewRequest | None:
    """Return what to ask for; `None` when a tensor has nothing to be drawn."""
    ref, spec = subject.ref, subject.spec
    kinds = view_kinds(spec, ref.slot)
    if kinds[0] == "table" and spec.count > _MOST_NUMBERS:
        kinds = kinds[1:]
    match kinds[0]:
        case "kernels":
            return KernelRequest(max_tiles=_KERNELS)
        case "grid":
            axes = usual_axes(dim_names(ref, subject.class_name, len(spec.shape)), spec.shape, with_tiles=True)
            return GridRequest(axes, max_tiles=_TILES, max_pixels=SIZE.width() * SIZE.height())
        case "heatmap":
            return HeatmapRequest(max_side=SIZE.width())
        case "curve":
            return CurveRequest(max_points=SIZE.width())
        case "table":
            return TableRequest()
        case _:
            return None


def draw_thumbnail(
    result: ViewResult, subject: Subject, memory: TensorMemory, theme: Theme, ratio: float = 1.0
) -> QPixmap:
    """Draw an answer to `thumbnail_request`; a null picture when there is nothing to draw.

    Args:
        result: The answer.
        subject: The tensor.
        memory: Has the range and the colours that were chosen for it.
        theme: Colours.
        ratio: Device pixels to a pixel of the window.
    """
    match result:
        case Tiles():
            mosaic = compose(msgspec.structs.replace(result, columns=0), SIZE.width() / SIZE.height())
            return _colored(mosaic.pixels, mosaic.mask, (result.low, result.high), subject, memory, theme, ratio)
        case Image():
            mask = _mask(result.mask)
            pixels: Pixels = result.pixels.to_numpy().astype(np.float32, copy=False)
            return _colored(pixels, mask, (result.low, result.high), subject, memory, theme, ratio)
        case Curve():
            return _line(result, slot_color(subject.ref.slot, theme), ratio)
        case Table():
            return _numbers(result, QColor(theme.text), ratio)
        case _:
            return QPixmap()


def _colored(
    pixels: Pixels,
    mask: Mask | None,
    extent: tuple[float, float],
    subject: Subject,
    memory: TensorMemory,
    theme: Theme,
    ratio: float,
) -> QPixmap:
    key = key_of(subject)
    choice = memory.range_of(key)
    is_symmetric = choice.is_symmetric
    if is_symmetric is None:
        is_symmetric = is_signed(*extent) or subject.is_difference or subject.ref.slot.is_gradient
    levels = choice.levels or fitted(extent, is_symmetric=is_symmetric)
    table = lookup_table(theme, signed=is_symmetric, choice=memory.color_map_of(key))
    colors = np.ascontiguousarray(table[color_indices(pixels, mask, levels)])
    rows, columns = pixels.shape
    image = QImage(colors.tobytes(), columns, rows, 4 * columns, QImage.Format.Format_RGBA8888)
    room = SIZE * ratio
    is_long = max(rows, columns) > 2 * SIZE.width() / SIZE.height() * min(rows, columns)
    aspect = Qt.AspectRatioMode.IgnoreAspectRatio if is_long else Qt.AspectRatioMode.KeepAspectRatio
    is_large = rows > room.height() or columns > room.width()
    smooth = Qt.TransformationMode.SmoothTransformation if is_large else Qt.TransformationMode.FastTransformation
    scaled = image.scaled(room, aspect, smooth)
    pixmap, painter = _canvas(ratio)
    try:
        place = QRect(0, 0, round(scaled.width() / ratio), round(scaled.height() / ratio))
        place.moveTop((SIZE.height() - place.height()) // 2)
        painter.drawImage(place, scaled)
    finally:
        painter.end()
    return pixmap


def _line(curve: Curve, color: QColor, ratio: float) -> QPixmap:
    low, high = drawable(curve.low), drawable(curve.high)
    known = np.isfinite(low) & np.isfinite(high)
    if not known.any():
        return QPixmap()
    bottom, top = float(low[known].min()), float(high[known].max())
    scale = (SIZE.height() - 2 * _EDGE) / ((top - bottom) or 1.0)
    step = (SIZE.width() - 2 * _EDGE) / max(len(low) - 1, 1)
    pixmap, painter = _canvas(ratio)
    try:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(color)
        for first, last in _runs(known):
            points = [
                QPointF(_EDGE + at * step, SIZE.height() - _EDGE - (float(end[at]) - bottom) * scale)
                for at in range(first, last)
                for end in ((low, high) if curve.stride > 1 else (low,))
            ]
            if len(points) == 1:
                painter.drawEllipse(points[0], 1.0, 1.0)
            else:
                painter.drawPolyline(QPolygonF(points))
    finally:
        painter.end()
    return pixmap


def _runs(known: npt.NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return where runs of known points begin and end."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], known.astype(np.int8), [0]])))
    return [(int(first), int(last)) for first, last in edges.reshape(-1, 2)]


def _numbers(table: Table, color: QColor, ratio: float) -> QPixmap:
    """Write the values of a few elements: those of a vector one after the other, a matrix row by row."""
    texts = [[_short(text) for text in row] for row in table.cells]
    is_alone = len(texts) == len(texts[0]) == 1
    pixmap, painter = _canvas(ratio)
    try:
        painter.setFont(fixed_font(1.0 if is_alone else 0.8))
        painter.setPen(color)
        metrics = painter.fontMetrics()
        is_vector = len(table.shape) < 2
        flat = [text for row in texts for text in row]
        lines = _wrapped(flat, metrics) if is_vector else [" ".join(row) for row in texts]
        height = metrics.ascent() + metrics.descent()
        room = SIZE.height() // height
        if len(lines) > room:
            lines = [*lines[: room - 1], "…"]
        top = (SIZE.height() - len(lines) * height) // 2
        for number, line in enumerate(lines):
            elided = metrics.elidedText(line, Qt.TextElideMode.ElideRight, SIZE.width())
            painter.drawText(0, top + number * height + metrics.ascent(), elided)
    finally:
        painter.end()
    return pixmap


def _short(text: str) -> str:
    """Return an exact number with as many digits as are read at a glance, and any other text as it is."""
    try:
        value = float(text)
    except ValueError:
        return text
    if text.lstrip("-").isdigit() or not math.isfinite(value):
        return text
    return f"{value:.3g}"


def _wrapped(texts: list[str], metrics: QFontMetrics) -> list[str]:
    """Return lines that are no wider than a picture, where the texts allow it."""
    lines = texts[:1]
    for text in texts[1:]:
        longer = f"{lines[-1]} {text}"
        if metrics.horizontalAdvance(longer) <= SIZE.width():
            lines[-1] = longer
        else:
            lines.append(text)
    return lines


def _canvas(ratio: float) -> tuple[QPixmap, QPainter]:
    pixmap = QPixmap(SIZE * ratio)
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    return pixmap, QPainter(pixmap)


def _mask(mask: Array | None) -> Mask | None:
    return None if mask is None else mask.to_numpy().astype(np.uint8, copy=False)
