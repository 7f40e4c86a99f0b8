"""The kernels of a convolution: a row an output channel, a column an input channel."""

from hookscope.figures.axes import dim_names
from hookscope.figures.grid import Mosaic
from hookscope.figures.scenes import KernelScene, Scene
from hookscope.gui.panels.mosaic_view import MosaicView
from hookscope.gui.panels.picking_view import Tile
from hookscope.protocol.views import KernelRequest, Tiles

_OUTPUTS = 0


class KernelView(MosaicView):
    """One tile a kernel, in the order of the weight."""

    def request(self) -> KernelRequest:
        """Ask for a page."""
        return KernelRequest(page=self.page)

    def scene_of(self, tiles: Tiles, mosaic: Mosaic) -> Scene:
        """Return what is where in a mosaic."""
        assert self._subject is not None
        return KernelScene(tiles.shape or self._subject.spec.shape, mosaic)

    def tile_at(self, index: tuple[int, ...]) -> Tile | None:
        """Return the output channel of an element."""
        return Tile(_OUTPUTS, self.dim_names()[_OUTPUTS], index[_OUTPUTS])

    def dim_names(self) -> tuple[str, ...]:
        """Return the names of the dims."""
        assert self._subject is not None
        return dim_names(self._subject.ref, self._subject.class_name, len(self._subject.spec.shape))

    def reveal(self, index: tuple[int, ...]) -> None:
        """Show the page that an element is on."""
        assert self._subject is not None
        inputs = self._subject.spec.shape[1]
        size = KernelRequest().max_tiles
        self.set_page(index[0] // (size // min(inputs, size)))
        self.request_changed.emit()
