"""Measures how fast everything is: `python3 tests/benchmarks/run.py` sets up what it needs and prints one table.

On Python 3.8 and on the newest Python found. Ends with code 1 if a target is missed by more than the noise measured,
and with 2 if a part could not be measured. Nothing else should run on the machine meanwhile.
`--against COMMIT` measures this state and another one of the repository in turns; `--write-table` puts the result into
README.md in this folder. Runs on Python 3.8 or newer with nothing but the standard library.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import json
import os
import subprocess
import sys
import time
from typing import Any, Dict, List, Optional

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(os.path.dirname(HERE))]

from ratio import Measurement, table  # noqa: E402
from report import side_by_side, write_table  # noqa: E402
from states import State, checked_out  # noqa: E402

from tests.tools import cache, nodes, pythons  # noqa: E402

PARTS = ("comparison", "editor", "hooks", "programs", "quiet", "searching", "server", "unreviewed", "websocket")
COUNTED = "quiet"
"""The part that counts and mostly waits. It runs beside the others: how busy the machine is changes no count."""
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
        sdks = sdk_servers(self.incomplete) if "server" in self.parts else {}
        state = State("this state", cache.ROOT)
        pythons_found = self.pythons()
        timed = [part for part in self.parts if part != COUNTED]
        with concurrent.futures.ThreadPoolExecutor(1) as beside:
            counting = {
                name: beside.submit(self.measure, state, name, executable, COUNTED, sdks)
                for name, executable in pythons_found.items()
                if COUNTED in self.parts
            }
            for name, executable in pythons_found.items():
                measured = self.tables[name] = []
                for part in timed:
                    cache.say(f"Measuring: {part}, Python {name} ...")
                    measured += self.measure(state, name, executable, part, sdks)
            for name, counts in counting.items():
                cache.say(f"Waiting for what is counted, Python {name} ...")
                self.tables[name] += counts.result()
        for name, measured in self.tables.items():
            print(f"\nPython {name}\n{table(measured)}\n", flush=True)
            self.failed = self.failed or any(one.missed for one in measured)
        self.minutes = (time.monotonic() - began) / 60
        print(f"It took {self.minutes:.1f} minutes.")

    def compare(self, other: State) -> None:
        """Measure two states in turns and print them side by side. Each value is a ratio to its own floor, measured in
        the same turn; so is what the other state says with its own benchmarks. Where what a row measures has changed in
        between, its two values say nothing of each other."""
        this = State("this state", cache.ROOT)
        for name, executable in self.pythons().items():
            turns: Dict[str, List[Measurement]] = {this.name: [], other.name: []}
            for turn in range(self.options.turns):
                for part in self.parts:
                    for state in (this, other) if turn % 2 else (other, this):
                        cache.say(f"Measuring: {part}, Python {name}, {state.name}, turn {turn + 1} ...")
                        turns[state.name] += self.measure(state, name, executable, part, {})
            print(f"\nPython {name}\n{side_by_side(turns)}\n", flush=True)

    def measure(
        self, state: State, python: str, executable: str, part: str, environment: Dict[str, str]
    ) -> List[Measurement]:
        """What one part of the state's own benchmarks measures; nothing, and a note of it, if it fails."""
        script = os.path.join(state.folder, "tests", "benchmarks", part + ".py")
        result = run_part(executable, script, state.folder, environment) if os.path.exists(script) else []
        if result is None:
            self.incomplete.append(f"{part} on Python {python}, {state.name}")
        return result or []


def main() -> int:
    options = parse_arguments()
    run = Run(options)
    if options.against:
        with checked_out(options.against) as other:
            run.compare(other)
    else:
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
    parser.add_argument("--against", metavar="COMMIT", help="measure that state of the repository, too, in turns")
    parser.add_argument("--turns", type=int, default=3, help="how often, with --against (3)")
    parser.add_argument("--write-table", action="store_true", help="put the result into README.md in this folder")
    options = parser.parse_args()
    if options.write_table and (options.against or options.only or options.python):
        parser.error("--write-table is for a whole run")
    return options


def sdk_servers(incomplete: List[str]) -> Dict[str, str]:
    """The environment that names the servers of the official SDKs, which are measured for scale."""
    servers: List[Any] = []
    environment = {}
    try:
        python = pythons.sdk_environment()
        servers.append(["Python SDK", [python, os.path.join(HERE, "servers", "python_sdk.py")]])
    except cache.SetupError as error:
        incomplete.append(f"the official Python SDK: {error}")
    try:
        environment = nodes.environment(nodes.packages("mcp_sdk"))
        servers.append(["TypeScript SDK", [nodes.node(), os.path.join(HERE, "servers", "typescript_sdk.mjs")]])
    except cache.SetupError as error:
        incomplete.append(f"the official TypeScript SDK: {error}")
    return {**environment, "BENCHMARK_SDKS": json.dumps(servers)}


def run_part(executable: str, script: str, folder: str, environment: Dict[str, str]) -> Optional[List[Measurement]]:
    """What one part measures, or None if it failed."""
    done = subprocess.run(
        [executable, script, "--json"],
        env={**os.environ, **environment},
        cwd=folder,
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
