"""Where models come from: examples, files and modules, good ones and broken ones."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from torch import nn

from hookscope.engine.failure_report import FailureError
from hookscope.engine.workloads.sources import LoadedSource, load_source, with_inputs
from hookscope.protocol.failures import Failure, FailureKind
from hookscope.protocol.workload import ExampleSource, FileSource, ModuleSource, Source, SyntheticInput

HEAD = "import torch\nfrom torch import nn\nfrom hookscope import Workload\n"


@pytest.fixture(autouse=True)
def _modules_and_path_as_before(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        del sys.modules[name]


def write(folder: Path, code: str, name: str = "their_model.py") -> Path:
    file = folder / name
    file.write_text(HEAD + code)
    return file


def load(folder: Path, code: str, attribute: str = "workload", *inputs: SyntheticInput) -> LoadedSource:
    return load_source(FileSource(str(write(folder, code)), attribute), inputs)


def failure(source: Source, *inputs: SyntheticInput) -> Failure:
    with pytest.raises(FailureError) as caught:
        load_source(source, inputs)
    return caught.value.failure


# -- what a name may stand for --------------------------------------------------------------------------------------

NET = "class Net(nn.Sequential):\n    def __init__(self):\n        super().__init__(nn.Linear(4, 2))\n"


@pytest.mark.parametrize(
    "code",
    [
        "def workload():\n    return Workload(nn.Linear(2, 1), torch.ones(2))",
        "workload = Workload(nn.Linear(2, 1), torch.ones(2))",
        "class workload(Workload):\n    def __init__(self):\n        super().__init__(nn.Linear(2, 1), torch.ones(2))",
    ],
    ids=["function", "object", "class"],
)
def test_that_a_workload_is_taken_with_its_own_inputs(tmp_path: Path, code: str) -> None:
    loaded = load(tmp_path, code)
    assert torch.equal(loaded.workload.inputs, torch.ones(2))
    assert (loaded.synthetic, loaded.needs_input) == (False, False)
    assert loaded.title == "their_model.py:workload"


@pytest.mark.parametrize("attribute", ["Net", "make", "net"])
def test_that_a_bare_module_gets_made_up_inputs(tmp_path: Path, attribute: str) -> None:
    loaded = load(tmp_path, NET + "net = Net()\ndef make():\n    return Net()", attribute)
    assert type(loaded.workload.model).__name__ == "Net"
    assert (loaded.synthetic, loaded.needs_input) == (True, False)
    assert loaded.workload.inputs[0].shape == (1, 4)


def test_that_a_module_instance_is_not_called(tmp_path: Path) -> None:
    code = "class Loud(nn.Module):\n    def forward(self):\n        raise RuntimeError\nloud = Loud()"
    assert load(tmp_path, code, "loud").needs_input


def test_that_a_module_that_does_not_tell_its_input_needs_one(tmp_path: Path) -> None:
    loaded = load(tmp_path, "net = nn.ReLU()", "net")
    assert (loaded.synthetic, loaded.needs_input) == (False, True)
    given = with_inputs(loaded, (SyntheticInput((2, 3)),))
    assert (given.synthetic, given.needs_input) == (True, False)
    assert given.workload.inputs[0].shape == (2, 3)
    assert given.workload.model is loaded.workload.model


def test_that_given_inputs_win_over_guessed_and_own_ones(tmp_path: Path) -> None:
    asked = SyntheticInput((7, 4))
    assert load(tmp_path, NET, "Net", asked).workload.inputs[0].shape == (7, 4)
    code = "workload = Workload(nn.Linear(4, 1), torch.ones(4), targets=3, loss=nn.MSELoss())"
    loaded = load(tmp_path, code, "workload", asked)
    assert loaded.synthetic
    assert loaded.workload.inputs[0].shape == (7, 4)
    assert loaded.workload.targets == 3
    assert isinstance(loaded.workload.loss, nn.MSELoss)


def test_that_inputs_that_cannot_be_made_are_bad_input(tmp_path: Path) -> None:
    file = write(tmp_path, NET)
    assert failure(FileSource(str(file), "Net"), SyntheticInput((1,), "none")).kind is FailureKind.BAD_INPUT


# -- files ----------------------------------------------------------------------------------------------------------


def test_that_a_file_is_run_anew_each_time_and_leaves_no_cache(tmp_path: Path) -> None:
    first = load(tmp_path, "net = nn.Linear(1, 1)", "net")
    second = load(tmp_path, "net = nn.Linear(2, 1)", "net")  # as many bytes, within the same second
    assert [loaded.workload.model.in_features for loaded in (first, second)] == [1, 2]
    assert list(tmp_path.iterdir()) == [tmp_path / "their_model.py"]


def test_that_a_file_can_import_its_siblings_and_they_it(tmp_path: Path) -> None:
    write(tmp_path, "WIDTH = 5\ndef check():\n    import their_model\n    return their_model.MARK", "their_sizes.py")
    code = "import their_sizes\nMARK = 'here'\ndef net():\n    assert their_sizes.check() is MARK\n"
    loaded = load(tmp_path, code + "    return nn.Linear(their_sizes.WIDTH, 1)", "net")
    assert loaded.workload.model.in_features == 5


def test_that_the_main_part_of_a_file_does_not_run(tmp_path: Path) -> None:
    assert load(tmp_path, "net = nn.Linear(1, 1)\nif __name__ == '__main__':\n    raise RuntimeError", "net")


@pytest.mark.parametrize("name", ["queue.py", "torch.py", "my-model.v2.py"])
def test_that_a_file_may_have_any_name_and_hides_no_module(tmp_path: Path, name: str) -> None:
    file = write(tmp_path, "net = nn.Linear(1, 1)", name)
    import queue  # noqa: PLC0415 - what must stay what it was

    assert isinstance(load_source(FileSource(str(file), "net"), ()).workload.model, nn.Linear)
    assert sys.modules["queue"] is queue
    assert sys.modules["torch"] is torch


def test_that_data_classes_can_be_defined_in_a_file(tmp_path: Path) -> None:
    code = "import dataclasses\n@dataclasses.dataclass\nclass C:\n    width: 'int' = 3\n"
    assert load(tmp_path, code + "net = nn.Linear(C().width, 1)", "net").workload.model.in_features == 3


@pytest.mark.parametrize("name", ["absent.py", "."])
def test_that_a_file_that_is_not_there_is_missing(tmp_path: Path, name: str) -> None:
    path = str(tmp_path / name)
    report = failure(FileSource(path, "net"))
    assert (report.kind, report.values) == (FailureKind.SOURCE_MISSING, {"source": path})


def test_that_a_missing_name_comes_with_near_ones(tmp_path: Path) -> None:
    file = str(write(tmp_path, NET + "def make_net():\n    return Net()"))
    report = failure(FileSource(file, "make_nets"))
    assert report.kind is FailureKind.ATTRIBUTE_MISSING
    assert report.values == {"source": file, "attribute": "make_nets", "near": "make_net"}


def test_that_a_name_unlike_any_other_comes_with_those_that_give_a_model(tmp_path: Path) -> None:
    file = str(write(tmp_path, "from torch.nn import GRU\n" + NET + "zoo = Workload(Net(), torch.ones(4))"))
    assert failure(FileSource(file, "xyxyxyxyx")).values["near"] == "zoo, Net"


@pytest.mark.parametrize(
    ("code", "error", "function"),
    [
        ("def workload(:", "SyntaxError", "<module>"),
        ("import no_such_package", "ModuleNotFoundError", "<module>"),
        ("raise SystemExit(3)", "SystemExit", "<module>"),
        ("def workload():\n    return 1 / 0", "ZeroDivisionError", "workload"),
        ("def workload():\n    return Workload(3, 4)", "TypeError", "workload"),
        ("import sys\ndef workload():\n    sys.exit()", "SystemExit", "workload"),
    ],
)
def test_that_code_that_raises_is_reported_with_the_users_frame(
    tmp_path: Path, code: str, error: str, function: str
) -> None:
    file = str(write(tmp_path, code))
    report = failure(FileSource(file, "workload"))
    assert report.kind is FailureKind.SOURCE_RAISED
    assert report.values["source"].startswith(file)
    assert report.exception is not None
    assert report.exception.type == error
    last = [frame for frame in report.exception.frames if frame.user][-1]
    assert (last.file, last.function) == (file, function)
    assert last.text in code


def test_that_a_callable_that_needs_arguments_says_so(tmp_path: Path) -> None:
    report = failure(FileSource(str(write(tmp_path, "def net(width):\n    pass")), "net"))
    assert report.kind is FailureKind.SOURCE_RAISED
    assert report.exception is not None
    assert "missing 1 required positional argument: 'width'" in report.exception.message


@pytest.mark.parametrize(
    ("code", "given"),
    [
        ("net = 3", "an int"),
        ("def net():\n    return {}", "a dict"),
        ("def net():\n    return nn.Linear", "a class Linear"),
    ],
)
def test_that_anything_but_a_model_is_refused_by_its_type(tmp_path: Path, code: str, given: str) -> None:
    report = failure(FileSource(str(write(tmp_path, code)), "net"))
    assert report.kind is FailureKind.SOURCE_TYPE
    assert report.values["given"] == given


def test_that_an_interrupt_while_loading_passes_through(tmp_path: Path) -> None:
    file = write(tmp_path, "raise KeyboardInterrupt")
    with pytest.raises(KeyboardInterrupt):
        load_source(FileSource(str(file), "net"), ())


# -- modules --------------------------------------------------------------------------------------------------------


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "their_package"
    folder.mkdir()
    (folder / "__init__.py").touch()
    monkeypatch.chdir(tmp_path)
    return folder


def test_that_a_module_is_found_from_the_current_folder(package: Path) -> None:
    write(package, NET, "nets.py")
    loaded = load_source(ModuleSource("their_package.nets", "Net"), ())
    assert loaded.title == "their_package.nets:Net"
    assert loaded.synthetic


@pytest.mark.parametrize("name", ["no_such_package", "no_such_package.nets", "their_package.absent", "os.absent"])
def test_that_a_module_that_is_not_there_is_missing(package: Path, name: str) -> None:
    report = failure(ModuleSource(name, "Net"))
    assert (report.kind, report.values) == (FailureKind.SOURCE_MISSING, {"source": name})


@pytest.mark.parametrize("code", ["import no_such_package", "import their_package.absent", "raise SystemExit"])
def test_that_a_module_that_fails_to_import_is_reported_as_raising(package: Path, code: str) -> None:
    write(package, code, "nets.py")
    report = failure(ModuleSource("their_package.nets", "Net"))
    assert report.kind is FailureKind.SOURCE_RAISED
    assert report.exception is not None
    assert report.exception.frames[-1].user


def test_that_a_name_missing_in_a_module_comes_with_near_ones(package: Path) -> None:
    write(package, NET, "nets.py")
    report = failure(ModuleSource("their_package.nets", "Nett"))
    assert report.values == {"source": "their_package.nets", "attribute": "Nett", "near": "Net"}


# -- examples -------------------------------------------------------------------------------------------------------


def test_that_an_unknown_example_comes_with_near_ones() -> None:
    report = failure(ExampleSource("digit"))
    assert (report.kind, report.values) == (FailureKind.UNKNOWN_EXAMPLE, {"name": "digit", "near": "digits"})


def test_that_an_example_has_its_title_and_real_inputs() -> None:
    loaded = load_source(ExampleSource("digits"), ())
    assert loaded.title == "Handwritten digits"
    assert (loaded.synthetic, loaded.needs_input) == (False, False)


def test_that_the_current_folder_is_not_changed_by_loading(tmp_path: Path) -> None:
    before = os.getcwd()  # noqa: PTH109 - as the model sees it
    load(tmp_path, NET, "Net")
    assert os.getcwd() == before  # noqa: PTH109
