"""Legacy mode: what the deprecated `register_backward_hook` returns, with what is misleading about each entry.

That hook is put on the graph node that made the first tensor of the output, so its tuples are those of one operation,
not of the module. What an entry is can be read off the graph: where the node's edges lead.
"""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import torch
from torch import nn
from torch.autograd.graph import Node

from hookscope.engine.capture.calls import Call
from hookscope.engine.capture.capture_writer import CaptureWriter
from hookscope.engine.capture.graph_walk import why_no_gradient
from hookscope.engine.capture.hooks import Gradients, Handle, hook_legacy
from hookscope.engine.compat import sequence_number
from hookscope.engine.tensor_tree import MAX_DEPTH, Rest, leaves
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.tensors import Badge, BadgeKind

if TYPE_CHECKING:
    from hookscope.engine.capture.recorder import Recorder

_NOT_CALLED = Badge(BadgeKind.LEGACY, "the hook is not called: the output has no tensor that PyTorch finds")
_TRANSPOSING = {"TBackward0", "TransposeBackward0"}


class LegacyRecorder:
    """Records modules in legacy mode.

    Args:
        recorder: Records their inputs and outputs.
        writer: What captures are written with.
    """

    def __init__(self, recorder: "Recorder", writer: CaptureWriter) -> None:
        self._recorder = recorder
        self._writer = writer
        self._entries: dict[Call, tuple[str, ...]] = {}
        self._outputs: dict[Call, dict[int, str]] = {}

    def end_step(self) -> None:
        """Refer to no call of the step."""
        self._entries.clear()
        self._outputs.clear()

    def hook(self, path: str, module: nn.Module) -> Handle:
        """Put the hooks on. See `hooks.Hooker`."""
        return hook_legacy(path, module, self)

    # -- in hooks -----------------------------------------------------------------------------------------------

    def entered(self, path: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Call | None:
        """Capture the inputs. See `hooks.Observer`."""
        return self._recorder.entered(path, args, kwargs)

    def left(self, path: str, output: object) -> None:
        """Capture the outputs and read off the graph what the hook will return. See `hooks.Observer`."""
        self._recorder.left(path, output, self._capture)

    def outputs_delivered(self, call: Call, grad_output: Gradients) -> None:
        """There is no pre-hook of this kind. See `hooks.BackwardObserver`."""

    def delivered(self, call: Call, grad_input: Gradients, grad_output: Gradients) -> None:
        """Capture both tuples. See `hooks.BackwardObserver`."""
        if not self._recorder.hears(call):
            return
        outputs = self._outputs.get(call, {})
        for number, gradient in enumerate(grad_output):
            leaf = outputs.get(number, f"legacy.{number}")
            call.awaited_outputs.discard(leaf)
            self._record(call, Slot.GRAD_OUTPUT, leaf, gradient, "")
        for index, (gradient, detail) in enumerate(zip(grad_input, self._entries.get(call, ()), strict=False)):
            call.awaited_inputs.discard(_entry(index))
            self._record(call, Slot.GRAD_INPUT, _entry(index), gradient, detail)
        self._recorder.pass_safe_point()

    def _capture(self, call: Call, output: object) -> None:
        gradients = torch.is_grad_enabled()
        first = first_tensor(output)
        node = first.grad_fn if first is not None else None
        outputs: dict[int, str] = {}
        rest: Rest = []
        for leaf, tensor in leaves(output, "out", rest):
            self._writer.activation(TensorRef(call.path, Slot.OUTPUT, leaf, call.index), tensor, call.badges)
            if node is not None and tensor.grad_fn is node:
                outputs[tensor.output_nr] = leaf
            else:
                self._absent(call, Slot.GRAD_OUTPUT, leaf, _why_not_delivered(tensor, node, gradients))
        self._writer.not_tensors(call, Slot.OUTPUT, rest)
        if node is None:
            reason = _NOT_CALLED if first is None else _why_not_delivered(first, node, gradients)
            self._absent(call, Slot.GRAD_INPUT, _entry(0), reason)
            return
        entries = tuple(self._describe(call, node))
        call.awaited_outputs.update(outputs.values())
        call.output_leaves.extend(outputs.values())
        call.awaited_inputs.update(_entry(index) for index in range(len(entries)))
        self._outputs[call] = outputs
        self._entries[call] = entries

    def _describe(self, call: Call, node: Node) -> Iterator[str]:
        """Say of each entry of the node's `grad_input` what it is."""
        parameters = dict(_named_parameters(self._recorder.module(call.path)))
        of_module = sequence_number(node) >= call.created_from
        for following, number in node.next_functions:
            if following is None:
                yield f"None: this argument of {node.name()} needs no gradient"
            elif not of_module:
                yield f"of {node.name()}, an operation before the module, which has none of its own"
            elif (following, number) in call.input_edges:
                found = ", ".join(call.input_edges[following, number])
                yield f"what {node.name()} passes on to the input {found}"
            elif (name := parameters.get(_variable(following))) is not None:
                yield f"no input: the gradient of the parameter {name}"
            elif following.name() in _TRANSPOSING and (name := parameters.get(_variable(_next(following)))) is not None:
                yield f"no input: the gradient of the parameter {name}, transposed"
            else:
                yield f"no input: inside the module, from its last operation {node.name()} to {following.name()}"

    def _record(self, call: Call, slot: Slot, leaf: str, gradient: torch.Tensor | None, detail: str) -> None:
        badge = Badge(BadgeKind.LEGACY, detail)
        if gradient is None:
            self._absent(call, slot, leaf, badge if detail else Badge(BadgeKind.NO_GRADIENT_REACHED))
        else:
            self._writer.gradient(TensorRef(call.path, slot, leaf, call.index), gradient, (*call.badges, badge))

    def _absent(self, call: Call, slot: Slot, leaf: str, reason: Badge) -> None:
        self._writer.absent(TensorRef(call.path, slot, leaf, call.index), reason)


def first_tensor(output: object) -> torch.Tensor | None:
    """Return the tensor by which PyTorch finds the node for a hook of this kind; `None` when it would raise there."""
    for _ in range(MAX_DEPTH):
        if isinstance(output, torch.Tensor):
            return output
        if isinstance(output, dict):
            output = next((value for value in output.values() if isinstance(value, torch.Tensor)), None)
        elif isinstance(output, (list, tuple)) and output:
            output = output[0]
    return None


def _why_not_delivered(tensor: torch.Tensor, node: Node | None, gradients: bool) -> Badge:
    if not tensor.requires_grad:
        return Badge(why_no_gradient(tensor, gradients))
    if node is None:
        return Badge(BadgeKind.LEGACY, "the hook is not called: no operation made this output")
    return Badge(BadgeKind.LEGACY, f"not delivered: the hook sees only {node.name()}, which did not make this output")


def _entry(index: int) -> str:
    return f"legacy.{index}"


def _next(node: Node) -> Node | None:
    return node.next_functions[0][0]


def _variable(node: Node | None) -> int:
    """Return the `id` of the leaf that a node accumulates into."""
    return id(getattr(node, "variable", None))


def _named_parameters(module: nn.Module) -> Iterator[tuple[int, str]]:
    for name, parameter in module.named_parameters():
        yield id(parameter), name
