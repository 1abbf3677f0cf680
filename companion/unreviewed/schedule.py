"""Says when the next look may be, and when it should be.

Theory of operation: each look costs time of a processor, and puts off the next one until it has cost a fiftieth of the
time at most. What was not used in ten seconds (`SAVED_UP_SECONDS`) is forgotten, so that a pause does not pay for a
storm.

One thread at a time; times are seconds of a steady clock.
"""

from __future__ import annotations

import os
import time
from typing import Optional

SHARE = 0.02
INTERVAL_SECONDS = 1.8
"""Of regular looks: what is written is counted within two seconds, the look itself included."""
ATTENTION_SECONDS = 60.0
"""How long after something has happened folders are looked at unasked."""
SOON_SECONDS = 0.05
SAVED_UP_SECONDS = 10.0
FIRST_SECONDS = 0.15
"""The most that a first look counts: there is only one, and it does not put off the next look for long."""


class Schedule:
    """The looks at all folders together."""

    def __init__(self) -> None:
        self._allowed = float("-inf")
        self._last = float("-inf")
        self._happened = float("-inf")
        self._asked_at = float("-inf")

    def happened(self, now: float) -> None:
        """Note that something has happened, so that looks go on for a while."""
        self._happened = now

    def asked(self, now: float) -> None:
        """Note a sign that files may have changed just now."""
        self._happened = self._asked_at = now

    def looked(self, now: float, cost: float, first: bool = False) -> None:
        """Note that a look has ended that took `cost` seconds of a processor; the `first` one reads all files."""
        self._last = now
        cost = min(cost, FIRST_SECONDS) if first else cost
        self._allowed = max(self._allowed, now - SAVED_UP_SECONDS) + cost / SHARE

    def has_just_looked(self, now: float) -> bool:
        """Whether looks are regular, and none was left out."""
        return now - self._last < 2 * INTERVAL_SECONDS

    def due(self, now: float) -> Optional[float]:
        """In how many seconds to look; None if there is no need to."""
        if now - self._happened > ATTENTION_SECONDS:
            return None
        regular = self._last + INTERVAL_SECONDS
        wanted = min(regular, self._asked_at + SOON_SECONDS) if self._asked_at >= self._last else regular
        return max(0.0, wanted - now, self._allowed - now)


def processor_seconds() -> float:
    """The processor time of this thread and of all ended processes; a look costs the difference of two of these."""
    times = os.times()
    return time.thread_time() + times.children_user + times.children_system
