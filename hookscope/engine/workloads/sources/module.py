"""`package.module:NAME`: a name in an importable module."""

import importlib
import sys
from pathlib import Path

from torch import nn

from hookscope.engine.failure_report import failed, raised
from hookscope.engine.workloads.sources.attribute import make_attribute
from hookscope.engine.workloads.workload import Workload
from hookscope.protocol.failures import FailureKind
from hookscope.protocol.workload import ModuleSource, source_text


def load_module(source: ModuleSource) -> tuple[Workload | nn.Module, str]:
    """Import a module, from the current folder too, and make what the name stands for.

    Raises:
        FailureError: `SOURCE_MISSING`, and as `make_attribute`.
    """
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)  # as `python -m` does
    try:
        module = importlib.import_module(source.module)
    except ModuleNotFoundError as error:
        # A module that the user's own module fails to import is an error of that module.
        if error.name is not None and f"{source.module}.".startswith(f"{error.name}."):
            raise failed(FailureKind.SOURCE_MISSING, source=source.module) from error
        raise raised(FailureKind.SOURCE_RAISED, error, source=source.module) from error
    except (Exception, SystemExit) as error:
        raise raised(FailureKind.SOURCE_RAISED, error, source=source.module) from error
    return make_attribute(module, source.attribute, source.module), source_text(source)
