"""How alike the rows of a plane are, as a picture of every row against every other one."""

from typing import TYPE_CHECKING

import msgspec

from hookscope.figures.scenes import PlaneScene
from hookscope.gui.panels.computed import apart, share_memory, with_shape
from hookscope.gui.panels.dims_bar import DimsBar
from hookscope.gui.panels.image_view import Picture
from hookscope.gui.panels.keys import Command
from hookscope.gui.panels.picker import Ask
from hookscope.gui.panels.picking_view import PickingView
from hookscope.gui.panels.picture_view import mask_of
from hookscope.gui.panels.subject import Subject
from hookscope.gui.panels.tensor_memory import TensorMemory
from hookscope.protocol.events import ViewReady
from hookscope.protocol.views import Axes, CosineRequest, Image

if TYPE_CHECKING:
    from hookscope.gui.panels.long_question import LongQuestion

_KIND = "cosine"


class CosineView(PickingView):
    """Cosines from -1 to 1, of the rows of the plane that is chosen."""

    def __init__(self) -> None:
        super().__init__(with_axes=True)
        self._name = ""
        self.dims = DimsBar(self, _KIND, with_tiles=False)
        self.dims.add_to(self.range_bar)
        self.range_bar.finish()
        self.dims.changed.connect(self.request_changed)

    def use(self, memory: TensorMemory, ask: Ask) -> None:
        """Share the choices of a window; what the debuggee knows of the tensor is nothing that is drawn here."""
        del ask
        share_memory(self, memory)
        self.dims.use(memory)

    def count_with(self, counter: "LongQuestion") -> None:
        """Take nothing: the debuggee would count the tensor, and not what is drawn here."""

    def aim(self, subject: Subject) -> None:
        """Offer the dims."""
        super().aim(apart(subject, _KIND))
        self.dims.aim(subject)

    def request(self) -> CosineRequest:
        """Ask for the rows of the chosen plane."""
        return CosineRequest(self.dims.choice.axes)

    def draw(self, answer: ViewReady) -> None:
        """Draw an `Image` whose rows and columns are both the rows of the plane."""
        image = answer.result
        assert isinstance(image, Image)
        assert self._subject is not None
        self.dims.note_drawn()
        rows = self.dims.choice.axes.rows
        self._name = self.dims.names[rows] if rows is not None else ""
        size, stride = (image.rows, image.columns), (image.row_stride, image.column_stride)
        self._subject = with_shape(self._subject, size)
        mask = mask_of(image.mask.to_numpy()) if image.mask is not None else None
        picture = Picture(image.pixels.to_numpy().astype("float32", copy=False), mask, size, stride)
        # The ends of the range are known, and zero is in the middle.
        whole = msgspec.structs.replace(image, low=-1.0, high=1.0)
        answer = msgspec.structs.replace(answer, spec=self._subject.spec, result=whole)
        self.show_scene(answer, picture, PlaneScene(Axes().resolved(size), size, stride))

    def remarks(self) -> str:
        """Say what is compared."""
        if self._picture is None:
            return ""
        return self.tr("cosine of {count} rows along {name}").format(
            count=f"{self._picture.size[0]:,}", name=self._name
        )

    def reveal(self, index: tuple[int, ...]) -> None:
        """Do nothing: all pairs of rows are in the picture."""

    def dim_names(self) -> tuple[str, ...]:
        """Return the names of the two sides."""
        return self._name, self._name

    def command(self, command: Command) -> None:
        """Move the roles of the dims, or through their entries."""
        self.dims.obey(command)
