"""Which processor the server that is measured runs on, and which one whoever asks it.

A call takes 20 % more or less of the server's time depending on whether both happen to share a processor, and the
system moves them when it likes. So each side has one of its own where there are two and the system lets us say so.
"""

from __future__ import annotations

import os

_OURS = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []


def set_apart(process: int) -> None:
    """Let that process, which has just begun, run on one processor and this one on another from now on."""
    if len(_OURS) > 1:
        os.sched_setaffinity(0, _OURS[:1])
        os.sched_setaffinity(process, _OURS[-1:])
