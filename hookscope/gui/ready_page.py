"""The page of a loaded model that has not run yet: what to do next, as buttons."""

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLabel, QPushButton, QVBoxLayout, QWidget

from hookscope.gui.session_bridge import SessionBridge


class ReadyPage(QWidget):
    """Says that nothing is checked, that an input is missing, or that everything is ready for the first step.

    Args:
        bridge: The session.
        step: The action that steps.
        check_all: The action that checks every module.
        parent: The main window.

    Signals:
        workload_requested: A person wants to give an input.
        operations_requested: The operations of a module should be found out; its path.
    """

    workload_requested = Signal()
    operations_requested = Signal(str)

    def __init__(self, bridge: SessionBridge, step: QAction, check_all: QAction, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = bridge.session
        self._title = QLabel(self)
        font = self._title.font()
        font.setPointSizeF(font.pointSizeF() * 1.4)
        font.setBold(True)
        self._title.setFont(font)
        self._text = QLabel(self)
        self._text.setProperty("quiet", True)
        self._text.setWordWrap(True)
        self._text.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._check = _button(check_all, self.tr("Check all modules"), self)
        self.step_button = _button(step, self.tr("Step"), self)
        self.step_button.setProperty("primary", True)
        self._workload = QPushButton(self.tr("Give an input"), self)
        self._workload.clicked.connect(self.workload_requested)
        self._operations = QPushButton(self)
        self._operations.setToolTip(self.tr("List what the forward of the model does, line by line."))
        self._operations.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._operations.clicked.connect(self._ask_for_operations)
        layout = QVBoxLayout(self)
        layout.setSpacing(10)
        layout.addStretch(2)
        layout.addWidget(self._title, alignment=Qt.AlignmentFlag.AlignHCenter)
        layout.addWidget(self._text)
        for button in (self._check, self._operations, self.step_button, self._workload):
            layout.addWidget(button, alignment=Qt.AlignmentFlag.AlignHCenter)
        layout.addStretch(3)
        for signal in (bridge.model_loaded, bridge.hooks_changed, bridge.settings_changed, bridge.state_changed):
            signal.connect(self._update)
        self._update()

    @Slot()
    def _update(self) -> None:
        workload = self._session.workload
        needs_input = workload is not None and workload.needs_input
        has_checks = bool(self._session.checked or self._session.checked_operations)
        modules = self._session.tree.modules if self._session.tree is not None else ()
        alone = modules[0].name if len(modules) == 1 else ""
        self._title.setText(workload.title if workload is not None else "")
        if needs_input:
            text = self.tr("What shape of input the model takes could not be told from its first layer.")
        elif has_checks:
            text = self.tr("Everything is ready. A step runs forward, the loss and backward once.")
        elif alone:
            text = self.tr("Check {model} in the tree on the left, or single operations of its forward, then step.")
            text = text.format(model=alone)
        else:
            text = self.tr("Check the modules whose tensors you want to see, in the tree on the left, then step.")
        self._text.setText(text)
        self._workload.setVisible(needs_input)
        self._check.setVisible(not needs_input and not has_checks)
        self._operations.setText(self.tr("Show operations of {model}").format(model=alone))
        self._operations.setVisible(bool(alone) and not needs_input and not has_checks)
        self.step_button.setVisible(not needs_input and has_checks)

    @Slot()
    def _ask_for_operations(self) -> None:
        self.operations_requested.emit("")


def _button(action: QAction, text: str, parent: QWidget) -> QPushButton:
    button = QPushButton(text, parent)
    button.setToolTip(action.toolTip())
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # clicked, it goes, and Qt would give the focus to what comes next
    button.clicked.connect(action.trigger)
    return button
