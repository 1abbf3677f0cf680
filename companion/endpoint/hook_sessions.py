"""The sessions of agents whose hooks tell the editor what they do: in which window each works, and which wait there.

An event belongs to the window of its session while that window has the agent's folder; else to the window with the
innermost folder that holds it, links resolved. An event in no window is answered with nothing, like all events that ask
nothing; where writes are reviewed, the status bar says once that an agent writes there. A tool that writes, or a
command, is answered after a look at the window's files, so that later changes can be attributed to it; when it is over
there is another look.

    attention  event                                        next attention
    ---------  -------------------------------------------  --------------
    any        the agent asks its user something            ASKS, and `question` is that event
    any        its turn has ended (see `turns`)             ENDED
    ASKS       an event of another one than the one asking  ASKS
    ENDED      a subagent has ended                         ENDED
    any        any other event                              NONE
    ENDED      a view of the window gets the focus          NONE

Rules: no agent waits for the main thread, or for a look, longer than `LOOK_SECONDS`. Some send no event when their user
interrupts them: their next prompt ends the calls that are still open. The names of events are logged, and nothing of
their contents. Loop thread, except where noted.
"""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections import Counter
from enum import Enum
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any, Callable, Dict, List, NamedTuple, Optional, Protocol, Sequence, Tuple

from ..agents.agent import Agent
from ..agents.hooks import Happening, HookDialect, HookEvent, ToolKind
from ..agents.registry import AGENTS, agents_of
from ..common.clock import clock
from ..common.display_names import ELLIPSIS, shown, wrapped
from ..common.workers import NOTHING_TO_TELL
from ..runtime import Runtime, settle
from ..settings import UNFOCUSED
from ..system.notifications import notify
from ..system.platform import Platform
from ..system.processes import is_alive
from ..unreviewed.evidence import Doer, OpenCall
from .agent_row import HookedAgent, Waiting, has_gone
from .status_text import who_waits
from .turns import Turn
from .window_choice import holds, window_holding

if TYPE_CHECKING:
    from ..transport.hook_server import HookCall
    from ..unreviewed.tracking import Tracking
    from .endpoint import Endpoint

logger = logging.getLogger("gemini_companion.endpoint")

LOOK_SECONDS = 0.3
WAITING_SECONDS = 0.5
"""How long an agent has to wait before that is shown: some send questions that they then answer themselves."""
MOST_SESSIONS = 256
IN_NO_WINDOW = "{} writes in {}, which is in no window: its writes are not reviewed"
WHY_COLUMNS, LOOKED_AT = 80, 1000  # of a prompt


class Attention(Enum):
    """Whether a session waits for the user."""

    NONE = "none"
    ASKS = "asks"
    ENDED = "ended"


OVER = (Happening.PROMPT, Happening.TURN_ENDED, Happening.SUBAGENT_ENDED, Happening.SESSION_ENDED)
"""After these no tool of the agent, or of the subagent, runs any more."""


def ends_call(event: HookEvent, call: HookEvent) -> bool:
    """Whether a tool that has begun runs no more once this has happened. Subagents may run beside their agent."""
    if event.happening is Happening.SESSION_ENDED:
        return True
    return event.happening in OVER and event.subagent == call.subagent


