"""Runs the in-editor tests (`tests/in_editor/`) inside the headless host and prints their report.

Exit code 0 only if at least one test ran, none failed, and nothing else went wrong: no plugin raised an error, showed
HTML that the editor would not understand, or asked in a dialog. What a test plants says so in its message.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from typing import Any, Dict

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, ROOT)

from tests.host import launch  # noqa: E402
from tests.host.driver import Host, HostError  # noqa: E402

#: The test command ends an editor that prints nothing for long; one that is slow goes on.
RUN_SECONDS = 24 * 60 * 60
PLANTED = "planted by a test"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-k", dest="names", action="append", help="only tests whose name contains this or another -k")
    parser.add_argument("--pattern", default="test*.py", help="only files that match this")
    parser.add_argument("--package", default="tree", help="what to load: 'tree', a .sublime-package, a folder")
    parser.add_argument("--report", help="write the counts to this file, as JSON")
    parser.add_argument("--quirks", default="", help="let the host be contrary: names from tests/host/model/quirks.py")
    parser.add_argument("--failfast", action="store_true", help="stop at the first test that fails")
    parser.add_argument("--show-console", action="store_true", help="print the editor's console at the end")
    options = parser.parse_args()

    with open(os.path.join(ROOT, "unittesting.json"), encoding="utf-8") as file:
        configured = json.load(file)
    with tempfile.TemporaryDirectory(prefix="workspace-") as folder:
        counts = run(options, configured, folder)
    if options.report:
        with open(options.report, "w", encoding="utf-8") as file:
            json.dump(counts, file)
    return 0 if counts["failed"] == 0 and (counts["run"] > 0 or options.names) else 1


def run(options: argparse.Namespace, configured: Dict[str, Any], folder: str) -> Dict[str, Any]:
    counts: Dict[str, Any] = {"run": 0, "passed": 0, "failed": 1, "skipped": 0}
    contrary = {"HOST_QUIRKS": options.quirks}
    with Host.start(package=options.package, folders=[folder], env=contrary) as host:
        host.on_event(show)
        try:
            counts = host.call(
                "host.run_tests",
                call_timeout=RUN_SECONDS,
                package=launch.PACKAGE,
                pattern=options.pattern,
                names=options.names,
                condition_timeout=configured.get("condition_timeout", 4000),
                verbosity=configured.get("verbosity", 2),
                failfast=options.failfast,
            )
            for error in host.errors():
                if PLANTED not in error["message"]:
                    counts["failed"] += 1
                    print(f"WENT WRONG {error['where']}: {error['message']}", flush=True)
            host.clear_errors()
        except HostError as error:
            print(error, flush=True)
        if options.show_console or counts["failed"]:
            print("---- console ----\n" + host.console_tail(), flush=True)
    return counts


def show(event: Dict[str, Any]) -> None:
    if event["event"] == "test_output":
        sys.stdout.write(event["text"])
        sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
