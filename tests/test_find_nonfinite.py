"""`--find-nonfinite`: the producer on stdout, and an exit status for scripts."""

import subprocess
import sys


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "hookscope", *arguments], capture_output=True, text=True, timeout=120, check=False
    )


def test_that_the_producer_is_printed_with_status_1():
    ended = run("example:broken_nan", "--find-nonfinite", "--headless", "--steps", "2")
    assert ended.returncode == 1, ended.stderr
    assert "step 1" in ended.stdout
    assert "born in backward, in distances" in ended.stdout
    assert "sqrt:0" in ended.stdout
    assert "broken_nan.py:" in ended.stdout


def test_that_a_healthy_model_ends_with_status_0():
    ended = run("example:one_layer", "--find-nonfinite", "--headless")
    assert (ended.returncode, ended.stdout) == (0, "all finite in 1 steps\n")


def test_that_a_model_that_cannot_be_loaded_ends_with_status_2():
    ended = run("tests/no_such_file.py:model", "--find-nonfinite", "--headless")
    assert ended.returncode == 2
    assert "no_such_file.py" in ended.stderr


def test_that_it_needs_a_model():
    ended = run("--find-nonfinite", "--headless")
    assert ended.returncode == 2
    assert "needs a MODEL" in ended.stderr
