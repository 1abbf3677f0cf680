"""The tools that clients call: what is refused with which sentence, and what comes back."""

from __future__ import annotations

import json
import os
import sys

import pytest

from companion.protocol.tools import EMPTY, ClientSession

GEMINI = ClientSession("session-1", "gemini-cli", "1", "2025-06-18", 0.0, "Gemini CLI")


class Call:
    """A call as the protocol hands it over."""

    def __init__(self, name, arguments, session=GEMINI):
        self.name, self.arguments, self.session = name, arguments, session


class Desk:
    """Notes what it is asked for."""

    def __init__(self):
        self.asked = []
        self.error = None

    def read(self, path):
        return "original of " + os.path.basename(path)

    def _note(self, *what):
        if self.error is not None:
            raise self.error
        self.asked.append(what)

    def open_diff(self, owner, path, text, original):
        self._note("open", owner, path, text, original)

    def close_diff(self, owner, path, *, suppress_notification):
        self._note("close", owner, path, suppress_notification)
        return "final \u00e4\n"

    def accept_by_client(self, owner, path):
        self._note("accept", owner, path)

    def reject_by_client(self, owner, path):
        self._note("reject", owner, path)


class Runtime:
    """Calls at once what goes to another thread."""

    async def in_worker(self, function, *args):
        return function(*args)

    async def call_main(self, function, *args):
        return function(*args)


@pytest.fixture
def module():
    import companion.tool_calls

    return companion.tool_calls


@pytest.fixture
def desk():
    return Desk()


@pytest.fixture
def call(module, desk, loop):
    """Carries a call out and gives its result's text, whether it is an error, or None for nothing."""
    calls = module.ToolCalls(desk, Runtime())

    def run(name, session=GEMINI, **arguments):
        task = loop.create_task(calls(Call(name, arguments, session)))
        loop.step()
        result = task.result()
        if result is EMPTY:
            return None
        fields = result.fields()
        return fields["content"][0]["text"], bool(fields.get("isError"))

    return run


def test_a_diff_is_opened_with_the_file_as_it_was_read(call, desk, tmp_path):
    path = str(tmp_path / "new.py")
    assert call("openDiff", filePath=path, newContent="text") is None
    (asked,) = desk.asked
    assert asked[0] == "open"
    assert asked[1].session_id == "session-1"
    assert asked[2:] == (path, "text", "original of new.py")


@pytest.mark.parametrize(("arguments", "silent"), [({}, False), ({"suppressNotification": True}, True)])
def test_closing_gives_the_final_text_as_json_and_tells_only_who_wants_it(call, desk, arguments, silent):
    text, is_error = call("closeDiff", filePath="/a", **arguments)
    assert json.loads(text) == {"content": "final \u00e4\n"}
    assert not is_error
    assert desk.asked[0][3] is silent


@pytest.mark.parametrize("name", ["accept", "reject"])
def test_accepting_and_rejecting(call, desk, name):
    assert call(name + "Diff", filePath="/a") is None
    assert desk.asked[0][0] == name


def test_what_cannot_be_done_is_a_sentence_for_the_client(call, desk, module):
    desk.error = module.ReviewError("No diff is open for this file.")
    assert call("acceptDiff", filePath="/a") == ("No diff is open for this file.", True)


@pytest.mark.skipif(sys.platform == "win32", reason="names as POSIX has them")
@pytest.mark.parametrize(
    ("path", "word"),
    [
        ("relative.py", "absolute"),
        ("{}", "is a folder"),
        ("{}/none/", "ends like a folder"),
        ("{}/file/below", "through a file"),
        ("{}/fifo", "not a regular file"),
        ("{}/a\0b", "NUL"),
        ("{}/a\ud800b", "surrogate"),
    ],
)
def test_a_path_that_leads_to_no_file_is_refused_and_nothing_is_opened(call, desk, tmp_path, path, word):
    (tmp_path / "file").write_text("x")
    os.mkfifo(str(tmp_path / "fifo"))
    text, is_error = call("openDiff", filePath=path.format(tmp_path), newContent="text")
    assert is_error
    assert word in text
    assert desk.asked == []


@pytest.mark.parametrize("name", ["file", "new.py"])
def test_a_file_that_is_there_and_one_that_is_new_are_both_fine(module, tmp_path, name):
    (tmp_path / "file").write_text("x")
    assert module.path_problem(str(tmp_path / name)) is None


def test_what_may_not_even_be_looked_at_can_still_be_reviewed(module, monkeypatch):
    def refuse(path):
        raise PermissionError

    monkeypatch.setattr(os, "stat", refuse)
    assert module.path_problem(os.path.abspath("file")) is None


@pytest.mark.parametrize(
    ("client", "token", "shown"),
    [
        ("gemini-cli", "Gemini CLI", "gemini-cli"),
        ("streamable-http-client", "Qwen Code", "Qwen Code"),
        ("streamable-http-client", "", "CLI"),
        ("", "", "client"),
    ],
)
def test_the_user_reads_a_name_that_means_something(module, client, token, shown):
    assert module.display_name(GEMINI._replace(client_name=client, token_name=token)) == shown
