"""Chooses a change: one page a kind, made from the fields that the kind is declared with."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, get_args, get_origin

import msgspec
from msgspec import NODEFAULT, Meta
from msgspec.structs import FieldInfo
from PySide6.QtCore import QCoreApplication, QSignalBlocker
from PySide6.QtWidgets import QCheckBox, QWidget

from hookscope.figures.intervention_kinds import CHANGES, STRAIGHT_THROUGH
from hookscope.figures.slider_scale import SliderScale
from hookscope.gui.interventions.fields import LineField, NumberField, TickField, ValueField, WholeField
from hookscope.gui.interventions.kind_form import Fields, KindForm
from hookscope.gui.interventions.source_fields import ArrayField, FileField, RefField, StepField
from hookscope.protocol.identity import TensorRef
from hookscope.protocol.tensor_changes import (
    Change,
    Expression,
    FromStep,
    PlainChange,
    StopGradient,
    StraightThrough,
)
from hookscope.protocol.tensors import Array

_TITLES = {"tensor": "Values", "ref": "Tensor"}
"""Names of fields that are declared without one."""


class ChangeForm(KindForm):
    """Shows any change; on the forward pass it may be straight-through."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(QCoreApplication.translate("interventions", "Change"), parent)
        self._steps: tuple[int, ...] = ()
        self._refs: tuple[TensorRef, ...] = ()
        self.straight = QCheckBox(_translate(STRAIGHT_THROUGH.title), self)
        self.straight.setToolTip(_translate(STRAIGHT_THROUGH.sentence))
        self._rows.addWidget(self.straight)
        for kind, words in CHANGES.items():
            self.add_kind(kind, words)
        self.straight.toggled.connect(self.edited)
        self.straight.toggled.connect(self.settled)

    def set_change(self, change: Change) -> None:
        """Show a change; nothing is emitted."""
        with QSignalBlocker(self.straight):
            self.straight.setChecked(isinstance(change, StraightThrough))
        self.set_struct(change.change if isinstance(change, StraightThrough) else change)

    def change(self) -> Change:
        """Return the change that is typed.

        Raises:
            ValueError: A field has no value; the message is for the person, and stands at the field.
        """
        change: PlainChange = self.struct()  # type: ignore[assignment]
        if isinstance(change, Expression):
            self._check_syntax(change)
        is_straight = self.straight.isChecked() and not self.straight.isHidden()
        return StraightThrough(change) if is_straight else change

    def set_forward(self, *, is_forward: bool) -> None:
        """Offer what there is on the forward pass alone, or not."""
        self.straight.setVisible(is_forward)
        self.set_kinds_enabled({StopGradient}, enabled=is_forward)

    def offer_sources(self, steps: Sequence[int], refs: Sequence[TensorRef]) -> None:
        """Offer steps, the newest first, and tensors of the module to take values from."""
        self._steps, self._refs = tuple(steps), tuple(refs)
        if self.has_page(FromStep):
            self._offer(self.fields_of(FromStep), is_new=self.chosen_kind is not FromStep)

    def make_fields(self, kind: type | None) -> Fields:
        """See `KindForm.make_fields`."""
        assert kind is not None
        fields = {info.name: (_title_of(info), _field_of(info)) for info in msgspec.structs.fields(kind)}
        if kind is FromStep:
            self._offer({name: field for name, (_, field) in fields.items()}, is_new=True)
        return fields

    def _offer(self, fields: Mapping[str, ValueField], *, is_new: bool) -> None:
        """Give the fields of `FromStep` what there is to choose from, and the newest step when none was chosen yet."""
        step, ref = fields["step"], fields["ref"]
        assert isinstance(step, StepField)
        assert isinstance(ref, RefField)
        step.offer(self._steps)
        ref.offer(self._refs)
        if self._steps and is_new:
            step.set_value(self._steps[0])

    def _check_syntax(self, change: Expression) -> None:
        """Say what is no Python; what it means, the debuggee says."""
        field = self.fields_of(Expression)["text"]
        try:
            compile(change.text.strip(), "<expression>", "eval")
        except (SyntaxError, ValueError) as error:
            offset = getattr(error, "offset", None) or 1
            message = _translate("{error}, column {column}").format(error=getattr(error, "msg", error), column=offset)
            field.tell(message)
            raise ValueError(message) from error


def _title_of(info: FieldInfo) -> str:
    meta = _meta_of(info)
    return _translate(meta.title or _TITLES.get(info.name, info.name))


def _meta_of(info: FieldInfo) -> Meta:
    return get_args(info.type)[1] if get_origin(info.type) is Annotated else Meta()


def _field_of(info: FieldInfo) -> ValueField:
    """Return the input of a field, with its default in it."""
    meta = _meta_of(info)
    type_ = get_args(info.type)[0] if get_origin(info.type) is Annotated else info.type
    field = _FIELDS[type_](meta)
    if info.default is not NODEFAULT:
        field.set_value(info.default)
    return field


def _number_field(meta: Meta) -> ValueField:
    return _number(meta, is_optional=False)


def _optional_number_field(meta: Meta) -> ValueField:
    return _number(meta, is_optional=True)


def _number(meta: Meta, *, is_optional: bool) -> ValueField:
    extra = meta.extra or {}
    low, high = extra.get("slider", (0.0, 0.0))
    scale = SliderScale(low, high, log=extra.get("log", False)) if "slider" in extra else None
    least = next((float(bound) for bound in (meta.gt, meta.ge) if bound is not None), -math.inf)
    return NumberField(scale, least, is_above=meta.gt is not None, is_optional=is_optional)


def _whole_field(meta: Meta) -> ValueField:
    if (meta.extra or {}).get("step"):
        return StepField()
    return WholeField() if meta.ge is None else WholeField(int(meta.ge))


def _tick_field(meta: Meta) -> ValueField:
    return TickField(_translate(meta.title or ""))


def _text_field(meta: Meta) -> ValueField:
    extra = meta.extra or {}
    return FileField(extra["file"]) if "file" in extra else LineField(str, hint=extra.get("hint", ""))


def _array_field(_: Meta) -> ValueField:
    return ArrayField()


def _ref_field(_: Meta) -> ValueField:
    return RefField()


_FIELDS: dict[object, Callable[[Meta], ValueField]] = {
    float: _number_field,
    float | None: _optional_number_field,
    int: _whole_field,
    bool: _tick_field,
    str: _text_field,
    Array: _array_field,
    TensorRef | None: _ref_field,
}
"""One row a type of field."""


def _translate(english: str) -> str:
    return QCoreApplication.translate("interventions", english)
