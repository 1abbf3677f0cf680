"""Measures how fast everything is: `python3 tests/benchmarks/run.py` sets up what it needs and prints one table.

On Python 3.8 and on the newest Python found. Ends with code 1 if a target is missed by more than the noise measured,
and with 2 if a part could not be measured. Nothing else should run on the machine meanwhile.
`--write-table` puts the result into README.md in this folder. Runs on Python 3.8 or newer with nothing but the standard
library.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from typing import Dict, List, Optional

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(os.path.dirname(HERE))]

from ratio import Measurement, table  # noqa: E402
from report import write_table  # noqa: E402

from tests.tools import cache, pythons  # noqa: E402

PARTS = ("comparison", "editor", "programs", "server", "unreviewed", "websocket")
README = os.path.join(HERE, "README.md")


class Run:
    """One run: what was measured, and what could not be."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.parts = options.only or PARTS
        self.incomplete: List[str] = []
        self.failed = False
        self.tables: Dict[str, List[Measurement]] = {}
        self.minutes = 0.0

    def pythons(self) -> Dict[str, str]:
        """The interpreters to measure on, by version."""
        found = {python.name: python for python in pythons.find_all().values()}
        newest = sorted({"3.8", pythons.newest().name}, key=lambda name: int(name.split(".")[1]))
        names = self.options.python or newest
        self.incomplete += [f"Python {name} was not found" for name in names if name not in found]
        return {name: pythons.environment(found[name]) for name in names if name in found}

    def measure_all(self) -> None:
        """Measure this state and print a table for each Python."""
        began = time.monotonic()
        for name, executable in self.pythons().items():
            measured = self.tables[name] = []
            for part in self.parts:
                cache.say(f"Measuring: {part}, Python {name} ...")
                found = run_part(executable, part)
                if found is None:
                    self.incomplete.append(f"{part} on Python {name}")
                measured += found or []
        for name, measured in self.tables.items():
            print(f"\nPython {name}\n{table(measured)}\n", flush=True)
            self.failed = self.failed or any(one.missed for one in measured)
        self.minutes = (time.monotonic() - began) / 60
        print(f"It took {self.minutes:.1f} minutes.")


def main() -> int:
    options = parse_arguments()
    run = Run(options)
    run.measure_all()
    for reason in run.incomplete:
        print("NOT MEASURED: " + reason)
    if run.incomplete:
        return 2
    if options.write_table:
        write_table(README, run.tables, run.minutes)
    return int(run.failed)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measures how fast the package is.")
    parser.add_argument("--only", action="append", choices=PARTS, help="only this part; may be repeated")
    parser.add_argument("--python", action="append", help="a version like 3.8; may be repeated")
    parser.add_argument("--write-table", action="store_true", help="put the result into README.md in this folder")
    options = parser.parse_args()
    if options.write_table and (options.only or options.python):
        parser.error("--write-table is for a whole run")
    return options


def run_part(executable: str, part: str) -> Optional[List[Measurement]]:
    """What one part measures, or None if it failed."""
    done = subprocess.run(
        [executable, os.path.join(HERE, part + ".py"), "--json"],
        stdout=subprocess.PIPE,
        universal_newlines=True,
    )
    if done.returncode not in (0, 1) or not done.stdout:
        return None
    return [Measurement(*values) for values in json.loads(done.stdout.splitlines()[-1])]


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("Interrupted: not everything was measured.")
