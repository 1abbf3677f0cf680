"""A tool call under way on the loop thread."""

from __future__ import annotations

import asyncio
from typing import NamedTuple, NoReturn, Union

from ..protocol.effects import Answer, OpenStream


class RunningCall(NamedTuple):
    """A call under way, and whoever waits for the reply to its request."""

    task: asyncio.Task[None]
    first: asyncio.Future[Union[Answer, OpenStream]]


def never(value: NoReturn) -> NoReturn:
    """Where nothing can come: the type checker complains if something can."""
    raise AssertionError(f"not interpreted: {type(value).__name__}")
