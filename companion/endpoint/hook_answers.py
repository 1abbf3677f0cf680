"""The address of the programs' hooks: one server for all windows, and the files by which the hooks find it.

For each program there is one file of ours that its hooks hand to `curl`, and whose path they know it by. It holds the
address and the secret of the editor that runs. Once the editor has gone it leads to a file with the answer "nothing",
and after a crash to a port at which nobody listens: each time the program goes on as if there were no hook.

    serving   what happens                                next serving
    --------  ------------------------------------------  ------------
    OFF       somebody wants it, or it is to be seen      STARTING
    STARTING  it listens, and the files say so            SERVING
    STARTING  nobody wants it, or it cannot listen        OFF
    any       the package ends                            ENDED

Rule: where no program was ever connected there is neither a server nor a timer. Loop thread, except where noted.
"""

from __future__ import annotations

import asyncio
import logging
import os
from concurrent.futures import Future
from concurrent.futures import TimeoutError as TimedOut
from contextlib import suppress
from enum import Enum
from typing import TYPE_CHECKING, Any, Callable, Dict, FrozenSet, List, Optional, Sequence
from urllib.parse import quote

from ..agents.agent import Agent
from ..agents.dialect import file_url
from ..protocol.limits import ENVELOPE, MEBIBYTE, Limits
from ..protocol.serving import HOOK_SECRET, new_token
from ..system import files

if TYPE_CHECKING:
    from ..libraries import Libraries
    from ..runtime import Runtime
    from ..transport.hook_server import HookServer
    from .hook_sessions import HookSessions

logger = logging.getLogger("gemini_companion.endpoint")

FOLDER, SUFFIX, NONE = "hooks", ".conf", "none.json"
LEFT = "# Not connected."
"""How the file of a program begins that the user has disconnected."""
START_SECONDS = 20.0  # for who waits that it listens: the libraries may have to be imported
ENDING_SECONDS = 0.1
LONGEST = 4096  # bytes of a file that are read
UNREADABLE = "\0"


class Serving(Enum):
    """Whether hooks are answered."""

    OFF = "off"
    STARTING = "starting"
    SERVING = "serving"
    ENDED = "ended"


TRANSITIONS: Dict[Serving, FrozenSet[Serving]] = {
    Serving.OFF: frozenset({Serving.STARTING, Serving.ENDED}),
    Serving.STARTING: frozenset({Serving.SERVING, Serving.OFF, Serving.ENDED}),
    Serving.SERVING: frozenset({Serving.ENDED}),
    Serving.ENDED: frozenset(),
}


