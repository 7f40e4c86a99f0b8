"""`path/to/file.py:NAME`: a name in a Python file."""

import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from torch import nn

from hookscope.engine.failure_report import failed, raised
from hookscope.engine.workloads.sources.attribute import make_attribute
from hookscope.engine.workloads.workload import Workload
from hookscope.protocol.failures import FailureKind
from hookscope.protocol.workload import FileSource


def load_file(source: FileSource) -> tuple[Workload | nn.Module, str]:
    """Run a file as a module, with its folder first on `sys.path`, and make what the name stands for.

    The file is compiled anew each time, and no `__pycache__` is written beside it. Its `if __name__ == "__main__"` part
    does not run.

    Raises:
        FailureError: `SOURCE_MISSING`, and as `make_attribute`.
    """
    path = Path(source.path)
    if not path.is_file():
        raise failed(FailureKind.SOURCE_MISSING, source=source.path)
    module = _run(path)
    return make_attribute(module, source.attribute, source.path), f"{path.name}:{source.attribute}"


def _run(path: Path) -> ModuleType:
    folder = str(path.parent)
    if folder in sys.path:
        sys.path.remove(folder)
    sys.path.insert(0, folder)  # and it stays: a model may import its siblings as late as in forward
    name = _module_name(path)
    loader = SourceFileLoader(name, str(path))
    spec = spec_from_file_location(name, path, loader=loader)
    assert spec is not None  # a loader was given
    module = module_from_spec(spec)
    sys.modules[name] = module
    try:
        # Not loader.exec_module: it trusts a cached file that was compiled in the same second from as many bytes.
        code = loader.source_to_code(loader.get_data(str(path)), str(path))
        exec(code, module.__dict__)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise raised(FailureKind.SOURCE_RAISED, error, source=str(path)) from error
    return module


def _module_name(path: Path) -> str:
    """Return the name under which siblings would import the file, unless that name is taken by another module."""
    known = sys.modules.get(path.stem)
    is_same_file = known is not None and getattr(known, "__file__", None) == str(path)
    is_free = known is None and path.stem not in sys.stdlib_module_names and path.stem != "__main__"
    return path.stem if is_same_file or is_free else f"hookscope_file_{path.stem}"
