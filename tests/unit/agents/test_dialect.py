"""What the dialects share: addresses of files, schemas of tools, and what a client tells of itself."""

from __future__ import annotations

import pytest
from fake_window import FakeWindow, called, value

from companion.agents.claude_code import CLAUDE
from companion.agents.copilot_cli import COPILOT
from companion.agents.dialect import Transport, file_url, json_result, path_of_url, selection_fields, tool
from companion.agents.ide_companion import IDE_COMPANION
from companion.agents.window import ActiveFile, OpenEditor, TextPosition

ADDRESSES = [
    ("/project/one.py", "file:///project/one.py"),
    ("/two words/\u00e9#?.py", "file:///two%20words/%C3%A9%23%3F.py"),
    ("/", "file:///"),
    ("/a", "file:///a"),
    ("/ab", "file:///ab"),
    ("C:\\project\\one.py", "file:///C:/project/one.py"),
    ("C:\\", "file:///C:/"),
    ("\\\\server\\share\\one.py", "file://server/share/one.py"),
]


@pytest.mark.parametrize(("path", "address"), ADDRESSES)
def test_a_path_has_an_address_and_that_the_path(path, address):
    assert file_url(path) == address
    assert path_of_url(address) == path


@pytest.mark.parametrize("path", ["", "relative.py", "C:relative.py", "/half\ud800"])
def test_what_is_no_absolute_path_has_no_address(path):
    assert file_url(path) == ""


@pytest.mark.parametrize(
    ("address", "path"),
    [
        ("/project/one.py", "/project/one.py"),
        ("/two%20words.py", "/two%20words.py"),
        ("C:\\one.py", "C:\\one.py"),
        ("untitled:one.py", "untitled:one.py"),
        ("file://localhost/project/one.py", "/project/one.py"),
        ("file:///c%3A/one.py", "c:\\one.py"),
        ("file:///c:/one/two.py", "c:\\one\\two.py"),
        ("file:///ab:c", "/ab:c"),
        ("file://", ""),
        # As it is, without the signs that an address needs: Claude Code puts the word before the path.
        ("file:///C#/what now?.py", "/C#/what now?.py"),
        ("file://C:\\C#\\one.py", "C:\\C#\\one.py"),
        ("file://c:/C#/one.py", "c:\\C#\\one.py"),
        ("file://\\\\server\\share\\one.py", "\\\\server\\share\\one.py"),
    ],
)
def test_what_programs_send_for_a_path(address, path):
    assert path_of_url(address) == path


def test_letters_stand_for_themselves_in_what_is_answered():
    (block,) = json_result({"name": "\u00e9"}).content
    assert block["text"] == '{"name": "\u00e9"}'


def test_a_tool_has_a_schema_that_lets_more_arguments_through():
    made = tool("name", "Title", "Says what it does.", ("one",), one={"type": "string"}, two={"type": "boolean"})
    assert (made.name, made.title, made.description) == ("name", "Title", "Says what it does.")
    assert made.input_schema == {
        "type": "object",
        "properties": {"one": {"type": "string"}, "two": {"type": "boolean"}},
        "required": ["one"],
    }
    assert tool("name", "Title", "Says what it does.").input_schema == {"type": "object", "properties": {}}


def test_what_is_required_is_what_the_program_always_sends():
    def required(dialect):
        return {each.name: tuple(each.input_schema.get("required", ())) for each in dialect.tools}

    assert required(CLAUDE) == {
        "openDiff": ("new_file_path", "new_file_contents", "tab_name"),
        "close_tab": ("tab_name",),
        "closeAllDiffTabs": (),
        "getDiagnostics": (),
        "openFile": ("filePath",),
        "getOpenEditors": (),
        "getCurrentSelection": (),
        "getLatestSelection": (),
        "getWorkspaceFolders": (),
        "checkDocumentDirty": ("filePath",),
        "saveDocument": ("filePath",),
    }
    assert required(COPILOT) == {
        "open_diff": ("original_file_path", "new_file_contents", "tab_name"),
        "close_diff": ("tab_name",),
        "get_selection": (),
        "get_diagnostics": (),
        "update_session_name": ("name",),
    }


def test_how_each_is_carried():
    def traits(dialect):
        return (
            dialect.transport,
            dialect.secret_header,
            dialect.handshake_only,
            dialect.deleted_status,
            dialect.process_id_header,
            dialect.edits_return,
            dialect.takes_mentions,
            dialect.attentive_after_seconds,
        )

    assert traits(IDE_COMPANION) == (Transport.HTTP_ON_PORT, "Authorization", False, 204, "", True, False, ())
    assert traits(CLAUDE) == (
        Transport.WEBSOCKET, "X-Claude-Code-Ide-Authorization", False, 204, "", True, True, (0.5, 3.0),
    )  # fmt: skip
    assert traits(COPILOT) == (
        Transport.HTTP_ON_SOCKET, "X-Gemini-Companion-Secret", True, 200, "X-Copilot-PID", False, False, (),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("method", "params", "pid"),
    [
        ("ide_connected", {"pid": 4321}, 4321),
        ("ide_connected", {"pid": 1}, 1),
        ("ide_connected", {"pid": 0}, None),
        ("ide_connected", {"pid": -1}, None),
        ("ide_connected", {"pid": True}, None),
        ("ide_connected", {"pid": "4321"}, None),
        ("ide_connected", {}, None),
        ("log_event", {"pid": 4321}, None),
    ],
)
def test_claude_code_tells_the_id_of_its_process_once_it_is_connected(method, params, pid):
    assert CLAUDE.process_id(method, params) == pid


@pytest.mark.parametrize("dialect", [COPILOT, IDE_COMPANION])
def test_the_others_tell_none_that_way(dialect):
    assert dialect.process_id("ide_connected", {"pid": 4321}) is None


def test_a_caret_is_an_empty_selection():
    here = TextPosition(4, 2)
    fields = selection_fields(ActiveFile("/a.py", here, here))
    assert (fields["text"], fields["selection"]["isEmpty"]) == ("", True)
    assert fields["selection"]["start"] == fields["selection"]["end"] == {"line": 4, "character": 2}


class OnWindows(FakeWindow):
    """A window whose paths are those of Windows."""

    async def open_editors(self):
        return [OpenEditor("C:\\project\\one.py", False, True, "Python")]

    def folders(self):
        return ["C:\\project", "D:\\other"]


class Empty(FakeWindow):
    """A window without folders and tabs."""

    async def open_editors(self):
        return []

    def folders(self):
        return []


def test_names_of_windows_paths_are_their_last_parts():
    (tab,) = value(CLAUDE, OnWindows(), "getOpenEditors")["tabs"]
    assert (tab["label"], tab["uri"]) == ("one.py", "file:///C:/project/one.py")
    assert (tab["isActive"], tab["isDirty"]) == (False, True)
    found = value(CLAUDE, OnWindows(), "getWorkspaceFolders")
    assert [each["name"] for each in found["folders"]] == ["project", "other"]
    assert found["rootPath"] == "C:\\project"


def test_an_empty_window():
    assert value(CLAUDE, Empty(), "getOpenEditors") == {"tabs": []}
    assert value(CLAUDE, Empty(), "getWorkspaceFolders") == {"success": True, "folders": [], "rootPath": None}


def test_a_file_is_brought_to_the_front_unless_it_is_told_not_to():
    window = FakeWindow()
    for sent in ({}, {"makeFrontmost": True}, {"makeFrontmost": None}, {"makeFrontmost": False}):
        called(CLAUDE, window, "openFile", filePath="/a.py", **sent)
    assert [in_front for _, in_front, _ in window.opened] == [True, True, True, False]
