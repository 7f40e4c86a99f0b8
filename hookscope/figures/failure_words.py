"""Failures in words: one row a kind, worded for people, used by the window and by the command line alike."""

from collections.abc import Callable
from dataclasses import dataclass
from string import Formatter

from hookscope.protocol.failures import Failure, FailureKind
from hookscope.protocol.tensors import NamedSpec

Translate = Callable[[str], str]


@dataclass(frozen=True)
class FailureWords:
    """Templates of one kind of failure; `{name}` stands for a value of `Failure.values`.

    A sentence of `text` or `advice` that names a value which is missing or empty is left out.
    """

    title: str
    text: tuple[str, ...] = ()
    advice: tuple[str, ...] = ()


@dataclass(frozen=True)
class FailureText:
    """A failure as a person reads it.

    Attributes:
        title: What happened, in one line.
        text: What else is known, one sentence a line.
        where: The module that was running and what it was called with; `""` when none was.
        error: Type and message of the exception; `""` when there is none.
        frames: The user's own frames of the traceback, innermost last.
        advice: What to try.
    """

    title: str
    text: tuple[str, ...]
    where: str
    error: str
    frames: tuple[str, ...]
    advice: tuple[str, ...]


_MEND_AND_RELOAD = "Correct the code, then reload the model."
_RESTART = "Restart brings back the model, the check marks and the panels."

WORDS: dict[FailureKind, FailureWords] = {
    FailureKind.UNKNOWN_EXAMPLE: FailureWords(
        "There is no example named “{name}”",
        advice=("Did you mean {near}?", "The welcome page and “hookscope --list-examples” list them all."),
    ),
    FailureKind.SOURCE_MISSING: FailureWords(
        "“{source}” was not found",
        ("There is no such file, and no module of this name can be imported.",),
        ("Check the spelling, and the folder that hookscope was started in.",),
    ),
    FailureKind.ATTRIBUTE_MISSING: FailureWords(
        "“{source}” has no “{attribute}”",
        ("It was imported, but nothing in it has this name.",),
        ("Did you mean {near}?", "Write the name of a function, class or object after the colon: {source}:NAME."),
    ),
    FailureKind.SOURCE_RAISED: FailureWords(
        "“{source}” raised an error while loading",
        advice=("Correct the code, then press Retry.",),
    ),
    FailureKind.SOURCE_TYPE: FailureWords(
        "“{source}” gave no model",
        ("It gave {given}.",),
        ("Return a torch.nn.Module, or a hookscope.Workload with the model and its inputs.",),
    ),
    FailureKind.UNKNOWN_MODULES: FailureWords(
        "No module matches “{pattern}”",
        advice=("Did you mean {near}?", "A * stands for any text: 'layer1.*' is everything inside layer1."),
    ),
    FailureKind.NEEDS_INPUT: FailureWords(
        "The model needs an input",
        ("Its first layer does not tell what shape of input it takes.",),
        ("Type a shape under Workload, for example 1x3x224x224.", "Or open a hookscope.Workload that has inputs."),
    ),
    FailureKind.BAD_INPUT: FailureWords(
        "This input cannot be used",
        ("{reason}",),
        ("Change the input under Workload.",),
    ),
    FailureKind.BATCHES_ENDED: FailureWords(
        "There are no more batches",
        ("All {count} were used, and they cannot be gone through again.",),
        ("Reload the model to start over.", "A list or a DataLoader starts again by itself; a generator does not."),
    ),
    FailureKind.FORWARD_RAISED: FailureWords(
        "The forward pass raised an error",
        advice=("What was captured before the error can still be looked at.", _MEND_AND_RELOAD),
    ),
    FailureKind.LOSS_RAISED: FailureWords(
        "The loss raised an error",
        ("The loss is {loss}.",),
        ("Compare the shapes and dtypes of the model's output and of the targets.", _MEND_AND_RELOAD),
    ),
    FailureKind.LOSS_NOT_SCALAR: FailureWords(
        "Backward needs a single number to start from",
        ("The loss has the shape {shape}.",),
        (
            "Choose how it becomes one number: its sum, its mean or its mean square.",
            "Or choose the gradient that backward starts from: ones, random numbers, or those in a file.",
        ),
    ),
    FailureKind.LOSS_MISSING: FailureWords(
        "There is no loss to start backward from",
        ("The model gave {given}, which is no tensor and has no loss of its own.",),
        ("Open a hookscope.Workload with a loss, or choose Sum, Mean or Mean square.",),
    ),
    FailureKind.GRADIENT_UNUSABLE: FailureWords(
        "Backward cannot start from this gradient",
        ("{reason}",),
        ("Choose another file under Workload, or a gradient of ones.",),
    ),
    FailureKind.LOSS_NEEDS_NO_GRAD: FailureWords(
        "The loss depends on nothing that requires a gradient",
        ("Every parameter it was made of is frozen, or the forward pass ran without gradients.",),
        (
            "Tick “requires grad” on an input, or unfreeze a parameter.",
            "Look for torch.no_grad(), .detach() and argmax on the way from the model to the loss.",
        ),
    ),
    FailureKind.BACKWARD_RAISED: FailureWords(
        "The backward pass raised an error",
        advice=("What was captured before the error can still be looked at.", _MEND_AND_RELOAD),
    ),
    FailureKind.OPTIMIZER_RAISED: FailureWords(
        "The optimizer raised an error",
        ("Forward and backward were finished; their captures can be looked at.",),
        ("Switch the optimizer off under Workload, or correct the code and reload the model.",),
    ),
    FailureKind.INTERVENTION_FAILED: FailureWords(
        "A change of yours could not be made",
        ("It was to change {slot} {leaf}.", "{reason}"),
        ("The step was given up and the model is as it was before.", "Correct the change or switch it off."),
    ),
    FailureKind.DEVICE_UNAVAILABLE: FailureWords(
        "The device “{device}” cannot be used",
        ("{reason}",),
        ("Choose another device.",),
    ),
    FailureKind.OUT_OF_MEMORY: FailureWords(
        "“{device}” is out of memory",
        ("Captures are copies, so every checked module takes memory of its own.",),
        ("Check fewer modules, use a smaller batch, or choose another device.",),
    ),
    FailureKind.INTERNAL: FailureWords(
        "Something went wrong inside hookscope",
        ("This is a fault of hookscope, not of the model. Everything else goes on.",),
        ("Copy the details and report them.", _RESTART),
    ),
    FailureKind.INTERPRETER_UNUSABLE: FailureWords(
        "The Python that runs the model did not start",
        ("The interpreter is {interpreter}.", "{output}"),
        ("It needs torch, numpy and msgspec; install them there, then press Retry.",),
    ),
    FailureKind.VERSION_MISMATCH: FailureWords(
        "The window and the model's Python have different versions of hookscope",
        ("The window speaks protocol {window}, the other side {debuggee}.",),
        ("Install the same version of hookscope on both sides.",),
    ),
    FailureKind.DEBUGGEE_SIGNALLED: FailureWords(
        "The model's process was ended by {signal}",
        ("What was already shown stays.", "{output}"),
        (
            _RESTART,
            "SIGKILL often means that memory ran out; SIGSEGV and SIGABRT come from native code.",
        ),
    ),
    FailureKind.DEBUGGEE_EXITED: FailureWords(
        "The model's process ended by itself",
        ("Its exit status was {code}.", "What was already shown stays.", "{output}"),
        (_RESTART, "Look for sys.exit() or os._exit() in the model's code."),
    ),
    FailureKind.DEBUGGEE_KILLED: FailureWords(
        "The model did not stop, so its process was ended",
        (
            "For {seconds} seconds it neither reached a hook nor could be interrupted.",
            "What was already shown stays.",
        ),
        (_RESTART, "Look for a loop without an end in the forward pass."),
    ),
}


