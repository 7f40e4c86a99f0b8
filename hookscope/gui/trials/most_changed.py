"""The dock that lists which tensors a trial has moved, and how far."""

from PySide6.QtCore import QModelIndex, Qt, QTimer, Slot
from PySide6.QtGui import QMoveEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QDockWidget,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QStackedWidget,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from hookscope.client.state import ALLOWED
from hookscope.gui.current import Current
from hookscope.gui.panels.feed import is_seen
from hookscope.gui.session_bridge import SessionBridge
from hookscope.gui.trials.change_model import BarDelegate, ChangeModel, Column, Kind, Order, is_of_kind

_WIDTHS = {Column.MODULE: 30, Column.TENSOR: 18, Column.BAR: 24, Column.CHANGE: 12, Column.ELEMENTS: 30}
"""Widths in characters."""


class MostChangedDock(QDockWidget):
    """Asks what moved after each trial, but only while it is seen, and for one trial at a time.

    Args:
        bridge: The session.
        current: What the window is looking at; a row that is selected becomes it.
        parent: The main window.
    """

    def __init__(self, bridge: SessionBridge, current: Current, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = bridge.session
        self._current = current
        self._asked: tuple[int, int] | None = None
        self._is_filling = False
        self.model = ChangeModel()
        self.view = QTreeView()
        self.kind, self.order = QComboBox(), QComboBox()
        self.note = QLabel()
        self._message = QLabel()
        self._stack = QStackedWidget()
        self._look_again = QTimer(self)
        self._look_again.setSingleShot(True)
        self._look_again.timeout.connect(self._update)
        self._assemble()
        for signal in (bridge.trial_finished, bridge.state_changed, bridge.step_finished):
            signal.connect(self._update)
        bridge.model_loaded.connect(self._update)
        bridge.steps_compared.connect(self._take)
        current.changed.connect(self._mark_current)
        self.visibilityChanged.connect(self._look_again.start)
        self.kind.activated.connect(self._fill)
        self.order.activated.connect(self._fill)
        self.view.selectionModel().currentChanged.connect(self._select)
        self.view.activated.connect(self._select)
        self._update()

    @property
    def message(self) -> str:
        """The words in place of the list; `""` while there is one."""
        return self._message.text() if self._stack.currentWidget() is self._message else ""

    @property
    def is_waiting(self) -> bool:
        """Whether the dock is seen and an answer is on its way."""
        return is_seen(self) and self._asked is not None

    def _assemble(self) -> None:
        self.setObjectName("changed")
        self.setWindowTitle(self.tr("Changed most"))
        self.view.setModel(self.model)
        self.view.setItemDelegate(BarDelegate(self.view))
        self.view.setRootIsDecorated(False)
        self.view.setUniformRowHeights(True)
        self.view.setAllColumnsShowFocus(True)
        self.view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.view.setAccessibleName(self.tr("Tensors by how far they moved"))
        header, character = self.view.header(), self.fontMetrics().averageCharWidth()
        header.setSectionsMovable(False)
        header.setStretchLastSection(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        for column, characters in _WIDTHS.items():
            header.resizeSection(column, characters * character)
        for kind in Kind:
            self.kind.addItem("", kind)
        self.order.addItem(self.tr("Largest first"), Order.LARGEST)
        self.order.addItem(self.tr("As they happened"), Order.HAPPENED)
        self.kind.setAccessibleName(self.tr("Which tensors are listed"))
        self.order.setAccessibleName(self.tr("In which order they are listed"))
        self.kind.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self._message.setProperty("quiet", True)
        self._message.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._message.setWordWrap(True)
        self.note.setProperty("quiet", True)
        above = QHBoxLayout()
        above.addWidget(self.kind)
        above.addWidget(self.order)
        above.addWidget(self.note, 1)
        self._stack.addWidget(self._message)
        self._stack.addWidget(self.view)
        gap = self.fontMetrics().height() // 2
        content = QWidget()
        rows = QVBoxLayout(content)
        rows.setContentsMargins(gap, 0, gap, gap // 2)
        rows.setSpacing(gap // 2)
        rows.addLayout(above)
        rows.addWidget(self._stack, 1)
        self.setWidget(content)

    @Slot()
    def _update(self) -> None:
        """Ask what is not known yet, and show what is."""
        session, trial = self._session, self._session.trial
        if self._asked is not None and session.state not in ALLOWED["compare_steps"]:
            self._asked = None  # whoever owed the answer is gone
        if not is_seen(self):
            return
        if trial is not None and self._asked is None and session.state in ALLOWED["compare_steps"]:
            wanted, known = (trial.before, trial.after), session.comparison
            if known is None or (known.before, known.after) != wanted:
                self._asked = wanted
                session.compare_steps(*wanted)
        self._fill()

    @Slot()
    def _take(self) -> None:
        self._asked = None
        self._update()

    @Slot()
    def _fill(self) -> None:
        session, trial, known = self._session, self._session.trial, self._session.comparison
        differences = known.differences if known is not None and trial is not None else ()
        self._name_kinds()
        kind, order = Kind(self.kind.currentData()), Order(self.order.currentData())
        root = session.tree.modules[0].name if session.tree is not None and session.tree.modules else ""
        self._is_filling = True
        self.model.show_differences(differences, kind, order, root)
        self._is_filling = False
        self._mark_current()
        if not differences:
            self._message.setText(self._why_nothing())
        elif not self.model.rows:
            self._message.setText(self.tr("No tensor of this kind was captured in both steps."))
        self._stack.setCurrentWidget(self.view if self.model.rows else self._message)
        self.note.setText(self._remark() if differences else "")

    def _name_kinds(self) -> None:
        known = self._session.comparison if self._session.trial is not None else None
        texts = {
            Kind.OUTPUTS: self.tr("Outputs ({count} changed)"),
            Kind.GRADIENTS: self.tr("Gradients ({count} changed)"),
            Kind.ALL: self.tr("All tensors ({count} changed)"),
        }
        for row, (kind, text) in enumerate(texts.items()):
            changed = [one for one in (known.differences if known is not None else ()) if one.changed]
            count = sum(is_of_kind(one, kind) for one in changed)
            self.kind.setItemText(row, text.format(count=f"{count:,}"))

    def _why_nothing(self) -> str:
        known, trial = self._session.comparison, self._session.trial
        if trial is None:
            return self.tr("Turn a change on and press “Try now”: what it moves appears here.")
        if known is None or self._asked is not None:
            return self.tr("Comparing…")
        if known.missing:
            return self.tr("The captures of these steps are not kept any more; press “Try now”.")
        return self.tr("Nothing is captured in both steps. Check some modules and press “Try now”.")

    def _remark(self) -> str:
        rows = self.model.rows
        if rows and not any(one.changed for one in rows):
            return self.tr("Nothing of this kind changed in any bit.")
        return ""

    @Slot(QModelIndex)
    def _select(self, index: QModelIndex) -> None:
        if index.isValid() and not self._is_filling:
            self._current.select_ref(self.model.ref_at(index.row()))

    @Slot()
    def _mark_current(self) -> None:
        """Select the row of what the window looks at, if it is listed."""
        row = self.model.row_of(self._current.ref)
        self._is_filling = True
        self.view.setCurrentIndex(self.model.index(row, 0) if row >= 0 else QModelIndex())
        self._is_filling = False

    def showEvent(self, event: QShowEvent) -> None:
        """Ask for what was not asked for while hidden."""
        super().showEvent(event)
        self._look_again.start()

    def moveEvent(self, event: QMoveEvent) -> None:
        """Notice that the dock came out from behind another one."""
        super().moveEvent(event)
        self._look_again.start()
