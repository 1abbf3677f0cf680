"""One held call: its files are reviewed in the order in which the call names them, unless the user picks another one.

    a review                                      what follows
    --------------------------------------------  ------------------------------------------
    the user accepts, the file is as it is shown  the review ends, and the next file is shown
    the user accepts, the file has changed        it is shown again, with the user's edits
    the user rejects                              the agent is refused at once, and the other reviews are withdrawn
    it is withdrawn, or cannot be shown           the agent asks its user, or is refused if it cannot ask

When the last file is accepted all are read again, since the first may have changed meanwhile: a changed file is shown
once more.

Rule: only what the user has pressed Accept for is allowed, exactly as it was shown. The loop thread waits for the user;
disk threads read files and make texts. Loop thread, except where noted.
"""

from __future__ import annotations

import asyncio
import logging
import os
from typing import Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Set, Tuple, Union

from ..agents.hook_proposals import FileProposal
from ..agents.hooks import HookDialect, HookEvent
from ..agents.window import RESTORES_NOTHING, CannotDo
from ..common.display_names import shown
from ..protocol.limits import TEXT_BYTES
from ..review.decision import FileChange, Outcome, Owner, Ticket
from ..review.document.disk import Original
from ..review.proposing import Proposal, propose
from ..runtime import Runtime, settle
from ..system.platform import Platform
from .held_files import CallFiles, ReviewedFile, Standing, handed_back, read_files, rebased, standing, told_of
from .hook_sessions import HookAnswer, HookSession
from .window_choice import holds

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
WITHHELD = "“context_exclude” names this file: {} is not told what you type. It is saved over what the agent writes."


class Reviewed(NamedTuple):
    """The answer to a call, and the call as allowed, if the user has seen everything that it writes."""

    answer: HookAnswer
    allowed: Optional[HookEvent] = None


class _Accepted(NamedTuple):
    """The user has accepted this text of a file instead of the proposal. `told` is what the agent then writes."""

    proposal: FileProposal
    text: str
    told: str


class _Rejected(NamedTuple):
    """The user has rejected a file; `reason` is "" if none was given."""

    reason: str


class _Offered(NamedTuple):
    """The user has pressed Accept for this text, while the review showed the file so."""

    text: str
    shown: Optional[Original]


class _Withdrawn(NamedTuple):
    """The review has ended without a decision."""

    applies: bool = True
    """Whether the call still applies to its files."""


_Said = Union[_Offered, _Rejected, _Withdrawn]


