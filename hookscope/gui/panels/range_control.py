"""How the range of one picture comes about: what was chosen for its tensor, and else the data."""

from dataclasses import replace

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QObject, Signal, Slot

from hookscope.figures.levels import Levels, auto_levels, is_signed
from hookscope.figures.ranges import RangeChoice, dragged, fitted, trimmed_extent
from hookscope.gui.colormaps import ColorMap
from hookscope.gui.panels.calm import Calm
from hookscope.gui.panels.subject import Subject
from hookscope.gui.panels.tensor_memory import ShownRange, TensorKey, TensorMemory, key_of
from hookscope.protocol.views import Part

_CIRCLE = (-float(np.pi), float(np.pi))

Pixels = npt.NDArray[np.float32]
Mask = npt.NDArray[np.uint8] | None


class RangeControl(QObject):
    """Keeps the levels of one picture.

    Nothing chosen, they follow the data, but hold still while pictures come fast, and are fitted when that is over.
    Every choice is of the tensor, and can be undone; other views of the same tensor obey it too.

    Signals:
        changed: Levels, colours or what was chosen are others; not at new data, see `take_data`.
    """

    changed = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._memory = TensorMemory(self)
        self._key: TensorKey | None = None
        self._is_gradient = False
        self._was_signed = False
        self._part = Part.VALUE
        self._extent: Levels = (0.0, 1.0)
        self._values: tuple[Pixels, Mask] | None = None
        self._levels: Levels = (0.0, 1.0)
        self._calm = Calm(self)
        self._calm.settled.connect(self._refit)
        self._memory.range_changed.connect(self._note_choice)

    @property
    def memory(self) -> TensorMemory:
        """Where choices are kept."""
        return self._memory

    def use(self, memory: TensorMemory) -> None:
        """Share the choices of a window instead of keeping own ones; call it before the first picture."""
        self._memory.range_changed.disconnect(self._note_choice)
        self._memory = memory
        memory.range_changed.connect(self._note_choice)

    @property
    def levels(self) -> Levels:
        """Values of the first and of the last colour; the second is the greater one."""
        return self._levels

    @property
    def choice(self) -> RangeChoice:
        """What was chosen."""
        return self._memory.range_of(self._key) if self._key is not None else RangeChoice()

    @property
    def color_map(self) -> ColorMap:
        """The colour map; for angles a cyclic one, unless another one was chosen."""
        chosen = self._memory.color_map_of(self._key) if self._key is not None else ColorMap.AUTO
        is_angle = chosen is ColorMap.AUTO and self._part is Part.PHASE
        return ColorMap.CYCLIC if is_angle else chosen

    @property
    def is_symmetric(self) -> bool:
        """Whether zero is in the middle, so that a diverging colour map says the sign."""
        chosen = self.choice.is_symmetric
        return self._was_signed or self._is_gradient if chosen is None else chosen

    @property
    def extent(self) -> Levels:
        """Smallest and largest finite value of the picture."""
        return self._extent

    @property
    def can_undo(self) -> bool:
        """Whether there is a choice to take back."""
        return self._key is not None and self._memory.can_undo_range(self._key)

    @property
    def can_redo(self) -> bool:
        """Whether a choice was taken back."""
        return self._key is not None and self._memory.can_redo_range(self._key)

    def aim(self, subject: Subject) -> None:
        """Turn to a tensor; its first picture is fitted to, unless something was chosen for it."""
        key = key_of(subject)
        self._is_gradient = subject.ref.slot.is_gradient or subject.is_difference
        if self._key is None or key != self._key._replace(part=Part.VALUE):
            self._key, self._part = key, Part.VALUE
            self._start_over()

    def take_data(self, extent: Levels, pixels: Pixels, mask: Mask, part: Part = Part.VALUE) -> None:
        """Note the finite range of a new picture and its values, and fit to it if that is wanted now."""
        part = Part.VALUE if part is Part.MAGNITUDE else part
        if part is not self._part and self._key is not None:
            self._key, self._part = self._key._replace(part=part), part
            self._start_over()
        self._extent, self._values = extent, (pixels, mask)
        # Once signed, always signed: colours must not jump about while the values of a few steps happen to be positive.
        self._was_signed = self._was_signed or is_signed(*extent)
        choice = self.choice
        if self._calm.note() or choice.keeps_fitting or choice.levels is not None:
            self._set(self._wanted(choice))

    def type_levels(self, levels: Levels) -> None:
        """Choose levels; with zero out of the middle, colours about zero would no longer say the sign."""
        low, high = auto_levels(min(levels), max(levels))
        is_symmetric = self.choice.is_symmetric if low == -high or not self.is_symmetric else False
        self._choose(replace(self.choice, levels=(low, high), keeps_fitting=False, is_symmetric=is_symmetric))

    def drag_levels(self, levels: Levels, *, goes_on: bool) -> None:
        """Choose levels with a handle; `goes_on` while it is dragged."""
        levels = dragged(levels, self._levels, is_symmetric=self.is_symmetric)
        self._choose(replace(self.choice, levels=levels, keeps_fitting=False), goes_on=goes_on)

    def fit_once(self) -> None:
        """Choose the levels that fit the picture now, and stay with them."""
        self._choose(replace(self.choice, levels=self._fitted(self.choice), keeps_fitting=False))

    def keep_fitting(self, keeps: bool) -> None:
        """Choose whether every picture is fitted to; without it the levels of now are kept."""
        self._choose(replace(self.choice, levels=None if keeps else self._levels, keeps_fitting=keeps))

    def set_symmetric(self, is_symmetric: bool) -> None:
        """Choose whether zero is in the middle, and fit."""
        self._choose_fit(replace(self.choice, is_symmetric=is_symmetric))

    def set_trimmed(self, is_trimmed: bool) -> None:
        """Choose whether a fit leaves out the outermost values, and fit."""
        self._choose_fit(replace(self.choice, is_trimmed=is_trimmed))

    def reset(self) -> None:
        """Choose nothing, so that the data are followed again."""
        self._choose(RangeChoice())

    def undo(self) -> None:
        """Take back the last choice."""
        if self._key is not None:
            self._memory.undo_range(self._key)

    def redo(self) -> None:
        """Choose again what was taken back."""
        if self._key is not None:
            self._memory.redo_range(self._key)

    def choose_color_map(self, color_map: ColorMap) -> None:
        """Choose a colour map."""
        if self._key is not None:
            self._memory.choose_color_map(self._key, color_map)

    def _choose_fit(self, choice: RangeChoice) -> None:
        if choice.levels is not None:
            choice = replace(choice, levels=self._fitted(choice))
        self._choose(choice)

    def _choose(self, choice: RangeChoice, *, goes_on: bool = False) -> None:
        if self._key is not None:
            self._memory.choose_range(self._key, choice, goes_on=goes_on)

    def _start_over(self) -> None:
        self._was_signed = False
        self._values = None
        self._calm.start_over()

    def _wanted(self, choice: RangeChoice) -> Levels:
        return choice.levels if choice.levels is not None else self._fitted(choice)

    def _fitted(self, choice: RangeChoice) -> Levels:
        if self._part is Part.PHASE and not choice.is_trimmed:
            return _CIRCLE
        extent = self._extent
        if choice.is_trimmed and self._values is not None:
            extent = trimmed_extent(*self._values, extent)
        symmetric = self._was_signed or self._is_gradient if choice.is_symmetric is None else choice.is_symmetric
        return fitted(extent, is_symmetric=symmetric)

    def _set(self, levels: Levels) -> None:
        self._levels = levels
        if self._key is not None:
            self._memory.show_range(self._key, ShownRange(levels, self.is_symmetric, self.color_map))

    @Slot()
    def _refit(self) -> None:
        if self._values is not None:
            self._set(self._wanted(self.choice))
            self.changed.emit()

    @Slot(object)
    def _note_choice(self, key: TensorKey) -> None:
        if key == self._key:
            self._refit()
