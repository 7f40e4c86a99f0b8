"""Failures in the person's language, and the buttons that each of them offers."""

from enum import StrEnum

from PySide6.QtCore import QCoreApplication

from hookscope.figures.failure_words import FailureText, failure_lines, word_failure
from hookscope.protocol.failures import Failure, FailureKind


class Remedy(StrEnum):
    """What a person can do about a failure, as a button of its card."""

    RETRY = "retry"
    OPEN = "open"
    RELOAD = "reload"
    RESTART = "restart"
    STEP = "step"
    USE_CPU = "use_cpu"
    LOSS_SUM = "loss_sum"
    LOSS_MEAN = "loss_mean"
    LOSS_MEAN_SQUARE = "loss_mean_square"
    GRADIENT_ONES = "gradient_ones"
    GRADIENT_RANDOM = "gradient_random"
    GRADIENT_FILE = "gradient_file"
    SHOW_WORKLOAD = "show_workload"
    GO_TO_MODULE = "go_to_module"


_LOSSES = (Remedy.LOSS_SUM, Remedy.LOSS_MEAN, Remedy.LOSS_MEAN_SQUARE)
_GRADIENTS = (Remedy.GRADIENT_ONES, Remedy.GRADIENT_RANDOM, Remedy.GRADIENT_FILE)
_MENDABLE = (Remedy.RELOAD, Remedy.STEP)

REMEDIES: dict[FailureKind, tuple[Remedy, ...]] = {
    FailureKind.UNKNOWN_EXAMPLE: (Remedy.OPEN,),
    FailureKind.SOURCE_MISSING: (Remedy.OPEN, Remedy.RETRY),
    FailureKind.ATTRIBUTE_MISSING: (Remedy.OPEN, Remedy.RETRY),
    FailureKind.SOURCE_RAISED: (Remedy.RETRY,),
    FailureKind.SOURCE_TYPE: (Remedy.OPEN, Remedy.RETRY),
    FailureKind.UNKNOWN_MODULES: (),
    FailureKind.NEEDS_INPUT: (Remedy.SHOW_WORKLOAD,),
    FailureKind.BAD_INPUT: (Remedy.SHOW_WORKLOAD,),
    FailureKind.BATCHES_ENDED: (Remedy.RELOAD,),
    FailureKind.FORWARD_RAISED: _MENDABLE,
    FailureKind.LOSS_RAISED: _MENDABLE,
    FailureKind.LOSS_NOT_SCALAR: _LOSSES + _GRADIENTS,
    FailureKind.LOSS_MISSING: _LOSSES,
    FailureKind.GRADIENT_UNUSABLE: (Remedy.GRADIENT_FILE, Remedy.GRADIENT_ONES, Remedy.SHOW_WORKLOAD),
    FailureKind.LOSS_NEEDS_NO_GRAD: (Remedy.SHOW_WORKLOAD,),
    FailureKind.BACKWARD_RAISED: _MENDABLE,
    FailureKind.OPTIMIZER_RAISED: (Remedy.SHOW_WORKLOAD, *_MENDABLE),
    FailureKind.INTERVENTION_FAILED: (Remedy.STEP,),
    FailureKind.DEVICE_UNAVAILABLE: (Remedy.USE_CPU,),
    FailureKind.OUT_OF_MEMORY: (Remedy.USE_CPU,),
    FailureKind.INTERNAL: (),
    FailureKind.INTERPRETER_UNUSABLE: (Remedy.RETRY,),
    FailureKind.VERSION_MISMATCH: (Remedy.RETRY,),
    FailureKind.DEBUGGEE_SIGNALLED: (Remedy.RESTART,),
    FailureKind.DEBUGGEE_EXITED: (Remedy.RESTART,),
    FailureKind.DEBUGGEE_KILLED: (Remedy.RESTART,),
}

REMEDY_LABELS: dict[Remedy, str] = {
    Remedy.RETRY: "Retry",
    Remedy.OPEN: "Open…",
    Remedy.RELOAD: "Reload model",
    Remedy.RESTART: "Restart",
    Remedy.STEP: "Step again",
    Remedy.USE_CPU: "Use the CPU",
    Remedy.LOSS_SUM: "Sum",
    Remedy.LOSS_MEAN: "Mean",
    Remedy.LOSS_MEAN_SQUARE: "Mean square",
    Remedy.GRADIENT_ONES: "Ones",
    Remedy.GRADIENT_RANDOM: "Random",
    Remedy.GRADIENT_FILE: "From a file…",
    Remedy.SHOW_WORKLOAD: "Show Workload",
    Remedy.GO_TO_MODULE: "Go to module",
}


def remedies(failure: Failure) -> tuple[Remedy, ...]:
    """Return the buttons for a failure, the likeliest first."""
    go = (Remedy.GO_TO_MODULE,) if failure.module_path is not None else ()
    return REMEDIES[failure.kind] + go


def remedy_label(remedy: Remedy) -> str:
    """Return the text of a button."""
    return QCoreApplication.translate("failures", REMEDY_LABELS[remedy])


def failure_text(failure: Failure) -> FailureText:
    """Put a failure into the person's language."""
    return word_failure(failure, _translate)


def failure_details(failure: Failure) -> str:
    """Return everything about a failure as text, for the clipboard."""
    lines = failure_lines(failure, _translate)
    if failure.exception:
        lines += ["", failure.exception.traceback.rstrip()]
    return "\n".join(lines)


def _translate(english: str) -> str:
    return QCoreApplication.translate("failures", english)
