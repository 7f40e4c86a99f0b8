"""Frames at an event: of real models in a real debuggee, and nothing that they keep alive.

Functions that are looked at have no `assert` of their own: pytest would let it ask for `locals()`.
"""

import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType

import pytest
import torch

from hookscope.engine.code import call_stack, variables
from hookscope.engine.code.call_stack import LightStack, VariableStore, frames_of, light_stack, live_frames
from hookscope.engine.views import build_view
from hookscope.protocol import commands, events
from hookscope.protocol.stops import ContinueMode, EventKind, StackFrame, Variable
from hookscope.protocol.views import Statistics, StatisticsRequest
from tests.engine.driving import SUM, Driver, driving

MODEL = """\
import torch
from torch import nn
from hookscope import Workload


class Inner(nn.Module):
    def forward(self, x):
        return x * 2


class Outer(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = nn.Sequential(nn.Linear(2, 3), Inner())

    def forward(self, x):
        shifted = x + 1
        return self.block(
            shifted,
        )


workload = Workload(Outer(), torch.ones(1, 2))
"""
CALL = MODEL.splitlines().index("        return self.block(") + 1


@pytest.fixture
def model_file(tmp_path: Path) -> str:
    file = tmp_path / "net.py"
    file.write_text(MODEL, encoding="utf-8")
    return str(file)


def stack_at(driver: Driver, path: str, kind: EventKind) -> tuple[StackFrame, ...]:
    """Run to an event of a module and ask for the stack there."""
    driver.send(commands.RunSteps(1, ContinueMode.TO_SELECTED, path))
    while driver.expect(events.Stopped).event.kind is not kind:
        driver.send(commands.Continue(ContinueMode.TO_SELECTED, path))
    driver.send(commands.RequestStack())
    return driver.expect(events.StackReady).frames


def finish(driver: Driver) -> None:
    driver.send(commands.Continue())
    driver.expect(events.RunFinished)


def functions(frames: tuple[StackFrame, ...], *, user: bool = True) -> list[str]:
    return [frame.function for frame in frames if frame.user is user]


def named(frame: StackFrame) -> dict[str, Variable]:
    return {variable.name: variable for variable in frame.variables}


def only(frames: tuple[StackFrame, ...], function: str) -> StackFrame:
    (found,) = [frame for frame in frames if frame.function.endswith(function)]
    return found


@pytest.fixture
def store() -> Iterator[VariableStore]:
    made = VariableStore()
    made.begin_stop()
    yield made
    made.end_stop()


# -- in a debuggee ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [EventKind.FORWARD_ENTER, EventKind.BACKWARD_ENTER])
def test_that_an_event_shows_the_models_frames_innermost_last(model_file: str, kind: EventKind) -> None:
    with driving() as driver:
        driver.load(model_file)
        driver.change(SUM)
        frames = stack_at(driver, "block.1", kind)
        finish(driver)
    assert functions(frames) == ["Outer.forward"]
    outer = only(frames, "Outer.forward")
    assert (outer.file, outer.line, outer.text) == (model_file, CALL, "return self.block(")
    library = functions(frames, user=False)
    assert library[0].endswith("_wrapped_call_impl"), "further out there is only the debuggee"
    assert "Sequential.forward" in library
    assert library[-1].startswith("Module._call_impl"), "further in there are only hooks"


def test_that_in_forward_the_users_frames_have_variables_and_the_libraries_none(model_file: str) -> None:
    with driving() as driver:
        driver.load(model_file)
        driver.change(SUM)
        frames = stack_at(driver, "block.1", EventKind.FORWARD_LEAVE)
        shown = named(only(frames, "Outer.forward"))
        ref = shown["shifted"].ref
        assert ref is not None
        view = driver.view_ref(ref, StatisticsRequest()).result
        finish(driver)
    assert list(shown) == ["self", "x", "shifted"]
    assert shown["self"].type == "Outer"
    assert shown["shifted"].text == "1 × 2 float32 cpu: 2"
    assert isinstance(view, Statistics)
    assert (view.count, view.maximum) == (2, 2.0)
    assert not any(frame.variables for frame in frames if not frame.user)


