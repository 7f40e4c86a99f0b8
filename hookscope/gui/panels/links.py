"""Panels that are linked: what is chosen in one of them is chosen in all of them."""

from PySide6.QtCore import QObject, QRectF, Slot

from hookscope.figures.ranges import RangeChoice
from hookscope.gui.panels.base import TensorView
from hookscope.gui.panels.cosine import CosineView
from hookscope.gui.panels.dims_bar import DimsBar
from hookscope.gui.panels.grid import GridView
from hookscope.gui.panels.heatmap import HeatmapView
from hookscope.gui.panels.image_view import ImageView
from hookscope.gui.panels.mosaic_view import MosaicView
from hookscope.gui.panels.panel import TensorPanel
from hookscope.gui.panels.picture_view import PictureView
from hookscope.gui.panels.rgb import RgbView
from hookscope.gui.panels.subject import Subject
from hookscope.gui.panels.table import TableView
from hookscope.gui.panels.tensor_memory import TensorKey, TensorMemory, key_of

_WITH_DIMS = (HeatmapView, GridView, RgbView, CosineView, TableView)


class PanelLinks(QObject):
    """Passes on the part that is looked at, the dims and entries, and the range.

    Tiles stand in rows of one length in all of them, so that a part is of the same tiles everywhere.

    Args:
        memory: Where the ranges are.
        parent: Qt parent.
    """

    def __init__(self, memory: TensorMemory, parent: QObject) -> None:
        super().__init__(parent)
        self._memory = memory
        self._linked: list[TensorPanel] = []
        self._mosaics: list[MosaicView] = []
        self._is_passing = False
        memory.range_changed.connect(self._pass_range)

    @property
    def linked(self) -> tuple[TensorPanel, ...]:
        """The linked panels."""
        return tuple(self._linked)

    def set_linked(self, panel: TensorPanel, is_linked: bool) -> None:
        """Link a panel with those that are linked already, whose choices it takes; or let it go alone."""
        if is_linked and panel not in self._linked:
            self._linked.append(panel)
            if len(self._linked) > 1:
                self._join(self._linked[0], panel)
        elif not is_linked and panel in self._linked:
            self._linked.remove(panel)
            self._arrange()
        panel.set_linked(is_linked)

    @Slot(object)
    def take_view(self, view: TensorView) -> None:
        """Listen to a view of a panel, whether it is linked or not."""
        if isinstance(view, PictureView):
            view.image.zoomed.connect(self._pass_part)
        if isinstance(view, MosaicView):
            self._mosaics.append(view)
            view.arranged.connect(self._arrange)
        if isinstance(view, _WITH_DIMS):
            view.dims.changed.connect(self._pass_dims)

    def _join(self, leader: TensorPanel, panel: TensorPanel) -> None:
        self._arrange()
        self._is_passing = True
        dims = dims_of(leader.view)
        if dims is not None:
            _show_axes(panel.view, dims)
        _show_part(panel.view, leader.view)
        self._is_passing = False
        self._share_range(leader.subject, panel.subject)

    def _share_range(self, leader: Subject | None, joining: Subject | None) -> None:
        """Give two tensors one range: that which was chosen for the first, or one that holds what both show."""
        if leader is None or joining is None:
            return
        choice = self._memory.range_of(key_of(leader))
        shown = [self._memory.shown_range(key_of(subject)) for subject in (leader, joining)]
        levels = [one.levels for one in shown if one is not None]
        if choice.levels is None and levels:
            low, high = min(low for low, _ in levels), max(high for _, high in levels)
            choice = RangeChoice((low, high), is_symmetric=any(one.is_symmetric for one in shown if one is not None))
            self._choose(leader, choice)
        self._choose(joining, choice)

    def _choose(self, subject: Subject, choice: RangeChoice) -> None:
        self._is_passing = True
        self._memory.choose_range(key_of(subject), choice)
        self._is_passing = False

    def _others(self, panel: TensorPanel | None) -> list[TensorPanel]:
        if self._is_passing or panel is None:
            return []
        return [other for other in self._linked if other is not panel]

    def _panel_of(self, image: QObject | None = None, dims: QObject | None = None) -> TensorPanel | None:
        for panel in self._linked:
            view = panel.view
            if image is not None and isinstance(view, PictureView) and view.image is image:
                return panel
            if dims is not None and dims_of(view) is dims:
                return panel
        return None

    @Slot()
    def _arrange(self) -> None:
        """Give all linked panels with tiles the rows of the first, and leave the others to themselves."""
        if self._is_passing:
            return
        self._is_passing = True
        linked = [panel.view for panel in self._linked]
        tiled = [view for view in linked if isinstance(view, MosaicView) and view.mosaic is not None]
        leader = tiled[0] if tiled else None
        if leader is not None:
            leader.set_columns(None)
        columns = leader.mosaic.columns if leader is not None and leader.mosaic is not None else None
        for view in self._mosaics:
            if view is not leader:
                view.set_columns(columns if view in linked else None)
        self._is_passing = False

    @Slot()
    def _pass_part(self) -> None:
        sender = self.sender()
        assert isinstance(sender, ImageView)
        panel = self._panel_of(image=sender)
        for other in self._others(panel):
            assert panel is not None
            _show_part(other.view, panel.view)

    @Slot()
    def _pass_dims(self) -> None:
        sender = self.sender()
        assert isinstance(sender, DimsBar)
        others = self._others(self._panel_of(dims=sender))
        self._is_passing = True
        for other in others:
            _show_axes(other.view, sender)
        self._is_passing = False

    @Slot(object)
    def _pass_range(self, key: TensorKey) -> None:
        subjects = [panel.subject for panel in self._linked if panel.subject is not None]
        if self._is_passing or not any(key_of(subject) == key for subject in subjects):
            return
        for subject in subjects:
            if key_of(subject) != key:
                self._choose(subject, self._memory.range_of(key))


def dims_of(view: TensorView | None) -> DimsBar | None:
    """Return where the dims of a view are chosen, if they are."""
    return view.dims if isinstance(view, _WITH_DIMS) else None


def _show_axes(view: TensorView | None, dims: DimsBar) -> None:
    own = dims_of(view)
    if own is not None:
        own.show_axes(dims.choice.axes)


def _show_part(view: TensorView | None, leader: TensorView | None) -> None:
    if not isinstance(view, PictureView) or not isinstance(leader, PictureView):
        return
    part = leader.image.part
    if part is not None and isinstance(view, MosaicView) and isinstance(leader, MosaicView):
        part = _part_of_tiles(part, leader, view)
    view.image.show_part(part)


def _part_of_tiles(part: QRectF, leader: MosaicView, view: MosaicView) -> QRectF:
    """Return the same tiles in another picture, which may have more rows of them."""
    before, after = leader.mosaic, view.mosaic
    if before is None or after is None:
        return part
    across, down = before.columns / after.columns, before.rows / after.rows
    return QRectF(part.x() * across, part.y() * down, part.width() * across, part.height() * down)
