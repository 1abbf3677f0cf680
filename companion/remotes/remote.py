"""One remote of one window: connected, kept, and left.

    link        what happens                                    next link
    ----------  ----------------------------------------------  ----------
    CONNECTING  its helper runs, and the agents find the files  CONNECTED
    CONNECTING  it cannot be reached, and never was             OFF
    CONNECTING  it cannot be reached again                      WAITING
    CONNECTED   the connection is lost                          WAITING
    WAITING     some seconds have passed                        CONNECTING
    any         the user disconnects it, the window closes      OFF

Theory of operation: for each dialect there is a server of ours that listens for what the remote carries here, with
tokens of its own. It lives as long as the remote: when the connection is back, ports and tokens are the former ones,
by which agents come back. The discovery files over there are those that the agents look for here, but for the names
of the folders, the helper's process id and its addresses.

Rule: loop thread, except where noted.
"""

from __future__ import annotations

import asyncio
import errno
import json
import logging
import os
import time
from contextlib import suppress
from enum import Enum
from functools import partial
from typing import Any, Callable, Dict, FrozenSet, List, NamedTuple, Optional, Tuple

from ..agents.agent import Agent, Announcement, Place
from ..agents.dialect import Transport
from ..agents.registry import AGENTS, wanted_agents
from ..common.transitions import may_step, step
from ..endpoint.endpoint import Endpoint
from ..endpoint.servers import DIALECTS, SHARED, ServerListener, ServerTask
from ..protocol.serving import Address, Tokens
from ..runtime import Runtime
from ..settings import RemoteRow
from ..system.platform import LINUX, MACOS, Platform
from ..transport.listening import open_locally
from .answers import RemoteAnswers
from .channel import Channel, ChannelError, HelperAnswer
from .mapped import MappedDialect
from .texts import RemoteFiles

logger = logging.getLogger("gemini_companion.remotes")

PAUSES = (1.0, 2.0, 4.0, 8.0, 15.0)
READY_SECONDS = 20.0
"""For our own servers: the libraries may have to be imported."""
VARIABLES = ("HOME", "TMPDIR", "TMP", "TEMP")
"""Of the environment over there, beside those that name an agent's folder."""


class Link(Enum):
    """Whether a remote is connected."""

    OFF = "off"
    CONNECTING = "connecting"
    CONNECTED = "connected"
    WAITING = "waiting"


TRANSITIONS: Dict[Link, FrozenSet[Link]] = {
    Link.OFF: frozenset(),
    Link.CONNECTING: frozenset({Link.CONNECTED, Link.WAITING, Link.OFF}),
    Link.CONNECTED: frozenset({Link.WAITING, Link.OFF}),
    Link.WAITING: frozenset({Link.CONNECTING, Link.OFF}),
}


class Sources(NamedTuple):
    """What is sent to the other side."""

    helper: str
    """The line that a shell there runs."""
    relay: str


class Carrier:
    """One dialect's server, and where the helper listens for it."""

    def __init__(self, dialect: MappedDialect) -> None:
        self.dialect = dialect
        self.task: Optional[ServerTask] = None
        self.answers: Optional[RemoteAnswers] = None
        """In the place of a server, where agents only ask."""
        self.local = ""
        self.tokens: Tokens = {}
        self.address = Address()
        """The helper's."""
        self.ready = asyncio.Event()


