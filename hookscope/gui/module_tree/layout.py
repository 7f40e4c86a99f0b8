"""The shape of a module tree: who is inside whom."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from hookscope.protocol.tree import ModuleInfo, ModuleTree

ROOT_PARENT = -1
"""Parent of the root module."""


@dataclass(frozen=True)
class TreeLayout:
    """A module tree with the indexes that make questions about it cheap.

    Attributes:
        modules: All modules, each directly followed by its subtree.
        ends: The subtree of module `i`, itself included, is `range(i, ends[i])`.
        index_of: Index of a module by its path.
    """

    modules: tuple[ModuleInfo, ...]
    ends: tuple[int, ...]
    index_of: dict[str, int]

    @classmethod
    def of(cls, tree: ModuleTree | None) -> "TreeLayout":
        """Lay out a tree; `None` gives the empty one."""
        modules = tree.modules if tree is not None else ()
        ends = list(range(1, len(modules) + 1))
        for index in range(len(modules) - 1, 0, -1):
            parent = modules[index].parent
            ends[parent] = max(ends[parent], ends[index])
        return cls(modules, tuple(ends), {module.path: index for index, module in enumerate(modules)})

    @cached_property
    def searchable(self) -> tuple[str, ...]:
        """Path, class and other names of each module in lower case, each ended by a line feed."""
        return tuple(
            "\n".join((module.path, module.class_name, *module.aliases, "")).lower() for module in self.modules
        )

    @property
    def containers(self) -> list[int]:
        """Indexes of the modules that have others inside."""
        return [index for index, end in enumerate(self.ends) if end > index + 1]

    def subtree(self, index: int) -> range:
        """Return the indexes of a module and everything inside it."""
        return range(index, self.ends[index])

    def of_class(self, class_name: str) -> list[int]:
        """Return the indexes of all modules of one class."""
        return [index for index, module in enumerate(self.modules) if module.class_name == class_name]

    def with_ancestors(self, indexes: Iterable[int]) -> list[int]:
        """Return some modules and all that they are inside of, in tree order."""
        kept: set[int] = set()
        for index in indexes:
            above = index
            while above != ROOT_PARENT and above not in kept:
                kept.add(above)
                above = self.modules[above].parent
        return sorted(kept)


class ShownRows:
    """Which modules of a tree have a row, and where; never changed, another filter makes a new object.

    Args:
        layout: The tree.
        kept: Indexes of the modules that have a row, in tree order, with all that they are inside of.
    """

    def __init__(self, layout: TreeLayout, kept: Iterable[int] = ()) -> None:
        self.row_of: dict[int, int] = {}
        """Row of each shown module among those inside the same one."""
        self.inside: dict[int, list[int]] = {ROOT_PARENT: []}
        """Shown modules directly inside another, for those that have any; the root is inside `ROOT_PARENT`."""
        modules = layout.modules
        for index in kept:
            siblings = self.inside.setdefault(modules[index].parent, [])
            self.row_of[index] = len(siblings)
            siblings.append(index)

    def containers_within(self, limit: int) -> list[int]:
        """Return the first modules with rows inside, as many as open up to about `limit` rows."""
        chosen, rows = [], 0
        for index, inside in self.inside.items():
            if rows > limit:
                break
            if index != ROOT_PARENT:
                chosen.append(index)
                rows += len(inside)
        return chosen
