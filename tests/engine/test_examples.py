"""The built-in examples: they build the same each time, and their numbers are those that the lessons tell."""

import runpy
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from hookscope.engine.workloads.examples import BUILDERS
from hookscope.engine.workloads.examples.digits import WEIGHTS
from hookscope.engine.workloads.examples.scans import SAMPLES
from hookscope.engine.workloads.inputs import Batches, prepare
from hookscope.engine.workloads.losses import compute_loss
from hookscope.engine.workloads.workload import Workload
from hookscope.protocol import resources
from hookscope.protocol.examples import EXAMPLES
from hookscope.protocol.resources import resource_path
from hookscope.protocol.workload import LossChoice

SCRIPT = Path(__file__).parents[2] / "scripts" / "train_digits"


class Step:
    """One step in plain torch, with the output and the gradient of the output of one module."""

    def __init__(self, workload: Workload, watched: str = "", requires_grad: tuple[str, ...] = ()) -> None:
        self.outputs: list[torch.Tensor] = []
        self.gradients: list[torch.Tensor] = []
        self._input: torch.Tensor | None = None
        batch = prepare(Batches(workload).next(), torch.device("cpu"), requires_grad)
        with workload.model.get_submodule(watched).register_forward_hook(self._watch):
            inputs = [value.retain_grad() or value for value in batch.args if value.requires_grad]
            self.output = workload.model(*batch.args, **batch.kwargs)
        self.loss = compute_loss(LossChoice.AUTO, workload.loss, self.output, batch.targets)
        self.loss.backward()
        self.input_grad = inputs[0].grad if inputs else None

    def _watch(self, module: nn.Module, args: object, output: torch.Tensor) -> None:
        self.outputs.append(output.detach().clone())
        output.register_hook(self.gradients.append)


def test_that_every_example_that_is_listed_can_be_built_and_no_other() -> None:
    assert tuple(BUILDERS) == tuple(example.name for example in EXAMPLES)


@pytest.mark.parametrize("name", BUILDERS)
def test_that_an_example_is_the_same_each_time_and_leaves_the_random_state_alone(name: str) -> None:
    state = torch.get_rng_state()
    first, second = BUILDERS[name](), BUILDERS[name]()
    assert torch.equal(state, torch.get_rng_state())
    assert str(first.inputs) == str(second.inputs)
    for (path, one), other in zip(first.model.state_dict().items(), second.model.state_dict().values(), strict=True):
        assert torch.equal(one, other), path


@pytest.mark.parametrize("name", [name for name in BUILDERS if name != "broken_detached"])
def test_that_a_step_of_an_example_reaches_every_parameter(name: str) -> None:
    workload = BUILDERS[name]()
    batch = Batches(workload).first()
    output = workload.model(*batch.args, **batch.kwargs)
    choice = LossChoice.SUM if name == "not_scalar" else LossChoice.AUTO
    loss = compute_loss(choice, workload.loss, output, batch.targets)
    loss.backward()
    assert torch.isfinite(loss)
    assert [path for path, parameter in workload.model.named_parameters() if parameter.grad is None] == []


def test_that_one_layer_has_the_numbers_of_its_lesson() -> None:
    workload = BUILDERS["one_layer"]()
    step = Step(workload)
    assert workload.inputs.shape == (5,)
    assert step.outputs[0].tolist() == [10]
    assert step.gradients[0].tolist() == [1]
    assert step.input_grad is None
    assert workload.model.weight.grad.tolist() == [[1, 1, 1, 1, 1]]
    assert workload.model.bias.grad.tolist() == [1]
    assert Step(workload, requires_grad=("args.0",)).input_grad.tolist() == [2, 2, 2, 2, 2]


def test_that_the_convolution_has_negative_values_before_the_relu_overwrites_them() -> None:
    workload = BUILDERS["conv_relu"]()
    step = Step(workload, "conv")
    (output,) = step.outputs
    assert output.shape == (1, 64, 32, 32)
    assert 0.4 < (output < 0).float().mean().item() < 0.6
    assert step.gradients[0].shape == (1, 64, 32, 32)
    assert torch.equal(step.loss, step.output.mean())


def test_that_the_convolution_breaks_under_pytorchs_own_full_hook() -> None:
    workload = BUILDERS["conv_relu"]()
    workload.model.conv.register_full_backward_hook(lambda *_: None)
    with pytest.raises(RuntimeError, match="is a view and is being modified inplace"):
        workload.model(workload.inputs)


