"""How a benchmark speaks with the server that it measures: lines on the server's standard input and output.

The server prints its port first. Then `notify` sends the context to all clients, `seconds` is answered with the seconds
of processor time that the process has used so far, and `bytes` with the bytes of memory. The end of the input ends it.
Rule: answering `seconds` costs the server next to nothing, because that would count as the work that is measured.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import sys
import time
from typing import Any, Callable

CONTEXT = json.loads(os.environ.get("BENCHMARK_CONTEXT", "{}"))
"""The params of the notification."""


def memory() -> int:
    """The bytes of memory in use; where the system does not say, the most there ever were."""
    if sys.platform.startswith("linux"):
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    import resource

    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used if sys.platform == "darwin" else used * 1024


def used(order: str) -> float:
    """The answer to `seconds` or `bytes`."""
    if order == "seconds":
        return time.process_time()
    if order == "bytes":
        gc.collect()
        return memory()
    raise ValueError(f"an unknown order: {order}")


async def serve(port: int, notify: Callable[[], Any]) -> None:
    """Tell the port and obey until the input ends."""
    loop = asyncio.get_running_loop()
    print(port, flush=True)
    while True:
        line = await loop.run_in_executor(None, sys.stdin.readline)
        if not line:
            return
        if line == "notify\n":
            notify()
        else:
            print(json.dumps(used(line.strip())), flush=True)
