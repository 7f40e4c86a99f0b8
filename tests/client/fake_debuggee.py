"""A debuggee without a model and without torch, that behaves well or badly as it is told.

Run in place of a Python interpreter, see `fakes.py`: the arguments are MANNER, then those that an interpreter is given.
MANNER is how it behaves before it says hello, the name of the example that it is to load how it behaves afterwards.
"""

import contextlib
import os
import queue
import socket
import subprocess
import sys
import threading
import time
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Connection
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from hookscope.protocol import commands, events
from hookscope.protocol.channel import ChannelClosedError, ConnectionChannel
from hookscope.protocol.devices import DeviceInfo
from hookscope.protocol.failures import Failure, FailureKind
from hookscope.protocol.hooks import HookMode, OperationInfo, OperationRef
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.tensors import Record, TensorSpec
from hookscope.protocol.views import NoPicture, NoPictureReason, Statistics, ViewResult
from hookscope.protocol.wire import decode_command, encode
from hookscope.protocol.workload import InputInfo, RunSettings, WorkloadInfo
from tests.client.fake_exporting import FakeExporting
from tests.client.fake_intervening import FakeIntervening
from tests.client.fake_stepping import LONG_S, TREE
from tests.client.fake_watching import FakeWatching

WORKLOAD = WorkloadInfo("Net")
SPEC = TensorSpec((2, 3), "float32", "cpu", "strided", 24)


