"""The element of a tensor that is pointed at or was picked: its index and its exact value."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from hookscope.gui.panels.words import word_no_picture
from hookscope.protocol.events import ViewReady
from hookscope.protocol.views import NoPicture, Place, PlaceRequest, Target, Value, ValueRequest, ViewRequest

Ask = Callable[[ViewRequest, Callable[[ViewReady], None]], None]
"""Asks something about the tensor of a panel in the step that it shows. A newer question of the same kind for the same
receiver replaces one that has not been answered; a question may stay without an answer."""

_REST_MS = 120
"""So long a pointer rests before the exact value under it is asked for."""


@dataclass(frozen=True)
class Picked:
    """An element that was picked.

    Attributes:
        index: Its index in the tensor.
        text: Its value, exact as soon as it has been fetched; `""` until anything is known.
    """

    index: tuple[int, ...]
    text: str = ""

    @property
    def words(self) -> str:
        """The index and the value as text."""
        return f"{index_text(self.index)} = {self.text or '…'}"


class Picker(QObject):
    """Remembers what was picked, and fetches exact values of it and of what the pointer rests on.

    Signals:
        changed: Another element is picked, or its value has become known.
        hovered: Text with the exact value of the element that the pointer rests on.
        found: The index of an element that was looked for (`tuple`).
        missed: Words: there is no such element.
    """

    changed = Signal()
    hovered = Signal(str)
    found = Signal(object)
    missed = Signal(str)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._ask: Ask | None = None
        self._picked: Picked | None = None
        self._hovered: tuple[int, ...] | None = None
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(_REST_MS)
        self._rest.timeout.connect(self._fetch_hovered)

    def use(self, ask: Ask) -> None:
        """Take what asks the debuggee."""
        self._ask = ask

    @property
    def can_ask(self) -> bool:
        """Whether there is somebody to ask."""
        return self._ask is not None

    @property
    def picked(self) -> Picked | None:
        """The element that was picked last."""
        return self._picked

    def pick(self, index: Sequence[int], text: str) -> None:
        """Pick an element; `text` is what the picture knows of its value."""
        self._picked = Picked(tuple(index), text)
        self.changed.emit()
        self._fetch_picked()

    def forget(self) -> None:
        """Pick nothing."""
        if self._picked is not None:
            self._picked = None
            self.changed.emit()

    def renew(self, text: str | None) -> None:
        """Take the value of a new picture for the element that is picked; `None` when the picture has it not."""
        if self._picked is not None:
            self._picked = Picked(self._picked.index, text or "")
            self._fetch_picked()

    def hover(self, index: tuple[int, ...] | None) -> None:
        """Note what the pointer is on."""
        self._hovered = index
        if index is None:
            self._rest.stop()
        elif self._ask is not None:
            self._rest.start()

    def find(self, what: Target) -> bool:
        """Look for an element; `found` or `missed` tells. Returns whether there is somebody to ask."""
        if self._ask is not None:
            self._ask(PlaceRequest(what), self._take_place)
        return self._ask is not None

    def _fetch_picked(self) -> None:
        if self._ask is not None and self._picked is not None:
            self._ask(ValueRequest(self._picked.index), self._take_picked)

    @Slot()
    def _fetch_hovered(self) -> None:
        if self._ask is not None and self._hovered is not None:
            self._ask(ValueRequest(self._hovered), self._take_hovered)

    def _take_picked(self, answer: ViewReady) -> None:
        value = answer.result
        if isinstance(value, Value) and self._picked is not None and value.index == self._picked.index:
            self._picked = Picked(value.index, value.text)
            self.changed.emit()

    def _take_hovered(self, answer: ViewReady) -> None:
        value = answer.result
        if isinstance(value, Value) and value.index == self._hovered:
            self.hovered.emit(f"{index_text(value.index)} = {value.text}")

    def _take_place(self, answer: ViewReady) -> None:
        match answer.result:
            case Place(index=index):
                self.found.emit(index)
            case NoPicture() as nothing:
                self.missed.emit(word_no_picture(nothing, answer.spec, answer.badges))


def index_text(index: Sequence[int]) -> str:
    """Write an index as in Python."""
    return f"[{', '.join(map(str, index))}]"


def parse_index(text: str, shape: Sequence[int]) -> tuple[int, ...]:
    """Read an index: numbers with commas or blanks between them; negative ones count from the end.

    Raises:
        ValueError: It is not one of that shape; the text says what was expected.
    """
    parts = text.strip().strip("[]()").replace(",", " ").split()
    try:
        numbers = [int(part) for part in parts]
    except ValueError:
        numbers = []
    if len(numbers) != len(shape):
        raise ValueError(f"{len(shape)}")
    index = tuple(number + size if number < 0 else number for number, size in zip(numbers, shape, strict=True))
    for dim, (entry, size) in enumerate(zip(index, shape, strict=True)):
        if not 0 <= entry < size:
            raise ValueError(f"dim {dim}: 0 … {size - 1}")
    return index
