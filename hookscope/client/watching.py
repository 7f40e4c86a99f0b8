"""What a session follows over the steps, and the overview of all checked modules in one of them."""

from collections.abc import Iterable

from hookscope.client.intervening import InterveningSession
from hookscope.client.series_book import SeriesBook
from hookscope.client.state import SessionStateError
from hookscope.protocol import commands
from hookscope.protocol.events import OverviewReady
from hookscope.protocol.series import Series


class WatchingSession(InterveningSession):
    """The part of `DebugSession` that has numbers told; what is said there of intents and facts holds for these."""

    @property
    def series(self) -> tuple[Series, ...]:
        """What is followed over the steps."""
        return self._model.watching.series

    @property
    def series_book(self) -> SeriesBook:
        """What was told of each series, of the newest steps; the same object all the time."""
        return self._model.watching.book

    @property
    def overview(self) -> OverviewReady | None:
        """The newest answer to `request_overview`, until a model is loaded and has run."""
        return self._model.watching.overview

    def set_series(self, series: Iterable[Series]) -> None:
        """Follow exactly these from the next finished step on; those that a later one has the id of do not count.

        They are kept whether a model is loaded or not, and given to every debuggee.
        """
        self._demand("set_series")
        self._model.watching.set_series(series)
        self._send(self._model.watching.command())

    def next_series_id(self) -> int:
        """Return an id for a new series, another one each time."""
        return self._model.watching.next_id()

    def request_overview(self, step: int | None = None) -> None:
        """Ask how large the tensors of all checked modules are; `OverviewReady` answers.

        Args:
            step: Of which step; `None` for the newest finished one.
        """
        self._demand("request_overview")
        if not self._send(commands.RequestOverview(step)):
            raise SessionStateError("request_overview: the model's debuggee is gone")
