"""The part of a written script that runs one step of a model, as texts."""

from hookscope.client.script_changes import loaded, quoted
from hookscope.protocol.workload import (
    ExampleSource,
    FileSource,
    LossChoice,
    ModuleSource,
    RunSettings,
    Source,
    SyntheticInput,
    source_text,
)

IMPORTS = (
    "import importlib",
    "import random",
    "import sys",
    "from collections.abc import Mapping",
    "from pathlib import Path",
    "import numpy",
)
"""What `main_text` imports besides torch."""

_LOAD = '''
def load(source):
    """Return what `file.py:name` or `package.module:name` stands for; functions and classes are called."""
    if source.endswith(".py"):
        source += ":workload"
    place, _, name = source.rpartition(":")
    if place.endswith(".py"):
        sys.path.insert(0, str(Path(place).absolute().parent))
        place = Path(place).stem
    value = getattr(importlib.import_module(place), name)
    return value() if callable(value) and not isinstance(value, torch.nn.Module) else value
'''

_BATCH = '''
def first_batch(workload):
    """Return positional and keyword arguments of a step, and the targets of its loss."""
    inputs, targets = @inputs, getattr(workload, "targets", None)
    if not isinstance(inputs, (torch.Tensor, tuple, Mapping)):  # one batch after the other
        inputs = next(iter(inputs))
        is_pair = isinstance(inputs, (tuple, list)) and len(inputs) == 2
        if is_pair and targets is None and callable(getattr(workload, "loss", None)):
            inputs, targets = inputs
        elif isinstance(targets, list):
            targets = targets[0]
    if isinstance(inputs, Mapping):
        return (), inputs, targets
    return tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,), {}, targets
'''

_LOSS = '''
def loss_of(workload, output, targets):
    """Return what backward starts from: @loss_words."""
@loss_code'''

_OWN_LOSS = """\
    loss = getattr(workload, "loss", None)
    if callable(loss):
        return loss(output) if targets is None else loss(output, targets)
    if loss is None:
        own = output.get("loss") if isinstance(output, Mapping) else getattr(output, "loss", None)
        return output if own is None else own
    reduce = {"sum": torch.sum, "mean": torch.mean, "mean_square": lambda x: x.square().mean()}[loss]
    return sum(reduce(x) for x in tensors(output).values() if x.requires_grad)
"""

_CHOSEN_LOSS = """\
@given    outputs = [x for x in tensors(output).values() if x.requires_grad]
    return sum(@reduced for x in outputs)
"""

_REDUCED: dict[LossChoice, tuple[str, str]] = {
    LossChoice.SUM: ("x.sum()", "the sum of all outputs"),
    LossChoice.MEAN: ("x.mean()", "the mean of all outputs"),
    LossChoice.MEAN_SQUARE: ("x.square().mean()", "the mean square of all outputs"),
    LossChoice.GRADIENT_ONES: ("(x * torch.ones_like(x)).sum()", "outputs times a gradient of ones"),
    LossChoice.GRADIENT_RANDOM: (
        "(x * torch.randn(x.shape, generator=drawn_from).to(x)).sum()",
        "outputs times a gradient of random numbers",
    ),
    LossChoice.GRADIENT_FILE: ("(x * gradient.to(x)).sum()", "the output times the gradient in a file"),
}

_MAIN = '''
def main():
    """Run one step with all changes, and print its loss and the norm of each parameter's gradient."""
@source    model = getattr(workload, "model", workload)
    args, kwargs, targets = first_batch(workload)
    model.zero_grad()
    handles = intervene(model)
@seed    loss = loss_of(workload, model(*args, **kwargs), targets)
    loss.backward()
    for handle in handles:
        handle.remove()
    print(f"loss {loss.item():.9g}")
    for name, parameter in model.named_parameters():
        if parameter.grad is not None:
            print(f"{name} {parameter.grad.norm().item():.9g}")


if __name__ == "__main__":
    main()
'''

_MADE_UP = '''
def made_up_inputs():
    """Return inputs for a model that brings none: random numbers, the same ones each time."""
    drawn_from = torch.Generator().manual_seed(0)
    return (@made,)
'''


def main_text(source: Source | None, settings: RunSettings, inputs: tuple[SyntheticInput, ...]) -> str:
    """Return the functions that run one step, and the last lines of the script.

    Args:
        source: The model that is run when the script is given none.
        settings: Seed and loss of the step.
        inputs: Inputs that take the place of the model's own; made as hookscope makes them.
    """
    given = 'getattr(workload, "inputs", ())'
    parts = [_LOAD]
    if inputs:
        given = "made_up_inputs()"
        parts.append(_MADE_UP.replace("@made", ", ".join(map(_made, inputs))))
    parts += [_BATCH.replace("@inputs", given), _loss(settings)]
    parts.append(_MAIN.replace("@source", _source(source)).replace("@seed", _seed(settings.seed)))
    return "\n".join(parts)


def helpers_needed(settings: RunSettings) -> tuple[str, ...]:
    """Return the names of the helpers that `main_text` uses."""
    is_read = settings.loss is LossChoice.GRADIENT_FILE and settings.gradient_file.endswith(".npy")
    return ("tensors", "array") if is_read else ("tensors",)


def default_source(source: Source | None) -> str:
    """Return what a script runs when it is given nothing; `""` when it must be given something."""
    match source:
        case ExampleSource(name=name):
            return f"hookscope.engine.workloads.examples.{name}:build"
        case FileSource() | ModuleSource():
            return source_text(source)
        case None:
            return ""


def _source(source: Source | None) -> str:
    default = default_source(source)
    if not default:
        usage = "    if len(sys.argv) < 2:\n        sys.exit(__doc__)\n"
        return f"{usage}    workload = load(sys.argv[1])\n"
    return f"    workload = load(sys.argv[1] if len(sys.argv) > 1 else {quoted(default)})\n"


def _seed(seed: int | None) -> str:
    if seed is None:
        return ""
    return f"    random.seed({seed})\n    numpy.random.seed({seed % 2**32})\n    torch.manual_seed({seed})\n"


def _loss(settings: RunSettings) -> str:
    if settings.loss is LossChoice.AUTO:
        words = "the workload's own loss, else the output's, else the output"
        return _LOSS.replace("@loss_words", words).replace("@loss_code", _OWN_LOSS)
    reduced, words = _REDUCED[settings.loss]
    code = _CHOSEN_LOSS.replace("@given", _given(settings)).replace("@reduced", reduced)
    return _LOSS.replace("@loss_words", words).replace("@loss_code", code)


def _given(settings: RunSettings) -> str:
    """Return what gradients are made of."""
    match settings.loss:
        case LossChoice.GRADIENT_RANDOM:
            return f"    drawn_from = torch.Generator().manual_seed({settings.seed or 0})\n"
        case LossChoice.GRADIENT_FILE:
            return f"    gradient = {loaded(settings.gradient_file)}\n"
    return ""


def _made(asked: SyntheticInput) -> str:
    if asked.dtype.startswith(("float", "bfloat", "complex")):
        drawn_as = "complex64" if asked.dtype.startswith("complex") else "float32"
        text = f"torch.randn({asked.shape}, generator=drawn_from, dtype=torch.{drawn_as})"
        return text if asked.dtype == drawn_as else f"{text}.to(torch.{asked.dtype})"
    text = f"torch.randint({asked.high}, {asked.shape}, generator=drawn_from)"
    return text if asked.dtype == "int64" else f"{text}.to(torch.{asked.dtype})"
