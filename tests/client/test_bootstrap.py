"""The script that starts the debuggee in whatever interpreter there is."""

import subprocess
import sys
from pathlib import Path

import pytest

from hookscope.client.launcher import BOOTSTRAP

WORKER = """
import runpy, sys
sys.path[0] = {folder!r}
runpy.run_path({bootstrap!r}, run_name="__mp_main__")
import hookscope
print(hookscope.__file__)
print([entry for entry in sys.path if entry.startswith({package!r})])
"""


def test_that_an_interpreter_without_the_packages_says_which_and_how_to_get_them() -> None:
    done = subprocess.run(
        [sys.executable, "-S", "-u", str(BOOTSTRAP), "nowhere"], input="", capture_output=True, text=True, check=False
    )
    assert done.returncode == 3
    for name in ("msgspec", "numpy", "torch"):
        assert f"{name} is missing; install it with: {sys.executable} -m pip install {name}" in done.stderr


def test_that_a_package_that_is_there_and_broken_is_told_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "msgspec.py").write_text("import needed_by_msgspec\n")
    done = subprocess.run(
        [sys.executable, "-S", "-u", str(BOOTSTRAP), "nowhere"],
        input="",
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,  # where user code is imported from, as in an interactive Python
    )
    assert done.returncode == 1
    assert "No module named 'needed_by_msgspec'" in done.stderr


@pytest.mark.parametrize("flags", [["-S"], ["-S", "-P"]])
def test_that_the_package_beside_the_script_wins_and_nothing_else_of_it_is_on_the_path(
    tmp_path: Path, flags: list[str]
) -> None:
    (tmp_path / "hookscope").mkdir()
    (tmp_path / "hookscope" / "__init__.py").write_text("raise RuntimeError('another hookscope')\n")
    package = BOOTSTRAP.parents[1]
    code = WORKER.format(folder=str(tmp_path), bootstrap=str(BOOTSTRAP), package=str(package.parent))
    done = subprocess.run([sys.executable, *flags, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == [str(package / "__init__.py"), "[]"], done.stderr
