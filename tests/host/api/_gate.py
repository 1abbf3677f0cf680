"""How a call of a plugin enters the model, from any thread.

Rule kept here: what can set off events runs on the main thread (other threads wait for it); everything else
runs where it is called, under the host's lock.
"""

from __future__ import annotations

import functools
import sys
from typing import Any, Callable

from ..model.host import current

ON_MAIN = "_host_on_main"
_PARTS = {"ViewText": "View", "ViewLook": "View", "ViewMarks": "View", "ViewFolds": "View", "WindowParts": "Window"}


def on_main(function: Callable) -> Callable:
    """Mark a function or method as one that sets off events."""
    setattr(function, ON_MAIN, True)
    return function


def gate(function: Callable, name: str) -> Callable:
    """Wrap one function of the API, `name` for whoever counts calls; its signature stays visible."""
    if getattr(function, ON_MAIN, False):

        @functools.wraps(function)
        def on_main_thread(*args: Any, **keywords: Any) -> Any:
            host = _open()
            host.calls.note(name, sys._getframe(1))
            return host.scheduler.call_on_main(lambda: function(*args, **keywords))

        return on_main_thread

    @functools.wraps(function)
    def locked(*args: Any, **keywords: Any) -> Any:
        host = _open()
        host.calls.note(name, sys._getframe(1))
        with host.lock:
            return function(*args, **keywords)

    return locked


def _open() -> Any:
    """The host. Raises RuntimeError once the API has been shut down, as during `on_exit`."""
    host = current()
    if host.closed:
        raise RuntimeError("the API has been shut down")
    return host


def gated(cls: type) -> type:
    """Wrap every method of a class of the API, and say that it belongs to `sublime`."""
    cls.__module__ = "sublime"
    for name, value in list(vars(cls).items()):
        wanted = not name.startswith("_") or name in (
            "__getitem__",
            "__setitem__",
            "__delitem__",
            "__contains__",
            "__len__",
        )
        if wanted and callable(value):
            setattr(cls, name, gate(value, "%s.%s" % (_PARTS.get(cls.__name__, cls.__name__), name)))
    return cls
