"""The test command: `python3 tests/run.py` sets up all it needs in `.cache/` and passes every test.

Legs: lint and types, for build 4200 and for newer ones; then, on Python 3.8 and on the editor's 3.14, or the newest
Python that there is: unit tests, in-editor tests on the headless host, end-to-end tests with real clients. Where there
are two Pythons, the older one runs what could come out otherwise there (`tools/shares.py`), and the host is contrary on
the newest. As many legs run at a time as two processors have room for, of which some mostly wait; the first begin while
the rest is set up. With `--everything` each Python runs all tests, at every point (`support/everything.py`), and there
are soak and leak tests as well.
A leg that cannot run here (no Python 3.8, no Node) is named at the end as NOT RUN; with CI set that is a failure. The
last line is always `N passed, N failed`, with `, N skipped` where there were any.
Claude Code's licence reserves all rights: it is installed and run only where `--with-claude` asks for it, never in CI.
Runs on Python 3.8 or newer with nothing but the standard library.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import functools
import os
import signal
import sys
import time
from typing import Any, Callable, Dict, Iterable, List, Optional

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from tests.host.model.quirks import ALL
from tests.support.everything import EVERYTHING, SAMPLE
from tests.tools import browser, cache, legs, nodes, pythons, shares, stress

KINDS = ("lint", "unit", "editor", "soak", "end_to_end")
CLAUDE = "Claude Code"
FAILURES_SHOWN = 15
SKIPS_SHOWN = 5
LINE_CHARACTERS = 400
POLL_SECONDS = 0.1
PROGRESS_SECONDS = 30
MOST_AT_A_TIME = 16
#: How much of a processor the legs of tests keep busy, by their names, as a run prints it; a little less than that, so
#: that none idles. In this order they begin: first those that take longest, however little they do meanwhile.
LOADS = {
    "in editor": 0.25,
    "in a contrary editor": 0.2,
    "programs": 0.5,
    "unit": 0.55,
    "ends": 0.2,
    "soak": 0.15,
    "end to end": 0.35,
}


class Plan:
    """What is to run, and what cannot. It grows while things are set up."""

    def __init__(self, planned: Iterable[legs.Leg] = ()) -> None:
        self.legs = list(planned)
        self.not_run: Dict[str, str] = {}


def main() -> int:
    options = parse_arguments()
    started = time.monotonic()
    os.environ.setdefault(SAMPLE, time.strftime("%Y-%m-%d"))
    if not options.everything:
        cache.say(f"What is repeated at many points is tried at the points of the day {SAMPLE}={os.environ[SAMPLE]}.")
    # A shell starts what runs in the background deaf to Ctrl-C, and children inherit that: tests of it would wait on.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    plan = Plan()
    if options.set_up_only:
        make_plan(plan, options)
        print("\n".join(f"NOT SET UP {name}: {reason}" for name, reason in plan.not_run.items()) or "All is set up.")
        return 1 if plan.not_run else 0
    if options.stress is not None:
        make_plan(plan, options)
        outcomes = stress.rounds(
            plan.legs, options.rounds, options.seed, lambda chosen: run_legs(Plan(chosen), options.jobs)
        )
    else:
        outcomes = run_legs(plan, options.jobs, lambda: make_plan(plan, options))
    return report(outcomes, plan.not_run, time.monotonic() - started)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Sets up what is needed and runs all tests.")
    parser.add_argument("--only", action="append", choices=KINDS, help="only this kind of leg; may be repeated")
    parser.add_argument("--python", action="append", help="a version like 3.8, or an executable; may be repeated")
    parser.add_argument(
        "--with-claude", action="store_true", help="also the real Claude Code, to whose terms you agree by that"
    )
    parser.add_argument("-k", dest="keyword", help="only tests whose name contains this")
    parser.add_argument("--everything", action="store_true", help="all tests, on every Python, at every point")
    parser.add_argument("--jobs", type=float, default=2, help="how many processors to use (default: 2)")
    parser.add_argument("--set-up-only", action="store_true", help="set up the environments and run nothing")
    parser.add_argument(
        "--stress", metavar="NAME", help="only tests whose name contains this, 50 times, beside busy programs"
    )
    parser.add_argument("--rounds", type=int, default=50, help="how often --stress runs them")
    parser.add_argument("--seed", type=int, default=1, help="the seed of the first round of --stress")
    options = parser.parse_args()
    if options.stress is not None:
        options.keyword = options.stress or None
        options.only = options.only or ["unit", "editor", "end_to_end"]
    return options


def make_plan(plan: Plan, options: argparse.Namespace) -> Plan:
    """Sets up everything and lists the legs. What cannot be had goes to `not_run`, loudly."""
    kinds = options.only or [kind for kind in KINDS if not (options.keyword and kind == "lint")]
    chosen = choose_pythons(options.python, plan)
    if "lint" in kinds and chosen:
        by_age = sorted(chosen, key=lambda candidate: candidate.version)
        attempt(plan, "lint", lambda: add_lint(plan, by_age[0]))
        attempt(plan, "types of newer builds", lambda: add_newest_types(plan, by_age[-1]))
    if options.with_claude:
        attempt(plan, CLAUDE, lambda: add_claude(plan, chosen, options.keyword))
    for python in chosen:
        index, count = chosen.index(python), len(chosen)
        hosts = hosts_of(index, count)
        add = functools.partial(add_tests, plan, python, kinds, options, shares.share(index, count), hosts)
        attempt(plan, f"tests on Python {python.name}", add)
    env = attempt_client_environment(plan) if "end_to_end" in kinds else None
    if env is not None:
        for python in chosen:
            share = shares.share(chosen.index(python), len(chosen))
            add = functools.partial(add_pytest, plan, "end_to_end", python, options, share, env)
            attempt(plan, f"real clients on Python {python.name}", add)
    return plan


def hosts_of(index: int, count: int) -> Dict[str, str]:
    """In which hosts the Python at `index`, of `count`, runs the in-editor tests: names of legs, with their quirks.

    Every Python has one host and every host one Python: what the one tries does not depend on the other.
    """
    hosts = {}
    if count == 1 or index < count - 1:
        hosts["in editor"] = ""
    if index == count - 1:
        hosts["in a contrary editor"] = ",".join(sorted(ALL - {"late_timers"}))  # which would take minutes
    return hosts


def choose_pythons(wanted: Optional[List[str]], plan: Plan) -> List[pythons.Python]:
    """Python 3.8 and the newest one, or what was asked for."""
    found = pythons.find_all()
    names = wanted or ["3.8"]
    chosen: List[pythons.Python] = []
    for name in names:
        python = pythons.probe(name) if os.sep in name else next((p for p in found.values() if p.name == name), None)
        if python is None:
            plan.not_run[f"Python {name}"] = f"no usable Python {name} was found (PATH, pyenv, uv)"
        else:
            chosen.append(python)
    if not wanted:
        attempt(plan, "all tests", lambda: chosen.extend({pythons.newest()}.difference(chosen)))
    cache.say("Pythons: " + ", ".join(f"{python.name} ({python.executable})" for python in chosen))
    return chosen


def add_lint(plan: Plan, oldest: pythons.Python) -> None:
    """On the oldest Python: for the newest one there is no compiled release of this type checker, only a slow one."""
    python = pythons.lint_environment(oldest)
    plan.legs.append(legs.check_leg("lint: ruff", [python, "-m", "ruff", "check", "."]))
    plan.legs.append(legs.check_leg("types: mypy", [python, "-m", "mypy"]))


def add_newest_types(plan: Plan, newest: pythons.Python) -> None:
    python = pythons.newest_types_environment(newest)
    types = [python, "-m", "mypy", "--config-file", "tests/tools/types_newest.ini"]
    plan.legs.append(legs.check_leg("types: newer builds", types))
    plan.legs.append(legs.check_leg("types: our stubs", [python, "tests/tools/stubs.py"]))


def add_tests(
    plan: Plan,
    python: pythons.Python,
    kinds: List[str],
    options: argparse.Namespace,
    share: shares.Share,
    hosts: Dict[str, str],
) -> None:
    executable = pythons.environment(python)
    for kind in ("unit", "soak"):
        if kind in kinds:
            add_pytest(plan, kind, python, options, share, {})
    if "editor" in kinds:
        chosen = {"": [options.keyword]} if options.keyword else shares.in_editor(share, options.everything)
        for name, quirks in hosts.items():
            for part, names in chosen.items():
                editor = legs.editor_leg(f"{name}{part}: Python {python.name}", executable, names, quirks)
                add_leg(plan, editor, name, share)


def add_pytest(
    plan: Plan,
    kind: str,
    python: pythons.Python,
    options: argparse.Namespace,
    share: shares.Share,
    env: Dict[str, str],
) -> None:
    executable = pythons.environment(python)
    env = {**env, **test_environment(options)}
    for name, paths in shares.legs_of(kind, share, EVERYTHING in env).items():
        leg = legs.pytest_leg(f"{name}: Python {python.name}", executable, paths, options.keyword, env)
        add_leg(plan, leg, name, share)


def test_environment(options: argparse.Namespace) -> Dict[str, str]:
    """Variables for legs of tests. What a keyword names is run whole."""
    return {EVERYTHING: "1"} if options.everything or options.keyword else {}


def add_leg(plan: Plan, leg: legs.Leg, name: str, share: shares.Share) -> None:
    later = 0.5 if share is shares.Share.OLDER else 0.0
    plan.legs.append(leg._replace(load=LOADS[name], turn=list(LOADS).index(name) + later))


def add_claude(plan: Plan, chosen: List[pythons.Python], keyword: Optional[str]) -> None:
    """The real Claude Code, which nothing else installs. Raises SetupError."""
    nodes.packages(nodes.CLAUDE_CODE)
    for python in chosen:
        path = "tests/end_to_end/test_claude_program.py"
        plan.legs.append(
            legs.pytest_leg(f"{CLAUDE}: Python {python.name}", pythons.environment(python), [path], keyword, {})
        )


def attempt_client_environment(plan: Plan) -> Optional[Dict[str, str]]:
    """Node, a newer Node, the npm packages and the browser; None, and a note in `not_run`, without them.

    They are set up here, before the legs run side by side, and told to the tests by environment variables.
    """
    try:
        nodes.node()
        env = {nodes.SET_UP: nodes.newer_node(), "COMPANION_SDK_PYTHON": pythons.sdk_environment()}
        for name in nodes.package_sets():
            nodes.packages(name)
        chromium = browser.chromium()
        if chromium:
            env["COMPANION_CHROMIUM"] = chromium
        return env
    except cache.SetupError as error:
        plan.not_run["end to end"] = str(error)
        return None


def attempt(plan: Plan, name: str, add: Callable[[], None]) -> None:
    """Runs a step of the set-up; if what it needs cannot be had, `name` is noted as not run."""
    try:
        add()
    except cache.SetupError as error:
        plan.not_run[name] = str(error)


def run_legs(plan: Plan, processors: float, make: Callable[[], Any] = lambda: None) -> List[legs.Outcome]:
    """Runs the legs of a plan while `make` makes it, in turn, as many at a time as the processors have room for.

    Prints a line for each that has ended, the output of those that failed, and now and then which ones are running.
    """
    outcomes: List[legs.Outcome] = []
    began = told = time.monotonic()
    running: Dict[concurrent.futures.Future[legs.Outcome], legs.Leg] = {}
    with concurrent.futures.ThreadPoolExecutor(MOST_AT_A_TIME) as pool:
        made = pool.submit(make)
        try:
            while running or plan.legs or not made.done():
                busy = sum(leg.load for leg in running.values()) + (0 if made.done() else 1)
                for leg in sorted(plan.legs, key=lambda leg: leg.turn):
                    if busy + leg.load <= processors or not busy:
                        plan.legs.remove(leg)
                        running[pool.submit(leg.run)] = leg
                        busy += leg.load
                awaited = [*running, *([] if made.done() else [made])]
                for run in concurrent.futures.wait(awaited, POLL_SECONDS, concurrent.futures.FIRST_COMPLETED).done:
                    if run is not made:
                        outcomes.append(run.result())
                        del running[run]
                        say_outcome(outcomes[-1])
                if time.monotonic() - told > PROGRESS_SECONDS:
                    told = time.monotonic()
                    cache.say(f"{told - began:6.0f} s: {', '.join(legs.progress()) or 'setting up'}")
            made.result()
        except KeyboardInterrupt:
            legs.stop_all()
            raise
    return outcomes


def say_outcome(outcome: legs.Outcome) -> None:
    """Prints a line for a leg that passed, and what a failed one printed; keeps all of it in a file."""
    legs.keep(outcome)
    cache.say(_row(outcome))
    if not outcome.ok:
        cache.say(f"===== {outcome.name} =====\n{outcome.shown}\n=====")


def _row(outcome: legs.Outcome) -> str:
    counts = outcome.counts
    return (
        f"{'ok    ' if outcome.ok else 'FAILED'} {outcome.name:34} {counts.passed:5} passed {counts.failed:4} failed"
        f" {counts.skipped:4} skipped {outcome.seconds:6.0f} s {outcome.processor_seconds:6.0f} s of a processor"
    )


def report(outcomes: List[legs.Outcome], not_run: Dict[str, str], seconds: float) -> int:
    """Prints the table and the last line; returns the exit code."""
    print("\n" + "=" * 72)
    passed = failed = skipped = 0
    for outcome in sorted(outcomes, key=lambda outcome: outcome.name):
        print(_row(outcome))
        counts = outcome.counts
        passed, failed, skipped = passed + counts.passed, failed + counts.failed, skipped + counts.skipped
        for line in outcome.skips[:SKIPS_SHOWN]:
            print(f"    {line[:LINE_CHARACTERS]}")
    # Once more at the end, which is what one sees, and all that some services keep.
    for outcome in outcomes:
        failures = outcome.failures
        for line in failures[:FAILURES_SHOWN]:
            print(f"{outcome.name}: {line[:LINE_CHARACTERS]}")
        if len(failures) > FAILURES_SHOWN:
            print(f"{outcome.name}: and {len(failures) - FAILURES_SHOWN} more, in its output above")
    for name, reason in not_run.items():
        print(f"NOT RUN {name}: {reason}")
        if cache.in_ci() or name == CLAUDE:  # which runs only where it was asked for
            failed += 1
    if not_run:
        print("NOT RUN counts as failed because CI is set." if cache.in_ci() else "These parts were NOT tested here.")
    if not outcomes:
        print("No leg was run.")
    print(f"({seconds:.0f} s)")
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""), flush=True)
    return 1 if failed or not outcomes else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("Interrupted: the tests were not finished.")
