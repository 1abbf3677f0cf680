"""Measures how long one thing takes in units of another, in one run, and how much to believe it.

Rule: what is compared is run in turns, so that a busy machine slows both, and what this process computes is measured in
its own processor time, of which a wait for the processor is no part. The result is the median of the turns, and its
noise is half of what their middle half spreads. A target is missed only if it is missed by more than the noise, of
which no more than a quarter of the target counts: a machine too busy to measure on does not make everything pass.
"""

from __future__ import annotations

import gc
import json
import sys
import time
from statistics import median
from typing import Callable, Iterable, List, NamedTuple, Optional

Action = Callable[[], object]


class Measurement(NamedTuple):
    """One line of the table: a value with its noise, and the target it should not exceed (or not fall below).

    Without a target it stands there for scale.
    """

    name: str
    value: float
    noise: float
    target: Optional[float]
    unit: str
    at_least: bool = False

    @property
    def missed(self) -> bool:
        """Whether the target is missed by more than the noise."""
        if self.target is None:
            return False
        noise = min(self.noise, self.target / 4)
        if self.at_least:
            return self.value + noise < self.target
        return self.value - noise > self.target


def measure_ratio(
    name: str,
    subject: Action,
    base: Action,
    *,
    target: Optional[float],
    unit: str,
    turns: int = 11,
    at_least: bool = False,
) -> Measurement:
    """How long `subject` takes in units of `base`; `unit` names what that is, such as "difflib"."""
    subject()
    base()
    ratios = []
    for turn in range(turns):
        if turn % 2:
            base_seconds = seconds(base)
            ratios.append(seconds(subject) / base_seconds)
        else:
            subject_seconds = seconds(subject)
            ratios.append(subject_seconds / seconds(base))
    return summary(name, ratios, target=target, unit="x " + unit, at_least=at_least)


def measure_seconds(name: str, subject: Action, *, target: Optional[float], turns: int = 3) -> Measurement:
    """How many seconds of the processor `subject` takes."""
    return summary(name, [seconds(subject) for _ in range(turns)], target=target, unit="s")


def summary(
    name: str, values: Iterable[float], *, target: Optional[float], unit: str, at_least: bool = False
) -> Measurement:
    """The median of `values`, with half of what their middle half spreads as the noise."""
    ordered: List[float] = sorted(values)
    quarter = len(ordered) // 4
    noise = (ordered[-1 - quarter] - ordered[quarter]) / 2
    return Measurement(name, median(ordered), noise, target, unit, at_least)


def seconds(action: Action) -> float:
    """How long one call takes of the processor, with no garbage left over from others."""
    gc.collect()
    start = time.process_time()
    action()
    return time.process_time() - start


def table(measurements: Iterable[Measurement]) -> str:
    """All measurements as lines of text, columns aligned."""
    rows = [("measured", "median", "spread", "target", "")]
    for one in measurements:
        bound, verdict = "", ""
        if one.target is not None:
            bound = "%s %.3g" % (">=" if one.at_least else "<=", one.target)
            verdict = "MISSED" if one.missed else "ok"
        rows.append((one.name, "%.3g %s" % (one.value, one.unit), "+-%.2g" % one.noise, bound, verdict))
    widths = [max(len(row[column]) for row in rows) for column in range(5)]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows)


def show(measurements: Iterable[Measurement]) -> int:
    """Print the table, or with the option `--json` the measurements for `run.py`; returns the exit code."""
    measured = list(measurements)
    print(json.dumps(measured) if "--json" in sys.argv[1:] else table(measured))
    return int(any(one.missed for one in measured))
