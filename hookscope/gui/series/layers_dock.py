"""The dock with all layers side by side: how large what flows through them is, forward and backward."""

from PySide6.QtCore import QEvent, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QMoveEvent, QShowEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDockWidget,
    QHBoxLayout,
    QLabel,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from hookscope.client.state import SessionState
from hookscope.figures.flow_words import MEASURES, word_flow
from hookscope.figures.gradient_flow import Measure, flow_of
from hookscope.gui.action_rows import HOOKABLE
from hookscope.gui.current import Current
from hookscope.gui.elided_label import ElidedLabel
from hookscope.gui.series.following import translate
from hookscope.gui.series.layer_model import LayerModel
from hookscope.gui.series.layer_view import LayerView
from hookscope.gui.series.overview_feed import OverviewFeed
from hookscope.gui.session_bridge import SessionBridge
from hookscope.protocol.events import OverviewReady

_CHECK_ALL = "check-all"


class LayersDock(QDockWidget):
    """Compares one number of all checked modules; it follows the steps while it is seen.

    Args:
        bridge: The session.
        current: What the window is looking at; a layer that is selected becomes it.
        parent: The main window.

    Signals:
        check_all_requested: A person wants all modules to be captured.
    """

    check_all_requested = Signal()

    def __init__(self, bridge: SessionBridge, current: Current, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = bridge.session
        self._current = current
        self._shown: OverviewReady | None = None
        self.model = LayerModel(self)
        self.view = LayerView(self.model)
        self.measure, self.unit, self.containers = QComboBox(), QComboBox(), QCheckBox(self.tr("Containers"))
        self._summary, self._link, self._message = ElidedLabel(), QLabel(), QLabel()
        self._stack = QStackedWidget()
        self._assemble()
        self._feed = OverviewFeed(bridge, current, self)
        self._feed.arrived.connect(self._take)
        # When a dock comes out from behind another one, it is told so before it is moved.
        self._look_again = QTimer(self)
        self._look_again.setSingleShot(True)
        self._look_again.timeout.connect(self._feed.pump)
        self.visibilityChanged.connect(self._look_again.start)
        for signal in (bridge.hooks_changed, bridge.state_changed):
            signal.connect(self._tell)
        bridge.model_loaded.connect(self._forget)
        current.changed.connect(self._mark)
        self.measure.activated.connect(self._fill)
        self.unit.activated.connect(self._fill)
        self.containers.toggled.connect(self._fill)
        self.view.layer_chosen.connect(current.select_module)
        self._link.linkActivated.connect(self._follow_link)
        self._message.linkActivated.connect(self._follow_link)
        self._forget()

    @property
    def summary(self) -> str:
        """The words beside the controls."""
        return self._summary.text()

    @property
    def link(self) -> str:
        """How many modules are checked, where not all are."""
        return self._link.text() if not self._link.isHidden() else ""

    @property
    def message(self) -> str:
        """The words in place of the list; `""` while there is one."""
        return self._message.text() if self._stack.currentWidget() is self._message else ""

    @property
    def is_waiting(self) -> bool:
        """Whether the dock is seen and an answer is on its way."""
        return self._feed.is_waiting

    def choose(self, measure: Measure) -> None:
        """Compare another number."""
        self.measure.setCurrentIndex(self.measure.findData(measure))
        self._fill()

    def _assemble(self) -> None:
        self.setObjectName("layers")
        self.setWindowTitle(self.tr("Layers"))
        for measure, text in MEASURES.items():
            self.measure.addItem(translate(text), measure)
        self.measure.setAccessibleName(self.tr("What is compared"))
        self.unit.addItem(self.tr("Norm"), False)
        self.unit.addItem(self.tr("Per element (RMS)"), True)
        self.unit.setToolTip(
            self.tr("The norm grows with the size of a tensor; the root mean square of its elements does not.")
        )
        self.unit.setAccessibleName(self.tr("How it is measured"))
        self.containers.setToolTip(self.tr("List also modules around others that have no parameters of their own."))
        for label in (self._summary, self._message, self._link):
            label.setProperty("quiet", True)
        self._message.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._message.setWordWrap(True)
        for label in (self._message, self._link):
            label.setTextFormat(Qt.TextFormat.RichText)
            label.setTextInteractionFlags(
                Qt.TextInteractionFlag.LinksAccessibleByMouse | Qt.TextInteractionFlag.LinksAccessibleByKeyboard
            )
        above = QHBoxLayout()
        for widget in (self.measure, self.unit, self.containers):
            above.addWidget(widget)
        above.addWidget(self._summary, 1)
        above.addWidget(self._link)
        self._stack.addWidget(self._message)
        self._stack.addWidget(self.view)
        gap = self.fontMetrics().height() // 2
        content = QWidget()
        rows = QVBoxLayout(content)
        rows.setContentsMargins(gap, 0, gap, gap // 2)
        rows.setSpacing(gap // 2)
        rows.addLayout(above)
        rows.addWidget(self._stack, 1)
        self.setWidget(content)

    @Slot()
    def _forget(self) -> None:
        """Wait for the first step of another model."""
        self._shown = None
        self._fill()

    @Slot(object)
    def _take(self, answer: OverviewReady) -> None:
        self._shown = answer
        self._fill()

    @Slot()
    def _fill(self) -> None:
        tree, shown = self._session.tree, self._shown
        measure = Measure(self.measure.currentData())
        self.unit.setEnabled(measure is not Measure.UPDATE)  # which is a ratio
        flow = flow_of(
            shown.layers if shown is not None else (),
            measure,
            by_element=bool(self.unit.currentData()),
            containers=self.containers.isChecked(),
        )
        root = tree.modules[0].name if tree is not None and tree.modules else ""
        is_held = self._session.state is SessionState.STOPPED
        is_running = is_held and shown is not None and shown.step == self._session.records.step
        self.model.show_flow(flow, measure, root, is_running=is_running)
        self._stack.setCurrentWidget(self.view if flow.rows else self._message)
        step = self.tr("Step {step}").format(step=f"{shown.step:,}") if shown is not None and shown.step else ""
        self._summary.setText(f"{step} · {word_flow(flow, translate)}" if flow.rows else "")
        self._mark()
        self._tell()

    @Slot()
    def _tell(self) -> None:
        """Say how much is checked, and why there is nothing to see."""
        tree, checked = self._session.tree, len(self._session.checked)
        all_modules = len(tree.modules) if tree is not None else 0
        can_check = self._session.state in HOOKABLE
        link = f'<a href="{_CHECK_ALL}">{self.tr("Check all")}</a>' if can_check else ""
        text = self.tr("{checked} of {all} modules are checked.").format(checked=f"{checked:,}", all=f"{all_modules:,}")
        self._link.setText(f"{text} {link}".rstrip())
        self._link.setVisible(0 < checked < all_modules)
        self._message.setText(self._why_nothing(link))

    def _why_nothing(self, link: str) -> str:
        if self._session.tree is None:
            return self.tr("Open a model to compare its layers.")
        if not self._session.checked:
            text = self.tr("No module is checked, so nothing is measured.")
            return f"{text} {link}".rstrip()
        if self._shown is None or (not self._shown.step and self._current.step is None):
            return self.tr("Run a step: then its layers stand here side by side.")
        if not self._shown.step:
            return self.tr("The captures of this step are not kept any more.")
        return self.tr("No checked module has such a number in this step.")

    @Slot()
    def _mark(self) -> None:
        self.view.mark(self.model.row_of(self._current.path))

    @Slot(str)
    def _follow_link(self, _target: str) -> None:
        self.check_all_requested.emit()

    def showEvent(self, event: QShowEvent) -> None:
        """Ask for what was not asked for while hidden."""
        super().showEvent(event)
        self._look_again.start()

    def moveEvent(self, event: QMoveEvent) -> None:
        """Notice that the dock came out from behind another one."""
        super().moveEvent(event)
        self._look_again.start()

    def changeEvent(self, event: QEvent) -> None:
        """Draw in other colours."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self.view.viewport().update()