def test_that_the_cnn_has_the_shapes_of_its_lesson() -> None:
    workload = BUILDERS["cnn"]()
    step = Step(workload, "conv2", ("args.0",))
    assert workload.inputs.shape == (1, 3, 32, 32)
    assert step.outputs[0].shape == step.gradients[0].shape == (1, 9, 16, 16)
    assert workload.model.conv2.weight.grad.shape == (9, 6, 3, 3)
    assert workload.model.conv2.bias.grad.shape == (9,)
    assert step.input_grad.shape == (1, 3, 32, 32)
    assert step.output.shape == (1, 10)
    assert isinstance(workload.loss, nn.CrossEntropyLoss)


def test_that_the_deep_network_is_deep() -> None:
    convolutions = [module for module in BUILDERS["deep"]().model.modules() if isinstance(module, nn.Conv2d)]
    assert len(convolutions) == 10


def test_that_in_the_containers_some_are_called_once_some_twice_and_some_never() -> None:
    workload = BUILDERS["containers"]()
    calls = {path: 0 for path, _ in workload.model.named_modules()}

    def count(path: str) -> object:
        def hook(*_: object) -> None:
            calls[path] += 1

        return hook

    for path, module in workload.model.named_modules():
        module.register_forward_hook(count(path))
    workload.model(workload.inputs)
    assert calls.pop("shared") == 2
    assert {path for path, number in calls.items() if number == 0} == {"blocks", "heads"}
    assert set(calls.values()) == {0, 1}


# -- digits ---------------------------------------------------------------------------------------------------------


def test_that_the_trained_network_recognises_the_real_images() -> None:
    workload = BUILDERS["digits"]()
    assert workload.model.training
    workload.model.eval()
    with torch.no_grad():
        right = workload.model(workload.inputs).argmax(1) == workload.targets
    assert len(right) == 64
    assert right.float().mean().item() >= 0.97


def test_that_the_images_are_scans_of_all_ten_digits() -> None:
    workload = BUILDERS["digits"]()
    assert workload.inputs.shape == (64, 1, 8, 8)
    assert set(workload.targets.tolist()) == set(range(10))
    assert set((workload.inputs * 16).unique().tolist()) == set(range(17))


def test_that_training_goes_on_from_the_trained_weights() -> None:
    workload = BUILDERS["digits"]()
    losses = []
    for _ in range(5):
        workload.optimizer.zero_grad()
        losses.append(Step(workload).loss.item())
        workload.optimizer.step()
    assert losses[-1] < losses[0] < 0.3


def test_that_the_files_of_the_digits_are_small_and_hold_no_code() -> None:
    weights, samples = resource_path(WEIGHTS), resource_path(SAMPLES)
    assert weights.stat().st_size < 400_000
    assert samples.stat().st_size < 50_000
    assert all(isinstance(value, torch.Tensor) for value in torch.load(weights, weights_only=True).values())
    with np.load(samples, allow_pickle=False) as arrays:
        assert {name: arrays[name].dtype for name in arrays} == {"images": np.uint8, "labels": np.uint8}


@pytest.mark.parametrize("folder", ["models", "samples"])
def test_that_every_shipped_file_has_its_licence_named(folder: str) -> None:
    notes = resource_path(f"{folder}/README.md")
    for file in notes.parent.iterdir():
        assert file == notes or f"`{file.name}`" in notes.read_text(encoding="utf-8")


def test_that_the_samples_are_test_images_of_the_training_script() -> None:
    """The script splits the data in the way that the shipped images say."""
    datasets = pytest.importorskip("sklearn.datasets")
    script = runpy.run_path(str(SCRIPT), run_name="train_digits")
    digits = datasets.load_digits()
    _, test_images, _, test_labels = script["split"](digits.images, digits.target)
    with np.load(resource_path(SAMPLES), allow_pickle=False) as arrays:
        assert np.array_equal(arrays["images"], test_images[:64])
        assert np.array_equal(arrays["labels"], test_labels[:64])


# -- resources ------------------------------------------------------------------------------------------------------


def test_that_a_missing_resource_says_where_it_was_looked_for() -> None:
    with pytest.raises(FileNotFoundError, match=r"'models/none\.pt' is neither in .*_resources nor in .*resources"):
        resource_path("models/none.pt")


def test_that_an_installed_package_has_its_resources_inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    places = (tmp_path / "_resources", tmp_path / "resources")
    for place in places:
        (place / "models").mkdir(parents=True)
    monkeypatch.setattr(resources, "_PLACES", places)
    assert resource_path("models") == places[0] / "models"
