"""The engine without a window: `hookscope.observe` from a script's side."""

import gc
import threading
import weakref

import pytest
import torch
from torch import nn

import hookscope
from tests.engine.acceptance.seeing import TWO, absence, arrived, badges, leaf_tensor, linear, value

HOOKS = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks", "_forward_hooks_with_kwargs")


def hooks_on(model):
    return [list(getattr(module, name)) for module in model.modules() for name in HOOKS] + [
        (parameter._backward_hooks, parameter._post_accumulate_grad_hooks) for parameter in model.parameters()
    ]


def two_layers():
    return nn.Sequential(linear(TWO), linear(TWO))


def test_that_records_say_what_came_by_in_the_order_in_which_it_did():
    model = linear(TWO)
    with hookscope.observe(model) as seen:
        model(leaf_tensor([[1, 1]])).sum().backward()
    records = seen.records()
    assert [(r.slot, r.leaf) for r in records] == [
        ("parameter", "weight"),
        ("input", "args.0"),
        ("output", "out"),
        ("grad_output", "out"),
        ("grad_input", "args.0"),
        ("parameter_grad", "weight"),
    ]
    first, last = records[1], records[-1]
    assert (first.path, first.call, first.shape, first.dtype, first.device) == ("", 0, (1, 2), "float32", "cpu")
    assert (last.shape, last.badges, last.remarks) == ((2, 2), (), ())
    assert type(first.slot) is str
    assert [r.order for r in records] == sorted({r.order for r in records})


def test_that_a_value_is_a_copy_of_ones_own():
    model = linear(TWO)
    with hookscope.observe(model) as seen:
        model(torch.ones(1, 2)).sum().backward()
    seen.tensor("", "output").zero_()
    seen.tensor("", "parameter").zero_()
    assert value(seen, "", "output") == [[2, 2]]
    assert not seen.tensor("", "output").requires_grad
    assert model.weight.tolist() == TWO


def test_that_nothing_of_ours_is_left_on_the_model():
    model = two_layers()
    before = hooks_on(model)
    with hookscope.observe(model) as seen:
        assert hooks_on(model) != before
        model(torch.ones(1, 2)).sum().backward()
    assert hooks_on(model) == before
    count = len(seen.records())
    model(torch.ones(1, 2)).sum().backward()
    assert len(seen.records()) == count


class Failing(nn.Module):
    def forward(self, x):
        raise ValueError("not today")


def test_that_an_exception_passes_and_what_was_seen_before_it_stays():
    model = nn.Sequential(linear(TWO), Failing(), linear(TWO))
    before = hooks_on(model)
    seen = hookscope.observe(model)
    with pytest.raises(ValueError, match="not today"), seen:
        model(torch.ones(1, 2))
    assert hooks_on(model) == before
    assert value(seen, "0", "output") == [[2, 2]]
    assert value(seen, "1", "input") == [[2, 2]]
    assert badges(seen, "1", "output") == ("raised",)
    assert "ValueError: not today" in absence(seen, "1", "output")
    assert "ValueError: not today" in absence(seen, "1", "grad_output")
    assert "when the block ended" in absence(seen, "2", "output")


def test_that_an_exception_in_backward_passes_too():
    class NoWayBack(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, gradient):
            raise RuntimeError("no way back")

    model = two_layers()
    before = hooks_on(model)
    seen = hookscope.observe(model)
    with pytest.raises(RuntimeError, match="no way back"), seen:
        model[1](NoWayBack.apply(model[0](torch.ones(1, 2)))).sum().backward()
    assert hooks_on(model) == before
    assert value(seen, "1", "grad_output") == [[1, 1]]
    assert arrived(seen, "0", "grad_output") == []


def test_that_calls_are_counted_over_several_forward_passes():
    model = linear(TWO)
    with hookscope.observe(model) as seen:
        for number in range(3):
            (model(torch.full((1, 2), float(number))).sum() * (number + 1)).backward()
    assert [value(seen, "", "input", call=call) for call in range(3)] == [[[0, 0]], [[1, 1]], [[2, 2]]]
    assert [value(seen, "", "grad_output", call=call) for call in range(3)] == [[[1, 1]], [[2, 2]], [[3, 3]]]
    assert len(arrived(seen, "", "parameter_grad")) == 3
    assert torch.equal(seen.tensor("", "parameter_grad"), model.weight.grad)
    assert "called 3 times" in absence(seen, "", "output", call=3)


