"""The pipe that a debuggee prints into."""

import os
import subprocess
import sys

from hookscope.client.output import KEPT_CHARS, OutputPump, TextTail


def test_that_everything_that_was_printed_has_come_when_the_pump_is_finished() -> None:
    texts: list[str] = []
    pump = OutputPump(texts.append)
    code = "import sys; print('a' * 300_000); sys.stderr.write('ö\\0end')"
    subprocess.run([sys.executable, "-X", "utf8", "-c", code], stdout=pump.write_end, stderr=pump.write_end, check=True)
    tail = pump.finish()
    assert "".join(texts) == "a" * 300_000 + "\nö\0end"
    assert tail == "".join(texts)[-KEPT_CHARS:]


def test_that_letters_cut_in_two_are_put_together_and_broken_ones_are_marked() -> None:
    texts: list[str] = []
    pump = OutputPump(texts.append)
    for byte in "ö".encode():
        os.write(pump.write_end, bytes([byte]))
    os.write(pump.write_end, b"\xff")
    assert pump.finish() == "ö\ufffd"
    assert "".join(texts) == "ö\ufffd"


def test_that_a_tail_keeps_the_end() -> None:
    tail = TextTail()
    tail.add("lost")
    for index in range(KEPT_CHARS):
        tail.add(str(index % 10))
    assert len(tail.text()) == KEPT_CHARS
    assert tail.text().startswith("0123")
    assert tail.text().endswith(str((KEPT_CHARS - 1) % 10))
