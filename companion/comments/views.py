"""The views of one window that may show comments: the comments follow their lines, and what is drawn follows them.

Theory of operation: whenever comments have changed, or a view that may show some was edited, the views are looked at, a
moment later. Where the user types, the editor has carried the place of a comment along; everywhere else its line is
looked for. What no tab shows is followed on the disk.

Rules: a keystroke asks the editor for nothing. While a proposal for a file waits, the file in its tab is the old text.
Main thread, except where noted.
"""

from __future__ import annotations

import os
from contextlib import suppress
from functools import partial
from typing import Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Set, Tuple

import sublime

from ..common.waiting import Debounce
from ..comparison import Hunk
from ..editor.file_views import is_in, is_open, is_same_file
from ..editor.scope import Scope
from ..review.display.presentation import Presentation
from ..review.reviews import Reviews
from ..system import files
from ..system.paths import is_below
from ..unreviewed.content import full_path
from ..unreviewed.model import UnreviewedChange
from .book import CommentBook
from .display import CommentBlock, CommentDisplay, block, line_beside, room
from .model import Comment, TextSide, followed

_QUIET, _LONGEST = 200, 1000  # milliseconds after an edit
MOST_READ = 1 << 24  # bytes of a file that no tab shows


class ViewText(NamedTuple):
    """A text that is in a view. `presentation`: of the review that it belongs to."""

    view: sublime.View
    path: str
    side: TextSide
    presentation: Optional[Presentation] = None


class CommentViews:
    """Those of one window."""

    def __init__(
        self,
        scope: Scope,
        book: CommentBook,
        reviews: Callable[[], Reviews],
        folders: Callable[[], Sequence[str]],
        on_link: Callable[[str, int], None],
    ) -> None:
        """`folders` are those of the window. `on_link` gets what a clicked link is for, and the comment's number."""
        self._window, self._runtime, _ = scope
        self._book = book
        self._reviews = reviews
        self._folders = folders
        self._display = CommentDisplay(on_link)
        self._marked: Dict[int, sublime.View] = {}  # by id: to be looked at
        self._anew: Set[int] = set()  # those of them whose text the user has not edited, but the editor has read
        self._all = False  # whether all views are to be looked at
        self._files: Dict[int, str] = {}  # the paths of views that have shown comments
        self._renaming: Dict[str, Tuple[int, ...]] = {}  # what the user types other names for, and which files they are
        self._looks = Debounce(self._runtime.later_on_main, self._look, _QUIET, _LONGEST)
        book.listen(self.changed)

    def stop(self) -> None:
        """Show no comments any more."""
        self._book.forget(self.changed)
        self._looks.cancel()
        if self._window.is_valid():
            self._display.clear(self._window.views())

    def _of_file(self, path: str, side: Optional[TextSide] = None) -> List[Comment]:
        return self._book.of_file(path, self._folders(), side)

    def modified(self, view: sublime.View) -> None:
        """A view was edited. Called for every keystroke."""
        if self._book.any:
            self._marked.setdefault(view.id(), view)
            self._looks.mark()

    def came(self, view: sublime.View) -> None:
        """A view has the focus, or has read its file: what was drawn before may have been carried anywhere."""
        if self._book.any:
            self._anew.add(view.id())
            self.modified(view)
        if self._renaming:
            self._runtime.use_disk(_new_names, dict(self._renaming), then=self._have_new_names)

    def gone(self, view: sublime.View) -> None:
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
            text = self.text_of(first) if is_in(first, self._window) else None
            if text is not None:
                self._look_at(text, live=view.id() in marked and view.id() not in anew and not view.is_read_only())

    def text_of(self, view: sublime.View) -> Optional[ViewText]:
        """What a view shows: a text of a review, or a file."""
        reviews = self._reviews().of_view(view)
        review = reviews.open_reviews.review_of(view) if reviews is not None else None
        if reviews is not None and review is not None:
            is_new = reviews.open_reviews.is_proposal(review, view)
            side = TextSide.NEW if is_new else TextSide.OLD
            return ViewText(view, review.path, side, reviews.shown.get(review))
        path = view.file_name()
        if path is None:
            return None
        proposed = any(is_same_file(path, each.path, each.same_files) for each in self._reviews().pending())
        return ViewText(view, path, TextSide.OLD if proposed else TextSide.NEW)

    def _look_at(self, text: ViewText, live: bool) -> None:
        """Let the comments of a text follow their lines, and draw them. `live`: the user's edits have carried them."""
        shown = text.presentation
        if shown is None:
            self._note_file(text)
            self._follow(text, live)
            self._display.show(text.view, [block(each, text.view) for each in self._of_file(text.path, text.side)])
        elif shown.settled and shown.analysis is not None:
            self._follow(text, live)
            self._draw_review(text.path, shown, shown.analysis.differing)

    def _draw_review(self, path: str, shown: Presentation, hunks: Sequence[Hunk]) -> None:
        views = {TextSide.OLD: shown.original_view, TextSide.NEW: shown.proposal_view}
        for view in views.values():
            blocks: List[CommentBlock] = []
            for each in self._of_file(path) if view is not None and is_open(view) else ():
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

    def _follow(self, text: ViewText, live: bool) -> None:
        """Move the comments to where their lines are in the view."""
        if self._of_file(text.path, text.side):
            lines = text.view.substr(sublime.Region(0, text.view.size())).split("\n")
            self._follow_lines(text.path, text.side, self._display.lines_of(text.view) if live else {}, lines)

    def _follow_lines(
        self, path: str, side: TextSide, carried: Mapping[int, Tuple[int, int]], lines: Sequence[str]
    ) -> None:
        found = self._book.find(path, self._folders())
        theirs = {each.number: each for each in self._of_file(path, side)}
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
        if self._of_file(path, TextSide.NEW) and self._window.find_open_file(path) is None:
            then = partial(self._follow_lines, path, TextSide.NEW, {})
            self._runtime.use_disk(_lines_of, path, then=then, failed=lambda error: None)

    # -- renamed files ------------------------------------------------------------------------------------------------

    def _note_file(self, text: ViewText) -> None:
        """Note which file a view shows; where it was another one, which is gone, the file was renamed."""
        number, before = text.view.id(), self._files.get(text.view.id())
        if before is not None and before != text.path:
            self.renamed(before, text.path)
        if before is not None or self._of_file(text.path):
            self._files[number] = text.path

    def renaming(self, paths: object) -> None:
        """The user is about to type other names for these files or folders, in the side bar."""
        if self._book.any and isinstance(paths, list):
            named = [path for path in paths if isinstance(path, str)]
            self._runtime.use_disk(_which_files, named, then=self._renaming.update)

    def _have_new_names(self, found: Mapping[str, str]) -> None:
        for old, new in found.items():
            place = self._book.find(old, self._folders()) if self._renaming.pop(old, None) else None
            every = self._book.of(place.folder) if place is not None else ()
            names = {each.path for each in every if place is not None and is_below(place.path, each.path)}
            for rest in {name[len(place.path) :] for name in names} if place is not None else ():
                self._move(old + rest, new + rest)

    def renamed(self, old: str, new: str) -> None:
        """A file may have another path: if there is none by the old one, its comments go with it."""
        if self._of_file(old):
            self._runtime.use_disk(_is_there, old, then=lambda there: None if there else self._move(old, new))

    def _move(self, old: str, new: str) -> None:
        before, after = (self._book.find(each, self._folders()) for each in (old, new))
        if before is not None and after is not None:
            theirs = [each for each in self._book.of(before.folder) if each.path == before.path]
            self._book.change(before.folder, [each for each in self._book.of(before.folder) if each not in theirs])
            moved = [each._replace(path=after.path) for each in theirs]
            self._book.change(after.folder, [*self._book.of(after.folder), *moved])


