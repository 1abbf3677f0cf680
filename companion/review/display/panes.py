"""The two texts of a review: the proposal in its view, the file in its own, and what disk and tabs say of the file.

Rules: what the proposal's view was given is remembered as the view gives it back. As long as it still holds that, the
text is what was proposed, letter by letter, whatever the editor may have made of it on the way. While the disk
does not answer there is no second question, and an answer about an older reading does not count. The main thread only
says which tabs there are; a disk thread looks at the disk.
"""

from __future__ import annotations

import logging
from functools import partial
from typing import Callable, Dict, FrozenSet, Generator, Iterator, List, Optional, Tuple

import sublime

from ...common.waiting import Latest
from ...comparison import Whitespace
from ...editor import file_views
from ...editor.edits import PORTION, some_selections, text_steps
from ...runtime import Runtime
from ...settings import Settings
from ..decision import Review, Words
from ..document import disk
from ..document.disk import Kind, Original
from ..document.preparation import FileRequest, FileState, Preparation, check_file, read
from ..document.text import DEFAULT_FALLBACK
from ..window import views
from .markup import LONGEST_REMOVAL, contents_html

logger = logging.getLogger("gemini_companion.review")

CONTENTS = "gemini_companion.contents"  # what stands in the place of a file that is no text


class ProposalPane:
    """The view of a proposal. Main thread only."""

    def __init__(self, view: sublime.View, review: Review) -> None:
        self.view = view
        self._review = review
        self._given: Optional[str] = None  # what the view holds until it is edited
        self._given_at = -1  # the view's change count then
        self._held: Optional[str] = None  # what the view held when it was read last, if it was edited
        self._held_at = -1
        self._ever_filled = False

    @property
    def filled(self) -> bool:
        """Whether the proposal is in the view."""
        return self._given is not None

    def await_another(self) -> None:
        """Another proposal is about to be put into the view."""
        self._given = self._held = None

    def fill(self, longest: int) -> Generator[None, None, bool]:
        """Put the proposal into the view, in steps, and a syntax up to a length of `longest`. True the first time."""
        view, shown = self.view, self._review.draft.shown
        first = not self._ever_filled
        if len(shown) > PORTION:
            view.set_read_only(True)  # what is typed between two portions would be taken for proposed
        try:
            yield from text_steps(view, shown)
        finally:
            if len(shown) > PORTION and view.is_valid():
                view.set_read_only(not self._review.source.editable)
        # Asking the editor for a long text takes long.
        self._given = shown if len(shown) > PORTION and view.size() == len(shown) else whole_text(view)
        self._given_at = view.change_count()
        self._ever_filled = True
        if first and len(shown) <= longest:
            views.assign_syntax(view, self._review.path, shown, self._review.same_files)
        return first

    def forget_filling(self) -> bool:
        """Let the editor's undo not take the proposal away. True if the text counts as another one then.

        It has no effect while a command runs.
        """
        before = self._given_at
        if file_views.is_open(self.view) and self.untouched:
            self.view.clear_undo_stack()
            self._given_at = self.view.change_count()
        return self._given_at != before

    @property
    def untouched(self) -> bool:
        """Whether the view was not edited since it was filled."""
        return self.untouched_at(self.view.change_count())

    def untouched_at(self, count: int) -> bool:
        """Whether the view, whose change count is this one, was not edited since it was filled."""
        return count == self._given_at

    @property
    def pristine(self) -> bool:
        """Whether the user has neither edited the view nor moved its caret since it was filled."""
        return self.untouched and some_selections(self.view) == [sublime.Region(0)]

    @property
    def emptied(self) -> bool:
        """Whether the user had deleted the whole text when it was read last."""
        return bool(self._review.proposal.shown) and self._held == ""

    @property
    def differs(self) -> bool:
        """Whether the text that was read last would be accepted as something else than was proposed."""
        proposal = self._review.proposal
        given = self._given if self._review.draft is proposal else None
        return self._held is not None and self._held not in (given, proposal.shown)

    def read(self, count: int, length: int) -> Generator[None, None, Tuple[str, ...]]:
        """The text of the view, whose change count is `count`: one that is longer than `length` in portions, one for
        each step. The view must not be edited meanwhile.
        """
        if self._given is not None and self.untouched_at(count):
            self.hold(self._given, count)
        if self._held is not None and count == self._held_at:
            return (self._held,)
        size = self.view.size()
        portions: List[str] = []
        at_once = size if size <= length else PORTION
        for start in range(0, size, max(1, at_once)):
            portions.append(self.view.substr(sublime.Region(start, start + at_once)))
            if at_once < size:
                yield None
        return tuple(portions)

    def hold(self, text: str, count: int) -> None:
        """`text` is what the view holds at this change count."""
        self._held, self._held_at = text, count

    def current_text(self) -> str:
        """The text as it would be accepted now: exactly what was proposed, with what the user edited."""
        if self._given is None or not self.view.is_valid() or self.untouched:
            return self._review.draft.exact
        held = whole_text(self.view)
        return self._review.draft.exact if held == self._given else self._review.draft.restore(held)


