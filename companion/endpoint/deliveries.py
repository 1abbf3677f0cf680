"""Brings reviews to the agents: to which session, by which way, and what becomes of them (see `delivery`).

A review goes to the session of the window that the user means; where several could be meant they choose. Agents whose
hooks are not heard get it in a terminal that we have started, which proves nothing, or from the clipboard.

Rules: an agent goes on by itself only because of a review that the user has sent: each is handed over once, and again
only if it has not arrived. One review at a time is under way to a session. What waits is kept nowhere: after the end of
the editor, or of the session, its comments are drafts again. Loop thread, except where noted.
"""

from __future__ import annotations

import asyncio
import logging
import subprocess
from functools import partial
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Protocol, Sequence, Tuple

import sublime

from ..agents.hooks import END_SECONDS, Happening, HookDialect, HookEvent
from ..comments.model import CommentState
from ..comments.sending import Told
from ..editor.quick_panel import PanelEntry, choose
from ..runtime import Runtime, settle
from ..system.platform import Platform
from ..terminals.launcher import Launcher, key_in, key_of, tag_of, terminal_of, window_of
from ..terminals.processes import find_client, output_of
from .delivery import (
    ON_THE_NEXT_HOOK,
    Delivery,
    DeliveryWay,
    Doing,
    Passage,
    comments_text,
    drafts_again,
    way_for,
)
from .endpoint import Endpoint
from .hook_sessions import HookSession
from .turns import Stage

logger = logging.getLogger("gemini_companion.endpoint")

QUEUE_SECONDS = 20.0
GONE = "{} has ended: {}"
HELD_END_SECONDS = END_SECONDS - 30.0
STATES = {
    Passage.WAITS: CommentState.WAITING,
    Passage.HANDED_OVER: CommentState.WAITING,
    Passage.SENT: CommentState.SENT,
    Passage.RETURNED: CommentState.DRAFT,
}


class Holds(Protocol):
    """The gate that holds writes, as far as deliveries need it."""

    def refuse_held(self, session: HookSession, reason: str) -> bool:
        """Refuse a write of the session's agent that is held, if there is one. `reason` "": only say whether."""


class _Review(NamedTuple):
    """What the user has sent from a window."""

    endpoint: Endpoint
    text: str
    comments: int
    told: Told


class _Offer(NamedTuple):
    """A session that the user may choose, as it is shown."""

    session: HookSession
    caption: str
    doing: str


