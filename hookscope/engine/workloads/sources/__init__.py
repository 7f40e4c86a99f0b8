"""Where models come from: one file a kind of source, one row each in the table below."""

import dataclasses
from collections.abc import Callable
from typing import Any

from torch import nn

from hookscope.engine.workloads.sources.example import load_example
from hookscope.engine.workloads.sources.file import load_file
from hookscope.engine.workloads.sources.module import load_module
from hookscope.engine.workloads.synthetic import guess_inputs, synthesize
from hookscope.engine.workloads.workload import Workload
from hookscope.protocol.workload import ExampleSource, FileSource, ModuleSource, Source, SyntheticInput


@dataclasses.dataclass(frozen=True)
class LoadedSource:
    """A workload that is ready to run, or that waits for inputs.

    Attributes:
        workload: What a step runs; its inputs are `()` while `needs_input`.
        title: What the window calls it.
        synthetic: Whether the inputs were made up.
        needs_input: Whether no step can run before inputs are given.
    """

    workload: Workload
    title: str
    synthetic: bool = False
    needs_input: bool = False


_LOADERS: dict[type[Source], Callable[[Any], tuple[Workload | nn.Module, str]]] = {
    ExampleSource: load_example,
    FileSource: load_file,
    ModuleSource: load_module,
}
"""Kind of source -> what gives a workload or a bare module, and a title. A loader raises `FailureError` only."""


def load_source(source: Source, inputs: tuple[SyntheticInput, ...] = ()) -> LoadedSource:
    """Run the user's code that makes a model. Nothing of the model itself is run.

    Args:
        source: Where the model comes from.
        inputs: Made-up inputs; they replace those that the source gives or that can be guessed.

    Raises:
        FailureError: `UNKNOWN_EXAMPLE`, `SOURCE_MISSING`, `ATTRIBUTE_MISSING`, `SOURCE_RAISED`, `SOURCE_TYPE`,
            `BAD_INPUT` (of `inputs`), `OUT_OF_MEMORY`.
    """
    made, title = _LOADERS[type(source)](source)
    if isinstance(made, Workload):
        return with_inputs(LoadedSource(made, title), inputs)
    bare = LoadedSource(Workload(made, ()), title, needs_input=True)
    return with_inputs(bare, inputs or guess_inputs(made) or ())


def with_inputs(loaded: LoadedSource, inputs: tuple[SyntheticInput, ...]) -> LoadedSource:
    """Return the same source on made-up inputs; its model, targets, loss and optimizer are kept. No inputs: no change.

    Raises:
        FailureError: `BAD_INPUT` or `OUT_OF_MEMORY`, see `synthesize`.
    """
    if not inputs:
        return loaded
    workload = dataclasses.replace(loaded.workload, inputs=synthesize(inputs))
    return dataclasses.replace(loaded, workload=workload, synthetic=True, needs_input=False)
