"""Where one is: a window, what its settings are, and how work gets to other threads.

Rule: it answers these three questions and no others; what belongs to one part of the package is handed to that part.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Callable, NamedTuple

if TYPE_CHECKING:
    import sublime

    from ..runtime import Runtime
    from ..settings import Settings


class Scope(NamedTuple):
    """The scope of one window. `settings` gives the window's settings as they are now; main thread."""

    window: sublime.Window
    runtime: Runtime
    settings: Callable[[], Settings]
