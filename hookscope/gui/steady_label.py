"""A line of text that changes many times a second, and nothing else with it."""

from PySide6.QtWidgets import QLabel

_SLACK = 0.6
"""A text shorter than this share of the label makes it shrink."""


class SteadyLabel(QLabel):
    """Has a fixed size that changes only when a text does not fit, or is much shorter.

    Any other label that shows another text has the whole window laid out again, docks and all.
    """

    def setText(self, text: str) -> None:
        """Show a text."""
        if text == self.text():
            return
        margins = self.contentsMargins()
        wanted = self.fontMetrics().horizontalAdvance(text) + margins.left() + margins.right() if text else 0
        if not self.maximumWidth() * _SLACK <= wanted <= self.maximumWidth():
            self.setFixedSize(wanted, self.fontMetrics().height())
        super().setText(text)
