"""Check marks: which modules are hooked, and what a container's box shows of its subtree."""

from collections.abc import Collection, Iterable
from enum import Enum
from itertools import accumulate, compress

from hookscope.gui.module_tree.layout import TreeLayout


class Mark(Enum):
    """What a module's box shows: none, some or all of the module and its subtree are checked."""

    NONE = "none"
    SOME = "some"
    ALL = "all"


class CheckMarks:
    """The check marks of a tree at one moment; never changed, a new set makes a new object.

    Args:
        layout: The tree.
        checked: Paths of the checked modules; paths that the tree does not have are left out.
    """

    def __init__(self, layout: TreeLayout, checked: Iterable[str] = ()) -> None:
        self._layout = layout
        wanted = set(checked)
        self._checked = [module.path in wanted for module in layout.modules]
        # _before[i] modules in front of module i are checked, so that any subtree is counted by one subtraction.
        self._before = list(accumulate(self._checked, initial=0))

    @property
    def count(self) -> int:
        """Number of checked modules."""
        return self._before[-1]

    @property
    def paths(self) -> tuple[str, ...]:
        """Paths of the checked modules, in tree order."""
        return tuple(compress((module.path for module in self._layout.modules), self._checked))

    def is_checked(self, index: int) -> bool:
        """Whether the module itself is checked."""
        return self._checked[index]

    def are_checked(self, indexes: Iterable[int]) -> bool:
        """Whether all of these modules are checked."""
        return all(self._checked[index] for index in indexes)

    def mark(self, index: int) -> Mark:
        """Return what the module's box shows."""
        end = self._layout.ends[index]
        checked = self._before[end] - self._before[index]
        if checked == 0:
            return Mark.NONE
        return Mark.ALL if checked == end - index else Mark.SOME

    def differing(self, other: "CheckMarks") -> list[int]:
        """Return the modules whose boxes may look different in other marks of the same tree, in tree order."""
        pairs = enumerate(zip(self._checked, other._checked, strict=True))
        return self._layout.with_ancestors(index for index, (mine, others) in pairs if mine is not others)

    def changed_with(self, indexes: Collection[int], checked: bool) -> tuple[str, ...]:
        """Return the whole set of checked paths after these modules are checked or unchecked, in tree order."""
        chosen = set(indexes)
        return tuple(
            module.path
            for index, module in enumerate(self._layout.modules)
            if (checked if index in chosen else self._checked[index])
        )

    def toggled(self, index: int) -> tuple[str, ...]:
        """Return the whole set of checked paths after a click on a module's box: its subtree follows the box."""
        return self.changed_with(self._layout.subtree(index), checked=self.mark(index) is not Mark.ALL)
