"""How a benchmark speaks with the server that it measures: lines on the server's standard input and output.

The server prints its port first. Then `notify` sends the context to all clients, and `usage` is answered with the
seconds of processor time and the bytes of memory that the process has used so far. The end of the input ends it.
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


def usage() -> str:
    """The answer to `usage`."""
    gc.collect()
    return json.dumps({"seconds": time.process_time(), "bytes": memory()})


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
            print(usage(), flush=True)
