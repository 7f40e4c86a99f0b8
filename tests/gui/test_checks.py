"""Check marks of the module tree: which set a click asks for, and what containers show."""

import pytest

from hookscope.gui.module_tree.checks import CheckMarks, Mark
from hookscope.gui.module_tree.layout import TreeLayout
from tests.gui.fakes import small_tree


@pytest.fixture
def layout() -> TreeLayout:
    return TreeLayout.of(small_tree())


def test_that_a_container_is_marked_whole_only_when_it_is_checked_itself(layout: TreeLayout) -> None:
    inside = [f"classifier.{number}" for number in range(4)]
    container = layout.index_of["classifier"]
    assert CheckMarks(layout).mark(container) is Mark.NONE
    assert CheckMarks(layout, inside).mark(container) is Mark.SOME
    assert CheckMarks(layout, ["classifier"]).mark(container) is Mark.SOME
    assert CheckMarks(layout, ["classifier", *inside]).mark(container) is Mark.ALL
    assert CheckMarks(layout, ["classifier", *inside]).mark(layout.index_of[""]) is Mark.SOME


def test_that_toggling_a_container_checks_it_and_its_subtree_and_nothing_else(layout: TreeLayout) -> None:
    marks = CheckMarks(layout, ["features.0", "classifier.1"])
    wanted = marks.toggled(layout.index_of["classifier"])
    assert wanted == ("features.0", "classifier", *(f"classifier.{number}" for number in range(4)))
    assert CheckMarks(layout, wanted).toggled(layout.index_of["classifier"]) == ("features.0",)


def test_that_toggling_a_leaf_changes_that_leaf_alone(layout: TreeLayout) -> None:
    leaf = layout.index_of["features.3"]
    assert CheckMarks(layout).toggled(leaf) == ("features.3",)
    assert CheckMarks(layout, ["features.3", "features.4"]).toggled(leaf) == ("features.4",)


def test_that_toggling_the_root_checks_every_module(layout: TreeLayout) -> None:
    assert len(CheckMarks(layout).toggled(0)) == 14


def test_that_a_container_can_be_checked_without_its_subtree(layout: TreeLayout) -> None:
    container = layout.index_of["features"]
    marks = CheckMarks(layout, CheckMarks(layout).changed_with([container], checked=True))
    assert marks.paths == ("features",)
    assert marks.count == 1
    assert marks.is_checked(container)
    assert not marks.is_checked(container + 1)


def test_that_paths_of_another_model_are_left_out(layout: TreeLayout) -> None:
    assert CheckMarks(layout, ["features.0", "encoder.4"]).paths == ("features.0",)


def test_that_the_difference_of_two_sets_names_changed_modules_and_their_containers(layout: TreeLayout) -> None:
    before, after = CheckMarks(layout, ["features.0"]), CheckMarks(layout, ["features.0", "classifier.3"])
    changed = [layout.modules[index].path for index in before.differing(after)]
    assert changed == ["", "classifier", "classifier.3"]
    assert before.differing(before) == []


def test_that_an_empty_tree_has_no_marks() -> None:
    marks = CheckMarks(TreeLayout.of(None), ["features.0"])
    assert marks.count == 0
    assert marks.paths == ()
