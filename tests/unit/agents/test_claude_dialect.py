"""What Claude Code and opencode send, and what they are answered, letter by letter."""

from __future__ import annotations

import json

import pytest
from fake_window import PATH, SELECTION, FakeWindow, called, value

from companion.agents.claude_code import CLAUDE
from companion.agents.dialect import ClientNotice, Mention
from companion.agents.window import ActiveFile, CannotDo, SharedContext, TextPosition

NAME = "\u273b [Claude Code] one.py (a1b2c3) \u29c9"
OPEN = {"old_file_path": PATH, "new_file_path": PATH, "new_file_contents": "new\n", "tab_name": NAME}


@pytest.fixture
def window():
    return FakeWindow()


@pytest.mark.parametrize("text", ["edited\n", ""])
def test_an_accepted_diff_is_answered_with_the_final_text(window, text):
    window.accepted = text
    assert called(CLAUDE, window, "openDiff", **OPEN) == (["FILE_SAVED", text], False)
    (request,) = window.requests
    assert (request.path, request.proposed, request.name, request.edits_return) == (PATH, "new\n", NAME, True)


def test_a_rejected_diff(window):
    assert called(CLAUDE, window, "openDiff", **OPEN) == (["DIFF_REJECTED", NAME], False)


def test_a_diff_answered_elsewhere_or_not_shown_is_an_error(window):
    window.refusal = CannotDo("It is a folder.")
    assert called(CLAUDE, window, "openDiff", **OPEN) == (["It is a folder."], True)


def test_closing(window):
    assert called(CLAUDE, window, "close_tab", tab_name=NAME) == (["TAB_CLOSED"], False)
    assert window.withdrawn == [("session-1", NAME)]
    assert called(CLAUDE, window, "closeAllDiffTabs") == (["CLOSED_0_DIFF_TABS"], False)
    window.open_reviews = 2
    assert called(CLAUDE, window, "closeAllDiffTabs") == (["CLOSED_2_DIFF_TABS"], False)


def test_diagnostics_of_a_file_and_of_all(window):
    expected = {
        "uri": "file:///project/two%20words.py",
        "diagnostics": [
            {
                "message": "undefined name",
                "severity": "Error",
                "range": {"start": {"line": 3, "character": 0}, "end": {"line": 3, "character": 4}},
                "source": "pyflakes",
            }
        ],
    }
    assert value(CLAUDE, window, "getDiagnostics", uri="file:///project/two%20words.py") == [expected]
    assert value(CLAUDE, window, "getDiagnostics")[0]["uri"] == "file:///project/one.py"
    value(CLAUDE, window, "getDiagnostics", uri="")
    assert window.asked == ["/project/two words.py", None, None]


def test_the_reading_tools(window):
    assert value(CLAUDE, window, "getCurrentSelection") == {"success": True, **SELECTION}
    assert value(CLAUDE, window, "getLatestSelection") == {"success": True, **SELECTION}
    window.active = None
    assert value(CLAUDE, window, "getCurrentSelection")["success"] is False
    folder = {"name": "project", "uri": "file:///project", "path": "/project"}
    assert value(CLAUDE, window, "getWorkspaceFolders") == {
        "success": True,
        "folders": [folder],
        "rootPath": "/project",
    }
    tab = {"uri": "file:///project/one.py", "isActive": True, "label": "one.py", "languageId": "Python"}
    assert value(CLAUDE, window, "getOpenEditors") == {"tabs": [{**tab, "isDirty": False}]}


def test_files_are_opened_looked_at_and_saved(window):
    assert called(CLAUDE, window, "openFile", filePath=PATH) == ([f"Opened file: {PATH}"], False)
    called(CLAUDE, window, "openFile", filePath=PATH, makeFrontmost=False)
    called(CLAUDE, window, "openFile", filePath=PATH, preview=True)
    assert window.opened == [(PATH, True, False), (PATH, False, False), (PATH, True, True)]
    dirty = value(CLAUDE, window, "checkDocumentDirty", filePath=PATH)
    assert dirty == {"success": True, "filePath": PATH, "isDirty": True, "isUntitled": False}
    assert value(CLAUDE, window, "checkDocumentDirty", filePath="/other")["success"] is False
    assert value(CLAUDE, window, "saveDocument", filePath=PATH)["saved"] is True
    assert value(CLAUDE, window, "saveDocument", filePath="/other")["success"] is False


def test_the_selection_is_told_from_zero():
    context = SharedContext({}, ActiveFile(PATH, TextPosition(1, 0), TextPosition(2, 5), "two\nthree"))
    assert CLAUDE.messages(context) == (ClientNotice("selection_changed", SELECTION, "selection_changed"),)


def test_without_a_file_that_is_shared_nothing_is_selected():
    (message,) = CLAUDE.messages(SharedContext({}))
    assert message.params == {
        "text": "",
        "filePath": "",
        "fileUrl": "",
        "selection": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}, "isEmpty": True},
    }
    assert json.dumps(message.params)


def test_mentions():
    assert CLAUDE.mention(Mention("/project/a.py", (4, 9))) == ClientNotice(
        "at_mentioned", {"filePath": "/project/a.py", "lineStart": 4, "lineEnd": 9}
    )
    assert CLAUDE.mention(Mention("/project/a.py")).params == {"filePath": "/project/a.py"}
