"""The pages of the lessons: what stands on them is what the examples give. Each table of a page follows its actions."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

from hookscope.figures.text import format_shape, slot_label
from hookscope.protocol import commands, events
from hookscope.protocol.badge_words import badge_label
from hookscope.protocol.examples import EXAMPLES
from hookscope.protocol.hooks import HookMode, OperationRef
from hookscope.protocol.identity import Slot
from hookscope.protocol.interventions import Intervention
from hookscope.protocol.resources import resource_path
from hookscope.protocol.tensor_changes import Scale
from hookscope.protocol.tensors import Record
from hookscope.protocol.views import Statistics, StatisticsRequest, TableRequest
from hookscope.protocol.workload import LossChoice, RunSettings
from tests.engine.driving import Driver, driving
from tests.engine.trying import intervene

PAGES = {path.stem: path.read_text(encoding="utf-8") for path in resource_path("lessons").glob("*.md")}
_HEAD, _LINE = ["Module", "Tensor", "Value"], ["---"] * 3


@pytest.fixture
def driver():
    with driving() as started:
        yield started


def tables_of(page: str) -> list[list[list[str]]]:
    """Return the rows of each table of a page, without its head."""
    blocks = re.findall(r"(?:^\|.*\|\n)+", page, re.MULTILINE)
    tables = [[_cells(line) for line in block.splitlines()] for block in blocks]
    assert all(table[:2] == [_HEAD, _LINE] for table in tables)
    return [table[2:] for table in tables]


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


@dataclass
class Lesson:
    """An example that is open, as far as its page has got."""

    driver: Driver
    paths: dict[str, str]
    hooks: dict[str, tuple[str, ...]]

    def check(self, *names: str) -> None:
        self.hooks = self.driver.check(*(self.paths[name] for name in names)).hooks

    def step(self, **settings: object) -> None:
        if settings:
            self.driver.change(RunSettings(**settings))
        assert self.driver.run().reason is events.RunEnd.COMPLETED, self.driver.failures

    def record(self, module: str, tensor: str) -> Record:
        path = self.paths[module]
        (record,) = (
            record for ref, record in self.driver.records.items() if ref.path == path and slot_label(ref) == tensor
        )
        return record

    def statistics(self, module: str, tensor: str) -> Statistics:
        answer = self.driver.view_ref(self.record(module, tensor).ref, StatisticsRequest())
        assert isinstance(answer.result, Statistics)
        return answer.result

    def holds(self, module: str, tensor: str, value: str) -> bool:
        """Whether what the page says of a tensor is so."""
        if tensor == "hooks":
            return value == (", ".join(self.hooks.get(self.paths[module], ())) or "none")
        record = self.record(module, tensor)
        if value.startswith("["):
            return self._has_values(record, json.loads(value))
        if re.fullmatch(r"[\d ×]+", value):
            return record.spec is not None and value == format_shape(record.spec.shape)
        if value in _COUNTS:
            return _COUNTS[value](self.statistics(module, tensor))
        if value.startswith("norm about "):
            expected = float(value.removeprefix("norm about ").replace(",", ""))
            return self.statistics(module, tensor).norm == pytest.approx(expected, rel=0.1)
        return value in {badge_label(badge) for badge in record.badges}

    def _has_values(self, record: Record, expected: list[object]) -> bool:
        assert record.spec is not None
        cells = self.driver.view_ref(record.ref, TableRequest()).result.cells
        values = np.array([[float(cell) for cell in row] for row in cells]).reshape(record.spec.shape)
        return bool(values.tolist() == expected)


_COUNTS: dict[str, Callable[[Statistics], bool]] = {
    "about half negative": lambda found: 0.4 < found.negative / found.count < 0.6,
    "all negative": lambda found: found.negative == found.count,
    "all zeros": lambda found: found.zero == found.count,
    "all NaN": lambda found: found.nan == found.count,
    "no NaN": lambda found: found.nan == 0,
}


def number_on(page: str, what: str) -> float:
    """Return a number that the page says to type."""
    (found,) = re.findall(rf"{what} (\d+)", page.replace("\n", " "))
    return float(found)


def check_operations(lesson: Lesson, *names: str) -> None:
    refs = tuple(OperationRef("", name, 0) for name in names)
    lesson.driver.send(commands.SetHooks(("",), operations=refs))
    lesson.driver.expect(events.HooksSet)


def scale(lesson: Lesson, name: str, slot: Slot, leaf: str, operation: str = "") -> None:
    """Scale by the factor that the page says, and step."""
    factor = number_on(PAGES[name], "factor")
    assert intervene(lesson.driver, Intervention(1, "", slot, Scale(factor), leaf, operation=operation)) == {}
    lesson.step()


def leaf_gradient(lesson: Lesson):
    check_operations(lesson, "add")
    lesson.step()
    yield
    scale(lesson, "leaf_gradient", Slot.PARAMETER_GRAD, "w")
    yield


def one_layer(lesson: Lesson):
    lesson.check("Linear")
    lesson.step()
    yield
    lesson.step(requires_grad=("args.0",))
    yield


def non_leaf(lesson: Lesson):
    check_operations(lesson, "add", "mul")
    lesson.step()
    yield
    scale(lesson, "non_leaf", Slot.GRAD_OUTPUT, "out", "add:0")
    yield


def conv_relu(lesson: Lesson):
    lesson.check("conv")
    lesson.step()
    yield
    lesson.driver.send(commands.SetHooks(("conv",), {"conv": HookMode.NATIVE}))
    lesson.driver.expect(events.HooksSet)
    lesson.step()
    yield


def cnn(lesson: Lesson):
    lesson.check("SmallCnn", "conv2")
    lesson.step(requires_grad=("args.0",))
    yield


def deep(lesson: Lesson):
    lesson.check("features.24")
    lesson.step()
    yield
    lesson.check()
    yield


def not_scalar(lesson: Lesson):
    lesson.check("FunctionModel")
    lesson.step(loss=LossChoice.GRADIENT_ONES)
    yield
    lesson.step(loss=LossChoice.MEAN)
    yield


def all_modules(lesson: Lesson):
    lesson.check(*lesson.paths)
    lesson.step()
    yield


def broken_nan(lesson: Lesson):
    lesson.check("distances", "encoder")
    lesson.step()
    yield


ACTIONS = {
    "leaf_gradient": leaf_gradient,
    "one_layer": one_layer,
    "non_leaf": non_leaf,
    "conv_relu": conv_relu,
    "cnn": cnn,
    "deep": deep,
    "not_scalar": not_scalar,
    "containers": all_modules,
    "broken_exploding": all_modules,
    "broken_nan": broken_nan,
    "broken_dead": all_modules,
    "broken_detached": all_modules,
}


def test_that_every_example_but_the_first_has_a_page() -> None:
    assert set(PAGES) == set(ACTIONS) == {example.name for example in EXAMPLES[1:]}


def test_that_pages_are_short_and_are_numbered_as_the_menu_has_them() -> None:
    numbers = {example.name: number for number, example in enumerate(EXAMPLES[1:], 1) if not example.is_fault}
    for name, page in PAGES.items():
        assert 8 <= page.count("\n") <= 24, name
        title = next(example.title for example in EXAMPLES if example.name == name)
        assert page.startswith(f"# Lesson {numbers[name]}: " if name in numbers else f"# {title}\n")


@pytest.mark.parametrize("name", ACTIONS)
def test_that_what_a_page_says_is_so(driver: Driver, name: str) -> None:
    loaded = driver.load(f"example:{name}")
    assert isinstance(loaded, events.Loaded)
    lesson = Lesson(driver, {module.path or module.name: module.path for module in loaded.tree.modules}, {})
    tables = iter(tables_of(PAGES[name]))
    for _ in ACTIONS[name](lesson):
        rows = next(tables)
        assert rows
        assert [row for row in rows if not lesson.holds(*row)] == []
    assert next(tables, None) is None


def test_that_a_wrong_value_would_be_found(driver: Driver) -> None:
    loaded = driver.load("example:one_layer")
    assert isinstance(loaded, events.Loaded)
    lesson = Lesson(driver, {"Linear": ""}, {})
    lesson.check("Linear")
    lesson.step()
    for tensor, right, wrong in (
        ("output", "[10]", "[11]"),
        ("weight grad", "1 × 5", "5 × 1"),
        ("grad_input 0", "input needs no grad", "frozen"),
        ("output", "norm about 10", "norm about 20"),
        ("output", "no NaN", "all NaN"),
        ("hooks", "forward_pre_hook, forward_hook, gradient edges (exact)", "none"),
    ):
        assert lesson.holds("Linear", tensor, right)
        assert not lesson.holds("Linear", tensor, wrong)
