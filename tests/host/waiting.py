"""How tests wait: for what is to happen, with one limit that only says that it never does.

Rule: no test passes or fails by how long something took. Standard library only.
"""

from __future__ import annotations

import asyncio
import threading
import time
from typing import Any, Awaitable, Callable

NEVER_SECONDS = 120.0
"""What has not come by then does not come: a busy machine is slow, but not as slow as that."""


def until(condition: Callable[[], Any], what: Any = "") -> Any:
    """Wait for a true value of `condition`, and return it. Raises AssertionError with `what`; a function makes it."""
    deadline = time.monotonic() + NEVER_SECONDS
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < deadline, f"it never came to be: {what() if callable(what) else what}"
        time.sleep(0.01)


async def comes_true(condition: Callable[[], Any], what: Any = "") -> None:
    """Wait on an event loop until the condition holds; the loop's clock may stand still."""
    deadline = time.monotonic() + NEVER_SECONDS
    while not condition():
        assert time.monotonic() < deadline, f"it never came to be: {what() if callable(what) else what}"
        await a_moment()


async def ends(work: Awaitable[Any]) -> Any:
    """The result of `work`; raises AssertionError if it never ends. The loop's clock may stand still."""
    task = asyncio.ensure_future(work)
    limit = threading.Timer(NEVER_SECONDS, asyncio.get_running_loop().call_soon_threadsafe, [task.cancel])
    limit.daemon = True
    limit.start()
    try:
        return await task
    except asyncio.CancelledError:
        raise AssertionError("it never ended") from None
    finally:
        limit.cancel()


async def a_moment() -> None:
    """Let a loop do what it can do now, and others their work; its clock may stand still."""
    time.sleep(0.001)
    for _ in range(10):
        await asyncio.sleep(0)
