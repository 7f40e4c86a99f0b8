"""Compares an observed training step with a bare one for the architectures of the zoo, and prints one line each."""

import argparse
import sys

from hookscope.protocol.patterns import nearest
from scripts.zoolib import tables
from scripts.zoolib.tables import Architecture


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/zoo", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="which architectures; all by default")
    parser.add_argument("--list", action="store_true", help="print the architectures, and those that are left out")
    parser.add_argument("--suite", action="store_true", help="only those that the tests compare too")
    parser.add_argument("--survey", action="store_true", help="try every architecture and make the tables anew")
    chosen = parser.parse_args()
    if chosen.survey:
        return _survey()
    inside = {architecture.name: architecture for architecture in tables.architectures()}
    outside = tables.not_built()
    if chosen.list:
        return _list(inside, outside)
    for name in chosen.names:
        if name in outside:
            parser.error(f"{name} is left out of the zoo: {outside[name]}")
        if name not in inside:
            near = " or ".join(nearest(name, inside))
            parser.error(f"there is no {name}; {f'did you mean {near}?' if near else '--list prints what there is'}")
    names = chosen.names or [name for name, found in inside.items() if found.in_suite or not chosen.suite]
    return _compare(names)


def _list(inside: dict[str, Architecture], outside: dict[str, str]) -> int:
    for found in inside.values():
        suite = "in the tests" if found.in_suite else ""
        print(f"{found.name:<32}{found.modules:>5} modules{found.parameters:>12,} parameters  {suite}".rstrip())
    print("\nLeft out, as the recipe cannot build them or cannot run a step of them:")
    for name, reason in outside.items():
        print(f"{name:<32}{reason}")
    in_suite = sum(found.in_suite for found in inside.values())
    print(f"\n{len(inside)} architectures, {in_suite} of them in the tests; {len(outside)} are left out")
    return 0


def _compare(names: list[str]) -> int:
    # What needs torch and transformers comes late, so that --help and --list are there at once.
    import torch  # noqa: PLC0415

    from scripts.zoolib.compare import compare  # noqa: PLC0415

    torch.set_num_threads(1)  # a sum over several threads may have other bits each time
    same = 0
    for name in names:
        try:
            outcome = compare(name)
        except Exception as error:
            print(f"{name:<32}FAILED   its bare step raises {type(error).__name__}: {error}", flush=True)
            continue
        same += not outcome.differences
        verdict = f"DIFFERS  {'; '.join(outcome.differences)}" if outcome.differences else "same"
        about = f"{outcome.modules:>5} modules {outcome.records:>6} records {outcome.seconds:>6.1f} s"
        print(f"{name:<32}{about}  {verdict}", flush=True)
    print(f"\n{same} of {len(names)} the same in every bit of loss, outputs, gradients, buffers and random state")
    return 0 if same == len(names) else 1


def _survey() -> int:
    import torch  # noqa: PLC0415

    from scripts.zoolib.survey import survey  # noqa: PLC0415

    torch.set_num_threads(1)
    survey()
    return 0


if __name__ == "__main__":
    sys.exit(main())
