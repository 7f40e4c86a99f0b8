"""What ends a step before its end, as failures that say where: exceptions of the user's code, and interventions."""

import traceback
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec
from torch import nn

from hookscope.engine.capture.recorder import Recorder
from hookscope.engine.failing_module import failing_module
from hookscope.engine.failure_report import FailureError, raised
from hookscope.engine.intervening.intervener import InterventionFailed
from hookscope.engine.module_tree import named_modules
from hookscope.protocol.failures import Failure, FailureKind


class StepFailures:
    """Turns what is raised within a step into failures.

    Args:
        model: Whose modules are named.
        recorder: Told of a step that fails.
    """

    def __init__(self, model: nn.Module, recorder: Recorder) -> None:
        self._model = model
        self._recorder = recorder

    @contextmanager
    def reported(self, kind: FailureKind) -> Iterator[None]:
        """Turn what the user's code raises in the block into a failure.

        Raises:
            FailureError: Something was raised.
        """
        try:
            yield
        except (FailureError, KeyboardInterrupt):
            raise
        except (Exception, SystemExit) as error:
            raise self._given_up(error, raised(kind, error).failure) from None

    @contextmanager
    def interventions_reported(self) -> Iterator[None]:
        """Turn an intervention that could not be made in the block into a failure.

        Raises:
            FailureError: There was one.
        """
        try:
            yield
        except InterventionFailed as error:
            class_name = type(named_modules(self._model).get(error.path)).__name__
            failure = Failure(FailureKind.INTERVENTION_FAILED, error.values, error.path, class_name)
            raise self._given_up(error, failure) from None

    def _given_up(self, error: BaseException, failure: Failure) -> FailureError:
        where = failing_module(error, named_modules(self._model)) if failure.module_path is None else None
        if where is not None:
            failure = msgspec.structs.replace(
                failure, module_path=where.path, module_class=where.class_name, inputs=where.inputs
            )
        self._recorder.fail_step(error)
        traceback.clear_frames(error.__traceback__)  # the frames hold the step's activations
        return FailureError(failure)
