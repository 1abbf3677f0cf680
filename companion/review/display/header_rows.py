"""The header of a proposal laid out: rows of file, client, counts and links, and one or more for each notice.

Rule: it is laid out in rows that fit into the view, because its height must be known: as many empty rows stand in the
original's view, to keep the lines below level. minihtml would wrap longer ones by itself and tell nobody.

The editor is not known here. Any thread.
"""

from __future__ import annotations

import os
from html import escape
from typing import Callable, List, NamedTuple, Sequence

from ...common.display_names import client_name, columns, cut_middle, file_name, shown, wrapped
from .header import CERTAIN, Header, Notice, counts_text, notices, position
from .markup import ACCEPT, AS_PROPOSED, NEXT, PREVIOUS, REJECT, document, link, padded, space, stamped

_GAP = "   "  # between the parts of a row


class Row(NamedTuple):
    """One row of the header: its class, its markup, and how many columns it takes."""

    kind: str
    markup: str
    columns: int


def header_rows(header: Header) -> List[Row]:
    """The header row by row. Each fits, so that its height is known: the original's view gets as many empty rows."""
    pieces, actions = _title(header), _actions(header)
    fits = _width(pieces + actions) <= header.columns
    sentences = notices(header)
    if header.place:
        taken = pieces + actions if fits else _folded_first(pieces, header.columns)
        place = _fitting_place(header, header.columns - _width(taken))
        pieces[0] = _file(header, place)
        if os.path.isabs(header.place) and place != shown(header.place):
            sentences = (Notice(f"The file is in {header.place}.", risk=False), *sentences)  # in no workspace folder
    if fits:
        rows = [_row("bar", pieces + actions)]
    else:
        rows = [*_folded("bar", pieces, header.columns), *_folded("bar", actions, header.columns)]
    for notice in sentences:
        kind, first, others = ("notice", "\u26a0 ", "\u2003 ") if notice.risk else ("note", "", "")
        lines = wrapped(shown(notice.sentence), max(1, header.columns - 4))
        words = [Piece((others if number else first) + line) for number, line in enumerate(lines)]
        rows.extend(_row(kind, [piece]) for piece in words)
        if notice.link:
            link = _link_piece(stamped(notice.link, header.generation), notice.caption).cut(header.columns)
            if rows[-1].columns + link.columns + len(_GAP) <= header.columns:
                rows[-1] = _row(kind, [words[-1], link])
            else:
                rows.append(_row(kind, [link]))
    return rows


def header_html(
    rows: Sequence[Row], line_height: float, width: float = 0.0, em_width: float = 0.0, below: int = 0
) -> str:
    """The header's document, as wide as its view (`width` pixels), with `below` empty pixels under it."""
    style = """
        div.bar, div.note {{ background-color: color(var(--foreground) alpha(0.1)); }}
        div.notice {{ background-color: color(var(--yellowish) alpha(0.2)); }}
        span.added, a.accept {{ color: var(--greenish); }}
        span.removed, a.reject {{ color: var(--redish); }}
        a {{ text-decoration: none; }}
    """
    # Its letters may be a little wider than the text's.
    wide = em_width / CERTAIN
    content = "".join(f"{padded(row.kind, row.columns, width, wide)}{row.markup}</div>" for row in rows)
    content += space(below, max(0, int(width - 2 * em_width)))
    return document("gemini-companion-header", line_height, style, content)


class Piece:
    """A part of a row that stays together. `dress` makes markup of its text."""

    def __init__(self, text: str, dress: Callable[[str], str] = escape) -> None:
        self.columns = columns(text)
        self.markup = dress(text)
        self._text = text
        self._dress = dress

    def cut(self, width: int) -> Piece:
        """The same in at most so many columns."""
        return self if self.columns <= width else Piece(cut_middle(self._text, width), self._dress)


_SHORTEST_PLACE = 6  # columns
_ARROW = " \u2190 "


def _title(header: Header) -> List[Piece]:
    pieces = [_file(header)]
    if header.new_file:
        pieces.append(Piece("new file"))
    if header.compared:
        pieces.append(Piece(counts_text(header.added, header.removed), _counts))
        pieces.append(Piece(position(header.current, header.changes, header.hidden)))
    return pieces


def _fitting_place(header: Header, room: int) -> str:
    """As much of the file's place as fits into the room, if that is so much that it says something."""
    return cut_middle(shown(header.place), room - 1) if room > _SHORTEST_PLACE else ""


def _file(header: Header, place: str = "") -> Piece:
    """The file and its client, with the file's place in front if there is one."""
    room = header.columns - len(_ARROW)
    client = cut_middle(client_name(header.client), max(1, room // 2))
    name = cut_middle(file_name(header.name), max(1, room - columns(client)))
    folder = f"{place}/" if place else ""

    def bold_name(text: str) -> str:
        start, end = len(folder), len(folder + name)
        return f"{escape(text[:start])}<b>{escape(text[start:end])}</b>{escape(text[end:])}"

    return Piece(folder + name + _ARROW + client, bold_name)


def _folded_first(pieces: Sequence[Piece], room: int) -> List[Piece]:
    """Those pieces that come into the first row."""
    number = 1
    while number < len(pieces) and _width(pieces[: number + 1]) <= room:
        number += 1
    return list(pieces[:number])


def _actions(header: Header) -> List[Piece]:
    actions = [(ACCEPT, shown(header.accept), "accept"), (REJECT, shown(header.reject), "reject")]
    if header.edits_stay:
        actions[:1] = [
            (AS_PROPOSED, "Accept as proposed", "accept"),
            (ACCEPT, "Accept, then save my edits", "accept"),
        ]
    if header.changes > 1:
        actions += [(PREVIOUS, "\u2191 Previous", ""), (NEXT, "\u2193 Next", "")]
    return [_link_piece(stamped(href, header.generation), caption, style) for href, caption, style in actions]


def _counts(text: str) -> str:
    added, blank, removed = text.partition(" ")
    if not blank:
        return escape(text)  # cut
    return f'<span class="added">{added}</span> <span class="removed">{removed}</span>'


def _width(pieces: Sequence[Piece]) -> int:
    return sum(piece.columns for piece in pieces) + len(_GAP) * (len(pieces) - 1)


def _row(kind: str, pieces: Sequence[Piece]) -> Row:
    gap = "&nbsp;" * (len(_GAP) - 1) + " "
    return Row(kind, gap.join(piece.markup for piece in pieces), _width(pieces))


def _folded(kind: str, pieces: Sequence[Piece], room: int) -> List[Row]:
    """The pieces in as few rows of `room` columns as they fit into."""
    rows: List[List[Piece]] = [[]]
    for piece in pieces:
        piece = piece.cut(room)
        if rows[-1] and _width([*rows[-1], piece]) > room:
            rows.append([])
        rows[-1].append(piece)
    return [_row(kind, row) for row in rows]


def _link_piece(href: str, caption: str, style: str = "") -> Piece:
    return Piece(caption, lambda text: link(href, escape(text), style))