def test_that_the_model_of_an_example_counts_as_the_users() -> None:
    with driving() as driver:
        driver.load("example:digits")
        frames = stack_at(driver, "classifier.1", EventKind.BACKWARD_ENTER)
        finish(driver)
    assert functions(frames) == ["DigitsNet.forward"]
    assert only(frames, "DigitsNet.forward").text.startswith("logits: torch.Tensor = self.classifier(")


# -- stacks that are noted in passing ---------------------------------------------------------------------------


def test_that_recursion_shows_every_call_with_its_own_line() -> None:
    def down(levels: int) -> LightStack:
        if levels == 0:
            return light_stack()
        return down(levels - 1)

    frames = [frame for frame in frames_of(down(3)) if frame.function.endswith("down")]
    assert [frame.text for frame in frames] == ["return down(levels - 1)"] * 3 + ["return light_stack()"]


def test_that_no_more_than_the_innermost_frames_are_noted() -> None:
    def down(levels: int) -> LightStack:
        return down(levels - 1) if levels else light_stack(5)

    frames = frames_of(down(50))
    assert len(frames) == 5
    assert {frame.function.rpartition(".")[2] for frame in frames} == {"down"}


def test_that_a_light_stack_holds_code_and_numbers_only() -> None:
    def forward() -> tuple[LightStack, weakref.ref[torch.Tensor]]:
        activation = torch.ones(3)
        return light_stack(), weakref.ref(activation)

    light, activation = forward()
    assert activation() is None
    assert {type(code) for code in light.codes} == {CodeType}
    assert {type(place) for place in light.places} == {int}


def test_that_generators_and_comprehensions_have_frames_of_their_own() -> None:
    def produced() -> Iterator[LightStack]:
        yield light_stack()

    assert only(frames_of(next(produced())), "produced").text == "yield light_stack()"
    light = next(light_stack() for _ in range(1))
    assert only(frames_of(light), "<genexpr>").text == "light = next(light_stack() for _ in range(1))"


def test_that_code_without_a_file_is_shown_without_text(store: VariableStore) -> None:
    names: dict[str, Callable[[Callable[[], object]], object]] = {}
    exec("def made(look):\n    inside = 1\n    return look()\n", names)
    for frames in (frames_of(names["made"](light_stack)), names["made"](lambda: live_frames(store))):
        frame = only(frames, "made")
        assert (frame.file, frame.line, frame.text, frame.user, frame.variables) == ("<string>", 3, "", False, ())


# -- the frames of a stopped thread -----------------------------------------------------------------------------


def test_that_a_tensor_among_the_variables_can_be_viewed_until_the_stop_ends() -> None:
    store = VariableStore()

    def forward(x: torch.Tensor) -> StackFrame:
        return live_frames(store)[-1]

    x = torch.tensor([1.0, 4.0])
    store.begin_stop()
    ref = named(forward(x))["x"].ref
    assert ref is not None
    assert (ref.path, ref.leaf) == ("", "x")
    assert store.get(ref) is x
    with store.reading(ref) as tensor:
        view = build_view(tensor, StatisticsRequest())
    assert isinstance(view, Statistics)
    assert view.maximum == 4.0
    store.end_stop()
    assert store.get(ref) is None
    with store.reading(ref) as tensor:
        assert tensor is None


def test_that_variables_of_one_name_in_two_frames_and_stops_have_different_refs(store: VariableStore) -> None:
    def inner(x: torch.Tensor) -> tuple[StackFrame, ...]:
        return live_frames(store)

    def outer(x: torch.Tensor) -> tuple[StackFrame, ...]:
        return inner(x + 1)

    def refs_of_x() -> list[object]:
        return [named(frame)["x"].ref for frame in outer(torch.ones(1))[-2:]]

    first, again = refs_of_x(), refs_of_x()
    store.begin_stop()
    later = refs_of_x()
    assert first == again
    assert len({*first, *later}) == 4


