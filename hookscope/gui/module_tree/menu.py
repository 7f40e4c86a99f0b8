"""The context menu of a module."""

from PySide6.QtCore import QPoint, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu, QWidget

from hookscope.gui.module_tree.model import ModuleTreeModel


class ModuleMenu(QMenu):
    """Made once and opened for one module after the other.

    Signals:
        check_requested: The whole set of paths (`tuple[str, ...]`) that should be checked.
        expand_requested: All rows should be opened.
        collapse_requested: All rows should be closed.
    """

    check_requested = Signal(object)
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

    @Slot()
    def _copy_path(self) -> None:
        QGuiApplication.clipboard().setText(self._model.layout.modules[self._module].path)
