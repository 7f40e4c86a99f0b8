"""What a person chose for each tensor: its range, its colours and its dims; shared by the views of one window."""

from dataclasses import dataclass
from typing import NamedTuple

from PySide6.QtCore import QObject, Signal

from hookscope.figures.levels import Levels
from hookscope.figures.ranges import Choices, RangeChoice
from hookscope.gui.colormaps import ColorMap
from hookscope.gui.panels.subject import Subject
from hookscope.protocol.identity import Slot
from hookscope.protocol.views import Axes, Part, TileOrder


class TensorKey(NamedTuple):
    """What is remembered together: a tensor whatever its call and step; apart from it its differences and parts."""

    path: str
    slot: Slot
    leaf: str
    operation: str
    is_difference: bool
    part: Part = Part.VALUE


def key_of(subject: Subject) -> TensorKey:
    """Return the key of what a view shows."""
    ref = subject.ref
    return TensorKey(ref.path, ref.slot, ref.leaf, ref.operation, subject.is_difference)


@dataclass(frozen=True)
class DimsChoice:
    """What was chosen of a tensor's dims.

    Attributes:
        axes: The roles of the dims, and the entries of those that have none; full, see `Axes.resolved`.
        part: What is drawn of each value.
        order: How tiles follow each other.
    """

    axes: Axes
    part: Part = Part.VALUE
    order: TileOrder = TileOrder.CHANNEL


@dataclass(frozen=True)
class ShownRange:
    """How a picture is coloured at the moment: what a histogram of the same tensor draws its handles at.

    Attributes:
        levels: Values of the first and of the last colour.
        is_symmetric: Whether zero is in the middle.
        color_map: The colours.
    """

    levels: Levels
    is_symmetric: bool
    color_map: ColorMap


class TensorMemory(QObject):
    """Remembers for the run of the program. What was not used for long is forgotten, and follows the data again.

    Signals:
        range_changed: The `TensorKey` for which another range, or other colours, were chosen.
        range_shown: The `TensorKey` of which a picture is coloured differently now.
        bars_changed: The `TensorKey` for which there is a histogram in sight now, or none any more.
    """

    range_changed = Signal(object)
    range_shown = Signal(object)
    bars_changed = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._ranges: Choices[TensorKey, RangeChoice] = Choices(RangeChoice())
        self._maps: Choices[TensorKey, ColorMap] = Choices(ColorMap.AUTO)
        self._dims: Choices[tuple[str, TensorKey], DimsChoice | None] = Choices(None)
        self._shown: Choices[TensorKey, ShownRange | None] = Choices(None)
        self._bars: dict[int, TensorKey] = {}

    @classmethod
    def of(cls, owner: QObject) -> "TensorMemory":
        """Return the memory of an object, the bridge of a window, making it the first time."""
        return owner.findChild(cls) or cls(owner)

    def range_of(self, key: TensorKey) -> RangeChoice:
        """Return what was chosen for the range of a tensor."""
        return self._ranges.of(key)

    def choose_range(self, key: TensorKey, choice: RangeChoice, *, goes_on: bool = False) -> None:
        """Choose a range, as one step that can be undone; `goes_on` makes it part of the step before, as in a drag."""
        if self._ranges.choose(key, choice, goes_on=goes_on):
            self.range_changed.emit(key)

    def undo_range(self, key: TensorKey) -> None:
        """Take back the last choice of a range."""
        if self._ranges.undo(key):
            self.range_changed.emit(key)

    def redo_range(self, key: TensorKey) -> None:
        """Choose again what was taken back."""
        if self._ranges.redo(key):
            self.range_changed.emit(key)

    def can_undo_range(self, key: TensorKey) -> bool:
        """Whether there is a choice to take back."""
        return self._ranges.can_undo(key)

    def can_redo_range(self, key: TensorKey) -> bool:
        """Whether a choice was taken back."""
        return self._ranges.can_redo(key)

    def color_map_of(self, key: TensorKey) -> ColorMap:
        """Return the colour map that was chosen for a tensor."""
        return self._maps.of(key)

    def choose_color_map(self, key: TensorKey, color_map: ColorMap) -> None:
        """Choose a colour map."""
        if self._maps.choose(key, color_map):
            self.range_changed.emit(key)

    def dims_of(self, kind: str, key: TensorKey, rank: int) -> DimsChoice | None:
        """Return what was chosen of a tensor's dims in one kind of view; `None` when nothing was that still fits."""
        choice = self._dims.of((kind, key))
        return choice if choice is not None and len(choice.axes.index) == rank else None

    def choose_dims(self, kind: str, key: TensorKey, choice: DimsChoice) -> None:
        """Remember a choice of dims."""
        self._dims.choose((kind, key), choice, goes_on=True)

    def shown_range(self, key: TensorKey) -> ShownRange | None:
        """Return how a picture of a tensor was coloured last; `None` when there was none."""
        return self._shown.of(key)

    def show_range(self, key: TensorKey, shown: ShownRange) -> None:
        """Tell how a picture is coloured."""
        if self._shown.choose(key, shown, goes_on=True):
            self.range_shown.emit(key)

    def has_bar(self, key: TensorKey) -> bool:
        """Whether a histogram is in sight that carries the range of a tensor."""
        return key in self._bars.values()

    def set_bar(self, owner: QObject, key: TensorKey | None) -> None:
        """Tell of which tensor a histogram carries the range; `None` when it is out of sight."""
        before = self._bars.get(id(owner))
        if before == key:
            return
        if key is None:
            del self._bars[id(owner)]
        else:
            self._bars[id(owner)] = key
        for changed in (before, key):
            if changed is not None:
                self.bars_changed.emit(changed)
