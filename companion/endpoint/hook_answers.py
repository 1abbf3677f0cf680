"""The address of the agents' hooks: one server for all windows, and the files by which the hooks find it.

For each agent there is one file of ours, which its hooks hand to `curl`. The file has the address and the secret of the
running editor. When the editor ends, it writes the address of a file with the answer "nothing" there; after a crash,
the file has a port at which nothing listens. In both cases the agent goes on as if there were no hook.

    serving   what happens                                next serving
    --------  ------------------------------------------  ------------
    OFF       hooks are installed, or may have been       STARTING
    STARTING  it listens, and the files say so            SERVING
    STARTING  there are no hooks, or it cannot listen     OFF
    any       the package ends                            ENDED

While it serves, `check` writes a file again that was removed or changed, and tells the user.

Rules: where no hooks were ever installed there is neither a server nor a timer. The files are in a folder that only the
user can write to, or are not used (see `system.folders`). Loop thread, except where noted.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from concurrent.futures import Future
from concurrent.futures import TimeoutError as TimedOut
from contextlib import suppress
from enum import Enum
from typing import TYPE_CHECKING, Any, Callable, Dict, FrozenSet, List, Optional, Sequence
from urllib.parse import quote

from ..agents.agent import Agent
from ..agents.dialect import file_url
from ..common.transitions import may_step
from ..protocol.serving import HOOK_SECRET, new_token
from ..system import files
from ..system.folders import check_own
from ..system.platform import Platform
from .status_text import join_names

if TYPE_CHECKING:
    from ..libraries import Libraries
    from ..runtime import Runtime
    from ..transport.hook_server import HookServer
    from .hook_sessions import HookSessions

logger = logging.getLogger("gemini_companion.endpoint")

FOLDER, SUFFIX, NONE = "hooks", ".conf", "none.json"
LEFT = "# Not connected."
"""How the file of an agent begins whose hooks the user has removed."""
START_SECONDS = 20.0  # to wait until the server listens: the libraries may have to be imported
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
    """One in the process. `sessions` answer the hooks."""

    def __init__(
        self,
        runtime: Runtime,
        libraries: Libraries,
        sessions: HookSessions,
        storage: str,
        *,
        say: Callable[[str], None],
        changed: Callable[[], None],
    ) -> None:
        """`storage` is the folder in which the package keeps its data; it may not be there. `say` shows a sentence in
        the status bar, `changed` is called when `connected` has changed; both on the main thread."""
        self.serving = Serving.OFF
        self.stopped: Future[None] = Future()
        """Done once the server has ended, after `withdraw`."""
        self._runtime = runtime
        self._libraries = libraries
        self._sessions = sessions
        self._storage = storage
        self._folder = os.path.join(storage, FOLDER)
        self._say, self._changed = say, changed
        self.problem = ""
        """Why hooks do not find this editor, as a sentence; "" if they do."""
        self.connected: FrozenSet[str] = frozenset()
        """The keys of the agents whose files lead here. Any thread."""
        self._led: Dict[str, str] = {}  # the files that should lead here, with the keys of their agents
        self._noting = threading.Lock()
        self._renewing = False
        self._wanted: Optional[bool] = None  # None: not known yet
        self.secret = new_token()
        """Never to be shown or written down anywhere else."""
        self.port = 0
        """At which hooks are answered."""
        self._server: Optional[HookServer] = None
        self._starting: Optional[Any] = None  # the task, while it starts

    # -- hooks are installed and removed -------------------------------------------------------------------------------

    def file(self, agent: Agent) -> str:
        """The path of the agent's file. Any thread."""
        return os.path.join(self._folder, agent.key + SUFFIX)

    def make(self, agent: Agent) -> None:
        """Answer the hooks of this agent: its file is there when this returns. Raises OSError. Disk thread."""
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
        """No longer answer them, in this run and later ones; agents that still have them go on. Disk thread."""
        self._note(self.file(agent), leads=False)
        with suppress(OSError):
            self._lead_to_nothing(self.file(agent), LEFT)

    # -- life ---------------------------------------------------------------------------------------------------------

    def check(self) -> None:
        """Begin to serve if hooks were installed in an earlier run, and check the files from then on. Cheap where there
        are none."""
        self._runtime.assert_loop_thread()
        if self.serving is Serving.OFF and self._wanted is not False:
            self._runtime.spawn(self._served)
        elif self.serving is Serving.SERVING and self._led and not self._renewing:
            self._renewing = True
            self._runtime.spawn(self._renew)

    def settings_changed(self) -> None:
        """The user may have other agents."""
        if self._server is not None:
            self._server.serve(
                {each.key: each.hooks.schema for each in self._sessions.agents() if each.hooks is not None}
            )

    def withdraw(self) -> None:
        """Have the files lead to the answer "nothing". They do when this returns. Any thread, also without the editor's
        API."""
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
        """Start the server unless it runs. Returns a sentence that says why hooks cannot be answered, or ""."""
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
                self._wanted = left or bool(self._wanted)  # `make` may have been called meanwhile
            if self._wanted:
                await self._listen()
            self._set_problem("")
        except OSError as error:
            problem = _sentence(error)
            self._set_problem(problem)
        finally:
            self._starting = None
            self._go(Serving.OFF)
        return problem

    async def _renew(self) -> None:
        try:
            await self._runtime.in_worker(self._keep_files)
        finally:
            self._renewing = False

    async def _listen(self) -> None:
        """Raises OSError."""
        make_server = await self._libraries.imported(_import_server)
        server = make_server(
            self.secret,
            self._sessions.handle,
            self._sessions.unread,
            in_worker=self._runtime.in_worker,
        )
        try:
            address = await server.start()
        except OSError as error:
            raise OSError(f"could not open a port for hooks: {error.strerror or error}") from error
        self._server, self.port = server, address.port
        self.settings_changed()
        try:
            await self._runtime.in_worker(self._lead_all_here)
        except OSError:
            await self._stop()
            self.port = 0
            raise
        if not self._go(Serving.SERVING):  # the package has ended meanwhile
            await self._runtime.in_worker(self._leave)
            await self._stop()

    def _go(self, serving: Serving) -> bool:
        if not may_step(TRANSITIONS, self.serving, serving):
            return False
        self.serving = serving
        return True

    # -- the files, on disk threads -----------------------------------------------------------------------------------

    def _left_files(self) -> List[str]:
        """The files of the agents whose hooks are installed. Raises OSError."""
        if os.path.lexists(self._folder):
            self._check_folder()
        return [path for path in files.paths(self._folder, SUFFIX) if not _read(path).startswith((LEFT, UNREADABLE))]

    def _lead_all_here(self) -> None:
        for path in self._left_files():
            self._lead_here(path)

    def _keep_files(self) -> None:
        """Write the files again that should lead here and do not, unless the user or another editor changed them."""
        restored: List[str] = []
        problem = ""
        for path in list(self._led):
            try:
                self._check_folder()
                text = _read(path)
                if text == _joined(self._leading(path)):
                    self._note(path, leads=True)
                elif self.secret not in text and (text.startswith(LEFT) or "\nurl = " in f"\n{text}"):
                    self._note(path, leads=False)
                else:
                    self._lead_here(path)
                    restored.append(_key(path))
            except OSError as error:
                problem = _sentence(error)
                self._note(path, leads=None)
        if self.serving is Serving.ENDED:
            self._leave()
            return
        self._set_problem(problem)
        if restored:
            names = join_names([agent.title for agent in self._sessions.agents() if agent.key in restored])
            gone = f"the file by which the hooks of {names} find this editor had been removed or changed"
            self._tell(f"{gone}: it is there again, but what was written meanwhile was not reviewed")

    def _note(self, path: str, leads: Optional[bool]) -> None:
        """Remember whether a file leads here; None: it should, but does not."""
        with self._noting:
            before, others = self.connected, {each for each in self._led if each != path}
            self._led = {each: _key(each) for each in (*others, *([] if leads is False else [path]))}
            self.connected = before - {_key(path)} | ({_key(path)} if leads else frozenset())
            is_changed = self.connected != before
        if is_changed:
            self._runtime.on_main(self._changed)

    def _set_problem(self, problem: str) -> None:
        """Remember why hooks do not find this editor, and show it once. Any thread."""
        former, self.problem = self.problem, problem
        if problem and problem != former:
            self._tell(f"hooks of agents do not find this editor: {problem}")

    def _tell(self, sentence: str) -> None:
        logger.warning("%s", sentence)
        self._runtime.on_main(self._say, sentence)

    def _check_folder(self) -> None:
        """Create the folder of the files if it is not there. Raises `OSError`, with a sentence, if others could write
        to it, or it is a link."""
        os.makedirs(self._folder, 0o700, exist_ok=True)
        platform = Platform.current()
        check_own(self._storage, platform, may_be_link=True)
        check_own(self._folder, platform)

    def _leave(self) -> None:
        """Have the files that lead here lead to nothing; another editor may have taken over the others."""
        with suppress(OSError):
            for path in files.paths(self._folder, SUFFIX):
                if self.secret in _read(path):
                    self._lead_to_nothing(path)

    def _lead_here(self, path: str) -> None:
        """Raises OSError."""
        self._check_folder()
        _write(path, self._leading(path))
        self._note(path, leads=True)

    def _leading(self, path: str) -> List[str]:
        """The text of a file that leads here."""
        return [
            f'url = "http://127.0.0.1:{self.port}/hook/{quote(_key(path))}"',
            f'header = "{HOOK_SECRET}: {self.secret}"',
            'header = "Content-Type: application/json"',
            "connect-timeout = 2",
            'noproxy = "*"',
        ]

    def _lead_to_nothing(self, path: str, *first: str) -> None:
        nothing = os.path.join(self._folder, NONE)
        _write(nothing, ["{}"])
        _write(path, [*first, f'url = "{file_url(nothing)}"'])


def _import_server() -> Callable[..., HookServer]:
    from ..transport.hook_server import HookServer

    return HookServer


def _key(path: str) -> str:
    """The key of the agent whose file this is."""
    return os.path.basename(path)[: -len(SUFFIX)]


def _sentence(error: OSError) -> str:
    """What went wrong, without a full stop."""
    return f"{error.filename}: {error.strerror}" if error.strerror and error.filename else error.strerror or str(error)


def _read(path: str) -> str:
    """The text of the file, or `UNREADABLE`."""
    try:
        with files.opened(path, os.O_RDONLY) as (descriptor, _):
            return files.read_all(descriptor, LONGEST).decode("utf-8", "replace")
    except OSError:
        return UNREADABLE


def _write(path: str, lines: Sequence[str]) -> None:
    """Write the file whole or not at all; only the user may read it."""
    files.write_in_folder(path, _joined(lines).encode("utf-8"), to_disk=False)


def _joined(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
