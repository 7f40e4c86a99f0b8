"""Answers views, comparisons and overviews on a thread of its own, so that panels are served while a step runs.

A view of very many elements tells how far it is and lets others pass: what waits is answered between its parts.
"""

import threading
import time

import torch

from hookscope.engine.capture.captures import Capture, CaptureStore
from hookscope.engine.code.call_stack import VariableStore
from hookscope.engine.convert import Unreadable
from hookscope.engine.outbox import Outbox
from hookscope.engine.progress import GivenUp, heard_by
from hookscope.engine.series.overview import overview_of
from hookscope.engine.series.series_recorder import SeriesRecorder
from hookscope.engine.specs import spec_of
from hookscope.engine.trials.comparison import compare_steps
from hookscope.engine.trials.difference import subtract
from hookscope.engine.views import build_view
from hookscope.protocol.commands import CancelView, CompareSteps, RequestOverview, RequestView
from hookscope.protocol.events import OverviewReady, ViewProgress, ViewReady
from hookscope.protocol.identity import TensorRef
from hookscope.protocol.views import (
    EmbeddingRequest,
    HistogramRequest,
    NoPicture,
    NoPictureReason,
    QuantilesRequest,
    SingularValuesRequest,
    StatisticsRequest,
    ViewResult,
)

_COMPARISON, _OVERVIEW = "comparison of steps", "overview of a step"
"""Places in the queue; no panel is called so."""

_LONG_ELEMENTS = 1 << 22
"""Going through more than these takes long enough to be told of."""

_TELL_EVERY_S = 0.1

_Job = RequestView | CompareSteps | RequestOverview

_GIVES_WAY_S: dict[type, float] = {
    HistogramRequest: 0.02,
    QuantilesRequest: 0.04,
    StatisticsRequest: 0.04,
    CompareSteps: 0.05,
    RequestOverview: 0.05,
    SingularValuesRequest: 0.1,
    EmbeddingRequest: 0.1,
}
"""Pictures, which look at few elements, overtake what looks at all of them and came at most so much earlier."""


