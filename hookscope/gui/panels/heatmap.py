"""Two dims of a tensor as a picture."""

import numpy as np

from hookscope.figures.scenes import PlaneScene
from hookscope.gui.panels.dims_bar import DimsBar
from hookscope.gui.panels.image_view import Picture
from hookscope.gui.panels.keys import Command
from hookscope.gui.panels.parts_menu import PartsMenu
from hookscope.gui.panels.picker import Ask
from hookscope.gui.panels.picking_view import PickingView
from hookscope.gui.panels.picture_view import PictureView, mask_of
from hookscope.gui.panels.subject import Subject
from hookscope.gui.panels.tensor_memory import TensorMemory
from hookscope.protocol.events import ViewReady
from hookscope.protocol.views import HeatmapRequest, Image


class HeatmapView(PickingView):
    """Rows and columns with their indices; the dims are chosen, and an entry of each other one."""

    def __init__(self) -> None:
        super().__init__(with_axes=True)
        self.dims = DimsBar(self, "heatmap", with_tiles=False)
        self.dims.add_to(self.range_bar)
        self.range_bar.finish()
        self._parts = PartsMenu(self.range_bar.menu)
        self._parts.part_chosen.connect(self.dims.set_part)
        self.dims.changed.connect(self.request_changed)

    def use(self, memory: TensorMemory, ask: Ask) -> None:
        """Share the choices of a window, and ask the debuggee."""
        super().use(memory, ask)
        self.dims.use(memory)

    def aim(self, subject: Subject) -> None:
        """Offer the dims."""
        super().aim(subject)
        self.dims.aim(subject)
        self._parts.show_part(self.dims.choice.part, subject.spec.dtype)

    def request(self) -> HeatmapRequest:
        """Ask for the chosen plane."""
        choice = self.dims.choice
        return HeatmapRequest(choice.axes, choice.part)

    def draw(self, answer: ViewReady) -> None:
        """Draw an `Image`."""
        image = answer.result
        assert isinstance(image, Image)
        self.dims.note_drawn()
        show_image(self, answer, image)

    def reveal(self, index: tuple[int, ...]) -> None:
        """Show the entries that an element is in."""
        self.dims.reveal(index)

    def dim_names(self) -> tuple[str, ...]:
        """Return the names of the dims."""
        return self.dims.names

    def command(self, command: Command) -> None:
        """Move the roles of the dims, or through their entries."""
        self.dims.obey(command)


def show_image(view: PictureView, answer: ViewReady, image: Image) -> None:
    """Draw one plane in a view."""
    stride = image.row_stride, image.column_stride
    picture = Picture(
        image.pixels.to_numpy().astype(np.float32, copy=False),
        mask_of(image.mask.to_numpy()) if image.mask is not None else None,
        (image.rows, image.columns),
        stride,
        is_spatial=len(image.shape) > 2,
    )
    view.show_scene(answer, picture, PlaneScene(image.axes, picture.size, stride))
