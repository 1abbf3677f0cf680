"""One window's endpoint: its server, its context, its reviews and its discovery files, brought together.

Rule: nothing in here is shared with another window. Methods run on the main thread unless they say otherwise; those that
run on the loop are the coroutines, and they touch the window only through `runtime.call_main`.
"""

from __future__ import annotations

import logging
import secrets
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, Dict, List, Optional

import sublime

from .announcer import Announcer
from .context.follower import Follower
from .review.desk import Desk
from .review.review import Outcome, Owner, Review
from .tool_calls import ToolCalls
from .window_settings import WindowSettings

if TYPE_CHECKING:
    from .libraries import Libraries
    from .protocol.tools import ClientSession
    from .runtime import Runtime
    from .transport.server import CompanionServer

logger = logging.getLogger("gemini_companion.endpoint")

TOKEN_BYTES = 32  # 256 bits
CONTEXT = "ide/contextUpdate"
RETRY_SECONDS = (1, 2, 5, 10, 30)


class Endpoint:
    """What one window offers to clients."""

    def __init__(self, window: sublime.Window, runtime: Runtime, libraries: Libraries, version: str) -> None:
        self.window = window
        self.port: Optional[int] = None
        self.problem: Optional[str] = None
        self.clients: Dict[str, ClientSession] = {}
        self._runtime = runtime
        self._libraries = libraries
        self._version = version
        self._settings = settings = WindowSettings(window)
        self._token = secrets.token_urlsafe(TOKEN_BYTES)
        self._server: Optional[CompanionServer] = None  # the loop's
        self._stopped = False
        self.desk = Desk(
            window, runtime=runtime, settings=settings, notify=self._tell_outcome, is_connected=self._is_connected
        )
        self.follower = Follower(window, runtime=runtime, settings=settings, publish=self._publish_context)
        self._announcer = Announcer(window, runtime, settings, self.follower.active_path, self._set_problem)
        self._tool_calls = ToolCalls(self.desk, runtime)

    # -- life ---------------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Begin to serve. Returns at once; `port` is None until the server listens."""
        self.settings_changed()
        self.desk.recover()
        self._runtime.spawn(self._serve)

    def stop(self) -> Future[None]:
        """Reject what is pending, give the window back and say goodbye to the clients.

        The discovery files are gone when this returns; the future holds the end of the server.
        """
        self._stopped = True
        self.desk.shutdown()
        self.follower.stop()
        self._announcer.withdraw()
        return self._runtime.spawn(self._stop_serving)

    def exit(self) -> Future[None]:
        """The same for an editor that is quitting, when its API may no longer be used."""
        self._stopped = True
        self._announcer.withdraw()
        for review in self.desk.pending():
            self._tell_outcome(review, Outcome("rejected", review.path, None))
        return self._runtime.spawn(self._stop_serving)

    def settings_changed(self) -> None:
        """Take the settings as they are now, and say in the status bar which of them are wrong."""
        for complaint in self._settings.refresh():
            logger.warning("%s", complaint)
            self.window.status_message("Gemini Companion: " + complaint)

    def workspace_changed(self) -> None:
        """Announce the window's folders anew if they are not the ones announced."""
        if self.port is not None and not self._stopped:
            self._announcer.announce(self.port, self._token)

    # -- the server, on the loop --------------------------------------------------------------------------------------

    async def _serve(self) -> None:
        import asyncio

        await self._libraries.available()
        # Never imported on the main thread: aiohttp takes a third of a second.
        from .protocol.tools import Implementation
        from .tools import TOOLS
        from .protocol.limits import Limits
        from .transport.server import CompanionServer

        limits = Limits(body_bytes=self._settings().maximum_body_mebibytes * 1024 * 1024)
        attempt = 0
        while not self._stopped:
            server = CompanionServer(
                token=self._token,
                tools=TOOLS,
                call_tool=self._tool_calls,
                session_opened=self._session_opened,
                session_closed=self._session_closed,
                limits=limits,
                identity=Implementation("gemini-companion", "Gemini Companion", self._version),
            )
            try:
                port = await server.start()
            except OSError as error:
                delay = RETRY_SECONDS[min(attempt, len(RETRY_SECONDS) - 1)]
                attempt += 1
                logger.warning("could not open a port (%s); trying again in %s s", error, delay)
                self._runtime.on_main(self._set_problem, "could not open a port: {}".format(error.strerror))
                await asyncio.sleep(delay)
                continue
            self._server = server
            self._runtime.on_main(self._serving, port)
            return

    async def _stop_serving(self) -> None:
        server, self._server = self._server, None
        if server is not None:
            await server.stop()

    def _session_opened(self, session: ClientSession) -> None:
        self._runtime.on_main(self._client_came, session)

    def _session_closed(self, session: ClientSession) -> None:
        self._runtime.on_main(self._client_went, session)

    def _notify(self, method: str, params: Dict[str, Any], session: Optional[str], collapse: Optional[str]) -> None:
        if self._server is not None:
            self._server.notify(method, params, session=session, collapse=collapse)

    # -- what the loop tells, on the main thread ----------------------------------------------------------------------

    def _serving(self, port: int) -> None:
        if self._stopped:
            return
        self.port = port
        self._set_problem(None)
        logger.info("window %s is served on port %s", self.window.id(), port)
        self.workspace_changed()

    def _client_came(self, session: ClientSession) -> None:
        if self._stopped:
            return
        first = not self.clients
        self.clients[session.id] = session
        logger.info("%s %s connected", session.client_name, session.client_version)
        if first:
            self.follower.set_listening(True)  # which publishes the context to whoever is there
        else:
            self.follower.when_current(
                lambda context: self._runtime.on_loop(self._notify, CONTEXT, context, session.id, CONTEXT)
            )

    def _client_went(self, session: ClientSession) -> None:
        self.clients.pop(session.id, None)
        logger.info("%s %s went away", session.client_name, session.client_version)
        if self._stopped:
            return
        if not self.clients:
            self.follower.set_listening(False)
        self.desk.owner_gone(session.id)

    def _set_problem(self, problem: Optional[str]) -> None:
        if problem != self.problem and not self._stopped:
            self.problem = problem
            if problem is not None:
                self.window.status_message("Gemini Companion: " + problem)

    # -- what the editor tells the clients, on the main thread --------------------------------------------------------

    def _publish_context(self, context: Dict[str, Any]) -> None:
        self._runtime.on_loop(self._notify, CONTEXT, context, None, CONTEXT)

    def _tell_outcome(self, review: Review, outcome: Outcome) -> None:
        params: Dict[str, Any] = {"filePath": outcome.path}
        if outcome.kind == "accepted":
            params["content"] = outcome.content
        method = "ide/diffAccepted" if outcome.kind == "accepted" else "ide/diffRejected"
        self._runtime.on_loop(self._notify, method, params, review.owner.session_id, None)

    def _is_connected(self, owner: Owner) -> bool:
        return owner.session_id in self.clients

    def client_names(self) -> List[str]:
        """The connected clients, each as "name version"."""
        return ["{} {}".format(client.client_name, client.client_version) for client in self.clients.values()]
