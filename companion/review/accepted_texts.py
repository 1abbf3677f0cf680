"""One accepted text, from the user's decision until it is in the file.

    state          what happens                                       next state
    -------------  -------------------------------------------------  ----------
    CLIENT_WRITES  the file holds the accepted text                   ENDED
    CLIENT_WRITES  the file holds what the client writes, not ours    WRITING
    CLIENT_WRITES  the client has gone                                CLIENT_GONE
    CLIENT_WRITES  its call is over, and has not written              ENDED
    CLIENT_WRITES  it does not write, and the rest is ours to save    IN_REVIEW
    CLIENT_GONE    as for CLIENT_WRITES; or the client is back        CLIENT_WRITES
    CLIENT_GONE    it has not written                                 WRITING, or IN_REVIEW
    CLIENT_GONE    the file's folder is one of another machine        ENDED
    WRITING        the file is written                                ENDED
    WRITING        it could not be written                            IN_REVIEW
    WRITING        the client was still at it                         CLIENT_WRITES, CLIENT_GONE
    IN_REVIEW      the user accepts it again                          WRITING
    IN_REVIEW      the user rejects it, or its client takes it back   ENDED
    any            the window, the package or the editor ends         ON_DISK

Rule: it ends when the file itself has held the text once, or when the user has decided against it. That a client has
gone on, or that time has passed, ends nothing: its process may have been suspended and never have read the answer.

A look at the file is about the client's bytes and not about what can be shown, so the review's limits do not matter.
Nor does the encoding in which the tabs or the review had the file: many clients write UTF-8 whatever it was.

The editor is not known here. Main thread only, but for the looks, which block on the disk: disk threads.
"""

from __future__ import annotations

import logging
import os
import secrets
from contextlib import suppress
from enum import Enum
from functools import partial
from typing import Callable, ClassVar, Dict, FrozenSet, List, Optional, Sequence
from weakref import WeakSet

import sublime

from ..agents.window import RESTORES_ALL, Restored
from ..common.clock import clock
from ..common.transitions import may_step
from ..common.waiting import Latest
from ..editor.file_views import same_key
from ..editor.status_bar import say
from ..editor.storage import storage_folder
from ..runtime import Runtime
from ..system.files import Stamp
from .acceptances import Acceptances
from .decision import Outcome, Owner, Review, Writer
from .document import disk
from .document.disk import ChangedError, DiskError, Kind, Original
from .document.journal import KeptTexts, LeftTexts, Text
from .document.text import UTF_8, in_utf_8, plain, saved
from .document.whole_file import BytesMaker, WrittenText, proposed_bytes
from .document.writing import Guard, IsInside, NoFolderError, Writes, no_folder
from .open_reviews import OpenReviews

logger = logging.getLogger("gemini_companion.review")

AGAIN = "accept again to write it"
WRITTEN = "the companion has written it"
NOT_OPENED = "The user has not opened this diff yet."
OUT_OF_REACH = "{} cannot be reached, as {} is not connected: it has to ask again"
KEEP_SECONDS = 0.5  # that a small file may take to be made when the package ends
ELSEWHERE_MILLISECONDS = 1000  # after which a window that closes has gone
TAKE_AGAIN_MILLISECONDS = 5000  # after which a process whose editor has ended has ended as well

SHORTEST_SECONDS, LONGEST_SECONDS = 0.025, 10.0
"""Between two looks at the file: at first often, since a formatter may follow the client at once."""
CHARACTERS_PER_SECOND = 2e7  # for each of them the next look waits longer: a long file is not read all the time
GONE_SECONDS = 2.0  # that a client may take to write after it has gone
PATIENCE_SECONDS = 30.0  # that a client may take while edits of the user wait for it
WRITTEN_UNASKED_SECONDS = 60.0
"""A client that goes within that time was to write. One that goes later may have been told not to, in its terminal."""

Expect = Callable[[str, BytesMaker, Optional[BytesMaker]], None]
"""Gets the path of a file that may be written, its bytes, and those that the user has agreed to, if they may differ."""


class Holder(Enum):
    """Who has the text."""

    CLIENT_WRITES = "the client was told, and writes"
    CLIENT_GONE = "the client has gone, and may just be writing"
    WRITING = "we write it"
    IN_REVIEW = "the user, in a review"
    ON_DISK = "the disk keeps it for another window, or for the next run"
    ENDED = "none: it was written, or given up by the user"


