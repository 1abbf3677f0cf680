"""The minihtml that reviews show: documents, fillers, links, and removed lines. The header has a file of its own.

Rules: text from files is always escaped. Only what the editor's minihtml documents is used: it knows no height and no
width, so heights are made of rows and padding. Colours are the colour scheme's own variables.

The editor is not known here. Any thread.
"""

from __future__ import annotations

from html import escape
from typing import List, Sequence, Tuple

ACCEPT, REJECT, NEXT, PREVIOUS = "accept", "reject", "next", "previous"
REVERT, UNDO, RELOAD = "revert", "undo", "reload"
AS_PROPOSED = "as_proposed"

_LONGEST_REMOVAL = 200  # lines shown of one removal in the inline presentation
_SINGLE_ROWS = 400
_STYLE = """
    html, body {{ margin: 0; padding: 0; }}
    div {{ line-height: {height}px; }}
    div.filler {{ background-color: color(var(--foreground) alpha(0.04)); }}
"""

Span = Tuple[int, int]


def filler_html(rows: int, line_height: float) -> str:
    """Empty rows, as high as lines of text."""
    return document("gemini-companion-filler", line_height, "", empty_rows(rows, line_height))


def link_html(verb: str, number: int, caption: str) -> str:
    """A link beside a change, for an annotation. It answers with `verb:number`."""
    return link(f"{verb}:{number}", escape(caption))


def parse_link(href: str) -> Tuple[str, int]:
    """The verb and the number of a link; the number is -1 where there is none."""
    verb, _, number = href.partition(":")
    return verb, int(number) if number.isdigit() else -1


def removed_html(lines: Sequence[str], parts: Sequence[Sequence[Span]], tab_size: int, line_height: float) -> str:
    """Lines that the proposal removes, with their changed spans (offsets in each line) marked."""
    rows: List[str] = []
    for line, spans in zip(lines[:_LONGEST_REMOVAL], parts):
        rows.append('<div class="line">{}</div>'.format(_marked(line.rstrip("\n"), spans, tab_size) or "&nbsp;"))
    if len(lines) > _LONGEST_REMOVAL:
        rows.append(f'<div class="more">and {len(lines) - _LONGEST_REMOVAL} more lines</div>')
    style = """
        div.line, div.more {{ background-color: color(var(--redish) alpha(0.15)); }}
        div.more {{ font-style: italic; }}
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


def empty_rows(rows: int, line_height: float) -> str:
    """Rows of nothing. Very many of them end in one block: a document of thousands of elements is slow to lay out."""
    single = min(rows, _SINGLE_ROWS)
    block = ""
    if rows > single:
        block = f'<div class="filler" style="padding-top: {_number((rows - single) * line_height)}px"></div>'
    return '<div class="filler">&nbsp;</div>' * single + block


def document(identifier: str, line_height: float, style: str, content: str) -> str:
    """A document with an id of its own, as the editor's documentation asks, for colour schemes to restyle."""
    return '<body id="{}"><style>{}</style>{}</body>'.format(
        identifier, " ".join((_STYLE + style).split()).format(height=_number(line_height)), content
    )


def _number(pixels: float) -> str:
    return f"{pixels:.2f}".rstrip("0").rstrip(".")
