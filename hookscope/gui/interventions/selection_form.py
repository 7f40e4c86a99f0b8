"""Chooses which elements of a tensor are changed."""

from collections.abc import Callable

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from hookscope.figures.intervention_kinds import EVERYTHING, SELECTIONS
from hookscope.figures.selection_text import format_index, format_numbers, parse_index, parse_numbers
from hookscope.gui.interventions.fields import LineField, NumberField, ValueField, WholeField
from hookscope.gui.interventions.kind_form import Fields, KindForm
from hookscope.protocol.interventions import Channels, Heads, Index, MagnitudeAbove, Selection

_FIRST_LIMIT = 1.0


class SelectionForm(KindForm):
    """Shows any selection, or none, which is everything."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(QCoreApplication.translate("interventions", "Elements"), parent, is_inline=True)
        self.add_kind(None, EVERYTHING)
        for kind, words in SELECTIONS.items():
            self.add_kind(kind, words)

    def make_fields(self, kind: type | None) -> Fields:
        """See `KindForm.make_fields`."""
        if kind is None:
            return {}
        return {name: (_translate(title), make()) for name, (title, make) in _FIELDS[kind].items()}

    def set_selection(self, selection: Selection | None) -> None:
        """Show a selection; nothing is emitted."""
        self.set_struct(selection)

    def selection(self) -> Selection | None:
        """Return the selection that is typed.

        Raises:
            ValueError: A field has no value; the message is for the person, and stands at the field.
        """
        selection: Selection | None = self.struct()  # type: ignore[assignment]
        return selection


def index_field() -> LineField:
    """Return the input of an index."""
    return LineField(_read_parts, _write_parts, ":, 3")


def _numbers_field() -> ValueField:
    return LineField(_read_numbers, _write_numbers, "3, 5, 8-11")


def _dim_field() -> ValueField:
    field = WholeField()
    field.set_value(1)
    return field


def _count_field() -> ValueField:
    field = WholeField(1)
    field.set_value(8)
    return field


def _limit_field() -> ValueField:
    field = NumberField(least=0.0)
    field.set_value(_FIRST_LIMIT)
    return field


_FIELDS: dict[type[Selection], dict[str, tuple[str, Callable[[], ValueField]]]] = {
    Index: {"parts": ("Index", index_field)},
    Channels: {"numbers": ("Numbers", _numbers_field), "dim": ("Dim", _dim_field)},
    Heads: {"numbers": ("Heads", _numbers_field), "count": ("Of", _count_field)},
    MagnitudeAbove: {"limit": ("|x| above", _limit_field)},
}
"""Name of each field -> what it is called, and its input."""


def _read_parts(text: str) -> object:
    return parse_index(text, _translate).parts


def _write_parts(parts: object) -> str:
    return format_index(Index(parts)) if isinstance(parts, tuple) else ""


def _read_numbers(text: str) -> object:
    return parse_numbers(text, _translate)


def _write_numbers(numbers: object) -> str:
    return format_numbers(numbers) if isinstance(numbers, tuple) else ""


def _translate(english: str) -> str:
    return QCoreApplication.translate("interventions", english)
