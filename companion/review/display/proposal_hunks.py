"""The changes of a proposal as the user walks through them: next, previous, take back, undo that, and their links.

Links are annotations. The editor draws them at the right edge of the view, but never over the text of their line: where
that leaves no room, they are cut off.

Rules: taking a change back is an ordinary edit of the proposal, one step of its undo history. What was taken back is
remembered as long as the place still holds the original's lines, so that a click can bring it back as well. A link
stands where there is room for it: that of a change that fills all of its rows on the row below, or on the one above.
"""

from __future__ import annotations

from itertools import count
from typing import Callable, Container, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

import sublime

from ...common.display_names import columns
from ...comparison import Hunk
from ...editor.edits import Edit, apply_edits, first_caret, move_caret
from ..decision import Words
from ..document.analysis import NOTHING, Analysis, Change, moved_on_right
from .decorations import Look, Regions
from .markup import KEEP, REVERT, UNDO, link_html
from .screen import Room, into_sight

REVERT_LINKS, UNDO_LINKS = "gemini_companion.revert", "gemini_companion.undo"
_BELOW, _ABOVE = " \u2191", " \u2193"  # where a link stands away from its change
_BETWEEN = " \u00b7 "
_MARGIN = 4  # columns that an annotation takes beside its text
_ROWS_LOOKED_AT = 50  # of a change, for one that leaves room


Link = Tuple[int, str]  # the point that it stands at, and what it says behind its verb


def links_of(analysis: Analysis, room: Room, words: Words) -> Iterator[Link]:
    """The links of the changes, in their order."""
    width = len(words.accept_hunk and words.accept_hunk + _BETWEEN) + len(words.reject_hunk) + _MARGIN
    moved = {block.start: f" \u00b7 {block.caption}" for block in moved_on_right(analysis.moves)}
    taken = set(moved)  # two annotations of one line collide
    for change in analysis.changes:
        # Where a moved block begins the change, the link says so.
        more = moved.get(change.hunk.right_start, "")
        row, where = _place(analysis, change, room.columns - width - len(more), room.tab_size, taken)
        taken.add(row)
        yield analysis.right_starts[row], where + more


def _place(analysis: Analysis, change: Change, room: int, tab_size: int, taken: Container[int]) -> Tuple[int, str]:
    """The row of a change's link, with so many columns for text before it, and an arrow. Others are `taken`."""
    lines, first, end = analysis.right_lines, change.hunk.right_start, change.hunk.right_end
    places = [(row, "") for row in range(first, min(end, first + _ROWS_LOOKED_AT)) if row == first or row not in taken]
    if first == end:
        places.append((end, ""))
    elif lines[end - 1].endswith("\n"):
        places.append((end, _BELOW))
    if first and first - 1 not in taken:
        places.append((first - 1, _ABOVE))
    for row, where in places:
        if row == len(lines) or columns(lines[row].rstrip("\n").expandtabs(tab_size)) <= room:
            return row, where
    # There is none. It is cut off, and seen when the user scrolls to the right.
    return next((place for place in places if place[1] == _BELOW), places[0]) if room > 0 else places[0]


# -- changes ----------------------------------------------------------------------------------------------------------

_REVERTED = "gemini_companion.reverted."
_DEFERRED = "gemini_companion.deferred."

OnPlaces = Callable[[List[sublime.Region]], object]
OriginalRows = Tuple[int, int]  # that a change replaces: what it is known by while the user edits the proposal


class Reverted(NamedTuple):
    """A marked change that was taken back: the proposal's lines, and the original's that stand there now."""

    proposed: str
    original: str


