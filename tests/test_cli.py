"""What the command line takes, refuses and hands to the window."""

import re
import sys
from pathlib import Path

import pytest

import hookscope
from hookscope.cli import main
from hookscope.client.start_options import StartOptions
from hookscope.gui import app
from hookscope.protocol.examples import EXAMPLES
from hookscope.protocol.workload import ExampleSource, FileSource, SyntheticInput


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[StartOptions]:
    """The windows that were asked for; none is opened."""
    windows: list[StartOptions] = []

    def note(options: StartOptions) -> int:
        windows.append(options)
        return 0

    monkeypatch.setattr(app, "run_window", note)
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    return windows


def refusal(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    said = capsys.readouterr()
    assert not said.out
    return said.err


def test_that_everything_given_reaches_the_window(opened: list[StartOptions], tmp_path: Path) -> None:
    picture = tmp_path / "out.png"
    words = "example:digits --device cuda:1 --check conv* --check fc --steps 3 --seed 7 --input 1x8 --headless"
    assert main([*words.split(), "--screenshot", str(picture)]) == 0
    assert opened == [
        StartOptions(
            source=ExampleSource("digits"),
            device="cuda:1",
            checks=("conv*", "fc"),
            steps=3,
            seed=7,
            screenshot=picture,
            headless=True,
            inputs=(SyntheticInput((1, 8)),),
        )
    ]


def test_that_an_export_checks_everything_and_runs_a_step_unless_told_otherwise(
    opened: list[StartOptions], tmp_path: Path
) -> None:
    folder = tmp_path / "deep" / "out"
    assert main(["example:digits", "--export", str(folder)]) == 0
    assert main(["example:digits", "--export", str(folder), "--check", "conv*", "--steps", "4"]) == 0
    assert [(options.checks, options.steps) for options in opened] == [(("*",), 1), (("conv*",), 4)]
    assert {options.export for options in opened} == {folder}
    assert not folder.exists()


def test_that_without_arguments_the_window_opens_empty(opened: list[StartOptions]) -> None:
    assert main([]) == 0
    assert opened[0].source is None
    assert (opened[0].checks, opened[0].steps, opened[0].headless) == ((), 0, False)


def test_that_a_file_is_named_absolutely(
    opened: list[StartOptions], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "net.py").touch()
    monkeypatch.chdir(tmp_path)
    assert main(["net.py:make"]) == 0
    assert opened[0].source == FileSource(str(tmp_path / "net.py"), "make")


def test_that_the_status_of_the_window_is_that_of_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "run_window", lambda options: 2)
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    assert main(["example:digits", "--headless"]) == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nonsense"], "write example:NAME"),
        (["example:digit"], r"no example 'digit'; did you mean digits\?"),
        (["example:zzzzzzzz"], "there is digits, "),
        (["nowhere/net.py:make"], "no file .*nowhere/net.py"),
        (["example:digits", "--steps", "-1"], "--steps: '-1' is not a number"),
        (["example:digits", "--steps", "two"], "--steps: 'two' is not a number"),
        (["example:digits", "--seed", "x"], "--seed: invalid int value"),
        (["example:digits", "--input", "abc"], "--input: 'abc' is not an input"),
        (["example:digits", "--screenshot", "nowhere/out.png"], "no folder .*nowhere"),
        (["example:digits", "--screenshot", "out.jpg"], "must end in .png"),
        (["--headless"], "--headless needs a MODEL"),
        (["--check", "*"], "--check needs a MODEL"),
        (["--screenshot", "out.png"], "--screenshot needs a MODEL"),
        (["--export", "out"], "--export needs a MODEL"),
        (["example:digits", "--export", __file__], "test_cli.py is a file, not a folder"),
        (["example:digits", "--export", f"{__file__}/out"], "test_cli.py is a file, not a folder"),
        (["example:digits", "--export", "out", "--find-nonfinite"], "cannot be done at once"),
        (["--nonsense"], "unrecognized arguments"),
    ],
)
def test_that_what_cannot_be_done_is_said_and_ends_with_status_2(
    capsys: pytest.CaptureFixture[str], opened: list[StartOptions], arguments: list[str], said: str
) -> None:
    assert re.search(said, refusal(capsys, *arguments))
    assert not opened


def test_that_a_folder_is_no_screenshot(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "out.png").mkdir()
    assert "cannot be written" in refusal(capsys, "example:digits", "--screenshot", str(tmp_path / "out.png"))


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there is always a display")
def test_that_a_missing_display_is_said_in_words(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    assert "add --headless" in refusal(capsys, "example:digits")


def test_that_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["--version"])
    assert caught.value.code == 0
    assert capsys.readouterr().out == f"hookscope {hookscope.__version__}\n"


def test_that_every_example_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list-examples"]) == 0
    ordinary, faults = capsys.readouterr().out.split("\n\n")
    names = [line.split()[0].removeprefix("example:") for line in ordinary.splitlines()]
    lessons = ["leaf_gradient", "one_layer", "non_leaf", "conv_relu", "cnn", "deep", "not_scalar", "containers"]
    assert names == ["digits", *lessons]
    assert [line.split()[0] for line in faults.splitlines()] == [
        f"example:{example.name}" for example in EXAMPLES if example.is_fault
    ]
