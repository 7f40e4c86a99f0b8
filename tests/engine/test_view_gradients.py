"""Gradients of outputs that are views and were modified in place: cut out of the base's, wherever the view lies."""

import pytest
import torch
from torch import nn

import hookscope
from tests.engine.acceptance.seeing import badges, leaf_tensor, value


class Viewing(nn.Module):
    """Returns a view of what it computes."""

    def __init__(self, view):
        super().__init__()
        self.view = view

    def forward(self, x):
        return self.view(x)


WEIGHTS = torch.arange(1.0, 7).reshape(2, 3)


@pytest.mark.parametrize(
    "view",
    [
        lambda x: (x * 1).view(2, 3),
        lambda x: (x * 1).T.T,
        lambda x: (x.T * 1).T,
        lambda x: (x.T.contiguous() * 1).T,
        lambda x: (torch.cat([x, x], 1) * 1)[:, 3:],
        lambda x: (torch.cat([x, x], 1).T * 1).T[:, 3:],
        lambda x: torch.complex(x, x).real,
        lambda x: torch.complex(x, 2 * x).imag,
        lambda x: torch.view_as_real(torch.complex(x, x) * 1)[..., 0],
    ],
    ids=["whole", "transposed", "strided base", "transposed base", "slice", "strided slice", "real", "imag", "parts"],
)
def test_that_the_gradient_of_a_modified_view_is_that_of_its_place_in_the_base(view):
    x, model = leaf_tensor(torch.ones(2, 3).tolist()), Viewing(view)
    with hookscope.observe(model) as seen:
        (model(x).mul_(10) * WEIGHTS).sum().backward()
    assert value(seen, "", "grad_output") == (10 * WEIGHTS).tolist()
    assert badges(seen, "", "grad_output") == ("from_base",)


def test_that_a_view_that_was_not_modified_has_its_own_gradient():
    x, model = leaf_tensor(torch.ones(2, 3).tolist()), Viewing(lambda x: torch.complex(x, x).real)
    with hookscope.observe(model) as seen:
        (model(x) * WEIGHTS).sum().backward()
    assert value(seen, "", "grad_output") == WEIGHTS.tolist()
    assert badges(seen, "", "grad_output") == ()


def test_that_an_unused_view_beside_a_used_one_has_no_gradient():
    """No gradient is not a gradient of zeros, although the base of both gets one."""

    def halves(x):
        y = x * 1
        return y[:, :1], y[:, 1:]

    x, model = leaf_tensor(torch.ones(2, 2).tolist()), Viewing(halves)
    with hookscope.observe(model) as seen:
        model(x)[0].sum().backward()
    assert value(seen, "", "grad_output") == [[1], [1]]
    assert badges(seen, "", "grad_output", "out.1") == ("no_gradient_reached",)


def test_that_a_view_that_changes_values_costs_the_step_nothing():
    x, model = leaf_tensor([1, 2]), Viewing(lambda x: torch.complex(x, x).conj())
    with hookscope.observe(model) as seen:
        model(x).mul_(2).abs().sum().backward()
    assert badges(seen, "", "grad_output")[-1:] == ("no_gradient_reached",)
    assert x.grad is not None
