"""Every write is reviewed before it happens, if the user wants that: programs that are about to write wait here.

A tool that writes has told its arguments; what it would make of its files is shown as any other proposal. The program
is answered once the user has decided every file of the call, and writes itself. Where its own diffs come to the editor
the answer is *ask*, and the hook of its question carries the reason for a rejection.

    a held call                                   is answered
    --------------------------------------------  ------------------------------------------
    the user accepts all of its files             allow; other arguments only for other text
    the user rejects one                          deny, with the reason if there is one
    nobody has decided when its time is over      deny, or ask where it waits for seconds only
    the file has changed, the text has not        it is shown again, as it would be now
    a window, a folder, the package ends          ask, or deny if it would not
    the user has taken back every part            deny
    its turn ends, another one begins, it ends    ask, or deny if it would not
    the program gives up                          nothing: its diffs are withdrawn

Rules: nothing is ever allowed but what the user has pressed Accept for, in just that form. What `review_skip` names by
its real path, and what really lies outside of the workspace, goes the program's own way. What is not understood, or
cannot be shown, the program has to ask for: the answer "nothing" is only for what was understood and needs no review. A
hook that has nothing to say asks neither the disk nor the main thread. Loop thread, except where noted.
"""

from __future__ import annotations

import asyncio
import logging
import os
from functools import partial
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Set, Tuple

from ..agents.hook_proposals import FileProposal, HandedBack
from ..agents.hooks import Happening, HookDialect, HookEvent, ToolKind, Way
from ..agents.window import RESTORES_NOTHING, CannotDo
from ..common.display_names import shown
from ..context.model import exclusion
from ..discovery.workspace import place_inside
from ..editor.file_views import same_key
from ..protocol.limits import MEBIBYTE
from ..review.decision import Outcome, Owner, Ticket
from ..review.document.preparation import prepare
from ..runtime import Runtime, settle
from ..system import files
from ..system.platform import Platform
from .context_answers import holds
from .endpoint import Endpoint
from .hook_sessions import OVER, HookAnswer, HookSession

logger = logging.getLogger("gemini_companion.endpoint")

REJECTED = "The user rejected this change"
NOBODY = "Nobody has answered: the user did not review this change in time. Nothing is written."
UNDECIDED = "The user has not seen this change, or not decided: the editor does not show it. Nothing is written."
NOT_UNDERSTOOD = (
    "The editor cannot tell what this would write: it does not fit the files as they are now, or is not understood. "
    "Nothing is written."
)
TAKEN_BACK = "The user has taken back every part of this change."


class Verdict(NamedTuple):
    """What became of the review of one file. Neither: it was withdrawn."""

    accepted: Optional[str] = None
    rejected: Optional[str] = None
    """Why; "" if no reason was given."""


class _ReviewedFile(NamedTuple):
    """A file of a call that is reviewed, and its whole path."""

    proposal: FileProposal
    path: str


class _Looked(NamedTuple):
    """What a look at the files of a call has found: their texts by the names that it has for them, its proposals, None
    if there are none, and those that the user is to see."""

    texts: Mapping[str, Optional[str]] = {}
    proposals: Optional[Tuple[FileProposal, ...]] = None
    reviewed: Tuple[_ReviewedFile, ...] = ()
    is_its_own_affair: bool = False
    """It was understood, and nothing of it is to be reviewed."""

    def of(self, texts: Mapping[str, Optional[str]]) -> _Looked:
        """The same proposals for files that hold these texts now."""
        now = [each._replace(before=texts.get(each.moved_from or each.path)) for each in self.proposals or ()]
        return self._replace(texts=texts, proposals=tuple(now))


class HeldTicket(Ticket):
    """Stands for one file of a call that is held. `hand_back` makes of a text what the companion tells the program."""

    def __init__(
        self,
        name: str,
        proposal: FileProposal,
        edits_return: bool,
        deliver: Callable[[Optional[Outcome]], None],
        hand_back: Callable[[str], HandedBack],
        notes: Tuple[str, ...],
    ) -> None:
        super().__init__(name, edits_return, deliver, notes)
        self._proposal = proposal
        self._hand_back = hand_back

    def written(self, proposed: str, text: str) -> Optional[str]:
        """What the program writes then. What it cannot be told is saved over that."""
        if text == proposed:
            return None if self._proposal.deletes else text
        if text == self._proposal.before:
            return text
        if not self.edits_return:
            return proposed
        back = self._hand_back(text)
        return text if back.is_complete else back.written[0]


