"""*Review Changes*: all that waits for the user in a window, in one tab, and what the user decides there.

Theory of operation: whenever something may have changed, the page takes stock of what waits, has read what it has not
read yet, portion by portion, and shows that. A decision is carried out by what the reviews and the list use as well;
then the page takes stock again. A file that has been decided stays as one line.

Rule: a decision is about what is shown. What was shown anew is not decided for a moment, as in the reviews, and what is
another text by now is shown first. The user alone opens the page. It closes when nothing is left.

Main thread only.
"""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Set, Tuple

import sublime

from ..comments.model import Comment, CommentPlace, TextSide
from ..comments.text import caption
from ..common.display_names import shown
from ..common.waiting import Latest
from ..comparison import Hunk
from ..editor import marks
from ..editor.scope import Scope
from ..editor.status_bar import say
from ..review.commands import NONE, NONE_AT_CURSOR, ONLY_AS_A_WHOLE
from ..review.decision import Review, ReviewState
from ..review.display.mark_style import MarkStyle
from ..review.reviews import Reviews
from ..review.window import views
from ..unreviewed.deciding import ChangeDecisions, whole_only
from ..unreviewed.model import ChangeScope, UnreviewedChange
from ..unreviewed.reviewing import NOTHING_TO_TAKE_BACK, ChangeReviews
from ..unreviewed.tracking import Tracking
from ..unreviewed.undoing import Refusal
from .model import (
    Body,
    PageFile,
    PageFileState,
    Part,
    PlacedRow,
    Remark,
    RowKind,
    introduction,
    parts_of,
    rows_of,
)
from .reading import FileAnswer, PageReader
from .tab import PageTab

NOTHING, ALL_DONE = "there is nothing to review", "nothing is left to review"
NO_FILE = "there is no file on this line"
STILL_READ = "{} is still being read"
JUST_SHOWN = "{} has only just been shown: look, then decide"
ANOTHER = "{} has changed again: look, then decide"
NO_ACCEPT_OF_HUNKS = "hunks of a proposal can be reverted: accept the file with what is left"
NOT_COMPARED = "{} is just being compared: revert that again"
WORDS = {ReviewState.ACCEPTED: "accepted", ReviewState.REJECTED: "rejected"}


class _PageDecision(NamedTuple):
    """What the user has decided of a change, or of a part of it."""

    file: PageFile
    change: UnreviewedChange
    kept: bool


