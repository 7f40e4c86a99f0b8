"""Which versions are at work, ready to be copied into a report."""

from collections.abc import Mapping

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QFontDatabase, QGuiApplication
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QFormLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from hookscope.gui.assets import application_icon


class AboutDialog(QDialog):
    """Shows names and versions.

    Args:
        versions: What to show.
        parent: The main window.
    """

    def __init__(self, versions: Mapping[str, str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("About hookscope"))
        self._text = "\n".join(f"{name}: {version}" for name, version in versions.items())
        picture = QLabel(self)
        side = self.fontMetrics().height() * 4
        picture.setPixmap(application_icon().pixmap(side, side))
        purpose = QLabel(self.tr("See what flows through a PyTorch model, forward and backward."), self)
        form = QFormLayout()
        for name, version in versions.items():
            label = QLabel(version, self)
            label.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            form.addRow(name, label)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        buttons.rejected.connect(self.reject)
        self.copy_button = QPushButton(self.tr("&Copy"), self)
        self.copy_button.clicked.connect(self._copy)
        buttons.addButton(self.copy_button, QDialogButtonBox.ButtonRole.ActionRole)
        layout = QVBoxLayout(self)
        layout.setSpacing(10)
        layout.addWidget(picture)
        layout.addWidget(purpose)
        layout.addLayout(form)
        layout.addWidget(buttons)

    @Slot()
    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._text)
