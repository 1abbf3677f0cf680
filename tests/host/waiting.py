"""How tests wait: for what is to happen, with one limit that only says that it never does.

Rule: no test passes or fails by how long something took. Standard library only.
"""

from __future__ import annotations

import asyncio
import time
from typing import Any, Callable

NEVER_SECONDS = 90.0
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
    """The same on an event loop."""
    deadline = time.monotonic() + NEVER_SECONDS
    while not condition():
        assert time.monotonic() < deadline, f"it never came to be: {what() if callable(what) else what}"
        await asyncio.sleep(0.01)
