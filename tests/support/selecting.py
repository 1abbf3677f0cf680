"""Selecting in in-editor tests.

Rule: a selection is changed inside the run of a text command only. The editor neither draws nor reports any other
change, so that a test which makes one tests nothing that a user could do.
"""

from __future__ import annotations

import sublime

COMMAND = "gemini_companion_move_caret"  # the package's own; test modules can bring none


def select(view: sublime.View, *regions: sublime.Region) -> None:
    """Make these regions the view's selection, as if the user had done it."""
    view.run_command(COMMAND, {"regions": [[region.a, region.b] for region in regions]})


def put_caret(view: sublime.View, point: int) -> None:
    """Put the only caret at `point`."""
    select(view, sublime.Region(point))
