"""A picture whose elements can be picked: with the mouse, with keys, by their index, and as the largest or smallest."""

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPoint, Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu

from hookscope.figures.scenes import Scene
from hookscope.gui.panels.go_to_line import GoToLine
from hookscope.gui.panels.image_view import Picture
from hookscope.gui.panels.keys import Command
from hookscope.gui.panels.picker import Ask, Picker, index_text
from hookscope.gui.panels.picture_view import PIXELS, PictureView
from hookscope.gui.panels.subject import Subject
from hookscope.gui.panels.tensor_memory import TensorMemory, key_of
from hookscope.protocol.events import ViewReady
from hookscope.protocol.views import Target

_FAR = 10
_MOVES = {
    Command.LEFT: (0, -1),
    Command.RIGHT: (0, 1),
    Command.UP: (-1, 0),
    Command.DOWN: (1, 0),
    Command.FAR_LEFT: (0, -_FAR),
    Command.FAR_RIGHT: (0, _FAR),
    Command.FAR_UP: (-_FAR, 0),
    Command.FAR_DOWN: (_FAR, 0),
}
_TARGETS = {
    Command.MAXIMUM: Target.MAXIMUM,
    Command.MINIMUM: Target.MINIMUM,
    Command.NON_FINITE: Target.FIRST_NON_FINITE,
}


@dataclass(frozen=True)
class Tile:
    """A tile of a picture: the dim that the tiles are the entries of, its name, and the entry."""

    dim: int
    name: str
    entry: int


