"""Programs that ask for the context, as Codex CLI does: which window answers, and with what."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import re
import sys
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("Windows has named pipes instead", allow_module_level=True)

from companion.agents.codex_cli import ide_context
from companion.agents.window import ActiveFile, SharedContext, TextPosition
from companion.endpoint import context_answers
from companion.endpoint.context_answers import Holding
from companion.transport.framed_socket import ask
from tests.unit.endpoint.answering_editors import CONTEXT, Editor, Window, answer, asynchronous, home, request

__all__ = ["home"]
DOCUMENT = Path(__file__).resolve().parents[3] / "PROTOCOL.md"


def state(*paths, **more):
    return {"workspaceState": {"openFiles": [dict({"path": path}, **more) for path in paths]}}


class TestAnswers:
    @asynchronous
    async def test_the_documents_frames(self, home):
        blocks = re.findall(r"```frames\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.S)
        assert len(blocks) == 4
        windows = Window("/code/app", last=1), Window("/private", wanted=False)
        editor = Editor(home, *windows)
        await editor.until(Holding.HELD)
        for block in blocks:
            asked, length = json.JSONDecoder().raw_decode(block)
            got = await answer(editor.paths[0], json.dumps(asked).encode())
            assert got == json.loads(block[length:])
        assert (await answer(editor.paths[1], request("/code/app")))["resultType"] == "success"
        await editor.close()

    @pytest.mark.parametrize(
        "frame",
        [
            b"{",
            b"[]",
            b"\xff",
            b"[" * 100 + b"]" * 100,
            b"[" + b"1," * 500000 + b"1]",
        ],
    )
    @asynchronous
    async def test_what_is_no_message_ends_the_connection(self, home, frame):
        unexpected = []
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: unexpected.append(context))
        editor = Editor(home, Window("/a"))
        await editor.until(Holding.HELD)
        with pytest.raises(OSError, match="no answer"):
            await ask(editor.paths[0], frame)
        assert (await answer(editor.paths[0], request("/a")))["resultType"] == "success"
        await editor.close()
        gc.collect()  # by which a task's error comes to light
        assert unexpected == []

    @asynchronous
    async def test_what_asks_for_nothing_gets_none(self, home):
        editor = Editor(home, Window("/a"))
        assert await editor.answers._answer(b'{"type": "broadcast"}', None) is None

    @asynchronous
    async def test_it_comes_from_memory(self, home, clock):
        editor = Editor(home, Window("/code/app"))
        await editor.until(Holding.HELD)
        editor.answers._runtime.on_main = lambda *call: None  # the main thread hangs
        for _ in range(20):
            got = await answer(editor.paths[0], request("/code/app"))
            assert got["result"]["ideContext"]["activeFile"]["label"] == "main.py"
        await editor.close()

    @asynchronous
    async def test_a_window_to_which_nobody_listened_is_given_a_moment(self, home):
        window = Window("/code/app", context=None)
        editor = Editor(home, window)
        await editor.until(Holding.HELD)

        def asked(session, dialect, process):
            asyncio.get_running_loop().call_later(0.05, setattr, window.tracker, "published", CONTEXT)

        window.agents.asked = asked
        got = await answer(editor.paths[0], request("/code/app"))
        assert got["result"]["ideContext"]["activeFile"]["label"] == "main.py"
        await editor.close()

    @asynchronous
    async def test_one_whose_editor_hangs_is_answered_in_time_with_nothing(self, home):
        editor = Editor(home, Window("/code/app", context=None))
        await editor.until(Holding.HELD)
        assert context_answers.FIRST_SECONDS < 0.5, "longer than the program waits"
        got = await answer(editor.paths[0], request("/code/app"))
        assert got["result"] == {"ideContext": {"openTabs": []}}
        await editor.close()


class TestPrograms:
    @asynchronous
    async def test_a_program_is_a_client_of_its_window_while_it_runs(self, home):
        if sys.platform != "linux":
            pytest.skip("the system does not tell which process it is")
        first, second = Window("/a"), Window("/b")
        editor = Editor(home, first, second)
        await editor.until(Holding.HELD)
        for _ in range(2):
            await answer(editor.paths[0], request("/a"))
        assert first.world.names() == ["Codex CLI"]
        await answer(editor.paths[0], request("/b"))
        assert (first.world.names(), second.world.names()) == ([], ["Codex CLI"])
        assert [each.process for each in second.agents.connected] == [os.getpid()]
        await editor.close()


class TestWords:
    def test_of_several_selections_all_are_told_with_their_texts(self):
        ranges = ((TextPosition(0, 0), TextPosition(0, 2)), (TextPosition(3, 1), TextPosition(3, 4)))
        active = ActiveFile("/code/a.py", *ranges[1], "def", ranges)
        told = ide_context(SharedContext(state("/code/a.py", selectedText="ab\ndef"), active), "/code")["ideContext"]
        assert told["activeFile"]["activeSelectionContent"] == "ab\ndef"
        assert told["activeFile"]["selections"] == [
            {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 2}},
            {"start": {"line": 3, "character": 1}, "end": {"line": 3, "character": 4}},
        ]

    @pytest.mark.parametrize(
        ("path", "root", "expected"),
        [
            ("/code/app/x.py", "/code/app", "x.py"),
            ("/code/app/x.py", "/code/app/", "x.py"),
            ("/code/apple/x.py", "/code/app", "/code/apple/x.py"),
            ("/x.py", "/", "x.py"),
            ("/code/x.py", "", "/code/x.py"),
            (r"C:\code\s\x.py", r"C:\code", r"s\x.py"),
        ],
    )
    def test_paths_below_the_programs_folder_are_relative(self, path, root, expected):
        (tab,) = ide_context(SharedContext(state(path)), root)["ideContext"]["openTabs"]
        assert tab == {"label": "x.py", "path": expected, "fsPath": path}

    def test_nothing_shared_is_nothing_told(self):
        assert ide_context(SharedContext({}), "/code") == {"ideContext": {"openTabs": []}}