class FakeDebuggee(FakeExporting, FakeWatching, FakeIntervening):
    def __init__(self, connection: Connection) -> None:
        super().__init__()
        self.channel = ConnectionChannel(connection)
        self.socket = socket.socket(fileno=os.dup(connection.fileno()))
        self.queue: queue.SimpleQueue[commands.Command] = queue.SimpleQueue()
        self.settings = RunSettings()
        self.paths: tuple[str, ...] = ()
        self.operations: tuple[OperationRef, ...] = ()
        self.slow_views: dict[int, commands.RequestView] = {}
        self.pause = threading.Event()
        self.interrupt = threading.Event()

    def send(self, event: events.Event) -> None:
        self.channel.send(encode(event))

    def hear(self) -> None:
        try:
            while True:
                command = decode_command(self.channel.receive())
                match command:
                    case commands.Abort():
                        self.abort.set()
                        self.answers.put(None)
                    case commands.Pause(at_event=True):
                        self.stop_soon.set()
                    case commands.Pause():
                        self.pause.set()
                    case commands.Continue():
                        self.answers.put(command)
                    case commands.SetBreakpoints():
                        self.set_breakpoints(command)
                    case commands.RequestStack():
                        self.tell_stack()
                    case commands.RequestSource(file=file, line=line):
                        self.send(events.SourceReady(file, line, line, ("return x",)))
                    case commands.Interrupt():
                        self.interrupt.set()
                    case commands.RequestView(panel="slow", number=number):
                        self.slow_views[number] = command
                        self.send(events.ViewProgress("slow", number, 1, 6))
                    case commands.RequestView():
                        self.answer(command)
                    case commands.CancelView():
                        self.answer(self.slow_views.pop(command.number))
                    case commands.ExportTensor():
                        self.export_tensor(command)
                    case commands.ExportStep():
                        self.export_step(command)
                    case commands.CancelExport():
                        self.cancel_export(command)
                    case commands.SetHooks():
                        self.hook(command)
                    case commands.SetInterventions():
                        self.set_interventions(command)
                    case commands.SetSeries():
                        self.series = command.series
                    case commands.RequestOverview():
                        self.tell_layers(command)
                    case commands.CompareSteps():
                        self.compare(command)
                    case commands.ChangeAtHand():
                        self.change_at_hand(command)
                    case _:
                        if isinstance(command, (commands.RunSteps, commands.RunTrial)):
                            self.forget_wishes()
                        if isinstance(command, commands.Shutdown):
                            self.abort.set()
                            self.answers.put(None)
                        self.queue.put(command)
        except ChannelClosedError:
            os._exit(0)

    def answer(self, command: commands.RequestView) -> None:
        result: ViewResult = NoPicture(NoPictureReason.EMPTY)
        if command.step is not None:
            norm = self.losses.get(command.step, 0.0) - self.losses.get(command.minus or 0, 0.0)
            result = Statistics(6, -1.0, 1.0, 0.0, 1.0, norm, 3, 0, 3, 0, 0, 0)
        step = command.step or self.step
        self.send(events.ViewReady(command.panel, command.number, command.ref, step, SPEC, (), result))
        self.viewed.set()

    def hook(self, command: commands.SetHooks) -> None:
        known = {module.path for module in TREE.modules}
        wanted = (*command.paths, *(ref.path for ref in command.operations))
        self.paths = tuple(path for path in command.paths if path in known)
        self.operations = tuple(ref for ref in command.operations if ref.path in known)
        # `b` can have no mode but exact.
        modes = {path: mode for path, mode in command.modes.items() if path != "b"}
        self.send(
            events.HooksSet(
                self.paths,
                tuple(path for path in wanted if path not in known),
                modes,
                {path: "b is like that" for path in command.modes if path == "b"},
                {path: ("forward_hook", modes.get(path, HookMode.EXACT).value) for path in self.paths},
            )
        )

    def trace(self, path: str) -> None:
        if path == "b":
            self.send(events.Failed(Failure(FailureKind.FORWARD_RAISED, module_path="b")))
            self.send(events.RunFinished(events.RunEnd.FAILED, 0))
        else:
            add = OperationInfo(OperationRef(path, "add", 0), SPEC, "net.py", 3, "return x + 1")
            self.send(events.OperationsTraced(path, (add,)))
            self.send(events.RunFinished(events.RunEnd.COMPLETED, 0))

    def forget_wishes(self) -> None:
        for wish in (self.abort, self.pause, self.stop_soon, self.interrupt):
            wish.clear()
        self.answers = queue.SimpleQueue()

    def serve(self, protocol: int) -> None:
        devices = (DeviceInfo("cpu", "CPU"),)
        self.send(events.Hello(protocol, "0", "0", sys.version.split()[0], os.getpid(), devices))
        threading.Thread(target=self.hear, daemon=True).start()
        while True:
            match self.queue.get():
                case commands.Load() as load:
                    self.load(load)
                case commands.SetSettings(settings=settings):
                    refused = settings.device != "cpu"
                    self.settings = self.settings if refused else settings
                    self.send(events.SettingsApplied(self.settings, WORKLOAD))
                    if refused:
                        self.send(events.Failed(Failure(FailureKind.DEVICE_UNAVAILABLE, {"device": settings.device})))
                case commands.SetInputs(inputs=inputs):
                    made = tuple(
                        InputInfo(f"args.{i}", TensorSpec(made.shape, made.dtype, "cpu"), False)
                        for i, made in enumerate(inputs)
                    )
                    self.send(events.SettingsApplied(self.settings, WorkloadInfo("Net", made, synthetic=True)))
                    if not all(all(made.shape) for made in inputs):
                        self.send(events.Failed(Failure(FailureKind.BAD_INPUT, {"reason": "empty"})))
                case commands.TraceOperations(path=path):
                    self.trace(path)
                case commands.RunSteps() as wanted:
                    self.run(wanted)
                case commands.RunTrial():
                    self.try_out()
                case commands.ProveUnchanged():
                    self.prove()
                case commands.Shutdown():
                    return

    def load(self, load: commands.Load) -> None:
        self.manner, self.settings = getattr(load.source, "name", ""), load.settings
        print(f"loading {self.manner} with {len(load.inputs)} inputs", flush=True)
        match self.manner:
            case "raises":
                self.send(events.Failed(Failure(FailureKind.SOURCE_RAISED, {"source": "raises"})))
            case "loads slowly":
                self.interrupt.wait(LONG_S)
            case "loads for ever":
                time.sleep(LONG_S)
            case _ if load.settings.device != "cpu":
                self.send(events.Failed(Failure(FailureKind.DEVICE_UNAVAILABLE, {"device": load.settings.device})))
            case _:
                self.send(events.Loaded(TREE, WORKLOAD, self.settings))

    def run(self, wanted: commands.RunSteps) -> None:
        match self.manner:
            case "aborts":
                os.abort()
            case "exits":
                print("good bye", flush=True)
                os._exit(7)
            case "deaf":
                time.sleep(LONG_S)
            case "stubborn":
                self.interrupt.wait(LONG_S)
                self.send(events.RunFinished(events.RunEnd.INTERRUPTED, 0))
            case "garbled":
                self.channel.send(b"\xc1")
                time.sleep(LONG_S)
            case "hangs up":
                self.socket.shutdown(socket.SHUT_WR)
                time.sleep(LONG_S)
            case "leaves a process":
                subprocess.Popen([sys.executable, "-c", "import time; time.sleep(20)"], start_new_session=True)
                os._exit(0)
            case "raises in forward":
                self.send(events.Failed(Failure(FailureKind.FORWARD_RAISED, module_path="a")))
                self.send(events.RunFinished(events.RunEnd.FAILED, 0))
            case _:
                self.run_steps(wanted)

    def run_steps(self, wanted: commands.RunSteps) -> None:
        count, done = wanted.count, 0
        wish: commands.RunSteps | commands.Continue = wanted
        while count is None or done < count:
            self.step += 1
            self.send(events.StepProgress(self.step, events.Phase.FORWARD, 1, 2, "a"))
            self.send(
                events.Records(
                    tuple(
                        Record(TensorRef(path, Slot.OUTPUT, "out", 0, operation), self.step, order, SPEC)
                        for order, (path, operation) in enumerate(
                            [*((path, "") for path in self.paths), *((ref.path, ref.text) for ref in self.operations)]
                        )
                    )
                )
            )
            if not self.walk(wish, trace=wanted.trace):
                reason = events.RunEnd.ABORTED
                self.step -= 1
                break
            wish = commands.Continue()
            self.finish_step(self.interventions, is_trial=False)
            self.tell_series()
            done += 1
            if self.abort.is_set() or self.pause.is_set():
                reason = events.RunEnd.ABORTED if self.abort.is_set() else events.RunEnd.PAUSED
                break
            if count is None:
                time.sleep(0.001)
        else:
            reason = events.RunEnd.COMPLETED
        self.send(events.RunFinished(reason, done))


def main() -> None:
    manner, address = sys.argv[1], sys.argv[-1]
    authkey = sys.stdin.buffer.read()
    match manner:
        case "lacks torch":
            print("torch is missing", file=sys.stderr, flush=True)
            sys.exit(3)
        case "never connects":
            time.sleep(LONG_S)
        case "dies while connecting":
            # Ends in the middle of the exchange that proves who it is.
            socket.socket(socket.AF_UNIX).connect(address)
            os._exit(4)
        case "knocks with a wrong key":
            with contextlib.suppress(AuthenticationError):
                Client(address, authkey=b"wrong")
    protocol = 999 if manner == "is too new" else events.PROTOCOL_VERSION
    connection = Client(address, authkey=authkey)
    if manner == "talks nonsense":
        connection.send_bytes(b"\xc1")
        time.sleep(LONG_S)
    FakeDebuggee(connection).serve(protocol)


main()
