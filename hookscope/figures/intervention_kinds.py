"""What can be done to tensors, as a person reads it: one row a kind of change, of selection, and of why not."""

from dataclasses import dataclass

from hookscope.protocol.identity import Slot
from hookscope.protocol.interventions import Channels, Heads, Idle, Index, MagnitudeAbove, Selection
from hookscope.protocol.tensor_changes import (
    Add,
    Clamp,
    ClipNorm,
    Constant,
    Expression,
    Flip,
    FromFile,
    FromStep,
    Mean,
    NanTo,
    Noise,
    PlainChange,
    Replace,
    Scale,
    Shuffle,
    StopGradient,
    Zero,
)


@dataclass(frozen=True)
class KindWords:
    """One kind of change or selection.

    Attributes:
        title: What it is called where one is chosen.
        text: What it is called in a list; `{name}` stands for a field.
        sentence: What it does.
    """

    title: str
    text: str
    sentence: str


CHANGES: dict[type[PlainChange], KindWords] = {
    Zero: KindWords("Zero", "zero", "Every element becomes 0."),
    Scale: KindWords("Scale", "scale × {factor}", "Every element is multiplied by the factor."),
    Add: KindWords("Add", "add {value}", "The value is added to every element."),
    Clamp: KindWords("Clamp", "clamp to {low} … {high}", "What is below the low end or above the high one becomes it."),
    ClipNorm: KindWords(
        "Clip norm", "clip norm to {limit}", "All is scaled down together where the Euclidean norm is above the limit."
    ),
    Noise: KindWords(
        "Add noise", "noise, std {std}, seed {seed}", "Normal noise is added, the same in every step for the same seed."
    ),
    Constant: KindWords("Set to a value", "set to {value}", "Every element becomes the value."),
    Mean: KindWords("Mean over a dim", "mean over dim {dim}", "Every element becomes the mean along the dim."),
    Replace: KindWords(
        "Replace by values", "replace by {tensor}", "The values of a tensor that the list itself holds."
    ),
    FromFile: KindWords("Read from a file", "from {file}", "The values in a .npy, .pt or .pth file."),
    FromStep: KindWords(
        "As in another step", "as in step {step}", "What was captured in another step, for instance for another input."
    ),
    Shuffle: KindWords("Shuffle", "shuffle dim {dim}, seed {seed}", "The entries along the dim come in another order."),
    NanTo: KindWords("Replace NaN", "NaN to {value}", "Every NaN becomes the value, and every infinity if wished."),
    Flip: KindWords("Flip the sign", "flip the sign", "Every element becomes its negative; a gradient is reversed."),
    StopGradient: KindWords("Stop the gradient", "stop the gradient", "The values stay; no gradient flows back."),
    Expression: KindWords(
        "Python expression", "x = {text}", "The value of an expression over x, module, path, call, step."
    ),
}
"""One row a kind, in the order in which they are offered."""

STRAIGHT_THROUGH = KindWords(
    "Straight-through",
    "{change}, straight-through",
    "The gradient passes as if nothing had been changed.",
)

EVERYTHING = KindWords("Everything", "", "All elements.")

SELECTIONS: dict[type[Selection], KindWords] = {
    Index: KindWords("Index", "[{parts}]", "What stands in the brackets of x[…]: numbers and slices."),
    Channels: KindWords("Channels", "channels {numbers}", "Some entries along a dim; dim 1 is that of channels."),
    Heads: KindWords("Heads", "heads {numbers} of {count}", "Some of the equal parts of the last dim."),
    MagnitudeAbove: KindWords("|x| above", "where |x| > {limit}", "The elements whose magnitude is above a limit."),
}
"""One row a kind; without a selection everything is changed."""

SLOTS: dict[Slot, str] = {
    Slot.INPUT: "What goes into the module.",
    Slot.OUTPUT: "What the module returns.",
    Slot.GRAD_INPUT: "The gradient that this call sends back to its input.",
    Slot.GRAD_OUTPUT: "The gradient that comes back to the output.",
    Slot.PARAMETER: "A weight or bias, for the step alone.",
    Slot.PARAMETER_GRAD: "The gradient of a weight or bias, before it is accumulated.",
}
"""What each place of a module is, in a sentence."""

IDLE: dict[Idle, tuple[str, str]] = {
    Idle.OFF: ("off", ""),
    Idle.UNKNOWN_MODULE: ("never acted: the model has no such module", "nearest: {detail}"),
    Idle.NEVER_CALLED: ("never acted: the module was not called", ""),
    Idle.NO_SUCH_CALL: ("never acted: there was no such call", "of {detail}"),
    Idle.NO_SUCH_LEAF: ("never acted: there is no such tensor", "there are {detail}"),
    Idle.SEVERAL_LEAVES: ("never acted: there are several tensors, choose one", "{detail}"),
    Idle.NO_SUCH_OPERATION: ("never acted: the operation did not run", "those that ran: {detail}"),
    Idle.NO_GRADIENT: ("never acted: no gradient came by", "{detail}"),
    Idle.INPUT_OVERWRITTEN: ("cannot act: the module overwrites its input, whose gradient has several parts", ""),
    Idle.STEP_ENDED: ("never acted: the step ended before it came there", ""),
}
"""Why an intervention did not act, and how its detail is put in parentheses."""
