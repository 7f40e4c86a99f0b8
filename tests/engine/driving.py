"""Drives the real debuggee over an in-memory channel: commands in, events out."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from hookscope.engine.debuggee import Debuggee
from hookscope.protocol import commands, events
from hookscope.protocol.channel import MemoryChannel, memory_channels
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.stops import StepEvent
from hookscope.protocol.tensors import Record
from hookscope.protocol.views import TableRequest, ViewRequest
from hookscope.protocol.wire import decode_event, encode
from hookscope.protocol.workload import LossChoice, RunSettings, SyntheticInput, parse_source


class Driver:
    """The window's side of a debuggee that runs in a thread of this process."""

    def __init__(self, channel: MemoryChannel) -> None:
        self._channel = channel
        self._numbers = 0
        self.records: dict[TensorRef, Record] = {}
        self.failures: list[events.Failed] = []
        self.finished: list[events.StepFinished] = []
        self.events: list[StepEvent] = []
        self.logs: list[events.LogPrinted] = []
        self.expect(events.Hello)

    def send(self, command: commands.Command) -> None:
        self._channel.send(encode(command))

    def expect(self, kind: type) -> events.Event:
        """Return the next event of a kind; what passes by is kept in the lists."""
        while True:
            event = decode_event(self._channel.receive())
            match event:
                case events.Records(records=records):
                    self.records.update({record.ref: record for record in records})
                case events.Failed():
                    self.failures.append(event)
                case events.StepEvents(events=told):
                    self.events.extend(told)
                case events.LogPrinted():
                    self.logs.append(event)
                case events.StepFinished():
                    self.finished.append(event)
            if isinstance(event, kind):
                return event

    def load(
        self, source: str, *, inputs: tuple[SyntheticInput, ...] = (), seed: int | None = 0, device: str = "cpu"
    ) -> events.Loaded | events.Failed:
        self.send(commands.Load(parse_source(source), RunSettings(device=device, seed=seed), inputs))
        return self.expect(events.Loaded | events.Failed)

    def check(self, *paths: str) -> events.HooksSet:
        self.send(commands.SetHooks(paths))
        return self.expect(events.HooksSet)

    def change(self, settings: RunSettings) -> events.SettingsApplied:
        self.send(commands.SetSettings(settings))
        return self.expect(events.SettingsApplied)

    def run(self, count: int | None = 1) -> events.RunFinished:
        self.send(commands.RunSteps(count))
        return self.expect(events.RunFinished)

    def view_ref(self, ref: TensorRef, request: ViewRequest) -> events.ViewReady:
        self._numbers += 1
        self.send(commands.RequestView("test", self._numbers, ref, request))
        return self.expect(events.ViewReady)

    def view(self, path: str, slot: Slot, leaf: str, request: ViewRequest, call: int = 0) -> events.ViewReady:
        return self.view_ref(TensorRef(path, slot, leaf, call), request)

    def values(self, path: str, slot: Slot, leaf: str, call: int = 0) -> list[list[float]]:
        """Return the values of a tensor with at most two dims, as rows."""
        table = self.view(path, slot, leaf, TableRequest(), call).result
        return [[float(cell) for cell in row] for row in table.cells]

    def badges(self, path: str, slot: Slot, leaf: str, call: int = 0) -> list[str]:
        return [str(badge.kind) for badge in self.records[TensorRef(path, slot, leaf, call)].badges]


@contextmanager
def driving() -> Iterator[Driver]:
    """Start a debuggee, and end it."""
    ours, theirs = memory_channels()
    # The debuggee's main thread is the one that makes it.
    thread = threading.Thread(target=lambda: Debuggee(theirs).serve(), name="debuggee")
    thread.start()
    driver = Driver(ours)
    try:
        yield driver
    finally:
        driver.send(commands.Shutdown())
        thread.join(20)
        assert not thread.is_alive()


SUM = RunSettings(loss=LossChoice.SUM)