class HookAnswers:
    """One in the process. `sessions` answer what comes."""

    def __init__(self, runtime: Runtime, libraries: Libraries, sessions: HookSessions, storage: str) -> None:
        """`storage` is the folder in which the package keeps its data; it may not be there."""
        self.serving = Serving.OFF
        self.stopped: Future[None] = Future()
        """Done once nothing is answered any more, after `withdraw`."""
        self._runtime = runtime
        self._libraries = libraries
        self._sessions = sessions
        self._folder = os.path.join(storage, FOLDER)
        self._wanted: Optional[bool] = None  # None: nobody has looked yet
        self.secret = new_token()
        """Never to be shown or written down anywhere else."""
        self.port = 0
        """At which hooks are answered."""
        self._server: Optional[HookServer] = None
        self._starting: Optional[Any] = None  # the task, while it starts

    # -- for who connects programs ------------------------------------------------------------------------------------

    def file(self, agent: Agent) -> str:
        """The path of the program's file. Any thread."""
        return os.path.join(self._folder, agent.key + SUFFIX)

    def make(self, agent: Agent) -> None:
        """Answer the hooks of this program: its file is there when this returns. Raises OSError. Disk thread."""
        self._wanted = True
        try:
            problem = self._runtime.spawn(self._served).result(START_SECONDS)
        except TimedOut:
            problem = "the libraries that are needed are not there yet"
        if problem:
            raise OSError(problem)
        self._lead_here(self.file(agent))
        if self.serving is Serving.ENDED:
            self._leave()

    def forget(self, agent: Agent) -> None:
        """Answer them no more, in this run and later ones; programs that still have them go on. Disk thread."""
        with suppress(OSError):
            self._lead_to_nothing(self.file(agent), LEFT)

    # -- life ---------------------------------------------------------------------------------------------------------

    def look(self) -> None:
        """Begin to serve if a program was connected in an earlier run. Cheap once that is known."""
        self._runtime.assert_loop_thread()
        if self.serving is Serving.OFF and self._wanted is not False:
            self._runtime.spawn(self._served)

    def settings_changed(self) -> None:
        """The user may have other programs, or another limit."""
        if self._server is not None:
            self._server.limits = self._limits()
            self._server.serve(
                {each.key: each.hooks.schema for each in self._sessions.agents() if each.hooks is not None}
            )

    def withdraw(self) -> None:
        """Let hooks lead to nothing. They do so when this returns. Any thread, also without the editor's API."""
        if not self._go(Serving.ENDED):
            return
        if self.port:
            self._leave()
        self._runtime.spawn(self._stop).add_done_callback(lambda done: self.stopped.set_result(None))

    async def _stop(self) -> None:
        server, self._server = self._server, None
        if server is not None:
            await server.stop(ENDING_SECONDS)

    async def _served(self) -> str:
        """See to it that hooks are answered; why they cannot be, as a sentence, or ""."""
        if self._starting is None and self.serving is Serving.OFF:
            self._go(Serving.STARTING)
            self._starting = asyncio.ensure_future(self._start())
        if self._starting is not None:
            return str(await asyncio.shield(self._starting))
        return "" if self.serving is Serving.SERVING else "the package is ending"

    async def _start(self) -> str:
        problem = ""
        try:
            if not self._wanted:
                left = bool(await self._runtime.in_worker(self._left_files))
                self._wanted = left or bool(self._wanted)  # somebody may have come meanwhile
            if self._wanted:
                await self._listen()
        except OSError as error:
            problem = f"could not open a port for hooks: {error.strerror or error}"
            logger.warning("%s", problem)
        finally:
            self._starting = None
            self._go(Serving.OFF)
        return problem

    async def _listen(self) -> None:
        """Raises OSError."""
        make_server = await self._libraries.imported(_import_server)
        server = make_server(
            self.secret,
            self._sessions.handle,
            self._sessions.unread,
            limits=self._limits(),
            in_worker=self._runtime.in_worker,
        )
        address = await server.start()
        self._server, self.port = server, address.port
        self.settings_changed()
        await self._runtime.in_worker(self._lead_all_here)
        if not self._go(Serving.SERVING):  # the package has ended meanwhile
            await self._runtime.in_worker(self._leave)
            await self._stop()

    def _go(self, serving: Serving) -> bool:
        if serving not in TRANSITIONS[self.serving]:
            return False
        self.serving = serving
        return True

    def _limits(self) -> Limits:
        return Limits(body_bytes=self._sessions.body_mebibytes() * MEBIBYTE + ENVELOPE)

    # -- the files, on disk threads -----------------------------------------------------------------------------------

    def _left_files(self) -> List[str]:
        """Those of the programs that are connected."""
        return [path for path in files.paths(self._folder, SUFFIX) if not _read(path).startswith((LEFT, UNREADABLE))]

    def _lead_all_here(self) -> None:
        for path in self._left_files():
            self._lead_here(path)

    def _leave(self) -> None:
        """Let what leads here lead to nothing: another editor may have taken over what leads elsewhere."""
        with suppress(OSError):
            for path in files.paths(self._folder, SUFFIX):
                if self.secret in _read(path):
                    self._lead_to_nothing(path)

    def _lead_here(self, path: str) -> None:
        key = quote(os.path.basename(path)[: -len(SUFFIX)])
        lines = [
            f'url = "http://127.0.0.1:{self.port}/hook/{key}"',
            f'header = "{HOOK_SECRET}: {self.secret}"',
            'header = "Content-Type: application/json"',
            "connect-timeout = 2",
            'noproxy = "*"',
        ]
        _write(path, lines)

    def _lead_to_nothing(self, path: str, *first: str) -> None:
        nothing = os.path.join(self._folder, NONE)
        _write(nothing, ["{}"])
        _write(path, [*first, f'url = "{file_url(nothing)}"'])


def _import_server() -> Callable[..., HookServer]:
    from ..transport.hook_server import HookServer

    return HookServer


def _read(path: str) -> str:
    """What the file says, or `UNREADABLE`."""
    try:
        with files.opened(path, os.O_RDONLY) as (descriptor, _):
            return files.read_all(descriptor, LONGEST).decode("utf-8", "replace")
    except OSError:
        return UNREADABLE


def _write(path: str, lines: Sequence[str]) -> None:
    """Whole or not at all, for the user's eyes only."""
    files.write_in_folder(path, "".join(f"{line}\n" for line in lines).encode("utf-8"), to_disk=False)
