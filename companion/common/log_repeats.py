"""Limits repeated log records to one per minute, so that a recurring fault or a retrying client cannot fill the log.

Rule: warnings, errors and records marked `SELDOM` are shown once. The same record within the next minute is only
counted, and the next one shown says how often. Only the first one has its traceback.
"""

from __future__ import annotations

import logging
import threading
import time
from typing import Callable, Dict, List, Tuple

SELDOM = {"seldom": True}
"""Pass this as `extra` with a record below a warning that an unauthenticated client can cause at will."""
SECONDS = 60.0
MOST = 200
"""Different lines remembered; the oldest is forgotten first."""

Key = Tuple[str, int, str, str]


class Repeats(logging.Filter):
    """Lets a record pass unless it said the same within the last minute. Any thread."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._lock = threading.Lock()
        self._seen: Dict[Key, List[float]] = {}  # when it was shown last, and how often it has come since

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record is to be shown; one that is shown again says how often it was not."""
        if record.levelno < logging.WARNING and not getattr(record, "seldom", False):
            return True
        error = record.exc_info[1] if record.exc_info else None
        key = (record.name, record.levelno, record.getMessage()[:300], repr(error)[:300] if error is not None else "")
        now = self._clock()
        with self._lock:
            seen = self._seen.get(key)
            if seen is None:
                if len(self._seen) >= MOST:
                    del self._seen[next(iter(self._seen))]
                self._seen[key] = [now, 0]
                return True
            if now - seen[0] < SECONDS:
                seen[1] += 1
                return False
            since, self._seen[key] = int(seen[1]), [now, 0]
        if since:
            record.msg, record.args = "%s (%d more since the last one)", (record.getMessage(), since)
            record.exc_info = record.exc_text = None
        return True
