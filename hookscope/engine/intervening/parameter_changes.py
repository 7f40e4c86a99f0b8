"""Changes parameters for the time of a step, and their gradients before they are accumulated.

Reads only `Module._parameters`: `getattr` may run a parametrization's code.
"""

from collections.abc import Mapping, Sequence

import torch
from torch import nn
from torch.nn.parameter import UninitializedParameter

from hookscope.engine.capture.captures import CaptureStore
from hookscope.engine.capture.hooks import Handle, on_gradient
from hookscope.engine.intervening.applier import Applier
from hookscope.engine.intervening.planned import Planned
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.interventions import Idle
from hookscope.protocol.tensors import BadgeKind


class ParameterChanges:
    """The interventions on parameters and their gradients. On the main thread, but for the gradients.

    Args:
        applier: Makes the changes.
        store: Keeps captures of parameters by reference until it is told otherwise.
    """

    def __init__(self, applier: Applier, store: CaptureStore) -> None:
        self._applier = applier
        self._store = store
        self._former: list[tuple[torch.Tensor, torch.Tensor]] = []
        self._handles: list[Handle] = []

    def write(self, plans: Sequence[Planned]) -> None:
        """Change the parameters that interventions mean. `restore` puts them back.

        Raises:
            InterventionFailed: One of them cannot be changed; those before it are.
        """
        kept: set[int] = set()
        for plan in plans:
            found = self._found(plan, Slot.PARAMETER)
            if found is None:
                continue
            ref, parameter = found
            if not kept:
                self._store.keep_parameters()  # those of earlier steps are read where they are
            new = self._applier.apply((plan,), parameter, ref, 0)
            with self._applier.blaming((plan,), ref.leaf), torch.no_grad():
                if id(parameter) not in kept:
                    kept.add(id(parameter))
                    self._former.append((parameter, parameter.detach().clone()))
                parameter.copy_(new)

    def restore(self) -> None:
        """Put the parameters back, to the bit. What was captured of them stays as it was captured."""
        if not self._former:
            return
        self._store.keep_parameters()
        former, self._former = self._former, []
        with torch.no_grad():
            for parameter, values in former:
                parameter.copy_(values)

    def await_gradients(self, plans: Sequence[Planned]) -> None:
        """Change exactly these parameters' gradients when they come."""
        self.release()
        by_parameter: dict[TensorRef, tuple[torch.Tensor, list[Planned]]] = {}
        for plan in plans:
            found = self._found(plan, Slot.PARAMETER_GRAD)
            if found is None:
                continue
            ref, parameter = found
            if parameter.requires_grad:
                by_parameter.setdefault(ref, (parameter, []))[1].append(plan)
            else:
                plan.tally.missed(Idle.NO_GRADIENT, BadgeKind.FROZEN.value)
        for ref, (parameter, meant) in by_parameter.items():
            self._handles.append(on_gradient(parameter, _ParameterGradient(self._applier, meant, ref)))

    def release(self) -> None:
        """Take the hooks off the parameters."""
        for handle in self._handles:
            handle.remove()
        self._handles.clear()

    def _found(self, plan: Planned, slot: Slot) -> tuple[TensorRef, torch.Tensor] | None:
        """Return the parameter that an intervention on a slot means; `None` if there is none, or it is not on that."""
        path = plan.intervention.path
        module: nn.Module | None = self._applier.modules.get(path)
        if plan.intervention.slot is not slot or module is None:
            return None
        own = _parameters_of(module)
        leaf = plan.leaf_among(own)
        return (TensorRef(path, slot, leaf), own[leaf]) if leaf is not None else None


class _ParameterGradient:
    """Changes the gradient of a parameter: all that one backward pass gives it."""

    __slots__ = ("_applier", "_plans", "_ref")

    def __init__(self, applier: Applier, plans: Sequence[Planned], ref: TensorRef) -> None:
        self._applier = applier
        self._plans = plans
        self._ref = ref

    def __call__(self, gradient: torch.Tensor) -> torch.Tensor | None:
        if not self._applier.is_running:
            return None
        return self._applier.apply(self._plans, gradient, self._ref, 0)


def _parameters_of(module: nn.Module) -> Mapping[str, torch.Tensor]:
    """Return a module's own parameters, but for those that its first call will make."""
    return {
        name: parameter
        for name, parameter in module._parameters.items()
        if parameter is not None and not isinstance(parameter, UninitializedParameter)
    }
