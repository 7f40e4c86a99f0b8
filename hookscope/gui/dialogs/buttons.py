"""The buttons of a dialog that changes something: Cancel, and the one that does it."""

from PySide6.QtWidgets import QDialog, QDialogButtonBox, QPushButton


def accept_buttons(dialog: QDialog, accept_text: str) -> tuple[QDialogButtonBox, QPushButton]:
    """Return a dialog's button box, connected with it, and the primary button that accepts, with this text."""
    buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel, dialog)
    accept = QPushButton(accept_text, dialog)
    accept.setProperty("primary", True)
    accept.setDefault(True)
    buttons.addButton(accept, QDialogButtonBox.ButtonRole.AcceptRole)
    buttons.accepted.connect(dialog.accept)
    buttons.rejected.connect(dialog.reject)
    return buttons, accept
