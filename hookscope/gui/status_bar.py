"""The bottom line: what the session is doing, where it runs, and the figures of the newest step."""

from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, QEvent, QSize, Slot
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QHBoxLayout, QLabel, QStatusBar, QWidget

from hookscope.client.state import SessionState
from hookscope.figures.stop_words import word_stop
from hookscope.figures.text import format_bytes, format_duration, format_number
from hookscope.gui.assets import icon
from hookscope.gui.capture_meter import CaptureMeter
from hookscope.gui.elided_label import ElidedLabel
from hookscope.gui.session_bridge import SessionBridge
from hookscope.gui.steady_label import SteadyLabel
from hookscope.gui.theme import theme_of
from hookscope.protocol.events import Phase


@dataclass(frozen=True)
class _Look:
    """How a state looks: its icon, and the theme colour of the pill."""

    icon: str
    color: str


_LOOKS: dict[SessionState, _Look] = {
    SessionState.NO_MODEL: _Look("msc.circle-large-outline", "quiet"),
    SessionState.LAUNCHING: _Look("msc.loading", "accent"),
    SessionState.LOADING: _Look("msc.loading", "accent"),
    SessionState.IDLE: _Look("msc.pass", "good"),
    SessionState.RUNNING: _Look("msc.debug-start", "forward"),
    SessionState.STOPPING: _Look("msc.debug-stop", "at_hand"),
    SessionState.STOPPED: _Look("msc.debug-pause", "at_hand"),
    SessionState.LOST: _Look("msc.error", "trouble"),
}


_FAILED = _Look("msc.error", "trouble")
_NEEDS_INPUT = _Look("msc.question", "at_hand")


