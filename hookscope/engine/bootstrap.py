"""The script that the window starts as a debuggee: `python -u bootstrap.py ADDRESS`, the secret on standard input.

It runs in the interpreter that the user chose, which need not have hookscope installed and must not see anything else
of the window's environment. So this package, and nothing beside it, is made importable from where this file lies.
Nothing but the standard library is used here, in words that an older Python 3 understands too.
"""

import faulthandler
import importlib
import importlib.util
import sys
from pathlib import Path

OLDEST_PYTHON = (3, 11)
NEEDED = ("msgspec", "numpy", "torch")
EXIT_UNUSABLE = 3

_HERE = Path(__file__).resolve().parent
_PACKAGE = _HERE.parent


def install_package() -> None:
    """Make `import hookscope` give the package that this file is part of, whatever else is installed."""
    spec = importlib.util.spec_from_file_location(
        "hookscope", str(_PACKAGE / "__init__.py"), submodule_search_locations=[str(_PACKAGE)]
    )
    assert spec is not None
    assert spec.loader is not None
    package = importlib.util.module_from_spec(spec)
    sys.modules["hookscope"] = package
    spec.loader.exec_module(package)


def complaints() -> "list[str]":
    """Return why this interpreter cannot run a model, one line each; empty when it can.

    Raises:
        Exception: What a package raised that is there and cannot be imported.
    """
    if sys.version_info < OLDEST_PYTHON:
        oldest = ".".join(map(str, OLDEST_PYTHON))
        return [f"Python {oldest} or newer is needed, and this is {sys.version.split()[0]}."]
    found = []
    for name in NEEDED:
        try:
            importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name != name:
                raise
            found.append(f"{name} is missing; install it with: {sys.executable} -m pip install {name}")
    return found


def start(address: str, authkey: bytes) -> None:
    """Serve the window until it ends the connection.

    Raises:
        SystemExit: With `EXIT_UNUSABLE`, after saying on standard error what this interpreter lacks.
    """
    faulthandler.enable()
    found = complaints()
    if found:
        sys.stderr.write("\n".join(found) + "\n")
        sys.exit(EXIT_UNUSABLE)
    install_package()
    from hookscope.engine.debuggee import main  # noqa: PLC0415 - there is nothing to import it from before

    main(address, authkey)


if __name__ in {"__main__", "__mp_main__"}:
    # As in an interactive Python, modules are found in the current directory and not beside this file.
    if sys.path[:1] == [str(_HERE)]:
        sys.path[0] = ""
    if __name__ == "__main__":
        window = sys.argv[1]
        del sys.argv[1:]  # user code that parses its arguments finds none
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]
        sys.stderr.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]
        start(window, sys.stdin.buffer.read())
    else:  # a worker process that the model's own code started afresh
        install_package()
