"""What a debuggee prints: read as it comes, the end of it kept for the failure card."""

import codecs
import os
import threading
from collections import deque
from collections.abc import Callable

KEPT_CHARS = 64 * 1024
"""This much of the end of the output is kept."""

_READ_BYTES = 1024 * 1024  # more than a pipe holds, so that one read takes all there is


class TextTail:
    """The last `KEPT_CHARS` characters of a text that grows. Not locked: one thread at a time."""

    def __init__(self) -> None:
        self._parts: deque[str] = deque()
        self._size = 0

    def add(self, text: str) -> None:
        """Append; parts that are too far back are dropped."""
        self._parts.append(text)
        self._size += len(text)
        while self._size - len(self._parts[0]) >= KEPT_CHARS:
            self._size -= len(self._parts.popleft())

    def text(self) -> str:
        """Return the end of the text, in one piece."""
        return "".join(self._parts)[-KEPT_CHARS:]


class OutputPump:
    """A pipe for the output of a process, and the thread that reads it.

    A process that the debuggee left behind may hold the pipe open for ever, so the end of the file cannot be waited
    for. This side keeps an end for writing instead and writes the end mark itself.

    Args:
        on_text: Given every piece of text, on the pump's thread.
    """

    def __init__(self, on_text: Callable[[str], None]) -> None:
        self._on_text = on_text
        self._tail = TextTail()
        self._is_last = threading.Event()
        self._read_end, self.write_end = os.pipe()
        self._thread = threading.Thread(target=self._run, name="hookscope-output", daemon=True)
        self._thread.start()

    def finish(self) -> str:
        """Read what was printed up to now, end the thread, and return the end of all output. Called once."""
        self._is_last.set()
        os.write(self.write_end, b"\0")
        self._thread.join()
        os.close(self.write_end)
        os.close(self._read_end)
        return self._tail.text()

    def _run(self) -> None:
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        is_last = False
        while not is_last:
            data = os.read(self._read_end, _READ_BYTES)
            # Nothing of the process comes after the mark; a zero byte of its own only ends this after its own words.
            is_last = self._is_last.is_set() and b"\0" in data
            if is_last:
                data = b"".join(data.rpartition(b"\0")[::2])
            text = decoder.decode(data, final=is_last)
            if text:
                self._tail.add(text)
                self._on_text(text)
