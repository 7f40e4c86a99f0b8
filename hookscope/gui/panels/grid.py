"""The channels of one sample side by side, or one of them alone."""

from PySide6.QtCore import Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from hookscope.figures.axes import with_entry, with_roles
from hookscope.figures.grid import Mosaic
from hookscope.figures.scenes import MosaicScene, Scene
from hookscope.gui.panels.dims_bar import DimsBar
from hookscope.gui.panels.heatmap import show_image
from hookscope.gui.panels.keys import Command
from hookscope.gui.panels.mosaic_view import MosaicView
from hookscope.gui.panels.parts_menu import PartsMenu
from hookscope.gui.panels.picker import Ask
from hookscope.gui.panels.picking_view import Tile
from hookscope.gui.panels.subject import Subject
from hookscope.gui.panels.tensor_memory import TensorMemory, key_of
from hookscope.protocol.events import ViewReady
from hookscope.protocol.views import GridRequest, HeatmapRequest, Image, TileOrder, Tiles


class GridView(MosaicView):
    """One tile an entry of a dim; the dims are chosen, and an entry of each other one."""

    def add_controls(self) -> None:
        """Put the controls of the dims first."""
        self._solo: int | None = None
        self.dims = DimsBar(self, "grid", with_tiles=True)
        self.dims.add_to(self.range_bar)
        self.dims.changed.connect(self._follow_dims)
        menu = self.range_bar.menu
        menu.addSeparator()
        self._strongest = QAction(self.tr("Strongest tiles first"), self)
        self._strongest.setCheckable(True)
        self._strongest.triggered.connect(self._set_strongest)
        menu.addAction(self._strongest)
        self._parts = PartsMenu(menu)
        self._parts.part_chosen.connect(self.dims.set_part)

    @property
    def solo(self) -> int | None:
        """The tile that is shown alone; `None` when all are."""
        return self._solo

    def use(self, memory: TensorMemory, ask: Ask) -> None:
        """Share the choices of a window, and ask the debuggee."""
        super().use(memory, ask)
        self.dims.use(memory)

    def aim(self, subject: Subject) -> None:
        """Offer the dims."""
        if key_of(subject) != self._key:
            self._solo = None
        super().aim(subject)
        self.dims.aim(subject)
        self._show_choice()

    def request(self) -> GridRequest | HeatmapRequest:
        """Ask for a page, or for one tile alone."""
        choice = self.dims.choice
        axes = choice.axes
        if self._solo is not None and axes.tiles is not None:
            alone = with_roles(with_entry(axes, axes.tiles, self._solo), tiles=None)
            return HeatmapRequest(alone, choice.part)
        return GridRequest(axes, choice.part, page=self.page, order=choice.order)

    def draw(self, answer: ViewReady) -> None:
        """Draw what was asked for."""
        self.dims.note_drawn()
        match answer.result:
            case Image() as image:
                self._answer = None
                self.range_bar.want(self._page, False)
                show_image(self, answer, image)
            case _:
                super().draw(answer)

    def scene_of(self, tiles: Tiles, mosaic: Mosaic) -> Scene:
        """Return what is where in a mosaic."""
        return MosaicScene(tiles.axes, mosaic)

    def tile_at(self, index: tuple[int, ...]) -> Tile | None:
        """Return the tile of an element."""
        dim = self.dims.choice.axes.tiles
        return None if dim is None else Tile(dim, self.dims.names[dim], index[dim])

    def dim_names(self) -> tuple[str, ...]:
        """Return the names of the dims."""
        return self.dims.names

    def reveal(self, index: tuple[int, ...]) -> None:
        """Show the entries and the page that an element is in."""
        tiles = self.dims.choice.axes.tiles
        if tiles is not None:
            if self._solo is not None:
                self._solo = index[tiles]
            self.set_page(index[tiles] // GridRequest().max_tiles)
        if self.dims.choice.order is TileOrder.STRENGTH:  # then nobody knows which page it is on
            self.dims.set_order(TileOrder.CHANNEL)
        self.dims.reveal(index)
        self.request_changed.emit()

    def remarks(self) -> str:
        """Say also which tile is alone."""
        tile = self.dims.choice.axes.tiles
        if self._solo is None or tile is None:
            return super().remarks()
        return self.tr("only {name} {entry}").format(name=self.dims.names[tile], entry=self._solo)

    def command(self, command: Command) -> None:
        """Move the roles of the dims, or through their entries."""
        self.dims.obey(command)

    def add_to_menu(self, menu: QMenu, tile: Tile | None) -> None:
        """Offer to show a tile alone, or all again."""
        if self._solo is not None:
            menu.addAction(self.tr("Show all tiles"), self.show_all_tiles)
        elif tile is not None:
            menu.addAction(self.tr("Only {name} {entry}").format(name=tile.name, entry=tile.entry), self._show_alone)

    def show_alone(self, entry: int) -> None:
        """Show one tile alone."""
        self._solo = entry
        self.request_changed.emit()

    @Slot()
    def show_all_tiles(self) -> None:
        """Show all tiles again."""
        self._solo = None
        self.request_changed.emit()

    def _show_choice(self) -> None:
        choice = self.dims.choice
        self._strongest.setChecked(choice.order is TileOrder.STRENGTH)
        if self._subject is not None:
            self._parts.show_part(choice.part, self._subject.spec.dtype)

    @Slot()
    def _show_alone(self) -> None:
        picked = self.picker.picked
        tile = self.tile_at(picked.index) if picked is not None else None
        if tile is not None:
            self.show_alone(tile.entry)

    @Slot()
    def _follow_dims(self) -> None:
        self._show_choice()
        self.request_changed.emit()

    @Slot(bool)
    def _set_strongest(self, is_first: bool) -> None:
        self.set_page(0)
        self.dims.set_order(TileOrder.STRENGTH if is_first else TileOrder.CHANNEL)