_ALWAYS = frozenset({Holder.ON_DISK, Holder.ENDED})
TRANSITIONS: Dict[Holder, FrozenSet[Holder]] = {
    Holder.CLIENT_WRITES: _ALWAYS | {Holder.CLIENT_GONE, Holder.WRITING, Holder.IN_REVIEW},
    Holder.CLIENT_GONE: _ALWAYS | {Holder.CLIENT_WRITES, Holder.WRITING, Holder.IN_REVIEW},
    Holder.WRITING: _ALWAYS | {Holder.CLIENT_WRITES, Holder.CLIENT_GONE, Holder.IN_REVIEW},
    Holder.IN_REVIEW: _ALWAYS | {Holder.WRITING},
    Holder.ON_DISK: frozenset(),
    Holder.ENDED: frozenset(),
}


class AcceptedText:
    """What the user accepted for one file.

    `awaited` is what the client writes; None if it is the accepted text. `original` is the file as it was reviewed, if
    that is known. `name` is that of the file in which the text is kept.
    """

    def __init__(
        self,
        state: Holder,
        owner: Owner,
        path: str,
        text: str,
        original: Optional[Original] = None,
        *,
        awaited: Optional[str] = None,
        name: str = "",
    ) -> None:
        self.state = state
        self.owner = owner
        self.path = path
        self.text = text
        self.original = original
        self.awaited = awaited
        self.name = name or secrets.token_hex(8)
        self.call_is_over = False  # and nothing writes it any more
        self.checks = 0  # how often its file was to be checked
        self.question = Latest(lambda: None)  # whether the file holds it; the window's texts say how that is found out
        self._read_in_vain: Optional[Stamp] = None  # of the file that was
        self._told = self._since = clock.now()

    def go(self, state: Holder) -> bool:
        """Change the state. False if there is no way to it."""
        if not may_step(TRANSITIONS, self.state, state):
            return False
        if state in (Holder.CLIENT_WRITES, Holder.CLIENT_GONE) and self.state is not Holder.WRITING:
            self._since = clock.now()
        self.state = state
        return True

    @property
    def is_awaited(self) -> bool:
        """Whether the client is to write."""
        return self.state in (Holder.CLIENT_WRITES, Holder.CLIENT_GONE)

    @property
    def pause(self) -> float:
        """In how many seconds to look at the file again: a tenth of the time that it is awaited already."""
        waited = clock.now() - self._since
        return min(max(SHORTEST_SECONDS, waited / 10), LONGEST_SECONDS) + len(self.text) / CHARACTERS_PER_SECOND

    @property
    def overdue(self) -> bool:
        """Whether a client that has gone will not write any more, or one that is there keeps the user's edits waiting
        for too long."""
        waited = clock.now() - self._since
        if self.state is Holder.CLIENT_GONE:
            return waited >= GONE_SECONDS
        return self.awaited is not None and waited >= PATIENCE_SECONDS

    @property
    def may_be_written_unasked(self) -> bool:
        """Whether we may write it over the reviewed file, for a client that has gone, without asking the user again."""
        return clock.now() - self._told < WRITTEN_UNASKED_SECONDS

    def find_text(self) -> Optional[Original]:
        """The file, if it holds what its client writes: the text or, in its place, what is awaited. Disk thread.

        Never raises. A file that is as it was when it was last read in vain is not read again. The very file that was
        reviewed holds nothing that is awaited: it was there before the client wrote.
        """
        stamp: Optional[Stamp] = None
        with suppress(OSError, ValueError):
            stamp = Stamp.of(os.stat(self.path))
        if stamp is not None and stamp == self._read_in_vain:
            return None
        settled = stamp is not None and stamp.settled
        original = self.original
        encoding = original.encoding if original is not None else ""
        if self.awaited is None:
            found = disk.find(self.path, self.text, encoding=encoding, last_line_end_matters=False)
        else:
            found = disk.find(self.path, self.awaited, encoding=encoding)
            if found is not None and original is not None:
                found = None if found.stamp == original.stamp else found
        self._read_in_vain = stamp if settled and found is None else None
        return found


# -- those of one window -----------------------------------------------------------------------------------------------