class Deliveries:
    """The deliveries of all windows."""

    def __init__(
        self, runtime: Runtime, holds: Holds, sessions: Callable[[Endpoint], List[HookSession]], launcher: Launcher
    ) -> None:
        """`sessions` gives those of a window whose folders they work in. Loop thread."""
        self._runtime = runtime
        self._holds = holds
        self._sessions = sessions
        self._launcher = launcher
        self._open: Dict[HookSession, List[Delivery]] = {}
        self._ends: Dict[HookSession, asyncio.Future[Optional[Delivery]]] = {}  # of turns that are held
        self._pasted: Dict[str, List[_Review]] = {}  # by the tags of terminals whose agents tell nothing; main thread

    # -- from the user, on the main thread ----------------------------------------------------------------------------

    def deliver(self, endpoint: Endpoint, text: str, count: int, told: Told) -> None:
        """Send a review of so many comments from this window. Main thread."""
        self._runtime.on_loop(
            self._offer, _Review(endpoint, text.rstrip("\n"), count, told)
        )  # some agents take that away

    def take_back(self, endpoint: Endpoint) -> None:
        """Take back what has not arrived. Main thread."""
        for tag, reviews in list(self._pasted.items()):
            self._pasted[tag] = [each for each in reviews if each.endpoint is not endpoint]
            self._return_pasted([each for each in reviews if each.endpoint is endpoint])
        self._runtime.on_loop(self._take_back, endpoint)

    def terminals_changed(self) -> None:
        """A terminal was closed, or an agent in one has ended. Main thread."""
        for tag in [each for each in self._pasted if window_of(each) is None]:
            self._return_pasted(self._pasted.pop(tag))

    def _return_pasted(self, reviews: Sequence[_Review]) -> None:
        for each in reviews:
            each.endpoint.on_their_way([])
            each.told(CommentState.DRAFT, f"{drafts_again(each.comments)}; the text may be in the terminal")

    def _choose(self, review: _Review, offers: Sequence[_Offer]) -> None:
        """Have the user choose among the sessions, if there are several."""
        window, terminal = review.endpoint.window, terminal_of(review.endpoint.window)
        is_taken = False

        def take(act: Callable[..., Any], *arguments: Any) -> None:
            nonlocal is_taken
            is_taken = True
            act(*arguments)

        entries = [
            PanelEntry(
                each.caption,
                partial(take, self._runtime.on_loop, self._send, each.session, review),
                each.session.folder,
                each.doing,
            )
            for each in offers
        ]
        if terminal is None or key_in(terminal) in [each.session.agent.key for each in offers]:
            plain = self._copy
        else:
            plain = partial(self._paste_unheard, tag_of(terminal))
            entries.append(PanelEntry("The last terminal with an agent", partial(take, plain, review)))
        if not offers:
            plain(review)
        elif len(entries) == 1:
            entries[0].act()
        else:

            def gone() -> None:
                if not is_taken:
                    review.told(CommentState.DRAFT, "")

            choose(window, entries, f"Send {comments_text(review.comments)} to", partial(self._runtime.on_main, gone))

    def _copy(self, review: _Review) -> None:
        sublime.set_clipboard(review.text)
        copied = f"copied {comments_text(review.comments)}, not sent: paste that into your agent"
        review.told(CommentState.DRAFT, copied)

    def _paste_unheard(self, tag: str, review: _Review) -> None:
        """Paste it for an agent that will not tell whether it has arrived."""
        if not self._launcher.paste(tag, review.text):
            self._copy(review)
            return
        self._pasted.setdefault(tag, []).append(review)
        review.told(CommentState.WAITING, f"pasted {comments_text(review.comments)} into the terminal")

    # -- which way ----------------------------------------------------------------------------------------------------

    def _offer(self, review: _Review) -> None:
        found = self._sessions(review.endpoint)
        offers = [_Offer(each, _caption(each), self._doing(each).value) for each in found]
        self._runtime.on_main(self._choose, review, offers)

    def _send(self, session: HookSession, review: _Review) -> None:
        def tell(passage: Passage, sentence: str) -> None:
            if passage in (Passage.SENT, Passage.RETURNED):
                self._open[session].remove(delivery)
                asyncio.get_running_loop().call_soon(self._begin_next, session)
            self._runtime.on_main(review.told, STATES[passage], sentence)
            self._show(session)

        delivery = Delivery(session.agent.title, review.text, review.comments, tell)
        if session in self._sessions(session.endpoint):
            self._open.setdefault(session, []).append(delivery)
            self._begin(session, delivery)
        else:  # it has ended while the user was choosing
            gone = GONE.format(delivery.title, drafts_again(delivery.count))
            self._runtime.on_main(review.told, CommentState.DRAFT, gone)

    def _doing(self, session: HookSession) -> Doing:
        if self._holds.refuse_held(session, ""):
            return Doing.WRITE_HELD
        if session in self._ends:
            return Doing.END_HELD
        return Doing.IDLE if session.turn.stage in (Stage.NOT_BEGUN, Stage.ENDED) else Doing.WORKS

    def _begin(self, session: HookSession, delivery: Delivery) -> None:
        """Choose the way, and go it as far as that is possible now."""
        hooks = session.agent.hooks
        words = hooks.queue_words(session.id, delivery.text) if hooks is not None else ()
        lacking = [DeliveryWay.QUEUE] * (not words) + [DeliveryWay.TERMINAL] * (not self._tag(session))
        is_first = self._open[session][0] is delivery
        doing = self._doing(session) if is_first else Doing.WORKS  # it is its turn after the other one
        self._go_by(session, delivery, way_for(doing, lacking), words)

    def _begin_next(self, session: HookSession) -> None:
        for each in self._open.get(session, ())[:1]:
            if each.passage is Passage.WAITS:
                self._begin(session, each)

    def _go_by(self, session: HookSession, delivery: Delivery, way: DeliveryWay, words: Sequence[str] = ()) -> None:
        delivery.way = way
        if way is DeliveryWay.REJECTION:
            self._holds.refuse_held(session, delivery.text)
        elif way is DeliveryWay.END_OF_TURN:
            settle(self._ends[session], delivery)
        elif way is DeliveryWay.QUEUE:
            self._runtime.spawn(self._queue, session, delivery, words)
        elif way is DeliveryWay.TERMINAL:
            self._runtime.on_main(self._paste, session, delivery, self._tag(session))
        elif way is DeliveryWay.PROMPT:
            self._runtime.on_main(sublime.set_clipboard, delivery.text)
        if way in ON_THE_NEXT_HOOK:
            self._show(session)
        else:
            delivery.go(Passage.HANDED_OVER)

    def _tag(self, session: HookSession) -> str:
        """The tag of the terminal in which the session's agent runs, if we have started it there: "" if another session
        says that it runs there, too."""
        tag = session.terminal
        others = [each for each in self._sessions(session.endpoint) if each.terminal == tag]
        return tag if key_of(tag) == session.agent.key and len(others) == 1 else ""

    def _paste(self, session: HookSession, delivery: Delivery, tag: str) -> None:
        """Main thread."""
        if not self._launcher.paste(tag, delivery.text):
            self._runtime.on_loop(self._otherwise, session, delivery)

    async def _queue(self, session: HookSession, delivery: Delivery, words: Sequence[str]) -> None:
        endpoint, agent, platform = session.endpoint, session.agent, Platform.current()
        command = (*agent.command(endpoint.settings()), *words)
        if not await self._runtime.in_worker(self.queued, command, platform, endpoint.folders()):
            self._otherwise(session, delivery)

    @staticmethod
    def queued(command: Tuple[str, ...], platform: Platform, folders: Sequence[str]) -> bool:
        """Run an agent's command that takes a text for a session; whether it has. Disk thread."""

        def wanted() -> bool:
            return False

        try:
            found = find_client(command, platform, folders, wanted)
            code, said = output_of(found.words, QUEUE_SECONDS, wanted) if found.words else (1, found.why)
        except (OSError, subprocess.TimeoutExpired) as error:
            code, said = 1, type(error).__name__
        if code:
            logger.warning("a review could not be queued: %.200s", said.strip().splitlines()[-1:] or code)
        return not code

    def _otherwise(self, session: HookSession, delivery: Delivery) -> None:
        """The way has failed: it goes with the user's next prompt."""
        if delivery.go(Passage.WAITS):
            self._go_by(session, delivery, DeliveryWay.PROMPT)

    # -- what the agents tell -----------------------------------------------------------------------------------------

    def heard(self, session: HookSession, event: HookEvent) -> bool:
        """An event of the session has come: it may prove that a review has arrived. Whether it is a prompt that is such
        a review, and so not typed by the user."""
        deliveries, hooks = list(self._open.get(session, ())), session.agent.hooks
        if not event.subagent:
            self._let_end(session)  # it goes on although it is held: some tell nothing of Escape
        is_own = any(each.passage is Passage.HANDED_OVER and each.is_in(event) for each in deliveries)
        for each in deliveries:
            each.hear(event, hooks is not None and event.name == hooks.end_event)
        return is_own

    async def answered(self, session: HookSession, event: HookEvent, told: Dict[str, Any]) -> Dict[str, Any]:
        """The answer to the event, which would be `told`: with the review that waits, if there is one."""
        waiting, hooks = self._open.get(session, []), session.agent.hooks
        if hooks is None:
            return told
        if not waiting:
            return await self._held_end(session, event, hooks, told)
        delivery = waiting[0]
        if delivery.passage is Passage.WAITS and told == hooks.nothing():
            with_text = hooks.with_text(event, delivery.text)
            if with_text is not None:
                delivery.go(Passage.HANDED_OVER)
                return self._going_on(session, event, with_text)
            if delivery.way is DeliveryWay.TOOL_RESULT and session.turn.stage is Stage.ENDED:
                self._begin(session, delivery)
        return told

    def _going_on(self, session: HookSession, event: HookEvent, told: Dict[str, Any]) -> Dict[str, Any]:
        if event.happening is Happening.TURN_ENDED:
            session.turn.goes_on()
        return told

    async def _held_end(
        self, session: HookSession, event: HookEvent, hooks: HookDialect, told: Dict[str, Any]
    ) -> Dict[str, Any]:
        """The answer to the end of a turn, which is held until the review is sent, if the user wants that and there is
        something to review. Cancelled when the agent has gone, or its user has pressed Escape, if it tells of that."""
        endpoint, is_end = session.endpoint, event.name == hooks.end_event and session.turn.stage is Stage.ENDED
        if not (is_end and hooks.holds_end and endpoint.settings().hold_turns):
            return told
        if not await self._runtime.call_main(lambda: endpoint.has_to_review):
            return told
        end = self._ends[session] = asyncio.get_running_loop().create_future()
        self._show(session)
        try:
            delivery = await asyncio.wait_for(end, HELD_END_SECONDS)
        except asyncio.TimeoutError:
            delivery = None
        finally:
            del self._ends[session]
            self._show(session)
        with_text = hooks.with_text(event, delivery.text) if delivery is not None else None
        return told if with_text is None else self._going_on(session, event, with_text)

    def _let_end(self, session: HookSession) -> None:
        if session in self._ends:
            settle(self._ends[session], None)

    def check_ends(self) -> None:
        """Something was decided, or a comment has gone: a turn ends once nothing is left to review. Main thread."""
        for session in list(self._ends):
            if not session.endpoint.has_to_review or not session.endpoint.settings().hold_turns:
                self._runtime.on_loop(self._let_end, session)

    def end(self) -> None:
        """The package ends."""
        for session in self._ends:
            self._let_end(session)

    def session_ended(self, session: HookSession) -> None:
        """The agent has gone, maybe without a word."""
        self._let_end(session)
        for each in list(self._open.get(session, ())):
            each.go(Passage.RETURNED, GONE.format(each.title, drafts_again(each.count)))
        self._open.pop(session, None)

    def _take_back(self, endpoint: Endpoint) -> None:
        for session, deliveries in list(self._open.items()):
            for each in list(deliveries) if session.endpoint is endpoint else ():
                again = drafts_again(each.count)
                if each.passage is Passage.HANDED_OVER:
                    again += f"; {each.title} may still get it"
                each.go(Passage.RETURNED, again)

    def _show(self, session: HookSession) -> None:
        """Say in the status bar of the session's window what is on its way."""
        endpoint = session.endpoint
        found = [each.status for one, some in self._open.items() if one.endpoint is endpoint for each in some]
        held = [f"{each.agent.title} waits for your review" for each in self._ends if each.endpoint is endpoint]
        self._runtime.on_main(endpoint.on_their_way, [*filter(None, found), *held])


def _caption(session: HookSession) -> str:
    return session.doer.who + (f': "{session.doer.why}"' if session.doer.why else "")