class ProposalHunks:
    """The changes of one proposal's view. Main thread only."""

    def __init__(self, view: sublime.View, words: Words, on_link: Callable[[str], None], regions: Regions) -> None:
        self._view = view
        self._words = words
        self._regions = regions
        self._on_link = on_link
        self._analysis = NOTHING
        self._count = -1
        self._caret = -1
        self._unscrolled = False
        self._reverted: Dict[int, Reverted] = {}
        self._numbers = count(1)
        self._linked: List[OriginalRows] = []  # what the links were drawn for: their numbers are places in these lists
        self._linked_reverts: List[int] = []
        self._deferred: Dict[str, OnPlaces] = {}  # until the texts are compared again; by the key of its places
        self.current: Optional[int] = None
        self.generation = 0  # of the links that are valid

    # -- where things are ---------------------------------------------------------------------------------------------

    def use(self, analysis: Optional[Analysis], change_count: int) -> None:
        """Take over a comparison of the text that the view had at `change_count`; None if that is not compared."""
        self._analysis, self._count = analysis or NOTHING, change_count
        self._caret = -1
        self.caret_moved()

    def link(self, room: Room, anew: bool = False) -> None:
        """Draw the links beside the changes and beside what was taken back, and do what was deferred until now.

        `room` is what fits into the view. With `anew` the editor may show older links: the same are drawn once more.
        """
        while self._deferred:
            before = self._view.change_count()
            self._do_deferred()
            if self._view.change_count() != before:
                return  # that was an edit, after which all is drawn anew
        rows = [(change.hunk.left_start, change.hunk.left_end) for change in self._analysis.changes]
        places = self._places(list(self._reverted))
        reverted = [number for number, _ in places]
        if anew or (rows, reverted) != (self._linked, self._linked_reverts):
            self._linked, self._linked_reverts = rows, reverted
            self.generation += 1
        keep, revert = self._words.accept_hunk, self._words.reject_hunk
        verbs = [(KEEP, keep), (REVERT, revert)] if keep else [(REVERT, revert)]
        links = list(enumerate(links_of(self._analysis, room, self._words))) if revert else []
        self._annotate(REVERT_LINKS, verbs, links, "region.bluish")
        undo_links = [(number, (region.begin(), "")) for number, region in places]
        self._annotate(UNDO_LINKS, [(UNDO, "Reverted: undo")], undo_links, "region.yellowish")

    def _annotate(
        self, key: str, verbs: Sequence[Tuple[str, str]], links: Sequence[Tuple[int, Link]], scope: str
    ) -> None:
        """Show the links of these verbs and their captions at each place, with its number."""
        markup = []
        for number, (_, more) in links:
            each = [link_html(verb, number, caption, self.generation) for verb, caption in verbs[:-1]]
            verb, caption = verbs[-1]
            markup.append(_BETWEEN.join([*each, link_html(verb, number, caption + more, self.generation)]))
        spans = [(point, point) for _, (point, _) in links]
        self._regions.show(key, spans, Look(), markup, scope, self._on_link)

    def outdate(self) -> None:
        """One of the two texts is about to be another one: what is drawn, or deferred, names nothing any more."""
        self.generation += 1
        self._count = -1
        self.drop_deferred()

    def drop_deferred(self) -> None:
        """What was deferred cannot be done any more."""
        while self._deferred:
            self._do_deferred(nowhere=True)

    def forget_reverted(self) -> None:
        """Another proposal comes: what was taken back of this one cannot be brought back into that."""
        for number in list(self._reverted):
            self._forget(number)

    def _forget(self, number: int) -> None:
        self._view.erase_regions(_REVERTED + str(number))
        del self._reverted[number]

    def caret_moved(self) -> bool:
        """Look which change the caret is in now. True if that is another one than before."""
        caret = first_caret(self._view)
        if caret == self._caret:
            return False
        self._caret, before = caret, self.current
        self.current = self._analysis.change_at(caret)
        return self.current != before

    # -- going from change to change ----------------------------------------------------------------------------------

    def show_first(self, row: int = 0) -> None:
        """Put the caret to the first changed character of the change at or behind this row of the text, and scroll
        there, unless it is in sight already."""
        self._go_to(self._analysis.change_from(row))

    def go_next(self) -> bool:
        """Go to the next change. False if there is none behind the caret."""
        return self._go_to(self._analysis.next_change(first_caret(self._view)))

    def go_previous(self) -> bool:
        """Go to the previous change. False if there is none before the caret."""
        return self._go_to(self._analysis.previous_change(first_caret(self._view)))

    def show_current(self) -> None:
        """Scroll to the change that the caret is in."""
        index = self._analysis.change_at(self.caret)  # `current` may be behind: the editor tells of carets later
        if index is not None:
            self._scroll_to(index)

    @property
    def caret(self) -> int:
        """Where the caret is now."""
        return first_caret(self._view)

    def _go_to(self, index: Optional[int]) -> bool:
        if index is None:
            return False
        move_caret(self._view, self._analysis.changes[index].first[0])
        self._scroll_to(index)
        return True

    def scroll(self) -> None:
        """Scroll to the change that the caret has gone to, if the view had no size then: it was never in front."""
        if self._unscrolled and self.current is not None:
            self._scroll_to(self.current)

    def _scroll_to(self, index: int) -> None:
        change = self._analysis.changes[index]
        self._unscrolled = not into_sight(self._view, change.right, change.first)

    # -- taking back --------------------------------------------------------------------------------------------------

    @property
    def ready(self) -> bool:
        """Whether the comparison belongs to the text that the view holds now, or it is known that there is none."""
        return self._view.change_count() == self._count

    @property
    def has_deferred(self) -> bool:
        """Whether something is to be done when the texts are compared again."""
        return bool(self._deferred)

    def selected(self) -> List[sublime.Region]:
        """What is selected, at least the start of the text."""
        return list(self._view.sel()) or [sublime.Region(0)]

    def linked(self, number: int) -> Optional[OriginalRows]:
        """What the link of this number was drawn for; None if there is no such link."""
        return self._linked[number] if 0 <= number < len(self._linked) else None

    def all(self) -> List[Hunk]:
        """The marked hunks; none while the view holds another text than was compared."""
        return [change.hunk for change in self._analysis.changes] if self.ready else []

    def at(self, places: Sequence[sublime.Region]) -> List[Hunk]:
        """Those that `places` touch."""
        touched = {index for each in places for index in self._analysis.changes_in(each.begin(), each.end())}
        return [hunk for index, hunk in enumerate(self.all()) if index in touched]

    def of_link(self, rows: Optional[OriginalRows]) -> List[Hunk]:
        """The one that a link was drawn for; none if it is another one now."""
        return [hunk for hunk in self.all() if (hunk.left_start, hunk.left_end) == rows]

    def keep_only(self, places: Sequence[sublime.Region]) -> bool:
        """Take back all changes but those that `places` touch, hidden ones included.

        False if they touch none; nothing is changed then.
        """
        kept = self.at(places)
        if kept:
            self.revert([hunk for hunk in self.all() if hunk not in kept], hidden=True)
        return bool(kept)

    def revert(self, hunks: Sequence[Hunk], hidden: bool = False) -> bool:
        """Put the original's lines in place of these hunks, at once, and of all that are not marked if `hidden`.

        False if there are none.
        """
        if not self.ready:
            return False
        unmarked = self._analysis.hidden if hidden else ()
        edits: List[Edit] = []
        placed: Dict[int, sublime.Region] = {}
        shift = 0
        for hunk, marked in sorted([*((hunk, True) for hunk in hunks), *((hunk, False) for hunk in unmarked)]):
            original = "".join(self._analysis.left_lines[hunk.left_start : hunk.left_end])
            proposed = "".join(self._analysis.right_lines[hunk.right_start : hunk.right_end])
            start, end = self._analysis.right_starts[hunk.right_start], self._analysis.right_starts[hunk.right_end]
            edits.append(Edit(start, end, original))
            if marked:
                number = next(self._numbers)
                self._reverted[number] = Reverted(proposed, original)
                placed[number] = sublime.Region(start + shift, start + shift + len(original))
            shift += len(original) - (end - start)
        if not edits:
            return False
        apply_edits(self._view, edits)
        for number, region in placed.items():
            self._view.add_regions(_REVERTED + str(number), [region], flags=sublime.HIDDEN | sublime.NO_UNDO)
        return True

    def when_ready(self, places: Sequence[sublime.Region], act: OnPlaces) -> None:
        """Call `act` with `places`, which move with the text, as soon as the comparison belongs to the text again."""
        key = _DEFERRED + str(next(self._numbers))
        self._view.add_regions(key, list(places), flags=sublime.HIDDEN | sublime.NO_UNDO)
        self._deferred[key] = act

    def _do_deferred(self, nowhere: bool = False) -> None:
        """Do what was deferred first, or do it `nowhere`, so that the user hears that it came to nothing."""
        key = next(iter(self._deferred))
        act, places = self._deferred.pop(key), self._view.get_regions(key)
        self._view.erase_regions(key)
        act([] if nowhere else places)

    def undo_revert(self, number: int) -> bool:
        """Bring the proposal's lines of one change back where they were taken back. False if it is not as it was."""
        places = self._places([number] if number in self._reverted else [])
        for each, region in places:
            edit = Edit(region.begin(), region.end(), self._reverted[each].proposed)
            self._forget(each)
            apply_edits(self._view, [edit])
        return bool(places)

    def _places(self, numbers: Sequence[int]) -> List[Tuple[int, sublime.Region]]:
        """Where of these changes the original's lines still stand. The others are forgotten."""
        places = []
        for number in numbers:
            regions = self._view.get_regions(_REVERTED + str(number))
            if regions and self._still_reverted(regions[0], self._reverted[number]):
                places.append((number, regions[0]))
            else:
                self._forget(number)
        return places

    def _still_reverted(self, region: sublime.Region, reverted: Reverted) -> bool:
        if self._view.substr(region) != reverted.original:
            return False
        if reverted.original:
            return True
        # An empty place looks the same after an undo, which brings the proposal's lines back before or behind it.
        return not any(
            change.right[0] <= region.begin() <= change.right[1]
            and self._view.substr(sublime.Region(*change.right)) == reverted.proposed
            for change in self._analysis.changes
        )
