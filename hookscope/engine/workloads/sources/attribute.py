"""From a name in a module of the user's to the workload or model that it stands for."""

from types import ModuleType

from torch import nn

from hookscope.engine.failure_report import failed, near_names, raised, type_words
from hookscope.engine.workloads.workload import Workload
from hookscope.protocol.failures import FailureKind

_MAX_NAMES = 3


def make_attribute(module: ModuleType, attribute: str, source: str) -> Workload | nn.Module:
    """Look a name up and make what it stands for.

    A workload or a module is taken as it is; a class or any other callable is called without arguments.

    Args:
        module: Module that was just imported.
        attribute: Name in it.
        source: What a failure calls the module.

    Raises:
        FailureError: `ATTRIBUTE_MISSING`, `SOURCE_RAISED`, `SOURCE_TYPE`, `OUT_OF_MEMORY`.
    """
    try:
        value = getattr(module, attribute)
    except AttributeError as error:
        near = near_names(attribute, _public_names(module)) or _model_names(module)
        raise failed(FailureKind.ATTRIBUTE_MISSING, source=source, attribute=attribute, near=near) from error
    return make(value, f"{source}:{attribute}")


def make(value: object, source: str) -> Workload | nn.Module:
    """Call a value, if it is not yet a workload or a module, and return what it gave.

    Raises:
        FailureError: `SOURCE_RAISED`, `SOURCE_TYPE`, `OUT_OF_MEMORY`.
    """
    if callable(value) and not isinstance(value, nn.Module):
        try:
            value = value()
        except (Exception, SystemExit) as error:
            raise raised(FailureKind.SOURCE_RAISED, error, source=source) from error
    if not isinstance(value, (Workload, nn.Module)):
        raise failed(FailureKind.SOURCE_TYPE, source=source, given=type_words(value))
    return value


def _public_names(module: ModuleType) -> list[str]:
    return [name for name in vars(module) if not name.startswith("_")]


def _model_names(module: ModuleType) -> str:
    """Return names that would have given a model, last ones first: what a file ends in is mostly its main thing."""
    names = [name for name in reversed(_public_names(module)) if _gives_model(getattr(module, name), module.__name__)]
    return ", ".join(names[:_MAX_NAMES])


def _gives_model(value: object, module_name: str) -> bool:
    if isinstance(value, type):
        return issubclass(value, nn.Module) and value.__module__ == module_name
    return isinstance(value, (Workload, nn.Module))
