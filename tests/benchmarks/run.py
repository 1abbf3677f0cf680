"""Measures how fast everything is: `python3 tests/benchmarks/run.py` sets up what it needs and prints one table.

On Python 3.8 and on the newest Python found. Ends with code 1 if a target is missed by more than the noise measured,
and with 2 if a part could not be measured. Nothing else should run on the machine meanwhile.
Runs on Python 3.8 or newer with nothing but the standard library.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from typing import Any, Dict, List

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(os.path.dirname(HERE))]

from ratio import Measurement, table  # noqa: E402

from tests.tools import cache, nodes, pythons  # noqa: E402

PARTS = ("comparison", "events", "editor", "server")


def main() -> int:
    options = parse_arguments()
    found = {python.name: python for python in pythons.find_all().values()}
    names = options.python or sorted({"3.8", pythons.newest().name}, key=lambda name: int(name.split(".")[1]))
    incomplete = [f"Python {name} was not found" for name in names if name not in found]
    sdks = sdk_servers(incomplete) if "server" in (options.only or PARTS) else {}
    failed = False
    for name in names:
        if name not in found:
            continue
        executable = pythons.environment(found[name])
        measured: List[Measurement] = []
        for part in options.only or PARTS:
            cache.say(f"Measuring: {part}, Python {name} ...")
            result = measure(executable, part, sdks)
            if result is None:
                incomplete.append(f"{part} on Python {name}")
            else:
                measured += result
        print(f"\nPython {name}\n{table(measured)}\n", flush=True)
        failed = failed or any(one.missed for one in measured)
    for reason in incomplete:
        print("NOT MEASURED: " + reason)
    return 2 if incomplete else int(failed)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measures how fast the package is.")
    parser.add_argument("--only", action="append", choices=PARTS, help="only this part; may be repeated")
    parser.add_argument("--python", action="append", help="a version like 3.8; may be repeated")
    return parser.parse_args()


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


def measure(executable: str, part: str, environment: Dict[str, str]) -> Any:
    """What one part measures, or None if it failed."""
    command = [executable, os.path.join(HERE, part + ".py"), "--json"]
    done = subprocess.run(
        command, env={**os.environ, **environment}, cwd=cache.ROOT, stdout=subprocess.PIPE, universal_newlines=True
    )
    if done.returncode not in (0, 1) or not done.stdout:
        return None
    return [Measurement(*values) for values in json.loads(done.stdout.splitlines()[-1])]


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("Interrupted: not everything was measured.")
