"""The debuggee's main loop: obeys the window's commands until the connection ends.

Threads: the main thread loads the model and runs steps; the reader thread takes commands from the channel and acts at
once on those that must not wait (pause, abort, interrupt, views); the threads of the services and the outbox's flusher
are started by their owners.
"""

import gc
import os
import platform
import queue
import signal
import threading
from collections.abc import Callable
from multiprocessing.connection import Client
from typing import Any

import msgspec
import torch

import hookscope
from hookscope.engine.code.source_text import NoSourceError, read_source
from hookscope.engine.devices import list_devices
from hookscope.engine.failure_report import FailureError, describe_exception
from hookscope.engine.loaded_model import LoadedModel
from hookscope.engine.outbox import Outbox
from hookscope.engine.pause import Gate
from hookscope.engine.runs import Runs
from hookscope.engine.services import Services
from hookscope.protocol import commands, events
from hookscope.protocol.channel import Channel, ChannelClosedError, ConnectionChannel
from hookscope.protocol.failures import Failure, FailureKind
from hookscope.protocol.wire import decode_command


def main(address: str, authkey: bytes) -> None:
    """Connect to a window and serve it. Runs on the main thread of a process of its own.

    Args:
        address: What the window listens at.
        authkey: What proves to each side that the other is the one it expects.
    """
    # A parent that ignores SIGINT hands that on, and then Python installs no handler of its own.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    Debuggee(ConnectionChannel(Client(address, authkey=authkey))).serve()


_ERRANDS: dict[type, Callable[[LoadedModel, Any], events.Event]] = {
    commands.SetHooks: LoadedModel.set_hooks,
    commands.SetBreakpoints: LoadedModel.set_breakpoints,
    commands.SetInterventions: LoadedModel.set_interventions,
}
"""Commands that carry a whole set: only the newest of a kind counts, and it need not wait for the end of a step."""


