"""Runs the parts one after the other and prints everything as one JSON object."""

import argparse
import json
import os
import platform
import subprocess
import sys

PARTS = {
    "start": "the time from the command to the window, and to the first plot of the digits example",
    "window": "gaps of the event loop while a model runs under six and under twelve panels, and what these cost it",
    "views": "pictures of large tensors, and the memory of the window that shows them",
    "stop": "the time from a step command to the painted tensor at hand",
    "tree": "showing and filtering a tree of 10,000 modules",
    "steps": "what a step costs with nothing and with everything checked, against a plain loop",
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/bench", formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.description = "Measure the figures of the README.\n\n" + "\n".join(
        f"  {name:<8} {summary}" for name, summary in PARTS.items()
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help="which parts; all by default")
    chosen = parser.parse_args().parts or list(PARTS)
    if unknown := set(chosen) - PARTS.keys():
        parser.error(f"there is no part {', '.join(sorted(unknown))}")
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen", "QT_LOGGING_RULES": "default.warning=false"}
    figures: dict[str, object] = {"machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} CPUs"}
    for part in chosen:
        print(f"measuring {PARTS[part]} ...", file=sys.stderr)
        done = subprocess.run(
            [sys.executable, "-m", f"benchlib.{part}"], env=environment, stdout=subprocess.PIPE, text=True, check=False
        )
        if done.returncode != 0:
            return done.returncode
        figures[part] = json.loads(done.stdout)
    print(json.dumps(figures, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
