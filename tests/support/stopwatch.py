"""Time as it passes on a machine that has nothing else to do: without what a busy one adds.

Linux counts how long a thread was ready to run and got no processor (schedstat in proc's documentation); elsewhere
nothing can be taken off.
"""

from __future__ import annotations

import os
import time
from typing import Dict


class Stopwatch:
    """Begins when it is made. Any thread. Standard library only: it is carried into other processes as text, too."""

    def __init__(self, *processes: object) -> None:
        """`processes`: numbers of those whose waits for a processor do not count; by default this one."""
        self._processes = processes or ("self",)
        self._delays = self._read()
        self._began = time.perf_counter()

    def seconds(self) -> float:
        """Since the beginning."""
        seconds = time.perf_counter() - self._began
        delays = self._read()
        return seconds - sum(max(0.0, delay - self._delays.get(thread, 0.0)) for thread, delay in delays.items())

    def _read(self) -> Dict[str, float]:
        """Seconds by thread, of those that live."""
        found = {}
        for process in self._processes:
            folder = f"/proc/{process}/task"
            for thread in os.listdir(folder) if os.path.isdir(folder) else ():
                try:
                    with open(f"{folder}/{thread}/schedstat", encoding="ascii") as file:
                        found[thread] = int(file.read().split()[1]) / 1e9
                except (FileNotFoundError, ProcessLookupError):
                    continue  # it has ended
        return found
