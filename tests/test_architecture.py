"""The rules of the house, kept by a machine. When the house changes, the tables here change in the same commit."""

import ast
import re
import subprocess
from pathlib import Path

import pytest

from tests.source_tree import ROOT, called_name, imported_names, needs, package_files, parsed, shown

LAYERS = {
    "protocol": {"hookscope.protocol", "numpy", "msgspec"},
    "engine": {"hookscope.engine", "hookscope.protocol", "torch", "numpy", "msgspec"},
    "client": {"hookscope.client", "hookscope.protocol", "numpy", "msgspec"},
    "figures": {"hookscope.figures", "hookscope.protocol", "numpy"},
    "gui": {
        "hookscope.gui",
        "hookscope.client",
        "hookscope.figures",
        "hookscope.protocol",
        "PySide6",
        "pyqtgraph",
        "qtawesome",
        "shiboken6",
        "numpy",
        "msgspec",
    },
}
"""What each layer may import besides the standard library (msgspec: to change a field of a struct, see below)."""

OUTSIDE_THE_LAYERS = {"__init__.py", "__main__.py", "cli.py"}
"""These may import any layer, but only inside functions."""

PUBLIC_NOUNS = {"changes.py"}
"""These only hand on what the protocol declares."""

MAX_LINES = 400
MAX_LINES_OF = {"main_window.py": 250}

BRIDGE = "hookscope/gui/session_bridge.py"
"""The one file that turns what a debuggee says into Qt signals."""

EVENTS = "hookscope.protocol.events"
EVENTS_CARRIED_BY_SIGNALS = {
    "AtHandChanged",
    "Exported",
    "ExportProgress",
    "OverviewReady",
    "StepsCompared",
    "TrialFinished",
    "UnchangedProved",
    "ViewProgress",
    "LogPrinted",
    "NonFiniteSearched",
    "Phase",
    "RunEnd",
    "SourceReady",
    "StackReady",
    "StepFinished",
    "StepProgress",
    "Stopped",
    "ViewReady",
}
"""The other files of the window may name these: a signal of the bridge or a property of the session carries them."""

HOOK_FILE = "hookscope/engine/capture/hooks.py"
"""The one file that puts hooks on modules, tensors and graph nodes."""

RUN_THE_USERS_CODE = {"hookscope/engine/workloads/sources/file.py", "hookscope/engine/stepping/expressions.py"}
"""The one file that runs text, which is what opening a Python file means."""


def layer_violations(layer: str, tree: ast.AST) -> list[str]:
    return [
        f"line {line}: {layer} imports {need}"
        for line, module, names in imported_names(tree)
        for need in sorted(needs(module, names) - LAYERS[layer])
    ]


@pytest.mark.parametrize("layer", LAYERS)
def test_that_a_layer_imports_only_what_it_may(layer: str) -> None:
    files = package_files(layer)
    assert files, f"the layer {layer} has no files"
    assert not [f"{shown(file)} {text}" for file in files for text in layer_violations(layer, parsed(file))]


def test_that_every_file_belongs_to_a_layer() -> None:
    tops = {file.relative_to(ROOT / "hookscope").parts[0] for file in package_files()}
    assert tops == OUTSIDE_THE_LAYERS | PUBLIC_NOUNS | LAYERS.keys()


@pytest.mark.parametrize(
    ("layer", "source"),
    [
        ("gui", "import torch"),
        ("gui", "def later():\n    from hookscope.engine.workloads.workload import Workload"),
        ("gui", "from hookscope import engine"),
        ("engine", "if TYPE_CHECKING:\n    from hookscope.gui.app import run_window"),
        ("engine", "import importlib\nimportlib.import_module('PySide6.QtCore')"),
        ("client", "import numpy, PySide6.QtCore"),
        ("protocol", "from hookscope.client.session import DebugSession"),
        ("figures", "from . import levels"),
    ],
)
def test_that_a_forbidden_import_is_seen_wherever_it_stands(layer: str, source: str) -> None:
    assert layer_violations(layer, ast.parse(source))


def test_that_what_stands_outside_the_layers_loads_only_the_standard_library_at_first() -> None:
    for name in OUTSIDE_THE_LAYERS:
        tree = parsed(ROOT / "hookscope" / name)
        guarded = [node for node in tree.body if not isinstance(node, ast.If)]
        top_level = [node for node in guarded if isinstance(node, ast.Import | ast.ImportFrom)]
        found = [
            need for node in top_level for _, module, names in imported_names(node) for need in needs(module, names)
        ]
        assert set(found) <= {"hookscope.cli"}, name


def test_that_public_nouns_need_nothing_but_the_protocol() -> None:
    for name in PUBLIC_NOUNS:
        tree = parsed(ROOT / "hookscope" / name)
        found = {need for _, module, names in imported_names(tree) for need in needs(module, names)}
        assert found == {"hookscope.protocol"}, name


