"""Unreviewed changes in the review: what it shows of them, and what it means to keep or to undo them.

Theory of operation: a change is shown as a proposal is, with what the file held before on the left and what it holds on
the right, where nothing can be edited. A decision is carried out by `deciding`, which refuses it where the file is by
now another one. Then the changes are listed anew, and the reviews follow the list.

Rule: closing a tab decides nothing. What a tab has unsaved edits of is undone in the tab and not saved. What undoes
several files says how many they are, and asks first. Main thread.
"""

from __future__ import annotations

import os
from functools import partial
from typing import Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

import sublime

from ..comparison import Hunk
from ..editor.quick_panel import PanelEntry, choose
from ..editor.status_bar import say
from ..review.decision import FileChange, Owner, Position, Review, ReviewState, Source, Words
from ..review.display.panes import fallback_encoding
from ..review.document import disk
from ..review.document.disk import original_of
from ..review.document.preparation import Preparation
from ..review.open_reviews import LAST_ROW, OpenReviews
from ..settings import Settings
from .deciding import ChangeDecisions, left_words, whole_only
from .listing import Lists
from .model import ChangeKind, ChangeScope, UnreviewedChange
from .texts import OUTSIDE, TextPair, about, caveats, change_item, doing, file_count
from .tracking import Tracking
from .undoing import Refusal

WORDS = Words("Keep", "Undo", "Keep", "Undo", "before", "")
UNKNOWN_WRITER = "changed outside the editor"

NOT_SHOWN = "{} cannot be shown as text: choose it in “Show Unreviewed Changes” to decide it"

NOTHING_TO_TAKE_BACK = "nothing was decided that can be taken back"
ALL, LAST_ONLY = "All unreviewed changes", "Changes of the last turn only"
IN_PART = "A part of it may be your own."
HEADINGS = {
    ChangeScope.SINCE_KEPT: "Unreviewed changes",
    ChangeScope.LAST_TURN: "Changes of the last turn",
    ChangeScope.OUTSIDE: f"What {OUTSIDE}",
}


class _Shown(NamedTuple):
    """What a review shows."""

    change: UnreviewedChange
    texts: TextPair


class _Decision(NamedTuple):
    """What the user has decided of a change, or of a part of it."""

    change: UnreviewedChange
    kept: bool


