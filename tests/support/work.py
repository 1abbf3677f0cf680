"""Counts work instead of timing it: how many calls it takes, and how much text a single one of them is given.

Python lets another thread run only between two steps of a program, and one call into C is one step: however long the
text is that it works on, everything else waits. Counts are the same on every machine, however busy it is.

Rule: what only copies a text or compares it does not count, for it is done at the speed of the memory.
Standard library only.
"""

from __future__ import annotations

import contextlib
import os
import sys
import sysconfig
from types import FrameType
from typing import Any, Callable, Iterator

TEXTS = (str, bytes, bytearray)
STANDARD_LIBRARY = os.path.realpath(sysconfig.get_paths()["stdlib"])
COPYING = ("join", "startswith", "endswith")


class Work:
    """What was done within `counted`, on the thread that entered it."""

    def __init__(self, *copying: str) -> None:
        """`copying`: methods of a text that only copy it here."""
        self._copying = (*COPYING, *copying)
        self.calls = 0
        """Of functions, whatever they are written in."""
        self.longest = 0
        """Characters or bytes of the longest text that one call into C was given."""
        self.where = ""
        """Which call that was."""

    @contextlib.contextmanager
    def counted(self) -> Iterator[None]:
        """Count meanwhile."""
        before = sys.getprofile()
        sys.setprofile(self._note)
        try:
            yield
        finally:
            sys.setprofile(before)

    def _note(self, frame: FrameType, event: str, argument: Any) -> None:
        if event in ("call", "c_call"):
            self.calls += 1
        if event == "c_call" and self._given(frame, argument) > self.longest:
            self.longest = self._given(frame, argument)
            self.where = f"{argument.__name__} in {frame.f_code.co_name}"

    def _given(self, frame: FrameType, function: Any) -> int:
        """The length of the text that a call into C works on."""
        owner, name = getattr(function, "__self__", None), function.__name__
        if isinstance(owner, TEXTS):
            return 0 if name in self._copying else len(owner)
        # What other functions are given cannot be seen. Those that work on texts are mostly called by the standard
        # library, where nothing but the text in question has a name.
        if frame.f_code.co_filename.startswith((STANDARD_LIBRARY, "<frozen")):
            return max((len(each) for each in frame.f_locals.values() if isinstance(each, TEXTS)), default=0)
        return 0


def steps(function: Callable[[], Any]) -> int:
    """Call the function. How many lines of Python were run for it on this thread, each time that they were."""
    count = 0

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        function()
    finally:
        sys.settrace(before)
    return count