class HookSession:
    """One session of an agent, with all that is known of it."""

    def __init__(self, agent: Agent, number: str, endpoint: Endpoint, folder: str = "") -> None:
        self.agent, self.id, self.endpoint = agent, number, endpoint
        self.folder = folder
        """The folder in which the agent works; the last one in its window, if it has left the window's folders."""
        self.process: Optional[int] = None
        self.terminal = ""
        """The tag of the editor's terminal in which it runs, as it says."""
        self.doer = Doer(shown(agent.title))
        self.turn = Turn()
        self.attention = Attention.NONE
        self.question: Optional[HookEvent] = None
        """The event by which it asks, the first that names a tool if there is one."""
        self.heard = clock.now()
        """The time of its last event, on the monotonic clock."""
        self.awaited = 0
        """How many answers it waits for."""
        self.told: Optional[asyncio.Future[None]] = None
        """Done once the main thread knows of the session, so that its window's folders are tracked."""
        self.calls: Dict[int, HookEvent] = {}
        """The tools that run, as far as is known, by numbers of ours."""
        self.accepted: List[HookEvent] = []
        """The calls that may write, with the arguments that the user has accepted."""
        self.is_in_review = False
        """Whether accepted texts of it are followed, or a question of it waits beside a diff."""
        self.asks_again = False
        """Whether it asks its user about what was accepted here, so that once is enough."""

    @property
    def waits(self) -> Optional[Waiting]:
        """What it waits for; None if it does not wait."""
        title, event = self.agent.title, self.question
        if self.attention is Attention.NONE:
            return None
        if event is None:
            return Waiting(title, is_done=self.attention is Attention.ENDED)
        return Waiting(title, tool=shown(event.tool), writes=event.kind is ToolKind.WRITES)

    def next_attention(self, event: HookEvent, turn_ends: bool) -> Attention:
        """Whether it waits for the user after this event."""
        if event.happening is Happening.WAITS:
            return Attention.ASKS
        if turn_ends:
            return Attention.ENDED
        if self.attention is Attention.ENDED and event.happening is Happening.SUBAGENT_ENDED:
            return Attention.ENDED
        asked, others = self.question, self.attention is Attention.ASKS
        if asked is not None and event.subagent != asked.subagent:  # some do not say that a subagent asks
            others = others and event.tool != asked.tool and not set(event.paths) & set(asked.paths)
            return Attention.ASKS if others else Attention.NONE
        return Attention.NONE

    def is_in_window(self, folder: str = "") -> bool:
        """Whether its window has `folder`, in which the agent works now, or else its last one. Any thread."""
        known, platform = self.endpoint.discovery.all_folders, Platform.current()
        if folder and holds(known, folder, platform):
            self.folder = folder
        return holds(known, self.folder, platform)

    def call_of(self, event: HookEvent) -> Tuple[Optional[int], bool]:
        """The open call of an event, and whether that is certain: without an id, a hook may have changed the arguments
        by which calls differ."""
        same = {number: each for number, each in self.calls.items() if each.tool == event.tool}
        found = [number for number, each in same.items() if each.call == event.call]
        if not found and not event.has_id:
            found = [number for number, each in same.items() if each.paths and each.paths == event.paths] or list(same)
        return next(iter(found), None), len(found) == 1


class HookAnswer(NamedTuple):
    """The answer to an agent, and whether its tool may then run."""

    told: Dict[str, Any]
    may_run: bool = True


class Decides(Protocol):
    """Decides the answers. Loop thread."""

    async def answer(self, session: HookSession, event: HookEvent) -> HookAnswer:
        """The answer to an event; for a tool that is about to run it may take hours."""

    def session_ended(self, session: HookSession) -> None:
        """The session has ended."""


class Carries(Protocol):
    """Gives the agents what their user sends them. Loop thread."""

    def heard(self, session: HookSession, event: HookEvent) -> bool:
        """An event has come. Whether it is a prompt that was sent here, and not typed by the user."""

    async def answered(self, session: HookSession, event: HookEvent, told: Dict[str, Any]) -> Dict[str, Any]:
        """The answer to an event, which would be `told`; at the end of a turn it may take minutes."""

    def session_ended(self, session: HookSession) -> None:
        """The agent has gone."""


