"""Every write is reviewed before it happens, if the user wants that: agents that are about to write wait here.

A tool that writes sends its arguments; what it would make of its files is shown as any other proposal (`held_call`).
The agent is answered once the user has decided every file of the call, and then writes. If its own diffs come to the
editor the answer is *ask*, and the hook of its question carries the reason for a rejection.

    a held call                                   is answered
    --------------------------------------------  ------------------------------------------
    the user accepts all of its files             allow; other arguments only for other text
    the user rejects one                          deny, with the reason if there is one
    its time is over without a decision           deny, or ask where it waits for seconds only
    a window, a folder, the package ends          ask, or deny if it would not
    the user has taken back every part            deny
    its turn ends, another one begins, it ends    ask, or deny if it would not
    the agent gives up                            nothing: its diffs are withdrawn

Rules: only what the user has pressed Accept for is allowed, exactly as it was shown. Files whose real path
`review_skip` names, or lies in no window that reviews every write, are left to the agent. An agent has to ask for a
call that is not understood, or cannot be shown: the answer "nothing" is only for calls that were understood and need no
review. A hook that needs no answer asks neither the disk nor the main thread. Loop thread, except where noted.
"""

from __future__ import annotations

import asyncio
import logging
from functools import partial
from typing import Any, Callable, List, Optional, Sequence, Set, Tuple

from ..agents.hooks import Happening, HookDialect, HookEvent, ToolKind, Way
from ..editor.file_views import same_key
from ..review.decision import Ticket
from ..runtime import Runtime, settle
from .endpoint import Endpoint
from .held_call import REJECTED, HeldCall, Reviewed, owner_of, places
from .held_files import to_review
from .hook_sessions import OVER, HookAnswer, HookSession, ends_call

logger = logging.getLogger("gemini_companion.endpoint")

NOT_IN_TIME = "The user did not review this change in time. Nothing is written."