class Remote:
    """`row` is what the user's settings say of it. `copies` is a folder of its own, `say` shows a sentence; main
    thread."""

    def __init__(
        self,
        runtime: Runtime,
        endpoint: Endpoint,
        row: RemoteRow,
        sources: Sources,
        copies: str,
        say: Callable[[str], None],
    ) -> None:
        self.row = row
        self.link = Link.CONNECTING
        self.problem = ""
        """Why it is not connected, or what is wrong with it, as a sentence."""
        self.hello: Dict[str, Any] = {}
        self.found: List[str] = []
        """What agents over there find: a line for each of them."""
        self._relay = ""
        self._left: List[str] = []  # what the helper has made, in case that it is killed
        self._runtime = runtime
        self._endpoint = endpoint
        self._sources = sources
        self._say = partial(runtime.on_main, say)
        self._channel: Optional[Channel] = None
        self._carriers: Dict[str, Carrier] = {}
        folders = {remote: os.path.expanduser(local) for remote, local in row.folders.items()}
        self.files = RemoteFiles(runtime, self.ask, folders, copies, Platform.current().name, self._say)

    # -- life ---------------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Connect, and stay connected. Main thread."""
        agents = wanted_agents(self._endpoint.settings())
        for spoken in DIALECTS:
            if any(agent.dialect is spoken for agent in agents):
                carrier = Carrier(MappedDialect(spoken, self.row.name, self.files))
                listener = ServerListener(partial(self._serving, carrier), self._server_problem, self._endpoint.hooks)
                self._carriers[spoken.key] = carrier
                carrier.task = self._endpoint.servers.carry(carrier.dialect, listener, agents)
        for agent in agents:
            if agent.dialect.transport is SHARED:
                carrier = self._carriers[agent.dialect.key] = Carrier(
                    MappedDialect(agent.dialect, self.row.name, self.files)
                )
                carrier.answers = RemoteAnswers(self._runtime, self._endpoint, agent, carrier.dialect)
        self._runtime.spawn(self._run)

    def secrets(self) -> List[str]:
        """The tokens that its servers take. Never to be shown or written down."""
        return [token for carrier in self._carriers.values() for token in carrier.tokens.values()]

    async def stop(self) -> None:
        """Leave it: nothing of ours is there any more."""
        self._go(Link.OFF)
        if self._channel is not None:
            await self._channel.close("it was disconnected")

    @property
    def is_left(self) -> bool:
        """Whether it is not connected, and not to be any more. Any thread."""
        return self.link is Link.OFF

    def _go(self, link: Link) -> bool:
        if not may_step(TRANSITIONS, self.link, link):
            return False
        self.link = step(TRANSITIONS, self.link, link)
        return True

    async def _run(self) -> None:
        failures, was_connected = 0, False
        while self.link is Link.CONNECTING:
            self._channel = Channel(self._connect)
            try:
                await self._channel.open(self.row.command, self._sources.helper)
                await self._set_up()
            except ChannelError as error:
                self.problem = str(error.args[0])
                await self._channel.close(self.problem)
                if not was_connected:
                    self._say(f"{self.row.name} is not connected: {self.problem}")
                    self._go(Link.OFF)
            else:
                if self._go(Link.CONNECTED):
                    self._say(f"{self.row.name} connected" + (f", but {self.problem}" if self.problem else ""))
                    failures, was_connected = 0, True
                self.problem = await self._channel.over
                if not self.is_left:
                    self._say(f"{self.row.name} is not connected any more ({self.problem}): trying again")
            for carrier in self._carriers.values():
                if carrier.task is not None and carrier.dialect.transport is Transport.HTTP_ON_PORT:
                    carrier.task.disconnect()  # a relay has ended: its agent can only begin anew
            if self._go(Link.WAITING):
                await asyncio.sleep(PAUSES[min(failures, len(PAUSES) - 1)])
                failures += 1
                self._go(Link.CONNECTING)
        self.files.close()
        for carrier in self._carriers.values():
            if carrier.answers is not None:
                carrier.answers.close()
        self._runtime.on_main(self._drop)

    def _drop(self) -> None:
        for carrier in self._carriers.values():
            if carrier.task is not None:
                self._endpoint.servers.drop(carrier.dialect)

    # -- our servers --------------------------------------------------------------------------------------------------

    def _serving(self, carrier: Carrier, dialect: Any, address: Address, tokens: Tokens) -> None:
        self._runtime.on_loop(self._served, carrier, address, tokens)

    def _served(self, carrier: Carrier, address: Address, tokens: Tokens) -> None:
        changed = carrier.ready.is_set() and tokens != carrier.tokens
        carrier.local, carrier.tokens = address.socket, tokens
        carrier.ready.set()
        if changed and self.link is Link.CONNECTED:
            self._runtime.spawn(self._publish_anew)

    def _server_problem(self, dialect: Any, problem: Optional[str]) -> None:
        if problem is not None:
            logger.warning("%s is not served for %s: %s", dialect.key, self.row.name, problem)

    async def _connect(self, name: str) -> Tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """A connection of the server that a stream of the helper is for."""
        carrier = self._carriers.get(name)
        if carrier is None:
            raise OSError("there is no such server")
        return await open_locally(carrier.local)

    # -- the other side -----------------------------------------------------------------------------------------------

    async def ask(self, do: str, **fields: Any) -> HelperAnswer:
        """Ask the helper. Raises `ChannelError`."""
        if self._channel is None or self.is_left:
            raise ChannelError("it is not connected")
        return await self._channel.ask(do, **fields)

    async def _set_up(self) -> None:
        """Have everything made over there by which agents find this window."""
        variables = [*VARIABLES, *(agent.home_variable for agent in AGENTS if agent.home_variable)]
        folders, former = list(self.row.folders), os.path.dirname(self._relay)
        hello = await self.ask("hello", variables=variables, folders=folders, former=former)
        self.hello = checked(hello.fields, len(self.row.folders))
        self.problem = ""
        await self.ask("remove", left=self._left)
        self._left = []
        self._relay = await self._make("own", name="relay.py", text=self._sources.relay)
        self.found = []
        for name, carrier in self._carriers.items():
            if carrier.answers is not None:
                await self._listen_for_questions(name, carrier, carrier.answers)
                continue
            try:
                await asyncio.wait_for(carrier.ready.wait(), READY_SECONDS)
            except asyncio.TimeoutError:
                raise ChannelError("the editor's own server does not start") from None
            await self._listen(name, carrier)
        await self._publish()

    async def _make(self, do: str, **fields: Any) -> str:
        """Have something made; its path. Raises `ChannelError`."""
        found = (await self.ask(do, **fields)).fields
        path = found.get("path", found.get("socket"))
        if not isinstance(path, str):
            raise ChannelError("the helper names no path")
        self._left.append(path)
        return path

    async def _listen(self, name: str, carrier: Carrier) -> None:
        """Have the helper listen for one server."""
        if carrier.dialect.transport is not Transport.WEBSOCKET:
            carrier.address = Address(socket=await self._make("listen", name=name))
            return
        if not self.hello["knows_users"] and not self.row.any_user:
            self.problem = "its system does not tell whose a connection is, so programs that need a port are left out"
            return
        former = carrier.address.port
        listen = partial(self.ask, "listen", name=name, any_user=self.row.any_user)
        try:
            port = (await listen(port=former)).fields.get("port")
        except ChannelError as error:
            if not former or error.args[1:] != (errno.EADDRINUSE,):
                raise
            port = (await listen(port=0)).fields.get("port")
        if type(port) is not int or not 0 < port < 1 << 16:
            raise ChannelError("the helper names no port")
        carrier.address = Address(port)
        if carrier.task is not None:
            carrier.task.named(port, anew=former not in (0, port))

    async def _listen_for_questions(self, name: str, carrier: Carrier, answers: RemoteAnswers) -> None:
        """Have the helper listen where an agent asks that looks for no window."""
        title = answers.agent.title
        try:
            carrier.local = carrier.local or await answers.start()
            asked = answers.agent.shared_sockets(self._platform())[0]
            path = await self._make("listen", name=name, file=asked.name, **where(asked.place))
        except (ChannelError, OSError) as error:
            logger.warning("%s cannot ask this window from %s: %s", title, self.row.name, error)
            self.found.append(f"{title}: cannot ask ({error.args[0]})")
        else:
            carrier.address = Address(socket=path)
            self.found.append(f"{title}: {path}")

    def _platform(self) -> Platform:
        """The other machine as agents there see it."""
        name = MACOS if self.hello["system"] == "darwin" else LINUX
        return Platform(name, self.hello["environment"], self.hello["home"], self.hello["user"])

    async def _publish_anew(self) -> None:
        with suppress(ChannelError):
            await self.ask("remove")
            self.found = []
            await self._publish()

    async def _publish(self) -> None:
        """Have the discovery files made."""
        platform = self._platform()
        for agent in wanted_agents(self._endpoint.settings()):
            carrier = self._carriers.get(agent.dialect.key)
            if carrier is None or carrier.address == Address() or agent.token_name not in carrier.tokens:
                continue
            place = agent.place(platform)
            try:
                for file, content in (await self._contents(agent, carrier, platform)).items():
                    await self._make("put", name=file, text=json.dumps(content), **where(place))
            except ChannelError as error:
                logger.warning("%s does not find this window from %s: %s", agent.title, self.row.name, error)
                self.found.append(f"{agent.title}: cannot find this window ({error.args[0]})")
            else:
                self.found.append(f"{agent.title}: {carrier.address.socket or carrier.address.port}")

    async def _contents(self, agent: Agent, carrier: Carrier, platform: Platform) -> Dict[str, Dict[str, Any]]:
        """The contents of an agent's discovery files, by their names."""
        by_relay = carrier.dialect.transport is Transport.HTTP_ON_PORT
        pid = self.hello["pid"]
        announcement = Announcement(
            port=1 + pid % 65535 if by_relay else carrier.address.port,
            token=carrier.tokens.get("", ""),
            folders=tuple(self.row.folders),
            editor_pid=pid,
            agent_tokens=carrier.tokens,
            socket=carrier.address.socket,
            began=int(time.time() * 1000),
            real_folders=tuple(dict.fromkeys([*self.hello["real"], *self.row.folders])),
        )
        contents = agent.files(announcement, platform)
        if by_relay:
            secret = await self._make("own", name=f"{agent.key}.secret", text=announcement.token_for(agent))
            arguments = ["-I", self._relay, carrier.address.socket, secret]
            for content in contents.values():
                for field in ("port", "authToken"):  # it would try the port first
                    content.pop(field, None)
                content["stdio"] = {"command": self.hello["python"], "args": arguments}
        return contents


def where(place: Optional[Place]) -> Dict[str, Any]:
    """Describe a folder in the form in which the helper gets it."""
    assert place is not None  # the other side is POSIX
    return {"root": place.root, "is_shared": place.root_is_shared, "below": place.below}


def checked(hello: Dict[str, Any], folders: int) -> Dict[str, Any]:
    """What the helper says of itself, if it is what it should be. Raises `ChannelError`."""
    kinds = {"pid": int, "user": int, "home": str, "system": str, "python": str, "environment": dict, "real": list}
    right = all(isinstance(hello.get(name), kind) for name, kind in kinds.items())
    texts = [*hello.get("environment", {}).values(), *hello.get("real", [])] if right else []
    if not right or len(hello["real"]) != folders or not all(isinstance(each, str) for each in texts):
        raise ChannelError("its helper does not say what is expected of it")
    return {**hello, "knows_users": hello.get("knows_users") is True}
