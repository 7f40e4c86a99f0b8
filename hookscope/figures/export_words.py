"""How an export has ended, in words; for the command line and the window alike."""

from collections.abc import Callable

from hookscope.figures.text import format_bytes
from hookscope.protocol.events import Exported
from hookscope.protocol.exports import ExportEnd

Translate = Callable[[str], str]


def word_export(exported: Exported, name: str, translate: Translate = str) -> str:
    """Say in one line what was written, or why nothing was.

    Args:
        exported: How it has ended.
        name: The file or folder, as a person is to read it.
        translate: Puts the sentence into the reader's language.
    """
    values = {"name": name, "size": format_bytes(exported.size_bytes), "detail": exported.detail}
    match exported.end:
        case ExportEnd.CANCELLED:
            return translate("Export to {name} given up").format(**values)
        case ExportEnd.FAILED:
            return translate("Export failed: {detail}").format(**values)
    if not exported.files:
        return translate("Nothing that was captured has values, so {name} has only an index").format(**values)
    if exported.files == 1 and not exported.skipped:
        return translate("Saved {name}, {size}").format(**values)
    counted = translate("1 tensor") if exported.files == 1 else translate("{files} tensors")
    tensors = counted.format(files=f"{exported.files:,}")
    text = translate("Saved {tensors} in {name}, {size}").format(tensors=tensors, **values)
    if exported.skipped:
        text += translate("; {count} without values").format(count=f"{len(exported.skipped):,}")
    return text


def has_written(exported: Exported) -> bool:
    """Whether anything came of it."""
    return exported.end is ExportEnd.WRITTEN and exported.files > 0
