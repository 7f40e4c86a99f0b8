"""hookscope: a desktop GUI debugger for PyTorch.

The house, from the inside out; a layer imports only what is listed with it:

- `hookscope.protocol` (numpy, msgspec): the nouns and the wire between the processes.
- `hookscope.engine` (protocol, torch, numpy): lives in the debuggee, the process that owns the model.
- `hookscope.client` (protocol, numpy): launches a debuggee and drives it; no Qt, no torch.
- `hookscope.figures` (protocol, numpy): arrays to what is drawn, numbers to text.
- `hookscope.gui` (client, figures, protocol, PySide6, pyqtgraph): the window.
- `hookscope.cli`: the command line.

Importing this package imports neither torch nor Qt; the public names below are loaded when first used.
"""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hookscope import changes
    from hookscope.engine.intervening.scripted import Intervention
    from hookscope.engine.observe import observe
    from hookscope.engine.observed import NotCaptured
    from hookscope.engine.workloads.workload import Workload

__version__ = "0.1.0"
__all__ = ["Intervention", "NotCaptured", "Workload", "__version__", "changes", "observe"]

_PLACES = {
    "Intervention": "hookscope.engine.intervening.scripted",
    "NotCaptured": "hookscope.engine.observed",
    "Workload": "hookscope.engine.workloads.workload",
    "observe": "hookscope.engine.observe",
}


def __getattr__(name: str) -> object:
    """Load a public name when it is first asked for (PEP 562): torch loads only when it is needed."""
    if name == "changes":
        return importlib.import_module("hookscope.changes")
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_PLACES[name]), name)
