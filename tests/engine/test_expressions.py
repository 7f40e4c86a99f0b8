"""Python expressions as conditions: what is refused when it is typed, and what they are true of."""

import weakref

import pytest
import torch
from torch import nn

from hookscope.engine.stepping.expressions import NAMES, NEW_VALUE, ExpressionError, compile_expression

ALL_NAMES = {"tensor": torch.tensor([1.0, 2.0]), "module": nn.Linear(2, 3), "path": "layer1.0", "call": 1, "step": 7}


def refusal(text: str) -> ExpressionError:
    with pytest.raises(ExpressionError) as caught:
        compile_expression(text)
    return caught.value


def failure(text: str, **names: object) -> str:
    expression = compile_expression(text)
    with pytest.raises(ExpressionError) as caught:
        expression.evaluate(**{**ALL_NAMES, **names})
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "message", "column"),
    [
        ("", "the expression is empty", None),
        ("  \n ", "the expression is empty", None),
        ("tensor.abs().max( > 3", "invalid syntax", 19),
        ("(tensor.max() > 3", "'(' was never closed", 1),
        ("tensr.max() > 1", "unknown name `tensr`; did you mean `tensor`?", 1),
        ("step == 3 and modul.training", "unknown name `modul`; did you mean `module`?", 15),
        (
            "'é' in path or os.getcwd()",
            "unknown name `os`; there are tensor, module, path, call, step, torch,",
            16,
        ),
        ("[i for i in range(3)]", "unknown name `range`", 13),
        ("__import__('os')", "unknown name `__import__`", 1),
        ("open('x')", "unknown name `open`", 1),
        ("import os", "nothing can be imported; `torch` and `math` are there already", 1),
        ("from os import path", "nothing can be imported", 1),
        ("step = 3", "`=` stores a value; write `==` to compare", 6),
        ("step += 3", "a condition only looks; this stores a value", 6),
        ("step: int = 3", "a condition only looks; this stores a value", 5),
        ("(found := tensor.max()) > 3", "a condition only looks; `:=` stores a value", 2),
        ("tensor.zero_().any()", "a condition only looks; `zero_` would change something", 1),
        ("torch.relu_(tensor).any()", "a condition only looks; `relu_` would change something", 1),
        ("torch.add(tensor, 1, out=tensor).any()", "a condition only looks; `out=` would change something", 1),
        ("x > 0", "unknown name `x`; did you mean `tensor`?", 1),
        ("path.__class__", "`__class__` cannot be used; names with two underscores are Python's own", 1),
        ("module.__dict__['x'].__class__()", "`__class__` cannot be used", 1),
        ("step is 3", '"is" with a literal', 1),
        ("path == '\\d'", "invalid escape sequence", 9),
        ("(yield)", "'yield' outside function", 2),
        ("await path", "'await' outside function", 1),
        ("(" * 500 + "1" + ")" * 500, "too many nested parentheses", 201),
        ("call\0", "null bytes", None),
    ],
)
def test_that_a_wrong_expression_is_refused_with_what_and_where(text: str, message: str, column: int | None) -> None:
    error = refusal(text)
    assert message in error.message
    if column is None:
        assert str(error) in {error.message, f"{error.message} (column 1)"}  # of null bytes, as Python's version has it
    else:
        assert str(error) == f"{error.message} (column {column})"


def test_that_an_expression_over_several_lines_is_refused_with_its_line() -> None:
    error = refusal("(step == 1\n  or step.__doc__)")
    assert (error.line, error.column) == (2, 6)
    assert str(error).endswith("are Python's own (line 2, column 6)")


