"""Every shortcut of the window, taken from the table of actions."""

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QDialogButtonBox,
    QHeaderView,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from hookscope.gui.action_rows import ActionInfo
from hookscope.gui.action_set import plain_text, shortcut_text, tip_of
from hookscope.gui.actions import ACTIONS


class ShortcutsDialog(QDialog):
    """A table: menu, action, keys, and what it does."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Keyboard shortcuts"))
        rows = [row for row in ACTIONS if isinstance(row, ActionInfo) and row.shortcuts]
        self.table = QTableWidget(len(rows), 3, self)
        self.table.setHorizontalHeaderLabels([self.tr("Keys"), self.tr("Action"), self.tr("What it does")])
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setShowGrid(False)
        self.table.verticalHeader().hide()
        self.table.setAccessibleName(self.windowTitle())
        for number, row in enumerate(rows):
            menu = QCoreApplication.translate("actions", row.menu.value).replace("&", "")
            name = f"{menu} › {plain_text(row).removesuffix('…')}"
            for column, text in enumerate((shortcut_text(row), name, tip_of(row))):
                self.table.setItem(number, column, QTableWidgetItem(text))
        self.table.resizeColumnsToContents()
        self.table.horizontalHeader().setSectionResizeMode(2, QHeaderView.ResizeMode.Stretch)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(self.table)
        layout.addWidget(buttons)
        character = self.fontMetrics().averageCharWidth()
        self.resize(character * 120, self.fontMetrics().lineSpacing() * 26)