class PickingView(PictureView):
    """Does what keys and mouse ask for. Subclasses say what is in the picture.

    Attributes:
        picker: The element that was picked.

    Signals:
        picked: Another element is picked (`Picked`), or none any more (`None`).
        change_requested: An entry of a dim (`int`, `int`) is to be changed by an intervention.
        lock_requested: The tensor is to be shown in a panel that stays with it.
    """

    picked = Signal(object)
    change_requested = Signal(int, int)
    lock_requested = Signal()

    def __init__(self, *, with_axes: bool) -> None:
        super().__init__(with_axes=with_axes)
        self.picker = Picker(self)
        self._under = (-1, -1)
        self._go_to = GoToLine(self.image)
        self._menu = QMenu(self)
        self.image.pointed.connect(self._point)
        self.image.clicked.connect(self._pick)
        self.image.menu_requested.connect(self._open_menu)
        self.image.commanded.connect(self._obey)
        self.picker.changed.connect(self._show_picked)
        self.picker.hovered.connect(self.pointed)
        self.picker.found.connect(self.go_to)
        self.picker.missed.connect(self.pointed)
        self._go_to.chosen.connect(self.go_to)
        self._go_to.refused.connect(self.pointed)
        self._go_to.closed.connect(self.image.setFocus)

    def use(self, memory: TensorMemory, ask: Ask) -> None:
        """Share the choices of a window, and ask the debuggee."""
        super().use(memory, ask)
        self.picker.use(ask)

    def aim(self, subject: Subject) -> None:
        """Turn to a tensor; what was picked in another one is forgotten."""
        is_other = key_of(subject) != self._key
        super().aim(subject)
        if is_other:
            self.picker.forget()

    def show_scene(self, answer: ViewReady, picture: Picture, scene: Scene) -> None:
        """Draw a picture, and outline in it what is picked."""
        super().show_scene(answer, picture, scene)
        picked = self.picker.picked
        if picked is not None:
            place = scene.place_of(picked.index)
            self.picker.renew(self.value_text(*place) if place is not None else None)
            self.image.outline(place)
        if self._under[0] >= 0:
            self._point(*self._under)

    @property
    def has_elements(self) -> bool:
        """Whether there is a picture, and more than one element."""
        return self._scene is not None and self._subject is not None and bool(self._subject.spec.shape)

    def ask_for_index(self) -> None:
        """Ask for an index at the top of the picture."""
        if self._subject is not None and self._subject.spec.shape:
            picked = self.picker.picked
            self._go_to.open(self._subject.spec.shape, self.dim_names(), picked.index if picked else None)

    def look_for(self, what: Target) -> None:
        """Pick a value, which keys move on from."""
        self.image.setFocus(Qt.FocusReason.OtherFocusReason)
        if self.picker.find(what) or self._picture is None or self._scene is None or self._picture.is_colored:
            return
        place = _find_shown(self._picture, what)
        index = self._scene.index_at(*place) if place is not None else None
        if index is None:
            self.pointed.emit(self.tr("There is no such value in the picture."))
        else:
            self.go_to(index)

    def reveal(self, index: tuple[int, ...]) -> None:
        """Ask for the picture that an element is in."""
        raise NotImplementedError

    def tile_at(self, index: tuple[int, ...]) -> Tile | None:
        """Return the tile that an element is in, if there are tiles."""
        del index
        return None

    def dim_names(self) -> tuple[str, ...]:
        """Return the names of the tensor's dims."""
        raise NotImplementedError

    def command(self, command: Command) -> None:
        """Do what a key asks for that is about dims or pages."""

    def add_to_menu(self, menu: QMenu, tile: Tile | None) -> None:
        """Add entries of the kind of view to the menu of the mouse."""

    @Slot(object)
    def go_to(self, index: tuple[int, ...]) -> None:
        """Pick an element, and show the picture that it is in."""
        place = self._scene.place_of(index) if self._scene is not None else None
        self.picker.pick(index, self.value_text(*place) if place is not None else "")
        if place is None:
            self.reveal(index)

    @Slot(int, int)
    def _point(self, row: int, column: int) -> None:
        self._under = row, column
        index = self._scene.index_at(row, column) if self._scene is not None and row >= 0 else None
        self.picker.hover(index)
        if index is None or self._scene is None:
            picked = self.picker.picked
            self.pointed.emit(picked.words if picked is not None else "")
            return
        sign = "=" if self._scene.is_exact(index) else "≈"
        self.pointed.emit(f"{index_text(index)} {sign} {self.value_text(row, column)}")

    @Slot(int, int)
    def _pick(self, row: int, column: int) -> None:
        index = self._scene.index_at(row, column) if self._scene is not None else None
        if index is not None:
            self.picker.pick(index, self.value_text(row, column))

    @Slot()
    def _show_picked(self) -> None:
        picked = self.picker.picked
        place = None
        if picked is not None and self._scene is not None:
            place = self._scene.place_of(picked.index)
        self.image.outline(place)
        self.pointed.emit(picked.words if picked is not None else "")
        self.picked.emit(picked)

    @Slot(object)
    def _obey(self, command: Command) -> None:
        if command in _MOVES:
            self._move(*_MOVES[command])
        elif command in _TARGETS:
            self.look_for(_TARGETS[command])
        else:
            match command:
                case Command.NEGATIVE:
                    self.range_bar.marks_negative.toggle()
                case Command.CLIPPED:
                    self.range_bar.marks_clipped.toggle()
                case Command.FIT:
                    self.control.fit_once()
                case Command.UNDO:
                    self.control.undo()
                case Command.REDO:
                    self.control.redo()
                case Command.FORGET:
                    self.picker.forget()
                case Command.GO_TO:
                    self.ask_for_index()
                case Command.MENU | Command.MENU_TOO:
                    self._open_menu_at_picked()
                case _:
                    self.command(command)

    def _move(self, down: int, right: int) -> None:
        scene, picture = self._scene, self._picture
        if scene is None or picture is None:
            return
        picked = self.picker.picked
        place = scene.place_of(picked.index) if picked is not None else None
        if place is None:
            self._pick(0, 0)
            return
        for _ in range(max(abs(down), abs(right))):
            after = self._neighbour(place, np.sign(down), np.sign(right))
            if after is None:
                break
            place = after
        self._pick(*place)

    def _neighbour(self, place: tuple[int, int], down: int, right: int) -> tuple[int, int] | None:
        """Return the next place that is drawn, across the gap between two tiles; `None` at the edge."""
        assert self._scene is not None
        assert self._picture is not None
        rows, columns = self._picture.size
        row, column = place
        while True:
            row, column = row + int(down) * self._picture.stride[0], column + int(right) * self._picture.stride[1]
            if not (0 <= row < rows and 0 <= column < columns):
                return None
            if self._scene.index_at(row, column) is not None:
                return row, column

    def _open_menu_at_picked(self) -> None:
        picked = self.picker.picked
        place = self._scene.place_of(picked.index) if picked is not None and self._scene is not None else None
        self._open_menu(*(place or (-1, -1)), self.image.mapToGlobal(self.image.rect().center()))

    @Slot(int, int, object)
    def _open_menu(self, row: int, column: int, corner: QPoint) -> None:
        index = self._scene.index_at(row, column) if self._scene is not None and row >= 0 else None
        self._menu.clear()
        if index is not None:
            self.picker.pick(index, self.value_text(row, column))
            tile = self.tile_at(index)
            if tile is not None:
                text = self.tr("Change {name} {entry}…").format(name=tile.name, entry=tile.entry)
                self._menu.addAction(text, self._request_change)
            self.add_to_menu(self._menu, tile)
            self._menu.addSeparator()
            self._menu.addAction(self.tr("Copy index"), self._copy_index)
            self._menu.addAction(self.tr("Copy value"), self._copy_value)
            self._menu.addSeparator()
        else:
            self.add_to_menu(self._menu, None)
        self._menu.addAction(self.tr("Show everything"), self.image.show_all)
        self._menu.addAction(self.tr("Open in a locked panel")).triggered.connect(self.lock_requested)
        self._menu.popup(corner)

    @Slot()
    def _request_change(self) -> None:
        picked = self.picker.picked
        tile = self.tile_at(picked.index) if picked is not None else None
        if tile is not None:
            self.change_requested.emit(tile.dim, tile.entry)

    @Slot()
    def _copy_index(self) -> None:
        if self.picker.picked is not None:
            QGuiApplication.clipboard().setText(index_text(self.picker.picked.index))

    @Slot()
    def _copy_value(self) -> None:
        if self.picker.picked is not None:
            QGuiApplication.clipboard().setText(self.picker.picked.text)


def _find_shown(picture: Picture, what: Target) -> tuple[int, int] | None:
    """Find an element among those that are drawn."""
    mask = picture.mask if picture.mask is not None else np.zeros(picture.pixels.shape, np.uint8)
    if what is Target.FIRST_NON_FINITE:
        places = np.flatnonzero((mask > 0) & (mask < len(PIXELS)))
    else:
        sign = 1.0 if what is Target.MAXIMUM else -1.0
        values = np.where(mask == 0, picture.pixels * np.float32(sign), -np.inf)
        places = np.array([values.argmax()]) if (mask == 0).any() else np.zeros(0, np.int64)
    if not places.size:
        return None
    row, column = np.unravel_index(int(places[0]), mask.shape)
    return int(row) * picture.stride[0], int(column) * picture.stride[1]
