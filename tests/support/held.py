"""What suspended coroutines still hold: the long texts in their frames, which nobody reads any more."""

from __future__ import annotations

import asyncio
from typing import Any, Iterator, List

LONG = 100_000


def long_texts() -> List[str]:
    """Where a text of at least `LONG` bytes or characters is held by the tasks of this loop: function and variable."""
    return [
        f"{frame.f_code.co_name}: {name}"
        for task in asyncio.all_tasks()
        for frame in _frames(task.get_coro())
        for name, value in frame.f_locals.items()
        for text in (value, getattr(value, "data", None))
        if isinstance(text, (bytes, str)) and len(text) >= LONG
    ]


def _frames(coroutine: Any) -> Iterator[Any]:
    while coroutine is not None:
        frame = getattr(coroutine, "cr_frame", None) or getattr(coroutine, "ag_frame", None)
        if frame is not None:
            yield frame
        coroutine = getattr(coroutine, "cr_await", None)
