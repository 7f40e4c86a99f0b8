import re

import pytest

from hookscope.figures.failure_words import WORDS, failure_lines, word_failure
from hookscope.protocol.failures import ExceptionInfo, Failure, FailureKind, Frame
from hookscope.protocol.tensors import NamedSpec, TensorSpec


@pytest.mark.parametrize("kind", FailureKind)
def test_that_every_kind_says_what_happened_and_what_to_try(kind: FailureKind) -> None:
    words = WORDS[kind]
    assert words.title
    assert words.advice
    sentences = "".join([words.title, *words.text, *words.advice])
    every_value = dict.fromkeys(re.findall(r"{(\w+)}", sentences), "VALUE")
    text = word_failure(Failure(kind, every_value))
    assert text.advice
    assert "?" not in text.title
    assert "{" not in "".join([text.title, *text.text, *text.advice])


@pytest.mark.parametrize("kind", FailureKind)
def test_that_a_failure_without_its_values_is_still_readable(kind: FailureKind) -> None:
    lines = failure_lines(Failure(kind))
    assert lines[0]
    assert all("{" not in line for line in lines)


def test_that_the_near_names_are_offered_only_when_there_are_any() -> None:
    values = {"name": "digit", "near": "digits"}
    assert "Did you mean digits?" in word_failure(Failure(FailureKind.UNKNOWN_EXAMPLE, values)).advice
    without = word_failure(Failure(FailureKind.UNKNOWN_EXAMPLE, {"name": "digit", "near": ""})).advice
    assert not any("mean" in line for line in without)


def test_that_a_forward_error_names_the_module_its_inputs_and_the_users_own_frames() -> None:
    failure = Failure(
        FailureKind.FORWARD_RAISED,
        module_path="features.3",
        module_class="Conv2d",
        inputs=(NamedSpec("args.0", TensorSpec((2, 3, 8, 8), "float32", "cpu")), NamedSpec("args.1", None, "True")),
        exception=ExceptionInfo(
            "RuntimeError",
            "expected 4 channels",
            (
                Frame("/site-packages/torch/nn/conv.py", 1, "forward", "", user=False),
                Frame("net.py", 7, "forward", "x = self.conv(x)", user=True),
            ),
            "Traceback ...",
        ),
    )
    text = "\n".join(failure_lines(failure))
    assert "features.3 (Conv2d)" in text
    assert "args.0: float32 (2, 3, 8, 8), args.1 = True" in text
    assert "RuntimeError: expected 4 channels" in text
    assert "net.py:7  forward  x = self.conv(x)" in text
    assert "site-packages" not in text


def test_that_values_with_braces_are_shown_as_they_are() -> None:
    assert word_failure(Failure(FailureKind.BAD_INPUT, {"reason": "{0} {x}"})).text == ("{0} {x}",)


def test_that_every_sentence_can_be_translated() -> None:
    failure = Failure(FailureKind.LOSS_NOT_SCALAR, {"shape": "(2, 3)"}, module_path="", module_class="Net")
    text = word_failure(failure, translate=lambda english: f"§{english}")
    assert all(sentence.startswith("§") for sentence in (text.title, *text.text, text.where, *text.advice))
