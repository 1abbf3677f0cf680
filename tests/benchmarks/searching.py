"""How long it takes to find a long text in another: ordinary ones beside Python's own search, bad ones in seconds.

    python tests/benchmarks/searching.py [--json]

From Python 3.10 on Python's own search takes a time that grows with both texts and no faster; before, the bad ones take
it minutes, so they are not searched by it. It holds all other threads meanwhile, ours does so for a portion at a time.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import Dict, List, Tuple

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1])]

from comparison import source  # noqa: E402
from ratio import Measurement, measure_ratio, measure_seconds, show  # noqa: E402

from companion.common.searching import Needle  # noqa: E402

ORDINARY, BAD = 0.1, 2.0
"""Seconds that finding a text may take in a megabyte of a program, and in half a megabyte of the worst."""
LINEAR = (3, 10)
"""The first Python whose own search is linear."""


def ordinary() -> Dict[str, Tuple[str, str]]:
    """What is looked for in a program of about a megabyte, and the program."""
    lines = source(50_000, random.Random(1))
    text = "".join(lines)
    return {
        "one line at the end": ("last line\n", text + "last line\n"),
        "500 lines at the end": ("".join(lines[-500:]), text),
        "500 lines, the last one another": ("".join(lines[-500:]) + "more\n", text),
    }


def bad() -> Dict[str, Tuple[str, str]]:
    """What is looked for in texts that seem to hold it everywhere."""
    return {
        "150,000 letters and another": ("a" * 150_000 + "b", "a" * 500_000),
        "150,000 letters around another": ("a" * 75_000 + "b" + "a" * 75_000, ("a" * 75_000 + "c") * 7),
        "equal lines around another": (
            "pass\n" * 15_000 + "end\n" + "pass\n" * 15_000,
            ("pass\n" * 15_000 + "enb\n") * 7,
        ),
    }


def measurements() -> List[Measurement]:
    """All that is measured, with its targets."""
    result = []
    for texts, target in ((ordinary(), ORDINARY), (bad(), BAD)):
        for name, (wanted, text) in texts.items():
            ours = lambda wanted=wanted, text=text: Needle(wanted).find(text)  # type: ignore[misc]  # noqa: E731
            theirs = lambda wanted=wanted, text=text: text.find(wanted)  # type: ignore[misc]  # noqa: E731
            result.append(measure_seconds(f"Find {name}", ours, target=target))
            if target == ORDINARY or sys.version_info >= LINEAR:
                result.append(
                    measure_ratio("  beside Python's own", ours, theirs, target=None, unit="str.find", turns=5)
                )
    return result


if __name__ == "__main__":
    sys.exit(show(measurements()))