class _Held:
    """A call that waits for the user."""

    def __init__(
        self, session: HookSession, dialect: HookDialect, event: HookEvent, decided: asyncio.Future[HookAnswer]
    ) -> None:
        self.session, self.dialect, self.event, self.decided = session, dialect, event, decided
        self.folders = session.endpoint.folders()
        self.places = _places(event, session.endpoint.discovery.all_folders)

    def decide(self, answer: HookAnswer) -> None:
        """Answer it, unless that was done."""
        settle(self.decided, answer)

    def let_ask(self, *, is_tracked: bool = True) -> None:
        """Have the program ask its user instead. `is_tracked`: what it does then is looked at."""
        answer = self.asks()
        self.decide(answer._replace(may_run=answer.may_run and is_tracked))

    def asks(self, why: str = UNDECIDED) -> HookAnswer:
        """The answer that has the program ask, or refuses if it would not, and says why."""
        return HookAnswer(self.dialect.ask(self.event)) if self.dialect.can_ask else self.denied(why)

    def denied(self, reason: str) -> HookAnswer:
        """The answer that refuses."""
        return HookAnswer(self.dialect.deny(self.event, reason), may_run=False)


class HookGate:
    """One in the process."""

    def __init__(self, runtime: Runtime, endpoints: Callable[[], List[Endpoint]]) -> None:
        """`endpoints` may be called on any thread."""
        self._runtime = runtime
        self._endpoints = endpoints
        self._held: List[_Held] = []
        self._beside: List[_Beside] = []  # main thread
        self._accepted: Dict[HookSession, List[HookEvent]] = {}  # what may be written, with the arguments allowed
        self._involved: Set[HookSession] = set()  # those whose accepted texts are followed, or who wait beside a diff
        self._asking: Set[HookSession] = set()  # those that ask their user whatever was decided here
        self._ended = False

    async def answer(self, session: HookSession, event: HookEvent) -> HookAnswer:
        """The answer to an event, once there is one. Cancelled when the program has given up."""
        dialect = session.agent.hooks
        assert dialect is not None
        if event.happening in OVER or event.happening is Happening.TOOL_ENDED:
            self._is_over(session, event)
        if event.happening is Happening.WAITS and not dialect.permission_event and session in self._accepted:
            self._asking.add(session)  # of what was accepted a moment ago: from now on once is enough
        begins = event.happening is Happening.TOOL_BEGINS
        if event.kind is not ToolKind.WRITES or not (begins or event.name == dialect.permission_event):
            return HookAnswer(dialect.nothing())
        if begins:
            self._forget(session, event)
        ways = [dialect.way(event, connected) for connected in (False, True)]
        if not session.endpoint.reviews_every_write or self._ended:
            ways = [way if way in (Way.BESIDE, Way.FOLLOWS) else Way.ALONE for way in ways]
        connected = session in self._asking
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
            settings, folders = session.endpoint.settings(), session.endpoint.folders()
            if await self._runtime.in_worker(_to_review, event, folders, settings.review_skip) != []:
                return HookAnswer(dialect.ask(event))
        return HookAnswer(dialect.nothing())

    def _is_connected(self, session: HookSession) -> bool:
        """Whether the diffs of the session's program come to one of the windows. Which connection is its own is known
        by its process; else all are taken for connected, or none. Main thread."""
        key, here = session.agent.key, session.endpoint
        known = [each.clients.processes(key) for each in self._endpoints()]
        if session.process is not None and any(number for numbers in known for number in numbers):
            return any(session.process in numbers for numbers in known)
        hooked = sum(agent.key == key for agent in here.hooked.programs)
        return 0 < hooked <= len(here.clients.processes(key))

    # -- a call that waits --------------------------------------------------------------------------------------------

    async def _hold(self, session: HookSession, dialect: HookDialect, event: HookEvent) -> HookAnswer:
        held = _Held(session, dialect, event, asyncio.get_running_loop().create_future())
        self._held.append(held)
        self._involved.add(session)
        task = asyncio.ensure_future(self._review(held))
        try:
            await asyncio.wait({task, held.decided}, timeout=dialect.patience_seconds, return_when="FIRST_COMPLETED")
            if task.done() and task.exception() is None:
                held.decide(task.result())
            elif task.done():
                logger.error("a write of %s could not be reviewed", session.agent.title, exc_info=task.exception())
                held.let_ask()
            elif dialect.asks_when_late:
                held.let_ask()
            else:
                held.decide(held.denied(NOBODY))
            return held.decided.result()
        finally:
            self._held.remove(held)
            if not task.done():
                task.cancel()
                await asyncio.wait({task})

    async def _review(self, held: _Held) -> HookAnswer:
        """Show what the call would do, until what the user has accepted is what it does."""
        looked = await self._look(held)
        while looked.reviewed:
            verdicts = await self._verdicts(held, looked)
            rejected = [each.rejected for each in verdicts if each.rejected is not None]
            if rejected:
                reason = next(filter(None, rejected), "")
                return held.denied(f"{REJECTED}: {reason}" if reason else f"{REJECTED}.")
            accepted = [each.accepted for each in verdicts if each.accepted is not None]
            if len(accepted) < len(looked.reviewed):  # withdrawn, or not shown
                break
            texts = {file.path: text for file, text in zip(looked.reviewed, accepted)}
            now = await self._look(held)
            if any(texts[file.path] != file.proposal.text for file in looked.reviewed):
                return await self._allowed(held, now if now.proposals is not None else looked.of(now.texts), texts)
            if texts == {file.path: file.proposal.text for file in now.reviewed}:
                return await self._allowed(held, now, texts)
            looked = now  # the file has changed, and what would become of it
        if looked.is_its_own_affair:
            return HookAnswer(held.dialect.nothing())
        return held.asks(NOT_UNDERSTOOD if looked.proposals is None else UNDECIDED)

    async def _allowed(self, held: _Held, looked: _Looked, texts: Mapping[str, str]) -> HookAnswer:
        session, event, dialect = held.session, held.event, held.dialect
        proposals = looked.proposals or ()
        wanted = [texts.get(os.path.join(event.folder, each.path), each.text) for each in proposals]
        unchanged = all(text == each.before for text, each in zip(wanted, proposals))
        if unchanged and any(text != each.text for text, each in zip(wanted, proposals)):
            return held.denied(TAKEN_BACK)
        arguments: Optional[Dict[str, Any]] = None
        if event.name in dialect.edits_by:
            arguments = (await self._runtime.in_worker(self._back, held, proposals, wanted)).arguments
        if len(looked.reviewed) == len(proposals):  # the user has seen all that it writes
            allowed = event if arguments is None else event._replace(arguments=arguments)
            self._accepted.setdefault(session, []).append(allowed)
        logger.info("%s may write what the user has accepted", session.agent.title)
        return HookAnswer(dialect.allow(event, arguments))

    @staticmethod
    def _back(held: _Held, proposals: Sequence[FileProposal], texts: Sequence[str]) -> HandedBack:
        return held.dialect.writes.handed_back(held.event.tool, held.event.arguments, proposals, texts)

    async def _look(self, held: _Held) -> _Looked:
        settings = held.session.endpoint.settings()
        look = partial(_looked_at, held.dialect, held.event, held.folders, settings.review_skip)
        return await self._runtime.in_worker(look, settings.maximum_body_mebibytes * MEBIBYTE)

    async def _verdicts(self, held: _Held, looked: _Looked) -> List[Verdict]:
        """What the user decides of these files. Once one is rejected or withdrawn, the others are withdrawn."""
        loop = asyncio.get_running_loop()
        reviews, event = held.session.endpoint.reviews, held.event
        owner = owner_of(held.session)
        tickets: List[Ticket] = []
        waiting: List[asyncio.Future[Verdict]] = []
        for number, file in enumerate(looked.reviewed):
            verdict = loop.create_future()
            waiting.append(verdict)
            tickets.append(self._ticket(held, f"{event.call} {number}", file, verdict))
        dialect, late = held.dialect, None
        if dialect.may_be_gone_after_seconds:
            sentence = dialect.may_be_gone.format(shown(held.session.agent.title))
            late = loop.call_later(dialect.may_be_gone_after_seconds, self._note, reviews.note, tickets, sentence)
        try:
            for file, ticket in zip(looked.reviewed, tickets):
                request = await self._runtime.call_main(reviews.file_request, file.path)
                found = await self._runtime.in_worker(prepare, request, file.proposal.text, RESTORES_NOTHING)
                await self._runtime.call_main(reviews.open_diff, owner, file.path, *found, ticket)
            pending = set(waiting)
            while pending:
                done, pending = await asyncio.wait(pending, return_when="FIRST_COMPLETED")
                if any(each.result().accepted is None for each in done):
                    break
            return [each.result() if each.done() else Verdict() for each in waiting]
        except CannotDo as refusal:
            logger.info("a file that %s is about to write cannot be shown: %s", held.session.agent.title, refusal)
            return []
        finally:
            if late is not None:
                late.cancel()
            for ticket in tickets:
                self._runtime.on_main(_withdraw, reviews.take_back, ticket)

    def _note(self, note: Callable[[Ticket, str], None], tickets: Sequence[Ticket], sentence: str) -> None:
        for ticket in tickets:
            self._runtime.on_main(note, ticket, sentence)

    def _ticket(self, held: _Held, name: str, file: _ReviewedFile, verdict: asyncio.Future[Verdict]) -> Ticket:
        def deliver(outcome: Optional[Outcome]) -> None:
            found = Verdict() if outcome is None else Verdict(outcome.content, "" if outcome.content is None else None)
            self._runtime.on_loop(settle, verdict, found)

        def hand_back(text: str) -> HandedBack:
            return self._back(held, (file.proposal,), (text,))

        title, dialect, notes = shown(held.session.agent.title), held.dialect, []
        if file.proposal.deletes:
            notes.append(f"{title} deletes this file.")
        elif file.proposal.moved_from:
            notes.append(f"{title} moves {shown(os.path.basename(file.proposal.moved_from))} here.")
        if dialect.asks_when_late:
            notes.append(f"{title} waits {dialect.patience_seconds:.0f} seconds, and then asks in its terminal.")
        edits_return = held.event.name in dialect.edits_by
        ticket = HeldTicket(name, file.proposal, edits_return, deliver, hand_back, tuple(notes))
        ticket.refuse = lambda reason: self._runtime.on_loop(settle, verdict, Verdict(rejected=reason))
        return ticket

    # -- what ends it -------------------------------------------------------------------------------------------------

    def _is_over(self, session: HookSession, event: HookEvent) -> None:
        """A call has ended, or all have."""
        if event.happening in OVER:
            self._let_ask(session)
            self._accepted.pop(session, None)
        elif event.kind is ToolKind.WRITES:
            self._forget(session, event)
        else:
            return
        if session in self._involved:
            paths = event.paths if event.happening is Happening.TOOL_ENDED else None
            if paths is None:
                self._involved.discard(session)
            self._runtime.on_main(self._tell_over, session, paths)

    def _was_accepted(self, session: HookSession, dialect: HookDialect, event: HookEvent) -> bool:
        """Whether a question is about what the user has accepted. Each file of that answers one question."""
        accepted = self._accepted.pop(session, [])
        found = next((each for each in accepted if dialect.is_same(event, each)), None)
        if found is not None:
            accepted.remove(found)
            left = tuple(path for path in found.paths if path not in event.paths)
            accepted += [found._replace(paths=left)] if left else []
        if accepted:
            self._accepted[session] = accepted
        return found is not None

    def _forget(self, session: HookSession, event: HookEvent) -> None:
        """What was allowed of these files is allowed no more: their call has ended, or another one begins."""
        kept = [each for each in self._accepted.pop(session, ()) if not set(each.paths) & set(event.paths)]
        if kept:
            self._accepted[session] = kept

    def _tell_over(self, session: HookSession, paths: Optional[Sequence[str]]) -> None:
        """Main thread."""
        session.endpoint.reviews.accepted_texts.over(owner_of(session).session_id, paths)
        for beside in [each for each in self._beside if each.session is session]:
            if paths is None or set(paths) & set(beside.paths):
                self._leave(beside)

    def session_ended(self, session: HookSession) -> None:
        """The program has gone, maybe without a word."""
        self._asking.discard(session)
        self._accepted.pop(session, None)
        self._let_ask(session)
        if session in self._involved:
            self._involved.discard(session)
            self._runtime.on_main(session.endpoint.reviews.owner_gone, owner_of(session).session_id)

    def _let_ask(self, session: HookSession) -> None:
        """Nothing of it that waits is to run any more, and nobody would say that it is over."""
        for held in self._held:
            if held.session is session:
                held.let_ask(is_tracked=False)

    def end(self) -> None:
        """The package ends: each program that waits asks its own user."""
        self._ended = True
        for held in self._held:
            held.let_ask(is_tracked=False)

    def look(self) -> None:
        """A window has other folders, or other settings: what belongs to none any more is not held."""
        endpoints = self._endpoints()
        for held in self._held:
            endpoint = held.session.endpoint
            wanted, folders = held.session.agent.is_wanted(endpoint.settings()), endpoint.discovery.all_folders
            if endpoint not in endpoints or not wanted or held.places - _places(held.event, folders):
                held.let_ask()

    # -- beside the program's own diff --------------------------------------------------------------------------------

    async def _wait_beside(self, session: HookSession, dialect: HookDialect, event: HookEvent) -> HookAnswer:
        """Wait as long as the program's own diff is open: the reason for its rejection goes this way."""
        self._involved.add(session)
        told: asyncio.Future[Optional[str]] = asyncio.get_running_loop().create_future()
        beside = _Beside(session, event.paths, partial(self._runtime.on_loop, settle, told))
        self._runtime.on_main(self._begin_beside, beside)
        try:
            reason = await told
        finally:
            self._runtime.on_main(self._leave, beside)
        if reason is None:
            return HookAnswer(dialect.nothing())
        return HookAnswer(dialect.deny(event, f"{REJECTED}: {reason}"), may_run=False)

    def _begin_beside(self, beside: _Beside) -> None:
        self._beside.append(beside)
        self.reviews_changed()

    def reviews_changed(self) -> None:
        """A review was opened, or has ended: perhaps the one that a question waits for. Main thread."""
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
                if endpoint.clients.is_of(review.owner, key, process):
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


