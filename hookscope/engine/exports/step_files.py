"""All captures of one step as `.npy` files with an index."""

import json
import math
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import hookscope
from hookscope.engine.capture.captures import Capture, CaptureStore
from hookscope.engine.convert import Unreadable
from hookscope.engine.exports.atomic_file import atomic_file
from hookscope.engine.exports.tensor_files import CannotWriteError, Progress, write_tensor
from hookscope.engine.progress import heard_by
from hookscope.engine.views import build_view
from hookscope.protocol.badge_words import badge_reason
from hookscope.protocol.exports import ExportForm, SkippedTensor
from hookscope.protocol.identity import TensorRef
from hookscope.protocol.tensors import instead_of_tensor
from hookscope.protocol.views import Statistics, StatisticsRequest

INDEX_NAME = "index.json"
_MAX_STEM = 120


@dataclass
class StepExport:
    """What has been written so far."""

    entries: list[dict[str, Any]] = field(default_factory=list)
    skipped: list[SkippedTensor] = field(default_factory=list)
    not_tensors: list[dict[str, Any]] = field(default_factory=list)


def size_of_step(store: CaptureStore, step: int) -> int:
    """Return the bytes of all values of a step."""
    return sum(capture.spec.size_bytes for capture in store.captures(step) or () if capture.spec is not None)


def write_step(store: CaptureStore, step: int, folder: Path, progress: Progress) -> StepExport:
    """Write every capture of a step into a folder, which is made if need be, and at the end the index of them.

    Files of another step that are in the folder are replaced where they have the same name. The index tells of what was
    written even if `progress` raises; each entry has `path`, `slot`, `call`, `leaf`, `operation`, `shape`, `dtype`,
    `file` (within the folder), `file_dtype` where that is another one, `statistics` and `badges`. Tensors that have no
    values are listed apart, each with the `reason`; and what is no tensor, with a `text` that says what it is.

    Raises:
        OSError: The folder or a file cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    done = StepExport()
    names: set[str] = set()
    try:
        for capture in sorted(store.captures(step) or (), key=lambda capture: capture.order):
            _write(store, step, capture, folder, _name_of(capture.ref, names), done, progress)
    finally:
        _write_index(folder, step, done)
    return done


def _write(
    store: CaptureStore,
    step: int,
    capture: Capture,
    folder: Path,
    name: str,
    done: StepExport,
    progress: Progress,
) -> None:
    instead = instead_of_tensor(capture.badges)
    if instead:
        done.not_tensors.append({**_named(capture.ref), "text": instead})
        return
    with store.open(capture.ref, step) as (_, tensor):
        if tensor is None or capture.spec is None:
            done.skipped.append(SkippedTensor(capture.ref, why_absent(capture)))
            return
        try:
            file_dtype = write_tensor(tensor, folder / name, ExportForm.NPY, progress)
        except (Unreadable, CannotWriteError) as error:
            done.skipped.append(SkippedTensor(capture.ref, str(error)))
            return
        with heard_by(lambda _: progress(0)):  # so that it can be given up while it is counted, too
            statistics = build_view(tensor, StatisticsRequest())
    entry: dict[str, Any] = {
        **_named(capture.ref),
        "shape": list(capture.spec.shape),
        "dtype": capture.spec.dtype,
        "file": name,
        "statistics": _plain(statistics) if isinstance(statistics, Statistics) else None,
        "badges": [badge.kind.value for badge in capture.badges],
    }
    if file_dtype != capture.spec.dtype:
        entry["file_dtype"] = file_dtype
    done.entries.append(entry)


def why_absent(capture: Capture | None) -> str:
    """Return why there are no values of a tensor."""
    reasons = " ".join(badge_reason(badge) for badge in capture.badges) if capture is not None else ""
    return reasons or "its values are not kept"


def _named(ref: TensorRef) -> dict[str, Any]:
    return {
        "path": ref.path,
        "slot": ref.slot.value,
        "call": ref.call,
        "leaf": ref.leaf,
        "operation": ref.operation,
    }


def _plain(statistics: Statistics) -> dict[str, float | int | None]:
    values = {name: getattr(statistics, name) for name in Statistics.__struct_fields__ if name != "seen"}
    # The norm of very large values overflows, and JSON has no infinity.
    return {name: value if value is None or math.isfinite(value) else None for name, value in values.items()}


def _write_index(folder: Path, step: int, done: StepExport) -> None:
    index = {
        "hookscope": hookscope.__version__,
        "step": step,
        "tensors": done.entries,
        "skipped": [{**_named(skipped.ref), "reason": skipped.reason} for skipped in done.skipped],
        "not_tensors": done.not_tensors,
    }
    with atomic_file(folder / INDEX_NAME) as file:
        file.write(json.dumps(index, indent=1, ensure_ascii=False, allow_nan=False).encode() + b"\n")


def _name_of(ref: TensorRef, taken: set[str]) -> str:
    """Return a file name that says what it is, of characters that every system takes, and that no other ref has."""
    parts = (ref.path or "root", ref.operation, ref.slot.value, ref.leaf, f"call{ref.call}" if ref.call else "")
    stem = re.sub(r"[^A-Za-z0-9_.-]+", "-", "_".join(filter(None, parts)))[:_MAX_STEM].strip(".")
    name, number = f"{stem}.npy", 1
    while name.lower() in taken:  # some file systems do not tell A from a
        number += 1
        name = f"{stem}_{number}.npy"
    taken.add(name.lower())
    return name
