"""The engine for scripts, notebooks and tests: observe a model in this process, without any window.

Everything between entering and leaving the `with` block is one step, however many forward and backward passes it has.
"""

import itertools
from collections.abc import Iterable
from operator import attrgetter
from types import TracebackType
from typing import Self

import torch
from torch import nn

from hookscope.engine import memory
from hookscope.engine.capture.buffers import BufferPool
from hookscope.engine.capture.capture_writer import CaptureWriter
from hookscope.engine.capture.captures import Capture, CaptureStore
from hookscope.engine.capture.recorder import Recorder
from hookscope.engine.intervening.intervener import Intervener, InterventionFailed
from hookscope.engine.intervening.scripted import Intervention, named, warn_of_idle
from hookscope.engine.module_choice import choose_modules, first_paths
from hookscope.engine.module_tree import named_modules
from hookscope.engine.observed import NotCaptured, ObservedRecord, UnknownNameError, listed, record_of, unknown
from hookscope.engine.pause import Gate
from hookscope.engine.state.eager import compiled_paths
from hookscope.protocol.badge_words import badge_reason
from hookscope.protocol.hooks import HookMode
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.tensors import Badge, BadgeKind, instead_of_tensor

_Key = tuple[TensorRef, str, int]
_NO_BACKWARD = (
    "No gradient has arrived: no backward pass has run within the block, or it reached nothing that is observed."
)


def observe(
    model: nn.Module,
    modules: str | Iterable[str] = "*",
    *,
    backward: str = "exact",
    budget_bytes: int | None = None,
    scaler: "torch.amp.GradScaler | None" = None,
    interventions: Iterable[Intervention] = (),
) -> "Observation":
    """Observe modules of a model within a `with` block, and leave the model as it was.

    Inputs, outputs, parameters and all gradients of each call are copied when they come by; losses and gradients keep
    every bit, and in-place operations work::

        with hookscope.observe(model) as seen:
            loss(model(x)).backward()
        for record in seen.records():
            print(record.path, record.slot, record.leaf, record.shape, *record.badges)
        seen.tensor("layer1.0.conv1", "grad_output").norm()

    The block may hold several forward and backward passes, and nothing is read before someone asks, inside of it or
    after it. Observations of one model may be nested. Code that `torch.compile` made calls no hooks; with
    `torch.compiler.set_stance("force_eager")` around the block it is run as it was written.

    Interventions change tensors inside of hooks, while the block runs::

        scaled = hookscope.Intervention("layer1.0.conv1", "grad_output", hookscope.changes.Scale(0.5))
        with hookscope.observe(model, interventions=[scaled]) as seen:
            loss(model(x)).backward()

    What is recorded of a changed tensor is its new value, and its record has the badge `changed`. Of an intervention
    that never acted a warning says why, when the block ends. One that cannot be made of the tensor that comes by ends
    the block with a `ValueError`.

    Args:
        model: Any module.
        modules: A glob or module path, or several; `*` matches every module, the root `""` included.
        backward: How gradients are captured. `exact` leaves the model as it is; `native` is what PyTorch's own full
            backward hook delivers, with what that hook does to a model: it changes bits, and raises where an output is
            written to; `alias` tells the share of a module that returns its input; `legacy` is the deprecated
            `register_backward_hook`. A module that cannot have the hook is captured exactly, and its records say so.
        budget_bytes: What the copies may hold; `None` is a quarter of what is free now on the model's device. What does
            not fit has a record and no values.
        scaler: The gradient scaler in use, so that records say by which factor their gradients are too large. They are
            not divided. The factor is that at the beginning of the block.
        interventions: What is changed, in this order where several change one tensor. Parameters are as before after
            the block: what an optimizer did to a changed one within it is undone.

    Returns:
        A context manager that gives itself, and is read with `records()` and `tensor()`.

    Raises:
        UnknownNameError: (a `KeyError`) A module path or a glob matches nothing, or there is no such mode, or an
            intervention names a module, slot or parameter that is not there.
        TypeError: An intervention's index has something else than slices and ints.
    """
    if backward not in {mode.value for mode in HookMode}:
        raise unknown("way to capture gradients", backward, HookMode, otherwise=f"there are {listed(HookMode)}")
    return Observation(model, modules, HookMode(backward), budget_bytes, scaler, tuple(interventions))


