"""What the header of a proposal says: file, client, counts, where the caret is, and what to beware of.

Rules: a warning is of what may be lost, or written otherwise than it is shown; everything else is a note. The header
is laid out in rows that fit into the view, because its height must be known: as many empty rows stand in the original's
view, to keep the lines below level. minihtml would wrap longer ones by itself, and no event says so.

The editor is not known here. Any thread.
"""

from __future__ import annotations

import os
from html import escape
from typing import Callable, List, NamedTuple, Sequence, Tuple

from ...common.display_names import client_name, columns, cut_middle, file_name, shown, wrapped
from ..decision import Writer
from ..document.disk import BYTES_SETTING, LINES_SETTING, Kind, Original
from ..document.text import ProposedText
from .markup import (
    ACCEPT,
    AS_PROPOSED,
    NEXT,
    PREVIOUS,
    REJECT,
    RELOAD,
    WHITESPACE,
    document,
    link,
    padded,
    space,
    stamped,
)

CERTAIN = 0.95  # of a row's width can be filled, whatever font the editor takes
_FEWEST_COLUMNS, _USUAL_COLUMNS = 6, 60


class Header(NamedTuple):
    """How things stand with a review.

    `columns` fit into a row. `place` is the folder that the file is in, as the workspace calls it. `generation` is that
    of the proposal: links say it, so that one of an older proposal is known. `name`, `client` and the sentences may
    hold anything: what is hidden in them is shown, what is too long is cut.
    """

    name: str
    client: str
    columns: int
    place: str = ""
    generation: int = 0
    accept: str = "Accept"
    reject: str = "Reject"
    notes: Tuple[str, ...] = ()
    # The file. `contents` says what it and the proposal are if one of them is no text, `original_notice` what it is
    # like; `unreadable`: what it holds is not known.
    new_file: bool = False
    contents: str = ""
    original_notice: str = ""
    unreadable: bool = False
    unsaved: bool = False
    changed_on_disk: bool = False
    reading_failed: bool = False  # why is in the log
    # The comparison. `current` counts from 1, and is 0 if the caret is in no change. `hidden` are the changes of
    # whitespace that are not marked; with `whitespace_shown` they are, in this review only.
    compared: bool = False
    added: int = 0
    removed: int = 0
    current: int = 0
    changes: int = 0
    hidden: int = 0
    whitespace_shown: bool = False
    coarse: bool = False
    too_large: bool = False  # the proposal, for a comparison
    comparison_failed: bool = False  # why is in the log
    # The decision. `problem` says why the text could not be written. `edits_stay`: the proposal was edited, and its
    # client writes it without the edits.
    problem: str = ""
    writer: Writer = Writer.CLIENT
    emptied: bool = False
    edits_stay: bool = False


class HeaderNotice(NamedTuple):
    """A sentence in the header, with a link behind it if `link` is not empty. A `risk` has a warning sign."""

    sentence: str
    link: str = ""
    caption: str = ""
    risk: bool = True


def notices(now: Header) -> List[HeaderNotice]:
    """The warnings, the most pressing first, and the notes."""
    client, writer = now.client, now.writer
    compare_again, writes_itself = (RELOAD, "Compare again"), "Accept writes the file itself."
    too_long = "The proposal is too long: shown without a comparison."
    raise_limits = f"Raise {BYTES_SETTING} or {LINES_SETTING} to have"
    has_changed = "has changed on disk since the diff was opened."
    keeps_its_own = "writes its own proposal: your edits can only be saved over it, and it is not told."
    # The first of each group that holds.
    groups: Sequence[Sequence[Tuple[object, HeaderNotice]]] = [
        [(now.problem, HeaderNotice(now.problem))],
        [(now.reading_failed, HeaderNotice("The file could not be read: Show Log says why.", *compare_again))],
        [(now.comparison_failed, HeaderNotice("The comparison failed: Show Log says why."))],
        [(now.contents, _note(now.contents))],
        [
            (now.original_notice, HeaderNotice(now.original_notice, risk=now.unreadable)),
            (now.too_large and not now.contents, _note(f"{too_long} {raise_limits} it compared.")),
            (now.coarse, _note(f"Coarse comparison: the text is long. {raise_limits} all of it compared.")),
        ],
        [(now.unsaved, HeaderNotice(f"{now.name} has unsaved edits in a tab."))],
        [(now.changed_on_disk, HeaderNotice(f"{now.name} {has_changed}", *compare_again))],
        # What is to be known of the writing of the accepted text, if it is not simply the client that writes it.
        [
            (writer is Writer.ACCEPTED_BEFORE, HeaderNotice(f"What you accepted is not saved yet: {writes_itself}")),
            (writer is Writer.CLOSED_BEFORE, _note(f"{client} was told that you closed this: {writes_itself}")),
            (writer is Writer.CLIENT_GONE, _note(f"{client} has gone: {writes_itself}")),
            (now.edits_stay, HeaderNotice(f"{client} {keeps_its_own}")),
            (now.emptied, HeaderNotice(f"{client} ignores an empty text and would write its own proposal.")),
        ],
        *[[(note, _note(note))] for note in now.notes],
        [
            (now.hidden, _note(f"{hidden_text(now.hidden)}.", WHITESPACE, "Show them")),
            (now.whitespace_shown, _note("Whitespace changes are shown in this diff.", WHITESPACE, "Hide them")),
        ],
    ]
    found = (next((notice for holds, notice in group if holds), None) for group in groups)
    return [notice for notice in found if notice is not None]


