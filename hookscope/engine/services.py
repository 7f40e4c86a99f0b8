"""What serves the window beside the steps of a model: views, series, overviews and exports, on threads of their own."""

from typing import TYPE_CHECKING, Any

from hookscope.engine.exports.exporter import Exporter
from hookscope.engine.loaded_model import LoadedModel
from hookscope.engine.outbox import Outbox
from hookscope.engine.series.series_recorder import SeriesRecorder
from hookscope.engine.view_server import ViewServer
from hookscope.protocol import commands

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class Services:
    """The services of one loaded model. `close` waits for their threads.

    Args:
        model: Where the captures are.
        outbox: Tells the window.
    """

    COMMANDS = (
        commands.RequestView,
        commands.CancelView,
        commands.CompareSteps,
        commands.RequestOverview,
        commands.SetSeries,
        commands.ExportTensor,
        commands.ExportStep,
        commands.CancelExport,
    )
    """What `take` takes."""

    def __init__(self, model: LoadedModel, outbox: Outbox) -> None:
        self._series = SeriesRecorder(model.store, outbox.post)
        self._views = ViewServer(model.store, model.stepping.variables, self._series, outbox)
        self._exporter = Exporter(model.store, model.stepping.variables, lambda: self._series.newest, outbox.post)
        self._handlers: Mapping[type, Callable[[Any], None]] = {
            commands.RequestView: self._views.request,
            commands.CancelView: self._views.cancel,
            commands.CompareSteps: self._views.compare,
            commands.RequestOverview: self._views.overview,
            commands.SetSeries: self._set_series,
            commands.ExportTensor: self._exporter.request,
            commands.ExportStep: self._exporter.request,
            commands.CancelExport: self._cancel_export,
        }

    def take(self, command: commands.Command) -> None:
        """Begin to do what is asked for; never waits. Called on the reader thread."""
        self._handlers[type(command)](command)

    def step_finished(self, step: int) -> None:
        """An ordinary step has ended. Called on the main thread."""
        self._series.step_finished(step)

    def close(self) -> None:
        """End all of them, after what is in work."""
        for service in (self._views, self._series, self._exporter):
            service.close()

    def _set_series(self, command: commands.SetSeries) -> None:
        self._series.set(command.series)

    def _cancel_export(self, command: commands.CancelExport) -> None:
        self._exporter.cancel(command.number)
