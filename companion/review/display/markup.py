"""The minihtml that reviews show: documents, fillers, links, and removed lines. The header has a file of its own.

Rules: text from files is always escaped. Only what the editor's minihtml documents is used: it knows no height and no
width, so heights are made of rows and padding. Colours are the colour scheme's own variables.

The editor is not known here. Any thread.
"""

from __future__ import annotations

from html import escape
from typing import Callable, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from ...common.display_names import ELLIPSIS, columns
from ..document.analysis import Analysis, Change, Moved, Span, moved_on_left
from .mark_style import MarkStyle

ACCEPT, REJECT, NEXT, PREVIOUS = "accept", "reject", "next", "previous"
KEEP, REVERT, UNDO, RELOAD = "keep", "revert", "undo", "reload"
AS_PROPOSED, REJECT_BECAUSE = "as_proposed", "reject_because"
WHITESPACE, FOLD = "whitespace", "fold"

LONGEST_REMOVAL = 200  # lines shown of one removal in the inline presentation
_STYLE = """
    html, body {{ margin: 0; padding: 0; }}
    div {{ line-height: {height}px; white-space: nowrap; }}
    div.filler {{ background-color: color(var(--foreground) alpha(0.04)); color: color(var(--foreground) alpha(0.4)); }}
"""

Ink = Tuple[int, int, str]
"""Start, end, and a colour of the colour scheme."""


def filler_html(height: int, row: int, room: int = 0, caption: str = "", above: int = 0) -> str:
    """A block of nothing, `height` pixels high, of which `row` are a row of text, and `room` wider than what it says.

    It says `caption` at its top, below `above` pixels that stand for something else.
    """
    return document("gemini-companion-filler", row, "", space(above) + filler(height - above, row, room, caption))


def filler(height: int, row: int, room: int = 0, caption: str = "") -> str:
    """A filler as a part of a document. Padding can be any number of pixels; a row of text has a least height."""
    text = min(row, height)
    style = f"line-height: {text}px; padding: {height - text}px {room}px 0 0"
    if caption:
        style = f"line-height: {text}px; padding: 0 {room}px {height - text}px 0"
    return f'<div class="filler" style="{style}">{_text(caption, 1) or "&nbsp;"}</div>'


def added_caption(lines: int) -> str:
    """Says beside lines that were added why nothing stands there; empty for none."""
    return f"{lines:,} line{'s' if lines > 1 else ''} added \u2192" if lines else ""


def removed_caption(lines: int) -> str:
    """Says beside lines that were removed why nothing stands there; empty for none."""
    return f"\u2190 {lines:,} line{'s' if lines > 1 else ''} removed" if lines else ""


def link_html(verb: str, number: int, caption: str, generation: int = 0) -> str:
    """A link beside a change, for an annotation. It answers with `verb:number`, and what it was drawn for."""
    return link(stamped(f"{verb}:{number}", generation), escape(caption))


def stamped(href: str, generation: int) -> str:
    """The address of a link that was drawn for this generation of what it names; 0 is none."""
    return f"{href}@{generation}" if generation else href


def unstamped(href: str) -> Tuple[str, int]:
    """The address without its generation, and the generation."""
    plain, _, generation = href.partition("@")
    return plain, int(generation) if generation.isdigit() else 0


def parse_link(href: str) -> Tuple[str, int]:
    """The verb and the number of a link; the number is -1 where there is none."""
    verb, _, number = href.partition(":")
    return verb, int(number) if number.isdigit() else -1


def contents_html(contents: str, line_height: float) -> str:
    """Says in the original's view what a file holds that is not shown."""
    style = """
        div.contents {{ color: color(var(--foreground) alpha(0.6)); }}
    """
    row = f'<div class="contents">{_text(contents, 1)}</div>'
    return document("gemini-companion-contents", line_height, style, row)


def _text(text: str, tab_size: int) -> str:
    """`text` escaped, with every blank kept: minihtml runs blanks together otherwise."""
    return escape(text.replace("\t", " " * tab_size)).replace(" ", "&nbsp;")


