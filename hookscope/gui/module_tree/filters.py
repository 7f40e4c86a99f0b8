"""The filter of the module tree: what a person types, and which modules it keeps.

Terms are separated by spaces and all of them must hold: plain text is looked for in path and class whatever its case,
a term with `*` or `?` is a glob over the whole path, `class:Conv2d` names a class (or is a glob over it), and `-term`
leaves out what the term matches.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import translate
from typing import Protocol

from hookscope.gui.module_tree.layout import TreeLayout

_CLASS_PREFIX = "class:"


class Term(Protocol):
    """One condition of a filter."""

    def select(self, layout: TreeLayout, indexes: Sequence[int]) -> list[int]:
        """Return those of some modules that meet the condition; one call for all of them keeps it fast."""


@dataclass(frozen=True)
class ContainsTerm:
    """Meets modules with a text in path, class or another name; the text is in lower case."""

    text: str

    def select(self, layout: TreeLayout, indexes: Sequence[int]) -> list[int]:
        """See `Term.select`."""
        text, searchable = self.text, layout.searchable
        return [index for index in indexes if text in searchable[index]]


@dataclass(frozen=True)
class PathTerm:
    """Meets modules whose path, or another name, is matched as a whole."""

    pattern: re.Pattern[str]

    def select(self, layout: TreeLayout, indexes: Sequence[int]) -> list[int]:
        """See `Term.select`."""
        match, modules = self.pattern.match, layout.modules
        return [
            index
            for index in indexes
            if match(modules[index].path) or any(match(alias) for alias in modules[index].aliases)
        ]


@dataclass(frozen=True)
class ClassTerm:
    """Meets modules whose class name is matched as a whole."""

    pattern: re.Pattern[str]

    def select(self, layout: TreeLayout, indexes: Sequence[int]) -> list[int]:
        """See `Term.select`."""
        match, modules = self.pattern.match, layout.modules
        return [index for index in indexes if match(modules[index].class_name)]


@dataclass(frozen=True)
class Filter:
    """A filter as typed, read by `parse_filter`: all of `required` and none of `excluded` must be met."""

    required: tuple[Term, ...] = ()
    excluded: tuple[Term, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether it keeps every module."""
        return not self.required and not self.excluded


def parse_filter(text: str) -> Filter:
    """Read a filter; any text is one. A term that is not finished yet (`class:`, `-`) asks for nothing."""
    required: list[Term] = []
    excluded: list[Term] = []
    for word in text.split():
        term = _term_of(word.removeprefix("-"))
        if term is not None:
            (excluded if word.startswith("-") else required).append(term)
    return Filter(tuple(required), tuple(excluded))


def _term_of(word: str) -> Term | None:
    if word.startswith(_CLASS_PREFIX):
        name = word.removeprefix(_CLASS_PREFIX)
        return ClassTerm(re.compile(translate(name))) if name else None
    if "*" in word or "?" in word:
        return PathTerm(re.compile(translate(word)))
    return ContainsTerm(word.lower()) if word else None


@dataclass(frozen=True)
class Kept:
    """What a filter leaves of a tree.

    Attributes:
        matches: Indexes of the modules that match, in tree order.
        rows: Indexes of all modules to show: the matches and what they are inside of, in tree order.
    """

    matches: tuple[int, ...]
    rows: tuple[int, ...]


def apply_filter(wanted: Filter, layout: TreeLayout) -> Kept:
    """Return what a filter keeps of a tree."""
    matches: Sequence[int] = range(len(layout.modules))
    if wanted.is_empty:
        return Kept(tuple(matches), tuple(matches))
    for term in wanted.required:
        matches = term.select(layout, matches)
    for term in wanted.excluded:
        left_out = set(term.select(layout, matches))
        matches = [index for index in matches if index not in left_out]
    return Kept(tuple(matches), tuple(layout.with_ancestors(matches)))
