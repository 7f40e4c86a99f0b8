"""Applies interventions inside of hooks, at every point of a model, one step after the other.

Its hooks run after those of the user and before all others of ours: what is captured is what the model goes on with.
With nothing enabled, nothing of it is on the model.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from torch import nn

from hookscope.engine.capture.capture_writer import CaptureWriter
from hookscope.engine.capture.captures import CaptureStore
from hookscope.engine.capture.hooks import ModuleHooks
from hookscope.engine.intervening.applier import Applier
from hookscope.engine.intervening.changes import ChangeError
from hookscope.engine.intervening.gradient_changes import GradientChanges
from hookscope.engine.intervening.module_changes import ModuleChanges, PlansOfModule
from hookscope.engine.intervening.operation_changes import OperationChanges
from hookscope.engine.intervening.parameter_changes import ParameterChanges
from hookscope.engine.intervening.planned import InterventionFailed, Planned, why_impossible
from hookscope.engine.intervening.statuses import Tally
from hookscope.protocol import tensor_changes as kinds
from hookscope.protocol.identity import Slot
from hookscope.protocol.interventions import Idle, Intervention, InterventionStatus
from hookscope.protocol.patterns import nearest
from hookscope.protocol.tensors import BadgeKind

__all__ = ["Intervener", "InterventionFailed"]

_OF_PARAMETERS = frozenset({Slot.PARAMETER, Slot.PARAMETER_GRAD})


class Intervener:
    """The interventions on one model.

    A step is `begin_step`, the forward and backward passes, `complete_step` if they came to their end, `end_step`.

    Args:
        writer: Told which captures an intervention has changed.
        store: Where captures are; those of other steps can be put in place of a tensor.

    Attributes:
        sources: Steps whose captures the interventions refer to.
    """

    def __init__(self, writer: CaptureWriter, store: CaptureStore) -> None:
        self._writer = writer
        self._applier = Applier(writer, store)
        self._gradients = GradientChanges(self._applier)
        self._modules = ModuleChanges(self._applier, self._gradients)
        self._operations = OperationChanges(self._applier, self._modules)
        self._parameters = ParameterChanges(self._applier, store)
        self._hooks = ModuleHooks()
        self._planned: tuple[Planned, ...] = ()
        self._acting: tuple[Planned, ...] = ()
        self._is_suspended = False
        self._is_complete = False
        self._statuses: tuple[InterventionStatus, ...] = ()
        self.sources: frozenset[int] = frozenset()

    @property
    def is_active(self) -> bool:
        """Whether any intervention acts."""
        return bool(self._acting)

    def set(self, interventions: Sequence[Intervention], modules: Mapping[str, nn.Module]) -> dict[int, str]:
        """Let exactly these interventions hold, from the next call on.

        Args:
            interventions: Where several change one tensor, they act in this order.
            modules: All modules of the model by path.

        Returns:
            Id -> why an intervention is refused: what was expected and what was given. Those do not act.
        """
        refused: dict[int, str] = {}
        planned = []
        for intervention in interventions:
            try:
                reason = why_impossible(intervention)
                if reason:
                    raise ChangeError(reason)
                planned.append(Planned(intervention))
            except ChangeError as error:
                refused[intervention.id] = str(error)
        self._planned = tuple(planned)
        self._applier.modules = dict(modules)
        self.sources = frozenset().union(*(_sources(plan.intervention) for plan in planned))
        self._install()
        return refused

    @contextmanager
    def suspended(self) -> Iterator[None]:
        """Let none act inside the block, between steps; no hook is on the model then."""
        self._is_suspended = True
        self._install()
        try:
            yield
        finally:
            self._is_suspended = False
            self._install()

    def begin_step(self, step: int) -> None:
        """Open a step, and change parameters for it. Before the recorder's, so that captures show the new values.

        Raises:
            InterventionFailed: A parameter cannot be changed so; then the step is ended again.
        """
        self.end_step()
        self._is_complete = False
        self._statuses = ()
        for plan in self._planned:
            plan.tally = Tally()
        if self._is_suspended:
            return
        self._applier.step = step
        self._applier.is_running = True
        self._modules.begin_step()
        self._operations.begin_step()
        try:
            self._parameters.write(self._acting)
            self._parameters.await_gradients(self._acting)
        except BaseException:
            self.end_step()
            raise

    def restore_parameters(self) -> None:
        """Put changed parameters back, to the bit: before an optimizer steps. Captures of them stay as they are."""
        self._parameters.restore()

    def complete_step(self) -> None:
        """Note that the step came to its end. Called after a whole backward."""
        self._gradients.complete_step()
        self._is_complete = True

    def end_step(self) -> None:
        """Put parameters back and take the step's hooks off, however the step ended."""
        self._parameters.restore()
        if self._applier.is_running and self._acting:
            self._statuses = self._status_of_each()
        self._applier.is_running = False
        self._parameters.release()
        self._gradients.end_step()
        self._modules.end_step()
        self._operations.end_step()
        self._writer.marks.clear()

    def statuses(self) -> tuple[InterventionStatus, ...]:
        """Say how each intervention that was not refused fares in the running step, or fared in the newest one.

        Nothing is said of a step in which none could act.
        """
        return self._status_of_each() if self._applier.is_running and self._acting else self._statuses

    def _install(self) -> None:
        acting = () if self._is_suspended else tuple(plan for plan in self._planned if plan.intervention.enabled)
        self._acting = acting
        modules = self._applier.modules
        on_modules: dict[str, list[Planned]] = {}
        for plan in acting:
            if plan.intervention.path in modules and plan.intervention.slot not in _OF_PARAMETERS:
                on_modules.setdefault(plan.intervention.path, []).append(plan)
        plans = {path: PlansOfModule(of_module) for path, of_module in on_modules.items()}
        self._modules.plans = plans
        self._hooks.set({path: modules[path] for path in plans}, dict.fromkeys(plans, self._modules))
        self._operations.set({path: modules[path] for path in plans if plans[path].has_operations})
        if self._applier.is_running:
            self._parameters.await_gradients(acting)

    def _status_of_each(self) -> tuple[InterventionStatus, ...]:
        return tuple(plan.tally.status(plan.intervention.id, next(self._why_idle(plan))) for plan in self._planned)

    def _why_idle(self, plan: Planned) -> Iterator[tuple[Idle, str]]:
        """Say why an intervention has not acted that had no occasion to say so itself; the first reason counts."""
        meant = plan.intervention
        calls = self._modules.numbers.count(meant.path)
        operations = self._operations.ran.get(meant.path, {})
        if not meant.enabled:
            yield Idle.OFF, ""
        if meant.path not in self._applier.modules:
            yield Idle.UNKNOWN_MODULE, ", ".join(nearest(meant.path, self._applier.modules))
        if not self._is_complete:
            yield Idle.STEP_ENDED, ""
        if meant.slot not in _OF_PARAMETERS:
            if not calls:
                yield Idle.NEVER_CALLED, ""
            if meant.call is not None and meant.call >= calls:
                yield Idle.NO_SUCH_CALL, str(calls)
            if meant.operation and meant.operation not in operations:
                yield Idle.NO_SUCH_OPERATION, ", ".join(operations)
        yield Idle.NO_GRADIENT, BadgeKind.NO_GRADIENT_REACHED.value


def _sources(intervention: Intervention) -> frozenset[int]:
    change = intervention.change
    inner = change.change if isinstance(change, kinds.StraightThrough) else change
    return frozenset({inner.step}) if isinstance(inner, kinds.FromStep) else frozenset()