class StatusBar(QStatusBar):
    """State pill on the left; device, memory, step and loss on the right, in digits of one width."""

    def __init__(self, bridge: SessionBridge, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = bridge.session
        self._pill_icon = QLabel(self)
        self._pill_text = QLabel(self)
        self._where = ElidedLabel(self)
        self._figures = SteadyLabel(self)
        self._pointed = SteadyLabel(self)
        self.captures = CaptureMeter(self)
        widest = self.tr("Running optimizer") + " 9999/9999"  # so that a running count moves nothing
        self._widest = self.fontMetrics().horizontalAdvance(widest)
        self._pill_text.setAccessibleName(self.tr("State of the session"))
        self._pill = pill = QWidget(self)
        pill.setObjectName("pill")
        layout = QHBoxLayout(pill)
        layout.setContentsMargins(10, 3, 10, 3)
        layout.setSpacing(6)
        layout.addWidget(self._pill_icon)
        layout.addWidget(self._pill_text)
        self.addWidget(pill)
        self._where.setAccessibleName(self.tr("Where the step is paused, and why"))
        self.addWidget(self._where, 1)
        self._figures.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self._figures.setContentsMargins(10, 0, 10, 0)
        self._figures.setAccessibleName(self.tr("Device, memory, step and loss"))
        self._pointed.setFont(self._figures.font())
        self._pointed.setContentsMargins(10, 0, 10, 0)
        self._pointed.setAccessibleName(self.tr("Index and value under the pointer"))
        self.addPermanentWidget(self._pointed)
        self.addPermanentWidget(self.captures)
        self.addPermanentWidget(self._figures)
        self.setSizeGripEnabled(False)  # polishes, and with that shows what there is
        for signal in (
            bridge.state_changed,
            bridge.model_loaded,
            bridge.hooks_changed,
            bridge.settings_changed,
            bridge.progress_changed,
            bridge.stopped,
            bridge.continued,
            bridge.failure_raised,
        ):
            signal.connect(self.refresh)
        bridge.step_finished.connect(self._update_figures)
        self.refresh()

    @property
    def state_text(self) -> str:
        """What the pill says."""
        return self._pill_text.text()

    @property
    def where_text(self) -> str:
        """Where the step is paused, and why; `""` when it is not."""
        return self._where.text()

    @property
    def figures_text(self) -> str:
        """What stands on the right."""
        return self._figures.text()

    @property
    def pointed_text(self) -> str:
        """Index and value under the pointer; `""` when it is on nothing."""
        return self._pointed.text()

    @Slot(str)
    def show_pointed(self, text: str) -> None:
        """Show what is under the pointer."""
        self._pointed.setText(text)

    @Slot()
    def refresh(self) -> None:
        """Show how it is now; call it when the session cannot tell: after a failure was dismissed."""
        look = self._look()
        theme = theme_of(self.palette())
        is_filled = self._session.state is SessionState.STOPPED
        ground = getattr(theme, look.color)
        color = theme.window if is_filled else ground
        size = self.fontMetrics().height()
        self._pill_icon.setPixmap(icon(look.icon, color).pixmap(QSize(size, size)))
        self._pill_text.setText(self._state_words())
        _restyle(self._pill_text, f"color: {color}; font-weight: 600;")
        self._pill_text.setMinimumWidth(0)
        hint = self._pill_text.sizeHint().width()
        self._pill_text.setMinimumWidth(hint if is_filled else max(hint, self._widest))
        _restyle(self._pill, f"#pill {{ background: {ground}; border-radius: 8px; }}" if is_filled else "")
        self._where.setText(self._where_words())
        self._update_figures()

    @Slot()
    def _update_figures(self) -> None:
        session = self._session
        words = [session.settings.device] if session.tree is not None else []
        self.captures.setVisible(bool(session.history))
        if session.history:
            step = session.history[-1]
            self.captures.show_bytes(step.capture_bytes, step.budget_bytes)
            words += [
                self.tr("memory {size}").format(size=format_bytes(step.memory_bytes)),
                (self.tr("trial {step}") if step.is_trial else self.tr("step {step}")).format(step=step.step),
                format_duration(step.duration_s),
            ]
            loss = self.tr("not finite") if step.loss is None else format_number(step.loss)
            is_product = step.loss_choice.is_gradient
            text = self.tr("output × gradient {loss}") if is_product else self.tr("loss {loss}")
            words.append(text.format(loss=loss))
        self._figures.setText("   ".join(words))

    def _look(self) -> _Look:
        if self._session.state is SessionState.IDLE and self._session.failure is not None:
            return _FAILED
        return _NEEDS_INPUT if self._needs_input() else _LOOKS[self._session.state]

    def _needs_input(self) -> bool:
        workload = self._session.workload
        return self._session.state is SessionState.IDLE and workload is not None and workload.needs_input

    def _state_words(self) -> str:
        words = {
            SessionState.NO_MODEL: self.tr("No model"),
            SessionState.LAUNCHING: self.tr("Starting Python"),
            SessionState.LOADING: self.tr("Loading"),
            SessionState.IDLE: self._ready_words(len(self._session.checked)),
            SessionState.RUNNING: self._progress_words(),
            SessionState.STOPPING: self.tr("Stopping at the next hook"),
            SessionState.STOPPED: self.tr("Paused"),
            SessionState.LOST: self.tr("Lost the model's process"),
        }
        return words[self._session.state]

    def _where_words(self) -> str:
        stopped = self._session.stopped
        if stopped is None:
            return ""
        tree = self._session.tree
        root = tree.modules[0].name if tree is not None and tree.modules else ""
        text = word_stop(stopped.event, stopped.reason, root, _translate)
        return self.tr("{where} ({why})   event {number}").format(
            where=text.where, why=text.why, number=stopped.event.number
        )

    def _ready_words(self, checked: int) -> str:
        failure = self._session.failure
        if failure is not None and failure.module_path:
            return self.tr("Error in {module}").format(module=failure.module_path)
        if failure is not None:
            return self.tr("Error")
        if self._needs_input():
            return self.tr("Needs an input")
        match checked:
            case 0:
                return self._operation_words(len(self._session.checked_operations))
            case 1:
                return self.tr("Ready, 1 module checked")
            case _:
                return self.tr("Ready, {count} modules checked").format(count=checked)

    def _operation_words(self, checked: int) -> str:
        match checked:
            case 0:
                return self.tr("Ready, nothing checked")
            case 1:
                return self.tr("Ready, 1 operation checked")
            case _:
                return self.tr("Ready, {count} operations checked").format(count=checked)

    def _progress_words(self) -> str:
        progress = self._session.progress
        if progress is None:
            return self.tr("Running")
        phases = {
            Phase.FORWARD: self.tr("Running forward"),
            Phase.LOSS: self.tr("Running loss"),
            Phase.BACKWARD: self.tr("Running backward"),
            Phase.OPTIMIZER: self.tr("Running optimizer"),
        }
        if not progress.total:
            return phases[progress.phase]
        return f"{phases[progress.phase]} {progress.done}/{progress.total}"

    def changeEvent(self, event: QEvent) -> None:
        """Follow the theme."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            self.refresh()


def _translate(english: str) -> str:
    return QCoreApplication.translate("stops", english)


def _restyle(widget: QWidget, sheet: str) -> None:
    """Give a widget a style sheet, unless it has that: it would be polished again, and the window laid out."""
    if widget.styleSheet() != sheet:
        widget.setStyleSheet(sheet)
