"""Answers views on a thread of its own, so that panels are served while a step runs."""

import threading
from collections import OrderedDict

import torch

from hookscope.engine.capture.captures import Capture, CaptureStore
from hookscope.engine.code.call_stack import VariableStore
from hookscope.engine.outbox import Outbox
from hookscope.engine.specs import spec_of
from hookscope.engine.views import build_view
from hookscope.protocol.commands import RequestView
from hookscope.protocol.events import ViewReady
from hookscope.protocol.views import NoPicture, NoPictureReason, StatisticsRequest, ViewRequest, ViewResult


class ViewServer:
    """A queue with one place per panel, and the thread that empties it."""

    def __init__(self, store: CaptureStore, variables: VariableStore, outbox: Outbox) -> None:
        self._store = store
        self._variables = variables
        self._outbox = outbox
        self._waiting: OrderedDict[str, RequestView] = OrderedDict()
        self._changed = threading.Condition()
        self._closed = False
        self._thread = threading.Thread(target=self._serve, name="hookscope-views", daemon=True)
        self._thread.start()

    def request(self, request: RequestView) -> None:
        """Queue a request; it replaces one of the same panel that still waits. Called on the reader thread."""
        with self._changed:
            self._waiting[request.panel] = request
            self._changed.notify()

    def close(self) -> None:
        """End the thread after the view in work."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        self._thread.join()

    def _serve(self) -> None:
        with torch.no_grad():
            while True:
                with self._changed:
                    while not self._waiting and not self._closed:
                        self._changed.wait()
                    if self._closed:
                        return
                    _, request = self._waiting.popitem(last=False)
                self._outbox.post_view(self._answer(request))

    def _answer(self, request: RequestView) -> ViewReady:
        with self._variables.reading(request.ref) as variable:
            if variable is not None:
                result = build_view(variable, request.request)
                return ViewReady(request.panel, request.number, request.ref, 0, spec_of(variable), (), result)
        with self._store.open(request.ref, request.step) as (capture, tensor):
            if capture is None:
                is_gone = request.step is not None and not self._store.keeps(request.step)
                nothing = NoPicture(NoPictureReason.STEP_GONE if is_gone else NoPictureReason.NOT_CAPTURED)
                return ViewReady(request.panel, request.number, request.ref, 0, None, (), nothing)
            result = _result(capture, tensor, request.request)
            return ViewReady(
                request.panel, request.number, request.ref, capture.step, capture.spec, capture.badges, result
            )


def _result(capture: Capture, tensor: torch.Tensor | None, request: ViewRequest) -> ViewResult:
    if tensor is not None:
        return build_view(tensor, request)
    if capture.statistics is not None and isinstance(request, StatisticsRequest):
        return capture.statistics
    return NoPicture(NoPictureReason.NOT_CAPTURED)
