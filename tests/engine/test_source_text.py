"""The text around a line of a source file."""

import linecache
import os
from pathlib import Path

import pytest

from hookscope.engine.code import source_text
from hookscope.engine.code.source_text import MAX_CONTEXT, NoSource, NoSourceError, read_source


def written(folder: Path, lines: int) -> str:
    file = folder / "model.py"
    file.write_text("".join(f"line {number}\n" for number in range(1, lines + 1)), encoding="utf-8")
    return str(file)


def reason(file: str) -> NoSource:
    with pytest.raises(NoSourceError) as caught:
        read_source(file, 1)
    assert caught.value.file == file
    assert str(caught.value).startswith(f"{file}: ")
    return caught.value.reason


@pytest.mark.parametrize(
    ("line", "expected"),
    [(5, (3, ["line 3", "line 4", "line 5", "line 6", "line 7"])), (1, (1, ["line 1", "line 2", "line 3"]))],
)
def test_that_a_line_comes_with_those_around_it(tmp_path: Path, line: int, expected: tuple[int, list[str]]) -> None:
    first, lines = read_source(written(tmp_path, 9), line, 2)
    assert (first, list(lines)) == expected


def test_that_a_line_that_is_not_there_counts_as_the_last(tmp_path: Path) -> None:
    assert read_source(written(tmp_path, 4), 99, 1) == (3, ("line 3", "line 4"))
    assert read_source(written(tmp_path, 4), 0, 0) == (1, ("line 1",))


def test_that_no_more_than_the_limits_are_read(tmp_path: Path) -> None:
    first, lines = read_source(written(tmp_path, 5000), 2500, 10**9)
    assert (first, len(lines)) == (2500 - MAX_CONTEXT, 2 * MAX_CONTEXT + 1)
    wide = tmp_path / "wide.py"
    wide.write_text("x" * 10**6, encoding="utf-8")
    assert len(read_source(str(wide), 1)[1][0]) == source_text.MAX_LINE_LENGTH


def test_that_the_text_stays_what_runs_when_the_file_is_changed(tmp_path: Path) -> None:
    file = written(tmp_path, 3)
    assert read_source(file, 2, 0) == (2, ("line 2",))
    Path(file).write_text("all new\n", encoding="utf-8")
    assert read_source(file, 2, 0) == (2, ("line 2",))
    Path(file).unlink()
    assert read_source(file, 2, 0) == (2, ("line 2",))


def test_that_code_without_a_file_is_shown_where_python_knows_its_text() -> None:
    linecache.cache["<made>"] = (8, None, ["def made():\n", "    pass\n"], "<made>")
    assert read_source("<made>", 2) == (1, ("def made():", "    pass"))
    assert reason("<string>") is NoSource.NO_FILE


def test_that_an_encoding_that_a_file_declares_is_obeyed(tmp_path: Path) -> None:
    file = tmp_path / "latin.py"
    file.write_bytes("# coding: latin-1\n# größer\n".encode("latin-1"))
    assert read_source(str(file), 2, 0) == (2, ("# größer",))


def test_that_a_file_without_text_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert reason(str(tmp_path / "gone.py")) is NoSource.GONE
    assert reason(str(tmp_path / "\0.py")) is NoSource.GONE
    assert reason(str(tmp_path)) is NoSource.NOT_A_FILE
    os.mkfifo(tmp_path / "pipe")
    assert reason(str(tmp_path / "pipe")) is NoSource.NOT_A_FILE
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\r\n\xff\xfe")
    assert reason(str(tmp_path / "picture.png")) is NoSource.NOT_TEXT
    (tmp_path / "zeros").write_bytes(b"\0" * 8)
    assert reason(str(tmp_path / "zeros")) is NoSource.NOT_TEXT
    monkeypatch.setattr(source_text, "MAX_FILE_BYTES", 3)
    assert reason(written(tmp_path, 1)) is NoSource.TOO_LARGE


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_that_a_file_that_may_not_be_read_says_so(tmp_path: Path) -> None:
    file = written(tmp_path, 1)
    Path(file).chmod(0)
    assert reason(file) is NoSource.UNREADABLE


def test_that_an_empty_file_has_no_lines(tmp_path: Path) -> None:
    assert read_source(written(tmp_path, 0), 1) == (1, ())