def test_that_nothing_stays_alive_after_a_stop_while_the_function_goes_on() -> None:
    store = VariableStore()

    def forward() -> tuple[set[str], object, object]:
        activation = torch.ones(3)
        enclosed: torch.Tensor | None = torch.ones(3)
        seen = weakref.ref(activation), weakref.ref(enclosed)

        def closure() -> torch.Tensor | None:
            return enclosed

        store.begin_stop()
        frames = live_frames(store)
        store.end_stop()
        del activation
        enclosed = None
        return set(named(frames[-1])), seen[0](), seen[1]()

    assert forward() == ({"activation", "enclosed", "seen", "store"}, None, None)


def test_that_variables_can_be_read_and_written_as_before_after_a_stop(store: VariableStore) -> None:
    def forward(x: int) -> tuple[int, int, set[str]]:
        count = 1
        live_frames(store)
        count += x
        later = eval("count")
        return count, later, set(named(live_frames(store)[-1]))

    assert forward(2) == (3, 3, {"x", "count", "later", "store"})


def test_that_a_dict_of_locals_is_not_changed_by_a_stop(store: VariableStore) -> None:
    def forward(x: int) -> tuple[set[str], StackFrame]:
        given = locals()
        del given["x"]
        after = store
        frame = live_frames(after)[-1]
        return set(given), frame

    given, frame = forward(1)
    assert given == {"store"}
    assert sys.version_info >= (3, 13) or not frame.variables


def test_that_an_attribute_called_locals_hides_no_variables(store: VariableStore) -> None:
    class Layer:
        locals = 1

    def forward(layer: Layer) -> StackFrame:
        layer.locals += 1
        return live_frames(store)[-1]

    assert "layer" in named(forward(Layer()))


def test_that_what_a_debugger_holds_of_a_frame_stays_complete(store: VariableStore) -> None:
    def forward(x: int) -> dict[str, object]:
        held = sys._getframe().f_locals
        live_frames(store)
        return dict(held)

    assert forward(1).keys() >= {"x", "store"}


def test_that_a_generator_among_the_variables_is_not_used_up(store: VariableStore) -> None:
    def produced() -> Iterator[tuple[StackFrame, ...]]:
        items = (number for number in range(3))
        yield live_frames(store)
        yield from [() for _ in items]

    first, *rest = produced()
    assert named(only(first, "produced"))["items"].type == "generator"
    assert len(rest) == 3


def test_that_a_comprehension_shows_no_names_that_nobody_wrote(store: VariableStore) -> None:
    def forward() -> tuple[StackFrame, ...]:
        (frames,) = [live_frames(store) for number in [7]]
        return frames

    frames = forward()
    assert named(frames[-1])["number"].text == "7"
    assert all(variable.name.isidentifier() for frame in frames for variable in frame.variables)


def test_that_the_innermost_frames_have_the_ranges_when_not_all_can_be_read(
    store: VariableStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(variables, "MAX_RANGE_ELEMENTS", 5)

    def inner(x: torch.Tensor) -> tuple[StackFrame, ...]:
        return live_frames(store)

    def outer(x: torch.Tensor) -> tuple[StackFrame, ...]:
        return inner(x + 1)

    texts = [named(frame)["x"].text for frame in outer(torch.ones(3))[-2:]]
    assert texts == ["3 float32 cpu", "3 float32 cpu: 2"]


def test_that_a_frame_shows_no_more_than_so_many_variables(
    store: VariableStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(call_stack, "MAX_VARIABLES", 2)

    def forward(a: int, b: int, c: int) -> tuple[StackFrame, ...]:
        return live_frames(store, limit=1)

    (frame,) = forward(1, 2, 3)
    assert list(named(frame)) == ["a", "b"]


def test_that_a_stop_ends_only_when_the_view_in_work_is_done(store: VariableStore) -> None:
    ref = store.add(0, "x", torch.ones(1))
    reads, may_end, ended = threading.Event(), threading.Event(), threading.Event()

    def read() -> None:
        with store.reading(ref):
            reads.set()
            may_end.wait(10)

    def end() -> None:
        store.end_stop()
        ended.set()

    threads = [threading.Thread(target=read), threading.Thread(target=end)]
    threads[0].start()
    assert reads.wait(10)
    threads[1].start()
    assert not ended.wait(0.05)
    may_end.set()
    assert ended.wait(10)
    for thread in threads:
        thread.join()
