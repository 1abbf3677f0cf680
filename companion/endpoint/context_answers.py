"""Answers programs that ask for the context, for all windows: one socket for each user, whichever editor has it.

    holding   what happens                                     next holding
    --------  -----------------------------------------------  ------------
    OFF       a window's settings want the program             LOOKING
    LOOKING   the path is ours                                 HELD
    LOOKING   somebody else answers there                      STANDBY
    LOOKING   there is no safe path                            REFUSED
    STANDBY   time to look again                               LOOKING
    REFUSED   time to look again                               LOOKING
    any       no window's settings want the program            OFF

Rule: loop thread, except where noted; disk threads look at the disk. What a window last told its clients is the answer,
so nothing waits for the main thread. There is no timer: the one that watches the editor calls `look`.
"""

from __future__ import annotations

import asyncio
import logging
import os
import time
from enum import Enum
from typing import Callable, Dict, FrozenSet, List, Optional, Sequence, Tuple

from ..agents.agent import Agent
from ..agents.window import NOTHING, SharedContext
from ..common.clock import clock
from ..discovery.files import DiscoveryError, prepare
from ..protocol.jsonrpc import decode, encode
from ..protocol.tools import ClientSession
from ..runtime import Runtime
from ..system.platform import LINUX, Platform
from ..transport import framed_socket
from ..transport.framed_socket import Claim, FrameServer
from .endpoint import Endpoint

logger = logging.getLogger("gemini_companion.endpoint")

SEARCH_SECONDS = 10.0  # between two searches at least; the watcher of the editor comes by every 3.5 s
FIRST_SECONDS = 0.3  # for a window that nobody has listened to; programs wait half a second
POLL_SECONDS = 0.02
NESTING = 32


class Holding(Enum):
    """Whether the socket is ours."""

    OFF = "off"
    LOOKING = "looking"
    HELD = "held"
    STANDBY = "standby"
    REFUSED = "refused"


TRANSITIONS: Dict[Holding, FrozenSet[Holding]] = {
    Holding.OFF: frozenset({Holding.LOOKING}),
    Holding.LOOKING: frozenset({Holding.HELD, Holding.STANDBY, Holding.REFUSED, Holding.OFF}),
    Holding.HELD: frozenset({Holding.OFF}),
    Holding.STANDBY: frozenset({Holding.LOOKING, Holding.OFF}),
    Holding.REFUSED: frozenset({Holding.LOOKING, Holding.OFF}),
}


