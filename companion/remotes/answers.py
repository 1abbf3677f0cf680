"""Answers a remote's agents that ask for the context, at a socket of which that machine has one for each user.

Rule: loop thread. What the window last told its clients is the answer, as far as that machine may hear of it.
"""

from __future__ import annotations

import time
from typing import Optional

from ..agents.agent import Agent
from ..agents.window import SharedContext
from ..endpoint.context_answers import answered, published
from ..endpoint.endpoint import Endpoint
from ..protocol.tools import ClientSession
from ..runtime import Runtime
from ..transport.framed_socket import FrameServer
from .mapped import MappedDialect


class RemoteAnswers:
    """For one agent in one window."""

    def __init__(self, runtime: Runtime, endpoint: Endpoint, agent: Agent, dialect: MappedDialect) -> None:
        self.agent = agent
        self._runtime = runtime
        self._endpoint = endpoint
        self._dialect = dialect
        self._asker: Optional[ClientSession] = None
        self._server = FrameServer(self._answer)

    async def start(self) -> str:
        """Listen for what the remote carries here; where. Raises OSError."""
        return await self._server.serve_locally()

    def close(self) -> None:
        """Answer no more."""
        self._server.close()
        if self._asker is not None:
            self._runtime.on_main(self._endpoint.agents.went, self._asker)

    async def _answer(self, frame: bytes, process: Optional[int]) -> Optional[bytes]:
        return await answered(self._dialect, frame, self._context)

    async def _context(self, root: str, name: str) -> Optional[SharedContext]:
        if not self.agent.is_wanted(self._endpoint.settings()):
            return None
        if self._asker is None or self._asker.client_name != name:
            self._asker = ClientSession(self._dialect.key, name, "", "", time.time())
        self._runtime.on_main(self._endpoint.agents.asked, self._asker, self._dialect, None)
        return await published(self._endpoint)
