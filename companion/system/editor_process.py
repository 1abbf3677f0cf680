"""The editor's process, which is the parent of the plugin host.

Rule: its id is read once, when the package is loaded. The plugin host may outlive the editor by seconds and then has
another parent, under whose id no discovery file may be written.
"""

from __future__ import annotations

import os
import sys

from .processes import is_alive

EDITOR_PID = os.getppid()


def editor_is_gone() -> bool:
    """Whether the editor has exited without notice. Any thread; asks the operating system, not the editor."""
    if os.getppid() != EDITOR_PID:
        return True
    # On Windows an orphan keeps its parent's id.
    return sys.platform == "win32" and not is_alive(EDITOR_PID)