def test_that_of_several_backward_passes_all_are_recorded_and_the_newest_is_given():
    model = linear(TWO)
    with hookscope.observe(model) as seen:
        out = model(leaf_tensor([[1, 1]])).sum()
        out.backward(retain_graph=True)
        (10 * out).backward()
    records = [r for r in seen.records() if r.slot == "grad_input"]
    assert [(r.call, r.badges) for r in records] == [(0, ()), (0, ("later_pass",))]
    assert value(seen, "", "grad_output") == [[10, 10]]
    assert value(seen, "", "grad_input") == [[20, 20]]


def test_that_a_pass_that_reaches_one_output_does_not_take_the_gradient_of_the_other():
    class Both(nn.Module):
        def forward(self, x):
            return 2 * x, 3 * x

    model = Both()
    with hookscope.observe(model) as seen:
        one, other = model(leaf_tensor([1]))
        one.sum().backward(retain_graph=True)
        (5 * other).sum().backward()
    assert value(seen, "", "grad_output", "out.0") == [1]
    assert value(seen, "", "grad_output", "out.1") == [5]
    assert value(seen, "", "grad_input") == [15]


def test_that_a_sum_of_shares_is_one_record():
    class Twice(nn.Module):
        def forward(self, x):
            return 2 * x + x * x

    model = Twice()
    with hookscope.observe(model) as seen:
        model(leaf_tensor([3])).sum().backward()
    assert len([r for r in seen.records() if r.slot == "grad_input"]) == 1
    assert value(seen, "", "grad_input") == [8]


def test_that_one_tensor_given_twice_is_found_under_both_places():
    class Product(nn.Module):
        def forward(self, q, k):
            return q * k

    model, x = Product(), leaf_tensor([3])
    with hookscope.observe(model) as seen:
        model(x, x).sum().backward()
    record = next(r for r in seen.records() if r.slot == "grad_input")
    assert (record.leaf, record.same_as) == ("args.0", ("args.1",))
    assert value(seen, "", "grad_input", "args.1") == [6]


def test_that_parameters_are_those_that_the_block_began_with():
    model = linear(TWO)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    with hookscope.observe(model) as seen:
        model(torch.ones(1, 2)).sum().backward()
        optimizer.step()
        with torch.no_grad():
            model.weight.zero_()
    assert value(seen, "", "parameter") == TWO


def test_that_values_can_be_read_within_the_block():
    model = linear(TWO)
    with hookscope.observe(model) as seen:
        loss = model(torch.ones(1, 2)).sum()
        assert value(seen, "", "output") == [[2, 2]]
        assert "no backward pass has run" in absence(seen, "", "grad_output")
        loss.backward()
        assert value(seen, "", "grad_output") == [[1, 1]]


def test_that_what_was_seen_does_not_keep_the_model_alive():
    model = two_layers()
    with hookscope.observe(model) as seen:
        model(torch.ones(1, 2)).sum().backward()
    reference = weakref.ref(model[0].weight)
    del model
    gc.collect()
    assert reference() is None
    assert value(seen, "0", "parameter") == TWO


def test_that_an_observation_is_entered_once():
    seen = hookscope.observe(linear(TWO))
    with seen:
        pass
    with pytest.raises(RuntimeError, match="entered once"), seen:
        pass


@pytest.mark.parametrize("outer_first", [True, False])
def test_that_two_observations_of_one_model_do_not_know_of_each_other(outer_first):
    model = two_layers()
    before = hooks_on(model)
    outer, inner = hookscope.observe(model), hookscope.observe(model, "1")
    outer.__enter__()
    model(torch.ones(1, 2)).sum().backward()
    inner.__enter__()
    model(torch.full((1, 2), 3.0)).sum().backward()
    for one in (outer, inner) if outer_first else (inner, outer):
        one.__exit__(None, None, None)
    assert hooks_on(model) == before
    assert [value(outer, "1", "input", call=call) for call in range(2)] == [[[2, 2]], [[6, 6]]]
    assert value(inner, "1", "input") == [[6, 6]]
    assert value(inner, "1", "grad_output") == [[1, 1]]
    assert {record.path for record in inner.records()} == {"1"}