class ReviewPage:
    """The one of a window."""

    def __init__(
        self,
        scope: Scope,
        reviews: Reviews,
        changes: ChangeReviews,
        decisions: ChangeDecisions,
        tracking: Tracking,
    ) -> None:
        self._window, self._runtime, self._settings = scope
        self._reviews = reviews
        self._changes = changes
        self._decisions = decisions
        self._reader = PageReader(scope.window, scope.settings, reviews, changes, tracking)
        self._tab = PageTab(scope.runtime, self._caret_lost)
        self._stock = Latest(self._take_stock)
        self._files: List[PageFile] = []
        self._parts: Dict[Optional[PageFile], Tuple[object, List[Part]]] = {}
        self._decided: Set[Tuple[PageFile, Tuple[str, str]]] = set()  # changes that the user has decided
        self._last: Optional[_PageDecision] = None  # which can be taken back
        self._taken_back: Optional[PageFile] = None  # of which a decision is just being taken back
        self._scope = ChangeScope.SINCE_KEPT
        self._helps = False  # whether the keys are listed
        self._is_new = False  # whether nothing that the page shows was shown before
        self._goal: Optional[str] = None  # where the caret is to go once that is there: a file's path, "" any change
        self._is_preview = False  # whether a list that is open has opened it
        self._acts: Dict[str, Callable[[], None]] = {
            "next_change": partial(self._walk, True),
            "previous_change": partial(self._walk, False),
            "next_file": partial(self._walk_files, True),
            "previous_file": partial(self._walk_files, False),
            "keep_hunk": partial(self._decide_hunks, True),
            "undo_hunk": partial(self._decide_hunks, False),
            "keep_file": partial(self._decide_files, True),
            "undo_file": partial(self._decide_files, False),
            "take_back": self._take_back,
            "open_review": self._open_review,
            "open_file": self._open_file,
            "toggle_help": self._toggle_help,
            "close": self.leave,
        }
        self.remarks: Callable[[str], Sequence[Remark]] = lambda path: ()
        """What stands below lines of the file at this path."""
        self.has_drafts: Callable[[], bool] = lambda: False
        """Whether the user has written something that is not sent yet: then the page stays open."""

    # -- which there is -----------------------------------------------------------------------------------------------

    def open(self, scope: ChangeScope = ChangeScope.SINCE_KEPT) -> None:
        """Show all that waits, or what belongs to the last turn. The user has asked for it."""
        if not self._reader.waiting(scope):
            say(self._window, NOTHING)
            return
        if scope is not self._scope or not self._tab.is_open:
            self._forget()
            self._scope, self._is_new, self._goal = scope, True, ""
        self._is_preview = False
        self._reviews.when_free(self._open)

    def _open(self) -> None:
        if self._window.is_valid():
            self._tab.open(self._window)
            self.follow()

    def begin_preview(self, scope: ChangeScope) -> None:
        """Open the page behind a list that is about to open; a new tab would end an open one. A page that is open
        already stays where it is, and so does a file that the user is only previewing: a new tab would take its place.
        """
        sheet = self._window.active_sheet()
        if not self._tab.is_open and not (sheet is not None and sheet.is_transient()):
            self._forget()
            self._scope, self._is_new, self._is_preview = scope, True, True
            self._open()

    def preview(self, path: str) -> None:
        """Go to a file that is highlighted in the list."""
        if self._is_preview:
            self._goal = path
            self._shown()

    def end_preview(self) -> None:
        """The list has gone, and the page that was opened for it goes as well."""
        if self._is_preview:
            self.leave()

    @property
    def shows_all(self) -> bool:
        """Whether the page has the focus, and shows more than one turn."""
        return self._tab.has_focus and self._scope is not ChangeScope.LAST_TURN

    def shows(self, view: Optional[sublime.View]) -> bool:
        """Whether the view is that of the page."""
        return self._tab.is_open and self._tab.shows(view)

    def activated(self, view: sublime.View) -> None:
        """A view has the focus."""
        if self.shows(view):
            self.follow()  # proposals may have been edited

    def recover(self) -> None:
        """Close pages of which nothing is known: the editor brings them back when it restarts."""
        for view in self._window.views() if self._window.is_valid() else ():
            if marks.is_page(view) and not self._tab.shows(view):
                views.close(view)

    def leave(self) -> None:
        """Close the page."""
        self._tab.leave()
        self._is_preview = False
        self._forget()

    def _forget(self) -> None:
        self._files, self._helps = [], False
        self._parts.clear()
        self._decided.clear()
        self._last = self._taken_back = None

    # -- what waits ---------------------------------------------------------------------------------------------------

    def follow(self) -> None:
        """Something may have changed: show it."""
        if self._tab.is_open:
            self._stock.ask()

    def _take_stock(self) -> None:
        if not self._tab.is_open:
            self._forget()
            self._stock.answered()
            return
        waiting = {each.subject: each for each in self._reader.waiting(self._scope)}
        for file in self._files:
            same = waiting.get(file.subject)
            if same is not None and (file.state is not PageFileState.DECIDED or file is self._taken_back):
                file.change = waiting.pop(file.subject).change
            elif same is None and (file.review is None or file.review.state in WORDS):
                self._settle(file)
        self._files += waiting.values()
        is_over = all(file.state is PageFileState.DECIDED for file in self._files) and self._taken_back is None
        if is_over and not self.has_drafts():
            self.leave()
            say(self._window, ALL_DONE)
            self._stock.answered()
            return
        self._show()
        self._read([file for file in self._files if _is_unread(file)])

    def _settle(self, file: PageFile) -> None:
        """Nothing of a file waits any more. Of a change that is being decided, the decision will tell."""
        if file.review is not None:
            file.words = [WORDS[file.review.state]]
        if file.review is not None or file.state is PageFileState.WAITS:
            file.go(PageFileState.DECIDED)

    def _read(self, files: Sequence[PageFile]) -> None:
        if files:
            length = sum(len(part.text) for part in self._tab.layout.parts)
            self._reader.read(files, length, partial(self._has_read, files))
        else:
            self._is_new = False
            self._stock.answered()

    def _has_read(self, files: Sequence[PageFile], answers: Sequence[FileAnswer]) -> None:
        for file, body, _ in answers:
            self._take(file, body)
        if self._tab.is_open:
            self._show()
        self._read(files[len(answers) :] if self._tab.is_open else ())

    def _take(self, file: PageFile, body: Body) -> None:
        """Take over what was read of a file. What the user has not seen yet is not decided for a moment."""
        former, file.body = file.body, body
        if former is not None and former.shows_same(body):
            file.body = former
        elif former is None:
            is_unseen = not self._is_new
        else:
            is_unseen = body.analysis is None or bool(Counter(body.changed_texts) - Counter(former.changed_texts))
        if file.body is body and is_unseen:
            self._reviews.open_reviews.input_guard.came(file)

    # -- showing ------------------------------------------------------------------------------------------------------

    def _show(self) -> None:
        self._tab.show(self._wanted(), MarkStyle.of(self._settings()), self._shown)

    def _wanted(self) -> Iterator[Tuple[Optional[PageFile], Iterator[Part]]]:
        files = list(self._files)
        left = sum(file.state is not PageFileState.DECIDED for file in files)
        helping = _help() if self._helps else ()
        last_turn = self._scope is ChangeScope.LAST_TURN
        yield None, self._parts_of(None, (left, last_turn, helping), lambda: introduction(left, last_turn, helping))
        for number, file in enumerate(files, 1):
            remarks = tuple(self.remarks(file.path))
            key = (number, len(files), file.state, tuple(file.words), file.label, id(file.body), file.change, remarks)
            yield file, self._parts_of(file, key, partial(rows_of, file, number, len(files), remarks))

    def _parts_of(
        self, file: Optional[PageFile], key: Tuple[object, ...], make: Callable[[], Iterator]
    ) -> Iterator[Part]:
        """The parts of a file, made again only if something of it is other than it was."""
        known = self._parts.get(file)
        if known is not None and known[0] == key:
            yield from known[1]
            return
        made = []
        for part in parts_of(file, make()):
            made.append(part)
            yield part
        self._parts[file] = key, made

    def _shown(self) -> None:
        """What was read is in the view: go to where the caret is to be, once that is there."""
        placed = self._placed(self._goal) if self._goal is not None else None
        if placed is not None:
            self._goal = None
            self._tab.go_to(placed)

    def _placed(self, goal: str) -> Optional[PlacedRow]:
        """The first change, or that of a file; the header of a file whose text is not shown."""
        layout = self._tab.layout
        if not goal:
            return layout.next_change(0)
        file = next((each for each in self._files if each.path == goal and each.body is not None), None)
        head = next(layout.rows_of(file), None) if file is not None else None
        change = layout.next_change(layout.point(head)) if head is not None else None
        return change if change is not None and change.file is file else head

    def _caret_lost(self, was: PlacedRow, now: Optional[PlacedRow]) -> None:
        """The caret is on another change, because its own has gone. Unless the user has decided that, the next key may
        have been meant for it."""
        is_decided = was.file is not None and (was.file, was.changed_text) in self._decided
        if not (is_decided or self._is_new) and now is not None and now.file is not None:
            self._reviews.open_reviews.input_guard.came(now.file)

    # -- where the carets are -----------------------------------------------------------------------------------------

    def _selected(self) -> Iterator[List[PlacedRow]]:
        """The rows that each selection touches."""
        for region in self._tab.selections():
            yield list(self._tab.layout.between(region.begin(), region.end()))

    def places(self) -> List[CommentPlace]:
        """The lines that are selected on the page, for each selection; none of those that touch no line of a file. Of
        lines that were removed only if there are no others among them."""
        found = []
        for rows in self._selected() if self._tab.has_focus else ():
            lines = [each for each in rows if each.row.kind is RowKind.LINE]
            new = [each for each in lines if each.row.side is TextSide.NEW] or lines
            new = [each for each in new if each.file is new[0].file]
            if new and new[0].file is not None:
                numbers = [each.row.row + 1 for each in new]
                text = "\n".join(each.row.text[1:] for each in new)
                found.append(CommentPlace(new[0].file.path, new[0].row.side, min(numbers), max(numbers), text))
        return found

    def _files_selected(self) -> Dict[PageFile, Optional[Body]]:
        """The files that the selections touch, with what is shown of them."""
        return {each.file: each.body for rows in self._selected() for each in rows if each.file is not None}

    def _hunks_selected(self) -> Dict[PageFile, Tuple[Body, List[int]]]:
        """The changes that the selections touch, by their files; where there are none, those that are beside them."""
        found: Dict[PageFile, Tuple[Body, List[int]]] = {}
        for rows in self._selected():
            if rows and rows[-1].row.kind is RowKind.HUNK:
                rows = [*rows, *self._below(rows[-1])]
            for each in [row for row in rows if row.row.changed] or rows:
                if each.file is not None and each.body is not None and each.row.hunk >= 0:
                    hunks = found.setdefault(each.file, (each.body, []))[1]
                    hunks += [] if each.row.hunk in hunks else [each.row.hunk]
        return found

    def _below(self, header: PlacedRow) -> Iterator[PlacedRow]:
        """The rows below the header of some lines."""
        layout = self._tab.layout
        rows = layout.rows(layout.point(header))
        next(rows)
        for each in rows:
            if each.row.kind in (RowKind.HUNK, RowKind.BLANK, RowKind.FILE):
                return
            yield each

    # -- what keys do -------------------------------------------------------------------------------------------------

    def act(self, act: str) -> None:
        """Do what a key of the page stands for, if that is known."""
        if self._tab.is_open and act in self._acts:
            self._acts[act]()

    def _walk(self, forward: bool) -> None:
        layout, caret = self._tab.layout, self._tab.caret
        end = layout.start(len(layout.parts))
        if forward:
            placed = layout.next_change(caret) or layout.next_change(0)
        else:
            placed = layout.previous_change(caret) or layout.previous_change(end)
        self._go(placed)

    def _walk_files(self, forward: bool) -> None:
        layout = self._tab.layout
        around = 0 if forward else layout.start(len(layout.parts))
        self._go(layout.next_file(self._tab.caret, forward) or layout.next_file(around, forward))

    def _go(self, placed: Optional[PlacedRow]) -> None:
        if placed is None:
            say(self._window, NONE)
        else:
            self._goes_to_first = False
            self._tab.go_to(placed)

    def _open_review(self) -> None:
        placed = self._tab.layout.at(self._tab.caret)
        if placed is None or placed.file is None or placed.file.state is PageFileState.DECIDED:
            say(self._window, NO_FILE)
            return
        file, row = placed.file, self._row_of(placed)
        if file.change is not None:
            self._changes.list_since(self._scope)
            self._changes.show(file.change, row)
        elif file.review is not None:
            self._reviews.open_reviews.show_at(file.review, row)

    @staticmethod
    def _row_of(placed: PlacedRow) -> int:
        """The row of the new text that a row is about: for an equal line that of the change beside it."""
        row, analysis = placed.row, placed.body.analysis if placed.body is not None else None
        if row.changed and row.side is TextSide.NEW:
            return row.row
        return analysis.changes[row.hunk].hunk.right_start if analysis is not None and row.hunk >= 0 else 0

    def _open_file(self) -> None:
        placed = self._tab.layout.at(self._tab.caret)
        if placed is None or placed.file is None:
            say(self._window, NO_FILE)
            return
        line = placed.row.row if placed.row.kind is RowKind.LINE and not placed.row.changed else self._row_of(placed)
        self._window.open_file(f"{placed.file.path}:{line + 1}", sublime.ENCODED_POSITION)

    def _toggle_help(self) -> None:
        self._helps = not self._helps
        self._show()

    # -- decisions ----------------------------------------------------------------------------------------------------

    def _decide_hunks(self, keep: bool) -> None:
        selected = self._hunks_selected()
        if not selected:
            say(self._window, NONE_AT_CURSOR)
        for file, (body, numbers) in selected.items():
            changes = body.analysis.changes if body.analysis is not None else []
            self._decide(file, body, keep, [changes[number].hunk for number in numbers], numbers)

    def _decide_files(self, keep: bool) -> None:
        selected = self._files_selected()
        if not selected:
            say(self._window, NO_FILE)
        for file, body in selected.items():
            self._decide(file, body, keep)

    def _decide(
        self,
        file: PageFile,
        body: Optional[Body],
        keep: bool,
        hunks: Sequence[Hunk] = (),
        numbers: Sequence[int] = (),
    ) -> None:
        """Decide a file, or these hunks of it, as it is shown, or say why not."""
        label = shown(file.label)
        if file.state is not PageFileState.WAITS:
            return
        problem = STILL_READ.format(label) if body is None else ""
        if body is not None:
            if self._reviews.open_reviews.input_guard.pressed(file):
                problem = JUST_SHOWN.format(label)
            elif file.review is not None:
                problem = self._decide_proposal(file, file.review, body, keep, hunks)
            else:
                problem = self._decide_change(file, body, keep, hunks)
        if problem:
            say(self._window, problem)
        elif body is not None:
            texts = [body.changed_texts[number] for number in numbers] if hunks else body.changed_texts
            self._decided.update((file, text) for text in texts)

    def _decide_change(self, file: PageFile, body: Body, keep: bool, hunks: Sequence[Hunk]) -> str:
        """Decide a change that the file holds already. Why not, as a sentence."""
        if body.change is None:
            return ""
        problem = whole_only(body.change, body.pair) if hunks else ""
        if not problem:
            file.go(PageFileState.DECIDING)
            decision = _PageDecision(file, body.change, keep)
            self._decisions.decide(body.change, body.pair, keep, hunks, partial(self._has_decided, decision))
        return problem

    def _has_decided(self, decision: _PageDecision, refused: Sequence[Refusal]) -> None:
        file = decision.file
        file.go(PageFileState.WAITS)
        for refusal in refused:
            say(self._window, refusal.sentence)
        if not refused:
            file.words.append("kept" if decision.kept else "undone")
            self._last = decision
        self.follow()

    def _take_back(self) -> None:
        """Take back the last decision about a change."""
        last, self._last = self._last, None
        if last is None:
            say(self._window, NOTHING_TO_TAKE_BACK)
        else:
            self._taken_back = last.file
            self._decisions.take_back(last.change, last.kept, partial(self._has_taken_back, last.file))

    def _has_taken_back(self, file: PageFile, refused: Sequence[Refusal]) -> None:
        for refusal in refused:
            say(self._window, refusal.sentence)
        self._taken_back = None
        if not refused:
            file.words.pop()
            file.go(PageFileState.WAITS)
        self.follow()

    def _decide_proposal(self, file: PageFile, review: Review, body: Body, keep: bool, hunks: Sequence[Hunk]) -> str:
        """Accept or reject a proposal, or take hunks back in it. Why not, as a sentence."""
        opened = self._reviews.open_reviews
        original, label = opened.original_of(review), shown(file.label)
        if hunks and keep:
            return NO_ACCEPT_OF_HUNKS
        if hunks and not review.words.reject_hunk:
            return ONLY_AS_A_WHOLE
        is_another = original is not None and original.text != body.pair.left.text
        if is_another or self._reader.text_of(review) != body.proposed:
            self._reviews.open_reviews.input_guard.came(file)
            self.follow()
            return ANOTHER.format(label)
        if hunks:
            review.source.reject_hunks(review, hunks)
            self.follow()
            return NOT_COMPARED.format(label) if self._reader.text_of(review) == body.proposed else ""
        (self._reviews.commands.accept if keep else self._reviews.commands.reject)(review)
        return ""


