"""The editor's process: the parent of the plugin host that we run in.

Rule: its id is taken once, when the package is loaded. The plugin host may outlive the editor by seconds, and then its
parent is somebody else, under whose id no discovery file must be written and none would be found.
"""

from __future__ import annotations

import os
import sys

from .processes import is_alive

EDITOR_PID = os.getppid()


def editor_is_gone() -> bool:
    """Whether the editor has ended without telling us. Any thread; asks the system, never the editor."""
    if os.getppid() != EDITOR_PID:
        return True
    # Windows gives an orphan no other parent.
    return sys.platform == "win32" and not is_alive(EDITOR_PID)