def _note(sentence: str, link: str = "", caption: str = "") -> HeaderNotice:
    return HeaderNotice(sentence, link, caption, risk=False)


def status_text(header: Header) -> str:
    """How far the user is, for the status bar, where it can be read however far the view is scrolled.

    It does not say whose diff it is: clients are named beside it.
    """
    if not header.compared:
        return ""
    where = position(header.current, header.changes, header.hidden)
    hidden = f", {hidden_text(header.hidden)}" if header.hidden and header.changes else ""
    return f"{counts_text(header.added, header.removed)}, {where}{hidden}"


def counts_text(added: int, removed: int) -> str:
    """How many lines were added and removed."""
    return f"+{added:,} \u2212{removed:,}"


def hidden_text(count: int) -> str:
    """How many changes of whitespace are not marked, in words."""
    return "1 whitespace change is hidden" if count == 1 else f"{count:,} whitespace changes are hidden"


def position(current: int, changes: int, hidden: int = 0) -> str:
    """Where the caret is among the changes, in words. `current` counts from 1; 0 is in none of them."""
    if not changes:
        return "only whitespace changes" if hidden else "no changes"
    if current:
        return f"change {current:,} of {changes:,}"
    return "1 change" if changes == 1 else f"{changes:,} changes"


def contents_notice(original: Original, proposal: ProposedText) -> str:
    """Says of a file or a proposal that is no text what both are and how long; empty if both are text."""
    if not original.format.binary and not proposal.format.binary:
        return ""
    name = os.path.basename(original.path)
    reason = "The proposal is shown without a comparison"
    if original.format.binary:
        too_large = original.kind is Kind.HUGE
        reason = f"{name} is too large to be shown" if too_large else f"{name} is a binary file and is not shown"
    contents = proposal.format.with_size(proposal.size)
    if original.kind not in (Kind.NEW, Kind.UNREADABLE):
        contents = f"{original.format.with_size(original.stamp.size)} \u2192 {contents}"
    return f"{reason}: {contents}."


def place_of(path: str, folders: Sequence[str]) -> str:
    """The folder of a file as the workspace calls it: from its folder on, whose name leads if there are several.

    Empty for what lies in the only folder itself, and the whole folder for what lies in none.
    """
    parent = os.path.dirname(path)
    for folder in sorted(folders, key=len, reverse=True):
        if parent == folder or parent.startswith(folder.rstrip(os.sep) + os.sep):
            inside = os.path.relpath(parent, folder)
            parts = [os.path.basename(folder)] if len(folders) > 1 else []
            return "/".join(parts + ([] if inside == os.curdir else inside.split(os.sep)))
    return parent


def age_text(seconds: float) -> str:
    """How long something has been waiting, in words."""
    for unit, length in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= length:
            return f"{int(seconds / length)} {unit}"
    return "just now"


def columns_of(em_width: float, width: float) -> int:
    """How many characters of the header fit side by side. Its letters may be a little wider than the text's."""
    return max(_FEWEST_COLUMNS, int(width / em_width * CERTAIN)) if em_width and width else _USUAL_COLUMNS


