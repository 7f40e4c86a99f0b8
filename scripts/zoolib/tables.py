"""The two tables beside this file: the architectures of the zoo, and those that the recipe cannot build, with why."""

from dataclasses import dataclass
from pathlib import Path

_HERE = Path(__file__).parent
_INSIDE = _HERE / "architectures.tsv"
_OUTSIDE = _HERE / "not_built.tsv"


@dataclass(frozen=True)
class Architecture:
    """An architecture of the zoo.

    Attributes:
        name: Its model type in transformers.
        modules: How many modules its tiny model has.
        parameters: How many parameters.
        seconds: How long its comparison took when the table was made, on one thread of a plain machine.
        in_suite: Whether the tests compare it too.
    """

    name: str
    modules: int
    parameters: int
    seconds: float
    in_suite: bool


def architectures() -> list[Architecture]:
    """Return the architectures of the zoo, by name."""
    return [
        Architecture(name, int(modules), int(parameters), float(seconds), in_suite == "yes")
        for name, modules, parameters, seconds, in_suite in _rows(_INSIDE)
    ]


def not_built() -> dict[str, str]:
    """Return the architectures that are not in the zoo, with the reason."""
    return dict(_pair(row) for row in _rows(_OUTSIDE))


def write(inside: list[Architecture], outside: dict[str, str]) -> None:
    """Replace both tables."""
    _write(
        _INSIDE,
        [("name", "modules", "parameters", "seconds", "in_suite")]
        + [
            (a.name, str(a.modules), str(a.parameters), f"{a.seconds:.2f}", "yes" if a.in_suite else "no")
            for a in inside
        ],
    )
    _write(_OUTSIDE, [("name", "reason"), *outside.items()])


def _pair(row: list[str]) -> tuple[str, str]:
    name, reason = row
    return name, reason


def _rows(file: Path) -> list[list[str]]:
    return [line.split("\t") for line in file.read_text(encoding="utf-8").splitlines()[1:]]


def _write(file: Path, rows: list[tuple[str, ...]]) -> None:
    file.write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")
