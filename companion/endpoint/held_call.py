"""One call that is held: its files are reviewed one after the other, in the order in which the call names them.

    a review                                      what follows
    --------------------------------------------  ------------------------------------------
    the user accepts, the file is as it is shown  the review ends, and the next file is shown
    the user accepts, the file has changed        it is shown again, with the user's edits
    the user rejects                              the program is refused at once
    it is withdrawn, or cannot be shown           the program asks, or is refused if it cannot

When the last file is accepted all are looked at again, since the first may have changed meanwhile: such a file is shown
once more.

Rule: nothing is ever allowed but what the user has pressed Accept for, in just that form. The loop thread waits for the
user; what looks at files or makes texts runs on disk threads. Loop thread, except where noted.
"""

from __future__ import annotations

import asyncio
import logging
import os
from typing import Callable, Dict, Mapping, NamedTuple, Optional, Sequence, Set, Tuple, Union

from ..agents.hook_proposals import FileProposal
from ..agents.hooks import HookDialect, HookEvent
from ..agents.window import RESTORES_NOTHING, CannotDo
from ..common.display_names import shown
from ..protocol.limits import TEXT_BYTES
from ..review.decision import Outcome, Owner, Ticket
from ..review.document.disk import Original
from ..review.document.preparation import Preparation, prepare
from ..review.document.text import ProposedText
from ..runtime import Runtime, settle
from ..system.platform import Platform
from .context_answers import holds
from .held_files import Looked, ReviewedFile, Standing, handed_back, look_at, rebased, standing, told_of
from .hook_sessions import HookAnswer, HookSession

logger = logging.getLogger("gemini_companion.endpoint")

REJECTED = "The user rejected this change"
UNDECIDED = "The user has not seen this change, or not decided: the editor does not show it. Nothing is written."
NOT_UNDERSTOOD = (
    "The editor cannot tell what this would write: it does not fit the files as they are now, or is not understood. "
    "Nothing is written."
)
TAKEN_BACK = "The user has taken back every part of this change."
HAS_CHANGED = "{} has changed on disk since the diff was opened: look, then accept again."
OVERLAPS = "{} has changed on disk since the diff was opened, {} this diff changes, too: look, then accept again."
WITHHELD = "“context_exclude” names this file: {} is not told what you type. It is saved over what the program writes."


class Reviewed(NamedTuple):
    """The answer to a call, and the call as it was allowed, if the user has seen all that it writes."""

    answer: HookAnswer
    allowed: Optional[HookEvent] = None


class _Accepted(NamedTuple):
    """The user has accepted this text for what the call proposes for a file. `told` is what the program then writes."""

    proposal: FileProposal
    text: str
    told: str


class _Rejected(NamedTuple):
    """The user has rejected a file; `reason` is "" if none was given."""

    reason: str


class _Offered(NamedTuple):
    """The user has pressed Accept on this text, beside this file."""

    text: str
    shown: Optional[Original]


class _Withdrawn(NamedTuple):
    """The review has ended without a decision."""

    applies: bool = True
    """Whether the call still applies to its files."""


_Said = Union[_Offered, _Rejected, _Withdrawn]