# -- layout -----------------------------------------------------------------------------------------------------------

_GAP, _ARROW = "   ", " \u2190 "  # between the parts of a row; before the client
_SHORTEST_PLACE = 6  # columns, with which it says something


class HeaderRow(NamedTuple):
    """One row of the header: its class, its markup, and how many columns it takes."""

    kind: str
    markup: str
    columns: int


def header_rows(header: Header) -> List[HeaderRow]:
    """The header row by row. Each fits, so that its height is known: the original's view gets as many empty rows."""
    pieces, actions = _title(header), _actions(header)
    fits = _width(pieces + actions) <= header.columns
    sentences = notices(header)
    if header.place:
        taken = pieces + actions if fits else _rows_of(pieces, header.columns)[0]
        room = header.columns - _width(taken)
        place = cut_middle(shown(header.place), room - 1) if room > _SHORTEST_PLACE else ""
        pieces[0] = _file(header, place)
        if os.path.isabs(header.place) and place != shown(header.place):
            sentences.insert(0, _note(f"The file is in {header.place}."))  # in no workspace folder
    bars = [pieces + actions]
    if not fits:
        bars = [*_rows_of(pieces, header.columns), *_rows_of(actions, header.columns)]
    rows = [("bar", bar) for bar in bars]
    for notice in sentences:
        kind, first, others = ("notice", "\u26a0 ", "\u2003 ") if notice.risk else ("note", "", "")
        lines = wrapped(shown(notice.sentence), max(1, header.columns - 4))
        rows += [(kind, [RowPiece((others if number else first) + line)]) for number, line in enumerate(lines)]
        if notice.link:
            last = [*rows[-1][1], _link_piece(stamped(notice.link, header.generation), notice.caption)]
            rows[-1:] = [(kind, row) for row in _rows_of(last, header.columns)]
    gap = "&nbsp;" * (len(_GAP) - 1) + " "
    return [HeaderRow(kind, gap.join(piece.markup for piece in row), _width(row)) for kind, row in rows]


def header_html(
    rows: Sequence[HeaderRow], line_height: float, width: float = 0.0, em_width: float = 0.0, below: int = 0
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


class RowPiece:
    """A part of a row that stays together. `dress` makes markup of its text."""

    def __init__(self, text: str, dress: Callable[[str], str] = escape) -> None:
        self.columns = columns(text)
        self.markup = dress(text)
        self._text = text
        self._dress = dress

    def cut(self, width: int) -> RowPiece:
        """The same in at most so many columns."""
        return self if self.columns <= width else RowPiece(cut_middle(self._text, width), self._dress)


def _title(header: Header) -> List[RowPiece]:
    pieces = [_file(header)]
    if header.new_file:
        pieces.append(RowPiece("new file"))
    if header.compared:
        pieces.append(RowPiece(counts_text(header.added, header.removed), _counts))
        pieces.append(RowPiece(position(header.current, header.changes, header.hidden)))
    return pieces


def _file(header: Header, place: str = "") -> RowPiece:
    """The file and its client, with the file's place in front if there is one."""
    room = header.columns - len(_ARROW)
    client = cut_middle(client_name(header.client), max(1, room // 2))
    name = cut_middle(file_name(header.name), max(1, room - columns(client)))
    folder = f"{place}/" if place else ""

    def bold_name(text: str) -> str:
        start, end = len(folder), len(folder + name)
        return f"{escape(text[:start])}<b>{escape(text[start:end])}</b>{escape(text[end:])}"

    return RowPiece(folder + name + _ARROW + client, bold_name)


def _actions(header: Header) -> List[RowPiece]:
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


def _width(pieces: Sequence[RowPiece]) -> int:
    return sum(piece.columns for piece in pieces) + len(_GAP) * (len(pieces) - 1)


def _rows_of(pieces: Sequence[RowPiece], room: int) -> List[List[RowPiece]]:
    """The pieces in as few rows of `room` columns as they fit into."""
    rows: List[List[RowPiece]] = [[]]
    for piece in (each.cut(room) for each in pieces):
        if rows[-1] and _width([*rows[-1], piece]) > room:
            rows.append([])
        rows[-1].append(piece)
    return rows


def _link_piece(href: str, caption: str, style: str = "") -> RowPiece:
    return RowPiece(caption, lambda text: link(href, escape(text), style))