def word_failure(failure: Failure, translate: Translate = str) -> FailureText:
    """Put a failure into words.

    Args:
        failure: What went wrong.
        translate: Gives the sentence in the person's language; as it is by default.
    """
    words = WORDS[failure.kind]
    exception = failure.exception
    return FailureText(
        title=_fill(translate(words.title), failure.values),
        text=_sentences(words.text, failure.values, translate),
        where=_where(failure, translate),
        error=f"{exception.type}: {exception.message}".rstrip(": ") if exception else "",
        frames=tuple(
            f"{frame.file}:{frame.line}  {frame.function}  {frame.text}".rstrip()
            for frame in (exception.frames if exception else ())
            if frame.user
        ),
        advice=_sentences(words.advice, failure.values, translate),
    )


def failure_lines(failure: Failure, translate: Translate = str) -> list[str]:
    """Return a failure as plain lines, for a terminal or the clipboard."""
    words = word_failure(failure, translate)
    details = [*words.text, words.where, words.error, *(f"  {frame}" for frame in words.frames)]
    return [words.title, *(f"  {line}" for line in details if line), *(f"  → {line}" for line in words.advice)]


def _sentences(templates: tuple[str, ...], values: dict[str, str], translate: Translate) -> tuple[str, ...]:
    return tuple(_fill(translate(template), values) for template in templates if _is_known(template, values))


def _is_known(template: str, values: dict[str, str]) -> bool:
    return all(values.get(name) for _, name, _, _ in Formatter().parse(template) if name)


class _Values(dict[str, str]):
    def __missing__(self, name: str) -> str:
        return "?"


def _fill(template: str, values: dict[str, str]) -> str:
    return template.format_map(_Values(values))


def _where(failure: Failure, translate: Translate) -> str:
    if failure.module_path is None:
        return ""
    module = failure.module_path or translate("the whole model")
    if failure.module_class:
        module = f"{module} ({failure.module_class})"
    if not failure.inputs:
        return translate("In {module}").format(module=module)
    inputs = ", ".join(_input_text(leaf) for leaf in failure.inputs)
    return translate("In {module}, called with {inputs}").format(module=module, inputs=inputs)


def _input_text(leaf: NamedSpec) -> str:
    if leaf.spec is None:
        return f"{leaf.leaf} = {leaf.text}"
    return f"{leaf.leaf}: {leaf.spec.dtype} ({', '.join(map(str, leaf.spec.shape))})"
