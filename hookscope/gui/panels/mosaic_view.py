"""Pages of tiles, composed into one picture that suits the room."""

from typing import ClassVar

from PySide6.QtCore import QSignalBlocker, Slot
from PySide6.QtWidgets import QSpinBox

from hookscope.figures.grid import Mosaic, compose
from hookscope.gui.panels.image_view import Picture
from hookscope.gui.panels.picture_view import PictureView
from hookscope.protocol.events import ViewReady
from hookscope.protocol.identity import TensorRef
from hookscope.protocol.views import Tiles


class MosaicView(PictureView):
    """Tiles with gaps between them and a box for the page. Subclasses say what a tile is."""

    spatial: ClassVar[bool] = True

    def __init__(self) -> None:
        super().__init__(with_axes=False)
        self._answer: ViewReady | None = None
        self._mosaic: Mosaic | None = None
        self._ref: TensorRef | None = None
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

    def name_tile(self, label: tuple[int, ...]) -> str:
        """Return the words for a tile."""
        raise NotImplementedError

    @property
    def page(self) -> int:
        """The chosen page, from 0."""
        return self._page.value() - 1

    def start_over(self, ref: TensorRef) -> None:
        """Go back to the first page when another tensor comes."""
        if ref != self._ref:
            self._ref = ref
            with QSignalBlocker(self._page):
                self._page.setValue(1)

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

    def name_place(self, row: int, column: int) -> str:
        """Name the tile and the place within it."""
        assert self._mosaic is not None
        place = self._mosaic.locate(row, column)
        return "" if place is None else f"{self.name_tile(place.label)} [{place.row}, {place.column}]"

    def remarks(self) -> str:
        """Say also how many tiles there are, and when they were thinned out."""
        texts = [super().remarks()]
        if self._answer is not None and isinstance(self._answer.result, Tiles):
            tiles = self._answer.result
            if tiles.pages > 1:
                texts.append(self.tr("{shown} of {total}").format(shown=len(tiles.labels), total=tiles.total))
            if tiles.stride > 1:
                texts.append(self.tr("every {stride}. row and column").format(stride=tiles.stride))
        return " · ".join(filter(None, texts))

    @Slot()
    def _compose(self) -> None:
        if self._answer is None or not isinstance(self._answer.result, Tiles):
            return
        tiles = self._answer.result
        self._mosaic = compose(tiles, self.image.aspect)
        rows, columns = self._mosaic.pixels.shape
        picture = Picture(self._mosaic.pixels, self._mosaic.mask, (rows, columns), is_spatial=self.spatial)
        self.show_picture(self._answer, picture, tiles.low, tiles.high)

    @Slot()
    def _announce(self) -> None:
        self.request_changed.emit()


def set_suffix(box: QSpinBox, suffix: str) -> None:
    """Change what stands behind the number, if it is another text: it makes every layout above work anew."""
    if box.suffix() != suffix:
        box.setSuffix(suffix)
