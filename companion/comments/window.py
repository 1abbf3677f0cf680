"""The comments of one window: its commands, its views, and what the editor's events mean for them.

Theory of operation: the comments of a folder are the same in all windows (`book`). Whenever they change, or a view that
may show some was edited, the views are looked at, a moment later: the comments follow their lines, and what is drawn
follows the comments.

Rules: a keystroke asks the editor for nothing. While a proposal for a file waits, the file in its tab is the old text.
What the user undoes or edits is noted until the agent begins another turn. Main thread, except where noted.
"""

from __future__ import annotations

import os
from functools import partial
from typing import Callable, Dict, FrozenSet, List, Mapping, NamedTuple, Optional, Sequence, Set, Tuple

import sublime

from ..common.clock import clock
from ..common.display_names import file_name
from ..common.waiting import Debounce
from ..comparison import Hunk
from ..context.model import exclusion
from ..editor.edits import some_selections
from ..editor.file_views import is_in, is_open, is_same_file
from ..editor.scope import Scope
from ..editor.status_bar import say
from ..review.decision import Review
from ..review.display.presentation import Presentation
from ..review.reviews import Reviews
from ..system import files
from ..terminals.command_lines import selected_lines
from ..unreviewed.content import full_path
from ..unreviewed.model import UnreviewedChange
from .book import CommentBook
from .display import EDIT, CommentBlock, CommentDisplay, block, line_beside, room
from .model import (
    Comment,
    CommentPlace,
    CommentState,
    NoteKind,
    TextSide,
    followed,
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

_QUIET, _LONGEST = 200, 1000  # milliseconds after an edit
MOST_READ = 1 << 24  # bytes of a file that no tab shows
NO_PLACE = "there is no line of a file to comment on here"
NO_FOLDER = "comments belong to files in a folder: open one first"
EXCLUDED = "“context_exclude” keeps this file from agents, and a comment would quote its line"
NOTHING = "there is nothing to send: no comment was written, and nothing undone, since the last review"


class _Text(NamedTuple):
    """A text that is in a view. `presentation`: of the review that it belongs to."""

    view: sublime.View
    path: str
    side: TextSide
    presentation: Optional[Presentation] = None


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
        self._display = CommentDisplay(self._follow_link)
        self._marked: Dict[int, sublime.View] = {}  # by id: to be looked at
        self._anew: Set[int] = set()  # those of them whose text the user has not edited, but the editor has read
        self._all = False  # whether all views are to be looked at
        self._files: Dict[int, str] = {}  # the paths of views that have shown comments
        self._last_undone: FrozenSet[int] = frozenset()
        self._looks = Debounce(self._runtime.later_on_main, self._look, _QUIET, _LONGEST)
        self.places: Callable[[], Sequence[CommentPlace]] = tuple
        """What is selected in a page of the window that has the focus."""
        book.listen(self.changed)

    # -- which there are ----------------------------------------------------------------------------------------------

    def of_file(self, path: str, side: Optional[TextSide] = None) -> List[Comment]:
        """The comments on a file that have not been sent, in the order of its lines."""
        found = self._book.find(path, self._folders())
        theirs = self._book.of(found.folder) if found is not None else ()
        some = [each for each in theirs if found is not None and each.shown and each.path == found.path]
        return sorted((each for each in some if side in (None, each.side)), key=lambda each: (each.first, each.number))

    def _in_state(self, state: CommentState) -> Dict[str, List[Comment]]:
        """Those of the window, by their folders."""
        found = {each: [one for one in self._book.of(each) if one.state is state] for each in self._folders()}
        return {folder: comments for folder, comments in found.items() if comments}

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
        text = self._text_of(view) if view is not None and chosen is None else None
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
        here = [each for each in self.of_file(place.path, place.side) if each.first == place.first]
        draft = next(filter(is_draft, here), None)
        if draft is not None:
            self._ask(found.folder, draft, typed(draft))
        else:
            self._ask(found.folder, written(place, found.path, ""), "")

    def _ask(self, folder: str, comment: Comment, text: str) -> None:
        name = file_name(place_text(comment))
        self._window.show_input_panel(
            f"Comment on {name} (?? asks a question):", text, partial(self._typed, folder, comment), None, None
        )

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
            self._sent.send(folder, comments)

    def reason(self, review: Review, said: str = "") -> str:
        """Why the user rejects a review: what they have `said`, and the comments on its file, which are sent with
        that. "" if there is nothing to say."""
        found = self._book.find(review.path, self._folders())
        drafts = list(filter(is_draft, self.of_file(review.path)))
        if found is None or not drafts:
            return said
        chosen = [each.number for each in drafts]
        sent = go(self._book.of(found.folder), chosen, CommentState.SENT, clock.date())
        self._book.change(found.folder, sent)
        return compose(drafts, opening=f"{said}\n\n" if said else "").text.rstrip()

    def turn_begins(self) -> None:
        """The agent begins another turn. Any thread."""
        self._runtime.on_main(self._turn_begins)

    def _turn_begins(self) -> None:
        self._sent.turn_begins()
        for folder in self._folders():
            self._drop(folder, lambda each: not each.is_comment)

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

    # -- the views ----------------------------------------------------------------------------------------------------

    def view_modified(self, view: sublime.View) -> None:
        """A view was edited. Called for every keystroke."""
        if self._book.any:
            self._marked.setdefault(view.id(), view)
            self._looks.mark()

    def view_came(self, view: sublime.View) -> None:
        """A view has the focus, or has read its file: what was drawn before may have been carried anywhere."""
        if self._book.any:
            self._anew.add(view.id())
            self.view_modified(view)

    def view_gone(self, view: sublime.View) -> None:
        """A view was closed."""
        self._display.forget(view)
        self._files.pop(view.id(), None)

    def reviews_changed(self) -> None:
        """A review was opened, or has ended."""
        if self._book.any:
            self.changed()

    def changed(self) -> None:
        """Comments have changed, in whatever folder."""
        self._all = True
        self._looks.mark()

    def _look(self) -> None:
        marked, anew, everything = self._marked, self._anew, self._all
        self._marked, self._anew, self._all = {}, set(), False
        if not self._window.is_valid():
            return
        for view in self._window.views() if everything else list(marked.values()):
            # A clone shows what is drawn in the first of them.
            first = min([view, *view.clones()], key=lambda each: each.id()) if view.is_valid() else view
            text = self._text_of(first) if is_in(first, self._window) else None
            if text is not None:
                self._look_at(text, live=view.id() in marked and view.id() not in anew and not view.is_read_only())

    def _text_of(self, view: sublime.View) -> Optional[_Text]:
        """What a view shows: a text of a review, or a file."""
        reviews = self._reviews().of_view(view)
        review = reviews.open_reviews.review_of(view) if reviews is not None else None
        if reviews is not None and review is not None:
            is_new = reviews.open_reviews.is_proposal(review, view)
            side = TextSide.NEW if is_new else TextSide.OLD
            return _Text(view, review.path, side, reviews.shown.get(review))
        path = view.file_name()
        if path is None:
            return None
        proposed = any(is_same_file(path, each.path, each.same_files) for each in self._reviews().pending())
        return _Text(view, path, TextSide.OLD if proposed else TextSide.NEW)

    def _look_at(self, text: _Text, live: bool) -> None:
        """Let the comments of a text follow their lines, and draw them. `live`: the user's edits have carried them."""
        shown = text.presentation
        if shown is None:
            self._note_file(text)
            self._follow(text, live)
            self._display.show(text.view, [block(each, text.view) for each in self.of_file(text.path, text.side)])
        elif shown.settled and shown.analysis is not None:
            self._follow(text, live)
            self._draw_review(text.path, shown, shown.analysis.differing)

    def _draw_review(self, path: str, shown: Presentation, hunks: Sequence[Hunk]) -> None:
        views = {TextSide.OLD: shown.original_view, TextSide.NEW: shown.proposal_view}
        for view in views.values():
            blocks: List[CommentBlock] = []
            for each in self.of_file(path) if view is not None and is_open(view) else ():
                home = views[each.side]
                if view is None or home is view:
                    blocks += [block(each, view)] if view is not None else []
                elif home is None:
                    beside = line_beside(each.last, each.side, hunks)
                    blocks.append(block(each, view)._replace(below=beside, lines=()))
                else:
                    blocks.append(room(each, home, line_beside(each.last, each.side, hunks)))
            if view is not None and is_open(view):
                self._display.show(view, blocks)

    def _follow(self, text: _Text, live: bool) -> None:
        """Move the comments to where their lines are in the view."""
        if self.of_file(text.path, text.side):
            lines = text.view.substr(sublime.Region(0, text.view.size())).split("\n")
            self._follow_lines(text.path, text.side, self._display.lines_of(text.view) if live else {}, lines)

    def _follow_lines(
        self, path: str, side: TextSide, carried: Mapping[int, Tuple[int, int]], lines: Sequence[str]
    ) -> None:
        found = self._book.find(path, self._folders())
        theirs = {each.number: each for each in self.of_file(path, side)}
        if found is not None and theirs:
            every = self._book.of(found.folder)
            moved = [
                followed(each, lines, carried.get(each.number)) if each.number in theirs else each for each in every
            ]
            self._book.change(found.folder, moved)

    def files_changed(self, changes: Sequence[UnreviewedChange]) -> None:
        """These are the unreviewed changes now: comments go with a renamed file, and follow their lines."""
        every = (each for folder in self._folders() for each in self._book.of(folder) if each.shown)
        names = {_name_of(each.path) for each in every}
        for change in changes if names else ():
            if change.old_path and _name_of(change.old_path) in names:
                self.renamed(full_path(change.folder, change.old_path), change.full_path)
            if _name_of(change.path) in names:
                self._follow_on_disk(change.full_path)

    def _follow_on_disk(self, path: str) -> None:
        """Let the comments of a file follow what is on the disk, unless a tab shows it."""
        if self.of_file(path, TextSide.NEW) and self._window.find_open_file(path) is None:
            then = partial(self._follow_lines, path, TextSide.NEW, {})
            self._runtime.use_disk(_lines_of, path, then=then, failed=lambda error: None)

    # -- renamed files ------------------------------------------------------------------------------------------------

    def _note_file(self, text: _Text) -> None:
        """Note which file a view shows; where it was another one, which is gone, the file was renamed."""
        number, before = text.view.id(), self._files.get(text.view.id())
        if before is not None and before != text.path:
            self.renamed(before, text.path)
        if before is not None or self.of_file(text.path):
            self._files[number] = text.path

    def renamed(self, old: str, new: str) -> None:
        """A file may have another path: if there is none by the old one, its comments go with it."""
        if self.of_file(old):
            self._runtime.use_disk(_is_there, old, then=lambda there: None if there else self._move(old, new))

    def _move(self, old: str, new: str) -> None:
        before, after = (self._book.find(each, self._folders()) for each in (old, new))
        if before is not None and after is not None:
            theirs = [each for each in self._book.of(before.folder) if each.path == before.path]
            self._book.change(before.folder, [each for each in self._book.of(before.folder) if each not in theirs])
            moved = [each._replace(path=after.path) for each in theirs]
            self._book.change(after.folder, [*self._book.of(after.folder), *moved])

    # -- life ---------------------------------------------------------------------------------------------------------

    def folders_changed(self) -> None:
        """The window may have other folders."""
        for folder in self._folders():
            self._book.open(folder)

    def stop(self) -> None:
        """The window, or the package, has gone."""
        self._book.forget(self.changed)
        self._looks.cancel()
        self._sent.stop()
        if self._window.is_valid():
            self._display.clear(self._window.views())

    def exit(self) -> None:
        """The editor has ended. Any thread."""
        self._sent.exit()


def _name_of(path: str) -> str:
    return path.rpartition("/")[2]


def _lines_of(path: str, cancelled: object) -> Sequence[str]:
    """The lines of a file, as far as a comment can quote them. Raises OSError. Disk thread."""
    with files.opened(path, os.O_RDONLY) as (descriptor, _):
        return files.read_all(descriptor, MOST_READ).decode("utf-8", "replace").split("\n")


def _is_there(path: str, cancelled: object) -> bool:
    """Disk thread."""
    return os.path.lexists(path)


def _undone(path: str, hunk: Hunk, lines: Sequence[str]) -> Comment:
    """The note of one hunk that was undone; `lines` are those of the text that had it."""
    row = hunk.right_start
    line = lines[row] if row < min(hunk.right_end, len(lines)) else ""
    note = _note(path, NoteKind.UNDONE)
    return note._replace(first=row + 1, last=max(row + 1, hunk.right_end), line=quotable(line))


def _note(path: str, kind: NoteKind) -> Comment:
    """A note of what the user has done with a whole file."""
    return Comment(path, TextSide.NEW, 0, 0, "", "", kind, number=next(numbers))
