"""The scans of handwritten digits that some examples train on."""

import numpy as np
import torch

from hookscope.protocol.resources import resource_path

SAMPLES = "samples/digits.npz"
BRIGHTEST = 16
"""Value of a pixel of the scans that is all ink."""


def load_scans() -> tuple[torch.Tensor, torch.Tensor]:
    """Return 64 real scans, float32 of shape `(64, 1, 8, 8)` with ink in `[0, 1]`, and their digits, int64 `(64,)`.

    Raises:
        FileNotFoundError: They are not installed.
    """
    with np.load(resource_path(SAMPLES), allow_pickle=False) as samples:
        images = torch.from_numpy(samples["images"].astype(np.float32) / BRIGHTEST)[:, None]
        return images, torch.from_numpy(samples["labels"].astype(np.int64))
