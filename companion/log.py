"""The package's log: one logger tree, kept in memory for the log panel, warnings also on the editor's console.

Rules: a record never has a token, selected text or file content, but names, counts and sizes instead. The log's memory
is limited whatever is logged. A message is one line even if the names in it have line breaks; only tracebacks have
several. Warnings, errors and records marked `SELDOM` are shown once: the same record within the next minute is only
counted, and the next one shown says how often, so that a recurring fault or a retrying client cannot fill the log.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from typing import Callable, Deque, Dict, List, Optional, Tuple

from .common.clock import clock
from .common.display_names import shown

ROOT = "gemini_companion"
CAPACITY = 5000  # lines kept; at debug level that is several minutes of heavy traffic
LONGEST = 8000  # characters of one record, traceback included
PROBLEMS = 50
SELDOM = {"seldom": True}
"""Pass this as `extra` with a record below a warning that an unauthenticated client can cause at will."""
SECONDS = 60.0  # in which the same record is shown once
MOST = 200
"""Different lines remembered; the oldest is forgotten first."""
Key = Tuple[str, int, str, str]


# -- repeats ----------------------------------------------------------------------------------------------------------


class Repeats(logging.Filter):
    """Lets a record pass unless it said the same within the last minute. Any thread."""

    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.Lock()
        self._seen: Dict[Key, List[float]] = {}  # when it was shown last, and how often it has come since

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record is to be shown; one that is shown again says how often it was not."""
        if record.levelno < logging.WARNING and not getattr(record, "seldom", False):
            return True
        error = record.exc_info[1] if record.exc_info else None
        key = (record.name, record.levelno, record.getMessage()[:300], repr(error)[:300] if error is not None else "")
        now = clock.now()
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


# -- the log ----------------------------------------------------------------------------------------------------------


class LogBuffer(logging.Handler):
    """Keeps the last `CAPACITY` lines and passes new ones on. Any thread."""

    def __init__(self) -> None:
        super().__init__()
        self.setFormatter(_Formatter())
        self.addFilter(Repeats())
        self._lines: Deque[str] = deque(maxlen=CAPACITY)
        self._problems: Deque[str] = deque(maxlen=PROBLEMS)
        self._lines_lock = threading.Lock()
        self._listener: Optional[Callable[[str], None]] = None

    def emit(self, record: logging.LogRecord) -> None:
        line = shortened(self.format(record))
        with self._lines_lock:
            listener = self._listener
            self._lines.append(line)
            if record.levelno >= logging.WARNING:
                self._problems.append(line)
        if record.levelno >= logging.WARNING:
            print("Gemini Companion: " + line)
        if listener is not None:
            listener(line)

    def follow(self, listener: Optional[Callable[[str], None]]) -> List[str]:
        """Return the lines, oldest first. Later ones go to `listener`, on the thread that logs them. Any thread."""
        with self._lines_lock:
            self._listener = listener
            return list(self._lines)

    def lines(self) -> List[str]:
        """The lines kept, oldest first. Any thread."""
        with self._lines_lock:
            return list(self._lines)

    def problems(self) -> List[str]:
        """The latest warnings and errors, oldest first. Any thread."""
        with self._lines_lock:
            return list(self._problems)


def shortened(line: str, longest: int = LONGEST) -> str:
    """The line without its middle if it is too long."""
    if len(line) <= longest:
        return line
    half = longest // 2
    return f"{line[:half]}\n[{len(line) - 2 * half} characters left out]\n{line[-half:]}"


class _Formatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        moment = f"{time.strftime('%H:%M:%S', time.localtime(record.created))}.{int(record.msecs):03d}"
        area = record.name[len(ROOT) + 1 :] or "companion"
        text = f"{moment} {record.levelname.lower():<7} {area}: {shown(record.getMessage())}"
        if record.exc_info:
            text += "\n" + shown(self.formatException(record.exc_info), keep="\n")
        return text


def install() -> LogBuffer:
    """Put a fresh buffer on the package's logger and return it. Main thread."""
    root = logging.getLogger(ROOT)
    uninstall()
    buffer = LogBuffer()
    root.addHandler(buffer)
    root.propagate = False  # the root logger belongs to the editor and all plugins
    keep_details(False)
    return buffer


def uninstall() -> None:
    """Restore the package's logger, also after an earlier load of the package. Main thread."""
    root = logging.getLogger(ROOT)
    for handler in list(root.handlers):
        root.removeHandler(handler)
    root.propagate = True
    root.setLevel(logging.NOTSET)


def has_details() -> bool:
    """Whether records of the level "debug" are kept. Any thread."""
    return logging.getLogger(ROOT).level == logging.DEBUG


def keep_details(keep: bool) -> None:
    """Keep records of the level "debug", or no longer; until the package ends. Any thread."""
    logging.getLogger(ROOT).setLevel(logging.DEBUG if keep else logging.INFO)
