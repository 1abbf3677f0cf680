"""What a view of ours is given (its text, its caret), and what is selected in any view.

The editor allows edits only inside a text command, and only there does it draw and report a change of the selection:
two text commands do both. The text is not an argument of the command: arguments are kept in the undo history and in
macros, and cannot carry every character. It waits here, and the command fetches it.

Rules: text arrives in a view exactly as it is; the editor would otherwise turn tabs into spaces. No selection is
changed anywhere else. Each selection is a question to the editor, and *Find All* leaves a user with ten thousands of
them: however many there are, we ask for `MOST` at most.
"""

from __future__ import annotations

from itertools import count
from typing import Dict, Iterator, List, NamedTuple, Optional, Sequence

import sublime

from ..comparison import common_prefix, common_suffix

COMMAND = "gemini_companion_replace_text"
MOVE_CARET = "gemini_companion_move_caret"
PORTION = 1 << 18  # characters that are put into a view at a time
_TABS_TO_SPACES = "translate_tabs_to_spaces"


class Edit(NamedTuple):
    """Replace what is between the points `start` and `end` by `text`."""

    start: int
    end: int
    text: str


_waiting: Dict[str, List[Edit]] = {}
_numbers: Iterator[int] = count(1)


def carry_out(view: sublime.View, edit: sublime.Edit, batch: str) -> None:
    """Make the edits of `batch`, if it is there. Inside the run of the text command `COMMAND`.

    `View.replace` would move a caret, or select what comes in (sublime_text 1165, 4144): each stays where it was in the
    text, at the start of an edit around it.
    """
    edits = sorted(_waiting.pop(batch, []), reverse=True)
    selection = view.sel()
    before = list(selection) if len(selection) <= MOST else []  # else that is too much to be asked for
    settings = view.settings()
    spaces = settings.get(_TABS_TO_SPACES)
    if spaces:
        settings.set(_TABS_TO_SPACES, False)
    try:
        # From the end, so that the points of the others stay right.
        for start, end, text in edits:
            if start == end:
                view.insert(edit, start, text)
            else:
                view.replace(edit, sublime.Region(start, end), text)
    finally:
        if spaces:
            settings.set(_TABS_TO_SPACES, True)
    after = [(carried(region.a, edits), carried(region.b, edits)) for region in before]
    if any(each.start <= region.end() and region.begin() <= each.end for each in edits for region in before):
        select(view, after)


def carried(point: int, edits: Sequence[Edit]) -> int:
    """Where a point stands after these edits, which do not overlap: one inside an edit comes to its start."""
    behind = [each for each in edits if each.end <= point and each.start < point]
    inside = next((each.start for each in edits if each.start < point < each.end), point)
    return inside + sum(len(each.text) - (each.end - each.start) for each in behind)


def select(view: sublime.View, regions: Sequence[Sequence[int]]) -> None:
    """Make the `regions` (pairs of anchor and caret) the whole selection and nothing else.

    Inside the run of a text command.
    """
    selection = view.sel()
    selection.clear()
    selection.add_all([sublime.Region(*region) for region in regions])


def move_caret(view: sublime.View, point: int) -> None:
    """Put the caret at `point` without scrolling. Main thread."""
    view.run_command(MOVE_CARET, {"regions": [[point, point]]})


def apply_edits(view: sublime.View, edits: Sequence[Edit]) -> None:
    """Make `edits`, which do not overlap, in one step of the undo history. Main thread.

    The first line in sight stays where it is; by itself the editor may scroll afterwards (sublime_text 2560).
    A read-only view is made writable for the moment. Raises `RuntimeError` if the command did not run.
    """
    batch = str(next(_numbers))
    _waiting[batch] = list(edits)
    x, top = view.viewport_position()
    first = view.layout_to_text((0.0, top)) if top else 0
    hidden = top - view.text_to_layout(first)[1] if top else 0.0
    read_only = view.is_read_only()
    if read_only:
        view.set_read_only(False)
    try:
        view.run_command(COMMAND, {"batch": batch})
    finally:
        if read_only:
            view.set_read_only(True)
        ran = _waiting.pop(batch, None) is None
    if not ran:
        raise RuntimeError(f"The command {COMMAND} did not run.")
    wanted = (x, view.text_to_layout(carried(first, edits))[1] + hidden if top else 0.0)
    if view.viewport_position() != wanted:
        view.set_viewport_position(wanted, False)


def set_text(view: sublime.View, text: str) -> None:
    """Make `text` the content of `view`, touching only what differs. Main thread."""
    edit = difference(view.substr(sublime.Region(0, view.size())), text)
    if edit is not None:
        apply_edits(view, [edit])


def text_steps(view: sublime.View, text: str) -> Iterator[None]:
    """Make a text of any length the content of `view`, one portion per step. Main thread; the view must not be edited
    meanwhile."""
    if len(text) <= PORTION and view.size() <= PORTION:
        set_text(view, text)
        return
    if view.size():
        apply_edits(view, [Edit(0, view.size(), "")])
        yield
    for start in range(0, len(text), PORTION):
        apply_edits(view, [Edit(view.size(), view.size(), text[start : start + PORTION])])
        yield


def difference(before: str, after: str) -> Optional[Edit]:
    """The one edit that turns `before` into `after`, without the equal parts at both ends; None if they are equal."""
    if before == after:
        return None
    start = common_prefix(before, after)
    end = common_suffix(before[start:], after[start:])
    return Edit(start, len(before) - end, after[start : len(after) - end])


# -- what is selected --------------------------------------------------------------------------------------------------

MOST = 100


def first_caret(view: sublime.View) -> int:
    """Where the first caret is; at the start of the text if there is none. Main thread."""
    try:
        return view.sel()[0].b
    except IndexError:
        return 0


def some_selections(view: sublime.View) -> List[sublime.Region]:
    """The first `MOST` selections, carets among them, and the last one, in the order of the text. Main thread."""
    selection = view.sel()
    count = len(selection)
    regions = [selection[number] for number in range(min(count, MOST))]
    if count > MOST:
        regions.append(selection[count - 1])
    return regions
