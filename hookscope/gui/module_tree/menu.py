"""The context menu of a module."""

from PySide6.QtCore import QPoint, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu, QWidget

from hookscope.client.state import ALLOWED
from hookscope.gui.module_tree.change_menu import ChangeMenu
from hookscope.gui.module_tree.hook_menu import HookMenu
from hookscope.gui.module_tree.mode_tag import mode_of
from hookscope.gui.module_tree.model import ModuleTreeModel
from hookscope.protocol.hooks import HookMode
from hookscope.protocol.tensor_changes import Change


class ModuleMenu(QMenu):
    """Made once and opened for one module after the other.

    Signals:
        check_requested: The whole set of paths (`tuple[str, ...]`) that should be checked.
        mode_requested: Paths (`tuple[str, ...]`) of modules that should be captured in a mode (`HookMode`).
        operations_requested: The operations of a module should be shown; its path.
        change_requested: A tensor of a module should be changed: its path, the change or `None` to choose one, and
            whether it must be a gradient.
        expand_requested: All rows should be opened.
        collapse_requested: All rows should be closed.
    """

    check_requested = Signal(object)
    mode_requested = Signal(object, object)
    operations_requested = Signal(str)
    change_requested = Signal(str, object, bool)
    expand_requested = Signal()
    collapse_requested = Signal()

    def __init__(self, model: ModuleTreeModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._model = model
        self._module = 0
        self._only = self.addAction("", self._toggle_only)
        self._subtree = self.addAction(self.tr("Check subtree"), self._check_subtree)
        self._no_subtree = self.addAction(self.tr("Uncheck subtree"), self._uncheck_subtree)
        self._class = self.addAction("", self._toggle_class)
        self.addSeparator()
        self.hooks = HookMenu(self)
        self.hooks.mode_chosen.connect(self._set_mode)
        self.hooks.subtree_chosen.connect(self._set_mode_of_subtree)
        self.addMenu(self.hooks)
        self.changes = ChangeMenu(self)
        self.changes.change_chosen.connect(self._change)
        self.addMenu(self.changes)
        self._operations = self.addAction(self.tr("Show operations"), self._show_operations)
        self.addSeparator()
        self.addAction(self.tr("Copy path"), self._copy_path)
        self.addSeparator()
        self.addAction(self.tr("Expand all"), self.expand_requested.emit)
        self.addAction(self.tr("Collapse all"), self.collapse_requested.emit)

    def open_for(self, module: int, at: QPoint) -> None:
        """Open the menu of a module at a place of the screen."""
        self._module = module
        layout, marks = self._model.layout, self._model.marks
        info, of_class = layout.modules[module], self._class_members()
        self._only.setText(
            self.tr("Uncheck only this module") if marks.is_checked(module) else self.tr("Check only this module")
        )
        all_of_class = (
            self.tr("Uncheck all {name} ({count})")
            if marks.are_checked(of_class)
            else self.tr("Check all {name} ({count})")
        )
        self._class.setText(all_of_class.format(name=info.class_name, count=len(of_class)))
        for action in (self._only, self._subtree, self._no_subtree, self._class):
            action.setEnabled(self._model.is_checkable)
        for action in (self._subtree, self._no_subtree):
            action.setVisible(info.has_children)
        session = self._model.session
        refusal = session.refused_modes.get(info.path, "")
        self.hooks.show_mode(mode_of(session, info.path), refusal, has_children=info.has_children)
        self.hooks.setEnabled(self._model.is_checkable)
        self._operations.setEnabled(session.state in ALLOWED["trace_operations"])
        self.popup(at)

    def _class_members(self) -> list[int]:
        layout = self._model.layout
        return layout.of_class(layout.modules[self._module].class_name)

    @Slot()
    def _toggle_only(self) -> None:
        marks = self._model.marks
        self.check_requested.emit(marks.changed_with([self._module], checked=not marks.is_checked(self._module)))

    @Slot()
    def _check_subtree(self) -> None:
        self._set_subtree(checked=True)

    @Slot()
    def _uncheck_subtree(self) -> None:
        self._set_subtree(checked=False)

    def _set_subtree(self, *, checked: bool) -> None:
        subtree = self._model.layout.subtree(self._module)
        self.check_requested.emit(self._model.marks.changed_with(subtree, checked=checked))

    @Slot()
    def _toggle_class(self) -> None:
        members, marks = self._class_members(), self._model.marks
        self.check_requested.emit(marks.changed_with(members, checked=not marks.are_checked(members)))

    @Slot(object)
    def _set_mode(self, mode: HookMode) -> None:
        self.mode_requested.emit((self._path(),), mode)

    @Slot(object)
    def _set_mode_of_subtree(self, mode: HookMode) -> None:
        layout = self._model.layout
        paths = tuple(layout.modules[index].path for index in layout.subtree(self._module))
        self.mode_requested.emit(paths, mode)

    @Slot(object, bool)
    def _change(self, change: Change | None, of_gradient: bool) -> None:
        self.change_requested.emit(self._path(), change, of_gradient)

    @Slot()
    def _show_operations(self) -> None:
        self.operations_requested.emit(self._path())

    def _path(self) -> str:
        return self._model.layout.modules[self._module].path

    @Slot()
    def _copy_path(self) -> None:
        QGuiApplication.clipboard().setText(self._path())
