"""A list with the form of its selected row beside it; a sentence in their place while the list is empty."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QSplitter, QStackedWidget, QWidget

from hookscope.gui.tall_content import TallContent

_FORM_LINES = 4
"""Of the form, so many lines of text are in sight at least."""


class ListAndForm(QStackedWidget):
    """Holds both.

    Args:
        rows: The list.
        form: The form.

    Attributes:
        empty: The label with the sentence.
        splitter: What the list and the form stand in.
    """

    def __init__(self, rows: QWidget, form: QWidget) -> None:
        super().__init__()
        self.empty = QLabel()
        self.empty.setProperty("quiet", True)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.empty.setWordWrap(True)
        self.splitter = QSplitter()
        self.splitter.setChildrenCollapsible(False)
        self.splitter.addWidget(rows)
        self.splitter.addWidget(TallContent(form, form.fontMetrics().height() * _FORM_LINES))
        self.addWidget(self.empty)
        self.addWidget(self.splitter)

    def show_rows(self, *, has_any: bool) -> None:
        """Show list and form, or the sentence."""
        self.setCurrentWidget(self.splitter if has_any else self.empty)
