"""Which dims of a tensor a picture shows: chosen in one row, remembered for each tensor."""

from dataclasses import replace

from PySide6.QtCore import QEvent, QObject, QPoint, QTimer, Signal, Slot
from PySide6.QtWidgets import QBoxLayout, QToolButton, QWidget

from hookscope.figures.axes import (
    Role,
    dim_names,
    give_role,
    other_dims,
    rolled,
    transposed,
    usual_axes,
    with_entry,
)
from hookscope.gui.assets import icon
from hookscope.gui.panels.adaptive_row import AdaptiveRow
from hookscope.gui.panels.dim_control import DimControls, ShownDim
from hookscope.gui.panels.dims_popup import DimsPopup
from hookscope.gui.panels.keys import Command
from hookscope.gui.panels.subject import Subject
from hookscope.gui.panels.tensor_memory import DimsChoice, TensorKey, TensorMemory, key_of
from hookscope.protocol.views import Axes, Part, TileOrder

_PLAY_MS = 150
_MOST_IN_ROW = 2
_BATCH_NAMES = frozenset({"N", "B"})


class DimsBar(QObject):
    """A button that says which dims are shown, and controls for the entries of the others.

    Signals:
        changed: A person chose something, so that another picture must be asked for.
    """

    changed = Signal()

    def __init__(self, parent: QWidget, kind: str, *, with_tiles: bool) -> None:
        super().__init__(parent)
        self._kind = kind
        self._with_tiles = with_tiles
        self._memory = TensorMemory(self)
        self._key: TensorKey | None = None
        self._shape: tuple[int, ...] = ()
        self._names: tuple[str, ...] = ()
        self._choice = DimsChoice(Axes())
        self._usual = Axes()
        self._sample = 0
        self._row: AdaptiveRow | None = None
        self._is_drawn = True
        self._playing: int | None = None
        self._button = QToolButton(parent)
        self._button.setAccessibleName(self.tr("Dims that are shown"))
        self._button.setToolTip(self.tr("Choose which dims are rows, columns and tiles"))
        self._button.clicked.connect(self._open)
        self._inline = DimControls(QBoxLayout.Direction.LeftToRight, _MOST_IN_ROW)
        self._popup = DimsPopup(parent, with_tiles=with_tiles)
        for controls in (self._inline, self._popup.entries):
            controls.entry_chosen.connect(self.set_entry)
            controls.play_toggled.connect(self._play)
        self._popup.role_given.connect(self._give_role)
        self._popup.roll_requested.connect(self.roll)
        self._popup.transpose_requested.connect(self.transpose)
        self._popup.reset_requested.connect(self._reset)
        self._timer = QTimer(self)
        self._timer.setInterval(_PLAY_MS)
        self._timer.timeout.connect(self._play_on)
        self._button.installEventFilter(self)
        self._retint()

    def use(self, memory: TensorMemory) -> None:
        """Share the choices of a window instead of keeping own ones."""
        self._memory = memory

    def add_to(self, row: AdaptiveRow) -> None:
        """Put the controls into the row above the picture."""
        self._row = row
        row.add(self._button, shrink=11)
        row.add(self._inline, shrink=12, drop=5)

    @property
    def choice(self) -> DimsChoice:
        """What is chosen; the axes are full."""
        return self._choice

    @property
    def names(self) -> tuple[str, ...]:
        """The name of each dim."""
        return self._names

    def aim(self, subject: Subject) -> None:
        """Turn to a tensor: as it was shown before, or as is usual for its module; the sample stays the same one."""
        shape, key = subject.spec.shape, key_of(subject)
        names = dim_names(subject.ref, subject.class_name, len(shape))
        if (key, shape, names) == (self._key, self._shape, self._names):
            return
        self._key, self._shape, self._names = key, shape, names
        self._usual = usual_axes(names, shape, with_tiles=self._with_tiles)
        choice = self._memory.dims_of(self._kind, key, len(shape)) or DimsChoice(self._usual)
        axes = choice.axes
        for dim, name in enumerate(names):
            if name in _BATCH_NAMES:
                axes = with_entry(axes, dim, self._sample)
        self._stop()
        self._choice = replace(choice, axes=axes.resolved(shape, with_tiles=self._with_tiles))
        self._show()

    def note_drawn(self) -> None:
        """Go on playing, for the picture that was asked for is there."""
        self._is_drawn = True

    @Slot(int, int)
    def set_entry(self, dim: int, entry: int) -> None:
        """Show another entry of a dim that has no role."""
        if self._names[dim] in _BATCH_NAMES:
            self._sample = entry
        self._choose(replace(self._choice, axes=with_entry(self._choice.axes, dim, entry)))

    def step(self, by: int) -> None:
        """Show the next entry of the first dim that has no role, and after the last one the first."""
        dims = other_dims(self._choice.axes, self._shape)
        if dims:
            self.set_entry(dims[0], (self._choice.axes.index[dims[0]] + by) % self._shape[dims[0]])

    def show_axes(self, axes: Axes) -> None:
        """Show the dims and entries of another view, if the tensor has as many dims as that view's."""
        if len(axes.index) == len(self._shape):
            self._choose_axes(axes)

    def reveal(self, index: tuple[int, ...]) -> None:
        """Show the entries that an element is in."""
        axes = self._choice.axes
        for dim in other_dims(axes, self._shape):
            axes = with_entry(axes, dim, index[dim])
        self._choose(replace(self._choice, axes=axes))

    def obey(self, command: Command) -> None:
        """Do what a key asks for, if it is about dims."""
        match command:
            case Command.ROLL:
                self.roll()
            case Command.TRANSPOSE:
                self.transpose()
            case Command.NEXT:
                self.step(1)
            case Command.PREVIOUS:
                self.step(-1)

    @Slot()
    def roll(self) -> None:
        """Let every role move on to the dim before."""
        self._choose_axes(rolled(self._choice.axes, len(self._shape)))

    @Slot()
    def transpose(self) -> None:
        """Swap rows and columns."""
        self._choose_axes(transposed(self._choice.axes))

    @Slot(object)
    def set_part(self, part: Part) -> None:
        """Choose what is drawn of each value."""
        self._choose(replace(self._choice, part=part))

    def set_order(self, order: TileOrder) -> None:
        """Choose how tiles follow each other."""
        self._choose(replace(self._choice, order=order))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Tint the icon again when the theme has changed."""
        if event.type() == QEvent.Type.PaletteChange:
            self._retint()
        return super().eventFilter(watched, event)

    def _retint(self) -> None:
        self._button.setIcon(icon("msc.symbol-array"))

    @Slot(object, int)
    def _give_role(self, role: Role, dim: int) -> None:
        self._choose_axes(give_role(self._choice.axes, role, dim))

    @Slot()
    def _reset(self) -> None:
        self._choose(DimsChoice(self._usual))

    def _choose_axes(self, axes: Axes) -> None:
        self._choose(replace(self._choice, axes=axes))

    def _choose(self, choice: DimsChoice) -> None:
        axes = choice.axes.resolved(self._shape, with_tiles=self._with_tiles)
        choice = replace(choice, axes=axes)
        if choice == self._choice or self._key is None:
            return
        self._choice = choice
        if self._playing is not None and self._playing not in other_dims(axes, self._shape):
            self._stop()
        self._memory.choose_dims(self._kind, self._key, self._choice)
        self._is_drawn = False
        self._show()
        self.changed.emit()

    def _show(self) -> None:
        axes = self._choice.axes
        dims = [
            ShownDim(dim, self._names[dim], self._shape[dim], axes.index[dim]) for dim in other_dims(axes, self._shape)
        ]
        text = self._text()
        has_changed = self._button.text() != text
        if has_changed:
            self._button.setText(text)
        before = self._inline.minimumWidth()
        self._inline.show_dims(dims, self._playing)
        self._popup.show_state(axes, self._names, self._shape)
        self._popup.show_entries(dims, self._playing)
        if self._row is not None:
            self._row.want(self._button, len(self._shape) > 1)
            self._row.want(self._inline, bool(dims))
            if has_changed or before != self._inline.minimumWidth():
                self._row.adapt()

    def _text(self) -> str:
        axes = self._choice.axes
        words = ((self.tr("rows"), axes.rows), (self.tr("columns"), axes.columns), (self.tr("grid"), axes.tiles))
        return "  ".join(f"{word}: {self._names[dim]}" for word, dim in words if dim is not None)

    @Slot()
    def _open(self) -> None:
        corner = self._button.mapToGlobal(QPoint(0, self._button.height()))
        self._popup.adjustSize()
        screen = self._button.screen().availableGeometry()
        corner.setX(max(min(corner.x(), screen.right() - self._popup.width()), screen.left()))
        corner.setY(max(min(corner.y(), screen.bottom() - self._popup.height()), screen.top()))
        self._popup.move(corner)
        self._popup.show()

    @Slot(int, bool)
    def _play(self, dim: int, is_playing: bool) -> None:
        self._playing = dim if is_playing else None
        self._is_drawn = True
        if is_playing:
            self._timer.start()
        else:
            self._timer.stop()
        self._show()

    def _stop(self) -> None:
        self._playing = None
        self._timer.stop()

    @Slot()
    def _play_on(self) -> None:
        if self._playing is not None and self._is_drawn and self._button.isVisible():
            size = self._shape[self._playing]
            self.set_entry(self._playing, (self._choice.axes.index[self._playing] + 1) % size)
