"""How often an idle package wakes the plugin host, and how much it computes then, counted inside of it.

A timer of the package on the main thread is one wake-up, and so is a turn of the event loop for which it had slept, and
whatever another thread of the package had waited for. What the headless editor does itself is not counted.
"""

from __future__ import annotations

import time
from typing import Any, List, NamedTuple

COUNT = """
import probe
watch = probe.Probe(probe.time.thread_time)
watch.install()
wakes = probe.Wakes(application.runtime._loop)
"""
WAKE_UPS = {0: 1.0, 10: 4.0}
"""At most so many a second, by the number of clients; with clients, one of them is for looks at the folders."""
USED = """
[probe.time.monotonic(), probe.time.process_time() - probe.time.thread_time(),
    sum(own for _, own, _ in watch.slices), len(watch.slices), wakes.total()]
"""


class Idle(NamedTuple):
    """What a while of idleness cost."""

    seconds: float
    elsewhere: float
    """Seconds of processor time off the main thread."""
    on_main: float
    """The same on it, without the editor's own."""
    timers: int
    """On the main thread."""
    wakes: int
    """Of other threads."""

    @property
    def wake_ups(self) -> float:
        """All of them, a second."""
        return (self.timers + self.wakes) / self.seconds

    def is_quiet(self, clients: int) -> bool:
        """Whether there were as few wake-ups as there may be, and one more: where a period begins is chance."""
        return self.timers + self.wakes <= WAKE_UPS[clients] * self.seconds + 1

    @property
    def share(self) -> float:
        """Of a core."""
        return (self.elsewhere + self.on_main) / self.seconds

    def __str__(self) -> str:
        return (
            f"{self.wake_ups:.2f} wake-ups a second ({self.timers} timers and {self.wakes} of other threads in"
            f" {self.seconds:.0f} s); {100 * self.share:.3f} % of a core ({self.elsewhere / self.seconds * 1e6:.0f} us"
            f" a second off the main thread, {self.on_main / self.seconds * 1e6:.0f} us on it)"
        )

    @classmethod
    def measure(cls, host: Any, seconds: float) -> Idle:
        """Look on for so long. `COUNT` has been run in the host, where `application` is the package's."""
        before: List[Any] = host.evaluate(USED)
        time.sleep(seconds)
        after: List[Any] = host.evaluate(USED)
        return cls(*(new - old for new, old in zip(after, before)))
