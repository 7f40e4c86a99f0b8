"""Chooses a condition: one page of fields for each kind, made from what the kind is declared with."""

from typing import get_args

import msgspec
from PySide6.QtCore import QCoreApplication, QLocale, Signal
from PySide6.QtGui import QDoubleValidator
from PySide6.QtWidgets import QComboBox, QLineEdit, QSizePolicy, QSpinBox, QStackedWidget, QVBoxLayout, QWidget

from hookscope.figures.breakpoint_words import TITLES
from hookscope.gui.cells import fixed_font
from hookscope.protocol.stops import Condition

_MAX_COUNT = 10**9
_EXPRESSION_HINT = "tensor.abs().max() > 1e3 and call == 0"

Field = QLineEdit | QSpinBox


class ConditionForm(QWidget):
    """A choice of kinds, the first of which is no condition, and the fields of the chosen one.

    Signals:
        edited: Something was typed or chosen.
    """

    edited = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.kind = QComboBox(self)
        self.kind.setAccessibleName(self.tr("Condition"))
        self.kind.addItem(self.tr("Always"), None)
        self._pages = QStackedWidget(self)
        self._pages.addWidget(QWidget(self))
        self._fields: dict[type[Condition], dict[str, Field]] = {}
        for kind in get_args(Condition):
            self.kind.addItem(_translate(TITLES[kind]), kind)
            self._pages.addWidget(self._page_of(kind))
        self._pages.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.kind)
        layout.addWidget(self._pages)
        self.kind.currentIndexChanged.connect(self._pages.setCurrentIndex)
        self.kind.currentIndexChanged.connect(self.edited)

    def fields_of(self, kind: type[Condition]) -> dict[str, Field]:
        """Return the fields of a kind by their names."""
        return self._fields[kind]

    def set_condition(self, condition: Condition | None) -> None:
        """Show a condition."""
        self.kind.setCurrentIndex(self.kind.findData(None if condition is None else type(condition)))
        if condition is None:
            self.kind.setCurrentIndex(0)
            return
        for name, field in self._fields[type(condition)].items():
            value = getattr(condition, name)
            if isinstance(field, QSpinBox):
                field.setValue(value)
            else:
                field.setText(value if isinstance(value, str) else f"{value:g}")

    def condition(self) -> Condition | None:
        """Return what is chosen.

        Raises:
            ValueError: A field has no value that could be taken; the message says which.
        """
        kind = self.kind.currentData()
        if kind is None:
            return None
        values = {name: _value(field) for name, field in self._fields[kind].items()}
        if any(value == "" for value in values.values()):
            raise ValueError(self.tr("The condition needs a value."))
        try:
            chosen: Condition = msgspec.convert(values, kind, strict=False)
        except msgspec.ValidationError as error:
            raise ValueError(self.tr("This is no number.")) from error
        return chosen

    def _page_of(self, kind: type[Condition]) -> QWidget:
        page = QWidget(self)
        layout = QVBoxLayout(page)
        layout.setContentsMargins(0, 0, 0, 0)
        self._fields[kind] = {field.name: _field(field.type, page) for field in msgspec.structs.fields(kind)}
        for widget in self._fields[kind].values():
            widget.setAccessibleName(_translate(TITLES[kind]))
            layout.addWidget(widget)
            (widget.valueChanged if isinstance(widget, QSpinBox) else widget.textChanged).connect(self.edited)
        return page


def _field(type_: object, parent: QWidget) -> Field:
    if type_ is int:
        box = QSpinBox(parent)
        box.setRange(1, _MAX_COUNT)
        return box
    line = QLineEdit(parent)
    line.setFont(fixed_font(parent.font()))
    if type_ is float:
        validator = QDoubleValidator(line)
        validator.setLocale(QLocale.c())
        line.setValidator(validator)
        line.setPlaceholderText("1000")
    else:
        line.setPlaceholderText(_EXPRESSION_HINT)
    return line


def _value(field: Field) -> object:
    return field.value() if isinstance(field, QSpinBox) else field.text().strip()


def _translate(english: str) -> str:
    return QCoreApplication.translate("breakpoints", english)
