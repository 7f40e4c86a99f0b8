"""Numbers and names for people."""

import math

import pytest

from hookscope.figures.text import (
    format_bytes,
    format_duration,
    format_number,
    format_power,
    format_shape,
    leaf_label,
    slot_label,
)
from hookscope.protocol.identity import Slot, TensorRef


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (1.0, "1"),
        (0.25, "0.25"),
        (-1.23456, "-1.235"),
        (9.99996, "10"),
        (1797.3, "1797"),
        (123456.7, "123457"),
        (999999.4, "999999"),
        (999999.7, "1e6"),
        (1e6, "1e6"),
        (-1250000.0, "-1.25e6"),
        (3.4028234663852886e38, "3.403e38"),
        (1e-4, "0.0001"),
        (0.000123456, "0.0001235"),
        (0.000099999, "0.0001"),
        (0.0000999, "9.99e-5"),
        (5e-324, "4.941e-324"),
        (1.7976931348623157e308, "1.798e308"),
        (math.nan, "NaN"),
        (math.inf, "+Inf"),
        (-math.inf, "-Inf"),
        (0, "0"),
        (1797, "1,797"),
        (-(2**64), "-18,446,744,073,709,551,616"),
    ],
)
def test_that_numbers_have_four_digits_and_integers_all(value: float, text: str) -> None:
    assert format_number(value) == text


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 B"),
        (1023, "1023 B"),
        (1024, "1.0 KiB"),
        (1536, "1.5 KiB"),
        (1024**2 - 1, "1.0 MiB"),
        (24 * 1024**2, "24.0 MiB"),
        (5 * 1024**3, "5.0 GiB"),
        (2**70, "1048576.0 PiB"),
    ],
)
def test_that_sizes_have_binary_units(size: int, text: str) -> None:
    assert format_bytes(size) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0, "0 µs"),
        (0.00085, "850 µs"),
        (0.0009999, "1.0 ms"),
        (0.01234, "12.3 ms"),
        (0.99996, "1.00 s"),
        (1.236, "1.24 s"),
        (59.999, "1 min 00 s"),
        (125.0, "2 min 05 s"),
        (3599.7, "1 h 00 min"),
        (3725.0, "1 h 02 min"),
    ],
)
def test_that_durations_have_the_unit_that_suits_them(seconds: float, text: str) -> None:
    assert format_duration(seconds) == text


def test_that_shapes_are_written_with_crosses() -> None:
    assert format_shape((16, 32, 8, 8)) == "16 × 32 × 8 × 8"
    assert format_shape((0,)) == "0"
    assert format_shape(()) == "scalar"


@pytest.mark.parametrize(
    ("leaf", "label"),
    [
        ("args.0", "0"),
        ("args.0.1", "0.1"),
        ("kwargs.mask", "mask"),
        ("out", ""),
        ("out.logits", "logits"),
        ("weight", "weight"),
        ("outer", "outer"),
    ],
)
def test_that_leaves_are_shortened(leaf: str, label: str) -> None:
    assert leaf_label(leaf) == label


@pytest.mark.parametrize(
    ("slot", "leaf", "call", "label"),
    [
        (Slot.OUTPUT, "out", 0, "output"),
        (Slot.OUTPUT, "out.logits", 0, "output logits"),
        (Slot.INPUT, "args.0", 0, "input 0"),
        (Slot.GRAD_INPUT, "args.0", 0, "grad_input 0"),
        (Slot.GRAD_OUTPUT, "out", 2, "grad_output, call 2"),
        (Slot.PARAMETER, "weight", 0, "weight"),
        (Slot.PARAMETER, "out", 0, "out"),
        (Slot.PARAMETER_GRAD, "weight", 0, "weight grad"),
    ],
)
def test_that_slots_are_named_in_words_of_pytorch(slot: Slot, leaf: str, call: int, label: str) -> None:
    assert slot_label(TensorRef("layer1.0", slot, leaf, call)) == label


def test_that_tensors_of_an_operation_begin_with_its_name() -> None:
    of_operation = TensorRef("", Slot.GRAD_OUTPUT, "out", 2, "add:1")
    assert slot_label(of_operation) == "add:1 grad_output, call 2"


@pytest.mark.parametrize(
    ("exponent", "text"),
    [(0.0, "1"), (-3.0, "0.001"), (6.0, "1e6"), (0.5, "3.162"), (450.0, "1e450"), (-320.5, "3.162e-321")],
)
def test_that_powers_of_ten_are_written_also_beyond_what_a_float_holds(exponent: float, text: str) -> None:
    assert format_power(exponent) == text
