"""What went wrong inside the plugin host, kept so that a test can ask for it.

Sublime Text prints errors of plugins to its console and goes on. So does the host, but it also
remembers them: a test that never looks at the console must still be able to fail.
Rule: recording never raises, and may be done from any thread.
"""

from __future__ import annotations

import sys
import threading
import traceback
from typing import Any, Dict, List, Union

_lock = threading.Lock()
_recorded: List[Dict[str, Any]] = []


def record(where: str, what: Union[BaseException, str]) -> None:
    """Prints `what` to the console and remembers it. `where` says which part noticed it."""
    if isinstance(what, BaseException):
        text = "".join(traceback.format_exception(type(what), what, what.__traceback__))
        entry = {"where": where, "type": type(what).__name__, "message": str(what), "traceback": text}
    else:
        text = what
        entry = {"where": where, "type": "", "message": what, "traceback": ""}
    with _lock:
        _recorded.append(entry)
    print(f"{where}: {text}".rstrip(), file=sys.stderr, flush=True)


def recorded() -> List[Dict[str, Any]]:
    """Everything recorded so far, oldest first: dicts with where, type, message, traceback."""
    with _lock:
        return list(_recorded)


def clear() -> None:
    """Forgets everything, for a test that provoked an error on purpose."""
    with _lock:
        _recorded.clear()


def watch_threads() -> None:
    """From now on, uncaught errors of any thread and of finalisers are recorded too."""

    def uncaught_in_thread(arguments: Any) -> None:
        if arguments.exc_type is SystemExit:
            return
        name = arguments.thread.name if arguments.thread else "?"
        record(f"thread {name}", arguments.exc_value or arguments.exc_type())

    def unraisable(arguments: Any) -> None:
        record(f"unraisable in {arguments.object!r}", arguments.exc_value or arguments.exc_type())

    threading.excepthook = uncaught_in_thread
    sys.unraisablehook = unraisable
