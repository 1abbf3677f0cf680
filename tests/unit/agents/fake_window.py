"""A window without an editor: it answers what a test has told it, and keeps what it was asked."""

from __future__ import annotations

import asyncio
import json

from companion.agents.window import ActiveFile, Diagnostic, FileDiagnostics, OpenEditor, Severity, TextPosition
from companion.protocol.tools import ClientSession, ToolCall

PATH = "/project/one.py"
ACTIVE = ActiveFile(PATH, TextPosition(1, 0), TextPosition(2, 5), "two\nthree")
SELECTION = {
    "text": "two\nthree",
    "filePath": PATH,
    "fileUrl": "file:///project/one.py",
    "selection": {"start": {"line": 1, "character": 0}, "end": {"line": 2, "character": 5}, "isEmpty": False},
}


class FakeWindow:
    """An `AgentWindow`."""

    def __init__(self):
        self.accepted = None
        self.refusal = None
        self.requests, self.withdrawn, self.opened, self.saved, self.names = [], [], [], [], {}
        self.open_reviews = 0
        self.active = ACTIVE
        self.asked = []

    async def review(self, request):
        self.requests.append(request)
        if self.refusal is not None:
            raise self.refusal
        return self.accepted

    async def withdraw_review(self, session, name):
        self.withdrawn.append((session, name))
        return self.open_reviews > 0

    async def withdraw_reviews(self, session):
        return self.open_reviews

    async def selection(self):
        return self.active

    async def open_editors(self):
        return [OpenEditor(PATH, True, False, "Python")]

    def folders(self):
        return ["/project"]

    async def diagnostics(self, path):
        self.asked.append(path)
        found = Diagnostic("undefined name", Severity.ERROR, TextPosition(3, 0), TextPosition(3, 4), "pyflakes")
        return [FileDiagnostics(path or PATH, [found])]

    async def is_dirty(self, path):
        return True if path == PATH else None

    async def save(self, path):
        self.saved.append(path)
        return path == PATH

    async def open_file(self, path, *, in_front=True, preview=False):
        self.opened.append((path, in_front, preview))

    def rename_client(self, session, name):
        self.names[session] = name


CLIENT = ClientSession("session-1", "a-program", "1.0", "2025-11-25", 0.0)


def called(dialect, window, tool, /, **arguments):
    """The texts of the answer to a call, and whether it tells of a failure."""
    result = asyncio.run(dialect.call(ToolCall(tool, arguments, CLIENT), window))
    assert all(block["type"] == "text" for block in result.content)
    return [block["text"] for block in result.content], result.is_error


def value(dialect, window, tool, /, **arguments):
    """The JSON in the one text of an answer."""
    texts, failed = called(dialect, window, tool, **arguments)
    assert len(texts) == 1
    assert not failed
    return json.loads(texts[0])
