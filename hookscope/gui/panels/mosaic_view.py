"""Pages of tiles, composed into one picture that suits the room."""

from typing import ClassVar

from PySide6.QtCore import QSignalBlocker, Signal, Slot
from PySide6.QtWidgets import QSpinBox

from hookscope.figures.grid import Mosaic, compose
from hookscope.figures.scenes import Scene
from hookscope.gui.panels.image_view import Picture
from hookscope.gui.panels.picking_view import PickingView
from hookscope.gui.panels.subject import Subject
from hookscope.gui.panels.tensor_memory import key_of
from hookscope.protocol.events import ViewReady
from hookscope.protocol.views import Tiles


class MosaicView(PickingView):
    """Tiles with gaps between them and a box for the page. Subclasses say what a tile is.

    Signals:
        arranged: The tiles stand in rows of another length.
    """

    spatial: ClassVar[bool] = True
    arranged = Signal()

    def __init__(self) -> None:
        super().__init__(with_axes=False)
        self._answer: ViewReady | None = None
        self._mosaic: Mosaic | None = None
        self._columns: int | None = None
        self._page = QSpinBox()
        self._page.setPrefix(self.tr("page "))
        self._page.setWrapping(True)
        self._page.setMinimum(1)
        self._page.setAccessibleName(self.tr("Page of tiles"))
        self._page.setToolTip(self.tr("Which page of tiles is shown"))
        self._page.valueChanged.connect(self._announce)
        self.add_controls()
        self.range_bar.add(self._page)
        self.range_bar.finish()
        self.range_bar.want(self._page, False)
        self.image.reshaped.connect(self._compose)

    def add_controls(self) -> None:
        """Put further controls in front of the page box."""

    def scene_of(self, tiles: Tiles, mosaic: Mosaic) -> Scene:
        """Return what is where in a mosaic."""
        raise NotImplementedError

    @property
    def page(self) -> int:
        """The chosen page, from 0."""
        return self._page.value() - 1

    @property
    def mosaic(self) -> Mosaic | None:
        """The tiles that are drawn; `None` before the first and while something else is."""
        return self._mosaic if self._answer is not None else None

    def set_columns(self, columns: int | None) -> None:
        """Put so many tiles into a row, whatever the room; with `None`, what the room is best for."""
        if columns != self._columns:
            self._columns = columns
            self._compose()

    def aim(self, subject: Subject) -> None:
        """Go back to the first page when another tensor comes."""
        if key_of(subject) != self._key:
            self.set_page(0)
            self._answer = None
        super().aim(subject)

    def set_page(self, page: int) -> None:
        """Choose a page; the next request is for it."""
        with QSignalBlocker(self._page):
            self._page.setMaximum(max(self._page.maximum(), page + 1))
            self._page.setValue(page + 1)

    def draw(self, answer: ViewReady) -> None:
        """Draw `Tiles`."""
        tiles = answer.result
        assert isinstance(tiles, Tiles)
        self._answer = answer
        with QSignalBlocker(self._page):
            self._page.setMaximum(max(tiles.pages, 1))
            set_suffix(self._page, self.tr(" of {pages}").format(pages=tiles.pages))
            self._page.setValue(tiles.page + 1)
        self.range_bar.want(self._page, tiles.pages > 1)
        self._compose()

    def remarks(self) -> str:
        """Say how many tiles there are when not all are on the page."""
        tiles = self._result
        if not isinstance(tiles, Tiles) or tiles.pages <= 1:
            return ""
        return self.tr("{shown} of {total}").format(shown=len(tiles.labels), total=tiles.total)

    @Slot()
    def _compose(self) -> None:
        if self._answer is None or not isinstance(self._answer.result, Tiles):
            return
        tiles = self._answer.result
        before, mosaic = self._mosaic, compose(tiles, self.image.aspect, self._columns)
        self._mosaic = mosaic
        rows, columns = mosaic.pixels.shape
        picture = Picture(mosaic.pixels, mosaic.mask, (rows, columns), is_spatial=self.spatial)
        self.show_scene(self._answer, picture, self.scene_of(tiles, mosaic))
        if before is None or before.columns != mosaic.columns:
            self.arranged.emit()

    @Slot()
    def _announce(self) -> None:
        self.request_changed.emit()


def set_suffix(box: QSpinBox, suffix: str) -> None:
    """Change what stands behind the number, if it is another text: it makes every layout above work anew."""
    if box.suffix() != suffix:
        box.setSuffix(suffix)