class Debuggee:
    """Serves one window; one model is loaded in its life."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._outbox = Outbox(channel)
        self._gate = Gate(self._run_errand)
        self._runs = Runs(self._loaded, self._gate, self._outbox, self._after_step)
        self._wanted: dict[type, commands.Command] = {}
        self._model: LoadedModel | None = None
        self._services: Services | None = None
        self._queue: queue.SimpleQueue[commands.Command] = queue.SimpleQueue()
        self._main_thread = threading.get_ident()
        self._is_ending = False
        self._handlers: dict[type, Callable[..., None]] = {
            commands.Load: self._load,
            commands.SetSettings: self._set_settings,
            commands.SetInputs: self._set_inputs,
            **dict.fromkeys(_ERRANDS, self._obey_errand),
            **self._runs.handlers,
        }
        self._at_once: dict[type, Callable[..., None]] = {
            commands.Pause: self._pause,
            commands.Abort: self._abort,
            commands.Interrupt: self._interrupt,
            commands.Shutdown: self._shut_down,
            commands.Continue: self._go_on,
            commands.RequestStack: self._request_stack,
            commands.ChangeAtHand: self._change_at_hand,
            commands.RequestSource: self._read_source,
            **dict.fromkeys(Services.COMMANDS, self._serve_beside),
            **dict.fromkeys(_ERRANDS, self._run_soon),
            **dict.fromkeys(self._runs.handlers, self._begin_soon),
        }

    def serve(self) -> None:
        """Say hello and obey commands until `Shutdown`, on the main thread."""
        self._outbox.post(_hello())
        threading.Thread(target=self._read, name="hookscope-reader", daemon=True).start()
        while not self._is_ending:
            try:
                command = self._queue.get()
                if not isinstance(command, commands.Shutdown):
                    self._obey(command)
            except KeyboardInterrupt:
                continue  # an interrupt that came after what it was meant for
        if self._services is not None:
            self._services.close()
        self._outbox.close()
        self._channel.close()

    # -- reader thread ------------------------------------------------------------------------------------------

    def _read(self) -> None:
        try:
            while not self._is_ending:
                frame = self._channel.receive()
                try:
                    self._take(decode_command(frame))
                except msgspec.DecodeError as error:
                    self._outbox.post(_internal_failure(error))
        except ChannelClosedError:
            os._exit(0)  # the window is gone: nobody can stop what still runs here

    def _take(self, command: commands.Command) -> None:
        """Act at once on what must not wait; queue the rest for the main thread."""
        at_once = self._at_once.get(type(command))
        if at_once is not None:
            at_once(command)
        else:
            self._queue.put(command)

    def _pause(self, command: commands.Pause) -> None:
        if command.at_event:
            self._gate.pause_wanted = True
            self._gate.errand_wanted = True  # an untraced step is traced from its next hook on
        else:
            self._gate.finish_wanted = True

    def _abort(self, _command: commands.Command) -> None:
        self._gate.abort_wanted = True
        if self._model is not None:
            self._model.stepping.wake()

    def _shut_down(self, command: commands.Shutdown) -> None:
        self._is_ending = True
        self._abort(command)
        self._queue.put(command)

    def _begin_soon(self, command: commands.Command) -> None:
        self._gate.reset()  # here, so that an abort that follows at once is not forgotten
        self._queue.put(command)

    def _go_on(self, command: commands.Continue) -> None:
        self._loaded().stepping.go_on(command)

    def _request_stack(self, _command: commands.RequestStack) -> None:
        self._loaded().stepping.request_stack()

    def _change_at_hand(self, command: commands.ChangeAtHand) -> None:
        self._loaded().stepping.change_at_hand(command.changes)

    def _serve_beside(self, command: commands.Command) -> None:
        if self._services is not None:
            self._services.take(command)

    def _read_source(self, command: commands.RequestSource) -> None:
        self._outbox.post(_source_ready(command))

    def _run_soon(self, command: commands.Command) -> None:
        """Obey at the next of three places: the stopped thread, a hook of the running step, the main loop."""
        self._wanted[type(command)] = command
        self._gate.errand_wanted = True
        self._queue.put(command)
        if self._model is not None:
            self._model.stepping.run_there()

    def _interrupt(self, _command: commands.Interrupt) -> None:
        if hasattr(signal, "pthread_kill"):
            signal.pthread_kill(self._main_thread, signal.SIGINT)  # wakes a blocking system call too
        else:
            signal.raise_signal(signal.SIGINT)

    # -- main thread --------------------------------------------------------------------------------------------

    def _obey(self, command: commands.Command) -> None:
        try:
            self._handlers[type(command)](command)
        except FailureError as error:
            self._outbox.post(events.Failed(error.failure))
        except Exception as error:
            self._outbox.post(_internal_failure(error))

    def _load(self, command: commands.Load) -> None:
        try:
            model = LoadedModel(command, self._gate, self._outbox)
        except KeyboardInterrupt as error:
            cancelled = Failure(FailureKind.SOURCE_RAISED, {"source": ""}, exception=describe_exception(error))
            self._outbox.post(events.Failed(cancelled))
            return
        self._model = model
        self._outbox.report_progress(model.recorder.progress)
        self._services = Services(model, self._outbox)
        gc.freeze()  # what is loaded stays: the collector need not look through all of torch between steps
        self._outbox.post(model.loaded())

    def _loaded(self) -> LoadedModel:
        if self._model is None:
            raise RuntimeError("no model is loaded")
        return self._model

    def _obey_errand(self, _command: commands.Command) -> None:
        self._run_errand()

    def _run_errand(self) -> None:
        """Obey the newest errand of each kind, if that was not done since. See `_run_soon`."""
        if self._runs.is_trying:  # the main loop obeys them after it
            return
        model = self._loaded()
        for kind, obey in _ERRANDS.items():
            command = self._wanted.pop(kind, None)
            if command is not None:
                self._outbox.post(obey(model, command))
        model.stepping.join()

    def _set_settings(self, command: commands.SetSettings) -> None:
        self._change(lambda model: model.set_settings(command.settings))

    def _set_inputs(self, command: commands.SetInputs) -> None:
        self._change(lambda model: model.set_inputs(command.inputs))

    def _change(self, change: Callable[[LoadedModel], None]) -> None:
        """Make a change and say what holds now, also when it failed and the former state stays."""
        model = self._loaded()
        try:
            change(model)
        finally:
            self._outbox.post(events.SettingsApplied(model.settings, model.workload))

    def _after_step(self, step: int) -> None:
        """Look at a step that has ended, and obey what arrived while it ran."""
        if self._services is not None:
            self._services.step_finished(step)
        while not (self._is_ending or self._queue.empty()):
            self._obey(self._queue.get())


def _internal_failure(error: Exception) -> events.Failed:
    return events.Failed(Failure(FailureKind.INTERNAL, exception=describe_exception(error)))


def _source_ready(command: commands.RequestSource) -> events.SourceReady:
    try:
        first, lines = read_source(command.file, command.line)
    except NoSourceError as error:
        return events.SourceReady(command.file, command.line, 0, (), error.reason)
    return events.SourceReady(command.file, command.line, first, lines)


def _hello() -> events.Hello:
    return events.Hello(
        protocol=events.PROTOCOL_VERSION,
        hookscope=hookscope.__version__,
        torch=str(torch.__version__),
        python=platform.python_version(),
        pid=os.getpid(),
        devices=list_devices(),
    )