class ChangeReviews(Source):
    """The reviews of unreviewed changes of one window."""

    words = WORDS
    editable = False

    def __init__(
        self,
        window: sublime.Window,
        settings: Callable[[], Settings],
        open_reviews: OpenReviews,
        tracking: Tracking,
        decisions: ChangeDecisions,
        end: Callable[[Review], None],
    ) -> None:
        """`end` closes a review that was decided."""
        self._window = window
        self._settings = settings
        self._open = open_reviews
        self._tracking = tracking
        self._decisions = decisions
        self.lists = Lists()
        self.scope = ChangeScope.SINCE_KEPT
        """Of what is listed and shown."""
        self._end = end
        self._shown: Dict[Review, _Shown] = {}
        self._decided_before = 0  # how many files, since one of these reviews is open
        self._last: Optional[_Decision] = None  # which can be taken back
        self._take_back_next = False  # the decision that is just being carried out

    @property
    def listed(self) -> Tuple[UnreviewedChange, ...]:
        """What is listed, the oldest first."""
        return self.lists.of(self.scope)

    @property
    def to_review(self) -> Tuple[UnreviewedChange, ...]:
        """What is listed, and behind it what is listed apart from that."""
        return (*self.listed, *(self.lists.changes if self.scope is ChangeScope.OUTSIDE else self.lists.outside))

    def list_since(self, scope: ChangeScope) -> None:
        """List and show changes since then. A last turn in which nothing was changed is not meant."""
        self.scope = scope
        self.listed_anew()

    # -- showing ------------------------------------------------------------------------------------------------------

    def show(self, change: UnreviewedChange, row: Optional[int] = None) -> None:
        """Open the review of a change, or go to it, at this `row` of the text. The user has asked for it."""
        review = self.review_of(change)
        if review is None:
            self._read(change, partial(self._show, change, None, (), row=row or 0))
        elif row is None:
            self._open.show(review, focus=True)
        else:
            self._open.show_at(review, row)

    def label(self, change: UnreviewedChange) -> str:
        """What a list calls the file of a change."""
        return self._open.label(change.full_path)

    def review_of(self, change: UnreviewedChange) -> Optional[Review]:
        """The open review of the same file, if there is one."""
        path = change.full_path
        return next((review for review in self._shown if review.path == path and review.pending), None)

    def _read(self, change: UnreviewedChange, then: Callable[[TextPair], None]) -> None:
        fallback = fallback_encoding(self._window.active_view())
        decoded = partial(original_of, change.full_path, limits=disk.LIMITS, encoding="", fallback=fallback)
        self._decisions.read(change, decoded, then)

    def _show(
        self,
        change: UnreviewedChange,
        former: Optional[Review],
        passed: Tuple[UnreviewedChange, ...],
        texts: TextPair,
        row: int = 0,
    ) -> None:
        """Show a change whose texts were read, in the place of the review that has just been decided, if any.

        What is no text does not come in the place of another one; those that were `passed` over were none.
        """
        if self._listed(change.full_path) != change or self.review_of(change) is not None:
            self._finish(former)
            return
        if texts.right is None:
            if former is None:
                self._decisions.ask(change)
            else:
                say(self._window, NOT_SHOWN.format(os.path.basename(change.path)))
                self._go_on(former, (*passed, change))
            return
        review = Review(
            owner_of(change), change.full_path, texts.right, self, before=texts.left, whole_file=change.whole_file
        )
        review.row = row
        self._shown[review] = _Shown(change, texts)
        self._note(review)
        prepared = Preparation(texts.left, review.same_files, review.whole_file)
        if former is None or former not in self._open.presentations:
            self._open.await_focus(review, prepared)
            self._open.arrangement.focus.when_free(partial(self._open.show, review, True, former is None))
            self._finish(former)
            return
        by_user = former.pending  # who goes on without a decision
        if not by_user:
            self._open.input_guard.came(review)  # what is typed on was meant for the one before
        former.reject()
        self._open.replace(former, review, prepared)
        self._finish(former)
        if by_user and review in self._open.presentations:
            self._open.show(review, True)

    def _finish(self, review: Optional[Review]) -> None:
        """A review has been decided, or nobody has to decide it any more."""
        if review is not None:
            review.reject()  # if nobody has decided it
            self._forget(review)
            self._end(review)

    def _forget(self, review: Review) -> None:
        self._shown.pop(review, None)
        if not self._shown:
            self._decided_before = 0

    def _listed(self, path: str) -> Optional[UnreviewedChange]:
        return next((change for change in self.to_review if change.full_path == path), None)

    def _after(self, change: UnreviewedChange, passed: Tuple[UnreviewedChange, ...]) -> Optional[UnreviewedChange]:
        """The next change in the same list that was not `passed` over; after the last one the first."""
        same = self._same_list(change)
        others = [each for each in same if each.full_path != change.full_path and each not in passed]
        later = [each for each in others if each.number > change.number]
        return next(iter(later or others), None)

    def _same_list(self, change: UnreviewedChange) -> List[UnreviewedChange]:
        return [each for each in self.to_review if each.origin.counted is change.origin.counted]

    def _files(self, change: UnreviewedChange) -> List[UnreviewedChange]:
        """Those of the same list that have reviews, and this one."""
        same = self._same_list(change)
        return [each for each in same if _has_text(each) or each.full_path == change.full_path]

    def listed_anew(self, decided: Optional[Review] = None) -> None:
        """The changes were listed anew: show what has changed, and close what nobody has to decide any more. Of one the
        user has just `decided` a part."""
        self.lists = self._tracking.lists(self._window.id())
        if not self.listed:
            self.scope = ChangeScope.SINCE_KEPT
        for review, shown in list(self._shown.items()):
            change = self._listed(review.path)
            if not review.pending:
                continue
            if change is None:
                self._finish(review)
                continue
            if (change.before, change.now) != (shown.change.before, shown.change.now):
                expected = review is decided and not shown.change.since_save  # else it may be an earlier change
                self._read(change, partial(self._show_anew, review, change, expected))
            self._note(review)

    def _show_anew(self, review: Review, change: UnreviewedChange, expected: bool, texts: TextPair) -> None:
        """`expected`: the user has made it what it is. If it was listed anew meanwhile, these texts come too late."""
        if not review.pending or review not in self._shown or self._listed(review.path) != change:
            return
        if texts.right is None:
            self._finish(review)
            return
        self._shown[review] = _Shown(change, texts)
        review.before, review.whole_file = texts.left, change.whole_file
        review.replace(texts.right)
        self._note(review)
        if not expected:
            self._open.input_guard.came(review)
        if review in self._open.presentations:
            self._open.presentations[review].show_proposal(
                Preparation(texts.left, review.same_files, review.whole_file)
            )

    def _note(self, review: Review) -> None:
        """Say in the title and in the header what happened to the file, which one it is, and which one comes next."""
        change, presentation = self._shown[review].change, self._open.presentations.get(review)
        title = owner_of(change), FileChange(change.kind is ChangeKind.DELETED, change.old_path)
        if title != (review.owner, review.file_change):
            review.owner, review.file_change = title
            if presentation is not None:
                presentation.update_title()
        why = doing(change.origin) if change.origin.why else ""  # who, the title and the header say anyway
        notes = [about(change), *caveats(change), why]
        notes += [IN_PART if change.origin.counted and change.origin.perhaps else "", change.obstacle]
        header = tuple(note for note in notes if note), self._position(change)
        if header != (review.notes, review.position):
            review.notes, review.position = header
            if presentation is not None:
                presentation.update_header()

    def _position(self, change: UnreviewedChange) -> Position:
        paths = [each.full_path for each in self._files(change)]
        at = paths.index(change.full_path) if change.full_path in paths else 0
        following = self._after(change, tuple(each for each in self.to_review if not _has_text(each)))
        number, total = self._decided_before + at + 1, self._decided_before + len(paths)
        return Position(number, total, self.label(following) if following is not None else "")

    def walk(self, review: Review, forward: bool, around: bool = False) -> bool:
        """To that of the next file of the list, or the one before, in the place of this one."""
        shown = self._shown.get(review)
        files = self._files(shown.change) if shown is not None else []
        paths = [each.full_path for each in files]
        at = paths.index(review.path) + (1 if forward else -1) if review.path in paths else -1
        if len(files) < 2 or not (around or 0 <= at < len(files)):
            return False
        change, row = files[at % len(files)], 0 if forward else LAST_ROW
        other = self.review_of(change)
        if other is not None:
            self._open.show_at(other, row)
        else:
            self._read(change, partial(self._show_instead, change, review, row))
        return True

    def _show_instead(self, change: UnreviewedChange, former: Review, row: int, texts: TextPair) -> None:
        """Show a change in the place of another one that is undecided, unless there is nothing to show by now."""
        if texts.right is not None and self._listed(change.full_path) == change and self.review_of(change) is None:
            self._show(change, former, (), texts, row)

    # -- the decisions of the review ----------------------------------------------------------------------------------

    def accept(self, review: Review, text: str) -> None:
        """Keep the change."""
        self._decide(review, True, ())

    def reject(self, review: Review) -> None:
        """Undo the change."""
        self._decide(review, False, ())

    def closed(self, review: Review) -> None:
        """Decide nothing."""
        review.reject()
        self._forget(review)

    def accept_hunks(self, review: Review, hunks: Sequence[Hunk]) -> None:
        """Keep these hunks."""
        if self._can_decide(review):
            self._decide(review, True, hunks)

    def reject_hunks(self, review: Review, hunks: Sequence[Hunk]) -> None:
        """Undo these hunks."""
        if self._can_decide(review):
            self._decide(review, False, hunks)

    def _can_decide(self, review: Review) -> bool:
        """Whether hunks can be decided by themselves, else the user hears why not. A file that is new, or has gone, is
        one hunk."""
        problem = whole_only(*self._shown[review])
        if problem:
            say(self._window, problem)
        return not problem

    def _decide(self, review: Review, keep: bool, hunks: Sequence[Hunk]) -> None:
        self._last = None  # until that is done
        if review in self._shown and review.begin_writing():
            change, texts = self._shown[review]
            then = partial(self._decided, review, _Decision(change, keep))
            self._decisions.decide(change, texts, keep, hunks, then, review.same_files)

    def take_back(self, review: Review) -> bool:
        """Take back the last decision, once it is carried out, and show what it was about."""
        if any(each.state is ReviewState.WRITING for each in self._shown):
            self._take_back_next = True
            return True
        last, self._last = self._last, None
        if last is None:
            say(self._window, NOTHING_TO_TAKE_BACK)
            return True
        shown = self.review_of(last.change)
        if shown is not None:
            shown.begin_writing()
        self._decisions.take_back(last.change, last.kept, partial(self._taken_back, last.change, shown))
        return True

    def _taken_back(self, decided: UnreviewedChange, shown: Optional[Review], refused: Sequence[Refusal]) -> None:
        """A decision was taken back, unless it was `refused`; `shown` is the review that its file had meanwhile."""
        self._take_back_next = False
        for refusal in refused:
            say(self._window, refusal.sentence)
        change = self._listed(decided.full_path)
        if shown is not None and shown not in self._shown:  # its tab was closed meanwhile
            self._finish(shown)
        elif shown is not None and shown.writing_failed():
            self.listed_anew(None if refused else shown)
        elif change is not None and not refused:
            self._decided_before = max(0, self._decided_before - 1)
            self.show(change)

    def _decided(self, review: Review, decision: _Decision, refused: Sequence[Refusal]) -> None:
        """Something was done with a change: all of it, part of it, or nothing."""
        self._last = None if refused else decision
        for refusal in refused:
            say(self._window, refusal.sentence)
        if review not in self._shown:  # its tab was closed meanwhile
            self._finish(review)
        elif not refused and self._listed(review.path) is None and review.accept("") is not None:
            self._decided_before += 1
            self._go_on(review)
            for other in list(self._shown):
                self._note(other)
        elif review.writing_failed():  # it goes on with what is left
            if refused and review in self._open.presentations:
                self._open.presentations[review].complain(refused[0].sentence, look_again=False)
            self.listed_anew(None if refused else review)
        take_back, self._take_back_next = self._take_back_next and not refused, False
        if take_back:
            self.take_back(review)

    def _go_on(self, review: Review, passed: Tuple[UnreviewedChange, ...] = ()) -> None:
        """A review is decided: the next change that was not `passed` over comes in its place."""
        shown = self._shown.get(review) if review in self._open.presentations else None
        following = self._after(shown.change, passed) if shown is not None else None
        other = self.review_of(following) if following is not None else None
        if other is not None:
            self._finish(review)
            self._open.show(other, True, False)
        elif following is not None:
            self._read(following, partial(self._show, following, review, passed))
        else:
            self._finish(review)