class _Undecided(NamedTuple):
    """A file that the user has to decide. `was`: what was accepted of it before."""

    ticket: Ticket
    file: ReviewedFile
    was: Optional[_Accepted] = None


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
        self._shown: List[Ticket] = []
        self._late: Tuple[str, ...] = ()  # the note that the agent may have gone on, once it may have

    # -- its answer ---------------------------------------------------------------------------------------------------

    def decide(self, answer: HookAnswer) -> None:
        """Answer the call, unless it has been answered."""
        settle(self.decided, answer)

    @property
    def waits_for_agent(self) -> bool:
        """Whether the agent itself waits for the answer, and not a subagent."""
        return not self.decided.done() and not self.event.subagent

    def let_ask(self, *, is_tracked: bool = True) -> None:
        """Have the agent ask its user instead. `is_tracked`: the call that then runs is followed."""
        answer = self.asks()
        self.decide(answer._replace(may_run=answer.may_run and is_tracked))

    def asks(self, why: str = UNDECIDED) -> HookAnswer:
        """The answer that has the agent ask its user, or refuses, with the reason, if it cannot ask."""
        return HookAnswer(self.dialect.ask(self.event)) if self.dialect.can_ask else self.denied(why)

    def denied(self, reason: str) -> HookAnswer:
        """The answer that refuses the call."""
        return HookAnswer(self.dialect.deny(self.event, reason), may_run=False)

    # -- the reviews --------------------------------------------------------------------------------------------------

    async def review(self) -> Reviewed:
        """Show what the call would do until it does what the user has accepted."""
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
        files = await self._read_files()
        accepted: Dict[str, _Accepted] = {}
        while files.reviewed:
            said = await self._decide_all(files, accepted)
            if isinstance(said, _Rejected):
                self._not_written(list(accepted))
                reason = f"{REJECTED}: {said.reason}" if said.reason else f"{REJECTED}."
                return Reviewed(self.denied(reason))
            if isinstance(said, _Withdrawn) and said.applies:
                return Reviewed(self.asks())
            now = await self._read_files()
            edited = any(each.told != each.proposal.text for each in accepted.values())
            if now.proposals is None and now.texts and said is None and edited:
                now = files.of(now.texts)  # the user's text replaces a proposal that does not apply any more
            if said is None and now.reviewed and all(_is_current(file, accepted) for file in now.reviewed):
                return await self._allowed(now, accepted)
            files = now
        if files.let_pass:
            return Reviewed(HookAnswer(self.dialect.nothing()))
        return Reviewed(self.asks(NOT_UNDERSTOOD))

    async def _decide_all(self, files: CallFiles, accepted: Dict[str, _Accepted]) -> Union[_Rejected, _Withdrawn, None]:
        """Have the user decide all files that are not `accepted` as they are now. Returns the first answer that accepts
        no file, or None if there is none."""
        said: asyncio.Queue[Tuple[int, _Said]] = asyncio.Queue()
        undecided: Dict[int, _Undecided] = {}
        for number, file in enumerate(files.reviewed):
            if not _is_current(file, accepted):
                ticket = self._ticket(files, number, said.put_nowait)
                undecided[number] = _Undecided(ticket, file, accepted.pop(file.path, None))
        self._not_written([each.file.path for each in undecided.values() if each.was is not None])
        tickets = self._shown = [each.ticket for each in undecided.values()]
        try:
            await self._show(list(undecided.values()))
            while undecided:
                number, answer = await said.get()
                if not isinstance(answer, _Offered):
                    return answer
                decided = await self._decide(files, undecided[number], answer)
                if isinstance(decided, _Withdrawn):
                    return decided
                if isinstance(decided, _Accepted):
                    accepted[undecided.pop(number).file.path] = decided
                else:
                    undecided[number] = decided
            return None
        finally:
            self._shown = []
            self._runtime.on_main(_withdraw, self._reviews.take_back, tickets)

    async def _decide(
        self, files: CallFiles, undecided: _Undecided, answer: _Offered
    ) -> Union[_Accepted, _Undecided, _Withdrawn]:
        """The user has pressed Accept. Returns what is accepted, or what is shown now because the file has changed."""
        worker, (ticket, file, _) = self._runtime.in_worker, undecided
        is_now = await worker(standing, file, answer.shown, TEXT_BYTES)
        if is_now is not Standing.SAME:
            shown_before, now = file.proposal, await self._read_files()
            if now.proposals is None and (answer.text == shown_before.text or not now.texts):
                return _Withdrawn(applies=False)
            files = now if now.proposals is not None else files.of(now.texts)
            found = files.file(file.path)
            if found is None:
                return _Withdrawn(applies=False)
            file = found
            if is_now is Standing.SHOWN:  # the review has compared it again
                is_now = await worker(standing, file, answer.shown, TEXT_BYTES)
            if is_now is not Standing.SAME:
                again = _Undecided(ticket, file, _Accepted(shown_before, answer.text, ""))
                await self._show([again])
                return again
        told = await worker(told_of, self.dialect, self.event, files, file.proposal, answer.text)
        if await self._runtime.call_main(self._reviews.confirm, ticket, answer.text, told):
            return _Accepted(file.proposal, answer.text, file.proposal.text if told is None else told)
        return undecided._replace(file=file)  # the review has ended meanwhile: the queue has that next

    async def _show(self, files: Sequence[_Undecided]) -> None:
        """Show the first of these files, or show it again with the user's edits; the others follow one by one. Raises
        `CannotDo`."""
        again = any(each.was is not None for each in files)  # to merge long texts takes a while
        proposals = await self._runtime.in_worker(_proposals_of, files) if again else _proposals_of(files)
        await propose(self._runtime, self._reviews, self._owner, proposals)

    def _ticket(self, files: CallFiles, number: int, tell: Callable[[Tuple[int, _Said]], None]) -> Ticket:
        file, dialect, title = files.reviewed[number], self.dialect, shown(self.session.agent.title)

        def hear(said: _Said) -> None:
            self._runtime.on_loop(tell, (number, said))

        def deliver(outcome: Optional[Outcome]) -> None:
            if outcome is None:
                hear(_Withdrawn())
            elif outcome.content is None:
                hear(_Rejected(""))

        edits_return, notes = self.event.name in dialect.edits_by, []
        if file.proposal.deletes:
            notes.append(f"{title} deletes this file.")
        elif file.proposal.moved_from:
            notes.append(f"{title} moves {shown(os.path.basename(file.proposal.moved_from))} here.")
        if dialect.asks_when_late:
            notes.append(f"{title} waits {dialect.patience_seconds:.0f} seconds, and then asks in its terminal.")
        if edits_return and file.proposal.path in files.withheld:
            notes.append(WITHHELD.format(title))
        ticket = Ticket(f"{self.event.call} {number}", edits_return, deliver, (*notes, *self._late))
        ticket.refuse = lambda reason: hear(_Rejected(reason))
        ticket.consider = lambda text, original: hear(_Offered(text, original))
        ticket.call = self
        ticket.file_change = FileChange(file.proposal.deletes, file.proposal.moved_from or "")
        return ticket

    async def _allowed(self, files: CallFiles, accepted: Mapping[str, _Accepted]) -> Reviewed:
        event, dialect, proposals = self.event, self.dialect, files.proposals or ()
        texts = {each.proposal.path: each.told for each in accepted.values()}
        wanted = [texts.get(each.path, each.text) for each in proposals]
        unchanged = all(text == each.before for text, each in zip(wanted, proposals))
        if unchanged and any(text != each.text for text, each in zip(wanted, proposals)):
            return Reviewed(self.denied(TAKEN_BACK))
        arguments = None
        if event.name in dialect.edits_by:
            arguments = (await self._runtime.in_worker(handed_back, dialect, event, files, wanted)).arguments
        logger.info("%s may write what the user has accepted", self.session.agent.title)
        answer = HookAnswer(dialect.allow(event, arguments))
        if len(files.reviewed) < len(proposals):  # the user has not seen all that it writes
            return Reviewed(answer)
        return Reviewed(answer, event if arguments is None else event._replace(arguments=arguments))

    async def _read_files(self) -> CallFiles:
        settings = self.session.endpoint.settings()
        return await self._runtime.in_worker(read_files, self.dialect, self.event, self.folders, settings)

    def _may_be_gone(self) -> None:
        sentence = self.dialect.may_be_gone.format(shown(self.session.agent.title))
        self._late = (sentence,)
        for ticket in self._shown:
            self._runtime.on_main(self._reviews.note, ticket, sentence)

    def _not_written(self, paths: Sequence[str]) -> None:
        """Stop waiting for the agent to write the accepted texts of these files: it was not told of them."""
        if paths:
            self._runtime.on_main(self._reviews.accepted_texts.over, self._owner.session_id, paths)


