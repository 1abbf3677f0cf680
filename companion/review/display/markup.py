"""The minihtml that reviews show: documents, fillers, links, and removed lines. The header has a file of its own.

Rules: text from files is always escaped. Only what the editor's minihtml documents is used: it knows no height and no
width, so heights are made of rows and padding. Colours are the colour scheme's own variables.

The editor is not known here. Any thread.
"""

from __future__ import annotations

from html import escape
from typing import List, Mapping, Sequence, Tuple

from ...display_names import columns

ACCEPT, REJECT, NEXT, PREVIOUS = "accept", "reject", "next", "previous"
REVERT, UNDO, RELOAD = "revert", "undo", "reload"
AS_PROPOSED = "as_proposed"
WHITESPACE = "whitespace"

LONGEST_REMOVAL = 200  # lines shown of one removal in the inline presentation
_STYLE = """
    html, body {{ margin: 0; padding: 0; }}
    div {{ line-height: {height}px; white-space: nowrap; }}
    div.filler {{ background-color: color(var(--foreground) alpha(0.04)); }}
"""

Span = Tuple[int, int]


def filler_html(height: int, row: int, room: int = 0) -> str:
    """A block of nothing, `height` pixels high, of which `row` are a row of text, and `room` wider than a character."""
    return document("gemini-companion-filler", row, "", filler(height, row, room))


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


def removed_html(
    lines: Sequence[str],
    parts: Sequence[Sequence[Span]],
    tab_size: int,
    line_height: float,
    width: float = 0.0,
    em_width: float = 0.0,
    moved: Mapping[int, str] = {},
) -> str:
    """Lines that the proposal removes, with their changed spans (offsets in each line) marked.

    They are as wide as the view, `width` pixels; a character has `em_width`. `moved` are those lines that only moved,
    by their numbers from 0, and what is said above each; nothing if that is empty.
    """
    rows: List[str] = []
    for number, (line, spans) in enumerate(zip(lines[:LONGEST_REMOVAL], parts)):
        text, caption = line.rstrip("\n"), moved.get(number)
        if caption:
            rows.append(f"{padded('caption', len(caption), width, em_width)}{escape(caption)}</div>")
        start = padded(
            "line" if caption is None else "moved", columns(text.replace("\t", " " * tab_size)) or 1, width, em_width
        )
        rows.append(f"{start}{_marked(text, spans, tab_size) or '&nbsp;'}</div>")
    if len(lines) > LONGEST_REMOVAL:
        more = f"and {len(lines) - LONGEST_REMOVAL} more lines"
        rows.append(f"{padded('more', len(more), width, em_width)}{more}</div>")
    style = """
        div.line, div.more {{ background-color: color(var(--redish) alpha(0.15)); }}
        div.moved, div.caption {{ background-color: color(var(--purplish) alpha(0.15)); }}
        div.more, div.caption {{ font-style: italic; }}
        span {{ background-color: color(var(--redish) alpha(0.4)); }}
    """
    return document("gemini-companion-removed", line_height, style, "".join(rows))


def _marked(line: str, spans: Sequence[Span], tab_size: int) -> str:
    result, position = [], 0
    for start, end in spans:
        result.append(_text(line[position:start], tab_size))
        result.append(f"<span>{_text(line[start:end], tab_size)}</span>")
        position = end
    result.append(_text(line[position:], tab_size))
    return "".join(result)


def _text(text: str, tab_size: int) -> str:
    """`text` escaped, with every blank kept: minihtml runs blanks together otherwise."""
    return escape(text.replace("\t", " " * tab_size)).replace(" ", "&nbsp;")


def link(href: str, caption: str, style: str = "") -> str:
    """A link. `caption` is markup already."""
    return '<a href="{}"{}>{}</a>'.format(escape(href), f' class="{style}"' if style else "", caption)


def filler(height: int, row: int, room: int = 0) -> str:
    """The same, as a part of a document. Padding can be any number of pixels; a row of text has a least height."""
    row = min(row, height)
    return f'<div class="filler" style="line-height: {row}px; padding: {height - row}px {room}px 0 0">&nbsp;</div>'


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
