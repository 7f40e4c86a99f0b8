"""What can be done to a tensor by an intervention, for scripts; a change is a small immutable value.

    observe(model, ["encoder"], interventions=[Intervention("encoder", "output", changes.Scale(0.5))])

Making one needs neither torch nor a window.
"""

from hookscope.protocol.tensor_changes import (
    Add,
    Change,
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
    Replace,
    Scale,
    Shuffle,
    StopGradient,
    StraightThrough,
    Zero,
)

__all__ = [
    "Add",
    "Change",
    "Clamp",
    "ClipNorm",
    "Constant",
    "Expression",
    "Flip",
    "FromFile",
    "FromStep",
    "Mean",
    "NanTo",
    "Noise",
    "Replace",
    "Scale",
    "Shuffle",
    "StopGradient",
    "StraightThrough",
    "Zero",
]