class AcceptedTexts:
    """Main thread only, except where noted."""

    _all: ClassVar[WeakSet[AcceptedTexts]] = WeakSet()

    def __init__(
        self,
        window: sublime.Window,
        runtime: Runtime,
        open_reviews: OpenReviews,
        end: Callable[[Review, Optional[Outcome]], None],
        is_connected: Callable[[Owner], bool],
        expect: Expect,
        is_inside: IsInside,
    ) -> None:
        """`end` closes a review that has been decided, and tells its client the outcome, if there is one.
        `is_connected` says whether a client is there. `expect` is called before the file may be written.
        `is_inside` says where folders may be made for new files."""
        self._window = window
        self._runtime = runtime
        self._open = open_reviews
        self._end = end
        self._is_connected = is_connected
        self._expect = expect
        self._kept = KeptTexts(runtime, storage_folder())
        self._is_inside = is_inside
        self._writes = Writes(runtime, self._kept.catch_up, is_inside)
        self._texts: List[AcceptedText] = []  # those of which something is still to come, the oldest first
        self._shown: Dict[Review, AcceptedText] = {}  # those of them that a review shows
        self.acceptances = Acceptances(window, runtime)
        self._all.add(self)

    def accept(self, review: Review, text: str) -> None:
        """Accept `text` as the user does. If no client waits for that, write the file first."""
        ticket = review.ticket
        if review.writer is Writer.OUT_OF_REACH:
            say(self._window, OUT_OF_REACH.format(review.owner.client_name, review.owner.elsewhere))
        elif not self.waits(review):
            self.write(review, text, lambda problem: say(self._window, problem) if problem else None)
        elif ticket is not None and ticket.consider is not None:
            if review.offer():
                if review in self._open.presentations:
                    self._open.presentations[review].freeze(True)
                ticket.consider(text, self._open.original_of(review))
        else:
            self.tell(review, text, text if ticket is None else ticket.written(review.proposal.exact, text))

    def waits(self, review: Review) -> bool:
        """Whether a client waits for the user's decision."""
        ticket = review.ticket
        waits = ticket.waiting if ticket is not None else self._is_connected(review.owner)
        return waits and not review.orphaned

    # -- the client writes --------------------------------------------------------------------------------------------

    def tell(self, review: Review, text: str, told: Optional[str]) -> None:
        """Tell the client what it writes: the text, or what is `told` in its place; then we save the text over that.
        None: the file is to go."""
        original = self._open.original_of(review)
        self.acceptances.note(review, text if told is not None else None, original)
        if told is None:
            self._end(review, review.accept(text))
            return
        outcome = review.accept(told)
        awaited = told if told != text else None
        for each in dict.fromkeys((told, text)):  # in the order in which the file will hold them
            self._announce(review.path, each, original, review.proposal.restored)
        accepted = AcceptedText(Holder.CLIENT_WRITES, review.owner, review.path, text, original, awaited=awaited)
        self._follow(accepted)
        self._keep(accepted)
        self._end(review, outcome)
        self._check(accepted)

    def _announce(self, path: str, text: str, original: Optional[Original], restored: Restored) -> None:
        """Say what the file may hold soon: the text as the user has agreed to it, whose writer restores this of the
        file, or the same in another format. Some keep its encoding, and others write UTF-8 whatever it was."""
        agreed = None
        if original is not None and original.kind is Kind.TEXT:
            agreed = partial(proposed_bytes, WrittenText(original.exact, original.encoding), text, restored)
        if original is not None and original.encoding != UTF_8:
            self._expect(path, partial(_as_saved, text, original.encoding, original.line_endings), agreed)
        self._expect(path, partial(in_utf_8, text), agreed)

    @property
    def awaiting(self) -> bool:
        """Whether clients are to write something."""
        return any(accepted.is_awaited for accepted in self._texts)

    def check_file(self, path: str) -> None:
        """The file at this path may have been written: look at once. What the user does with it next proves nothing."""
        for accepted in self._texts:
            if same_key(accepted.path) == same_key(path):
                self._check(accepted)

    def awaits(self, path: str) -> bool:
        """Whether this file is still being written, by a client or by us."""
        known = [each for each in self._texts if same_key(each.path) == same_key(path)]
        return any(each.is_awaited or each.state is Holder.WRITING for each in known)

    def arrived(self, path: str, text: Optional[str]) -> None:
        """Stop waiting for this text: it was found in the file."""
        for accepted in list(self._texts):
            if accepted.is_awaited and accepted.text == text and same_key(accepted.path) == same_key(path):
                self._is_in_file(accepted)  # which ends earlier ones, too

    def owner_gone(self, owner_id: str) -> None:
        """The session with this id has ended: what its client does not write in a moment it will not write."""
        for accepted in self._texts:
            if accepted.owner.session_id == owner_id and accepted.state is Holder.CLIENT_WRITES:
                accepted.go(Holder.CLIENT_GONE)
                self._check(accepted)

    def over(self, owner_id: str, paths: Optional[Sequence[str]] = None) -> None:
        """The calls of this client that were to write these files, or all, have ended: what is in none of them by now
        is not written any more."""
        keys = None if paths is None else {same_key(path) for path in paths}
        for accepted in self._texts:
            if accepted.owner.session_id == owner_id and accepted.state is Holder.CLIENT_WRITES:
                if keys is None or same_key(accepted.path) in keys:
                    accepted.call_is_over = True
                    self._check(accepted)

    def _not_written_by_call(self, accepted: AcceptedText) -> None:
        def told(unchanged: bool) -> None:
            if accepted.state is Holder.CLIENT_WRITES:
                name, client = os.path.basename(accepted.path), accepted.owner.client_name
                if unchanged:
                    say(self._window, f"{client} has not written {name}: what you accepted changes nothing")
                self._ended(accepted)

        original = accepted.original
        self._runtime.use_disk(
            lambda cancelled: original is not None and not disk.changed(original), then=told
        )  # it may have been written, and changed at once by something else

    def _follow(self, accepted: AcceptedText) -> None:
        find_text, then = lambda cancelled: accepted.find_text(), partial(self._checked, accepted)
        accepted.question = Latest(partial(self._runtime.use_disk, find_text, then=then))
        self._texts.append(accepted)

    def _check(self, accepted: AcceptedText) -> None:
        accepted.checks += 1
        if accepted.is_awaited:
            accepted.question.ask()

    def _checked(self, accepted: AcceptedText, found: Optional[Original]) -> None:
        newest = accepted.question.answered()
        if not accepted.is_awaited:
            return
        if found is not None and accepted.awaited is None:
            self.acceptances.arrived(accepted.path, accepted.text, found)
            self._is_in_file(accepted)
        elif found is not None:
            self._write(accepted, found)
        elif newest and accepted.call_is_over:
            self._not_written_by_call(accepted)
        elif accepted.overdue:
            self._not_written(accepted)
        elif newest:
            self._check_later(accepted)

    def _check_later(self, accepted: AcceptedText) -> None:
        check = accepted.checks

        def check_unless_done_meanwhile() -> None:
            if accepted.checks == check:
                self._check(accepted)

        self._runtime.later_on_main(int(accepted.pause * 1000), check_unless_done_meanwhile)

    def _is_in_file(self, accepted: AcceptedText) -> None:
        """End this text and those before it of its client and file: clients write in the order of our answers."""
        earlier = self._texts[: self._texts.index(accepted)]
        for each in [accepted, *earlier]:
            if each is accepted or (each.is_awaited and (each.owner, each.path) == (accepted.owner, accepted.path)):
                self._ended(each)

    def _not_written(self, accepted: AcceptedText) -> None:
        if accepted.state is Holder.CLIENT_WRITES:
            self._show(accepted, f"The proposal was not written, so your edits are not saved: {AGAIN}.")
        elif self._is_connected(accepted.owner):
            accepted.go(Holder.CLIENT_WRITES)  # the package has been replaced, and here is its client again
            self._check(accepted)
        elif accepted.original is not None and accepted.may_be_written_unasked:
            self._write(accepted, accepted.original)
        elif accepted.original is not None:
            path, is_inside = accepted.path, self._is_inside
            self._runtime.use_disk(
                lambda cancelled: no_folder(path, is_inside), then=partial(self._show_if_here, accepted)
            )
        else:
            name = os.path.basename(accepted.path)
            self._show(accepted, f"your accepted text for {name} is not saved yet: {AGAIN}")

    def _show_if_here(self, accepted: AcceptedText, problem: str) -> None:
        """Show a text that is not in its file, unless that is a file of another machine."""
        if not accepted.is_awaited:
            return
        if problem:
            self._end_elsewhere(accepted, problem)
        else:
            self._show(accepted, _went_away(accepted, AGAIN))

    def _end_elsewhere(self, accepted: AcceptedText, problem: str) -> None:
        """Let go of a text whose file is on another machine, where its client may have written it or not."""
        logger.info("an accepted text is not written: its folder does not exist on this machine")
        say(self._window, problem)
        self._ended(accepted)

    # -- we write -----------------------------------------------------------------------------------------------------

    def _write(self, accepted: AcceptedText, original: Original) -> None:
        """Write what no review shows any more."""
        before = accepted.state
        accepted.go(Holder.WRITING)
        self._writes.begin(original, accepted.text, partial(self._written, accepted, before))

    def _written(self, accepted: AcceptedText, before: Holder, error: Optional[DiskError]) -> None:
        if accepted.state is Holder.ON_DISK:
            return  # the disk keeps it, and the window that takes it from there looks at the file first
        if error is None:
            name, client = os.path.basename(accepted.path), accepted.owner.client_name
            saved = f"saved your edits of {name}; {client} does not know of them"
            say(self._window, saved if accepted.awaited is not None else _went_away(accepted, WRITTEN))
            self._ended(accepted)
        elif isinstance(error, NoFolderError):
            self._end_elsewhere(accepted, str(error))
        elif isinstance(error, ChangedError) and before is Holder.CLIENT_WRITES:
            accepted.go(before)  # the client was still writing when the file was read
            self._check_later(accepted)
        else:
            logger.info("an accepted text could not be written and is shown again: %s", error)
            self._show(accepted, str(error) if before is Holder.CLIENT_WRITES else _went_away(accepted, AGAIN))

    def write(self, review: Review, text: str, done: Callable[[str], None], guard: Optional[Guard] = None) -> None:
        """Write the file of an open review, then end the review with `text`.

        `done` gets an empty string once the file is written, else a sentence for the user; the review is open then.
        `guard` may refuse the file; it stands for a client that has asked for this, and hears what becomes of it: such
        a text is not kept.
        """
        presentation = self._open.presentations.get(review)  # none while it waits for the focus, or to be asked for
        original = self._open.original_of(review)
        if original is None:
            done("The file is still being read, try again." if presentation is not None else NOT_OPENED)
            return
        review.begin_writing()
        if presentation is not None:
            presentation.freeze(True)
        self._announce(review.path, text, original, RESTORES_ALL)
        accepted = self._shown.pop(review, None) if guard is None else None
        if accepted is None:
            accepted = AcceptedText(Holder.WRITING, review.owner, review.path, text, original)
            self._follow(accepted)
        accepted.go(Holder.WRITING)
        accepted.text = text
        if guard is None:
            self._keep(accepted)
        self._writes.begin(
            original, text, partial(self._reviewed_written, review, accepted, original, guard, done), guard
        )

    def _reviewed_written(
        self,
        review: Review,
        accepted: AcceptedText,
        original: Original,
        guard: Optional[Guard],
        done: Callable[[str], None],
        error: Optional[DiskError],
    ) -> None:
        if accepted.state is Holder.ON_DISK:
            pass  # the window has closed
        elif error is None:
            self._ended(accepted)
            self.acceptances.note(review, accepted.text, original, f"wrote {os.path.basename(review.path)}")
            self._end(review, review.accept(accepted.text))
        else:
            review.writing_failed()
            if guard is not None:
                self._ended(accepted)
            presentation = self._open.presentations.get(review)
            if presentation is None or presentation.retired:
                # The user has closed its tab meanwhile, if there was one.
                if presentation is not None:
                    self._open.forget(review)
                if guard is None:
                    self._show(accepted)
                elif self._open.find(review.owner, review.path) is None:
                    # The user has not accepted it: it stays its client's proposal, unless that proposes another one.
                    again = self._open.propose(review.owner, review.path, accepted.text)
                    self._open.set_writer(again, review.writer)
            else:
                if accepted.go(Holder.IN_REVIEW):
                    self._shown[review] = accepted
                presentation.freeze(False)
                presentation.complain(str(error), look_again=isinstance(error, ChangedError))
        done(str(error or ""))

    # -- the user decides again ---------------------------------------------------------------------------------------

    def _show(self, accepted: AcceptedText, sentence: str = "") -> None:
        """Show the text as a review whose Accept writes it; no client knows of that. `sentence` is for the user."""
        owner = Owner(accepted.name, accepted.owner.client_name)
        review = self._open.propose(owner, accepted.path, accepted.text)
        accepted.go(Holder.IN_REVIEW)
        self._shown[review] = accepted
        self._open.set_writer(review, Writer.ACCEPTED_BEFORE)
        if sentence:
            say(self._window, sentence)

    def given_up(self, review: Review) -> None:
        """A review has ended: if it showed an accepted text, that is not to be written any more."""
        accepted = self._shown.pop(review, None)
        if accepted is not None:
            self._ended(accepted)

    # -- what the disk keeps ------------------------------------------------------------------------------------------

    def _keep(self, accepted: AcceptedText) -> None:
        owner = accepted.owner
        session = owner.session_id if accepted.awaited is None else ""  # else it writes something else
        self._kept.keep(accepted.name, Text(accepted.path, owner.client_name, accepted.text, session))

    def _ended(self, accepted: AcceptedText) -> None:
        if accepted.go(Holder.ENDED):
            self._texts.remove(accepted)
            self._kept.drop(accepted.name)

    def finish(self) -> None:
        """Wait for what is being written, `writing.WRITE_SECONDS` at most, and leave the rest to others."""
        self._writes.finish()
        for review, accepted in self._shown.items():
            text = self._open.text_of(review)
            if text != accepted.text:
                accepted.text = text
                self._keep(accepted)
        self._leave()
        self._kept.wait(KEEP_SECONDS)

    def wait(self) -> None:
        """Wait for what is being written when the editor's API may no longer be used. Any thread."""
        self._writes.wait()
        self._kept.leave()
        self._kept.wait(KEEP_SECONDS)

    def _leave(self) -> None:
        self._shown.clear()
        left, self._texts = self._texts, []
        for accepted in left:
            accepted.go(Holder.ON_DISK)
        self._kept.leave()
        if left:
            self._runtime.later_on_main(ELSEWHERE_MILLISECONDS, self._recover_elsewhere)

    def _recover_elsewhere(self) -> None:
        for each in list(self._all):
            each.recover()

    def recover(self, again: bool = True) -> None:
        """Show again, a moment later, what was left and belongs to this window; nothing in a window that has gone.

        The window in whose folders the file lies shows a text again; if there is none, whichever asks first. What is in
        use may be so by a process that just ends, so all is looked at `again` somewhat later.
        """
        if self._window.is_valid():
            ours = _beginnings(self._window)
            theirs = [each for window in sublime.windows() if window != self._window for each in _beginnings(window)]
            self._kept.take(partial(_is_wanted, ours, theirs), self._found)
            if again:
                self._runtime.later_on_main(TAKE_AGAIN_MILLISECONDS, self.recover, False)

    def _found(self, found: LeftTexts) -> None:
        for path in found.unreadable:
            logger.error("an accepted text of an earlier run cannot be read: it is set aside as %s", path)
            say(self._window, f"an accepted text of an earlier run cannot be read: it is set aside as {path}")
        for name, text in found.texts:
            owner = Owner(text.session or name, text.client)
            accepted = AcceptedText(Holder.CLIENT_GONE, owner, text.path, text.content, name=name)
            self._follow(accepted)
            self._check(accepted)


def _beginnings(window: sublime.Window) -> List[str]:
    """With what the paths of the files in a window's folders begin."""
    return [os.path.join(same_key(folder), "") for folder in window.folders()]


def _is_wanted(ours: List[str], theirs: List[str], path: str) -> bool:
    key = same_key(path)
    return key.startswith(tuple(ours)) or not key.startswith(tuple(theirs))


def _as_saved(text: str, encoding: str, line_endings: str) -> bytes:
    try:
        return saved(plain(text), encoding, line_endings)
    except UnicodeEncodeError:
        return in_utf_8(text)


def _went_away(accepted: AcceptedText, what: str) -> str:
    return f"{accepted.owner.client_name} went away before it wrote {os.path.basename(accepted.path)}: {what}"
