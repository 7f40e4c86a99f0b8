"""Exceptions in words and frames."""

import linecache
from pathlib import Path

import pytest
import torch

from hookscope.engine.failure_report import (
    MAX_FRAMES,
    FailureError,
    describe_exception,
    failed,
    is_user_file,
    near_names,
    raised,
    type_words,
)
from hookscope.engine.workloads.workload import Workload
from hookscope.protocol.failures import FailureKind


def catch(function: object, *arguments: object) -> BaseException:
    try:
        function(*arguments)  # type: ignore[operator]
    except BaseException as error:
        return error
    raise AssertionError("it raised nothing")


def inner() -> None:
    raise ValueError("three is too many")


def test_that_an_exception_keeps_type_message_and_frames_innermost_last() -> None:
    described = describe_exception(catch(inner))
    assert (described.type, described.message) == ("ValueError", "three is too many")
    assert [frame.function for frame in described.frames] == ["catch", "inner"]
    last = described.frames[-1]
    assert last.file == __file__
    assert last.text == linecache.getline(__file__, last.line).strip() == 'raise ValueError("three is too many")'
    assert last.user
    assert described.traceback.startswith("Traceback (most recent call last)")
    assert described.traceback.endswith("ValueError: three is too many\n")


def test_that_frames_of_torch_and_of_hookscope_are_not_the_users() -> None:
    in_torch = describe_exception(catch(torch.nn.Linear(2, 3), torch.ones(5)))
    assert not in_torch.frames[-1].user
    in_hookscope = describe_exception(catch(Workload, 3, 4))
    assert in_hookscope.frames[0].user
    assert not in_hookscope.frames[-1].user


@pytest.mark.parametrize(
    "file",
    [linecache.__file__, torch.__file__, pytest.__file__, "<frozen importlib._bootstrap>", "<string>"],
)
def test_that_library_files_are_not_the_users(file: str) -> None:
    assert not is_user_file(file)


def test_that_any_other_file_is_the_users(tmp_path: Path) -> None:
    assert is_user_file(str(tmp_path / "model.py"))


def test_that_the_place_of_a_syntax_error_is_the_innermost_frame(tmp_path: Path) -> None:
    file = tmp_path / "model.py"
    described = describe_exception(catch(compile, "x = 1\ndef f(:\n", str(file), "exec"))
    assert described.type == "SyntaxError"
    last = described.frames[-1]
    assert (last.file, last.line, last.text, last.user) == (str(file), 2, "def f(:", True)


def endless() -> None:
    endless()


def test_that_an_endless_recursion_keeps_its_innermost_frames() -> None:
    described = describe_exception(catch(endless))
    assert described.type == "RecursionError"
    assert len(described.frames) == MAX_FRAMES


class RudeError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no")


def test_that_an_exception_without_a_text_is_described_all_the_same() -> None:
    described = describe_exception(catch(lambda: (_ for _ in ()).throw(RudeError())))
    assert described.type.endswith("test_failure_report.RudeError")
    assert described.message == "<its text could not be made>"


def test_that_a_failure_has_its_values_in_its_text() -> None:
    error = failed(FailureKind.UNKNOWN_EXAMPLE, name="digit", near="digits")
    assert isinstance(error, FailureError)
    assert str(error) == "unknown_example (name=digit, near=digits)"
    assert str(failed(FailureKind.NEEDS_INPUT)) == "needs_input"


@pytest.mark.parametrize(
    ("error", "device"),
    [
        (torch.OutOfMemoryError("CUDA out of memory. GPU 1 has a total capacity of 139 GiB"), "cuda:1"),
        (torch.OutOfMemoryError("out"), "cuda"),
        (MemoryError(), "cpu"),
        (RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried to allocate"), "cpu"),
    ],
)
def test_that_exhausted_memory_is_always_reported_as_such(error: Exception, device: str) -> None:
    failure = raised(FailureKind.LOSS_RAISED, error, loss="mse").failure
    assert failure.kind is FailureKind.OUT_OF_MEMORY
    assert failure.values == {"device": device}
    assert failure.exception is not None


def test_that_a_real_allocation_that_is_too_large_is_exhausted_memory() -> None:
    error = catch(torch.empty, 2**44)
    assert isinstance(error, Exception)
    assert raised(FailureKind.FORWARD_RAISED, error).failure.values == {"device": "cpu"}


def test_that_any_other_exception_keeps_its_kind_and_values() -> None:
    failure = raised(FailureKind.LOSS_RAISED, ValueError("x"), loss="mse").failure
    assert (failure.kind, failure.values) == (FailureKind.LOSS_RAISED, {"loss": "mse"})


def test_that_near_names_are_one_text() -> None:
    assert near_names("digit", ["digits", "deep"]) == "digits"
    assert near_names("zzz", ["digits"]) == ""


@pytest.mark.parametrize(
    ("value", "words"), [(None, "None"), ({}, "a dict"), (3, "an int"), (int, "a class int"), (inner, "a function")]
)
def test_that_a_value_is_named_for_a_sentence(value: object, words: str) -> None:
    assert type_words(value) == words