def link(href: str, caption: str, style: str = "", title: str = "") -> str:
    """A link, with `title` in a tooltip. `caption` is markup already."""
    more = "".join(f' {name}="{escape(value)}"' for name, value in (("class", style), ("title", title)) if value)
    return f'<a href="{escape(href)}"{more}>{caption}</a>'


def space(height: int, room: int = 0) -> str:
    """Nothing, `height` pixels high, without any text."""
    return f'<div class="filler" style="padding: {height}px {room}px 0 0"></div>' if height else ""


def padded(kind: str, columns: int, width: float, em_width: float) -> str:
    """The start of a row of so many columns that is as wide as its view."""
    room = max(0, int(width - (columns + 1) * em_width))
    return f'<div class="{kind}" style="padding-right: {room}px">' if room else f'<div class="{kind}">'


def document(identifier: str, line_height: float, style: str, content: str) -> str:
    """A document with an id of its own, as the editor's documentation asks, for colour schemes to restyle."""
    return '<body id="{}"><style>{}</style>{}</body>'.format(
        identifier, " ".join((_STYLE + style).split()).format(height=_number(line_height)), content
    )


def _number(pixels: float) -> str:
    return f"{pixels:.2f}".rstrip("0").rstrip(".")


# -- removed lines ----------------------------------------------------------------------------------------------------
#
# One block for each change that removes some. The editor draws a block below a line, never above the first
# (sublimehq/sublime_text 4469). So where the first lines change, the block repeats the line above it, for the eye to
# read the old lines before the new one; it stands at the end of that line, behind the header, which stands at its
# start. Where the lines of the proposal wrap, removed ones do: minihtml would wrap them at blanks only, and lose these.

_MOST_ROWS = 20  # of a line that wraps; what is left of it is not shown
_SIGN = " \u2212 "  # between the number of a removed line and its text
_ADDED, _KEPT = " + ", "   "
_BEHIND = 2  # columns that its outline, and the blank that a row ends with, take


class RemovedLine(NamedTuple):
    """A line that the proposal removes, by its `number` in the file, from 1; None where a line that wraps goes on.

    `parts` are the spans that changed inside it, `colors` those of other colours than plain text; both are in order and
    count from the start of the line. `moved` says where the block went to that begins here; it is empty in the rest of
    the block, and None for lines that did not move.
    """

    number: Optional[int]
    text: str
    parts: Sequence[Span] = ()
    colors: Sequence[Ink] = ()
    moved: Optional[str] = None


class FirstLine(NamedTuple):
    """The first line of the proposal, in rows, to be repeated below what was removed above it, with its `sign`."""

    rows: Sequence[RemovedLine]
    sign: str