def places(event: HookEvent, folders: Sequence[str]) -> Set[str]:
    """The files of a call, and the folder in which its agent works, if they lie in these folders."""
    platform = Platform.current()
    return {each for each in (event.folder, *event.paths) if holds(folders, each, platform)}


def owner_of(session: HookSession) -> Owner:
    """The owner of a proposal that came by a hook."""
    return Owner(f"hook {session.agent.key} {session.id}", shown(session.agent.title))


def _is_current(file: ReviewedFile, accepted: Mapping[str, _Accepted]) -> bool:
    """Whether the user has accepted a file as it is now."""
    known = accepted.get(file.path)
    return known is not None and known.proposal == file.proposal


def _proposals_of(files: Sequence[_Undecided]) -> List[Proposal]:
    """The proposals to show for these files, with the user's edits made in what the call proposes now. Any thread."""
    found: List[Proposal] = []
    for ticket, file, was in files:
        draft, problem = None, ""
        if was is not None:
            draft, overlaps = rebased(was.proposal, was.text, file.proposal)
            name, places = shown(os.path.basename(file.path)), f"in {overlaps:,} places that"
            problem = HAS_CHANGED.format(name)
            if overlaps:
                problem = OVERLAPS.format(name, "in 1 place that" if overlaps == 1 else places)
        found.append(Proposal(file.path, file.proposal.text, ticket, RESTORES_NOTHING, draft, problem))
    return found


def _withdraw(take_back: Callable[[Ticket], None], tickets: Sequence[Ticket]) -> None:
    """Main thread."""
    for ticket in reversed(tickets):  # what is not shown first, so that it never is
        take_back(ticket)
        ticket.settle(None)  # it may not be shown yet
