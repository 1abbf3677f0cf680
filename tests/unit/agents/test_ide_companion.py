"""What clients of the IDE companion protocol are told: of a decision, and on `/events` of the context."""

from __future__ import annotations

from companion.agents.ide_companion import IDE_COMPANION


def test_the_active_file_is_the_one_that_says_so():
    files = [
        {"path": "/a", "timestamp": 2},
        {"path": "/b", "timestamp": 1, "isActive": True, "cursor": {"line": 1, "character": 2}, "selectedText": "x"},
    ]
    method, context = IDE_COMPANION.plain_event("ide/contextUpdate", {"workspaceState": {"openFiles": files}})
    assert method == "notifications/context-update"
    assert context == {
        "openFiles": [{"path": "/a", "timestamp": 2}, {"path": "/b", "timestamp": 1}],
        "activeFile": {"path": "/b", "cursorPosition": {"line": 1, "character": 2}, "selection": "x"},
    }


def test_without_an_active_file_none_is_told():
    _, context = IDE_COMPANION.plain_event(
        "ide/contextUpdate", {"workspaceState": {"openFiles": [{"path": "/a", "timestamp": 2}]}}
    )
    assert "activeFile" not in context


def test_of_a_decision_the_path_is_told_and_the_text_if_it_is_accepted():
    accepted = IDE_COMPANION.decided("/a.py", "edited\n")
    assert accepted == ("ide/diffAccepted", {"filePath": "/a.py", "content": "edited\n"}, None)
    assert IDE_COMPANION.decided("/a.py", "").params["content"] == ""
    rejected = IDE_COMPANION.decided("/a.py", None)
    assert rejected == ("ide/diffRejected", {"filePath": "/a.py"}, None)
    for told in (accepted, rejected):
        plain = IDE_COMPANION.plain_event(told.method, told.params)
        assert plain == ("notifications/" + told.method, told.params)
