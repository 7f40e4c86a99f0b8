"""Tensors out of the debuggee, as files that it writes itself."""

from enum import StrEnum

import msgspec

from hookscope.protocol.identity import TensorRef


class ExportForm(StrEnum):
    """What is written. Dtypes that a form does not have are written as float32, and said so."""

    NPY = "npy"
    CSV = "csv"
    """Rows of the last dim; of more than two dims, the leading ones are laid one below the other."""


class ExportEnd(StrEnum):
    """How an export ended."""

    WRITTEN = "written"
    CANCELLED = "cancelled"
    """What was written before stays, with its index."""
    FAILED = "failed"
    """`detail` of `Exported`: what went wrong, and with which file."""


class SkippedTensor(msgspec.Struct, frozen=True):
    """A tensor that was not written, and why."""

    ref: TensorRef
    reason: str