def test_that_no_file_is_too_long() -> None:
    files = [*package_files(), *(ROOT / "tests").rglob("*.py"), *(ROOT / "scripts").rglob("*.py")]
    lengths = {shown(file): len(file.read_text(encoding="utf-8").splitlines()) for file in files}
    limits = {name: MAX_LINES_OF.get(Path(name).name, MAX_LINES) for name in lengths}
    assert not {name: length for name, length in lengths.items() if length > limits[name]}


def test_that_only_the_bridge_listens_to_the_debuggee() -> None:
    found = []
    for file in package_files("gui"):
        if shown(file) == BRIDGE:
            continue
        for line, module, names in imported_names(parsed(file)):
            whole_module = module == "hookscope.protocol" and "events" in names
            if whole_module or (module == EVENTS and not set(names) <= EVENTS_CARRIED_BY_SIGNALS):
                found.append(f"{shown(file)}:{line} imports {names}")
        calls = (node for node in ast.walk(parsed(file)) if isinstance(node, ast.Call))
        found += [f"{shown(file)}:{call.lineno} drains the session" for call in calls if called_name(call) == "drain"]
    assert not found


def test_that_hooks_are_registered_in_one_file() -> None:
    pattern = re.compile(r"register_(\w+_)?(pre)?hook")
    found = {
        shown(file)
        for file in package_files()
        for node in ast.walk(parsed(file))
        if isinstance(node, ast.Attribute) and pattern.fullmatch(node.attr)
    }
    assert found == {HOOK_FILE}


def test_that_one_file_puts_structs_on_the_wire_and_takes_them_off() -> None:
    found = {
        shown(file)
        for file in package_files()
        for node in ast.walk(parsed(file))
        if isinstance(node, ast.Attribute)
        and node.attr in {"msgpack", "json", "yaml", "toml"}
        and isinstance(node.value, ast.Name)
        and node.value.id == "msgspec"
    }
    assert found == {"hookscope/protocol/wire.py"}


def test_that_nothing_is_unpickled_and_only_the_users_code_is_run() -> None:
    found = []
    for file in package_files():
        modules = {module.partition(".")[0] for _, module, _ in imported_names(parsed(file))}
        found += [f"{shown(file)} imports {name}" for name in modules & {"pickle", "marshal", "shelve", "dill"}]
        for node in ast.walk(parsed(file)):
            match node:
                case ast.Call(func=ast.Name(id="eval" | "exec")) if shown(file) not in RUN_THE_USERS_CODE:
                    found.append(f"{shown(file)}:{node.lineno} evaluates text")
                case ast.Call(func=ast.Attribute(value=ast.Name(id="torch"), attr="load")) if not any(
                    keyword.arg == "weights_only" and ast.unparse(keyword.value) == "True" for keyword in node.keywords
                ):
                    found.append(f"{shown(file)}:{node.lineno} loads more than weights")
    assert not found


def test_that_no_dialog_is_run_modally() -> None:
    """A nested event loop cannot be tested and lets anything happen inside it; `open()` does the same without one."""
    found = [
        f"{shown(file)}:{node.lineno}"
        for file in package_files("gui")
        for node in ast.walk(parsed(file))
        if isinstance(node, ast.Call) and called_name(node) in {"exec", "exec_"}
    ]
    assert [place for place in found if not place.startswith("hookscope/gui/app.py")] == []
    assert len(found) == 1, "the application's own loop, once"


def test_that_slots_keep_nothing_alive_and_timers_have_an_owner() -> None:
    found = []
    for file in package_files("gui"):
        for node in ast.walk(parsed(file)):
            if not isinstance(node, ast.Call):
                continue
            name = called_name(node)
            arguments = [*node.args, *(keyword.value for keyword in node.keywords)]
            if name == "connect" and any(
                isinstance(argument, ast.Lambda)
                or (isinstance(argument, ast.Call) and called_name(argument) == "partial")
                for argument in arguments
            ):
                found.append(f"{shown(file)}:{node.lineno} connects a lambda or a partial")
            elif name == "QTimer" and not arguments:
                found.append(f"{shown(file)}:{node.lineno} makes a timer without a parent")
            elif name == "QThread":
                found.append(f"{shown(file)}:{node.lineno} makes a QThread; the client's threads are enough")
    assert not found


def test_that_no_file_knows_the_machine_it_was_written_on() -> None:
    # In parts, so that this file does not find itself.
    pattern = re.compile(
        "|".join(["/ro" + "ot/", "/ho" + r"me/\w", "/Us" + r"ers/\w", "/wo" + "rk/", r"\.\./sha" + "red"])
    )
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode != 0:
        pytest.skip("not a git checkout")
    found = []
    for name in listed.stdout.splitlines():
        file = ROOT / name
        if file.is_file() and file.suffix not in {".png", ".pt", ".npz", ".npy"}:
            lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
            found += [f"{name}:{number}" for number, line in enumerate(lines, 1) if pattern.search(line)]
    assert not found
