"""The package's log: one logger tree, kept in memory for the log panel, warnings also on the editor's console.

Rule: a record never holds a token, selected text or file content. Writers log names, counts and sizes instead. What is
kept is bounded, however much is logged, however long a record is and however often it comes. A message is one line,
whatever the names in it hold; only a traceback has several.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from typing import Callable, Deque, List, Optional

from .display_names import shown
from .log_repeats import Repeats

ROOT = "gemini_companion"
CAPACITY = 5000  # lines kept; at debug level that is several minutes of heavy traffic
LONGEST = 8000  # characters of one record, traceback included
PROBLEMS = 50
LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}


class LogBuffer(logging.Handler):
    """Keeps the last `CAPACITY` lines and passes new ones on. Any thread."""

    def __init__(self) -> None:
        super().__init__()
        self.setFormatter(_Formatter())
        self.addFilter(Repeats())
        self._lines: Deque[str] = deque(maxlen=CAPACITY)
        self._problems: Deque[str] = deque(maxlen=PROBLEMS)
        self._lines_lock = threading.Lock()
        self._tracker: Optional[Callable[[str], None]] = None

    def emit(self, record: logging.LogRecord) -> None:
        line = shortened(self.format(record))
        with self._lines_lock:
            tracker = self._tracker
            self._lines.append(line)
            if record.levelno >= logging.WARNING:
                self._problems.append(line)
        if record.levelno >= logging.WARNING:
            print("Gemini Companion: " + line)
        if tracker is not None:
            tracker(line)

    def follow(self, tracker: Optional[Callable[[str], None]]) -> List[str]:
        """The lines kept, oldest first; every later one goes to `follower`, on the thread that logs it. Any thread."""
        with self._lines_lock:
            self._tracker = tracker
            return list(self._lines)

    def lines(self) -> List[str]:
        """The lines kept, oldest first. Any thread."""
        with self._lines_lock:
            return list(self._lines)

    def problems(self) -> List[str]:
        """The latest warnings and errors, oldest first. Any thread."""
        with self._lines_lock:
            return list(self._problems)


def shortened(line: str) -> str:
    """The line without its middle if it is too long."""
    if len(line) <= LONGEST:
        return line
    half = LONGEST // 2
    return f"{line[:half]}\n[{len(line) - 2 * half} characters left out]\n{line[-half:]}"


class _Formatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        clock = time.strftime("%H:%M:%S", time.localtime(record.created))
        text = "{}.{:03d} {:<7} {}: {}".format(
            clock,
            int(record.msecs),
            record.levelname.lower(),
            record.name[len(ROOT) + 1 :] or "companion",
            shown(record.getMessage()),
        )
        if record.exc_info:
            text += "\n" + shown(self.formatException(record.exc_info), keep="\n")
        return text


def install() -> LogBuffer:
    """Put a fresh buffer on the package's logger and return it. Main thread."""
    root = logging.getLogger(ROOT)
    uninstall()
    buffer = LogBuffer()
    root.addHandler(buffer)
    root.propagate = False  # the editor's root logger belongs to everybody
    root.setLevel(logging.INFO)
    return buffer


def uninstall() -> None:
    """Leave the package's logger as it was before, whichever load set it up. Main thread."""
    root = logging.getLogger(ROOT)
    for handler in list(root.handlers):
        root.removeHandler(handler)
    root.propagate = True
    root.setLevel(logging.NOTSET)


def set_level(name: str) -> None:
    """Set the level by one of the names in `LEVELS`. Any thread."""
    logging.getLogger(ROOT).setLevel(LEVELS[name])