class HeldCall:
    """A call that waits for the user."""

    def __init__(
        self, runtime: Runtime, session: HookSession, dialect: HookDialect, event: HookEvent, folders: Sequence[str]
    ) -> None:
        """Files in these `folders` are reviewed. Loop thread, in a task."""
        self._runtime = runtime
        self.session, self.dialect, self.event = session, dialect, event
        self.decided: asyncio.Future[HookAnswer] = asyncio.get_running_loop().create_future()
        self.folders = folders
        self.places = places(event, session.endpoint.discovery.all_folders)
        self._reviews = session.endpoint.reviews
        self._owner = owner_of(session)
        self._shown: Optional[Ticket] = None
        self._late: Tuple[str, ...] = ()  # that the program may have gone on, once it may have

    # -- its answer ---------------------------------------------------------------------------------------------------

    def decide(self, answer: HookAnswer) -> None:
        """Answer the call, unless it has been answered."""
        settle(self.decided, answer)

    def let_ask(self, *, is_tracked: bool = True) -> None:
        """Have the program ask its user instead. `is_tracked`: what it does then is looked at."""
        answer = self.asks()
        self.decide(answer._replace(may_run=answer.may_run and is_tracked))

    def asks(self, why: str = UNDECIDED) -> HookAnswer:
        """The answer that has the program ask its user, or refuses if it cannot ask, and says why."""
        return HookAnswer(self.dialect.ask(self.event)) if self.dialect.can_ask else self.denied(why)

    def denied(self, reason: str) -> HookAnswer:
        """The answer that refuses."""
        return HookAnswer(self.dialect.deny(self.event, reason), may_run=False)

    # -- the reviews --------------------------------------------------------------------------------------------------

    async def review(self) -> Reviewed:
        """Show what the call would do, until what the user has accepted is what it does."""
        seconds, late = self.dialect.may_be_gone_after_seconds, None
        if seconds:
            late = asyncio.get_running_loop().call_later(seconds, self._may_be_gone)
        try:
            return await self._review()
        except CannotDo as refusal:
            logger.info("a file that %s is about to write cannot be shown: %s", self.session.agent.title, refusal)
            return Reviewed(self.asks())
        finally:
            if late is not None:
                late.cancel()

    async def _review(self) -> Reviewed:
        looked = await self._look()
        accepted: Dict[str, _Accepted] = {}
        while looked.reviewed:
            said = await self._decide_all(looked, accepted)
            if isinstance(said, _Rejected):
                self._not_written(list(accepted))
                reason = f"{REJECTED}: {said.reason}" if said.reason else f"{REJECTED}."
                return Reviewed(self.denied(reason))
            if isinstance(said, _Withdrawn) and said.applies:
                return Reviewed(self.asks())
            now = await self._look()
            edited = any(each.told != each.proposal.text for each in accepted.values())
            if now.proposals is None and now.texts and said is None and edited:
                now = looked.of(now.texts)  # the user's text takes the place of what does not apply any more
            if said is None and now.reviewed and all(_is_current(file, accepted) for file in now.reviewed):
                return await self._allowed(now, accepted)
            looked = now
        if looked.let_pass:
            return Reviewed(HookAnswer(self.dialect.nothing()))
        return Reviewed(self.asks(NOT_UNDERSTOOD))

    async def _decide_all(self, looked: Looked, accepted: Dict[str, _Accepted]) -> Union[_Rejected, _Withdrawn, None]:
        """Have the user decide all files that are not `accepted` as they are. The first that is not accepted then, or
        None."""
        for number, file in enumerate(looked.reviewed):
            if _is_current(file, accepted):
                continue
            was = accepted.pop(file.path, None)
            if was is not None:
                self._not_written([file.path])
            said = await self._decide_one(looked, number, was)
            if not isinstance(said, _Accepted):
                return said
            accepted[file.path] = said
        return None

    async def _decide_one(
        self, looked: Looked, number: int, was: Optional[_Accepted]
    ) -> Union[_Accepted, _Rejected, _Withdrawn]:
        """Show one file until the user accepts it as it is, or does not. `was`: what was accepted of it before."""
        worker, file = self._runtime.in_worker, looked.reviewed[number]
        said: asyncio.Queue[_Said] = asyncio.Queue()
        ticket = self._shown = self._ticket(looked, number, said.put_nowait)
        try:
            await self._show(ticket, file, was)
            while True:
                answer = await said.get()
                if not isinstance(answer, _Offered):
                    return answer
                is_now = await worker(standing, file, answer.shown, TEXT_BYTES)
                if is_now is not Standing.SAME:
                    shown_before, now = file.proposal, await self._look()
                    if now.proposals is None and (answer.text == shown_before.text or not now.texts):
                        return _Withdrawn(applies=False)
                    looked = now if now.proposals is not None else looked.of(now.texts)
                    found = looked.file(file.path)
                    if found is None:
                        return _Withdrawn(applies=False)
                    file = found
                    if is_now is Standing.SHOWN:  # the user had it compared again
                        is_now = await worker(standing, file, answer.shown, TEXT_BYTES)
                    if is_now is not Standing.SAME:
                        await self._show(ticket, file, _Accepted(shown_before, answer.text, ""))
                        continue
                told = await worker(told_of, self.dialect, self.event, looked, file.proposal, answer.text)
                if await self._runtime.call_main(self._reviews.confirm, ticket, answer.text, told):
                    return _Accepted(file.proposal, answer.text, file.proposal.text if told is None else told)
        finally:
            self._shown = None
            self._runtime.on_main(_withdraw, self._reviews.take_back, ticket)

    async def _show(self, ticket: Ticket, file: ReviewedFile, was: Optional[_Accepted]) -> None:
        """Show a file, or show it again, with what the user has made of it. Raises `CannotDo`."""
        worker, text, problem = self._runtime.in_worker, file.proposal.text, ""
        if was is not None:
            text, overlaps = await worker(rebased, was.proposal, was.text, file.proposal)
            name, places = shown(os.path.basename(file.path)), f"in {overlaps:,} places that"
            problem = HAS_CHANGED.format(name)
            if overlaps:
                problem = OVERLAPS.format(name, "in 1 place that" if overlaps == 1 else places)
        request = await self._runtime.call_main(self._reviews.file_request, file.path)
        proposed, prepared = await worker(prepare, request, text, RESTORES_NOTHING)
        draft = None
        if text != file.proposal.text:
            draft, proposed = proposed, await worker(ProposedText, file.proposal.text, RESTORES_NOTHING)
        await self._runtime.call_main(self._open, ticket, file.path, proposed, prepared, draft, problem)

    def _open(
        self,
        ticket: Ticket,
        path: str,
        proposed: ProposedText,
        prepared: Preparation,
        draft: Optional[ProposedText],
        problem: str,
    ) -> None:
        """Main thread."""
        ticket.problem = problem
        self._reviews.open_diff(self._owner, path, proposed, prepared, ticket, draft)

    def _ticket(self, looked: Looked, number: int, tell: Callable[[_Said], None]) -> Ticket:
        file, dialect, title = looked.reviewed[number], self.dialect, shown(self.session.agent.title)

        def hear(said: _Said) -> None:
            self._runtime.on_loop(tell, said)

        def deliver(outcome: Optional[Outcome]) -> None:
            if outcome is None:
                hear(_Withdrawn())
            elif outcome.content is None:
                hear(_Rejected(""))

        edits_return, notes = self.event.name in dialect.edits_by, []
        if len(looked.reviewed) > 1:
            notes.append(f"File {number + 1:,} of {len(looked.reviewed):,} of this call: the next one follows.")
        if file.proposal.deletes:
            notes.append(f"{title} deletes this file.")
        elif file.proposal.moved_from:
            notes.append(f"{title} moves {shown(os.path.basename(file.proposal.moved_from))} here.")
        if dialect.asks_when_late:
            notes.append(f"{title} waits {dialect.patience_seconds:.0f} seconds, and then asks in its terminal.")
        if edits_return and file.proposal.path in looked.withheld:
            notes.append(WITHHELD.format(title))
        ticket = Ticket(f"{self.event.call} {number}", edits_return, deliver, (*notes, *self._late))
        ticket.refuse = lambda reason: hear(_Rejected(reason))
        ticket.consider = lambda text, original: hear(_Offered(text, original))
        return ticket

    async def _allowed(self, looked: Looked, accepted: Mapping[str, _Accepted]) -> Reviewed:
        event, dialect, proposals = self.event, self.dialect, looked.proposals or ()
        texts = {each.proposal.path: each.told for each in accepted.values()}
        wanted = [texts.get(each.path, each.text) for each in proposals]
        unchanged = all(text == each.before for text, each in zip(wanted, proposals))
        if unchanged and any(text != each.text for text, each in zip(wanted, proposals)):
            return Reviewed(self.denied(TAKEN_BACK))
        arguments = None
        if event.name in dialect.edits_by:
            arguments = (await self._runtime.in_worker(handed_back, dialect, event, looked, wanted)).arguments
        logger.info("%s may write what the user has accepted", self.session.agent.title)
        answer = HookAnswer(dialect.allow(event, arguments))
        if len(looked.reviewed) < len(proposals):  # the user has not seen all that it writes
            return Reviewed(answer)
        return Reviewed(answer, event if arguments is None else event._replace(arguments=arguments))

    async def _look(self) -> Looked:
        settings = self.session.endpoint.settings()
        return await self._runtime.in_worker(look_at, self.dialect, self.event, self.folders, settings)

    def _may_be_gone(self) -> None:
        sentence = self.dialect.may_be_gone.format(shown(self.session.agent.title))
        self._late = (sentence,)
        if self._shown is not None:
            self._runtime.on_main(self._reviews.note, self._shown, sentence)

    def _not_written(self, paths: Sequence[str]) -> None:
        """Stop waiting for the accepted texts of these files: the program was not told of them."""
        if paths:
            self._runtime.on_main(self._reviews.accepted_texts.over, self._owner.session_id, paths)


def places(event: HookEvent, folders: Sequence[str]) -> Set[str]:
    """The files of a call, and the folder in which its program works, as far as they lie in these folders."""
    platform = Platform.current()
    return {each for each in (event.folder, *event.paths) if holds(folders, each, platform)}


def owner_of(session: HookSession) -> Owner:
    """The owner of a proposal that came by a hook."""
    return Owner(f"hook {session.agent.key} {session.id}", shown(session.agent.title))


def _is_current(file: ReviewedFile, accepted: Mapping[str, _Accepted]) -> bool:
    """Whether the user has accepted a file as it is now."""
    known = accepted.get(file.path)
    return known is not None and known.proposal == file.proposal


def _withdraw(take_back: Callable[[Ticket], None], ticket: Ticket) -> None:
    """Main thread."""
    take_back(ticket)
    ticket.settle(None)  # it may not be shown yet
