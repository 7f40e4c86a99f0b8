"""The filter of the module tree: what each kind of term keeps."""

import pytest

from hookscope.gui.module_tree.filters import apply_filter, parse_filter
from hookscope.gui.module_tree.layout import TreeLayout
from tests.gui.fakes import large_tree, small_tree


@pytest.fixture(scope="module")
def layout() -> TreeLayout:
    return TreeLayout.of(small_tree())


def matches(text: str, layout: TreeLayout) -> list[str]:
    return [layout.modules[index].path for index in apply_filter(parse_filter(text), layout).matches]


CASES = {
    "conv": ["features.0", "features.3"],
    "CONV": ["features.0", "features.3"],
    "features": ["features", *(f"features.{number}" for number in range(7))],
    "features.*": [f"features.{number}" for number in range(7)],
    "*.3": ["features.3", "classifier.3"],
    "features.?": [f"features.{number}" for number in range(7)],
    "FEATURES.*": [],
    "class:Conv2d": ["features.0", "features.3"],
    "class:conv2d": [],
    "class:Conv": [],
    "class:*2d": ["features.0", "features.1", "features.3", "features.4", "features.6"],
    "class:ReLU features": ["features.2", "features.5"],
    "features -class:*2d -relu": ["features"],
    "linear -classifier.1": ["classifier.3"],
    "head.act": ["classifier.2"],
    "head.*": ["classifier.2"],
    "nothing-like-it": [],
}


@pytest.mark.parametrize("text", CASES)
def test_that_a_filter_matches_exactly(text: str, layout: TreeLayout) -> None:
    assert matches(text, layout) == CASES[text]


@pytest.mark.parametrize("text", ["", "   ", "-", "class:", "-class:"])
def test_that_a_filter_without_a_finished_term_keeps_everything(text: str, layout: TreeLayout) -> None:
    assert parse_filter(text).is_empty
    assert len(matches(text, layout)) == 14


@pytest.mark.parametrize("text", ["[", "*[", "class:[a", "?[z-a]*", "a\\*", "(*", "--x", "-*", "class:class:*"])
def test_that_any_text_is_a_filter(text: str, layout: TreeLayout) -> None:
    apply_filter(parse_filter(text), layout)


def test_that_matches_keep_what_they_are_inside_of(layout: TreeLayout) -> None:
    kept = apply_filter(parse_filter("class:Linear"), layout)
    assert [layout.modules[row].path for row in kept.rows] == ["", "classifier", "classifier.1", "classifier.3"]
    assert len(kept.matches) == 2


def test_that_the_root_is_found_by_its_class_and_by_a_star(layout: TreeLayout) -> None:
    assert matches("class:Net", layout) == [""]
    assert "" in matches("*", layout)


def test_that_a_filter_over_ten_thousand_modules_keeps_exactly_the_matching_ones() -> None:
    large = TreeLayout.of(large_tree())
    assert len(large.modules) == 10_001
    kept = apply_filter(parse_filter("class:Conv2d block99?"), large)
    assert len(kept.matches) == 0, "a bare word with ? is a glob over the whole path"
    kept = apply_filter(parse_filter("class:Conv2d block99?.*"), large)
    assert len(kept.matches) == 10 * 3
    assert len(kept.rows) == 1 + 10 + 10 * 3
