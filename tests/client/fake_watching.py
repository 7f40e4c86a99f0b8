"""What a debuggee without a model tells of series and layers: each series has the number of the step for its value."""

from abc import ABC, abstractmethod

from hookscope.protocol import commands, events
from hookscope.protocol.series import Layer, Magnitude, Series, SeriesPoint


class FakeWatching(ABC):
    """Knows what is followed; steps and layers are those of the others it is mixed with."""

    step: int
    paths: tuple[str, ...]

    def __init__(self) -> None:
        super().__init__()
        self.series: tuple[Series, ...] = ()

    @abstractmethod
    def send(self, event: events.Event) -> None: ...

    def tell_series(self) -> None:
        if self.series:
            points = (SeriesPoint(one.id, self.step, (float(self.step),)) for one in self.series)
            self.send(events.SeriesPoints(tuple(points)))

    def tell_layers(self, command: commands.RequestOverview) -> None:
        step = self.step if command.step is None else command.step
        layers = (Layer(path, order, Magnitude(float(order), 6)) for order, path in enumerate(self.paths))
        self.send(events.OverviewReady(step, tuple(layers) if step else ()))
