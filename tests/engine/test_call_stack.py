"""Frames at an event: of real models in real steps, and nothing that they keep alive."""

import linecache
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType

import pytest
import torch
from torch import nn

from hookscope.engine import call_stack
from hookscope.engine.buffers import BufferPool
from hookscope.engine.call_stack import LightStack, VariableStore, frames_of, light_stack, live_frames
from hookscope.engine.capture_writer import CaptureWriter
from hookscope.engine.captures import CaptureStore
from hookscope.engine.inputs import Batches
from hookscope.engine.pause import Gate
from hookscope.engine.recorder import Recorder
from hookscope.engine.sources import load_source
from hookscope.engine.step_runner import StepRunner
from hookscope.engine.views import build_view
from hookscope.engine.workload import Workload
from hookscope.protocol.stops import StackFrame, Variable
from hookscope.protocol.views import Statistics, StatisticsRequest
from hookscope.protocol.workload import ExampleSource, FileSource, LossChoice, RunSettings


class Inner(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * 2


class Outer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.block = nn.Sequential(nn.Linear(2, 3), Inner())

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        shifted = x + 1
        return self.block(shifted)


def step(workload: Workload, path: str, look: Callable[[], object]) -> object:
    """Run a real step, and look from within hookscope's own hook when a module is entered for the first time."""
    answers: list[object] = []
    gate = Gate(lambda: answers.append(look()) if not answers else None)
    store = CaptureStore(BufferPool(2**24))
    recorder = Recorder(CaptureWriter(store, lambda _capture: None), gate)
    recorder.watch({path: workload.model.get_submodule(path)})
    gate.errand_wanted = True
    try:
        StepRunner(workload, Batches(workload), recorder, store).run(RunSettings(loss=LossChoice.SUM))
    finally:
        recorder.watch({})
        store.clear()
    return answers[0]


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


# -- stacks that are noted in passing ---------------------------------------------------------------------------


def test_that_a_hook_in_a_nested_model_shows_the_models_frames_innermost_last() -> None:
    light = step(Workload(Outer(), torch.ones(1, 2)), "block.1", light_stack)
    frames = frames_of(light)
    # The frames of these very tests' hooks are the user's too, and so is the lambda that looked.
    assert functions(frames)[:1] == ["Outer.forward"]
    outer = frames[[frame.user for frame in frames].index(True)]
    assert outer.file == __file__
    assert outer.text == linecache.getline(__file__, outer.line).strip() == "return self.block(shifted)"
    assert outer.variables == ()
    library = functions(frames, user=False)
    assert library[0].endswith("_wrapped_call_impl"), "further out there is only the debuggee"
    assert "Sequential.forward" in library
    assert not [frame for frame in frames if "/hookscope/engine/" in frame.file and "tests" not in frame.file]


def test_that_the_model_of_an_example_counts_as_the_users() -> None:
    loaded = load_source(ExampleSource("digits"), ())
    frames = frames_of(step(loaded.workload, "classifier.1", light_stack))
    assert functions(frames)[:1] == ["DigitsNet.forward"]
    assert only(frames, "DigitsNet.forward").text.startswith("logits")


def test_that_a_model_from_a_file_shows_its_file_and_line(tmp_path: Path) -> None:
    file = tmp_path / "net.py"
    file.write_text(
        "import torch\nfrom torch import nn\nfrom hookscope import Workload\n\n\n"
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.layer = nn.Linear(2, 2)\n"
        "\n    def forward(self, x):\n        return self.layer(\n            x,\n        )\n\n\n"
        "workload = Workload(Net(), torch.ones(1, 2))\n",
        encoding="utf-8",
    )
    loaded = load_source(FileSource(str(file), "workload"), ())
    frame = only(frames_of(step(loaded.workload, "layer", light_stack)), "Net.forward")
    assert (frame.file, frame.line, frame.text, frame.user) == (str(file), 12, "return self.layer(", True)


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


def test_that_a_stop_shows_the_variables_of_the_users_frames_alone(store: VariableStore) -> None:
    model = Outer()
    paths = {id(module): path for path, module in model.named_modules()}
    workload = Workload(model, torch.ones(1, 2))
    frames = step(workload, "block.1", lambda: live_frames(store, paths))
    assert functions(frames)[:1] == ["Outer.forward"]
    assert not any(frame.variables for frame in frames if not frame.user)
    outer = frames[[frame.user for frame in frames].index(True)]
    variables = named(outer)
    assert list(variables) == ["self", "x", "shifted"]
    assert (variables["self"].type, variables["self"].text) == ("Outer", "Outer")
    assert variables["shifted"].text == "1 × 2 float32 cpu: 2"
    assert outer.text == "return self.block(shifted)"


def test_that_a_tensor_among_the_variables_can_be_viewed_until_the_stop_ends() -> None:
    store = VariableStore()
    store.begin_stop()
    x = torch.tensor([1.0, 4.0])
    frames = live_frames(store)
    ref = named(frames[-1])["x"].ref
    assert ref is not None
    assert (ref.path, ref.leaf) == ("", "x")
    assert store.get(ref) is x
    with store.reading(ref) as tensor:
        view = build_view(tensor, StatisticsRequest())
    assert isinstance(view, Statistics)
    assert view.maximum == 4.0
    del tensor
    store.end_stop()
    assert store.get(ref) is None
    with store.reading(ref) as tensor:
        assert tensor is None


def test_that_variables_of_one_name_in_two_frames_and_stops_have_different_refs(store: VariableStore) -> None:
    def inner(x: torch.Tensor) -> tuple[StackFrame, ...]:
        return live_frames(store)

    x = torch.ones(1)
    refs = [variable.ref for _ in range(2) for variable in named_x(inner(x + 1))]
    store.end_stop()
    store.begin_stop()
    refs += [variable.ref for variable in named_x(inner(x + 1))]
    assert len(refs) == 6
    assert len(set(refs)) == 4, "asked twice in one stop, a variable keeps its ref"


def named_x(frames: tuple[StackFrame, ...]) -> list[Variable]:
    return [variable for frame in frames for variable in frame.variables if variable.name == "x"]


def test_that_nothing_stays_alive_after_a_stop_while_the_function_goes_on() -> None:
    store = VariableStore()

    def forward() -> tuple[object, object]:
        activation = torch.ones(3)
        captured = torch.ones(3)
        seen = weakref.ref(activation), weakref.ref(captured)

        def closure() -> torch.Tensor:
            return captured

        store.begin_stop()
        frames = live_frames(store)
        assert {"activation", "captured"} <= named(frames[-1]).keys()
        store.end_stop()
        del activation, captured
        return seen[0](), seen[1]()

    assert forward() == (None, None)


def test_that_variables_can_be_read_and_written_as_before_after_a_stop(store: VariableStore) -> None:
    def forward(x: int) -> tuple[int, int, dict[str, object]]:
        count = 1
        live_frames(store)
        count += x
        later = eval("count")
        return count, later, named(live_frames(store)[-1]).keys()

    assert forward(2) == (3, 3, {"x", "count", "later"})


def test_that_a_dict_of_locals_is_not_changed_by_a_stop(store: VariableStore) -> None:
    def forward(x: int) -> dict[str, object]:
        given = locals()
        del given["x"]
        after = 1
        frame = only(live_frames(store), "<locals>.forward")
        assert sys.version_info >= (3, 13) or not frame.variables
        return given | {"sum": after + x}

    assert forward(1).keys() == {"sum"}


def test_that_what_a_debugger_holds_of_a_frame_stays_complete(store: VariableStore) -> None:
    held = sys._getframe().f_locals
    live_frames(store)
    assert held["store"] is store


def test_that_a_generator_among_the_variables_is_not_used_up(store: VariableStore) -> None:
    def produced() -> Iterator[tuple[StackFrame, ...]]:
        items = (number for number in range(3))
        yield live_frames(store)
        yield from [() for _ in items]

    first, *rest = produced()
    assert named(only(first, "produced"))["items"].type == "generator"
    assert len(rest) == 3


def test_that_a_comprehension_shows_no_names_that_nobody_wrote(store: VariableStore) -> None:
    (frames,) = [live_frames(store) for number in [7]]
    assert named(frames[-1])["number"].text == "7"
    assert all(variable.name.isidentifier() for frame in frames for variable in frame.variables)


def test_that_a_frame_shows_no_more_than_so_many_variables(
    store: VariableStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(call_stack, "MAX_VARIABLES", 2)
    a, b, c = 1, 2, 3
    assert len(live_frames(store)[-1].variables) == 2
    assert len(live_frames(store, limit=1)) == 1
    assert a + b + c == 6


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
