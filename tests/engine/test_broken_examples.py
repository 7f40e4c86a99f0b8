"""The examples with a planted fault: the fault is there, shows where the example says, and is the only one."""

import itertools
import math
from collections.abc import Callable

import pytest
import torch
from torch import nn

from hookscope.engine.workloads.examples import (
    BUILDERS,
    broken_dead,
    broken_detached,
    broken_exploding,
    broken_nan,
)
from hookscope.engine.workloads.examples.seeded import seeded
from hookscope.engine.workloads.workload import Workload
from hookscope.protocol.examples import EXAMPLES


class Step:
    """A step in plain torch: outputs and gradients of the outputs by module path, and the parameters' gradients."""

    def __init__(self, workload: Workload) -> None:
        self.outputs: dict[str, torch.Tensor] = {}
        self.grad_outputs: dict[str, torch.Tensor] = {}
        model = workload.model
        handles = [module.register_forward_hook(self._watch(path)) for path, module in model.named_modules()]
        try:
            loss = workload.loss(model(workload.inputs), workload.targets)
        finally:
            for handle in handles:
                handle.remove()
        workload.optimizer.zero_grad()
        loss.backward()
        self.loss = loss.item()
        self.gradients = {path: parameter.grad for path, parameter in model.named_parameters()}
        self.norms = {path: float(gradient.norm()) for path, gradient in self.grad_outputs.items()}

    def _watch(self, path: str) -> Callable[..., None]:
        def hook(module: nn.Module, args: object, output: torch.Tensor) -> None:
            self.outputs[path] = output.detach().clone()
            output.register_hook(lambda gradient: self.grad_outputs.update({path: gradient.clone()}))

        return hook


def train(workload: Workload, steps: int) -> list[Step]:
    done = []
    for _ in range(steps):
        done.append(Step(workload))
        workload.optimizer.step()
    return done


def losses(workload: Workload, steps: int) -> list[float]:
    return [step.loss for step in train(workload, steps)]


def mended(workload: Workload, model: nn.Module) -> Workload:
    """Return the same training of another model."""
    optimizer = torch.optim.SGD(model.parameters(), **workload.optimizer.defaults)
    return Workload(model, workload.inputs, targets=workload.targets, loss=workload.loss, optimizer=optimizer)


def is_finite(*tensors: torch.Tensor) -> bool:
    return all(bool(tensor.isfinite().all()) for tensor in tensors)


BROKEN = [name for name in BUILDERS if name.startswith("broken_")]


def test_that_there_are_four_faults_to_find_and_their_cards_do_not_give_them_away() -> None:
    assert BROKEN == ["broken_exploding", "broken_nan", "broken_dead", "broken_detached"]
    cards = [example for example in EXAMPLES if example.name in BROKEN]
    assert [card.title.split(":")[0] for card in cards] == ["Fault 1", "Fault 2", "Fault 3", "Fault 4"]
    assert all(card.summary.endswith(("?", "gradient.")) for card in cards)


@pytest.mark.parametrize("name", BROKEN)
def test_that_a_broken_example_trains_on_the_real_digits_and_begins_at_an_ordinary_loss(name: str) -> None:
    workload = BUILDERS[name]()
    digits = BUILDERS["digits"]()
    assert torch.equal(workload.inputs, digits.inputs)
    assert torch.equal(workload.targets, digits.targets)
    assert workload.model.training
    first = Step(workload)
    assert 0.1 < first.loss < 5
    assert is_finite(*first.outputs.values())


# -- gradients that explode -----------------------------------------------------------------------------------------


def test_that_gradients_grow_at_every_block_on_the_way_back_and_outputs_hardly_do() -> None:
    step = Step(BUILDERS["broken_exploding"]())
    on_the_way_back = [*(f"blocks.{index}" for index in reversed(range(broken_exploding.DEPTH))), "stem"]
    norms = [step.norms[path] for path in on_the_way_back]
    assert all(later > 1.2 * earlier for earlier, later in itertools.pairwise(norms))
    assert 0.05 < norms[0] < 0.2
    assert norms[-1] > 1000
    assert norms[-1] > 5000 * norms[0]
    assert step.outputs["blocks.15"].norm() < 20 * step.outputs["stem"].norm()
    weights = {path: float(gradient.norm()) for path, gradient in step.gradients.items() if path.endswith("weight")}
    assert weights["blocks.0.linear.weight"] > 500 * weights["blocks.15.linear.weight"]
    assert weights["stem.weight"] == max(weights.values())


def test_that_the_loss_leaps_up_from_step_to_step() -> None:
    found = losses(BUILDERS["broken_exploding"](), 5)
    assert all(later > 1.5 * earlier for earlier, later in itertools.pairwise(found))
    assert found[-1] > 500 * found[0]


def test_that_the_spread_of_the_blocks_weights_is_all_that_is_wrong() -> None:
    with seeded():
        model = broken_exploding.DeepClassifier(1 / math.sqrt(broken_exploding.WIDTH))
    steps = train(mended(BUILDERS["broken_exploding"](), model), 10)
    assert steps[0].norms["stem"] < 20 * steps[0].norms["blocks.15"]
    assert steps[-1].loss < 1 < steps[0].loss