class _Beside:
    """A question that is held beside the program's own diff. Main thread."""

    def __init__(self, session: HookSession, paths: Sequence[str], tell: Callable[[Optional[str]], None]) -> None:
        self.session, self.paths, self.tell = session, paths, tell
        self.ticket: Optional[Ticket] = None
        self.endpoint: Optional[Endpoint] = None


def _places(event: HookEvent, folders: Sequence[str]) -> Set[str]:
    """What a call is about, and where its program works, as far as it lies in these folders."""
    platform = Platform.current()
    return {each for each in (event.folder, *event.paths) if holds(folders, each, platform)}


def owner_of(session: HookSession) -> Owner:
    """Who a proposal is of that came by a hook."""
    return Owner(f"hook {session.agent.key} {session.id}", shown(session.agent.title))


def _withdraw(take_back: Callable[[Ticket], None], ticket: Ticket) -> None:
    """Main thread."""
    take_back(ticket)
    ticket.settle(None)  # it may not be shown yet


def _to_review(event: HookEvent, folders: Sequence[str], skip: Tuple[str, ...]) -> Optional[List[str]]:
    """Those of the files of a call that the user is to see. None if it does not say which it is about. Disk thread."""
    skipped, found = exclusion(skip), []
    for path in event.paths:
        place = place_inside(path, folders)
        if _is_no_name(path) or (place is not None and not skipped("/" + _below(place, folders))):
            found.append(path)
    return found if event.paths else None


