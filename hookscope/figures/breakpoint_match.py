"""Which modules a breakpoint is on, for what is drawn beside them; the debuggee decides where it stops."""

import fnmatch

from hookscope.protocol.stops import Breakpoint
from hookscope.protocol.tree import ModuleInfo

_CLASS_PREFIX = "class:"


def is_on(breakpoint_: Breakpoint, module: ModuleInfo) -> bool:
    """Return whether a breakpoint means a module, by any of its paths or by its class."""
    pattern = breakpoint_.pattern
    if pattern.startswith(_CLASS_PREFIX):
        return fnmatch.fnmatchcase(module.class_name, pattern.removeprefix(_CLASS_PREFIX))
    names = (module.path, *module.aliases)
    return pattern in names or any(fnmatch.fnmatchcase(name, pattern) for name in names)
