"""The dialog that changes one breakpoint. What the debuggee refuses is told beside the field, and nothing changes."""

import msgspec
from PySide6.QtCore import QCoreApplication, Qt, Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QCompleter,
    QDialog,
    QFormLayout,
    QLabel,
    QLineEdit,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from hookscope.client.state import SessionState
from hookscope.figures.breakpoint_words import PHASES
from hookscope.gui.breakpoints.book import BreakpointBook
from hookscope.gui.breakpoints.condition_form import ConditionForm
from hookscope.gui.dialogs.buttons import accept_buttons
from hookscope.gui.session_bridge import SessionBridge
from hookscope.protocol.stops import Breakpoint

_MAX_HITS = 10**9
_WITHOUT_ANSWER = frozenset({SessionState.NO_MODEL, SessionState.LOST, SessionState.LAUNCHING, SessionState.LOADING})


class BreakpointForm(QDialog):
    """Shows one breakpoint, which may be a new one; OK puts it into the book.

    Args:
        bridge: The session.
        book: Where it is put.
        point: What is shown at first.
        parent: The main window.
    """

    def __init__(self, bridge: SessionBridge, book: BreakpointBook, point: Breakpoint, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Breakpoint"))
        self._session = bridge.session
        self._book = book
        self._point = point
        self._former = book.find(point.id)
        self._is_waiting = False
        self.where, self.operation, self.log = QLineEdit(self), QLineEdit(self), QLineEdit(self)
        self.phases = {phase: QCheckBox(_translate(text), self) for phase, text in PHASES.items()}
        self.condition = ConditionForm(self)
        self.hits = QSpinBox(self)
        self.hits.setRange(1, _MAX_HITS)
        self.error = QLabel(self)
        self.error.setProperty("trouble", True)
        self.error.setTextFormat(Qt.TextFormat.PlainText)
        self.error.setWordWrap(True)
        self.error.hide()
        self._assemble()
        self._show(point)
        self.condition.edited.connect(self._check_syntax)
        self.condition.edited.connect(self.adjustSize)
        book.answered.connect(self._hear)

    def _assemble(self) -> None:
        self.where.setPlaceholderText(self.tr("features.*  or  class:Conv2d"))
        self.where.setToolTip(self.tr("A module, a glob over modules, or class: and a class or a glob over classes."))
        tree = self._session.tree
        if tree is not None:
            self.where.setCompleter(QCompleter([module.path for module in tree.modules if module.path], self.where))
        self.operation.setPlaceholderText(self.tr("none: the module itself; sqrt, or sqrt:0 for the first one"))
        self.log.setPlaceholderText(self.tr("write a line instead of stopping: {path} has norm {tensor.norm()}"))
        self.log.setToolTip(self.tr("In braces: tensor, path, call, step, hits. A log point never stops."))
        form = QFormLayout()
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.setHorizontalSpacing(self.fontMetrics().averageCharWidth() * 3)
        form.addRow(self.tr("&Module"), self.where)
        form.addRow(self.tr("&Operation in it"), self.operation)
        phases = QVBoxLayout()
        phases.setSpacing(2)
        for box in self.phases.values():
            phases.addWidget(box)
        form.addRow(self.tr("At"), phases)
        form.addRow(self.tr("&Condition"), self.condition)
        form.addRow("", self.error)
        form.addRow(self.tr("From &hit"), self.hits)
        form.addRow(self.tr("&Log"), self.log)
        for text, widget in ((self.tr("Module"), self.where), (self.tr("Operation"), self.operation)):
            widget.setAccessibleName(text)
        self.log.setAccessibleName(self.tr("Log"))
        self.hits.setAccessibleName(self.tr("From hit"))
        buttons, self.ok_button = accept_buttons(self, self.tr("O&K"))
        layout = QVBoxLayout(self)
        layout.setSpacing(self.fontMetrics().height())
        layout.addLayout(form)
        layout.addWidget(buttons)
        self.setMinimumWidth(self.fontMetrics().averageCharWidth() * 76)

    def _show(self, point: Breakpoint) -> None:
        self.where.setText(point.pattern)
        self.operation.setText(point.operation)
        for phase, box in self.phases.items():
            box.setChecked(phase in point.phases)
        self.condition.set_condition(point.condition)
        self.hits.setValue(point.hits)
        self.log.setText(point.log)
        if self._former is not None:
            self._tell(self._book.error_of(point))

    def candidate(self) -> Breakpoint:
        """Return the breakpoint as it is typed.

        Raises:
            ValueError: Something is missing; the message says what.
        """
        phases = tuple(phase for phase, box in self.phases.items() if box.isChecked())
        if not phases:
            raise ValueError(self.tr("Choose at least one event at which it counts."))
        return msgspec.structs.replace(
            self._point,
            pattern=self.where.text().strip(),
            phases=phases,
            condition=self.condition.condition(),
            hits=self.hits.value(),
            log=self.log.text(),
            operation=self.operation.text().strip(),
        )

    def accept(self) -> None:
        """Put it into the book; with a debuggee, close only when that has nothing against it."""
        try:
            candidate = self.candidate()
            _check_expression(candidate)
        except ValueError as error:
            self._tell(str(error))
            return
        self._tell("")
        self._is_waiting = self._session.state not in _WITHOUT_ANSWER
        self.ok_button.setEnabled(not self._is_waiting)
        self._book.put(candidate)
        if not self._is_waiting:
            super().accept()

    @Slot()
    def _hear(self) -> None:
        if not self._is_waiting:
            return
        self._is_waiting = False
        self.ok_button.setEnabled(True)
        error = self._book.error_of(self._point)
        if not error:
            super().accept()
            return
        self._tell(error)
        self._put_back()

    def reject(self) -> None:
        """Close without a change."""
        if self._is_waiting:
            self._is_waiting = False
            self._put_back()
        super().reject()

    def _put_back(self) -> None:
        if self._former is not None:
            self._book.put(self._former)
        else:
            self._book.remove({self._point.id})

    @Slot()
    def _check_syntax(self) -> None:
        try:
            _check_expression(self.candidate())
        except ValueError as error:
            self._tell(str(error))
        else:
            self._tell("")

    def _tell(self, error: str) -> None:
        self.error.setText(error)
        self.error.setVisible(bool(error))


def _check_expression(point: Breakpoint) -> None:
    """Raise `ValueError` for an expression that is no Python; what it means, the debuggee says."""
    text = getattr(point.condition, "text", None)
    if text is None:
        return
    try:
        compile(text, "<condition>", "eval")
    except SyntaxError as error:
        place = _translate("column {column}").format(column=error.offset or 1)
        raise ValueError(f"{error.msg}, {place}") from error


def _translate(english: str) -> str:
    return QCoreApplication.translate("breakpoints", english)