def _looked_at(
    dialect: HookDialect, event: HookEvent, folders: Sequence[str], skip: Tuple[str, ...], most: int
) -> _Looked:
    """Look at the files of a call. Disk thread."""
    writes, wanted = dialect.writes, _to_review(event, folders, skip)
    if wanted == []:
        return _Looked(is_its_own_affair=True)
    texts: Dict[str, Optional[str]] = {}
    try:
        for name in writes.paths(event.tool, event.arguments):
            texts[name] = _text_of(os.path.join(event.folder, name), most)
    except (OSError, ValueError) as error:
        logger.info("a file that a program is about to write could not be read: %s", type(error).__name__)
        return _Looked()
    proposals = writes.proposals(event.tool, event.arguments, texts)
    if proposals is None:
        return _Looked(texts)
    if len({os.path.realpath(each) for each in event.paths}) < len(event.paths):
        return _Looked()  # two steps with one file, of which neither says what it holds in the end
    found: List[_ReviewedFile] = []
    for each in proposals:
        path, source = (os.path.join(event.folder, name) for name in (each.path, each.moved_from or each.path))
        if not {path, source}.isdisjoint(wanted or ()):
            found.append(_ReviewedFile(each, path))
    return _Looked(texts, proposals, tuple(found))


def _is_no_name(path: str) -> bool:
    """Whether no file can be called so: a program may write one that is called nearly so. Disk thread."""
    try:
        os.lstat(path)
    except OSError:
        return False
    except ValueError:
        return True
    return False


def _below(place: str, folders: Sequence[str]) -> str:
    """The path of a file from its workspace folder on."""
    holding = [each for each in folders if place.startswith(os.path.join(each, ""))]
    return os.path.relpath(place, max(holding, key=len)) if holding else place


def _text_of(path: str, most: int) -> Optional[str]:
    """What the file holds, None if it is not there. Raises OSError, or ValueError if it is no text."""
    try:
        with files.opened(path, os.O_RDONLY) as (descriptor, found):
            if found.st_size > most:
                raise ValueError
            return files.read_all(descriptor, most).decode("utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return None