class Observation:
    """What was seen of a model. Made by `observe`; entered once.

    Args:
        model: See `observe`, also for the others.
        modules: What is observed.
        mode: How gradients are captured.
        budget_bytes: What the copies may hold.
        scaler: The gradient scaler in use.
        interventions: What is changed.

    Raises:
        UnknownNameError: See `observe`.
        TypeError: See `observe`.
    """

    def __init__(
        self,
        model: nn.Module,
        modules: str | Iterable[str],
        mode: HookMode,
        budget_bytes: int | None,
        scaler: "torch.amp.GradScaler | None",
        interventions: tuple[Intervention, ...] = (),
    ) -> None:
        self._names = first_paths(model)
        self._modules = choose_modules(model, [modules] if isinstance(modules, str) else modules)
        self._paths = tuple(self._modules)
        self._all_modules = named_modules(model) if interventions else {}
        self._interventions = named(interventions, self._names, self._all_modules)
        self._mode = mode
        self._scaler = scaler
        self._scaled: tuple[Badge, ...] = ()
        budget = memory.default_budget(_device_of(model)) if budget_bytes is None else budget_bytes
        self._store = CaptureStore(BufferPool(budget))
        writer = CaptureWriter(self._store, self._take)
        self._recorder = Recorder(writer, Gate())
        self._intervener = Intervener(writer, self._store)
        self._recorder.compiled = compiled_paths(model)
        self._captures: dict[_Key, Capture] = {}
        self._gradient_arrived = False
        self._completed = False

    def __enter__(self) -> Self:
        """Put the hooks on.

        Raises:
            RuntimeError: It was entered before.
            ValueError: An intervention can never be made; then nothing was put on.
        """
        if self._recorder.step:
            raise RuntimeError("an observation can be entered once; call hookscope.observe(...) again")
        if self._scaler is not None:
            self._scaled = (Badge(BadgeKind.SCALED, f"{self._scaler.get_scale():g}"),)
        try:
            self._intervene()
            self._recorder.watch(self._modules, dict.fromkeys(self._modules, self._mode))
            self._recorder.begin_step(1)
            self._store.keep_parameters()  # nobody tells when an optimizer writes to them
        except InterventionFailed as error:
            self._take_off()
            raise ValueError(str(error)) from error
        except BaseException:
            self._take_off()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Take the hooks off; an exception passes, and what was seen up to it stays.

        Raises:
            ValueError: An intervention could not be made of the tensor that came by.
        """
        try:
            if error is None:
                self._recorder.complete_step()
                self._intervener.complete_step()
                self._completed = True
            else:
                self._recorder.fail_step(error)
        finally:
            self._take_off()
        if isinstance(error, InterventionFailed):
            raise ValueError(str(error)) from error
        if error is None:
            warn_of_idle(self._interventions, self._intervener.statuses(), stacklevel=2)

    def records(self) -> list[ObservedRecord]:
        """Return what has come by, in the order in which it happened."""
        return [record_of(capture) for capture in self._in_order()]

    def tensor(self, path: str, slot: str, call: int = 0, leaf: str | None = None) -> torch.Tensor:
        """Return a private copy of a captured value, on the device where it is kept.

        Args:
            path: Module path; any of its names will do.
            slot: `input`, `output`, `grad_input`, `grad_output`, `parameter` or `parameter_grad`.
            call: Which call of the module within the block. Of several backward passes, the newest counts.
            leaf: Place in a nested value; it may be left out when only one has a value.

        Returns:
            A tensor of its own, without graph.

        Raises:
            NotCaptured: There is no value; the message says why.
            UnknownNameError: (a `KeyError`) There is no such module, slot or leaf, or several leaves to choose from.
        """
        first = self._observed_path(path)
        if slot not in set(Slot):
            raise unknown("slot", slot, Slot, otherwise=f"there are {listed(Slot)}")
        found = {
            capture.ref.leaf: capture  # the newest of several
            for capture in self._in_order()
            if (capture.ref.path, capture.ref.slot, capture.ref.call) == (first, slot, call)
        }
        if not found:
            of_module = [capture for capture in self._in_order() if capture.ref.path == first]
            why = self._why_no_parameter if slot in {Slot.PARAMETER, Slot.PARAMETER_GRAD} else self._why_nothing
            raise NotCaptured(why(of_module, Slot(slot), call))
        return self._copy_of(_choose(found, leaf))

    def _copy_of(self, capture: Capture) -> torch.Tensor:
        if capture.buffer is None:
            raise NotCaptured(self._reason(capture))
        with torch.no_grad(), self._store.pool.reading(capture.buffer) as values:
            return values.clone()

    def _reason(self, capture: Capture) -> str:
        kinds = {badge.kind for badge in capture.badges}
        if BadgeKind.NO_GRADIENT_REACHED in kinds and not self._gradient_arrived:
            return _NO_BACKWARD
        return " ".join(map(badge_reason, capture.badges)) or badge_reason(Badge(BadgeKind.OVER_BUDGET))

    def _why_no_parameter(self, of_module: list[Capture], _slot: Slot, call: int) -> str:
        if call:
            return "Parameters belong to no call: leave `call` out."
        if any(capture.ref.slot is Slot.PARAMETER for capture in of_module):
            return _NO_BACKWARD
        return "The module has no parameters of its own."

    def _why_nothing(self, of_module: list[Capture], slot: Slot, call: int) -> str:
        """Say why there is not even a record."""
        calls = {capture.ref.call for capture in of_module if capture.ref.slot in {Slot.INPUT, Slot.OUTPUT}}
        if calls and call not in calls:
            times = f"{len(calls)} time{'s' * (len(calls) != 1)}"
            return f"Within the block the module was called {times}; there is no call {call}."
        outputs = [capture for capture in of_module if (capture.ref.slot, capture.ref.call) == (Slot.OUTPUT, call)]
        is_absent = bool(outputs) and outputs[0].spec is None and not instead_of_tensor(outputs[0].badges)
        if is_absent:  # never called, or raised: what holds for its output holds for the rest
            return self._reason(outputs[0])
        if not self._completed:
            if slot.is_gradient and not self._gradient_arrived:
                return _NO_BACKWARD
            return "Nothing had come by here when the block ended, or up to now."
        if slot in {Slot.INPUT, Slot.OUTPUT}:
            return f"The {slot.value} of this call holds no tensor."
        return "The call has no tensor whose gradient could come by here."

    def _observed_path(self, path: str) -> str:
        first = self._names.get(path)
        if first is None:
            raise unknown("module", path, self._names, otherwise=f"observed are {listed(self._paths)}")
        if first not in self._paths:
            raise UnknownNameError(f"the module {path!r} is not observed; observed are {listed(self._paths)}")
        return first

    def _in_order(self) -> list[Capture]:
        return sorted(self._captures.values(), key=attrgetter("order"))

    def _take(self, capture: Capture) -> None:
        """Take a capture from a hook, on whichever thread."""
        ref = capture.ref
        if ref.slot.is_gradient and capture.spec is not None:
            self._gradient_arrived = True
            if not set(self._scaled) <= set(capture.badges):
                capture.badges += self._scaled
        later = next((badge.detail for badge in capture.badges if badge.kind is BadgeKind.LATER_PASS), "")
        # A grad_input that adds up, or an input that turns out to be modified, comes again and takes its own place.
        # What accumulates in a parameter is another value each time.
        self._captures[ref, later, capture.order if ref.slot is Slot.PARAMETER_GRAD else 0] = capture

    def _intervene(self) -> None:
        refused = self._intervener.set(self._interventions, self._all_modules)
        if refused:
            raise ValueError("; ".join(f"intervention {number}: {why}" for number, why in refused.items()))
        self._intervener.begin_step(1)

    def _take_off(self) -> None:
        self._recorder.end_step()
        self._recorder.watch({})
        self._intervener.end_step()
        self._intervener.set((), {})
        self._all_modules = {}
        self._modules = {}  # what was seen outlives the model and does not keep it alive


def _choose(found: dict[str, Capture], leaf: str | None) -> Capture:
    """Return the capture that is meant; a leaf that is the same tensor as another one is that one's."""
    if leaf is not None:
        meant = [capture for name, capture in found.items() if leaf == name or leaf in capture.same_as]
        if not meant:
            raise unknown("leaf", leaf, found, otherwise=f"there are {listed(found)}")
        return meant[-1]
    with_values = {name: capture for name, capture in found.items() if capture.buffer is not None}
    if len(with_values) > 1:
        raise UnknownNameError(f"there are several leaves, name the one that is meant: {listed(with_values)}")
    return next(iter((with_values or found).values()))


def _device_of(model: nn.Module) -> torch.device:
    tensor = next(itertools.chain(model.parameters(), model.buffers()), None)
    return torch.device("cpu") if tensor is None else tensor.device