def removed_html(
    lines: Sequence[RemovedLine],
    tab_size: int,
    line_height: float,
    style: MarkStyle,
    left_out: int = 0,
    first: Optional[FirstLine] = None,
) -> str:
    """Lines that the proposal removes, and how many more, with their numbers in the file and a sign before them; and
    below them the `first` line of the proposal, if they stood above that."""
    rows: List[str] = []
    digits = _digits(lines)
    for start, end in _blocks(lines):
        moved = lines[start].moved is not None
        block = "moved" if moved else "" if style.filled else "removed"
        for line in lines[start:end]:
            # The outline of a block takes a pixel of its first row, and one of its last.
            lower = bool(block) * ((line is lines[start]) + (line is lines[end - 1]))
            height = f' style="line-height: {_number(line_height - lower)}px"' if lower else ""
            text = _styled(line.text.rstrip("\n"), line, tab_size) or "&nbsp;"
            text = text if block else f'<span class="removed">{text}</span>'
            before = "&nbsp;" * (digits + len(_SIGN))
            if line.number:
                before = f'<span class="number">{_text(f"{line.number:>{digits}}{_SIGN}", 1)}</span>'
            behind = f'<span class="number">&nbsp; {escape(line.moved)}</span>' if line.moved else ""
            opened = f'<div class="{block}">' if block and line is lines[start] else ""
            closed = "</div>" if block and line is lines[end - 1] else ""
            rows.append(f'{opened}<div class="line"{height}>{before}{text}{behind}</div>{closed}')
    if left_out:
        rows.append(f'<div class="more">and {left_out:,} more line{"s" if left_out > 1 else ""}</div>')
    if first is not None:
        for line in first.rows:
            before = _text(f"{line.number or '':>{digits}}{first.sign}", 1)
            text = _styled(line.text.rstrip("\n"), line, tab_size, "added") or "&nbsp;"
            rows.append(f'<div class="line"><span class="number">{before}</span>{text}</div>')
    css = f"""
        span.added {{{{ background-color: color(var(--{style.added}) alpha(0.4)); }}}}
        span.removed {{{{ display: inline-block; background-color: color(var(--{style.removed}) alpha(0.15)); }}}}
        span.changed {{{{ background-color: color(var(--{style.removed}) alpha(0.4)); }}}}
        span.number, div.more {{{{ color: color(var(--foreground) alpha(0.5)); }}}}
        div.removed {{{{ border: 1px solid var(--{style.removed}); }}}}
        div.moved {{{{ border: 1px solid var(--purplish); }}}}
        div.more {{{{ font-style: italic; }}}}
    """
    return document("gemini-companion-removed", line_height, css, "".join(rows))


def _digits(lines: Sequence[RemovedLine]) -> int:
    """How many columns their numbers take."""
    return len(str(max((line.number or 0 for line in lines), default=0)))


def _blocks(lines: Sequence[RemovedLine]) -> Iterator[Tuple[int, int]]:
    """The lines in blocks that moved as a whole, or did not move: start and end of each."""
    start = 0
    for number, line in enumerate(lines):
        if number and (line.moved or (line.moved is None) != (lines[number - 1].moved is None)):
            yield start, number
            start = number
    if lines:
        yield start, len(lines)


def _styled(text: str, line: RemovedLine, tab_size: int, changed: str = "changed") -> str:
    """The text of a line, cut where a colour or a changed part begins or ends. `changed` is the class of the latter."""
    parts, colors = list(line.parts), list(line.colors)
    places = {place for span in [*parts, *(ink[:2] for ink in colors)] for place in span}
    cuts = sorted(place for place in {0, len(text), *places} if place <= len(text))
    result: List[str] = []
    for start, end in zip(cuts, cuts[1:]):
        while parts and parts[0][1] <= start:
            parts.pop(0)
        while colors and colors[0][1] <= start:
            colors.pop(0)
        attributes = f' class="{changed}"' if parts and parts[0][0] <= start else ""
        if colors and colors[0][0] <= start:
            attributes += f' style="color: {escape(colors[0][2])}"'
        piece = _text(text[start:end], tab_size)
        result.append(f"<span{attributes}>{piece}</span>" if attributes else piece)
    return "".join(result)


def removed_blocks(
    analysis: Analysis,
    tab_size: int,
    line_height: float,
    wrapped_at: int,
    style: MarkStyle,
    colors: Callable[[int, int], Sequence[Ink]],
) -> Iterator[Tuple[int, str]]:
    """The blocks from the top, made one by one. `tab_size` is in columns, `line_height` in pixels.

    Lines wrap at `wrapped_at` columns, unless that is 0. `colors` gives those of a stretch of the original, by its
    start and end; they count from the start of that text.
    """
    moved = _captions(moved_on_left(analysis.moves))
    for change in analysis.changes:
        if change.hunk.left_count:
            rows: List[RemovedLine] = []
            left_out = change.hunk.left_count
            last = min(change.hunk.left_end, change.hunk.left_start + LONGEST_REMOVAL)
            room = wrapped_at - len(str(last)) - len(_SIGN) - _BEHIND
            for line in _removed_lines(analysis, change, moved, colors):
                if len(rows) >= LONGEST_REMOVAL:
                    break
                rows.extend(_rows(line, room, tab_size) if wrapped_at else [line])
                left_out -= 1
            first = None
            if not change.hunk.right_start and analysis.right_lines:
                line = RemovedLine(1, analysis.right_lines[0], _within(change.right_parts, 0, analysis.right_starts[1]))
                repeated = list(_rows(line, room, tab_size)) if wrapped_at else [line]
                first = FirstLine(repeated, _ADDED if change.hunk.right_count else _KEPT)
            yield _line_above(analysis, change), removed_html(rows, tab_size, line_height, style, left_out, first)


