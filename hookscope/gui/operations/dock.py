"""The dock that lists the operations of the current module's own forward."""

from PySide6.QtCore import QEvent, Qt, Signal, Slot
from PySide6.QtWidgets import QDockWidget, QHBoxLayout, QLabel, QPushButton, QStackedWidget, QVBoxLayout, QWidget

from hookscope.client.state import ALLOWED
from hookscope.gui.assets import icon
from hookscope.gui.current import Current
from hookscope.gui.operations.model import OperationModel
from hookscope.gui.operations.view import OperationView
from hookscope.gui.session_bridge import SessionBridge
from hookscope.protocol.hooks import OperationRef
from hookscope.protocol.identity import Slot as TensorSlot
from hookscope.protocol.identity import TensorRef


class OperationsDock(QDockWidget):
    """Lists operations in the order in which they run; a checked one is captured, a selected one is looked at.

    Args:
        bridge: The session.
        current: What the window is looking at; its module is the one whose operations are listed.
        parent: The main window.

    Signals:
        operations_requested: The operations of a module should be found out; its path.
    """

    operations_requested = Signal(str)

    def __init__(self, bridge: SessionBridge, current: Current, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = bridge.session
        self._current = current
        self._is_marking = False
        self.model = OperationModel(self)
        self.view = OperationView(self.model)
        self.button = QPushButton(self.tr("Show operations"))
        self.message = _quiet_label()
        self._title = _quiet_label()
        self._stack = QStackedWidget()
        self._assemble()
        for signal in (bridge.state_changed, bridge.model_loaded, bridge.hooks_changed, bridge.operations_traced):
            signal.connect(self._update)
        current.changed.connect(self._update)
        self.model.toggle_requested.connect(self._toggle)
        self.view.row_chosen.connect(self._select)
        self.button.clicked.connect(self._ask)
        self._update()

    @property
    def title(self) -> str:
        """What stands above the list."""
        return self._title.text()

    def _assemble(self) -> None:
        self.setObjectName("operations")
        self.setWindowTitle(self.tr("Operations"))
        self.message.setWordWrap(True)
        self.message.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._stack.addWidget(self.message)
        self._stack.addWidget(self.view)
        gap = self.fontMetrics().height() // 2
        above, rows = QHBoxLayout(), QVBoxLayout()
        above.addWidget(self._title, 1)
        above.addWidget(self.button)
        rows.setContentsMargins(gap, 0, gap, gap)
        rows.setSpacing(gap // 2)
        rows.addLayout(above)
        rows.addWidget(self._stack, 1)
        content = QWidget()
        content.setLayout(rows)
        self.setWidget(content)
        self._tint()

    def _path(self) -> str | None:
        if self._session.tree is None:
            return None
        return self._current.path if self._current.path is not None else ""

    @Slot()
    def _update(self) -> None:
        path = self._path()
        traced = self._session.operations.get(path) if path is not None else None
        self.model.set_operations(traced or ())
        self.model.set_checked(self._session.checked_operations)
        self.model.set_checkable(self._session.state in ALLOWED["check_operations"])
        self._stack.setCurrentWidget(self.view if traced else self.message)
        self._title.setText(self._title_of(path, len(traced)) if path is not None and traced is not None else "")
        self.message.setText(self._reason(path, is_traced=traced is not None))
        self.button.setVisible(path is not None)
        self.button.setEnabled(self._session.state in ALLOWED["trace_operations"])
        self.button.setText(self.tr("Show operations") if traced is None else self.tr("Look again"))
        self._mark()

    def _title_of(self, path: str, count: int) -> str:
        text = self.tr("{module}: 1 operation") if count == 1 else self.tr("{module}: {count} operations")
        return text.format(module=self._name(path), count=count)

    def _reason(self, path: str | None, *, is_traced: bool) -> str:
        if path is None:
            return self.tr("Open a model to see its operations.")
        if not is_traced:
            text = self.tr("Find out what the forward of {module} does itself, besides calling the modules inside it.")
        else:
            text = self.tr(
                "The forward of {module} does nothing itself: either modules inside it do everything, or it is not "
                "called."
            )
        return text.format(module=self._name(path))

    def _name(self, path: str) -> str:
        tree = self._session.tree
        return path or (tree.modules[0].name if tree is not None and tree.modules else "")

    def _mark(self) -> None:
        """Mark the row of the operation that the window looks at."""
        ref = self._current.ref
        row = self.model.row_of(ref.path, ref.operation) if ref is not None and ref.operation else None
        self._is_marking = True
        try:
            self.view.mark(row)
        finally:
            self._is_marking = False

    @Slot(object)
    def _toggle(self, ref: OperationRef) -> None:
        if self._session.state not in ALLOWED["check_operations"]:
            return
        checked = self._session.checked_operations
        others = tuple(other for other in checked if other != ref)
        self._session.check_operations(others if ref in checked else (*checked, ref))
        self._update()

    @Slot(int)
    def _select(self, row: int) -> None:
        """Look at an operation: at its gradient, when that is what is looked at now, else at its output."""
        if self._is_marking:
            return
        operation, ref = self.model.operations[row].ref, self._current.ref
        slot = TensorSlot.GRAD_OUTPUT if ref is not None and ref.slot.is_gradient else TensorSlot.OUTPUT
        found = [record.ref for record in self._session.records.of(operation.path, operation.text)]
        here = next((known for known in found if known.slot is slot), None)
        self._current.select_ref(here or TensorRef(operation.path, slot, "out", operation=operation.text))

    @Slot()
    def _ask(self) -> None:
        path = self._path()
        if path is not None:
            self.operations_requested.emit(path)

    def _tint(self) -> None:
        self.button.setIcon(icon("msc.symbol-operator"))

    def changeEvent(self, event: QEvent) -> None:
        """Tint the icon again when the theme has changed."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._tint()


def _quiet_label() -> QLabel:
    label = QLabel()
    label.setProperty("quiet", True)
    label.setTextFormat(Qt.TextFormat.PlainText)
    return label
