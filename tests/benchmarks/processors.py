"""Which processor a server under measurement runs on, and which one its load generator.

A call takes up to a fifth more or less of the server's time depending on whether both happen to share a processor, and
the system moves them when it likes. So each has one of its own, where there are two and the system lets us choose.
"""

from __future__ import annotations

import contextlib
import os
from typing import Iterator, List

_ALLOWED = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []


@contextlib.contextmanager
def set_apart() -> Iterator[None]:
    """What is started meanwhile runs, with all its threads, on another processor than this process does afterwards."""
    _run_on(_ALLOWED[-1:])
    try:
        yield
    finally:
        _run_on(_ALLOWED[:1])


def _run_on(processors: List[int]) -> None:
    if len(_ALLOWED) > 1:
        with contextlib.suppress(OSError):  # a container may forbid it
            os.sched_setaffinity(0, processors)
