"""`--export`: every capture of the last step in a folder, and an exit status for scripts."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np

import hookscope

RAISES = """
import torch
import hookscope

class Net(torch.nn.Linear):
    def forward(self, x):
        raise ValueError("no luck")

def make():
    return hookscope.Workload(Net(1, 1), [torch.ones(1, 1)])
"""


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "hookscope", *arguments], capture_output=True, text=True, timeout=240, check=False
    )


def test_that_a_folder_holds_what_the_hooks_of_the_last_step_saw(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "captures"
    ended = run("example:digits", "--headless", "--steps", "2", "--seed", "3", "--export", str(folder))
    assert ended.returncode == 0, ended.stderr
    index = json.loads((folder / "index.json").read_text())
    tensors = index["tensors"]
    assert (index["step"], index["hookscope"]) == (2, hookscope.__version__)
    assert ended.stdout.startswith(f"Saved {len(tensors)} tensors in {folder}, ")
    assert f"; {len(index['skipped'])} without values" in ended.stdout
    files = {entry["file"] for entry in tensors}
    assert {file.name for file in folder.iterdir()} == files | {"index.json"}
    assert {entry["slot"] for entry in tensors} >= {"input", "output", "grad_output", "parameter", "parameter_grad"}
    for entry in tensors:
        values = np.load(folder / entry["file"])
        assert (list(values.shape), str(values.dtype)) == (entry["shape"], entry["dtype"])
        assert entry["statistics"]["count"] == values.size
        if values.size:
            assert entry["statistics"]["minimum"] == values.min()
    weights = [entry for entry in tensors if (entry["slot"], entry["leaf"]) == ("parameter", "weight")]
    other = tmp_path / "other"
    again = run("example:digits", "--headless", "--seed", "3", "--export", str(other), "--check", weights[0]["path"])
    assert again.returncode == 0, again.stderr
    assert {entry["path"] for entry in json.loads((other / "index.json").read_text())["tensors"]} == {
        weights[0]["path"]
    }


def test_that_what_cannot_be_exported_ends_with_status_2(tmp_path: Path) -> None:
    file, folder = tmp_path / "net.py", tmp_path / "out"
    file.write_text(RAISES)
    for model, check, said in (
        (f"{file}:make", "*", "no luck"),
        ("example:one_layer", "nothing*", "No module matches “nothing*”"),
    ):
        ended = run(model, "--check", check, "--headless", "--export", str(folder))
        assert (ended.returncode, ended.stdout) == (2, "")
        assert said in ended.stderr
        assert not folder.exists()
