"""Chooses one kind of struct and the values of its fields."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, QSignalBlocker, Qt, Signal, Slot
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QComboBox, QFormLayout, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from hookscope.figures.intervention_kinds import KindWords
from hookscope.gui.interventions.fields import TickField, ValueField

Fields = Mapping[str, tuple[str, ValueField]]
"""Name of each field -> what it is called, and its input."""


_FIRST = 1000
"""A share of a row beside which that of a stretch is nothing."""


@dataclass
class _Kind:
    """A kind that is offered; its page is made when it is chosen for the first time."""

    kind: type | None
    page: "KindPage | None" = None


class KindPage(QWidget):
    """The fields of one kind, each with its name.

    Args:
        fields: The fields.
        is_inline: Whether they stand in one row, the first one without a name: then the kind itself is its name.
        parent: Qt parent.
    """

    def __init__(self, fields: Fields, parent: QWidget, *, is_inline: bool) -> None:
        super().__init__(parent)
        self.fields = {name: field for name, (_, field) in fields.items()}
        for title, field in fields.values():
            field.setParent(self)
            field.setAccessibleName(title)
            proxy = field.focusProxy()
            if proxy is not None:
                proxy.setAccessibleName(title)
                proxy.setToolTip(title)
        self._lay_in_a_row(fields) if is_inline else self._lay_below_each_other(fields)

    def _lay_in_a_row(self, fields: Fields) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(self.fontMetrics().averageCharWidth())
        for number, (title, field) in enumerate(fields.values()):
            if number:
                label = QLabel(title, self)
                label.setFixedHeight(field.sizeHint().height())
                row.addWidget(label, 0, Qt.AlignmentFlag.AlignTop)
            row.addWidget(field, 0 if number else 1, Qt.AlignmentFlag.AlignTop)

    def _lay_below_each_other(self, fields: Fields) -> None:
        rows = QFormLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setHorizontalSpacing(self.fontMetrics().averageCharWidth() * 2)
        rows.setVerticalSpacing(4)
        rows.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        for title, field in fields.values():
            rows.addRow("" if isinstance(field, TickField) else title, field)


class KindForm(QWidget):
    """A choice of kinds; below it are the fields of the one that is chosen, and what is wrong with them.

    A subclass says which kinds there are, and makes their fields.

    Args:
        title: What is chosen.
        parent: Qt parent.
        is_inline: Whether the fields stand behind the choice instead.

    Signals:
        edited: A person chose another kind or changed a field.
        settled: A person is done with a change.
    """

    edited = Signal()
    settled = Signal()

    def __init__(self, title: str, parent: QWidget | None = None, *, is_inline: bool = False) -> None:
        super().__init__(parent)
        self._is_inline = is_inline
        self.kind = QComboBox(self)
        self.kind.setAccessibleName(title)
        self._error = QLabel(self)
        self._error.setProperty("trouble", True)
        self._error.setTextFormat(Qt.TextFormat.PlainText)
        self._error.setWordWrap(True)
        self._error.hide()
        self._kinds: list[_Kind] = []
        self._rows = QVBoxLayout(self)
        self._rows.setContentsMargins(0, 0, 0, 0)
        self._rows.setSpacing(4)
        self._first_row = QHBoxLayout()
        self._first_row.addWidget(self.kind, 0 if is_inline else 1, Qt.AlignmentFlag.AlignTop)
        if is_inline:
            self._first_row.addStretch()
        self._rows.addLayout(self._first_row)
        self._rows.addWidget(self._error)
        self.kind.currentIndexChanged.connect(self._show_page)
        self.kind.activated.connect(self.edited)
        self.kind.activated.connect(self.settled)

    @property
    def error(self) -> str:
        """What is said to be wrong with all of it; `""` when nothing is."""
        return self._error.text()

    @property
    def chosen_kind(self) -> type | None:
        """The kind that is chosen."""
        return self._kinds[self.kind.currentIndex()].kind

    def fields_of(self, kind: type | None) -> Mapping[str, ValueField]:
        """Return the fields of a kind by their names."""
        return self._page_of(next(offered for offered in self._kinds if offered.kind is kind)).fields

    def make_fields(self, kind: type | None) -> Fields:
        """Return the inputs of a kind, with defaults in them; asked for once a kind."""
        raise NotImplementedError

    def has_page(self, kind: type | None) -> bool:
        """Whether the inputs of a kind are made."""
        return any(offered.kind is kind and offered.page is not None for offered in self._kinds)

    def add_kind(self, kind: type | None, words: KindWords) -> None:
        """Offer a kind; `None` stands for none."""
        self._kinds.append(_Kind(kind))
        self.kind.addItem(_translate(words.title))
        self.kind.setItemData(self.kind.count() - 1, _translate(words.sentence), Qt.ItemDataRole.ToolTipRole)

    def set_kinds_enabled(self, kinds: Collection[type | None], *, enabled: bool) -> None:
        """Let some kinds be chosen or not."""
        items = self.kind.model()
        assert isinstance(items, QStandardItemModel)
        for row, offered in enumerate(self._kinds):
            if offered.kind in kinds:
                items.item(row).setEnabled(enabled)

    def set_struct(self, struct: object) -> None:
        """Show a struct, or with `None` none; nothing is emitted."""
        kind = None if struct is None else type(struct)
        row = next(row for row, offered in enumerate(self._kinds) if offered.kind is kind)
        with QSignalBlocker(self.kind):
            self.kind.setCurrentIndex(row)
        self._show_page(row)
        for name, field in self.fields_of(kind).items():
            field.set_value(getattr(struct, name))
        self._tell_all("")

    def struct(self) -> object:
        """Return the struct that is typed, or `None`; each field says what is wrong with it.

        Raises:
            ValueError: A field has no value; the message is for the person.
        """
        kind = self.chosen_kind
        values, errors = {}, []
        for name, field in self.fields_of(kind).items():
            try:
                values[name] = field.value()
                field.tell("")
            except ValueError as error:
                errors.append(str(error))
                field.tell(str(error))
        if errors:
            raise ValueError(errors[0])
        return None if kind is None else kind(**values)

    def tell(self, error: str) -> None:
        """Say below the fields what is wrong; `""` when nothing is."""
        self._error.setText(error)
        self._error.setVisible(bool(error))

    def select_first(self) -> None:
        """Give the keyboard to the first field, or to the choice of kinds where there is none."""
        fields = list(self.fields_of(self.chosen_kind).values())
        if fields:
            fields[0].select()
        else:
            self.kind.setFocus(Qt.FocusReason.OtherFocusReason)

    def _page_of(self, offered: _Kind) -> KindPage:
        if offered.page is None:
            page = offered.page = KindPage(self.make_fields(offered.kind), self, is_inline=self._is_inline)
            for field in page.fields.values():
                field.edited.connect(self.edited)
                field.settled.connect(self.settled)
            page.hide()
            if self._is_inline:
                self._first_row.insertWidget(1, page, _FIRST)
            else:
                self._rows.insertWidget(self._rows.indexOf(self._error), page)
        return offered.page

    def _tell_all(self, error: str) -> None:
        for offered in self._kinds:
            for field in offered.page.fields.values() if offered.page is not None else ():
                field.tell(error)
        self.tell(error)

    @Slot(int)
    def _show_page(self, row: int) -> None:
        for other, offered in enumerate(self._kinds):
            if other == row:
                page = self._page_of(offered)
                page.setVisible(bool(page.fields))
            elif offered.page is not None:
                offered.page.hide()
        self.kind.setToolTip(str(self.kind.itemData(row, Qt.ItemDataRole.ToolTipRole) or ""))


def _translate(english: str) -> str:
    return QCoreApplication.translate("interventions", english)
