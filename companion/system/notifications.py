"""One notification of the system, by the program that each system has for it.

Rule: nothing is asked and nothing is waited for; where there is no such program the log says so once. The text is data
to the program, never part of a script. Those of macOS and Windows are by their documentation, and untried.

Blocks: disk threads.
"""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from typing import Iterable, Mapping, Sequence

from .platform import LINUX, MACOS, WINDOWS, Platform
from .programs import find_program

logger = logging.getLogger("gemini_companion.system")

TITLE, TEXT = "COMPANION_TITLE", "COMPANION_TEXT"
"""The variables by which a script gets the texts."""
SECONDS = 20.0
_APPLE = 'display notification (system attribute "COMPANION_TEXT") with title (system attribute "COMPANION_TITLE")'
_WINDOWS = (
    "Add-Type -AssemblyName System.Windows.Forms, System.Drawing; "
    "$icon = New-Object System.Windows.Forms.NotifyIcon; "
    "$icon.Icon = [System.Drawing.SystemIcons]::Information; $icon.Visible = $true; "
    "$icon.ShowBalloonTip(5000, $env:COMPANION_TITLE, $env:COMPANION_TEXT, 'Info'); "
    "Start-Sleep -Seconds 6; $icon.Dispose()"
)
_COMMANDS: Mapping[str, Sequence[str]] = {
    LINUX: ("notify-send", "--app-name", "Sublime Text", "--"),
    MACOS: ("osascript", "-e", _APPLE),
    WINDOWS: ("powershell.exe", "-NoProfile", "-NonInteractive", "-Command", _WINDOWS),
}


def notify(text: str, folders: Iterable[str], platform: Platform, title: str = "Sublime Text") -> None:
    """Show a notification. The program lies in none of `folders`, those of the workspace. Never raises."""
    program, *options = _COMMANDS[platform.name]
    words = [*options, title, text] if platform.name == LINUX else options
    found = find_program(program, platform, folders)
    if not found.place:
        logger.warning("cannot notify: %s", found.why or f"there is no {program}")
        return
    try:
        subprocess.run(
            [found.place, *words],
            env={**os.environ, TITLE: title, TEXT: text},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            creationflags=subprocess.CREATE_NO_WINDOW if sys.platform == "win32" else 0,  # type: ignore[attr-defined]
            timeout=SECONDS,
            check=False,
        )
    except (OSError, subprocess.SubprocessError) as error:
        logger.warning("cannot notify: %s did not run (%s)", program, type(error).__name__)