def _line_above(analysis: Analysis, change: Change) -> int:
    """A point in the line under which the removed lines of a change are shown."""
    if change.hunk.right_start > 0:
        return analysis.right_starts[change.hunk.right_start - 1]
    return len(analysis.right_lines[0].rstrip("\n")) if analysis.right_lines else 0


def _removed_lines(
    analysis: Analysis, change: Change, moved: Mapping[int, str], colors: Callable[[int, int], Sequence[Ink]]
) -> Iterator[RemovedLine]:
    """Those of the lines that a change removes that are shown."""
    first = change.hunk.left_start
    last = min(change.hunk.left_end, first + LONGEST_REMOVAL)
    end = analysis.left_starts[first]
    inks = colors(end, analysis.left_starts[last])
    at = 0  # of the first ink that may reach into the line
    for row, text in enumerate(analysis.left_lines[first:last], first):
        start, end = end, end + len(text)
        parts = _within(change.left_parts, start, end)
        own: List[Ink] = []
        while at < len(inks) and inks[at][0] < end:
            own.append((max(inks[at][0], start) - start, min(inks[at][1], end) - start, inks[at][2]))
            if inks[at][1] > end:
                break
            at += 1
        yield RemovedLine(row + 1, text, parts, own, moved.get(row))


def _rows(line: RemovedLine, room: int, tab_size: int) -> Iterator[RemovedLine]:
    """The line as it is shown where lines wrap, in rows of so many columns. Its number stands before the first."""
    text = line.text.rstrip("\n")
    end = 0
    for number in range(_MOST_ROWS):
        start, end = end, _row_end(text, end, room, tab_size)
        row = line._replace(
            text=text[start:end],
            parts=_within(line.parts, start, end),
            colors=[
                (max(one, start) - start, min(other, end) - start, color)
                for one, other, color in line.colors
                if one < end and other > start
            ],
        )
        if number:
            row = row._replace(number=None, moved=line.moved and "")
        if number == _MOST_ROWS - 1 and end < len(text):
            row = row._replace(text=row.text.rstrip() + ELLIPSIS)
        yield row
        if end >= len(text):
            return


def _within(spans: Sequence[Span], start: int, end: int) -> List[Span]:
    """What of `spans` lies between two points, counted from the first of them."""
    return [(max(one, start) - start, min(other, end) - start) for one, other in spans if one < end and other > start]


def _row_end(text: str, start: int, room: int, tab_size: int) -> int:
    """Where the row ends that begins at `start`: behind a blank if words stand before one; never at `start` itself."""
    end = start
    beginning = text[start : start + max(0, room)]
    if beginning.isascii() and "\t" not in beginning:
        end += len(beginning)
    else:
        for character in beginning:
            room -= tab_size if character == "\t" else columns(character)
            if room < 0:
                break
            end += 1
    while text[end : end + 1] in (" ", "\t"):
        end += 1  # it hangs over the edge
    if end == len(text) or text[end - 1] in " \t":
        return end
    behind_blank = max(text.rfind(blank, start, end) for blank in " \t") + 1
    return behind_blank if text[start:behind_blank].strip() else max(end, start + 1)


def _captions(blocks: Sequence[Moved]) -> Dict[int, str]:
    """The caption of each row of moved blocks; only the first row of a block has one."""
    return {row: block.caption if row == block.start else "" for block in blocks for row in range(*block[:2])}