class HookGate:
    """One in the process."""

    def __init__(self, runtime: Runtime, endpoints: Callable[[], List[Endpoint]]) -> None:
        """`endpoints` may be called on any thread."""
        self._runtime = runtime
        self._endpoints = endpoints
        self._held: List[HeldCall] = []
        self._beside: List[_Beside] = []  # main thread
        self._questions: List[_Beside] = []  # the same for the loop thread, in which those wait
        self._ended = False

    async def answer(self, session: HookSession, event: HookEvent) -> HookAnswer:
        """The answer to an event, once there is one. Cancelled when the agent has given up."""
        dialect = session.agent.hooks
        assert dialect is not None
        if event.happening in OVER or event.happening is Happening.TOOL_ENDED:
            self._is_over(session, event)
        if event.happening is Happening.WAITS and not dialect.permission_event and session.accepted:
            session.asks_again = True
        begins = event.happening is Happening.TOOL_BEGINS
        if event.kind is not ToolKind.WRITES or not (begins or event.name == dialect.permission_event):
            return HookAnswer(dialect.nothing())
        if begins:
            session.accepted = _without(session.accepted, event.paths)
        ways = [dialect.way(event, connected) for connected in (False, True)]
        if not session.endpoint.reviews_every_write or self._ended:
            ways = [way if way in (Way.BESIDE, Way.FOLLOWS) else Way.ALONE for way in ways]
        connected = session.asks_again
        if ways[0] is not ways[1] and not connected:
            connected = await self._runtime.call_main(self._is_connected, session)
        way = ways[connected]
        if way is Way.WAITS:
            return await self._hold(session, dialect, event)
        if way is Way.BESIDE:
            return await self._wait_beside(session, dialect, event)
        if way is Way.FOLLOWS and self._was_accepted(session, dialect, event):
            return HookAnswer(dialect.allow(event))
        if way is Way.ASKS:
            skip, folders = session.endpoint.settings().review_skip, self._folders(session)
            if await self._runtime.in_worker(to_review, event, folders, skip) != []:
                return HookAnswer(dialect.ask(event))
        return HookAnswer(dialect.nothing())

    def _folders(self, session: HookSession) -> Tuple[str, ...]:
        """The folders of the session's window, and of the others in which every write of its agent is reviewed."""
        here, agent = session.endpoint, session.agent
        others = (each for each in self._endpoints() if each.reviews_every_write and agent.is_wanted(each.settings()))
        return tuple(dict.fromkeys(folder for each in (here, *others) for folder in each.folders()))

    def _is_connected(self, session: HookSession) -> bool:
        """Whether the diffs of the session's agent come to one of the windows. Its process tells which connection is
        its own; without one, either all of its kind count as connected, or none. Main thread."""
        key, here = session.agent.key, session.endpoint.agents
        known = {client.process for each in self._endpoints() for client in each.agents.of(key)} - {None}
        if session.process is not None and known:
            return session.process in known
        hooked = [row for row in here.rows() if row.hooked is not None and row.key == key]
        return bool(hooked) and all(row.client is not None for row in hooked)

    # -- a call that waits --------------------------------------------------------------------------------------------

    async def _hold(self, session: HookSession, dialect: HookDialect, event: HookEvent) -> HookAnswer:
        held = HeldCall(self._runtime, session, dialect, event, self._folders(session))
        self._held.append(held)
        session.is_in_review = True
        task = asyncio.ensure_future(held.review())
        try:
            waited: Set[asyncio.Future[Any]] = {task, held.decided}
            await asyncio.wait(waited, timeout=dialect.patience_seconds, return_when="FIRST_COMPLETED")
            if task.done() and task.exception() is None:
                self._reviewed(held, task.result())
            elif task.done():
                logger.error("a write of %s could not be reviewed", session.agent.title, exc_info=task.exception())
                held.let_ask()
            elif dialect.asks_when_late:
                held.let_ask()
            else:
                held.decide(held.denied(NOT_IN_TIME))
            return held.decided.result()
        finally:
            self._held.remove(held)
            if not task.done():
                task.cancel()
                await asyncio.wait({task})

    def _reviewed(self, held: HeldCall, found: Reviewed) -> None:
        if found.allowed is not None and not held.decided.done():
            held.session.accepted.append(found.allowed)
        held.decide(found.answer)

    def refuse_held(self, session: HookSession, reason: str) -> bool:
        """Refuse a write of the session's agent that waits, and not of its subagents, if there is one. `reason` "":
        only say whether there is."""
        held = next((each for each in self._held if each.session is session and each.waits_for_agent), None)
        beside = next((each for each in self._questions if each.session is session), None)
        if reason and held is not None:
            held.decide(held.denied(f"{REJECTED}: {reason}"))
        elif reason and beside is not None:
            beside.tell(reason)
        return held is not None or beside is not None

    # -- what ends it -------------------------------------------------------------------------------------------------

    def _is_over(self, session: HookSession, event: HookEvent) -> None:
        """A call has ended, or all have."""
        if event.happening in OVER:
            self._let_ask(session, event)
            session.accepted = [each for each in session.accepted if not ends_call(event, each)]
        elif event.kind is ToolKind.WRITES:
            session.accepted = _without(session.accepted, event.paths)
        else:
            return
        if session.is_in_review:
            paths = event.paths if event.happening is Happening.TOOL_ENDED else None
            if paths is None:
                if session.turn.subagents and event.happening is not Happening.SESSION_ENDED:
                    return  # what is accepted may be theirs, who go on: the end of each call tells of it
                session.is_in_review = False
            self._runtime.on_main(self._tell_over, session, paths)

    def _was_accepted(self, session: HookSession, dialect: HookDialect, event: HookEvent) -> bool:
        """Whether a question is about a call that the user has accepted. Each of its files answers one question."""
        found = next((each for each in session.accepted if dialect.is_same(event, each)), None)
        if found is not None:
            session.accepted.remove(found)
            left = tuple(path for path in found.paths if path not in event.paths)
            session.accepted += [found._replace(paths=left)] if left else []
        return found is not None

    def _tell_over(self, session: HookSession, paths: Optional[Sequence[str]]) -> None:
        """Main thread."""
        session.endpoint.reviews.accepted_texts.over(owner_of(session).session_id, paths)
        for beside in [each for each in self._beside if each.session is session]:
            if paths is None or set(paths) & set(beside.paths):
                self._leave(beside)

    def session_ended(self, session: HookSession) -> None:
        """The session has ended, maybe without an event."""
        session.accepted, session.asks_again = [], False
        self._let_ask(session)
        if session.is_in_review:
            session.is_in_review = False
            self._runtime.on_main(session.endpoint.reviews.owner_gone, owner_of(session).session_id)

    def _let_ask(self, session: HookSession, event: Optional[HookEvent] = None) -> None:
        """Have its held calls ask that this event ends: they should not run any more, and no event would tell of their
        end."""
        for held in self._held:
            if held.session is session and (event is None or ends_call(event, held.event)):
                held.let_ask(is_tracked=False)

    def end(self) -> None:
        """The package ends: each agent that waits asks its own user."""
        self._ended = True
        for held in self._held:
            held.let_ask(is_tracked=False)

    def release_outside(self) -> None:
        """A window has other folders or settings: calls that are in no window any more are no longer held."""
        endpoints = self._endpoints()
        for held in self._held:
            endpoint = held.session.endpoint
            wanted, folders = held.session.agent.is_wanted(endpoint.settings()), endpoint.discovery.all_folders
            if endpoint not in endpoints or not wanted or held.places - places(held.event, folders):
                held.let_ask()

    # -- beside the agent's own diff ----------------------------------------------------------------------------------

    async def _wait_beside(self, session: HookSession, dialect: HookDialect, event: HookEvent) -> HookAnswer:
        """Wait as long as the agent's own diff is open: the answer carries the reason for its rejection."""
        session.is_in_review = True
        told: asyncio.Future[Optional[str]] = asyncio.get_running_loop().create_future()
        beside = _Beside(session, event.paths, partial(self._runtime.on_loop, settle, told))
        self._questions.append(beside)
        self._runtime.on_main(self._begin_beside, beside)
        try:
            reason = await told
        finally:
            self._questions.remove(beside)
            self._runtime.on_main(self._leave, beside)
        if reason is None:
            return HookAnswer(dialect.nothing())
        return HookAnswer(dialect.deny(event, f"{REJECTED}: {reason}"), may_run=False)

    def _begin_beside(self, beside: _Beside) -> None:
        self._beside.append(beside)
        self.reviews_changed()

    def reviews_changed(self) -> None:
        """A review was opened or has ended, perhaps the one that a question waits for. Main thread."""
        for beside in list(self._beside):
            if beside.ticket is None:
                self._join(beside)
            elif not beside.ticket.waiting:
                self._leave(beside)

    def _join(self, beside: _Beside) -> None:
        keys = {same_key(path) for path in beside.paths}
        key, process = beside.session.agent.key, beside.session.process
        for endpoint in self._endpoints():
            for review in endpoint.reviews.pending():
                ticket = review.ticket
                if ticket is None or ticket.refuse is not None or same_key(review.path) not in keys:
                    continue
                client = endpoint.agents.client(review.owner.session_id)
                if client is not None and client.may_be(key, process):
                    beside.ticket, beside.endpoint = ticket, endpoint
                    endpoint.reviews.refuse_by(ticket, beside.tell)
                    return

    def _leave(self, beside: _Beside) -> None:
        """Main thread."""
        if beside in self._beside:
            self._beside.remove(beside)
            beside.tell(None)
            if beside.ticket is not None and beside.endpoint is not None:
                beside.endpoint.reviews.refuse_by(beside.ticket, None)


def _without(accepted: Sequence[HookEvent], paths: Sequence[str]) -> List[HookEvent]:
    """The accepted calls without those of these files: their call has ended, or another one begins."""
    return [each for each in accepted if not set(each.paths) & set(paths)]


class _Beside:
    """A question that is held beside the agent's own diff. Main thread."""

    def __init__(self, session: HookSession, paths: Sequence[str], tell: Callable[[Optional[str]], None]) -> None:
        self.session, self.paths, self.tell = session, paths, tell
        self.ticket: Optional[Ticket] = None
        self.endpoint: Optional[Endpoint] = None
