"""`example:NAME`: a built-in example."""

from torch import nn

from hookscope.engine.failure_report import failed, near_names
from hookscope.engine.workloads.examples import BUILDERS
from hookscope.engine.workloads.sources.attribute import make
from hookscope.engine.workloads.workload import Workload
from hookscope.protocol.examples import EXAMPLES
from hookscope.protocol.failures import FailureKind
from hookscope.protocol.workload import ExampleSource, source_text


def load_example(source: ExampleSource) -> tuple[Workload | nn.Module, str]:
    """Build an example. Raises `FailureError`: `UNKNOWN_EXAMPLE`, or `SOURCE_RAISED` when its files are missing."""
    builder = BUILDERS.get(source.name)
    if builder is None:
        near = near_names(source.name, BUILDERS)
        raise failed(FailureKind.UNKNOWN_EXAMPLE, name=source.name, near=near)
    titles = {example.name: example.title for example in EXAMPLES}
    return make(builder, source_text(source)), titles[source.name]
