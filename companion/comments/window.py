"""The comments of one window: what its commands do with them, and what is sent.

Rule: nothing is sent, and nothing deleted, but by the user. What the user undoes or edits is noted until the agent
begins another turn. Main thread, except where noted.
"""

from __future__ import annotations

import os
from functools import partial
from typing import Callable, Dict, FrozenSet, List, Optional, Sequence, Tuple

import sublime

from ..common.clock import clock
from ..common.display_names import file_name
from ..comparison import Hunk
from ..context.model import Excluded, exclusion
from ..editor.edits import some_selections
from ..editor.scope import Scope
from ..editor.status_bar import say
from ..review.decision import Review
from ..review.reviews import Reviews
from ..terminals.command_lines import selected_lines
from ..unreviewed.model import UnreviewedChange
from .book import CommentBook
from .display import EDIT
from .model import (
    Comment,
    CommentPlace,
    CommentState,
    NoteKind,
    TextSide,
    after_turn,
    go,
    is_draft,
    numbers,
    quotable,
    rewritten,
    typed,
    written,
)
from .sending import Deliver, SentReviews
from .text import compose, place_text
from .views import CommentViews

NO_PLACE = "there is no line of a file to comment on here"
NO_FOLDER = "comments belong to files in a folder: open one first"
EXCLUDED = "“context_exclude” keeps this file from agents, and a comment would quote its line"
NOTHING = "there is nothing to send: no comment was written, and nothing undone, since the last review"


