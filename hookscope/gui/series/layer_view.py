"""The list of layers: its bars, the axis above them, and the keys."""

from PySide6.QtCore import QModelIndex, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeView,
    QWidget,
)

from hookscope.figures.gradient_flow import FlowRow, Verdict
from hookscope.gui.cells import row_height
from hookscope.gui.series.layer_model import AnyIndex, Column, LayerModel
from hookscope.gui.theme import Theme, theme_of

_WIDTHS = {Column.LAYER: 30, Column.VALUE: 11, Column.MARK: 4, Column.VERDICT: 24}
"""In characters; the bars have the rest."""
_LEAST_ROWS = 2
_BAR_HEIGHT = 0.42
_MARK_SIZE = 0.6
"""In heights of the font."""


class LayerView(QTreeView):
    """Shows a `LayerModel`.

    Signals:
        layer_chosen: A person went to a layer; its module (`str`).
    """

    layer_chosen = Signal(str)

    def __init__(self, model: LayerModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._is_marking = False
        self.setHeader(_AxisHeader(model, self))
        self.setModel(model)
        self.setItemDelegate(_LayerDelegate(model, self))
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setAllColumnsShowFocus(True)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setAccessibleName(self.tr("Layers side by side"))
        header, character = self.header(), self.fontMetrics().averageCharWidth()
        header.setSectionsMovable(False)
        header.setStretchLastSection(False)
        for column, characters in _WIDTHS.items():
            header.resizeSection(column, characters * character)
        header.setSectionResizeMode(Column.BAR, QHeaderView.ResizeMode.Stretch)
        self.clicked.connect(self._choose)

    def mark(self, row: int) -> None:
        """Select the row of what the window looks at, or none with -1."""
        if row == self.currentIndex().row():
            return
        self._is_marking = True
        try:
            self.setCurrentIndex(self._model.index(row, 0) if row >= 0 else QModelIndex())
        finally:
            self._is_marking = False

    def currentChanged(self, current: AnyIndex, previous: AnyIndex) -> None:
        """Tell which layer a person went to."""
        super().currentChanged(current, previous)
        self._choose(current)

    def sizeHint(self) -> QSize:
        """Return room for a few rows."""
        return QSize(super().sizeHint().width(), self.fontMetrics().lineSpacing() * 8)

    def minimumSizeHint(self) -> QSize:
        """Return room for the axis and two rows."""
        rows = _LEAST_ROWS * row_height(self.fontMetrics())
        return QSize(super().minimumSizeHint().width(), self.header().sizeHint().height() + rows)

    def _choose(self, index: AnyIndex) -> None:
        if index.isValid() and not self._is_marking:
            self.layer_chosen.emit(self._model.flow.rows[index.row()].path)


class _AxisHeader(QHeaderView):
    """Has the powers of ten over the bars."""

    def __init__(self, model: LayerModel, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._layers = model
        self.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)

    def paintSection(self, painter: QPainter, rect: QRect, section: int) -> None:
        """Draw a title, or the axis."""
        painter.save()
        super().paintSection(painter, rect, section)
        painter.restore()
        flow = self._layers.flow
        if section != Column.BAR or flow.median is None:
            return
        area, metrics = _bar_area(rect, self.fontMetrics().averageCharWidth()), self.fontMetrics()
        painter.save()
        painter.setPen(QColor(theme_of(self.palette()).quiet))
        for power in flow.ticks():
            text = "1" if power == 0 else f"1e{power}"
            width = metrics.horizontalAdvance(text)
            x = area.left() + flow.share(10.0**power) * area.width() - width / 2
            place = QRectF(min(max(x, rect.left()), rect.right() - width), rect.top(), width + 1, rect.height())
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter, text)
        painter.restore()


class _LayerDelegate(QStyledItemDelegate):
    """Draws the bars, and a shape before the word for what stands out."""

    def __init__(self, model: LayerModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._layers = model

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        """Draw a cell."""
        row, theme = self._layers.flow.rows[index.row()], theme_of(option.palette)
        super().paint(painter, option, index)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if index.column() == Column.BAR:
            self._paint_bar(painter, option, row, theme)
        elif index.column() == Column.MARK:
            draw_mark(painter, row, QRectF(option.rect).center(), _MARK_SIZE * option.fontMetrics.height(), theme)
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        """Leave room between rows."""
        size = super().sizeHint(option, index)
        return QSize(size.width(), max(size.height(), row_height(option.fontMetrics)))

    def _paint_bar(self, painter: QPainter, option: QStyleOptionViewItem, row: FlowRow, theme: Theme) -> None:
        flow = self._layers.flow
        area = _bar_area(option.rect, option.fontMetrics.averageCharWidth())
        painter.setPen(QPen(QColor(theme.line), 1))
        for power in flow.ticks() if flow.median is not None else ():
            x = area.left() + flow.share(10.0**power) * area.width()
            painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
        if row.value:
            height = _BAR_HEIGHT * option.fontMetrics.height()
            length = flow.share(row.value) * area.width()
            bar = QRectF(area.left(), area.center().y() - height / 2, max(length, 2.0), height)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(theme.backward if self._layers.measure.is_gradient else theme.forward))
            painter.drawRoundedRect(bar, 2, 2)
        if flow.median is not None:
            x = area.left() + flow.share(flow.median) * area.width()
            painter.setPen(QPen(QColor(theme.quiet), 1, Qt.PenStyle.DashLine))
            painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))


def _bar_area(rect: QRect, margin: int) -> QRectF:
    return QRectF(rect).adjusted(margin, 0, -2 * margin, 0)


def draw_mark(painter: QPainter, row: FlowRow, center: QPointF, size: float, theme: Theme) -> None:
    """Draw the shape of what stands out of a layer; nothing when nothing does.

    A cross is NaN or infinite, a filled triangle upwards exploding, a hollow one downwards vanishing, a circle zero, a
    broken line what no gradient reached.
    """
    half = size / 2
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if row.non_finite:
        painter.setPen(QPen(QColor(theme.trouble), 2))
        for sign in (-1, 1):
            painter.drawLine(center + QPointF(-half, -sign * half) * 0.8, center + QPointF(half, sign * half) * 0.8)
    elif row.verdict is Verdict.EXPLODING:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.trouble))
        painter.drawPolygon(_triangle(center, half, up=True))
    elif row.verdict is Verdict.VANISHING:
        painter.setPen(QPen(QColor(theme.at_hand), 1.5))
        painter.drawPolygon(_triangle(center, half, up=False))
    elif row.verdict is Verdict.ZERO:
        painter.setPen(QPen(QColor(theme.quiet), 1.5))
        painter.drawEllipse(center, 0.8 * half, 0.8 * half)
    elif row.verdict is Verdict.UNREACHED:
        painter.setPen(QPen(QColor(theme.at_hand), 2))
        for sign in (-1, 1):
            painter.drawLine(center + QPointF(sign * half, 0), center + QPointF(sign * half * 0.4, 0))


def _triangle(center: QPointF, half: float, *, up: bool) -> QPolygonF:
    tip = -half if up else half
    return QPolygonF([center + QPointF(0, tip), center + QPointF(-half, -tip), center + QPointF(half, -tip)])
