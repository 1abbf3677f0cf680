"""*Read as Patch*: what is to be reviewed as one plain unified diff, for users who read by ear or want all at a glance.

Theory of operation: the texts are read and compared on a disk thread, and come into a scratch view that nobody edits.
What a line of it leads to is told by the text alone, so it is the same after a restart, in a clone and in another
window; what is not to be reviewed any more is said then.

Rule: of what is no text, too long, or kept from programs by `context_exclude`, the name is shown and nothing else.
Main thread, except where noted.
"""

from __future__ import annotations

import os
from functools import partial
from typing import Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

import sublime

from ..agents.window import RESTORES_ALL, Restored
from ..common.display_names import shown
from ..comparison import compare_lines, split_lines
from ..comparison.unified import NO_FILE, hunk_starts, place_at, unified
from ..context.model import Excluded, exclusion
from ..editor import marks
from ..editor.edits import first_caret, move_caret, text_steps
from ..editor.file_views import is_open
from ..editor.status_bar import say
from ..review.decision import Review
from ..review.display.panes import fallback_encoding, file_request
from ..review.document import disk
from ..review.document.disk import Kind, Original, original_of
from ..review.document.preparation import FileRequest, changes_of_file
from ..review.document.preparation import read as read_file
from ..review.document.text import ProposedText
from ..review.manager import ReviewManager
from ..settings import Settings
from .content import portions
from .model import ChangeKind, UnreviewedChange
from .reviewing import ChangeReviews
from .texts import TextPair, about, caveats, file_count, text_pair
from .tracking import Tracking
from .workspace import Workspace

WorkspaceOf = Callable[[str], Optional[Workspace]]

TITLE = "Changes as Patch"
FILE_NAME = "changes.diff"  # of which it has the syntax
MOST_CHARACTERS = 4000000  # in the view

NO_TEXT = "no text"
WITHHELD = "not shown here, because “context_exclude” names it"
TOO_LONG = "too long to be shown here"
NO_ROOM = "not shown here, because the patch is long enough"
NO_CHANGE = "the texts are the same"


class PatchItem(NamedTuple):
    """A file that is to be reviewed: the proposal of `review`, or `change`. `label` is what the patch calls it."""

    label: str
    path: str
    review: Optional[Review] = None
    change: Optional[UnreviewedChange] = None


class _Question(NamedTuple):
    """What the main thread knows of a proposal; its file is still to be read where there is no `original`."""

    text: str
    restored: Restored
    original: Optional[Original]
    request: FileRequest


class _Reading(NamedTuple):
    """How texts are read and judged."""

    fallback_encoding: str
    excluded: Excluded


class Patches:
    """Those of one window."""

    def __init__(
        self,
        window: sublime.Window,
        settings: Callable[[], Settings],
        reviews: ReviewManager,
        changes: ChangeReviews,
        tracking: Tracking,
    ) -> None:
        self._window = window
        self._settings = settings
        self._reviews = reviews
        self._changes = changes
        self._tracking = tracking

    def show(self, review: Optional[Review] = None) -> None:
        """Show this review, or all that is to be reviewed in the window, a moment later."""
        items = self._items()
        if review is not None:
            items = [item for item in items if self._review_of(item) is review]
        if not items:
            say(self._window, "there is nothing to review")
            return
        settings, view, opened = self._settings(), self._window.active_view(), self._reviews.open_reviews
        reading = _Reading(fallback_encoding(view), exclusion(settings.context_exclude))
        questions: Dict[PatchItem, _Question] = {}
        for item in items:
            if item.review is not None:
                original, request = opened.original_of(item.review), file_request(item.path, settings, view)
                restored = RESTORES_ALL if item.review.orphaned else item.review.proposal.restored
                questions[item] = _Question(opened.text_of(item.review), restored, original, request)
        self._tracking.use_disk(
            partial(_patch, items, questions, reading, self._tracking.workspace_of),
            lambda text: self._reviews.when_free(partial(self._show_text, text)),
        )

    def _items(self) -> List[PatchItem]:
        """All that is to be reviewed, the proposals first."""
        opened = self._reviews.open_reviews
        proposals = [review for review in opened.pending() if review.source is not self._changes]
        items = [PatchItem(opened.label(review.path), review.path, review) for review in proposals]
        several = len({change.folder for change in self._changes.to_review}) > 1
        for change in self._changes.to_review:
            start = os.path.basename(change.folder) + "/" if several else ""
            items.append(PatchItem(start + change.path, change.full_path, None, change))
        return items

    def _review_of(self, item: PatchItem) -> Optional[Review]:
        return item.review if item.change is None else self._changes.review_of(item.change)

    def _show_text(self, text: str) -> None:
        if not self._window.is_valid():
            return
        view = next((view for view in self._window.views() if marks.is_patch(view)), None)
        if view is None:
            view = self._window.new_file()
            view.set_scratch(True)
            view.set_name(TITLE)
            marks.take_role(view, marks.PATCH)
            view.settings().set(marks.PATCH_KEYS, True)
            view.settings().set("lsp_uri", "gemini-companion:patch")  # for LSP, as in the views of a review
            syntax = sublime.find_syntax_for_file(FILE_NAME)
            if syntax is not None:
                view.assign_syntax(syntax)
            view.set_read_only(True)
        self._window.focus_view(view)
        self._fill(view, text_steps(view, text))

    def _fill(self, view: sublime.View, steps: Iterator[None]) -> None:
        """Put one portion of a long text into the view, then the next one."""
        if is_open(view):
            try:
                next(steps)
            except StopIteration:
                move_caret(view, 0)
                view.show(0)
            else:
                self._tracking.on_main(self._fill, view, steps)

    def open_line(self, view: sublime.View) -> None:
        """Go to the review of what the caret's line is about, at that change."""
        lines = view.substr(sublime.Region(0, view.size())).split("\n")
        place = place_at(lines, view.rowcol(first_caret(view))[0])
        if place is None:
            say(self._window, "there is no change on this line")
            return
        found = next((item for item in self._items() if shown(item.label) == place.name), None)
        if found is None:
            say(self._window, f"{shown(place.name)} is not to be reviewed any more")
        elif found.change is not None:
            self._changes.show(found.change, place.row)
        elif found.review is not None:
            self._reviews.open_reviews.show_at(found.review, place.row)


