"""How many calls of the editor's API each module of a package has made, by name.

In the editor every such call crosses from the plugin host into another process, so what is asked on every keystroke or
on a timer is worth counting. Rule kept here: a call counts for the module that made it; what the host calls for its own
ends, and what the editor answers without crossing, does not count.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Dict, Sequence

# Kept in the handle itself, in the editor's own Python layer.
LOCAL = frozenset(("View.id", "View.sel", "Window.id", "Sheet.id", "sublime.format_command"))
_HOST = __name__.partition(".model")[0] + "."  # "tests.host."
_HANDLES = _HOST + "api._objects"  # PhantomSet and Selection call the API on behalf of whoever called them


class Calls:
    """Counts for a whole run. Any thread, under the host's lock or not: a lost count of two threads is no harm."""

    def __init__(self) -> None:
        self._counts: Counter = Counter()

    def note(self, name: str, frame: Any) -> None:
        """Count one call of `name` by the code that runs in `frame`."""
        if name in LOCAL:
            return
        module = frame.f_globals.get("__name__", "")
        while module == _HANDLES and frame.f_back is not None:
            frame = frame.f_back
            module = frame.f_globals.get("__name__", "")
        if not module.startswith(_HOST):
            self._counts[module, name] += 1

    def by_name(self, package: str, leave_out: Sequence[str] = ()) -> Dict[str, int]:
        """How often the modules of a package have called what, but for those whose names begin as `leave_out` says."""
        found: Counter = Counter()
        for (module, name), count in list(self._counts.items()):
            if (module == package or module.startswith(package + ".")) and not module.startswith(tuple(leave_out)):
                found[name] += count
        return dict(sorted(found.items()))

    def clear(self) -> None:
        self._counts.clear()
