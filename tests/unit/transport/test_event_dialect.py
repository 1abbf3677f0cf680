"""What clients on `/events` are told of the context."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from companion.transport import event_dialect


def test_the_active_file_is_the_one_that_says_so():
    files = [
        {"path": "/a", "timestamp": 2},
        {"path": "/b", "timestamp": 1, "isActive": True, "cursor": {"line": 1, "character": 2}, "selectedText": "x"},
    ]
    method, context = event_dialect.to_event_dialect("ide/contextUpdate", {"workspaceState": {"openFiles": files}})
    assert method == "notifications/context-update"
    assert context == {
        "openFiles": [{"path": "/a", "timestamp": 2}, {"path": "/b", "timestamp": 1}],
        "activeFile": {"path": "/b", "cursorPosition": {"line": 1, "character": 2}, "selection": "x"},
    }


def test_without_an_active_file_none_is_told():
    _, context = event_dialect.to_event_dialect(
        "ide/contextUpdate", {"workspaceState": {"openFiles": [{"path": "/a", "timestamp": 2}]}}
    )
    assert "activeFile" not in context
