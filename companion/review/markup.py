"""The minihtml that reviews show: the header, the fillers, the links beside changes, and removed lines.

Rules: text from files is always escaped. Only what the editor's minihtml documents is used: it knows no height and no
width, so heights are made of rows and padding. Colours are the colour scheme's own variables.

The editor is not known here. Any thread.
"""

from __future__ import annotations

from html import escape
from typing import List, NamedTuple, Sequence, Tuple

ACCEPT, REJECT, NEXT, PREVIOUS = "accept", "reject", "next", "previous"
REVERT, UNDO, RELOAD = "revert", "undo", "reload"

_LONGEST_REMOVAL = 200  # lines shown of one removal in the inline presentation
_SINGLE_ROWS = 400
_STYLE = """
    html, body {{ margin: 0; padding: 0; }}
    div {{ line-height: {height}px; }}
    div.filler {{ background-color: color(var(--foreground) alpha(0.04)); }}
"""

Span = Tuple[int, int]


class Notice(NamedTuple):
    """A sentence in the header, with a link behind it if `link` is not empty."""

    sentence: str
    link: str = ""
    caption: str = ""


class Header(NamedTuple):
    """What the header says. `current` counts from 1; 0 if the caret is in no change."""

    name: str
    client: str
    new_file: bool
    compared: bool
    added: int
    removed: int
    current: int
    changes: int
    notices: Tuple[Notice, ...]


def header_html(header: Header, line_height: float, filler: int = 0) -> str:
    """The header: a row for the bar, one for each notice, and `filler` empty rows under them."""
    parts = ["<b>{}</b> &#x2190; {}".format(escape(header.name), escape(header.client))]
    if header.new_file:
        parts.append("new file")
    if header.compared:
        parts.append(
            '<span class="added">+{}</span> <span class="removed">&#x2212;{}</span>'.format(
                header.added, header.removed
            )
        )
        parts.append(_position(header))
    if header.changes:
        parts.append(_link(PREVIOUS, "&#x2191; Previous") + " &nbsp; " + _link(NEXT, "&#x2193; Next"))
    parts.append(_link(ACCEPT, "Accept", "accept") + " &nbsp; " + _link(REJECT, "Reject", "reject"))
    rows = ['<div class="bar">{}</div>'.format(" &nbsp; &nbsp; ".join(parts))]
    for notice in header.notices:
        link = " &nbsp; " + _link(notice.link, escape(notice.caption)) if notice.link else ""
        rows.append('<div class="notice">&#x26a0; {}{}</div>'.format(escape(notice.sentence), link))
    style = """
        div.bar {{ background-color: color(var(--foreground) alpha(0.1)); }}
        div.notice {{ background-color: color(var(--yellowish) alpha(0.2)); }}
        span.added, a.accept {{ color: var(--greenish); }}
        span.removed, a.reject {{ color: var(--redish); }}
        a {{ text-decoration: none; }}
    """
    return _document("gemini-companion-header", line_height, style, "".join(rows) + _empty_rows(filler, line_height))


def header_rows(header: Header) -> int:
    """The height of the header in rows, as long as none of its lines is wrapped."""
    return 1 + len(header.notices)


def filler_html(rows: int, line_height: float) -> str:
    """Empty rows, as high as lines of text."""
    return _document("gemini-companion-filler", line_height, "", _empty_rows(rows, line_height))


def link_html(verb: str, number: int, caption: str) -> str:
    """A link beside a change, for an annotation. It answers with `verb:number`."""
    return _link("{}:{}".format(verb, number), escape(caption))


def parse_link(href: str) -> Tuple[str, int]:
    """The verb and the number of a link; the number is -1 where there is none."""
    verb, _, number = href.partition(":")
    return verb, int(number) if number.isdigit() else -1


def removed_html(
    lines: Sequence[str], parts: Sequence[Sequence[Span]], tab_size: int, line_height: float
) -> str:
    """Lines that the proposal removes, with their changed spans (offsets in each line) marked."""
    rows: List[str] = []
    for line, spans in zip(lines[:_LONGEST_REMOVAL], parts):
        rows.append('<div class="line">{}</div>'.format(_marked(line.rstrip("\n"), spans, tab_size) or "&nbsp;"))
    if len(lines) > _LONGEST_REMOVAL:
        rows.append('<div class="more">and {} more lines</div>'.format(len(lines) - _LONGEST_REMOVAL))
    style = """
        div.line, div.more {{ background-color: color(var(--redish) alpha(0.15)); }}
        div.more {{ font-style: italic; }}
        span {{ background-color: color(var(--redish) alpha(0.4)); }}
    """
    return _document("gemini-companion-removed", line_height, style, "".join(rows))


def _position(header: Header) -> str:
    if not header.changes:
        return "no changes"
    if header.current:
        return "change {} of {}".format(header.current, header.changes)
    return "1 change" if header.changes == 1 else "{} changes".format(header.changes)


def _marked(line: str, spans: Sequence[Span], tab_size: int) -> str:
    result, position = [], 0
    for start, end in spans:
        result.append(_text(line[position:start], tab_size))
        result.append("<span>{}</span>".format(_text(line[start:end], tab_size)))
        position = end
    result.append(_text(line[position:], tab_size))
    return "".join(result)


def _text(text: str, tab_size: int) -> str:
    """`text` escaped, with every blank kept: minihtml runs blanks together otherwise."""
    return escape(text.replace("\t", " " * tab_size)).replace(" ", "&nbsp;")


def _link(href: str, caption: str, style: str = "") -> str:
    """A link. `caption` is markup already."""
    return '<a href="{}"{}>{}</a>'.format(escape(href), ' class="{}"'.format(style) if style else "", caption)


def _empty_rows(rows: int, line_height: float) -> str:
    """Rows of nothing. Very many of them end in one block: a document of thousands of elements is slow to lay out."""
    single = min(rows, _SINGLE_ROWS)
    block = ""
    if rows > single:
        block = '<div class="filler" style="padding-top: {}px"></div>'.format(_number((rows - single) * line_height))
    return '<div class="filler">&nbsp;</div>' * single + block


def _document(identifier: str, line_height: float, style: str, content: str) -> str:
    """A document with an id of its own, as the editor's documentation asks, for colour schemes to restyle."""
    return '<body id="{}"><style>{}</style>{}</body>'.format(
        identifier, " ".join((_STYLE + style).split()).format(height=_number(line_height)), content
    )


def _number(pixels: float) -> str:
    return "{:.2f}".format(pixels).rstrip("0").rstrip(".")
