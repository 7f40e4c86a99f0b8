"""Files that appear whole or not at all."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO


@contextmanager
def atomic_file(path: Path) -> Iterator[BinaryIO]:
    """Open a file under a temporary name beside `path`; at the end of the block it takes that name.

    When the block raises, the temporary file is taken away and a former file stays as it was.

    Raises:
        OSError: The folder cannot be written to.
    """
    # Not of `tempfile`, whose files are for their owner alone.
    part = path.with_name(f".hookscope-{secrets.token_hex(8)}.part")
    try:
        with part.open("xb") as file:
            yield file
        part.replace(path)
    except BaseException:
        with suppress(OSError):
            part.unlink()
        raise