class HookSessions:
    """The sessions of all windows. `endpoints` gives these, and may be called on any thread."""

    def __init__(
        self,
        runtime: Runtime,
        endpoints: Callable[[], List[Endpoint]],
        tracking: Tracking,
        gate: Decides,
        carrier: Carries,
        say: Callable[[str], None],
    ) -> None:
        """`say` shows a sentence in the status bar of the window in front. Main thread."""
        self.in_front = True
        """Whether a view has the focus: False after `on_deactivated`, as the editor has no focus event. Main thread."""
        self.last: Dict[str, Tuple[str, float]] = {}
        """The last event of each agent, by the agent's title, and its time in seconds since the epoch. Any thread."""
        self.outside: Dict[str, str] = {}
        """The folders of agents that write outside of all windows, by the agent's title. Any thread."""
        self._said: Dict[Tuple[str, str], None] = {}  # the sessions for which that was said, as in `_sessions`
        self._gate = gate
        self._carrier = carrier
        self._say = say
        self._runtime = runtime
        self._endpoints = endpoints
        self._tracking = tracking
        self._sessions: Dict[Tuple[str, str], HookSession] = {}  # by the keys of their agents and their own ids
        self._numbers = count()

    def agents(self) -> Sequence[Agent]:
        """Our agents and the user's. Any thread."""
        return next((agents_of(each.settings()) for each in self._endpoints()), AGENTS)

    # -- events -------------------------------------------------------------------------------------------------------

    async def handle(self, sent: HookCall) -> Dict[str, Any]:
        """Take an event and return the answer. Cancelled when the agent has gone or given up."""
        agent = next((each for each in self.agents() if each.key == sent.program), None)
        if agent is None or agent.hooks is None:
            return {}
        read = partial(agent.hooks.read, sent.payload, sent.event, sent.process)
        event = await self._runtime.in_worker(read) if sent.is_long else read()  # a patch is parsed line by line
        if event is None and sent.is_held:
            return self.unread(sent.program, sent.event, "It lacks what a call of a tool must say.")
        event = await self._by_real_folder(event, agent.hooks, sent) if event is not None else None
        session = await self._session(agent, event) if event is not None else None
        if event is None or session is None:
            return agent.hooks.nothing()
        session.terminal = sent.terminal or session.terminal
        is_sent = self._carrier.heard(session, event)
        if event.happening is Happening.SESSION_ENDED:
            await self._gate.answer(session, event)  # while it is there: what it has not written it will not write
        if event.happening is not Happening.TOOL_BEGINS:
            await self._take(session, event, is_sent=is_sent)
            told = (await self._gate.answer(session, event)).told
            return await self._carrier.answered(session, event, told)
        session.awaited += 1
        try:
            answer = await self._gate.answer(session, event)  # it may take hours, in which the tool does not run
        finally:
            session.awaited -= 1
        if answer.may_run:
            try:
                await self._take(session, event, is_doubtful=answer.told != agent.hooks.nothing())
            except Exception:  # what the user has decided stands
                logger.exception("what %s does is not seen", agent.title)
        return answer.told

    def unread(self, program: str, event: str, why: str) -> Dict[str, Any]:
        """The answer to a hook that holds a write, and of which only the agent (`program` is its key) and the event are
        known. If a window reviews every write, the agent asks its user, or is refused. `why` is a sentence."""
        agent = next((each for each in self.agents() if each.key == program), None)
        if agent is None or agent.hooks is None or not self._is_reviewed(agent):
            return {}
        return agent.hooks.unread(event, f"The editor could not read what is to be written. {why}")

    def _is_reviewed(self, agent: Agent) -> bool:
        """Whether one of the windows reviews every write of this agent."""
        return any(each.reviews_every_write and agent.is_wanted(each.settings()) for each in self._endpoints())

    async def _by_real_folder(self, event: HookEvent, hooks: HookDialect, sent: HookCall) -> HookEvent:
        """The event with the agent's folder without links, if a window has that and not the folder as named."""
        platform, endpoints = Platform.current(), self._endpoints()
        if window_holding(endpoints, event.folder, platform) is not None:
            return event
        folder = await self._runtime.in_worker(_real, event.folder)
        if window_holding(endpoints, folder, platform) is None:
            return event
        return hooks.read({**sent.payload, "cwd": folder}, sent.event, sent.process) or event

    def _tell_outside(self, agent: Agent, event: HookEvent) -> None:
        """Tell the user, once for each session, that an agent writes in a folder that is in no window."""
        if event.happening is not Happening.TOOL_BEGINS or event.kind is not ToolKind.WRITES:
            return
        self.outside[agent.title] = event.folder
        key = agent.key, event.session
        if key in self._said or not self._is_reviewed(agent):
            return
        while len(self._said) >= MOST_SESSIONS:
            del self._said[next(iter(self._said))]
        self._said[key] = None
        sentence = IN_NO_WINDOW.format(agent.title, event.folder)
        logger.warning("%s works in no window: its writes are not reviewed", agent.title)
        self._runtime.on_main(self._say, sentence)

    async def _session(self, agent: Agent, event: HookEvent) -> Optional[HookSession]:
        """The session of an event, if it belongs to a window."""
        self.last[agent.title] = event.name, time.time()
        is_of_tool = event.happening in (Happening.TOOL_BEGINS, Happening.TOOL_ENDED)
        logger.log(logging.DEBUG if is_of_tool else logging.INFO, "hook of %s: %s", agent.title, event.name)
        key, endpoints = self._key(agent, event), self._endpoints()
        session = self._sessions.get(key)
        endpoint = session.endpoint if session is not None and session.is_in_window(event.folder) else None
        if endpoint not in endpoints:
            endpoint = window_holding(endpoints, event.folder, Platform.current())
        if endpoint is None:
            self._tell_outside(agent, event)
        if endpoint is None or not agent.is_wanted(endpoint.settings()):
            self._end(session)
            return None
        if session is None or session.endpoint is not endpoint:
            self._end(session)
            if event.happening is Happening.SESSION_ENDED:
                return None
            while len(self._sessions) >= MOST_SESSIONS:
                self._end(next(iter(self._sessions.values())))
            session = self._sessions[key] = HookSession(agent, key[1], endpoint, event.folder)
            self.outside.pop(agent.title, None)
        former, session.heard = session.process, clock.now()
        if event.process is not None and is_alive(event.process):  # it may be the number of another machine
            session.process = event.process
        if session.told is None:
            session.told = asyncio.ensure_future(self._runtime.call_main(self._tell, endpoint, self._hooked(endpoint)))
        elif session.process != former:
            self._told(endpoint)
        if not session.told.done():
            await self._within(asyncio.shield(session.told))
        return session

    def _key(self, agent: Agent, event: HookEvent) -> Tuple[str, str]:
        """The key of an event's session: a subagent may send its own subagents' events as those of a session."""
        key = agent.key, event.session
        known = (each for each in self._sessions.values() if each.agent.key == agent.key)
        parent = next((each for each in known if event.session in each.turn.subagents), None)
        return (agent.key, parent.id) if parent is not None and key not in self._sessions else key

    async def _take(
        self, session: HookSession, event: HookEvent, is_doubtful: bool = False, is_sent: bool = False
    ) -> None:
        """Note what an event tells of a session. `is_doubtful`: the agent asks the user before its tool runs.
        `is_sent`: the prompt is a review that the user has sent, so the former prompt still says why."""
        happening = event.happening
        self._end_calls(session, event)
        if happening is Happening.SESSION_ENDED:
            self._end(session)
            return
        if happening is Happening.PROMPT:
            if not is_sent:
                session.doer = session.doer._replace(why=first_words(event.prompt))
            await self._wait_for(session.endpoint.changes.turn_begins)
        former, attention = session.waits, session.next_attention(event, session.turn.take(event))
        session.attention = attention
        if session.attention is not Attention.ASKS:
            session.question = None
        elif session.question is None or event.tool:
            session.question = event  # a notification of the same question follows, which names no tool
        if former != session.waits:
            pause = 0.0 if session.attention is Attention.NONE else WAITING_SECONDS
            asyncio.get_running_loop().call_later(pause, self._told, session.endpoint)
        if happening is Happening.WAITS:
            for number in session.calls:
                self._tracking.call_doubtful(session.endpoint.window.id(), number)
        if happening is Happening.TOOL_BEGINS and event.kind is not ToolKind.OTHER:
            await self._call_begins(session, event, is_doubtful)
        elif happening is Happening.TOOL_ENDED:
            await self._call_ended(session, event)

    # -- calls --------------------------------------------------------------------------------------------------------

    async def _call_begins(self, session: HookSession, event: HookEvent, is_doubtful: bool) -> None:
        number, window = next(self._numbers), session.endpoint.window.id()
        session.calls[number] = event
        call = OpenCall(session.doer, event.paths if event.kind is ToolKind.WRITES else (), is_doubtful)
        try:
            await self._wait_for(partial(self._tracking.call_begins, window, number, call))
        except asyncio.CancelledError:  # the agent has given up: nothing runs
            session.calls.pop(number, None)
            self._tracking.call_ended(window, number, _nothing, has_run=False)
            raise

    async def _call_ended(self, session: HookSession, event: HookEvent) -> None:
        number, is_sure = session.call_of(event)
        if number is None:
            session.endpoint.changes.sign()
            return
        del session.calls[number]
        window = session.endpoint.window.id()
        await self._wait_for(partial(self._tracking.call_ended, window, number, has_run=is_sure))

    def _end_calls(self, session: HookSession, event: Optional[HookEvent] = None) -> None:
        """End the calls that are over after this event, or all."""
        for number in [each for each, call in session.calls.items() if event is None or ends_call(event, call)]:
            del session.calls[number]
            self._tracking.call_ended(session.endpoint.window.id(), number, _nothing, has_run=False)

    async def _wait_for(self, look: Callable[[Callable[[], None]], None]) -> None:
        """Begin a look and wait for its end, at most `LOOK_SECONDS`: changes seen later are only less certain."""
        looked = asyncio.get_running_loop().create_future()
        look(lambda: self._runtime.on_loop(settle, looked, None))
        await self._within(looked)

    async def _within(self, awaited: Any) -> None:
        try:
            await asyncio.wait_for(awaited, LOOK_SECONDS)
        except asyncio.TimeoutError:
            logger.info("a hook was answered before the look at the files had ended")

    # -- sessions at work, and those that wait ------------------------------------------------------------------------

    def drop_gone(self) -> None:
        """Forget sessions whose agents have gone without an event, and update windows whose folders have changed."""
        if not self._sessions:
            return
        endpoints = self._endpoints()
        for session in list(self._sessions.values()):
            gone = has_gone(session.process, session.heard)
            if session.endpoint not in endpoints or (gone and session.process is not None):
                self._end(session)
            elif gone and not session.awaited:
                session.heard = clock.now()
                self._runtime.on_main(self._end_unless_connected, session)
        for endpoint in {session.endpoint for session in self._sessions.values()}:
            if len(endpoint.agents.hooked) != len(self._hooked(endpoint)):  # a session has left with its folder
                self._told(endpoint)

    def _end_unless_connected(self, session: HookSession) -> None:
        """Main thread."""
        if not session.endpoint.agents.of(session.agent.key):
            self._runtime.on_loop(self._end, session)

    def seen(self, endpoint: Endpoint) -> None:
        """A view of the window has the focus: agents that have ended their turn there wait no more. Main thread."""
        self.in_front = True
        if endpoint.agents.waiting:
            self._runtime.on_loop(self._seen, endpoint)

    def _seen(self, endpoint: Endpoint) -> None:
        ended = [each for each in self._of(endpoint) if each.attention is Attention.ENDED]
        for session in ended:
            session.attention = Attention.NONE
        if ended:
            self._told(endpoint)

    def _end(self, session: Optional[HookSession]) -> None:
        if session is not None and self._sessions.pop((session.agent.key, session.id), None) is not None:
            self._end_calls(session)
            self._gate.session_ended(session)
            self._carrier.session_ended(session)
            self._told(session.endpoint)

    def in_window(self, endpoint: Endpoint) -> List[HookSession]:
        """The sessions of a window whose agents work in its folders."""
        return [each for each in self._of(endpoint) if each.is_in_window()]

    def _of(self, endpoint: Endpoint) -> List[HookSession]:
        return [each for each in self._sessions.values() if each.endpoint is endpoint]

    def _hooked(self, endpoint: Endpoint) -> List[HookedAgent]:
        return [HookedAgent(each.agent, each.process, each.waits) for each in self.in_window(endpoint)]

    def _told(self, endpoint: Endpoint) -> None:
        self._runtime.on_main(self._tell, endpoint, self._hooked(endpoint))

    def _tell(self, endpoint: Endpoint, hooked: Sequence[HookedAgent]) -> None:
        """Main thread."""
        former = Counter(endpoint.agents.waiting)
        endpoint.agents.hooks_told(hooked)
        waits = Counter(endpoint.agents.waiting) - former
        if not self.in_front and endpoint.settings().notify == UNFOCUSED:
            for each in waits:
                sentence = shown(who_waits([each._replace(tool="")]))  # the system may show it on a locked screen
                self._runtime.use_disk(_notify, sentence, endpoint.folders(), then=_nothing)


def _real(folder: str) -> str:
    """The folder without links; the name itself if it cannot be that of a folder. Disk thread."""
    try:
        return os.path.realpath(folder)
    except (OSError, ValueError):
        return folder


def first_words(prompt: str) -> str:
    """The beginning of a prompt on one line, safe to display."""
    lines = wrapped(shown(" ".join(prompt[:LOOKED_AT].split())), WHY_COLUMNS - 1)
    return lines[0] + (ELLIPSIS if len(lines) > 1 else "")


def _notify(text: str, folders: Sequence[str], cancelled: Callable[[], bool]) -> object:
    """Disk thread."""
    notify(text, folders, Platform.current())
    return NOTHING_TO_TELL


def _nothing(*told: Any) -> None:
    return None