def walk(view: sublime.View, forward: bool) -> None:
    """Go to the next or the previous hunk of a patch, from the last one to the first."""
    starts, caret = hunk_starts(view.substr(sublime.Region(0, view.size()))), first_caret(view)
    if not starts:
        say(view.window(), "this patch shows no changes")
        return
    behind, before = [each for each in starts if each > caret], [each for each in starts if each < caret]
    point = (behind or starts)[0] if forward else (before or starts)[-1]
    move_caret(view, point)
    view.show_at_center(point, False)


# -- the text ----------------------------------------------------------------------------------------------------------
# Disk threads.


def _patch(
    items: Sequence[PatchItem], questions: Dict[PatchItem, _Question], reading: _Reading, workspace_of: WorkspaceOf
) -> str:
    parts = [f"# {file_count(len(items))}. Next Change goes from change to change, Enter opens the review.\n"]
    left = MOST_CHARACTERS
    for item, texts in _texts(items, questions, reading, workspace_of):
        part = "".join(_file(item, texts, reading, full=left < 0))
        left -= len(part)
        parts.append(part if left >= 0 else "".join(_file(item, texts, reading, full=True)))
    return "".join(parts)


def _texts(
    items: Sequence[PatchItem], questions: Dict[PatchItem, _Question], reading: _Reading, workspace_of: WorkspaceOf
) -> Iterator[Tuple[PatchItem, TextPair]]:
    """The items with their texts, never too many at once."""
    for item, question in questions.items():
        proposal = ProposedText(question.text, question.restored)
        original = question.original or read_file(question.request).original
        is_text = original.comparable and not proposal.format.binary
        yield item, TextPair(original, proposal if is_text else None)
    changed = [(item, item.change) for item in items if item.change is not None]
    for some in portions(changed, lambda each: each[1].before.size + each[1].now.size):
        for item, change in some:
            workspace = workspace_of(change.folder)
            sides = workspace.all_data([change.before, change.now]) if workspace is not None else [None, None]
            decoded = partial(
                original_of, item.path, limits=disk.LIMITS, encoding="", fallback=reading.fallback_encoding
            )
            yield item, text_pair(change, sides, decoded)


def _file(item: PatchItem, texts: TextPair, reading: _Reading, full: bool) -> Iterator[str]:
    """The part of the patch about one file."""
    change, label = item.change, shown(item.label)
    is_new = texts.left.kind is Kind.NEW
    has_gone = change is not None and change.kind is ChangeKind.DELETED
    old = label[: -len(shown(change.path))] + shown(change.old_path) if change and change.old_path else label
    yield f"--- {NO_FILE}\n" if is_new else f"--- a/{old}\n"
    yield f"+++ {NO_FILE}\n" if has_gone else f"+++ b/{label}\n"
    left, right, limits = texts.left.text, texts.right, disk.LIMITS
    if reading.excluded(item.path) or reading.excluded(os.path.realpath(item.path)):
        yield f"# {WITHHELD}\n"
    elif right is None:
        yield f"# {(change.obstacle if change is not None else '') or NO_TEXT}\n"
    elif full:
        yield f"# {NO_ROOM}\n"
    elif any(len(each) > limits.length or each.count("\n") > limits.lines for each in (left, right.shown)):
        yield f"# {TOO_LONG}\n"
    else:
        if change is not None:
            notes = [about(change), *change.whole_file, *caveats(change)]
        else:
            notes = [*changes_of_file(texts.left, right)] or [NO_CHANGE if left == right.shown else ""]
        yield from (f"# {note}\n" for note in notes if note)
        before, after = split_lines(left), split_lines(right.shown)
        yield from unified(before, after, compare_lines(before, after))