def _name_of(path: str) -> str:
    return path.rpartition("/")[2]


def _lines_of(path: str, cancelled: object) -> Sequence[str]:
    """The lines of a file, as far as a comment can quote them. Raises OSError. Disk thread."""
    with files.opened(path, os.O_RDONLY) as (descriptor, _):
        return files.read_all(descriptor, MOST_READ).decode("utf-8", "replace").split("\n")


def _which_files(paths: Sequence[str], cancelled: object) -> Dict[str, Tuple[int, ...]]:
    """Which files or folders these are, whatever their names. Disk thread."""
    found: Dict[str, Tuple[int, ...]] = {}
    for path in paths:
        with suppress(OSError):
            found[path] = _which_file(path)
    return found


def _which_file(path: str) -> Tuple[int, ...]:
    """Its number alone may be given to another file once it has gone."""
    stamp = files.Stamp.of(os.lstat(path))
    return (*stamp.file, stamp.modified)


def _new_names(former: Mapping[str, Tuple[int, ...]], cancelled: object) -> Dict[str, str]:
    """The other names, in the same folders, of those that have gone. Disk thread."""
    found: Dict[str, str] = {}
    for old, which in former.items():
        with suppress(OSError):
            names = [] if os.path.lexists(old) else os.listdir(os.path.dirname(old))
            others = [os.path.join(os.path.dirname(old), name) for name in names]
            found.update((old, new) for new in others if _which_file(new) == which)
    return found


def _is_there(path: str, cancelled: object) -> bool:
    """Disk thread."""
    return os.path.lexists(path)
