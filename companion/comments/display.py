"""Comments below their lines: what is drawn in one view, and where the user's edits have carried it.

Rules: the text of a comment is escaped, and its hidden characters are visible. In a review whose texts stand side by
side, as many empty rows stand in the other view, so that equal lines stay level. A link names a comment by its number:
the editor may draw one of a state that has gone. Main thread.
"""

from __future__ import annotations

from html import escape
from typing import Callable, Dict, List, NamedTuple, Sequence, Tuple

import sublime

from ..common.display_names import shown, wrapped
from ..comparison import Hunk
from .model import Comment, CommentState, TextSide
from .text import caption

KEY = "gemini_companion.comments"
EDIT, DELETE = "edit", "delete"
MOST_COLUMNS = 100  # of a row
_NARROWEST = 20
_STYLE = """
html, body { margin: 0; padding: 0; }
div.comment { background-color: color(var(--foreground) alpha(0.08)); padding: 2px 8px; white-space: nowrap; }
div.blank { padding: 2px 8px; white-space: nowrap; }
"""
_BODY = f'<body id="gemini-companion-comment"><style>{" ".join(_STYLE.split())}</style>'


class CommentBlock(NamedTuple):
    """What stands below a line, from 1. `number` is that of its comment; `lines` are the first and the last one that it
    is about, or are empty where it only makes room beside another view."""

    number: int
    below: int
    html: str
    lines: Tuple[int, ...] = ()


def rows(comment: Comment, columns: int) -> List[str]:
    """The text of a comment in rows of at most so many columns, below its caption."""
    return [row for line in comment.text.split("\n") for row in wrapped(shown(line, "\t"), columns)]


def block(comment: Comment, view: sublime.View) -> CommentBlock:
    """A comment as it stands in this view."""
    links = "".join(f' \u00b7 <a href="{verb}:{comment.number}">{verb}</a>' for verb in (EDIT, DELETE))
    head = caption(comment) + (links if comment.state is CommentState.DRAFT else "")
    text = "<br>".join(escape(row) or "&nbsp;" for row in rows(comment, _columns(view)))
    html = f'{_BODY}<div class="comment">{head}<br>{text}</div></body>'
    return CommentBlock(comment.number, comment.last, html, (comment.first, comment.last))


def room(comment: Comment, view: sublime.View, below: int) -> CommentBlock:
    """As many empty rows as a comment takes in `view`, below another line."""
    blank = "<br>".join(["&nbsp;"] * (1 + len(rows(comment, _columns(view)))))
    return CommentBlock(comment.number, below, f'{_BODY}<div class="blank">{blank}</div></body>')


def _columns(view: sublime.View) -> int:
    width = int(view.viewport_extent()[0] / (view.em_width() or 1.0)) - 4
    return min(MOST_COLUMNS, max(_NARROWEST, width)) if width > 0 else MOST_COLUMNS


def line_beside(line: int, side: TextSide, hunks: Sequence[Hunk]) -> int:
    """The line of the other text, from 1, that stands level with this one, or above what does; 0 above the first."""
    offset = 0
    for left_start, left_end, right_start, right_end in hunks:
        own, other = ((left_start, left_end), (right_start, right_end))[:: 1 if side is TextSide.OLD else -1]
        if line <= own[0]:
            break
        if line <= own[1]:
            return min(other[1], other[0] + line - own[0])
        offset = other[1] - own[1]
    return line + offset


class _Drawn(NamedTuple):
    """What is drawn in a view; the blocks by the numbers of their comments."""

    phantoms: sublime.PhantomSet
    blocks: Dict[int, CommentBlock]


class CommentDisplay:
    """What is drawn in the views of one window, by the view's id."""

    def __init__(self, on_link: Callable[[str, int], None]) -> None:
        """`on_link` gets `EDIT` or `DELETE`, and the number of the comment."""
        self._on_link = on_link
        self._drawn: Dict[int, _Drawn] = {}

    def has(self, view: sublime.View) -> bool:
        """Whether something is drawn in this view."""
        return view.id() in self._drawn

    def show(self, view: sublime.View, blocks: Sequence[CommentBlock]) -> None:
        """Show exactly these. What stands there already is not drawn anew."""
        drawn = self._drawn.get(view.id())
        if drawn is None and not blocks:
            return
        phantoms, former = drawn or _Drawn(sublime.PhantomSet(view, KEY), {})
        wanted = {each.number: each for each in blocks}
        for number in set(former) - set(wanted):
            view.erase_regions(f"{KEY}.{number}")
        for each in blocks:
            if each.lines and each != former.get(each.number):
                span = sublime.Region(*(_end_of(view, line) for line in each.lines))
                view.add_regions(f"{KEY}.{each.number}", [span], flags=sublime.HIDDEN | sublime.NO_UNDO)
        places = [sublime.Region(_end_of(view, each.below)) for each in blocks]
        phantoms.update(
            [
                sublime.Phantom(place, each.html, sublime.LAYOUT_BLOCK, self._follow_link)
                for place, each in zip(places, blocks)
            ]
        )
        self._drawn[view.id()] = _Drawn(phantoms, wanted)
        if not blocks:
            del self._drawn[view.id()]

    def lines_of(self, view: sublime.View) -> Dict[int, Tuple[int, int]]:
        """The first and the last line of each comment that is drawn, where edits have carried them; by its number."""
        found: Dict[int, Tuple[int, int]] = {}
        drawn = self._drawn.get(view.id())
        for number in drawn.blocks if drawn is not None else ():
            for region in view.get_regions(f"{KEY}.{number}"):
                found[number] = view.rowcol(region.begin())[0] + 1, view.rowcol(region.end())[0] + 1
        return found

    def forget(self, view: sublime.View) -> None:
        """The view has gone."""
        self._drawn.pop(view.id(), None)

    def clear(self, views: Sequence[sublime.View]) -> None:
        """Show nothing in these views."""
        for view in views:
            if self.has(view):
                self.show(view, [])

    def _follow_link(self, href: str) -> None:
        verb, _, number = href.partition(":")
        if verb in (EDIT, DELETE) and number.isdigit():
            self._on_link(verb, int(number))


def _end_of(view: sublime.View, line: int) -> int:
    """Where a line, from 1, ends; of one that is not there the nearest."""
    return view.line(view.text_point(max(0, line - 1), 0)).end()