def owner_of(change: UnreviewedChange) -> Owner:
    """Who the user reads to have written it. No client is connected as that, so no client hears of the decision."""
    return Owner("", change.origin.who or UNKNOWN_WRITER)


def _has_text(change: UnreviewedChange) -> bool:
    """Whether there is a review for it, as far as is known."""
    return not (change.binary or change.excluded)


# -- the list ----------------------------------------------------------------------------------------------------------
# In which the user chooses among unreviewed changes, and what is done with all of them. What undoes several files says
# how many they are, and asks first.


class Preview(NamedTuple):
    """What is shown behind a list: `begin` opens it for what is listed, `show` goes to the file at a path, and `end`
    closes it."""

    begin: Callable[[ChangeScope], None]
    show: Callable[[str], None]
    end: Callable[[], None]


class ChangeLists:
    """Those of one window."""

    def __init__(
        self,
        window: sublime.Window,
        reviews: ChangeReviews,
        decisions: ChangeDecisions,
        preview: Preview,
    ) -> None:
        self._window = window
        self._reviews = reviews
        self._decisions = decisions
        self._preview = preview

    def show(self, scope: ChangeScope = ChangeScope.SINCE_KEPT) -> None:
        """Let the user pick a change and go there, or list those of the other scope."""
        reviews = self._reviews
        reviews.list_since(scope)
        entries: List[PanelEntry] = []
        for change in reviews.listed:
            details, annotation = change_item(change)
            act, preview = partial(reviews.show, change), partial(self._preview.show, change.full_path)
            entries.append(PanelEntry(reviews.label(change), act, details, annotation, preview))
        for scope, caption, count in self._other_scopes():
            entries.append(PanelEntry(caption, partial(self.show, scope), annotation=count))
        if not entries:  # they have gone while the user was in the list that leads here
            say(self._window, "no file was changed outside the editor")
            return
        begin = partial(self._preview.begin, reviews.scope) if reviews.listed else lambda: None
        choose(self._window, entries, HEADINGS[reviews.scope], begin, self._preview.end)

    def _other_scopes(self) -> Iterator[Tuple[ChangeScope, str, str]]:
        """What else there is to list: its scope, how it is called, and how much it is."""
        shown, (changes, turn, outside, _) = self._reviews.scope, self._reviews.lists
        if changes and (shown is ChangeScope.OUTSIDE or (shown is ChangeScope.LAST_TURN and turn != changes)):
            yield ChangeScope.SINCE_KEPT, ALL, file_count(len(changes))
        if turn and turn != changes and shown is not ChangeScope.LAST_TURN:
            yield ChangeScope.LAST_TURN, LAST_ONLY, file_count(len(turn))
        if outside and shown is not ChangeScope.OUTSIDE:
            more = file_count(len(outside)).replace(" ", " more " if changes else " ")
            yield ChangeScope.OUTSIDE, f"{more} {OUTSIDE}", ""

    def keep_all(self) -> None:
        """Keep every change of programs that is listed."""
        taken, left = self._of_programs()
        self._decisions.keep(taken, left=left)

    def undo_all(self) -> None:
        """Undo every change of programs that is listed, if the user confirms it."""
        taken, left = self._of_programs()
        if not taken:
            self._decisions.undo(taken, left=left)
            return
        which = " of the last turn" if self._reviews.scope is ChangeScope.LAST_TURN else ""
        files, passed = file_count(len(taken)), f" {left}." if left else ""
        undo = PanelEntry(f"Undo the changes{which} of {files}", partial(self._decisions.undo, taken, left=left))
        choose(self._window, [undo, PanelEntry("Cancel", lambda: None)], f"Undo what was changed in {files}?{passed}")

    def _of_programs(self) -> Tuple[List[UnreviewedChange], str]:
        """The listed changes that are certainly a program's; and what the status bar says of the others."""
        reviews = self._reviews
        listed = reviews.listed if reviews.scope is ChangeScope.LAST_TURN else reviews.lists.changes
        taken = [change for change in listed if not (change.origin.perhaps or change.ignored)]
        others = () if reviews.scope is ChangeScope.LAST_TURN else reviews.lists.outside
        perhaps = sum(change.origin.perhaps for change in listed) + len(others)
        return taken, left_words(perhaps, len(listed) + len(others) - len(taken) - perhaps)
