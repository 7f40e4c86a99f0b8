"""Written scripts against the engine: the same values, gradients and losses, without hookscope."""

from collections.abc import Callable
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
import torch
from torch import nn

import hookscope
from hookscope.client.script_changes import CHANGES
from hookscope.client.script_operations import PROPERTIES, operator_names
from hookscope.client.script_writer import write_script
from hookscope.engine.intervening.changes import Moment, compile_change
from hookscope.engine.operations.operation_names import operation_name
from hookscope.protocol import tensor_changes as kinds
from hookscope.protocol.identity import Slot
from hookscope.protocol.interventions import Channels, Heads, Index, Intervention, MagnitudeAbove, Selection, Span
from hookscope.protocol.tensors import Array
from tests.client.written_scripts import PLACES, Outer, X, as_in_scripts, loaded

SHAPE = (2, 4, 6)
VALUES = np.linspace(-3, 3, 48, dtype=np.float32).reshape(SHAPE)

EVERY_CHANGE: list[kinds.Change] = [
    kinds.Zero(),
    kinds.Scale(-0.3),
    kinds.Scale(float("nan")),
    kinds.Add(2.0),
    kinds.Clamp(None, 0.5),
    kinds.Clamp(-0.25, float("inf")),
    kinds.ClipNorm(0.5),
    kinds.ClipNorm(1e6),
    kinds.Noise(0.3, 7),
    kinds.Constant(1.5),
    kinds.Constant(-0.0),
    kinds.Mean(1),
    kinds.Mean(-1),
    kinds.Replace(Array.of(VALUES)),
    kinds.Replace(Array.of(np.array(2.5, dtype=">f8"))),
    kinds.FromFile("values.npy"),
    kinds.FromFile("values.pt"),
    kinds.FromStep(3),
    kinds.Shuffle(3, 1),
    kinds.NanTo(0.5, infinities=True),
    kinds.NanTo(float("-inf")),
    kinds.Flip(),
    kinds.StopGradient(),
    kinds.Expression("x * 0.5 + x.mean() + call * math.pi"),
    kinds.Expression("torch.where(  # a remark\n x > 0, x, x * len(path))"),
    kinds.StraightThrough(kinds.Constant(3.0)),
    kinds.StraightThrough(kinds.Replace(Array.of(VALUES))),
]

EVERY_SELECTION: list[Selection | None] = [
    None,
    Index((1, Span(1, None, 2))),
    Index((-1,)),
    Channels((0, 2, 0)),
    Channels((1,), dim=-2),
    Heads((2, 0), 3),
    MagnitudeAbove(0.5),
]


