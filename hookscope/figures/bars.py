"""Histograms as outlines: the edges and heights that a `stepMode="center"` line draws."""

import numpy as np
import numpy.typing as npt

from hookscope.protocol.views import Histogram

Outline = tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]


def bin_edges(histogram: Histogram) -> npt.NDArray[np.float64]:
    """Return the `(bins + 1,)` edges of the bins, ascending."""
    bins = histogram.counts.shape[0]
    # In halves, since the distance between the ends may be more than a float64 can hold.
    edges = np.linspace(histogram.low / 2, histogram.high / 2, bins + 1) * 2
    edges[0], edges[-1] = histogram.low, histogram.high
    return edges


def outline(histogram: Histogram, *, logarithmic: bool = False) -> Outline:
    """Return the edges, one more than there are heights, and the heights.

    Args:
        histogram: The counts.
        logarithmic: Draw `log10(1 + n)`, so that an empty bin stays at zero and a single element can be seen.
    """
    heights = histogram.counts.to_numpy().astype(np.float64)
    return bin_edges(histogram), np.log10(1.0 + heights) if logarithmic else heights