class OriginalPane:
    """The view of a file, beside that of its proposal. Main thread only."""

    def __init__(self, view: sublime.View, words: Words) -> None:
        self.view = view
        self._words = words
        self._ever_filled = False

    def fill(self, original: Original, same_files: FrozenSet[str], longest: int) -> Iterator[None]:
        """Put the file into its view, read-only, as the editor would have opened it; in steps. `longest`: as above."""
        view = self.view
        view.set_read_only(True)
        yield from text_steps(view, original.text)
        view.set_name(views.original_name(original.path, original.kind, self._words))
        view.erase_phantoms(CONTENTS)
        if original.format.binary:
            contents = contents_html(original.format.with_size(original.stamp.size), view.line_height())
            view.add_phantom(CONTENTS, sublime.Region(0), contents, sublime.LAYOUT_INLINE)
        if original.kind is Kind.TEXT:
            view.set_line_endings(original.line_endings)
            view.set_encoding(original.encoding)
        if original.comparable and len(original.text) <= longest:
            views.assign_syntax(view, original.path, original.text, same_files)
        self._ever_filled = True


def one_pane_says_all(original: Original, review: Review) -> bool:
    """Whether a pane beside the other one would be empty, or the same: of a new file, of one that is emptied, and of
    one that only gets another name.

    A file that is too long to be shown between the lines of a proposal is not meant. Any thread.
    """
    shown, is_text = review.proposal.shown, original.kind is Kind.TEXT
    emptied = is_text and not shown and original.text.count("\n") <= LONGEST_REMOVAL
    is_same = is_text and bool(review.file_change.moved_from) and shown == original.text
    return original.kind is Kind.NEW or emptied or is_same


def whole_text(view: sublime.View) -> str:
    """All that the view holds."""
    return view.substr(sublime.Region(0, view.size()))


# -- the file ---------------------------------------------------------------------------------------------------------


class FileWatch:
    """Main thread only.

    `loaded` or `failed` is called after each reading that no other one has followed. `news` is called when `unsaved`,
    `changed` or the names of the file have changed.
    """

    def __init__(
        self,
        review: Review,
        runtime: Runtime,
        *,
        loaded: Callable[[Preparation], None],
        failed: Callable[[], None],
        news: Callable[[], None],
    ) -> None:
        self.original: Optional[Original] = None  # as it was read last
        self.unsaved = False  # a tab of the file has unsaved edits
        self.changed = False  # the file is not what was read
        self.reading_failed = False  # with an error that is in the log
        self._review = review
        self._runtime = runtime
        self._loaded = loaded
        self._failed = failed
        self._news = news
        self._reading = 0  # how often the file was read: an answer of the disk is about one reading
        self._checks = Latest(self._begin_check)
        self._tabs: Dict[str, str] = {}

    def read_again(self) -> None:
        """The file is read (again): what comes of a reading or a look under way is out of date."""
        self._reading += 1
        self.reading_failed = False

    def load(self, settings: Settings, view: sublime.View) -> None:
        """Read the file (again) on a disk thread."""
        self.read_again()
        if self._review.before is not None:
            self._loaded(Preparation(self._review.before, self._review.same_files, self._review.whole_file))
            return
        self._runtime.use_disk(
            read,
            file_request(self._review.path, settings, view),
            self._review.proposal,
            then=partial(self._has_loaded, self._reading),
            failed=partial(self._not_loaded, self._reading),
        )

    def _has_loaded(self, reading: int, found: Preparation) -> None:
        if reading == self._reading:
            self._loaded(found)

    def _not_loaded(self, reading: int, error: Exception) -> None:
        logger.error("a file could not be read for review", exc_info=(type(error), error, error.__traceback__))
        if reading == self._reading:
            self.reading_failed = True
            self._failed()

    def take(self, original: Original) -> None:
        """From now on the review compares with `original`, and looks with an older one do not count."""
        self.original = original
        self.changed = False
        self._reading += 1

    def check(self) -> None:
        """Look whether the file has unsaved edits in a tab or has changed on disk."""
        self._find_unsaved()
        self._tabs = file_views.tabs_of(self._review.path)
        self.check_disk()
        self._news()

    def check_disk(self) -> None:
        """Look whether the file has changed on disk. The editor is asked nothing."""
        if self._review.before is None and self.original is not None and not self.changed:
            self._checks.ask()

    def _find_unsaved(self) -> None:
        tabs = file_views.views_of_file(self._review.path, self._review.same_files)
        self.unsaved = any(view.is_dirty() for view in tabs)

    def _begin_check(self) -> None:
        self._runtime.use_disk(
            check_file, self.original, self._tabs, then=partial(self._checked, self._reading), failed=self._check_failed
        )

    def _checked(self, reading: int, found: FileState) -> None:
        if reading == self._reading:
            news = found.changed or found.same_files != self._review.same_files
            self.changed = self.changed or found.changed
            self._review.same_files = found.same_files
            if news:
                self._find_unsaved()
                self._news()
        self._checks.answered()

    def _check_failed(self, error: Exception) -> None:
        logger.error("a look at the file failed", exc_info=(type(error), error, error.__traceback__))
        self._checks.answered()


def file_request(path: str, settings: Settings, view: Optional[sublime.View]) -> FileRequest:
    """A snapshot of what the main thread knows of the file; `view` has the settings of the editor. Main thread."""
    tabs, ignored = file_views.tabs_of(path), Whitespace(settings.review_ignore_whitespace)
    return FileRequest(path, disk.LIMITS, fallback_encoding(view), tabs, ignored)


def fallback_encoding(view: Optional[sublime.View]) -> str:
    """The editor's setting of that name, unless the user has put there what is no name."""
    chosen = view.settings().get("fallback_encoding") if view is not None else None
    return chosen if chosen and isinstance(chosen, str) else DEFAULT_FALLBACK