@pytest.fixture(autouse=True)
def temporary_files() -> None:
    """Nothing here starts a debuggee; checkpointing makes a folder for compiled code."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    np.save(tmp_path / "values.npy", VALUES.astype(">f8"))
    torch.save(torch.from_numpy(VALUES), tmp_path / "values.pt")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_that_every_kind_of_change_is_written_and_tested() -> None:
    plain, straight = get_args(kinds.Change)[:-1], get_args(kinds.Change)[-1]
    assert set(CHANGES) == {*plain, straight} == {type(change) for change in EVERY_CHANGE}


@pytest.mark.parametrize("change", EVERY_CHANGE, ids=str)
def test_that_a_change_gives_what_the_engine_gives(folder: Path, change: kinds.Change) -> None:
    values = torch.randn(SHAPE, generator=torch.Generator().manual_seed(0))
    values[0, 0, :2] = torch.tensor([float("nan"), float("inf")]) if isinstance(change, kinds.NanTo) else 1.0
    for where in EVERY_SELECTION:
        one = Intervention(5, "layer.0", Slot.OUTPUT, change, where=where)
        moment = Moment("layer.0", 2, 1, captured=None)
        engines = kinds.Replace(Array.of(VALUES)) if isinstance(change, kinds.FromStep) else change
        x, y = (values.clone().requires_grad_() for _ in range(2))
        expected = compile_change(engines, where, is_gradient=False).apply(x, moment, differentiable=True).tensor
        script = write_script([one], None, arrays={5: Array.of(VALUES)})
        made = loaded(script).change_1
        takes_call = "call" in made.__code__.co_varnames[: made.__code__.co_argcount]
        given = made(y, call=2) if takes_call else made(y)
        torch.testing.assert_close(given, expected, rtol=0, atol=0, equal_nan=True)
        assert given.requires_grad == expected.requires_grad, where
        if expected.requires_grad:
            weights = torch.arange(48.0).reshape(SHAPE)
            for tensor in (expected, given):
                (tensor * weights).nan_to_num(0.0, 0.0, 0.0).sum().backward()
            torch.testing.assert_close(y.grad, x.grad, rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize("dtype", [torch.int64, torch.bfloat16, torch.float64, torch.complex64])
@pytest.mark.parametrize(
    "change", [kinds.Scale(2.0), kinds.Add(1.0), kinds.Constant(3.0), kinds.ClipNorm(1.0)], ids=str
)
def test_that_other_dtypes_stay_what_they_are(dtype: torch.dtype, change: kinds.Change) -> None:
    if dtype is torch.int64 and isinstance(change, kinds.ClipNorm):
        return
    x = torch.arange(6.0).to(dtype)
    expected = compile_change(change, None, is_gradient=False).apply(x, Moment("", 0, 1), differentiable=False).tensor
    made = loaded(write_script([Intervention(1, "", Slot.OUTPUT, change)], None)).change_1
    assert made(x).dtype is dtype
    assert torch.equal(made(x), expected)


def test_that_a_capture_that_cannot_be_taken_along_raises_a_sentence() -> None:
    script = loaded(write_script([Intervention(1, "", Slot.OUTPUT, kinds.FromStep(3))], None))
    with pytest.raises(RuntimeError, match="written without the values of step 3"):
        script.change_1(torch.ones(2))


def test_that_an_expression_that_cannot_be_read_is_refused() -> None:
    with pytest.raises(ValueError, match="cannot be read"):
        write_script([Intervention(1, "", Slot.OUTPUT, kinds.Expression("x +"))], None)


# -- places -------------------------------------------------------------------------------------------------------


def numbers(model: nn.Module, run: Callable[[], torch.Tensor]) -> dict[str, torch.Tensor]:
    loss = run()
    loss.backward()  # type: ignore[no-untyped-call]
    found = {name: parameter.grad for name, parameter in model.named_parameters() if parameter.grad is not None}
    return {"loss": loss.detach(), **found, **{f"{name}.": value for name, value in model.state_dict().items()}}


@pytest.mark.parametrize("checkpointed", [False, True], ids=["plain", "checkpointed"])
@pytest.mark.parametrize("name", PLACES)
def test_that_a_script_gives_what_the_engine_gives(name: str, checkpointed: bool) -> None:
    interventions = PLACES[name]
    plain, observed, hooked = (Outer(checkpointed=checkpointed) for _ in range(3))
    with hookscope.observe(observed, interventions=as_in_scripts(interventions)):
        expected = numbers(observed, lambda: observed(X))
    script = loaded(write_script(interventions, None))
    handles = script.intervene(hooked)
    loss = hooked(X)
    loss.backward()
    for handle in handles:
        handle.remove()
    given = numbers(hooked, lambda: loss.detach().requires_grad_())
    assert given.keys() == expected.keys()
    for key in given:
        torch.testing.assert_close(given[key], expected[key], rtol=0, atol=0, msg=key)
    untouched = numbers(plain, lambda: plain(X))
    assert any(not torch.equal(untouched[key], given[key]) for key in given), "the change is without effect"
    assert all(torch.equal(untouched[key], given[key]) for key in given if key.endswith("."))
    for module in hooked.modules():
        assert not module._forward_hooks
        assert not module._forward_pre_hooks


def test_that_calls_are_counted_anew_in_each_step() -> None:
    one = Intervention(1, "inner.linear", Slot.OUTPUT, kinds.Expression("x + step"), call=1)
    model, script = Outer(), loaded(write_script([one], None))
    script.intervene(model)
    plain = Outer()
    before = plain(X)
    plain.inner.linear.register_forward_hook(
        lambda module, args, output, seen=[0]: seen.__setitem__(0, seen[0] + 1) or output + (seen[0] == 2)
    )
    assert torch.equal(model(X), plain(X))
    assert not torch.equal(model(X), before)


def test_that_a_place_that_is_not_there_is_warned_of() -> None:
    model = Outer()
    script = loaded(write_script([Intervention(1, "inner", Slot.OUTPUT, kinds.Zero())], None))
    script.intervene(model)
    with pytest.warns(UserWarning, match=r"a single tensor is not among out\.y, out\.rest\.0"):
        model(X)


def test_that_operators_have_the_names_that_the_engine_gives_them() -> None:
    methods = {name: getattr(torch.Tensor, name) for name in dir(torch.Tensor) if name.startswith("__")}
    named = {
        name: operation_name(method) for name, method in methods.items() if getattr(method, "__name__", "") == name
    }
    operators = {name: operation for name, operation in named.items() if operation not in {None, "setitem"}}
    assert len(operators) > 40
    assert not [name for name, operation in operators.items() if name not in operator_names(operation or "")]
    assert all(operators.get(name, "add") == "add" for name in operator_names("add"))
    assert {operation_name(getattr(torch.Tensor, name).__get__) for name in PROPERTIES} == PROPERTIES
