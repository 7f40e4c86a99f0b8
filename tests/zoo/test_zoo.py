"""Real architectures do not notice that they are observed: the zoo's fast part, and the zoo's own machinery."""

from collections.abc import Iterator

import pytest
import torch
from torch import nn

pytest.importorskip("transformers")

from scripts.zoolib import __main__ as command
from scripts.zoolib import compare, recipe, tables

IN_SUITE = [architecture.name for architecture in tables.architectures() if architecture.in_suite]


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> Iterator[None]:
    """A sum over several threads may have other bits each time."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.mark.filterwarnings("default")  # what transformers warns of is not ours
@pytest.mark.parametrize("name", IN_SUITE)
def test_that_an_architecture_keeps_every_bit_while_all_of_it_is_observed(name: str) -> None:
    outcome = compare.compare(name)
    assert not outcome.differences
    assert outcome.records > outcome.modules


def test_that_the_zoo_is_as_large_as_it_is_said_to_be() -> None:
    inside, outside = tables.architectures(), tables.not_built()
    assert len(inside) >= 100
    assert len(IN_SUITE) >= 40
    assert not {architecture.name for architecture in inside} & outside.keys()
    assert all(outside.values())


class Changing(nn.Module):
    """Its result is another one each time, which an observation must not be blamed for, and a comparison must see."""

    calls = 0

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(2, 2)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor]:
        Changing.calls += 1
        return (self.layer(x) * Changing.calls,)


def build_changing(_name: str) -> recipe.Specimen:
    torch.manual_seed(0)
    return recipe.Specimen(Changing(), {"x": torch.ones(1, 2)})


def test_that_a_difference_is_found_and_fails_the_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(compare, "build", build_changing)
    outcome = compare.compare("changing")
    assert {"loss", "output 0", "gradient of layer.weight"} <= set(outcome.differences)
    name = IN_SUITE[0]
    monkeypatch.setattr("sys.argv", ["zoo", name])
    assert command.main() == 1
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].startswith(name)
    assert "DIFFERS" in printed[0]
    assert printed[-1].startswith("0 of 1 the same")


def test_that_a_hook_left_behind_is_a_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compare, "build", build_changing)
    specimen = build_changing("")
    kept = compare.run_step(specimen, observed=False)
    assert kept.hooks_kept

    def hook(*_: object) -> None:
        return None

    monkeypatch.setattr(specimen.model.layer, "forward", _hooking(specimen.model.layer, hook))
    assert not compare.run_step(specimen, observed=False).hooks_kept


def _hooking(layer: nn.Linear, hook):
    def forward(x: torch.Tensor) -> torch.Tensor:
        layer.register_forward_hook(hook)
        return nn.functional.linear(x, layer.weight, layer.bias)

    return forward


def test_that_the_list_names_what_is_left_out_and_why(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["zoo", "--list"])
    assert command.main() == 0
    printed = capsys.readouterr().out
    name, reason = next(iter(tables.not_built().items()))
    assert IN_SUITE[0] in printed
    assert f"{name:<32}{reason}" in printed


@pytest.mark.parametrize("name", ["no-such-thing", next(iter(tables.not_built()))])
def test_that_a_name_that_is_not_in_the_zoo_is_refused(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["zoo", name])
    with pytest.raises(SystemExit, match="2"):
        command.main()
    assert name in capsys.readouterr().err
