"""The command line.

Only the standard library is imported up here: `--help` answers at once, and the window decides when Qt is loaded. Torch
is never loaded in this process.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from hookscope import __version__

if TYPE_CHECKING:
    from hookscope.client.start_options import StartOptions
    from hookscope.protocol.workload import Source, SyntheticInput

_EPILOG = """\
MODEL is one of
  example:NAME            a built-in example, see --list-examples
  path/to/file.py:NAME    a name in a Python file (NAME is "workload" when left out)
  package.module:NAME     a name in an importable module
NAME is a hookscope.Workload or an nn.Module, or a callable that returns one.

examples:
  hookscope
  hookscope example:digits --check '*' --steps 3
  hookscope train.py:make_model --input 8x3x32x32 --device cuda:0
  hookscope example:digits --check 'features.*' --steps 3 --screenshot out.png --headless
  hookscope example:digits --steps 3 --export captures --headless
"""


class _UsageError(Exception):
    """The arguments cannot be done; the message says why and what to write."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command `hookscope`.

    Args:
        arguments: Words after the command's name; those of this process by default.

    Returns:
        The exit status: 0; 1 when `--find-nonfinite` has found something; 2 when something that was asked for could not
        be done.
    """
    parser = _parser()
    given = parser.parse_args(arguments)
    if given.list_examples:
        _list_examples()
        return 0
    try:
        options = _start_options(given)
    except _UsageError as error:
        _refuse(parser, error)
    if given.find_nonfinite:
        return _find_non_finite(options)
    if options.headless and options.export is not None and options.screenshot is None:
        return _export(options, options.export)
    if options.headless:
        os.environ["QT_QPA_PLATFORM"] = "offscreen"

    from hookscope.gui.app import run_window  # noqa: PLC0415 - Qt is loaded only when a window is wanted

    return run_window(options)


def _export(options: "StartOptions", folder: Path) -> int:
    """Run and export without a window, and print what was written."""
    from hookscope.client.export_run import run_and_export  # noqa: PLC0415
    from hookscope.figures.export_words import has_written, word_export  # noqa: PLC0415
    from hookscope.figures.failure_words import failure_lines  # noqa: PLC0415

    outcome = run_and_export(options, folder)
    if outcome.failure is not None:
        print("\n".join(failure_lines(outcome.failure)), file=sys.stderr)
    if outcome.exported is None:
        return 2
    text = word_export(outcome.exported, str(folder))
    if not has_written(outcome.exported):
        print(f"hookscope: {text}", file=sys.stderr)
        return 2
    print(text)
    return 0


def _find_non_finite(options: "StartOptions") -> int:
    """Search without a window, and print what was found."""
    from hookscope.client.search import search_non_finite  # noqa: PLC0415
    from hookscope.figures.failure_words import failure_lines  # noqa: PLC0415
    from hookscope.figures.origin_words import origin_lines  # noqa: PLC0415

    assert options.source is not None
    outcome = search_non_finite(options.source, options.settings, options.inputs, max(options.steps, 1))
    if outcome.failure is not None:
        print("\n".join(failure_lines(outcome.failure)), file=sys.stderr)
    if outcome.found is None:
        return 2
    if outcome.found.origin is None:
        print(f"all finite in {outcome.found.steps} steps")
        return 0
    print("\n".join(origin_lines(outcome.found.origin)))
    return 1


def _refuse(parser: argparse.ArgumentParser, error: _UsageError) -> NoReturn:
    parser.exit(2, f"{parser.prog}: {error}\n")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="hookscope",
        description="See, step and keep what flows through a PyTorch model, forward and backward.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("model", nargs="?", metavar="MODEL", help="what to open; without it the window opens empty")
    add("--device", default="cpu", help="where the model runs, for example cuda:0 (default: %(default)s)")
    add("--check", action="append", default=[], metavar="GLOB", help="check the modules that match; may be repeated")
    add("--steps", type=_count, default=0, metavar="N", help="run N steps after loading (default: %(default)s)")
    add("--seed", type=int, default=0, metavar="S", help="seed of the first step (default: %(default)s)")
    add("--input", metavar="TEXT", help="made-up inputs, for example 1x3x32x32 or 'int64<1000(1, 16); float32(1, 8)'")
    add("--screenshot", type=Path, metavar="FILE", help="write the window to a PNG file once the steps are drawn")
    add(
        "--export",
        type=Path,
        metavar="DIR",
        help="write every tensor captured in the last step as .npy, and an index.json; runs at least one step, and "
        "without --check checks every module",
    )
    add(
        "--find-nonfinite",
        action="store_true",
        help="say where the first NaN or infinity is born; exit status 1 if any",
    )
    add("--headless", action="store_true", help="show no window, and end when all that is asked for is done")
    add("--list-examples", action="store_true", help="list the built-in examples and end")
    add("--version", action="version", version=f"hookscope {__version__}")
    return parser


def _count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 upwards")
    return int(text)


def _list_examples() -> None:
    from hookscope.protocol.examples import EXAMPLES  # noqa: PLC0415

    width = max(len(example.name) for example in EXAMPLES)
    for before, example in zip((EXAMPLES[0], *EXAMPLES), EXAMPLES, strict=False):
        if example.is_fault and not before.is_fault:
            print()
        print(f"example:{example.name:<{width}}  {example.title}. {example.summary}")


def _start_options(given: argparse.Namespace) -> "StartOptions":
    source = _source(given.model) if given.model is not None else None
    if source is None:
        for name in ("headless", "check", "steps", "input", "screenshot", "export", "find_nonfinite"):
            if getattr(given, name):
                raise _UsageError(f"--{name.replace('_', '-')} needs a MODEL, for example example:digits")
    inputs = _inputs(given.input) if given.input is not None else ()
    if given.screenshot is not None:
        _check_writable(given.screenshot)
    if given.export is not None:
        if given.find_nonfinite:
            raise _UsageError("--export and --find-nonfinite cannot be done at once")
        _check_folder(given.export)
    if not (given.headless or given.find_nonfinite):
        _check_display()

    from hookscope.client.start_options import StartOptions  # noqa: PLC0415

    return StartOptions(
        source=source,
        device=given.device,
        checks=tuple(given.check) or (("*",) if given.export is not None else ()),
        steps=max(given.steps, 1) if given.export is not None else given.steps,
        seed=given.seed,
        screenshot=given.screenshot,
        headless=given.headless,
        inputs=inputs,
        export=given.export,
    )


def _source(text: str) -> "Source":
    from hookscope.protocol.examples import EXAMPLES  # noqa: PLC0415
    from hookscope.protocol.patterns import nearest  # noqa: PLC0415
    from hookscope.protocol.workload import ExampleSource, FileSource, parse_source  # noqa: PLC0415

    try:
        source = parse_source(text)
    except ValueError as error:
        raise _UsageError(str(error)) from error
    if isinstance(source, ExampleSource):
        names = [example.name for example in EXAMPLES]
        if source.name not in names:
            near = nearest(source.name, names)
            hint = f"did you mean {' or '.join(near)}?" if near else f"there is {', '.join(names)}"
            raise _UsageError(f"there is no example {source.name!r}; {hint}")
    if isinstance(source, FileSource) and not Path(source.path).is_file():
        raise _UsageError(f"there is no file {source.path}")
    return source


def _inputs(text: str) -> "tuple[SyntheticInput, ...]":
    from hookscope.protocol.workload import parse_inputs  # noqa: PLC0415

    try:
        return parse_inputs(text)
    except ValueError as error:
        raise _UsageError(f"--input: {error}") from error


def _check_writable(file: Path) -> None:
    folder = file.absolute().parent
    if file.suffix.lower() != ".png":
        raise _UsageError(f"--screenshot: {file} must end in .png")
    if not folder.is_dir():
        raise _UsageError(f"--screenshot: there is no folder {folder}")
    if file.is_dir() or not os.access(file if file.exists() else folder, os.W_OK):
        raise _UsageError(f"--screenshot: {file} cannot be written")


def _check_folder(folder: Path) -> None:
    """Refuse what cannot become a folder with new files in it, before a model is loaded and steps are run."""
    place = folder.absolute()
    while not place.exists() and place != place.parent:
        place = place.parent
    if not place.is_dir():
        raise _UsageError(f"--export: {place} is a file, not a folder")
    if not os.access(place, os.W_OK | os.X_OK):
        raise _UsageError(f"--export: {place} cannot be written to")


def _check_display() -> None:
    """Say in words what Qt would otherwise end the process for."""
    if sys.platform == "linux" and not any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))):
        raise _UsageError("there is no display here; add --headless, and --screenshot FILE to see the window")
