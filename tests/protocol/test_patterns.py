"""Module globs name the modules that a person means."""

import pytest

from hookscope.protocol.patterns import match_paths, nearest

PATHS = ["", "features", "features.0", "features.1", "head", "head.fc"]


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("*", PATHS),
        ("features.*", ["features.0", "features.1"]),
        ("*.0", ["features.0"]),
        ("head", ["head"]),
        ("HEAD", []),
        ("", [""]),
        ("features.[1-9]", ["features.1"]),
    ],
)
def test_that_a_glob_names_modules(pattern: str, found: list[str]) -> None:
    assert match_paths(pattern, PATHS) == found


def test_that_a_slip_of_the_pen_finds_what_was_meant() -> None:
    assert nearest("digit", ["digits", "cnn", "deep"]) == ["digits"]
    assert nearest("quite else", ["digits", "cnn"]) == []
