"""What a step costs: a plain loop, hookscope with nothing checked, and with every leaf checked, in all slots.

The three take turns, so that whatever else the machine does hits them alike; the figures are medians of one run.
"""

import json
import statistics
import time
from collections.abc import Callable

import torch

from benchlib import models
from hookscope import Workload
from hookscope.engine.capture.captures import STEPS_KEPT
from hookscope.engine.loaded_model import LoadedModel
from hookscope.engine.outbox import Outbox
from hookscope.engine.pause import Gate
from hookscope.engine.workloads.losses import compute_loss
from hookscope.protocol.channel import memory_channels
from hookscope.protocol.commands import Load, SetHooks
from hookscope.protocol.workload import LossChoice, ModuleSource, RunSettings

ROUNDS = 30
WARM_UP_ROUNDS = STEPS_KEPT + 3
"""Until then captures take new memory; from then on they use the buffers of the oldest step."""
MODELS = ("resnet18", "transformer", "tiny_linears")


def plain_step(workload: Workload) -> Callable[[], object]:
    """Return a step as a person writes it; the loss is made as hookscope makes it."""

    def step() -> None:
        workload.model.zero_grad()
        output = workload.model(workload.inputs)
        compute_loss(LossChoice.AUTO, workload.loss, output, workload.targets).backward()

    return step


def watched_step(name: str, outbox: Outbox, checked: bool) -> tuple[Callable[[], object], int]:
    """Return a step of hookscope's engine, and how many modules are checked."""
    settings = RunSettings(seed=None, restore_state=False)  # as a plain loop does: no seeding, nothing put back
    loaded = LoadedModel(Load(ModuleSource("benchlib.models", name), settings), Gate(), outbox)
    leaves = tuple(module.path for module in loaded.loaded().tree.modules if not module.has_children)
    paths = leaves if checked else ()
    loaded.set_hooks(SetHooks(paths))
    return loaded.run_step, len(paths)


def median_times_ms(steps: list[Callable[[], object]]) -> list[float]:
    times: list[list[float]] = [[] for _ in steps]
    for number in range(WARM_UP_ROUNDS + ROUNDS):
        for step, taken in zip(steps, times, strict=True):
            started = time.perf_counter()
            step()
            if number >= WARM_UP_ROUNDS:
                taken.append((time.perf_counter() - started) * 1000)
    return [statistics.median(taken) for taken in times]


def measure(name: str) -> dict[str, object]:
    here, there = memory_channels()
    outbox = Outbox(here)
    torch.manual_seed(0)
    plain = plain_step(getattr(models, name)())
    unchecked, _ = watched_step(name, outbox, checked=False)
    checked, count = watched_step(name, outbox, checked=True)
    plain_ms, unchecked_ms, checked_ms = median_times_ms([plain, unchecked, checked])
    outbox.close()
    there.close()
    return {
        "leaves": count,
        "plain_ms": round(plain_ms, 2),
        "nothing_checked_ratio": round(unchecked_ms / plain_ms, 3),
        "every_leaf_ratio": round(checked_ms / plain_ms, 3),
    }


if __name__ == "__main__":
    print(json.dumps({name: measure(name) for name in MODELS}))