class ContextAnswers:
    """The socket of one agent. `endpoints` are those of all windows, and may be called on any thread."""

    def __init__(
        self,
        runtime: Runtime,
        agent: Agent,
        endpoints: Callable[[], List[Endpoint]],
        platform: Optional[Platform] = None,
    ) -> None:
        self.holding = Holding.OFF
        self.problem = ""
        """Why it is refused, in a sentence."""
        self._runtime = runtime
        self.agent = agent
        self._dialect = agent.dialect
        self._endpoints = endpoints
        self._platform = platform if platform is not None else Platform.current()
        self._claims: Tuple[Claim, ...] = ()
        self._server: Optional[FrameServer] = None
        self._searched = 0.0  # on the monotonic clock
        self._stopped = False

    # -- life ---------------------------------------------------------------------------------------------------------

    def look(self) -> None:
        """See whether an agent of ours is enabled and, once in a while, whether the socket is to be had."""
        self._runtime.assert_loop_thread()
        wanted = not self._stopped and any(self.agent.is_wanted(each.settings()) for each in self._endpoints())
        if not wanted:
            self._give_back()
            return
        now = clock.now()
        if self.holding is not Holding.OFF and now - self._searched < SEARCH_SECONDS:
            return
        self._searched = now
        if any(claimed.is_lost() for claimed in self._claims):
            self._give_back()  # a cleaner, or an editor that takes what is not its own
        if self._go(Holding.LOOKING):
            self._runtime.spawn(self._search)

    def withdraw(self) -> None:
        """Leave the paths to others. They are gone when this returns. Any thread, also without the editor's API."""
        self._stopped = True
        for claimed in self._claims:
            claimed.leave()
        self._runtime.on_loop(self._give_back)

    async def tried(self) -> str:
        """Send ourselves a message as the program does; where that went. Raises `OSError`."""
        paths = [claimed.path for claimed in self._claims]
        for path in paths if self._platform.user_id is not None else ():
            await framed_socket.ask(path, encode(dict(self._dialect.trial)))
        return ", ".join(paths)

    def _go(self, holding: Holding) -> bool:
        if holding not in TRANSITIONS[self.holding]:
            return False
        self.holding = holding
        return True

    async def _search(self) -> None:
        claims: Tuple[Claim, ...] = ()
        self.problem = ""
        try:
            claims = await self._runtime.in_worker(self._claim)
            server = FrameServer(self._answer)
            for claimed in claims:
                await server.serve(claimed)
        except (OSError, DiscoveryError) as error:
            for claimed in claims:
                claimed.release()
            self.problem = str(error)
            if self._go(Holding.REFUSED):
                logger.warning("%s cannot ask this editor: %s", self.agent.title, error)
            return
        if not claims:
            self._go(Holding.STANDBY)
        elif self._go(Holding.HELD):
            self._claims, self._server = claims, server
            logger.info("%s can ask at %s", self.agent.title, ", ".join(each.path for each in claims))
        if self._server is not server or self._stopped:  # nobody wants it any more
            server.close()
            for claimed in claims:
                claimed.release()

    def _claim(self) -> Tuple[Claim, ...]:
        """All paths, or none if somebody else answers at one of them. The first one is where programs ask first; a
        further one that cannot be had is done without. Disk thread."""
        claims: List[Claim] = []
        for each in self.agent.shared_sockets(self._platform):
            try:
                folder = prepare(each.place, self._platform) if each.place is not None else ""
                path = os.path.join(folder, each.name)
                found = Claim(path) if self._platform.user_id is None else framed_socket.claim(path)
            except (OSError, DiscoveryError) as error:
                if not claims:
                    raise
                logger.info("%s cannot ask where earlier releases do: %s", self.agent.title, error)
                continue
            if found is None:
                for claimed in claims:
                    claimed.release()
                return ()
            claims.append(found)
        self._claims = tuple(claims)  # from now on `withdraw` knows them
        if self._stopped:
            self.withdraw()
        return self._claims

    def _give_back(self) -> None:
        server, self._server = self._server, None
        claims, self._claims = self._claims, ()
        if server is not None:
            server.close()
        for claimed in claims:
            claimed.release()
        self._go(Holding.OFF)

    # -- answers ------------------------------------------------------------------------------------------------------

    async def _answer(self, frame: bytes, process: Optional[int]) -> Optional[bytes]:
        try:
            message = decode(frame, NESTING)
        except ValueError:  # also where it is too deep or has too many values
            message = None
        if not isinstance(message, dict):
            raise OSError("a frame that is no message")

        async def context_of(root: str, name: str) -> Optional[SharedContext]:
            return await self._context(root, name, process)

        answer = await self._dialect.reply(message, context_of)
        try:
            return encode(answer) if answer is not None else None
        except ValueError:
            raise OSError("a frame with a number that cannot be repeated") from None

    async def _context(self, root: str, name: str, process: Optional[int]) -> Optional[SharedContext]:
        endpoint = chosen(self._endpoints(), root, self._platform)
        if endpoint is None or not self.agent.is_wanted(endpoint.settings()):
            return None
        session = ClientSession(f"{self._dialect.key}-{process}", name, "", "", time.time())
        self._runtime.on_main(self._note, endpoint, session, process)
        deadline = clock.now() + FIRST_SECONDS
        while endpoint.tracker.published is None and clock.now() < deadline:  # noqa: ASYNC110 - another thread's
            await asyncio.sleep(POLL_SECONDS)
        return endpoint.tracker.published or NOTHING

    def _note(self, endpoint: Endpoint, session: ClientSession, process: Optional[int]) -> None:
        """Show the agent in its window, and in no other any more. Main thread."""
        for each in self._endpoints():
            if each is not endpoint:
                each.agents.went(session)
        endpoint.agents.asked(session, self._dialect, process)


def chosen(endpoints: Sequence[Endpoint], root: str, platform: Platform) -> Optional[Endpoint]:
    """The window that has this folder, else one with a folder above it (the innermost) or below it, else the one that
    was last in front; of several the one of them that was. None without windows. Any thread."""

    def rank(endpoint: Endpoint) -> Tuple[Tuple[int, int], int]:
        return fit(endpoint.discovery.all_folders, root, platform), endpoint.tracker.last_in_front

    return max(endpoints, key=rank) if endpoints else None


def fit(folders: Sequence[str], root: str, platform: Platform) -> Tuple[int, int]:
    """How well a window with these folders fits a program in this one: 2 if one of them holds it, and how long the
    innermost of those is; 1 if one lies in it. Any thread."""
    root, best = _comparable(root, platform), (0, 0)
    for folder in (_comparable(each, platform) for each in folders):
        if root.startswith(folder):
            best = max(best, (2, len(folder)))
        elif folder.startswith(root):
            best = max(best, (1, 0))
    return best


def holds(folders: Sequence[str], place: str, platform: Platform) -> bool:
    """Whether one of these folders holds that place. Any thread."""
    return fit(folders, place, platform)[0] == 2


def _comparable(folder: str, platform: Platform) -> str:
    path = platform.path.join(platform.path.normpath(folder), "")
    return path if platform.name == LINUX else path.lower()
