"""Describes a model's modules for the window. Reads only registries of the modules, so it runs no user code."""

from collections.abc import Iterator

from torch import nn

from hookscope.engine.specs import dtype_name
from hookscope.engine.state.eager import unwrapped
from hookscope.engine.traits import inherited, static_badges
from hookscope.protocol.tree import ModuleInfo, ModuleTree, ParameterInfo


def named_modules(model: nn.Module) -> dict[str, nn.Module]:
    """Return every module once, under the first of its paths, parents before children.

    The root is what a model that `torch.compile` wrapped was made of.
    """
    return dict(unwrapped(model).named_modules())


def describe_modules(model: nn.Module) -> ModuleTree:
    """Describe all modules of a model, in registration order; they are those of `named_modules`."""
    root = unwrapped(model)
    aliases = _aliases(root)
    infos: list[ModuleInfo] = []
    places: dict[str, int] = {}
    for path, module in root.named_modules():
        parent, _, name = path.rpartition(".")
        places[path] = len(infos)
        from_parent = inherited(infos[places[parent]].badges if path else static_badges(model))
        infos.append(
            ModuleInfo(
                path=path,
                name=name if path else type(module).__name__,
                class_name=type(module).__name__,
                parent=places[parent] if path else -1,
                aliases=tuple(other for other in aliases[id(module)] if other != path),
                parameters=tuple(_parameters(module)),
                parameter_count=_count(module),
                device=", ".join(dict.fromkeys(_devices(module))),
                in_place=getattr(module, "inplace", False) is True,
                has_children=bool(module._modules),
                description=_description(module),
                badges=tuple(dict.fromkeys(static_badges(module) + from_parent)),
            )
        )
    return ModuleTree(tuple(infos))


def names_of(model: nn.Module) -> dict[str, list[str]]:
    """Return all paths of each module by the first of them, which is the one in records and events."""
    return {paths[0]: paths for paths in _aliases(model).values()}


def _aliases(model: nn.Module) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for path, module in model.named_modules(remove_duplicate=False):
        found.setdefault(id(module), []).append(path)
    return found


def _parameters(module: nn.Module) -> Iterator[ParameterInfo]:
    for name, parameter in module._parameters.items():
        if parameter is None:
            continue
        uninitialized = isinstance(parameter, nn.parameter.UninitializedParameter)
        shape = () if uninitialized else tuple(parameter.shape)
        yield ParameterInfo(name, shape, dtype_name(parameter.dtype), str(parameter.device), parameter.requires_grad)


def _count(module: nn.Module) -> int:
    return sum(
        parameter.numel()
        for parameter in module.parameters()
        if not isinstance(parameter, nn.parameter.UninitializedParameter)
    )


def _devices(module: nn.Module) -> Iterator[str]:
    for parameter in module.parameters():
        yield str(parameter.device)
    for buffer in module.buffers():
        yield str(buffer.device)


def _description(module: nn.Module) -> str:
    try:
        return module.extra_repr()
    except Exception:
        return ""