class ViewServer:
    """A queue with one place per panel, one for comparisons and one for overviews, and the thread that empties it.

    Args:
        store: Where the captures are.
        variables: Where local variables are, while a step is stopped.
        series: Knows which steps count, and in what order.
        outbox: Tells the window.
    """

    def __init__(self, store: CaptureStore, variables: VariableStore, series: SeriesRecorder, outbox: Outbox) -> None:
        self._store = store
        self._variables = variables
        self._series = series
        self._outbox = outbox
        self._waiting: dict[str, tuple[float, _Job]] = {}
        self._in_work: list[tuple[str, int]] = []
        self._given_up: set[tuple[str, int]] = set()
        self._changed = threading.Condition()
        self._closed = False
        self._thread = threading.Thread(target=self._serve, name="hookscope-views", daemon=True)
        self._thread.start()

    def request(self, request: RequestView) -> None:
        """Queue a request; it replaces one of the same panel that still waits. Called on the reader thread."""
        self._queue(request.panel, request)

    def compare(self, command: CompareSteps) -> None:
        """Queue a comparison; it replaces one that still waits. Called on the reader thread."""
        self._queue(_COMPARISON, command)

    def overview(self, command: RequestOverview) -> None:
        """Queue an overview; it replaces one that still waits. Called on the reader thread."""
        self._queue(_OVERVIEW, command)

    def cancel(self, command: CancelView) -> None:
        """Give a view up that waits or is in work; one that is done is not meant. Called on the reader thread."""
        with self._changed:
            view = command.panel, command.number
            _, waiting = self._waiting.get(command.panel, (0.0, None))
            is_waiting = isinstance(waiting, RequestView) and waiting.number == command.number
            if is_waiting or view in self._in_work:
                self._given_up.add(view)

    def close(self) -> None:
        """End the thread after the view in work."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        self._thread.join()

    def _queue(self, place: str, job: _Job) -> None:
        kind = type(job.request) if isinstance(job, RequestView) else type(job)
        due = time.monotonic() + _GIVES_WAY_S.get(kind, 0.0)
        with self._changed:
            _, replaced = self._waiting.get(place, (0.0, None))
            if isinstance(replaced, RequestView):
                self._given_up.discard((replaced.panel, replaced.number))
            self._waiting[place] = due, job
            self._changed.notify()

    def _serve(self) -> None:
        with torch.no_grad():
            while True:
                with self._changed:
                    self._changed.wait_for(lambda: self._waiting or self._closed)
                    if self._closed:
                        return
                self._serve_next()

    def _serve_next(self, *, is_nested: bool = False) -> bool:
        """Do what is due first, `is_nested` in the middle of a long view; returns whether anything waited."""
        with self._changed:
            if not self._waiting or self._closed:
                return False
            _, job = self._waiting.pop(min(self._waiting, key=lambda place: self._waiting[place][0]))
            if isinstance(job, RequestView):
                self._in_work.append((job.panel, job.number))
        match job:
            case CompareSteps():
                self._outbox.post(compare_steps(self._store, job.before, job.after))
            case RequestOverview():
                step = self._series.newest if job.step is None else job.step
                layers = overview_of(self._store, step, self._series.former_of(step))
                self._outbox.post(OverviewReady(step if layers else 0, layers))
            case RequestView():
                self._outbox.post_view(self._answer_patiently(job, _Patience(self, job, is_nested=is_nested)))
        return True

    def _answer_patiently(self, request: RequestView, patience: "_Patience") -> ViewReady:
        """Answer a view, or say that it was given up."""
        try:
            with heard_by(patience):
                return self._answer(request, patience)
        except GivenUp:
            nothing = NoPicture(NoPictureReason.CANCELLED)
            return ViewReady(request.panel, request.number, request.ref, request.step or 0, None, (), nothing)
        finally:
            with self._changed:
                self._in_work.remove((request.panel, request.number))
                self._given_up.discard((request.panel, request.number))

    def is_given_up(self, request: RequestView) -> bool:
        """Whether a view is not wanted any more."""
        return self._closed or (request.panel, request.number) in self._given_up

    def let_others_pass(self) -> None:
        """Answer what waits now, in the middle of a long view."""
        while self._serve_next(is_nested=True):
            pass

    def tell(self, progress: ViewProgress) -> None:
        """Tell how far a long view is."""
        self._outbox.post(progress)

    def _answer(self, request: RequestView, patience: "_Patience") -> ViewReady:
        with self._variables.reading(request.ref) as variable:
            if variable is not None:
                patience.total = variable.numel()
                result = self._view(request, variable, None)
                return ViewReady(request.panel, request.number, request.ref, 0, spec_of(variable), (), result)
        with self._store.open(request.ref, request.step) as (capture, tensor):
            if capture is None:
                nothing = self._nothing(request.step)
                return ViewReady(request.panel, request.number, request.ref, 0, None, (), nothing)
            spec, found = capture.spec, self._values(request, capture, tensor)
            if isinstance(found, torch.Tensor):
                patience.total = found.numel()
                spec = spec if request.minus is None else spec_of(found)
                found = self._view(request, found, capture.step)
            return ViewReady(request.panel, request.number, request.ref, capture.step, spec, capture.badges, found)

    def _values(self, request: RequestView, capture: Capture, tensor: torch.Tensor | None) -> torch.Tensor | ViewResult:
        """Return what is to be looked at, or what is known instead."""
        if request.minus is not None and tensor is not None:
            return self._difference(request.ref, tensor, request.minus)
        if tensor is not None:
            return tensor
        if request.minus is None and capture.statistics is not None and isinstance(request.request, StatisticsRequest):
            return capture.statistics
        return NoPicture(NoPictureReason.NOT_CAPTURED)

    def _difference(self, ref: TensorRef, tensor: torch.Tensor, step: int) -> torch.Tensor | NoPicture:
        """Return what a tensor is beyond what it was in another step."""
        with self._store.lend(ref, step) as before:
            if before is None:
                return self._nothing(step)
            if before.shape != tensor.shape:
                shapes = f"{tuple(tensor.shape)} and, in step {step}, {tuple(before.shape)}"
                return NoPicture(NoPictureReason.WRONG_RANK, f"the shapes are {shapes}")
            try:
                return subtract(tensor, before)
            except Unreadable as error:
                return NoPicture(NoPictureReason.NO_DATA, str(error))
            except RuntimeError as error:  # a kind of tensor that torch cannot subtract, or no memory for it
                return NoPicture(NoPictureReason.FAILED, str(error))

    def _view(self, request: RequestView, tensor: torch.Tensor, step: int | None) -> ViewResult:
        other: TensorRef | None = getattr(request.request, "other", None)
        if other is None:
            return build_view(tensor, request.request)
        with self._variables.reading(other) as variable, self._store.open(other, step) as (_, captured):
            return build_view(tensor, request.request, variable if variable is not None else captured)

    def _nothing(self, step: int | None) -> NoPicture:
        is_gone = step is not None and not self._store.keeps(step)
        return NoPicture(NoPictureReason.STEP_GONE if is_gone else NoPictureReason.NOT_CAPTURED)


class _Patience:
    """Listens to one view in work; only of a long one is anything to be noticed.

    Attributes:
        total: Elements that there are to look at. Some views go through them twice.
    """

    def __init__(self, server: ViewServer, request: RequestView, *, is_nested: bool) -> None:
        self._server = server
        self._request = request
        self._is_nested = is_nested
        self.total = 0
        self._done = 0
        self._tell_at = time.monotonic() + _TELL_EVERY_S

    def __call__(self, elements: int) -> None:
        if self._server.is_given_up(self._request):
            raise GivenUp
        self._done += elements
        if self._done < _LONG_ELEMENTS or time.monotonic() < self._tell_at:
            return
        self._tell_at = time.monotonic() + _TELL_EVERY_S
        done = min(self._done, self.total)
        self._server.tell(ViewProgress(self._request.panel, self._request.number, done, self.total))
        if not self._is_nested:
            self._server.let_others_pass()
