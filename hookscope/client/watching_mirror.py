"""What the client knows of series and overviews. For the session's thread."""

from collections.abc import Iterable

from hookscope.client.series_book import SeriesBook
from hookscope.protocol import commands, events
from hookscope.protocol.series import Series


class WatchingMirror:
    """See the properties of `DebugSession` with the same names."""

    def __init__(self) -> None:
        self.series: tuple[Series, ...] = ()
        self.book = SeriesBook()
        self.overview: events.OverviewReady | None = None
        self._last_id = 0

    def set_series(self, series: Iterable[Series]) -> None:
        """Keep the whole set; of those that were followed before, what was told stays."""
        self.series = tuple({one.id: one for one in series}.values())
        self._last_id = max((self._last_id, *(one.id for one in self.series)))
        self.book.follow(self.series)

    def next_id(self) -> int:
        """Return an id that no series had in this session."""
        self._last_id += 1
        return self._last_id

    def command(self) -> commands.SetSeries:
        """Return what gives a debuggee the set."""
        return commands.SetSeries(self.series)

    def forget_steps(self) -> None:
        """Forget what was told of steps: another debuggee has steps of its own."""
        self.book.clear()
        self.overview = None

    def note(self, event: events.Event) -> None:
        """Apply an event of the model's debuggee."""
        match event:
            case events.SeriesPoints():
                self.book.add(event.points, event.left_out)
            case events.OverviewReady():
                self.overview = event
