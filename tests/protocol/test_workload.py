"""What a person types is read as meant, or refused with what to type."""

from pathlib import Path

import pytest

from hookscope.protocol.workload import (
    ExampleSource,
    FileSource,
    ModuleSource,
    SyntheticInput,
    parse_inputs,
    parse_source,
    source_text,
)

HERE = str(Path.cwd())


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("example:digits", ExampleSource("digits")),
        ("  example:digits ", ExampleSource("digits")),
        ("model.py:make", FileSource(f"{HERE}/model.py", "make")),
        ("model.py", FileSource(f"{HERE}/model.py", "workload")),
        ("/data/a b/model.py:make", FileSource("/data/a b/model.py", "make")),
        ("torchvision.models:resnet18", ModuleSource("torchvision.models", "resnet18")),
    ],
)
def test_that_a_source_is_read(text: str, source: object) -> None:
    assert parse_source(text) == source
    assert parse_source(source_text(source)) == source


@pytest.mark.parametrize("text", ["", "digits", "a-b:c", "package.module:", ":name"])
def test_that_what_is_no_source_is_refused_with_what_to_write(text: str) -> None:
    with pytest.raises(ValueError, match="write example:NAME"):
        parse_source(text)


@pytest.mark.parametrize(
    ("text", "inputs"),
    [
        ("1x3x32x32", (SyntheticInput((1, 3, 32, 32)),)),
        ("1, 10", (SyntheticInput((1, 10)),)),
        ("float64(1, 10)", (SyntheticInput((1, 10), "float64"),)),
        ("int64<1000(1, 16); float32(1, 8)", (SyntheticInput((1, 16), "int64", 1000), SyntheticInput((1, 8)))),
        ("5", (SyntheticInput((5,)),)),
    ],
)
def test_that_made_up_inputs_are_read(text: str, inputs: tuple[SyntheticInput, ...]) -> None:
    assert parse_inputs(text) == inputs


@pytest.mark.parametrize("text", ["", ";", "abc", "1x-3", "float32()", "1x3;;oops"])
def test_that_what_is_no_input_is_refused_with_the_form(text: str) -> None:
    with pytest.raises(ValueError, match="write for example"):
        parse_inputs(text)
