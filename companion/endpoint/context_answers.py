"""Answers agents that ask for the context, for all windows: there is one socket for each user, which one editor holds.

    holding   what happens                                     next holding
    --------  -----------------------------------------------  ------------
    OFF       the agent is enabled in a window                 LOOKING
    LOOKING   the path is ours                                 HELD
    LOOKING   another process answers there                    STANDBY
    LOOKING   there is no safe path                            REFUSED
    STANDBY   `SEARCH_SECONDS` are over                        LOOKING
    REFUSED   `SEARCH_SECONDS` are over                        LOOKING
    any       the agent is enabled in no window                OFF

Rule: loop thread, except where noted; disk threads read the disk. The answer is what a window last published, so
nothing waits for the main thread. There is no timer: the one that watches the editor calls `check`.
"""

from __future__ import annotations

import asyncio
import logging
import os
import time
from enum import Enum
from typing import Callable, Dict, FrozenSet, List, Optional, Tuple

from ..agents.agent import Agent
from ..agents.dialect import ContextOf, Dialect
from ..agents.window import NOTHING, SharedContext
from ..common.clock import clock
from ..common.transitions import may_step
from ..discovery.files import DiscoveryError, prepare
from ..protocol.jsonrpc import decode, encode
from ..protocol.tools import ClientSession
from ..runtime import Runtime
from ..system.platform import Platform
from ..transport import framed_socket
from ..transport.framed_socket import Claim, FrameServer
from .endpoint import Endpoint
from .window_choice import best_window

logger = logging.getLogger("gemini_companion.endpoint")

SEARCH_SECONDS = 10.0  # between two searches at least; the timer that watches the editor runs every 3.5 s
FIRST_SECONDS = 0.3  # for a window that has published nothing yet; agents wait half a second
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

    def check(self) -> None:
        """Hold the socket while the agent is enabled in a window. Every `SEARCH_SECONDS` a lost or missing one is
        searched for again."""
        self._runtime.assert_loop_thread()
        if self._stopped or not any(self.agent.is_wanted(each.settings()) for each in self._endpoints()):
            self._give_back()
            return
        now = clock.now()
        if self.holding is not Holding.OFF and now - self._searched < SEARCH_SECONDS:
            return
        self._searched = now
        if any(claimed.is_lost() for claimed in self._claims):
            self._give_back()  # something has removed it, or another editor has taken it
        if self._go(Holding.LOOKING):
            self._runtime.spawn(self._search)

    def withdraw(self) -> None:
        """Remove the paths. They are gone when this returns. Any thread, also without the editor's API."""
        self._stopped = True
        for claimed in self._claims:
            claimed.leave()
        self._runtime.on_loop(self._give_back)

    async def tried(self) -> str:
        """Send ourselves a message as the agent does. Returns the paths that it went to. Raises `OSError`."""
        paths = [claimed.path for claimed in self._claims]
        for path in paths if self._platform.user_id is not None else ():
            await framed_socket.ask(path, encode(dict(self._dialect.trial)))
        return ", ".join(paths)

    def _go(self, holding: Holding) -> bool:
        if not may_step(TRANSITIONS, self.holding, holding):
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
        if self._server is not server or self._stopped:  # the agent was disabled meanwhile
            server.close()
            for claimed in claims:
                claimed.release()

    def _claim(self) -> Tuple[Claim, ...]:
        """Claim all paths; none of them if another process answers at one. Agents ask at the first path first; a
        further one that cannot be claimed is left out. Disk thread."""
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
        async def context_of(root: str, name: str) -> Optional[SharedContext]:
            return await self._context(root, name, process)

        return await answered(self._dialect, frame, context_of)

    async def _context(self, root: str, name: str, process: Optional[int]) -> Optional[SharedContext]:
        endpoint = best_window(self._endpoints(), root, self._platform)
        if endpoint is None or not self.agent.is_wanted(endpoint.settings()):
            return None
        session = ClientSession(f"{self._dialect.key}-{process}", name, "", "", time.time())
        self._runtime.on_main(self._note, endpoint, session, process)
        return await published(endpoint)

    def _note(self, endpoint: Endpoint, session: ClientSession, process: Optional[int]) -> None:
        """Show the agent in its window, and in no other any more. Main thread."""
        for each in self._endpoints():
            if each is not endpoint:
                each.agents.went(session)
        endpoint.agents.asked(session, self._dialect, process)


async def answered(dialect: Dialect, frame: bytes, context_of: ContextOf) -> Optional[bytes]:
    """The answer to a frame, None if it gets none. Raises `OSError` for what is no message. Loop thread."""
    try:
        message = decode(frame, NESTING)
    except ValueError:  # also where it is too deep or has too many values
        message = None
    if not isinstance(message, dict):
        raise OSError("a frame that is no message")
    answer = await dialect.reply(message, context_of)
    try:
        return encode(answer) if answer is not None else None
    except ValueError:
        raise OSError("a frame with a number that cannot be repeated") from None


async def published(endpoint: Endpoint) -> SharedContext:
    """What the window last told its clients, or is about to tell them. Loop thread."""
    deadline = clock.now() + FIRST_SECONDS
    while endpoint.tracker.published is None and clock.now() < deadline:  # noqa: ASYNC110 - another thread's
        await asyncio.sleep(POLL_SECONDS)
    return endpoint.tracker.published or NOTHING
