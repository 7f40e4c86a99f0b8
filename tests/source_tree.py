"""The project's own source as syntax trees, for the tests that keep the rules of the house."""

import ast
import functools
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "hookscope"


@functools.cache
def parsed(file: Path) -> ast.Module:
    """Return the syntax tree of a file."""
    return ast.parse(file.read_text(encoding="utf-8"), str(file))


def package_files(folder: str = "") -> list[Path]:
    """Return all Python files of the package, or of one layer."""
    return sorted((PACKAGE / folder).rglob("*.py"))


def shown(file: Path) -> str:
    """Return a path as a failing test shows it."""
    return file.relative_to(ROOT).as_posix()


def imported_names(tree: ast.AST) -> Iterator[tuple[int, str, tuple[str, ...]]]:
    """Yield line, module and imported names of every import, wherever it stands.

    Those inside functions and under `TYPE_CHECKING` count, and so do `import_module("name")` and `__import__("name")`.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name, ()
        elif isinstance(node, ast.ImportFrom):
            yield node.lineno, "." * node.level + (node.module or ""), tuple(alias.name for alias in node.names)
        elif (
            isinstance(node, ast.Call)
            and called_name(node) in {"import_module", "__import__"}
            and node.args
            and isinstance(node.args[0], ast.Constant)
        ):
            yield node.lineno, str(node.args[0].value), ()


def called_name(call: ast.Call) -> str:
    """Return `connect` for `button.clicked.connect(...)`, `QTimer` for `QTimer(...)`."""
    match call.func:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
    return ""


def needs(module: str, names: tuple[str, ...]) -> set[str]:
    """Return what an import needs: `hookscope.LAYER` or a distribution; nothing for the standard library."""
    top, _, rest = module.partition(".")
    if top == "hookscope":
        layers = [rest.partition(".")[0]] if rest else [name for name in names if name != "__version__"]
        return {f"hookscope.{layer}" for layer in layers} if layers else set()
    return set() if top in sys.stdlib_module_names else {top or "a relative import"}
