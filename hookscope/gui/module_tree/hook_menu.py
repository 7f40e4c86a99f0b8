"""The submenu that chooses how the gradients of a module are captured."""

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QWidget

from hookscope.gui.hook_words import WORDS, mode_sentence, mode_title
from hookscope.protocol.hooks import HookMode


class HookMenu(QMenu):
    """The modes, of which exactly one is on; a container's choice can be given to everything inside it.

    Signals:
        mode_chosen: A mode for the module (`HookMode`).
        subtree_chosen: The mode that is on is wanted for the whole subtree (`HookMode`).
    """

    mode_chosen = Signal(object)
    subtree_chosen = Signal(object)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setTitle(self.tr("Hooks"))
        self.setToolTipsVisible(True)
        self._group = QActionGroup(self)
        self._actions: dict[HookMode, QAction] = {}
        for mode in WORDS:
            action = self.addAction(mode_title(mode))
            action.setData(mode)
            action.setToolTip(mode_sentence(mode))
            action.setCheckable(True)
            self._group.addAction(action)
            self._actions[mode] = action
        self._separator = self.addSeparator()
        self._subtree = self.addAction(self.tr("Same for the subtree"))
        self._subtree.setToolTip(self.tr("Capture every module inside this one in the same way."))
        self._group.triggered.connect(self._choose)
        self._subtree.triggered.connect(self._choose_subtree)

    def show_mode(self, mode: HookMode, refusal: str, *, has_children: bool) -> None:
        """Show what holds for a module.

        Args:
            mode: What was chosen for it.
            refusal: Why that cannot be; `""` when it can.
            has_children: Whether it is a container.
        """
        for other, action in self._actions.items():
            action.setChecked(other is mode)
            is_refused = other is mode and bool(refusal)
            remark = self.tr("Refused, so it is captured exactly: {reason}.").format(reason=refusal)
            action.setToolTip(f"{mode_sentence(other)}\n{remark}" if is_refused else mode_sentence(other))
        self._separator.setVisible(has_children)
        self._subtree.setVisible(has_children)

    @Slot(QAction)
    def _choose(self, action: QAction) -> None:
        self.mode_chosen.emit(HookMode(action.data()))  # Qt keeps the text alone

    @Slot()
    def _choose_subtree(self) -> None:
        checked = self._group.checkedAction()
        if checked is not None:
            self.subtree_chosen.emit(HookMode(checked.data()))
