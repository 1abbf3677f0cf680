"""Editors of one user, at whose socket programs ask for the context, as Codex CLI does. POSIX only."""

from __future__ import annotations

import asyncio
import functools
import json
import os
import shutil
import tempfile
from concurrent.futures import Future
from types import SimpleNamespace

import pytest

from companion.agents.codex_cli import CODEX_CLI
from companion.agents.window import ActiveFile, SharedContext, TextPosition
from companion.endpoint.context_answers import SEARCH_SECONDS, ContextAnswers
from companion.settings import Settings
from companion.system.platform import LINUX, Platform
from companion.transport import framed_socket
from companion.transport.framed_socket import ask
from tests.host.waiting import a_moment, ends
from tests.support.programs import disabled
from tests.unit.endpoint.agents_world import World

CONTEXT = SharedContext(
    {
        "workspaceState": {
            "openFiles": [{"path": "/code/app/src/main.py", "selectedText": "hello"}, {"path": "/code/notes.txt"}]
        }
    },
    ActiveFile("/code/app/src/main.py", TextPosition(2, 4), TextPosition(2, 9), "hello"),
)


class Window:
    """What is asked of an endpoint."""

    def __init__(self, *folders, context=CONTEXT, last=0, wanted=True):
        self.tracker = SimpleNamespace(published=context, last_in_front=last)
        self.discovery = SimpleNamespace(all_folders=folders)
        self.world = World()
        self.agents = self.world.agents
        self.wanted = wanted

    def settings(self):
        return Settings() if self.wanted else disabled("codex")


class Runtime:
    """One thread for all but the disk."""

    def __init__(self):
        self.tasks = set()

    def assert_loop_thread(self):
        pass

    def on_main(self, function, *arguments):
        function(*arguments)

    def on_loop(self, function, *arguments):
        asyncio.get_running_loop().call_soon_threadsafe(function, *arguments)

    def spawn(self, function, *arguments):
        task = asyncio.ensure_future(function(*arguments))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        return Future()

    async def in_worker(self, function, *arguments):
        return await asyncio.get_running_loop().run_in_executor(None, function, *arguments)


@pytest.fixture
def home(later):
    later(framed_socket.YOUNG_SECONDS)  # what another editor has made is old
    folder = tempfile.mkdtemp(dir="/tmp")
    yield folder
    shutil.rmtree(folder)


class Editor:
    """An editor of the user whose home is `home`, with these windows."""

    def __init__(self, home, *windows):
        os.makedirs(os.path.join(home, "tmp"), exist_ok=True)
        environment = {"HOME": home, "TMPDIR": os.path.join(home, "tmp")}
        self.windows = list(windows)
        self.platform = Platform(LINUX, environment, home, os.getuid())
        self.answers = ContextAnswers(Runtime(), CODEX_CLI, lambda: self.windows, self.platform)
        self.paths = [
            os.path.join(home, ".codex", "ipc", "ipc.sock"),
            os.path.join(home, "tmp", "codex-ipc", f"ipc-{os.getuid()}.sock"),
        ]

    async def until(self, holding):
        self.answers.check()
        while self.answers.holding is not holding:
            await a_moment()

    async def later(self, holding):
        """Once it is time to look for the socket again."""
        self.answers._searched -= SEARCH_SECONDS
        await self.until(holding)

    async def close(self):
        self.answers.withdraw()
        await asyncio.sleep(0)
        await asyncio.sleep(0)


def asynchronous(test):
    """A test that runs on an event loop of its own, for so many seconds at most."""

    @functools.wraps(test)
    def run(*args, **fixtures):
        asyncio.run(ends(test(*args, **fixtures)))

    return run


def request(root, **more):
    message = {"type": "request", "requestId": "1", "sourceClientId": "codex-tui", "version": 0}
    return json.dumps({**message, "method": "ide-context", "params": {"workspaceRoot": root}, **more}).encode()


async def answer(path, message):
    return json.loads(await ask(path, message))
