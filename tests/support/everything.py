"""What a run leaves out unless it is to do everything, and which of many points it tries instead of all of them.

`python3 tests/run.py --everything` sets EVERYTHING for all tests. Without it, `tests/conftest.py` leaves out those with
the mark `everything`, and a test that kills a process or fills the disk at each of many points tries a part of them:
one in so many, others on the next day, and all of them within so many days. SAMPLE names the day, which `tests/run.py`
prints; set to the day of a failure, it has the same points tried again.
"""

from __future__ import annotations

import datetime
import os
from typing import List, Sequence, TypeVar

EVERYTHING = "COMPANION_EVERYTHING"
SAMPLE = "COMPANION_SAMPLE"
Point = TypeVar("Point")


def is_everything() -> bool:
    """Whether nothing is to be left out."""
    return bool(os.environ.get(EVERYTHING))


def day() -> datetime.date:
    """The day by which points are chosen: the one that SAMPLE names, or today. Raises ValueError if it is no date."""
    named = os.environ.get(SAMPLE)
    if named:
        return datetime.datetime.strptime(named, "%Y-%m-%d").replace(tzinfo=datetime.timezone.utc).date()
    return datetime.datetime.now(datetime.timezone.utc).date()


def sample(points: Sequence[Point], one_in: int) -> List[Point]:
    """Every `one_in`-th point, beginning with another one each day; all of them if nothing is to be left out."""
    return list(points) if is_everything() else list(points[day().toordinal() % one_in :: one_in])
