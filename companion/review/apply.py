"""Writing the accepted text ourselves, when the client that asked has gone and nobody else will.

Rules: a tab that shows the file without unsaved edits is edited and saved, so that what the user sees is what is on
disk; otherwise the file is written. Unsaved edits are never lost, and a file that changed meanwhile is never
overwritten.
"""

from __future__ import annotations

import os
from typing import Any, Dict, Optional

import sublime

from .disk import ChangedError, DiskError, Kind, Original, changed, encoded, write
from .edit import set_text
from .text import plain
from .views import views_of_file

# What the editor would do to the text on saving; the accepted text is saved as it was accepted.
_WHILE_SAVING: Dict[str, Any] = {
    "ensure_newline_at_eof_on_save": False,
    "trim_trailing_white_space_on_save": "none",
}


def write_accepted(original: Optional[Original], text: str) -> None:
    """Make `text` the content of the file. Main thread. Raises `DiskError` with a sentence for the user."""
    if original is None:
        raise DiskError("The file is still being read, try again.")
    name = os.path.basename(original.path)
    views = [view for view in views_of_file(original.path) if not view.is_loading()]
    if any(view.is_dirty() for view in views):
        raise DiskError("{} has unsaved edits in a tab: save or revert them, then accept again.".format(name))
    if changed(original):
        raise ChangedError("{} has changed on disk since the diff was opened: look again, then accept.".format(name))
    data = encoded(original, text)
    if views and original.kind is not Kind.NEW:
        _write_through(views[0], plain(text), name)
    else:
        write(original, data)


def _write_through(view: sublime.View, text: str, name: str) -> None:
    if view.is_read_only() or not os.access(view.file_name() or "", os.W_OK):
        raise DiskError("{} is read-only.".format(name))
    settings = view.settings()
    kept = {key: settings.get(key) for key in _WHILE_SAVING if settings.has(key)}
    for key, value in _WHILE_SAVING.items():
        settings.set(key, value)
    try:
        before = view.change_count()
        set_text(view, text)
        if view.change_count() != before:
            view.run_command("save")
    finally:
        for key in _WHILE_SAVING:
            settings.erase(key)
            if key in kept and settings.get(key) != kept[key]:
                settings.set(key, kept[key])
    if view.is_dirty():
        view.run_command("undo")
        raise DiskError("{} could not be saved.".format(name))
