"""Runs chosen tests again and again on a machine that is busy: `python3 tests/run.py --stress NAME`.

Beside the tests as many programs as there are processors compute without end, and each round has pauses of its own
where work crosses threads (`pauses.py`). Rule: a round that failed is named with its seed, which repeats its pauses.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from typing import Callable, Dict, Iterator, List

from . import cache, legs, pauses

PAUSING = os.path.join(cache.ROOT, "tests", "tools", "pauses.py")
PLUGIN = ["-p", "tests.tools.pauses"]
BURNING = "import os\nparent = os.getppid()\nwhile os.getppid() == parent: sum(range(100000))"
"""Until the program that has started it has gone, in whatever way."""


def environment(seed: int) -> Dict[str, str]:
    """The variables by which tests, and the editors that they start, have the pauses of this seed."""
    return {pauses.PAUSES: str(seed), "HOST_PRELOAD": PAUSING}


@contextlib.contextmanager
def busy_processors() -> Iterator[None]:
    """While this holds, each processor has something else to do as well."""
    burning = [subprocess.Popen([sys.executable, "-c", BURNING]) for _ in range(os.cpu_count() or 1)]
    try:
        yield
    finally:
        for process in burning:
            process.kill()
            process.wait()


def with_pauses(leg: legs.Leg, seed: int) -> legs.Leg:
    """The leg with the pauses of this seed; its name says which."""
    command = [*leg.command, *PLUGIN] if "pytest" in leg.command else leg.command
    return leg._replace(name=f"{leg.name} (seed {seed})", command=command, env={**leg.env, **environment(seed)})


def rounds(
    planned: List[legs.Leg], count: int, first_seed: int, run: Callable[[List[legs.Leg]], List[legs.Outcome]]
) -> List[legs.Outcome]:
    """Runs the legs `count` times; in later rounds only those that have such tests. One outcome for each leg."""
    outcomes: List[legs.Outcome] = []
    with busy_processors():
        for seed in range(first_seed, first_seed + count):
            done = run([with_pauses(leg, seed) for leg in planned])
            outcomes += done
            ran = {_leg_name(outcome) for outcome in done if any(outcome.counts)}
            planned = [leg for leg in planned if leg.name in ran]
            failed = sum(outcome.counts.failed for outcome in outcomes)
            cache.say(f"round {seed - first_seed + 1} of {count}, seed {seed}: {failed} failed so far")
            if not planned:
                break
    return list(_together(outcomes).values())


def _leg_name(outcome: legs.Outcome) -> str:
    return outcome.name.rpartition(" (seed")[0]


def _together(outcomes: List[legs.Outcome]) -> Dict[str, legs.Outcome]:
    """The rounds of each leg as one outcome, with the output of those that failed."""
    found: Dict[str, legs.Outcome] = {}
    for each in outcomes:
        name = _leg_name(each)
        one = found.get(name) or legs.Outcome(name, legs.Counts(), "", 0.0)
        found[name] = one._replace(
            counts=legs.Counts(*map(sum, zip(one.counts, each.counts))),
            output=one.output + ("" if each.ok else f"{each.name}:\n{each.output}\n"),
            seconds=one.seconds + each.seconds,
            code=one.code or each.code,
            processor_seconds=one.processor_seconds + each.processor_seconds,
        )
    return found