def test_that_calls_from_several_threads_are_told_apart():
    model = linear(TWO)
    with hookscope.observe(model) as seen:
        threads = [
            threading.Thread(target=lambda n=n: model(torch.full((1, 2), float(n))).sum().backward()) for n in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    inputs = [value(seen, "", "input", call=call)[0][0] for call in range(4)]
    assert sorted(inputs) == [0, 1, 2, 3]
    assert [value(seen, "", "output", call=call)[0][0] for call in range(4)] == [2 * number for number in inputs]


def test_that_beyond_the_budget_there_are_records_without_values():
    model = nn.Linear(100, 100)
    with hookscope.observe(model, budget_bytes=1000) as seen:
        model(torch.ones(10, 100)).sum().backward()
    record = next(r for r in seen.records() if r.slot == "output")
    assert (record.shape, record.badges) == ((10, 100), ("over_budget",))
    assert "no memory left" in absence(seen, "", "output")
    assert "no memory left" in absence(seen, "", "parameter", "weight")


def test_that_a_lazy_module_is_observed_in_its_first_call():
    model = nn.Sequential(nn.LazyLinear(3))
    with hookscope.observe(model) as seen:
        model(torch.ones(1, 5)).sum().backward()
    assert seen.tensor("0", "input").shape == (1, 5)
    assert seen.tensor("0", "parameter_grad", leaf="weight").shape == (3, 5)


def test_that_values_of_inference_mode_are_ordinary_tensors():
    model = linear(TWO)
    with hookscope.observe(model) as seen, torch.inference_mode():
        model(torch.ones(1, 2))
    output = seen.tensor("", "output")
    assert not output.is_inference()
    output.requires_grad_().sum().backward()
    assert "torch.no_grad" in absence(seen, "", "grad_output")


@pytest.mark.parametrize("backward", ["exact", "native", "alias", "legacy"])
def test_that_every_way_to_capture_gradients_leaves_nothing_on_the_model(backward):
    model = nn.Sequential(linear(TWO), nn.Sigmoid(), linear(TWO))
    before = hooks_on(model), [module._is_full_backward_hook for module in model.modules()]
    with hookscope.observe(model, backward=backward) as seen:
        model(leaf_tensor([[0, 0]])).sum().backward()
    assert (hooks_on(model), [module._is_full_backward_hook for module in model.modules()]) == before
    assert value(seen, "1", "grad_output") == [[2, 2]]
    assert value(seen, "1", "grad_input") == [[0.5, 0.5]]


def test_that_a_refused_way_to_capture_gradients_is_said_and_replaced_by_the_exact_one():
    model = nn.Sequential(linear(TWO), nn.ReLU(inplace=True))
    with hookscope.observe(model, "1", backward="native") as seen:
        model(leaf_tensor([[1, 1]])).sum().backward()
    assert "native_refused" in badges(seen, "1", "grad_output")
    assert value(seen, "1", "grad_output") == [[1, 1]]


def test_that_a_compiled_model_says_so_and_is_seen_when_it_runs_eagerly():
    model = torch.compile(two_layers(), backend="eager")
    model(torch.ones(1, 2)).sum().backward()
    with hookscope.observe(model) as blind:
        model(torch.ones(1, 2)).sum().backward()
    assert {(r.path, r.badges) for r in blind.records() if r.slot == "output"} == {
        (path, ("compiled",)) for path in ("", "0", "1")
    }
    assert "without its hooks" in absence(blind, "0", "output")
    with torch.compiler.set_stance("force_eager"), hookscope.observe(model) as seen:
        model(torch.ones(1, 2)).sum().backward()
    assert [value(seen, path, "output") for path in ("0", "1", "")] == [[[2, 2]], [[4, 4]], [[4, 4]]]
    assert {r.path for r in seen.records() if r.slot == "grad_output"} == {"", "0", "1"}


def test_that_the_names_of_the_package_are_there_without_importing_anything():
    assert {"observe", "NotCaptured", "Workload"} <= set(hookscope.__all__)
    with pytest.raises(AttributeError, match="observed"):
        hookscope.observed  # noqa: B018