def _is_unread(file: PageFile) -> bool:
    """Whether a file may hold something else than what was read of it. Nobody tells of edits of proposals."""
    if file.state is PageFileState.DECIDED:
        return False
    return file.review is not None or file.body is None or file.body.change != file.change


def _help() -> Tuple[str, ...]:
    """The keys of the page, as text."""
    primary = "Cmd" if sublime.platform() == "osx" else "Ctrl"
    rows = [
        ("n, F8", "next change", "p, Shift+F8", "previous change"),
        ("N", "next file", "P", "previous file"),
        ("k", "keep hunk", "u", "undo hunk, or revert it in a proposal"),
        (f"K, {primary}+S", "keep or accept file", "U, Shift+Escape", "undo or reject file"),
        ("Enter", "open the review here", "e", "open the file here"),
        (f"{primary}+Z", "take back the last decision", "", ""),
        ("c", "comment on the line", f"{primary}+Enter", "send the review"),
        ("?", "hide the keys", "q", "close"),
    ]
    return tuple(f"  {a:<11} {b:<28} {c:<16} {d}".rstrip() for a, b, c, d in rows)


def remarks_of(comments: Sequence[Comment]) -> List[Remark]:
    """Comments as they stand below their last lines."""
    texts = ((each, [shown(line, "\t") for line in each.text.split("\n")]) for each in comments)
    return [Remark(each.side, each.last, (f"{caption(each)}: {first}", *more)) for each, (first, *more) in texts]