def test_that_blanks_around_an_expression_do_not_count() -> None:
    assert refusal("  foo > 1 ").column == 1
    assert compile_expression("  step == 7\n").evaluate(**ALL_NAMES)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("tensor.max() > 1", True),
        ("tensor.sum() == 4", False),
        ("tensor[0]", True),
        ("tensor[:1] - 1", False),
        ("(tensor > 1).any() and not (tensor > 1).all()", True),
        ("path.startswith('layer1') and call == 1 and step > 5", True),
        ("isinstance(module, torch.nn.Linear) and module.in_features == 2", True),
        ("any(value > step for value in tensor)", False),
        ("[n for n in (1, 7) if n == step]", True),
        ("max(tensor, key=lambda value: -value) == 1", True),
        ("math.isclose(float(tensor.mean()), 1.5)", True),
        ("abs(round(sum(tensor.tolist()))) == int('3') == len(str(step)) + min(2, call + 1)", True),
        ("module.weight.grad is None", True),
        ("f'{path}:{call}' == 'layer1.0:1'", True),
        ("None", False),
        ("tensor.tolist()", True),
        ("math.nan", True),
        ("bool(all([]))", True),
    ],
)
def test_that_an_expression_is_as_true_as_its_result(text: str, value: bool) -> None:
    assert compile_expression(text).evaluate(**ALL_NAMES) is value


def test_that_the_names_that_an_expression_uses_are_known() -> None:
    assert compile_expression("path == 'a' and any(step > call for call in (1, 2))").names == {"path", "step", "call"}
    assert compile_expression("torch.is_grad_enabled()").names == frozenset()
    assert compile_expression(" + ".join(f"bool({name})" for name in NAMES)).names == set(NAMES)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float64, torch.int64, torch.bool, torch.complex64], ids=str)
@pytest.mark.parametrize("shape", [(), (1,), (1, 1)], ids=str)
def test_that_a_tensor_of_one_element_counts_as_the_element(dtype: torch.dtype, shape: tuple[int, ...]) -> None:
    expression = compile_expression("tensor")
    assert expression.evaluate(tensor=torch.ones(shape, dtype=dtype))
    assert not expression.evaluate(tensor=torch.zeros(shape, dtype=dtype))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("tensor > 1", "the result is a tensor of shape (2,), neither true nor false: say .any() or .all()"),
        ("tensor[:0]", "the result is a tensor of shape (0,), neither true nor false: say .any() or .all()"),
        ("1 / (step - 7)", "ZeroDivisionError: division by zero"),
        ("tensor.shapes", "AttributeError: 'Tensor' object has no attribute 'shapes'"),
        ("tensor.view(3)", "RuntimeError: shape '[3]' is invalid for input of size 2"),
        ("tensor.numpy() > 0", "ValueError: The truth value of an array with more than one element is ambiguous."),
        ("torch.ones(1, device='meta')", "RuntimeError: Tensor.item() cannot be called on meta tensors"),
    ],
)
def test_that_an_expression_that_raises_says_what(text: str, message: str) -> None:
    assert failure(text).startswith(message)


def test_that_an_exception_without_a_text_is_told_by_its_type() -> None:
    class Silent:
        @property
        def value(self) -> int:
            raise LookupError

    assert failure("module.value", module=Silent()) == "LookupError"


def test_that_no_graph_is_recorded_and_autocast_is_off_meanwhile() -> None:
    weight = torch.ones(2, 2, requires_grad=True)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert compile_expression("(tensor @ tensor).dtype == torch.float32").evaluate(tensor=weight)
        assert not compile_expression("(tensor @ tensor).requires_grad").evaluate(tensor=weight)
        assert (weight @ weight).dtype is torch.bfloat16
    assert torch.is_grad_enabled()


def test_that_nothing_is_kept_of_what_an_expression_was_asked_about() -> None:
    expression = compile_expression("any(value > step for value in tensor)")
    failing = compile_expression("(lambda: tensor.nope)()")
    tensor = torch.ones(3)
    alive = weakref.ref(tensor)
    assert not expression.evaluate(tensor=tensor, step=3)
    try:
        failing.evaluate(tensor=tensor)
    except ExpressionError:
        del tensor
    assert alive() is None


def test_that_the_value_of_an_expression_is_recorded_as_any_other_code() -> None:
    weight = torch.ones(2, 2, requires_grad=True)
    expression = compile_expression("x @ x + step", NEW_VALUE)
    assert expression.names == {"x", "step"}
    value = expression.value(x=weight, step=7)
    assert isinstance(value, torch.Tensor)
    assert value.requires_grad
    with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
        other = expression.value(x=weight, step=7)
    assert isinstance(other, torch.Tensor)
    assert (other.requires_grad, other.dtype) == (False, torch.bfloat16)