class WindowComments:
    """Those of one window."""

    def __init__(
        self,
        scope: Scope,
        book: CommentBook,
        reviews: Callable[[], Reviews],
        folders: Callable[[], Sequence[str]],
        deliver: Deliver,
        take_back: Callable[[], None],
    ) -> None:
        """`folders` are those of the window. `deliver` brings a text to an agent; `take_back` takes back all that waits
        to arrive, of which it tells as of every other end."""
        self._scope = scope
        self._window, self._runtime, self._settings = scope
        self._book = book
        self._reviews = reviews
        self._folders = folders
        self._take_back = take_back
        self._sent = SentReviews(self._window, self._runtime, book, deliver)
        self.views = CommentViews(scope, book, reviews, folders, self._follow_link)
        self._last_undone: FrozenSet[int] = frozenset()
        self._unfinished: Dict[Tuple[object, ...], str] = {}  # what was typed in panels that were closed, by places
        self.places: Callable[[], Sequence[CommentPlace]] = tuple
        """What is selected in a page of the window that has the focus."""

    # -- which there are ----------------------------------------------------------------------------------------------

    def _in_state(self, state: CommentState) -> Dict[str, List[Comment]]:
        """Those of the window, by their folders."""
        found = {each: [one for one in self._book.of(each) if one.state is state] for each in self._folders()}
        names = {tuple(comments): folder for folder, comments in found.items()}  # a folder may have two
        return {folder: list(comments) for comments, folder in names.items() if comments}

    @property
    def written(self) -> bool:
        """Whether the user has written a comment that is a draft."""
        return any(each.is_comment for drafts in self._in_state(CommentState.DRAFT).values() for each in drafts)

    @property
    def drafts(self) -> bool:
        """Whether something can be sent."""
        return bool(self._in_state(CommentState.DRAFT))

    @property
    def waiting(self) -> bool:
        """Whether a review is on its way, and nothing new can be sent."""
        return not self.drafts and bool(self._in_state(CommentState.WAITING))

    # -- writing them -------------------------------------------------------------------------------------------------

    @property
    def place(self) -> Optional[CommentPlace]:
        """What is selected in the page, the review or the file that has the focus."""
        view = self._window.active_view()
        chosen = next(iter(self.places()), None)
        text = self.views.text_of(view) if view is not None and chosen is None else None
        if view is None or text is None:
            return chosen
        region = next(iter(some_selections(view)), sublime.Region(0))
        first, last = selected_lines(view.rowcol(region.begin())[0], *view.rowcol(region.end()))
        span = sublime.Region(view.text_point(first - 1, 0), view.line(view.text_point(last - 1, 0)).end())
        return CommentPlace(text.path, text.side, first, last, view.substr(span))

    @property
    def in_review(self) -> bool:
        """Whether what has the focus is a review or a page."""
        view = self._window.active_view()
        return bool(self.places()) or (view is not None and self._reviews().of_view(view) is not None)

    def comment(self) -> None:
        """Ask the user for a comment on what is selected; a draft that begins there is edited."""
        place = self.place
        found = self._book.find(place.path, self._folders()) if place is not None else None
        if place is None or found is None:
            say(self._window, NO_PLACE if place is None else NO_FOLDER)
            return
        if exclusion(self._settings().context_exclude)(place.path):
            say(self._window, EXCLUDED)
            return
        on_side = self._book.of_file(place.path, self._folders(), place.side)
        draft = next((each for each in on_side if each.first == place.first and is_draft(each)), None)
        if draft is not None:
            self._ask(found.folder, draft, typed(draft))
        else:
            self._ask(found.folder, written(place, found.path, ""), "")

    def _ask(self, folder: str, comment: Comment, text: str) -> None:
        """Let the user edit a text; what was typed before the panel was closed is there again."""
        name, key = file_name(place_text(comment)), (folder, comment.path, comment.side, comment.first)

        def typing(said: str) -> None:
            if said != text:
                self._unfinished[key] = said

        def done(said: str) -> None:
            self._unfinished.pop(key, None)
            self._typed(folder, comment, said)
            path, excluded = os.path.join(folder, comment.path), exclusion(self._settings().context_exclude)
            self._runtime.use_disk(_real_path, path, then=partial(check, said, excluded))

        def check(said: str, excluded: Excluded, real: str) -> None:
            """The file may be a link to one that is kept from agents."""
            if said.strip() and excluded(real):
                self._drop(folder, lambda each: (folder, each.path, each.side, each.first) == key and each.is_comment)
                self._unfinished[key] = said
                say(self._window, EXCLUDED)

        held = self._unfinished.get(key, text)
        self._window.show_input_panel(f"Comment on {name} (?? asks a question):", held, done, typing, None)

    def _typed(self, folder: str, comment: Comment, text: str) -> None:
        """Take over what was typed; with nothing, the draft goes. One that was sent meanwhile stays as it was, and what
        was typed is another one."""
        every, new = self._book.of(folder), rewritten(comment, text)
        draft = next((each for each in every if each.number == comment.number and is_draft(each)), None)
        if draft is not None:
            kept = [draft._replace(text=new.text, kind=new.kind)] if new.text else []
            self._book.change(folder, [one for each in every for one in (kept if each is draft else [each])])
        elif new.text:
            self._book.change(folder, [*every, new._replace(number=next(numbers))])

    def _follow_link(self, verb: str, number: int) -> None:
        """A link of a drawn comment was clicked."""
        for folder in self._folders():
            for each in self._book.of(folder):
                if each.number == number and is_draft(each):
                    if verb == EDIT:
                        self._ask(folder, each, typed(each))
                    else:
                        self._typed(folder, each, "")
                    return
        say(self._window, "that comment is no draft any more")

    # -- sending them -------------------------------------------------------------------------------------------------

    def send(self) -> None:
        """Send the drafts of the window; where all that there is waits already, take it back."""
        if self.waiting:
            self._take_back()
            return
        drafts = self._in_state(CommentState.DRAFT)
        if not drafts:
            say(self._window, NOTHING)
        for folder, comments in drafts.items():
            self._sent.send(folder, self._readable(folder, comments), self._names_whole_paths)

    @property
    def _names_whole_paths(self) -> bool:
        """Whether a path in one folder of the window could be taken for that of another."""
        return len(self._folders()) > 1

    def _readable(self, folder: str, comments: Sequence[Comment]) -> List[Comment]:
        """The comments as agents read them: no line of a file that is kept from them."""
        excluded, found = exclusion(self._settings().context_exclude), []
        for each in comments:
            path = os.path.join(folder, each.path)
            each = each._replace(line="") if excluded(path) else each
            found.append(each._replace(path=path) if self._names_whole_paths else each)
        return found

    def reason(self, review: Review, said: str = "") -> str:
        """Why the user rejects a review: what they have `said`, and the comments on its file, which are sent with
        that. "" if there is nothing to say."""
        found = self._book.find(review.path, self._folders())
        drafts = list(filter(is_draft, self._book.of_file(review.path, self._folders())))
        if found is None or not drafts:
            return said
        chosen = [each.number for each in drafts]
        sent = go(self._book.of(found.folder), chosen, CommentState.SENT, clock.date())
        # The lines that they are about go with the proposal.
        self._book.change(
            found.folder, [each._replace(recent=each.recent and each.number not in chosen) for each in sent]
        )
        readable = self._readable(found.folder, drafts)
        return compose(readable, opening=f"{said}\n\n" if said else "").text.rstrip()

    def turn_begins(self) -> None:
        """The agent begins another turn. Any thread."""
        self._runtime.on_main(self._turn_begins)

    def _turn_begins(self) -> None:
        self._sent.turn_begins()
        for folder in self._folders():
            self._drop(folder, lambda each: not each.is_comment)
            self._book.change(folder, after_turn(self._book.of(folder), clock.date()))

    # -- what was undone ----------------------------------------------------------------------------------------------

    def undone(self, changes: Sequence[UnreviewedChange], hunks: Sequence[Hunk], lines: Sequence[str]) -> None:
        """The user has undone these changes; with `hunks`, only these of the one change, which had these `lines`."""
        notes: Dict[str, List[Comment]] = {}
        for change in changes:
            found = self._book.find(change.full_path, self._folders())
            if found is not None:
                theirs = [_undone(found.path, hunk, lines) for hunk in hunks] or [_note(found.path, NoteKind.UNDONE)]
                notes.setdefault(found.folder, []).extend(theirs)
        self._last_undone = frozenset(each.number for some in notes.values() for each in some)
        for folder, some in notes.items():
            self._book.change(folder, [*self._book.of(folder), *some])

    def edited(self, path: str) -> None:
        """The user has edited what an agent had left in a file, and saved it."""
        found = self._book.find(path, self._folders())
        if found is not None:
            note, others = _note(found.path, NoteKind.EDITED), self._book.of(found.folder)
            is_known = any((each.path, each.kind, each.state) == (note.path, note.kind, note.state) for each in others)
            if not (is_known or os.path.isabs(found.path)):
                self._book.change(found.folder, [*others, note])

    def restored(self) -> None:
        """What was undone last has been brought back."""
        for folder in self._folders():
            self._drop(folder, lambda each: each.number in self._last_undone)
        self._last_undone = frozenset()

    def _drop(self, folder: str, wanted: Callable[[Comment], bool]) -> None:
        """Drop the drafts that are `wanted`."""
        self._book.change(folder, [each for each in self._book.of(folder) if not (is_draft(each) and wanted(each))])

    # -- life ---------------------------------------------------------------------------------------------------------

    def folders_changed(self) -> None:
        """The window may have other folders."""
        for folder in self._folders():
            self._book.open(folder)

    def stop(self) -> None:
        """The window, or the package, has gone."""
        self._sent.stop()
        self.views.stop()

    def exit(self) -> None:
        """The editor has ended. Any thread."""
        self._sent.exit()


def _undone(path: str, hunk: Hunk, lines: Sequence[str]) -> Comment:
    """The note of one hunk that was undone; `lines` are those of the text that had it."""
    row = hunk.right_start
    line = lines[row] if row < min(hunk.right_end, len(lines)) else ""
    note = _note(path, NoteKind.UNDONE)
    return note._replace(first=row + 1, last=max(row + 1, hunk.right_end), line=quotable(line))


def _note(path: str, kind: NoteKind) -> Comment:
    """A note of what the user has done with a whole file."""
    return Comment(path, TextSide.NEW, 0, 0, "", "", kind, number=next(numbers))


def _real_path(path: str, cancelled: object) -> str:
    """Disk thread."""
    return os.path.realpath(path)
