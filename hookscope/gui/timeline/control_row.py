"""The one row of controls above the timeline: filter, tracing, what is drawn, and which step."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QSizePolicy, QToolButton, QWidget

from hookscope.gui.assets import icon
from hookscope.gui.cells import fixed_font
from hookscope.gui.panels.status_text import StatusText
from hookscope.gui.timeline.shown_step import StepRange
from hookscope.gui.timeline.step_strip import StepStrip

_FILTER_CHARS = 34
_LABEL_CHARS = 12


class FilterField(QLineEdit):
    """The filter's text; Escape empties it."""

    def __init__(self) -> None:
        super().__init__()
        self.setPlaceholderText(self.tr("Filter: name, glob, grad"))
        self.setAccessibleName(self.tr("Filter events"))
        self.setToolTip(
            self.tr(
                "Text in the module's path, a glob such as layer?.*, or one of forward, backward and grad. "
                "Several terms must all hold; -term leaves out."
            )
        )
        self.setClearButtonEnabled(True)
        self._funnel = self.addAction(icon("msc.filter"), QLineEdit.ActionPosition.LeadingPosition)
        self.setMaximumWidth(_FILTER_CHARS * self.fontMetrics().averageCharWidth())
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def tint(self) -> None:
        """Draw the icon in the colours of the present theme."""
        self._funnel.setIcon(icon("msc.filter"))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Give Escape its meaning here."""
        if event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
        else:
            super().keyPressEvent(event)


class ControlRow(QWidget):
    """Controls side by side.

    Signals:
        trace_toggled: Whether steps shall tell their events.
        flame_toggled: Whether the flame view is wanted instead of lanes.
        latest_requested: The newest step is wanted.
    """

    trace_toggled = Signal(bool)
    flame_toggled = Signal(bool)
    latest_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.is_past = False
        self.filter = FilterField()
        self.trace = self._button(
            self.tr("Trace steps"),
            self.tr("Record the events of every step from the next one on, though nothing stops it. Costs some time."),
        )
        self.trace.setCheckable(True)
        self.trace.toggled.connect(self.trace_toggled)
        self.flame = self._button(
            self.tr("Flame"), self.tr("Show which modules are slow: times added up, forward and backward together.")
        )
        self.flame.setCheckable(True)
        self.flame.toggled.connect(self.flame_toggled)
        self.strip = StepStrip()
        self.label = StatusText(fixed_font(self.font()), chars=_LABEL_CHARS)
        self.latest = self._button(self.tr("Latest"), self.tr("Go back to the newest step, and follow."))
        self.latest.clicked.connect(self.latest_requested)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(self.fontMetrics().averageCharWidth())
        row.addWidget(self.filter, 3)
        row.addWidget(self.trace)
        row.addWidget(self.flame)
        row.addStretch(1)
        step = QLabel(self.tr("step"))
        step.setProperty("quiet", True)
        row.addWidget(step)
        row.addWidget(self.strip, 2)
        row.addWidget(self.label)
        row.addWidget(self.latest)
        self.tint()

    def show_steps(self, steps: StepRange, shown: int, *, is_past: bool) -> None:
        """Show which steps there are and which one is looked at."""
        self.is_past = is_past
        self.strip.show_steps(steps.first, steps.last, steps.traced, shown, steps.trials)
        self.label.show_text(f"{shown:,} / {steps.last:,}" if steps.last else "–", is_urgent=is_past)
        self.latest.setEnabled(is_past)

    def show_traced(self, are_traced: bool) -> None:
        """Show whether steps tell their events."""
        self.trace.setChecked(are_traced)

    def tint(self) -> None:
        """Draw the icons in the colours of the present theme."""
        self.filter.tint()
        self.trace.setIcon(icon("msc.pulse"))
        self.flame.setIcon(icon("msc.flame"))
        self.latest.setIcon(icon("msc.debug-step-over"))

    def _button(self, text: str, tip: str) -> QToolButton:
        button = QToolButton(self)
        button.setText(text)
        button.setToolTip(tip)
        button.setAccessibleDescription(tip)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        return button
