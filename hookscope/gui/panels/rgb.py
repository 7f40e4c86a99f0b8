"""Three entries of a dim as the colours of one picture."""

from PySide6.QtCore import QSignalBlocker, Slot
from PySide6.QtWidgets import QSpinBox

from hookscope.figures.scenes import PlaneScene
from hookscope.gui.panels.dims_bar import DimsBar
from hookscope.gui.panels.image_view import Picture
from hookscope.gui.panels.keys import Command
from hookscope.gui.panels.picker import Ask
from hookscope.gui.panels.picking_view import PickingView
from hookscope.gui.panels.picture_view import mask_of
from hookscope.gui.panels.subject import Subject
from hookscope.gui.panels.tensor_memory import TensorMemory, key_of
from hookscope.protocol.events import ViewReady
from hookscope.protocol.views import Axes, RgbImage, RgbRequest

_FIRST = (0, 1, 2)


class RgbView(PickingView):
    """Rows and columns as in a channel grid; which of its tiles are red, green and blue is chosen."""

    def __init__(self) -> None:
        super().__init__(with_axes=True)
        self.dims = DimsBar(self, "rgb", with_tiles=True)
        self.dims.add_to(self.range_bar)
        colors = {"R": self.tr("red"), "G": self.tr("green"), "B": self.tr("blue")}
        self.picks = tuple(self._new_pick(letter, color) for letter, color in colors.items())
        for box in self.picks:
            self.range_bar.add(box, drop=1)
        self.range_bar.finish()
        self.dims.changed.connect(self._follow_dims)

    def use(self, memory: TensorMemory, ask: Ask) -> None:
        """Share the choices of a window, and ask the debuggee."""
        super().use(memory, ask)
        self.dims.use(memory)

    def aim(self, subject: Subject) -> None:
        """Offer the dims; another tensor begins with its first three channels."""
        if key_of(subject) != self._key:
            for box, first in zip(self.picks, _FIRST, strict=True):
                with QSignalBlocker(box):
                    box.setValue(first)
        super().aim(subject)
        self.dims.aim(subject)
        self._limit_picks()

    def request(self) -> RgbRequest:
        """Ask for the three chosen channels."""
        axes = self.dims.choice.axes
        low, high = self.control.choice.levels or (None, None)
        red, green, blue = (box.value() for box in self.picks)
        return RgbRequest(axes, channels=axes.tiles, picks=(red, green, blue), low=low, high=high)

    def draw(self, answer: ViewReady) -> None:
        """Draw an `RgbImage`."""
        assert isinstance(answer.result, RgbImage)
        self.dims.note_drawn()
        image = answer.result
        stride = image.row_stride, image.column_stride
        picture = Picture(
            image.pixels.to_numpy().astype("uint8", copy=False),
            mask_of(image.mask.to_numpy()) if image.mask is not None else None,
            (image.rows, image.columns),
            stride,
        )
        axes = Axes(image.axes.rows, image.axes.columns, None, image.axes.index)
        self.show_scene(answer, picture, PlaneScene(axes, picture.size, stride))

    def reveal(self, index: tuple[int, ...]) -> None:
        """Show the entries that an element is in."""
        self.dims.reveal(index)

    def dim_names(self) -> tuple[str, ...]:
        """Return the names of the dims."""
        return self.dims.names

    def command(self, command: Command) -> None:
        """Move the roles of the dims, or through their entries."""
        self.dims.obey(command)

    def _new_pick(self, letter: str, color: str) -> QSpinBox:
        box = QSpinBox()
        box.setPrefix(f"{letter} ")
        box.setAccessibleName(self.tr("Channel that is {color}").format(color=color))
        box.setToolTip(box.accessibleName())
        box.setMaximum(max(_FIRST))
        box.valueChanged.connect(self.request_changed)
        return box

    def _limit_picks(self) -> None:
        tiles = self.dims.choice.axes.tiles
        assert self._subject is not None
        most = self._subject.spec.shape[tiles] - 1 if tiles is not None else 0
        for box in self.picks:
            with QSignalBlocker(box):
                box.setMaximum(most)

    @Slot()
    def _follow_dims(self) -> None:
        self._limit_picks()
        self.request_changed.emit()