# -- a NaN that is born in backward ---------------------------------------------------------------------------------


def test_that_the_first_nan_is_what_the_distances_pass_on_to_their_inputs() -> None:
    step = Step(BUILDERS["broken_nan"]())
    assert is_finite(step.grad_outputs[""], step.grad_outputs["distances"])
    assert math.isfinite(step.loss)
    assert step.grad_outputs["encoder"].isnan().all()
    assert all(gradient.isnan().any() for gradient in step.gradients.values())


def test_that_the_nan_is_born_where_a_digit_is_compared_with_itself() -> None:
    workload = BUILDERS["broken_nan"]()
    points = workload.model.encoder(workload.inputs).detach().requires_grad_()
    squares = (points[:, None] - points[None]).square().sum(-1)
    squares.retain_grad()
    distances = torch.sqrt(squares)
    distances.retain_grad()
    workload.loss(distances, workload.targets).backward()
    itself = torch.eye(len(points), dtype=torch.bool)
    assert torch.equal(workload.model(workload.inputs), distances)
    assert (squares == 0).equal(itself)
    assert (distances.grad[itself] == 0).all()
    assert squares.grad.isnan().equal(itself)


def test_that_every_loss_but_the_first_is_nan() -> None:
    found = losses(BUILDERS["broken_nan"](), 3)
    assert [math.isnan(loss) for loss in found] == [False, True, True]


def test_that_the_bare_root_is_all_that_is_wrong() -> None:
    class Cdist(nn.Module):
        def forward(self, points: torch.Tensor) -> torch.Tensor:
            return torch.cdist(points, points, compute_mode="donot_use_mm_for_euclid_dist")

    with seeded():
        model = broken_nan.DigitMap()
    model.distances = Cdist()
    found = losses(mended(BUILDERS["broken_nan"](), model), 8)
    assert found[0] == pytest.approx(Step(BUILDERS["broken_nan"]()).loss)
    assert found[-1] < 0.5 * found[0]


# -- dead ReLUs -----------------------------------------------------------------------------------------------------


def test_that_the_relu_gives_nothing_and_every_gradient_before_it_is_zero() -> None:
    step = Step(BUILDERS["broken_dead"]())
    assert step.outputs["hidden"].max() < -3
    assert not step.outputs["relu"].any()
    silent = ("conv", "pool", "hidden")
    assert {path for path, norm in step.norms.items() if norm == 0} == set(silent)
    assert {path for path, gradient in step.gradients.items() if gradient.any()} == {"head.bias"}
    assert all(gradient is not None for gradient in step.gradients.values())


def test_that_the_loss_of_guessing_hardly_moves() -> None:
    found = losses(BUILDERS["broken_dead"](), 20)
    assert abs(found[0] - math.log(10)) < 0.05
    assert found[-1] > 0.97 * found[0]


def test_that_the_prior_is_all_that_is_wrong() -> None:
    with seeded():
        model = broken_dead.Classifier(prior=0.0)
    assert losses(mended(BUILDERS["broken_dead"](), model), 40)[-1] < 1


# -- a branch that is cut off ---------------------------------------------------------------------------------------


def test_that_one_branch_has_outputs_like_the_other_and_no_gradient_at_all() -> None:
    step = Step(BUILDERS["broken_detached"]())
    assert {path for path in step.outputs if path not in step.grad_outputs} == {
        "outline",
        "outline.conv",
        "outline.relu",
        "outline.pool",
    }
    assert {path for path, gradient in step.gradients.items() if gradient is None} == {
        "outline.conv.weight",
        "outline.conv.bias",
    }
    assert all(gradient.any() for gradient in step.gradients.values() if gradient is not None)
    assert step.outputs["outline"].norm() > 0.5 * step.outputs["strokes"].norm()


def test_that_the_loss_falls_as_if_nothing_were_wrong() -> None:
    workload = BUILDERS["broken_detached"]()
    before = {path: value.clone() for path, value in workload.model.state_dict().items()}
    found = losses(workload, 20)
    assert found[-1] < 0.7 * found[0]
    after = workload.model.state_dict()
    assert {path for path in before if torch.equal(before[path], after[path])} == {
        "outline.conv.weight",
        "outline.conv.bias",
    }


def test_that_the_detaching_is_all_that_is_wrong() -> None:
    workload = BUILDERS["broken_detached"]()

    class Mended(broken_detached.TwoBranches):
        def forward(self, digits: torch.Tensor) -> torch.Tensor:
            logits: torch.Tensor = self.head(torch.cat([self.strokes(digits), self.outline(digits)], 1).flatten(1))
            return logits

    with seeded():
        model = Mended()
    step = Step(mended(workload, model))
    assert step.loss == Step(workload).loss
    assert all(gradient.any() for gradient in step.gradients.values())
