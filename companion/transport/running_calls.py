"""A tool call under way on the loop thread."""

from __future__ import annotations

import asyncio
from typing import Any, Callable, NamedTuple, NoReturn, Union

from ..protocol.effects import Answer, OpenStream


class RunningCall(NamedTuple):
    """A call under way: the task that runs it, and what gives the reply to its request."""

    task: asyncio.Task[Any]
    hand_over: Callable[[Union[Answer, OpenStream]], None]


def never(value: NoReturn) -> NoReturn:
    """Where nothing can come: the type checker complains if something can."""
    raise AssertionError(f"not interpreted: {type(value).__name__}")
