"""The module tree of a loaded model, as the window shows it."""

import msgspec

from hookscope.protocol.tensors import Badge


class ParameterInfo(msgspec.Struct, frozen=True):
    """One parameter that a module owns itself (not its children's)."""

    name: str
    shape: tuple[int, ...]
    dtype: str
    device: str
    requires_grad: bool


class ModuleInfo(msgspec.Struct, frozen=True):
    """One module of the tree.

    Attributes:
        path: Module path; `""` is the root.
        name: Last part of the path; the class name for the root.
        class_name: Class of the module, without its package.
        parent: Index of the parent in `ModuleTree.modules`, -1 for the root.
        aliases: Other paths of the same module object.
        parameters: The module's own parameters.
        parameter_count: Elements of all parameters of the subtree, each counted once.
        device: Device of the subtree's parameters and buffers; several are joined with a comma, none is `""`.
        in_place: Whether the module says that it works in place (`ReLU(inplace=True)`).
        has_children: Whether it is a container.
        description: The module's `extra_repr()`, for the tooltip.
        badges: What is known before a step: compiled, TorchScript, exported, sharded, bypasses `__call__`.
    """

    path: str
    name: str
    class_name: str
    parent: int
    aliases: tuple[str, ...] = ()
    parameters: tuple[ParameterInfo, ...] = ()
    parameter_count: int = 0
    device: str = ""
    in_place: bool = False
    has_children: bool = False
    description: str = ""
    badges: tuple[Badge, ...] = ()


class ModuleTree(msgspec.Struct, frozen=True):
    """All modules of a model, parents before children, in registration order; a shared module appears once."""

    modules: tuple[ModuleInfo, ...]
