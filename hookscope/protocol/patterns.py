"""Module globs: how a set of modules is named on the command line, in the filter and in scripts."""

import difflib
import fnmatch
from collections.abc import Iterable


def match_paths(pattern: str, paths: Iterable[str]) -> list[str]:
    """Return the paths that a glob matches, in their order; `*` matches all, the root `""` included."""
    return [path for path in paths if fnmatch.fnmatchcase(path, pattern)]


def nearest(name: str, names: Iterable[str]) -> list[str]:
    """Return up to three names that a person may have meant."""
    return difflib.get_close_matches(name, list(names), n=3, cutoff=0.5)
