"""What the actions of the Run menu and the buttons of the failure card do."""

import msgspec
from PySide6.QtCore import QObject, Signal, Slot

from hookscope.client.state import SessionState
from hookscope.gui.current import Current
from hookscope.gui.failure_text import Remedy
from hookscope.gui.session_bridge import SessionBridge
from hookscope.protocol.failures import Failure
from hookscope.protocol.workload import LossChoice

_LOSS_OF = {
    Remedy.LOSS_SUM: LossChoice.SUM,
    Remedy.LOSS_MEAN: LossChoice.MEAN,
    Remedy.LOSS_MEAN_SQUARE: LossChoice.MEAN_SQUARE,
    Remedy.GRADIENT_ONES: LossChoice.GRADIENT_ONES,
    Remedy.GRADIENT_RANDOM: LossChoice.GRADIENT_RANDOM,
}


class SessionHandlers(QObject):
    """Turns wishes into the session's intents. Actions are enabled only in states that allow them.

    Signals:
        open_requested: A remedy asks for another model.
        workload_requested: A remedy asks to see the workload.
        gradient_requested: A remedy asks which file has the gradient that backward starts from.
    """

    open_requested = Signal()
    workload_requested = Signal()
    gradient_requested = Signal()

    def __init__(self, bridge: SessionBridge, current: Current, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = bridge.session
        self._current = current
        self._remedies = {
            Remedy.RETRY: self._restart,
            Remedy.OPEN: self._open,
            Remedy.RELOAD: self._restart,
            Remedy.RESTART: self._restart,
            Remedy.STEP: self._step_again,
            Remedy.USE_CPU: self._use_cpu,
            Remedy.SHOW_WORKLOAD: self._show_workload,
            Remedy.GRADIENT_FILE: self._ask_for_gradient,
            Remedy.GO_TO_MODULE: self._go_to_module,
        }

    @Slot()
    def run(self) -> None:
        """Run until Pause or Stop."""
        self._session.run()

    @Slot()
    def pause(self) -> None:
        """Hold the step at the next event."""
        self._session.pause()

    @Slot()
    def stop(self) -> None:
        """Stop at the next hook."""
        self._session.stop()

    @Slot()
    def reload_model(self) -> None:
        """Start a fresh process with everything as it was."""
        self._session.restart()

    @Slot()
    def cancel_loading(self) -> None:
        """Give up loading."""
        self._session.cancel()

    @Slot(object, object)
    def apply_remedy(self, remedy: Remedy, failure: Failure) -> None:
        """Do what a button of the failure card says."""
        if remedy in _LOSS_OF:
            self._choose_loss(_LOSS_OF[remedy])
        else:
            self._remedies[remedy](failure)

    def _choose_loss(self, loss: LossChoice) -> None:
        """Take the loss and do the step that it was asked for."""
        self._session.change_settings(msgspec.structs.replace(self._session.settings, loss=loss))
        if self._session.state is SessionState.IDLE:
            self._session.step()

    def _use_cpu(self, _: Failure) -> None:
        self._session.change_settings(msgspec.structs.replace(self._session.settings, device="cpu"))
        if self._session.tree is None and self._session.wanted_source is not None:
            self._session.open(self._session.wanted_source)

    def _step_again(self, _: Failure) -> None:
        if self._session.state is SessionState.IDLE:
            self._session.step()

    def _open(self, _: Failure) -> None:
        self.open_requested.emit()

    def _restart(self, _: Failure) -> None:
        self._session.restart()

    def _show_workload(self, _: Failure) -> None:
        self.workload_requested.emit()

    def _ask_for_gradient(self, _: Failure) -> None:
        settings = msgspec.structs.replace(self._session.settings, loss=LossChoice.GRADIENT_FILE)
        self._session.change_settings(settings)
        self.workload_requested.emit()
        self.gradient_requested.emit()

    def _go_to_module(self, failure: Failure) -> None:
        if failure.module_path is not None:
            self._current.select_module(failure.module_path)
