"""A picture drawn by formula, for examples that need edges, areas and colours and no photograph."""

import math

import torch

_SIZE = 32


def draw_picture() -> torch.Tensor:
    """Draw a sun over hills: float32 of shape `(1, 3, 32, 32)`, red, green and blue in `[0, 1]`."""
    down = torch.linspace(0.0, 1.0, _SIZE)[:, None].expand(_SIZE, _SIZE)
    right = torch.linspace(0.0, 1.0, _SIZE).expand(_SIZE, _SIZE)
    picture = torch.stack([0.35 + 0.45 * down, 0.55 + 0.30 * down, 0.95 - 0.25 * down])
    for red, green, blue, area in (
        (1.00, 0.85, 0.30, (right - 0.70).hypot(down - 0.28) < 0.13),
        (0.30, 0.45, 0.40, down > 0.58 + 0.12 * torch.sin(2.2 * math.pi * right)),
        (0.15, 0.35, 0.15, down > 0.78 - 0.10 * torch.sin(1.6 * math.pi * right)),
    ):
        picture = torch.where(area, torch.tensor([red, green, blue])[:, None, None], picture)
    return picture[None]
