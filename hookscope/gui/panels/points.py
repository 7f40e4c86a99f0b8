"""Points in a plane: the values of two tensors against each other, or the entries of a dim by their main directions."""

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Slot
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

from hookscope.figures.levels import auto_levels
from hookscope.figures.text import format_number
from hookscope.gui.panels.choice_row import ChoiceRow, set_rank
from hookscope.gui.panels.plot_view import PlotView, drawable, with_margin
from hookscope.gui.panels.plots import faded
from hookscope.gui.panels.subject import Subject
from hookscope.gui.theme import Theme
from hookscope.protocol.events import ViewReady
from hookscope.protocol.views import EmbeddingRequest, Points, ScatterRequest, ViewRequest

_POINT_SIZE, _LARGE_POINT_SIZE = 5, 9
_FEW = 200
_REACH = 0.02
"""A point is under the pointer within this share of what is in sight."""
_ALPHA = 0.6
_MOST_POINTS = 8_000
"""More of them are one cloud to the eye, and slow to draw."""


class PointsView(PlotView):
    """A cloud of points; the one under the pointer is named."""

    def add_items(self) -> None:
        """Put the cloud into the plot."""
        self._result: Points | None = None
        self._area = QRectF(0, 0, 1, 1)
        self._cloud = pg.ScatterPlotItem(size=_POINT_SIZE, pen=None)
        self.plot_widget.addItem(self._cloud)

    def make_controls(self) -> QWidget:
        """Return what can be chosen."""
        self.row = ChoiceRow()
        self._add_choices()
        self.row.add_stretch()
        self.row.chosen.connect(self._choose)
        return self.row

    def draw_result(self, answer: ViewReady) -> None:
        """Draw `Points`."""
        points = answer.result
        assert isinstance(points, Points)
        self._result = points
        x, y = drawable(points.x), drawable(points.y)
        self._cloud.setSize(_POINT_SIZE if len(x) > _FEW else _LARGE_POINT_SIZE)
        self._cloud.setData(x, y)
        across = auto_levels(float(x.min()), float(x.max())) if len(x) else (0.0, 1.0)
        up = auto_levels(float(y.min()), float(y.max())) if len(y) else (0.0, 1.0)
        self._area = with_margin(*across, *up)
        self.zoom.fit(self._area)

    def remarks(self) -> str:
        """Say how many points there are, and what was left out."""
        if self._result is None:
            return ""
        points = self._result
        texts = [self.tr("{count} points").format(count=f"{len(points.places.to_numpy()):,}")]
        if points.stride > 1:
            stride, count = f"{points.stride:,}", f"{points.count:,}"
            texts.append(self.tr("every {stride}th of {count}").format(stride=stride, count=count))
        if points.non_finite:
            texts.append(self.tr("{count} not finite").format(count=f"{points.non_finite:,}"))
        return " · ".join(texts)

    def color_items(self, color: QColor, theme: Theme) -> None:
        """Draw the points in the colour of their slot."""
        del theme
        self._cloud.setBrush(faded(color, _ALPHA))

    def text_at(self, point: QPointF) -> str:
        """Return the nearest point, if one is near."""
        if self._result is None or not self._result.places.shape[0]:
            return ""
        x, y, places = (getattr(self._result, name).to_numpy() for name in ("x", "y", "places"))
        away = np.hypot((x - point.x()) / self._area.width(), (y - point.y()) / self._area.height())
        nearest = int(np.argmin(away))
        if away[nearest] >= _REACH:
            return ""
        return self._text_of(int(places[nearest]), float(x[nearest]), float(y[nearest]))

    def _add_choices(self) -> None:
        """Add what can be chosen."""
        raise NotImplementedError

    @Slot()
    def _choose(self) -> None:
        self.zoom.start_over()
        self.request_changed.emit()

    def _text_of(self, place: int, x: float, y: float) -> str:
        points = self._result
        assert points is not None
        index = [place] if points.dim is not None else [int(at) for at in np.unravel_index(place, points.shape)]
        return f"{index}: {format_number(x)}, {format_number(y)}"


class ScatterView(PointsView):
    """The tensor to the right, another one of the same module up."""

    def aim(self, subject: Subject) -> None:
        """Offer the tensors that can be set against this one; without any it is set against itself."""
        super().aim(subject)
        offered = subject.others or (subject.ref,)
        if self.other.offer(offered, subject.ref):
            self.zoom.start_over()

    def request(self) -> ViewRequest:
        """Ask for the pairs."""
        other = self.other.ref
        assert other is not None
        return ScatterRequest(other, max_points=_MOST_POINTS)

    def summary(self) -> str:
        """Return the picture in words."""
        if self._result is None:
            return ""
        return self.tr("against {other}: {remarks}").format(other=self.other.currentText(), remarks=self.remarks())

    def _add_choices(self) -> None:
        tip = self.tr("The tensor whose values are drawn upwards; those of this one are drawn to the right")
        self.other = self.row.add_tensors(self.tr("against"), tip)


class EmbeddingView(PointsView):
    """The entries of a dim in the plane in which they differ most."""

    def aim(self, subject: Subject) -> None:
        """Begin with the first dim: samples, or a weight's outputs."""
        rank = len(subject.spec.shape)
        set_rank(self.dim, rank, 0 if subject.ref != self._ref else min(self.dim.value(), rank - 1))
        super().aim(subject)

    def request(self) -> ViewRequest:
        """Ask for the chosen dim's entries."""
        return EmbeddingRequest(dim=self.dim.value())

    def remarks(self) -> str:
        """Say also how much of the variance is seen."""
        base = super().remarks()
        if self._result is None or self._result.explained is None:
            return base
        first, second = (f"{share:.0%}" for share in self._result.explained)
        return f"{base} · {self.tr('{first} and {second} of the variance').format(first=first, second=second)}"

    def _add_choices(self) -> None:
        self.dim = self.row.add_number(self.tr("points are dim"), self.tr("The dim with a point for each entry"))
