"""A disk that fails: the system's calls that write, each of which may be made to fail once or from then on."""

from __future__ import annotations

import errno
import os
from typing import Any, Callable, List

CALLS = ("write", "fsync", "ftruncate", "replace")


class FailingDisk:
    """Counts the calls that write, and lets the one with the number `fail_at` fail (from 0); -1 for none.

    `calls` names those that count. With `for_good` the later ones fail as well. A write that fails may have written a
    part, as a disk that is full does: `portion` says at most how many bytes one call writes.
    """

    def __init__(
        self, monkeypatch: Any, fail_at: int, calls: Any = CALLS, for_good: bool = False, portion: int = 1 << 30
    ) -> None:
        self.made: List[str] = []
        self.failed = 0
        self._fail_at, self._for_good, self._portion = fail_at, for_good, portion
        for name in calls:
            monkeypatch.setattr(os, name, self._failing(name, getattr(os, name)))

    def _failing(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            number = len(self.made)
            self.made.append(name)
            if number == self._fail_at or (self._for_good and number > self._fail_at >= 0):
                self.failed += 1
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            if name == "write":
                return real(arguments[0], arguments[1][: self._portion])
            return real(*arguments)

        return call
