"""Native mode: a module's gradients are what PyTorch's own full backward hooks deliver, and nothing else.

What they do not deliver is recorded as absent, with the reason. Runs inside hooks, like the recorder.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from hookscope.engine.capture.calls import Call
from hookscope.engine.capture.capture_writer import CaptureWriter
from hookscope.engine.capture.graph_walk import why_no_gradient
from hookscope.engine.capture.hooks import Gradients, Handle, hook_native
from hookscope.engine.failure_report import type_words
from hookscope.engine.tensor_tree import Rest, leaves
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.tensors import Badge, BadgeKind

if TYPE_CHECKING:
    from hookscope.engine.capture.recorder import Recorder

_KEYWORD = "not delivered: PyTorch's hook leaves out keyword arguments"
_NESTED = "not delivered: it is inside a container, and PyTorch's hook takes only tensors that are arguments themselves"
_NESTED_OUTPUT = "not delivered: it is inside a container within the output tuple, which PyTorch's hook does not enter"
_NO_OUTPUT = "not delivered: no output requires grad, so PyTorch's hook does not fire"
_NO_PATH = "not delivered: no gradient came to the inputs, so PyTorch's hook did not fire"


class NativeRecorder:
    """Records modules in native mode.

    Args:
        recorder: Records their inputs and outputs.
        writer: What captures are written with.

    Attributes:
        badge: What is said of each gradient.
    """

    def __init__(self, recorder: "Recorder", writer: CaptureWriter) -> None:
        self.badge = Badge(BadgeKind.NATIVE)
        self._recorder = recorder
        self._writer = writer
        self._inputs: dict[Call, tuple[str, ...]] = {}

    def end_step(self) -> None:
        """Refer to no call of the step."""
        self._inputs.clear()

    def complete_step(self) -> None:
        """Say which hooks did not fire although an output had a gradient: that of the inputs was none."""
        for call in self._inputs:
            if not call.awaited_outputs:
                for leaf in sorted(call.awaited_inputs):
                    self._absent(call, Slot.GRAD_INPUT, leaf, Badge(BadgeKind.NATIVE, _NO_PATH))
                call.awaited_inputs.clear()

    def hook(self, path: str, module: nn.Module) -> Handle:
        """Put the hooks on. See `hooks.Hooker`."""
        return hook_native(path, module, self)

    # -- in hooks -----------------------------------------------------------------------------------------------

    def entered(self, path: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Call | None:
        """Capture the inputs. See `hooks.Observer`."""
        return self._recorder.entered(path, args, kwargs)

    def left(self, path: str, output: object) -> None:
        """Capture the outputs. See `hooks.Observer`."""
        self._recorder.left(path, output, self._capture)

    def outputs_delivered(self, call: Call, grad_output: Gradients) -> None:
        """Capture what came to the outputs. See `hooks.BackwardObserver`."""
        if not self._recorder.hears(call):
            return
        for leaf, gradient in _named(grad_output, call.output_leaves, "out"):
            call.awaited_outputs.discard(leaf)
            self._gradient(call, Slot.GRAD_OUTPUT, leaf, gradient)
        self._recorder.pass_safe_point()

    def delivered(self, call: Call, grad_input: Gradients, _grad_output: Gradients) -> None:
        """Capture what leaves at the inputs. See `hooks.BackwardObserver`."""
        if not self._recorder.hears(call):
            return
        for leaf, gradient in _named(grad_input, self._inputs.get(call, ()), "args"):
            call.awaited_inputs.discard(leaf)
            self._gradient(call, Slot.GRAD_INPUT, leaf, gradient)
        self._recorder.pass_safe_point()

    def _capture(self, call: Call, output: object) -> None:
        gradients = torch.is_grad_enabled()
        rest: Rest = []
        for leaf, tensor in leaves(output, "out", rest):
            self._writer.activation(TensorRef(call.path, Slot.OUTPUT, leaf, call.index), tensor, call.badges)
            if not (gradients and tensor.requires_grad):
                self._absent(call, Slot.GRAD_OUTPUT, leaf, Badge(why_no_gradient(tensor, gradients)))
            elif reason := _why_output_not_delivered(output, leaf):
                self._absent(call, Slot.GRAD_OUTPUT, leaf, Badge(BadgeKind.NATIVE, reason))
            else:
                call.awaited_outputs.add(leaf)
                call.output_leaves.append(leaf)
        self._writer.not_tensors(call, Slot.OUTPUT, rest)
        never = "" if call.output_leaves else _why_never(output)
        for tensor, _, capture in call.inputs:
            leaf = capture.ref.leaf
            if not gradients:
                self._absent(call, Slot.GRAD_INPUT, leaf, Badge(BadgeKind.NO_GRAD_MODE))
            elif not tensor.requires_grad:
                self._absent(call, Slot.GRAD_INPUT, leaf, Badge(BadgeKind.INPUT_NEEDS_NO_GRAD))
            elif reason := never or _why_input_not_delivered(leaf):
                self._absent(call, Slot.GRAD_INPUT, leaf, Badge(BadgeKind.NATIVE, reason))
            else:
                call.awaited_inputs.add(leaf)
        self._inputs[call] = tuple(call.awaited_inputs)

    def _gradient(self, call: Call, slot: Slot, leaf: str, gradient: torch.Tensor | None) -> None:
        if gradient is None:
            self._absent(call, slot, leaf, Badge(BadgeKind.NO_GRADIENT_REACHED))
        else:
            ref = TensorRef(call.path, slot, leaf, call.index)
            self._writer.gradient(ref, gradient, (*call.badges, self.badge))

    def _absent(self, call: Call, slot: Slot, leaf: str, reason: Badge) -> None:
        self._writer.absent(TensorRef(call.path, slot, leaf, call.index), reason)


def _named(gradients: Gradients, expected: Sequence[str], root: str) -> list[tuple[str, torch.Tensor | None]]:
    """Return the gradients of the leaves that are expected; of one tensor that is no tuple, the first."""
    if root in expected:
        return [(root, gradients[0])]
    by_leaf = {f"{root}.{position}": gradient for position, gradient in enumerate(gradients)}
    return [(leaf, by_leaf.get(leaf)) for leaf in expected]


def _why_never(output: object) -> str:
    if not isinstance(output, (torch.Tensor, tuple)):
        return f"not delivered: the output is {type_words(output)}, so PyTorch's hook does not fire"
    return _NO_OUTPUT


def _why_output_not_delivered(output: object, leaf: str) -> str:
    if not isinstance(output, (torch.Tensor, tuple)):
        return f"not delivered: the output is {type_words(output)}, and PyTorch's hook takes a tensor or a tuple"
    return "" if leaf in {"out", f"out.{leaf.rpartition('.')[2]}"} else _NESTED_OUTPUT


def _why_input_not_delivered(leaf: str) -> str:
    if leaf.startswith("kwargs"):
        return _KEYWORD
    return _NESTED if leaf.count(".") > 1 else ""
