"""The file by which the hooks of a program find the editor, through an editor's life, with the real `curl`."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import stat
import sys
from concurrent.futures import Future
from types import SimpleNamespace

import pytest

from companion.agents.claude_code import CLAUDE_CODE
from companion.agents.codex_cli import CODEX_CLI
from companion.agents.registry import AGENTS, agents_of
from companion.endpoint import hook_answers
from companion.endpoint.hook_answers import HookAnswers, Serving
from companion.protocol.limits import ENVELOPE, TEXT_BYTES
from companion.system.platform import Platform
from companion.transport import hook_server
from tests.host.waiting import a_moment
from tests.support.programs import with_programs
from tests.unit.endpoint.answering_editors import asynchronous

EVENT = {"session_id": "s", "cwd": os.path.abspath("/w"), "hook_event_name": "Stop"}


class Runtime:
    """One thread for all but the disk."""

    def __init__(self):
        self.loop = asyncio.get_running_loop()
        self.looks = 0

    def assert_loop_thread(self):
        assert asyncio.get_running_loop() is self.loop

    def on_main(self, function, *arguments):
        function(*arguments)

    def on_loop(self, function, *arguments):
        self.loop.call_soon_threadsafe(function, *arguments)

    def spawn(self, function, *arguments):
        if self.loop.is_closed():
            return Future()
        return asyncio.run_coroutine_threadsafe(function(*arguments), self.loop)

    async def in_worker(self, function, *arguments):
        self.looks += 1
        return await self.loop.run_in_executor(None, function, *arguments)


class Libraries:
    async def imported(self, load):
        return load()


class Editor:
    """One run of an editor whose storage is in this folder."""

    def __init__(self, folder, agents=AGENTS):
        self.calls = []
        self.runtime = Runtime()
        sessions = SimpleNamespace(handle=self._handle, unread=lambda *why: {"why": why}, agents=lambda: agents)
        self.said, self.connected = [], []
        self.answers = HookAnswers(
            self.runtime,
            Libraries(),
            sessions,
            str(folder),
            say=self.said.append,
            changed=lambda: self.connected.append(sorted(self.answers.connected)),
        )

    async def _handle(self, call):
        self.calls.append(call.payload)
        return {"heard": True}

    async def make(self, agent=CLAUDE_CODE):
        await self.runtime.in_worker(self.answers.make, agent)

    async def begin(self):
        """Look what is connected, and wait for what comes of it."""
        self.answers.check()
        await asyncio.sleep(0)
        while self.answers.serving is Serving.STARTING or self.answers._wanted is None:
            await a_moment()

    async def look(self):
        """One turn of what watches the editor."""
        self.answers.check()
        while self.answers._renewing:
            await asyncio.sleep(0.005)

    async def quit(self):
        self.answers.withdraw()
        while not self.answers.stopped.done():
            await a_moment()

    async def kill(self):
        """Nothing of the package runs."""
        await self.answers._server.stop(0)

    def text(self, agent=CLAUDE_CODE):
        with open(self.answers.file(agent), encoding="utf-8") as file:
            return file.read()

    async def hook(self, agent=CLAUDE_CODE, payload=EVENT, holds=False):
        """What the hook says, and its exit status."""
        process = await asyncio.create_subprocess_shell(
            agent.hooks.command(self.answers.file(agent), "Stop", Platform.current(), holds=holds),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        said, _ = await process.communicate(json.dumps(payload).encode())
        return said.strip(), process.returncode


HEARD, UNHEARD, DEAD = (b'{"heard":true}', 0), (b"{}", 0), (b"", 0)


@asynchronous
async def test_where_nothing_was_ever_connected_there_is_nothing(tmp_path):
    editor = Editor(tmp_path)
    await editor.begin()
    assert (editor.answers.serving, editor.answers.port, os.listdir(tmp_path)) == (Serving.OFF, 0, [])
    looks = editor.runtime.looks
    editor.answers.check()
    assert editor.runtime.looks == looks
    await editor.quit()
    assert os.listdir(tmp_path) == []


@asynchronous
async def test_who_is_connected_is_heard_at_once(tmp_path):
    editor = Editor(tmp_path)
    await editor.make()
    assert await editor.hook() == HEARD
    assert editor.calls == [EVENT]
    await editor.quit()


@pytest.mark.parametrize("size", [TEXT_BYTES + ENVELOPE, 2 * TEXT_BYTES])
@asynchronous
async def test_a_write_that_is_too_large_is_answered_though_curl_still_sends_it(tmp_path, size):
    editor = Editor(tmp_path)
    await editor.make()
    said, status = await editor.hook(payload={**EVENT, "x": "x" * size}, holds=True)
    why = f"The body is larger than {TEXT_BYTES + ENVELOPE} bytes."
    assert (json.loads(said), status) == ({"why": ["claude", "Stop", why]}, 0)
    await editor.quit()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
@asynchronous
async def test_nobody_else_can_read_the_files(tmp_path):
    editor = Editor(tmp_path)
    await editor.make()
    await editor.quit()
    folder = tmp_path / "hooks"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {
        "claude.conf": 0o600,
        "none.json": 0o600,
    }


@asynchronous
async def test_after_the_editor_has_quit_the_hook_says_nothing(tmp_path):
    editor = Editor(tmp_path)
    await editor.make()
    await editor.make(CODEX_CLI)
    await editor.quit()
    assert [await editor.hook(agent) for agent in (CLAUDE_CODE, CODEX_CLI)] == [UNHEARD, UNHEARD]
    assert editor.answers.secret not in editor.text()
    assert editor.calls == []


@asynchronous
async def test_after_it_was_killed_the_hook_fails_without_a_word(tmp_path):
    editor = Editor(tmp_path)
    await editor.make()
    await editor.kill()
    assert await editor.hook() == DEAD


@pytest.mark.parametrize("end", ["quit", "kill"])
@asynchronous
async def test_the_next_run_is_found_at_another_port(tmp_path, end):
    first = Editor(tmp_path)
    await first.make()
    await getattr(first, end)()
    second = Editor(tmp_path)
    await second.begin()
    assert second.answers.serving is Serving.SERVING
    assert await second.hook() == HEARD
    assert second.calls == [EVENT]
    assert first.answers.secret not in second.text()
    await second.quit()


@asynchronous
async def test_who_was_disconnected_is_not_heard_in_this_run_nor_in_the_next(tmp_path):
    first = Editor(tmp_path)
    await first.make()
    await first.runtime.in_worker(first.answers.forget, CLAUDE_CODE)
    assert await first.hook() == UNHEARD
    await first.quit()
    second = Editor(tmp_path)
    await second.begin()
    assert second.answers.serving is Serving.OFF
    assert await second.hook() == UNHEARD
    await second.make()
    assert await second.hook() == HEARD
    await second.quit()


@asynchronous
async def test_what_another_editor_has_taken_over_stays_its_own(tmp_path):
    first, second = Editor(tmp_path), Editor(tmp_path)
    await first.make()
    await second.begin()
    await first.quit()
    assert await second.hook() == HEARD
    await second.quit()


@asynchronous
async def test_where_no_port_can_be_opened_that_is_said_and_tried_again(tmp_path, monkeypatch):
    async def refuse(*arguments):
        raise OSError(24, "Too many open files")

    editor = Editor(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(hook_server, "listen_on_port", refuse)
        with pytest.raises(OSError, match="could not open a port for hooks: Too many open files"):
            await editor.make()
        assert not os.path.exists(editor.answers.file(CLAUDE_CODE))
    editor.answers.check()
    while editor.answers.serving is not Serving.SERVING:
        await a_moment()
    await editor.make()
    assert await editor.hook() == HEARD
    await editor.quit()


@asynchronous
async def test_without_the_libraries_who_connects_a_program_hears_so(tmp_path, monkeypatch):
    async def never(load):
        await asyncio.Event().wait()

    class TooSlow:
        """An answer that has not come in time."""

        def result(self, seconds):
            assert seconds == hook_answers.START_SECONDS
            raise hook_answers.TimedOut

    editor = Editor(tmp_path)
    editor.answers._libraries.imported = never
    spawn = editor.runtime.spawn
    monkeypatch.setattr(editor.runtime, "spawn", lambda *work: spawn(*work) and TooSlow())
    with pytest.raises(OSError, match="the libraries that are needed are not there yet"):
        await editor.make()
    while editor.answers._starting is None:  # the loop may not have come to it yet
        await a_moment()
    editor.answers._starting.cancel()


@asynchronous
async def test_a_package_that_ends_while_it_starts_leaves_nothing_that_leads_here(tmp_path):
    first = Editor(tmp_path)
    await first.make()
    await first.kill()
    second = Editor(tmp_path)
    led = second.answers._lead_all_here

    def lead_and_end():
        led()
        second.answers.withdraw()

    second.answers._lead_all_here = lead_and_end
    second.answers.check()
    while second.answers.port == 0 or second.answers._server is not None:
        await a_moment()
    assert second.answers.serving is Serving.ENDED
    assert await second.hook() == UNHEARD


def end_before_the_next_file(editor):
    """Have the package end just before the file of a program is written."""
    led = editor.answers._lead_here

    def lead_after_the_end(path):
        editor.answers.withdraw()
        led(path)

    editor.answers._lead_here = lead_after_the_end


@asynchronous
async def test_nor_does_who_is_connected_at_that_moment(tmp_path):
    editor = Editor(tmp_path)
    await editor.make()
    end_before_the_next_file(editor)
    await editor.make(CODEX_CLI)
    assert await editor.hook(CODEX_CLI) == UNHEARD


@asynchronous
async def test_a_program_of_the_users_own_rows_is_heard_whatever_it_is_called(tmp_path):
    agents = agents_of(with_programs({"\u00dcber prog %20": {"command": ["x"], "dialect": "claude"}}))
    editor = Editor(tmp_path, agents)
    await editor.make(agents[-1])
    assert await editor.hook(agents[-1]) == HEARD
    await editor.quit()


@asynchronous
async def test_what_is_no_file_of_ours_is_left_alone(tmp_path):
    (tmp_path / "hooks" / "claude.conf").mkdir(parents=True)
    (tmp_path / "hooks" / "claude.made").write_text("{}")
    editor = Editor(tmp_path)
    await editor.begin()
    assert editor.answers.serving is Serving.OFF
    await editor.quit()
    assert sorted(os.listdir(tmp_path / "hooks")) == ["claude.conf", "claude.made"]


BACK = (
    "the file by which the hooks of Claude Code find this editor had been removed or changed: it is there again, but "
    "what was written meanwhile was not reviewed"
)


def remove_folder(folder):
    shutil.rmtree(str(folder))


def empty_file(folder):
    (folder / "claude.conf").write_text("")


def lose_address(folder):
    (folder / "claude.conf").write_text((folder / "claude.conf").read_text().split("\n", 1)[1])


@pytest.mark.parametrize("spoil", [remove_folder, empty_file, lose_address])
@asynchronous
async def test_a_file_that_was_removed_is_written_again_and_that_is_said(tmp_path, spoil):
    editor = Editor(tmp_path)
    await editor.make()
    await editor.look()
    assert (editor.said, editor.connected) == ([], [["claude"]])
    spoil(tmp_path / "hooks")
    assert await editor.hook() == DEAD
    await editor.look()
    assert await editor.hook() == HEARD
    await editor.look()
    assert (editor.said, editor.connected) == ([BACK], [["claude"]])
    await editor.quit()


@asynchronous
async def test_a_file_written_again_while_the_package_ends_leads_to_nothing(tmp_path):
    editor = Editor(tmp_path)
    await editor.make()
    end_before_the_next_file(editor)
    remove_folder(tmp_path / "hooks")
    await editor.look()
    assert (await editor.hook(), editor.said) == (UNHEARD, [])


@asynchronous
async def test_a_file_that_leads_elsewhere_by_the_users_will_is_left(tmp_path):
    first, second = Editor(tmp_path), Editor(tmp_path)
    await first.make()
    await first.make(CODEX_CLI)
    await first.runtime.in_worker(first.answers.forget, CODEX_CLI)
    assert first.answers.connected == {"claude"}
    await first.look()
    assert first.answers.connected == {"claude"}
    await second.begin()
    await first.look()
    assert (first.answers.connected, second.answers.connected) == (set(), {"claude"})
    await first.runtime.in_worker(second.answers.forget, CLAUDE_CODE)
    for editor in (first, second):
        await editor.look()
        assert (editor.answers.connected, editor.said) == (set(), [])
    assert [first.text(agent).startswith("# Not connected.") for agent in (CLAUDE_CODE, CODEX_CLI)] == [True, True]
    for editor in (first, second):
        await editor.quit()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
@asynchronous
async def test_a_file_that_cannot_be_written_again_is_said_once_until_it_can(tmp_path):
    editor, folder = Editor(tmp_path), tmp_path / "hooks"
    await editor.make()
    folder.chmod(0o777)
    for _ in range(2):
        await editor.look()
    assert editor.answers.connected == set()
    (said,) = editor.said
    assert said.startswith(f"hooks of agents do not find this editor: others can write to {folder}")
    folder.chmod(0o700)
    await editor.look()
    assert (editor.answers.connected, editor.answers.problem, len(editor.said)) == ({"claude"}, "", 1)
    await editor.quit()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
@pytest.mark.parametrize("kind", ["open to all", "a link", "in an open folder"])
@asynchronous
async def test_a_folder_that_others_could_change_is_refused(tmp_path, kind):
    storage, elsewhere = tmp_path / "storage", tmp_path / "elsewhere"
    first = Editor(storage)
    await first.make()
    await first.quit()
    if kind == "a link":
        (storage / "hooks").rename(elsewhere)
        (storage / "hooks").symlink_to(elsewhere)
    else:
        (storage / "hooks" if kind == "open to all" else storage).chmod(0o777)
    second = Editor(storage)
    second.answers.check()
    while not second.said:
        await asyncio.sleep(0.005)
    why = "is a link" if kind == "a link" else "others can write to"
    assert why in second.said[0]
    with pytest.raises(OSError, match=why):
        await second.make()
    assert second.answers.secret not in second.text()
    assert (second.answers.port, second.answers.serving) == (0, Serving.OFF)
    await second.quit()
