"""What the header of a proposal says: the decisions, where the caret is, counts, and what to beware of.

Rules: one row says it all where there is nothing special to say; the file's name stands in the tab already. The keys
of the decisions come before everything else that a row has room for. A warning is of what may be lost, or written
otherwise than it is shown; everything else is a note. The header is laid out in rows that fit into the view, because
its height must be known: as many empty rows stand in the original's view, to keep the lines below level. minihtml would
wrap longer ones by itself, and no event says so.

The editor is not known here. Any thread.
"""

from __future__ import annotations

import os
from html import escape
from types import MappingProxyType
from typing import Callable, List, Mapping, NamedTuple, Sequence, Tuple

from ...common.display_names import client_name, columns, cut_middle, shown, wrapped
from ...system.paths import path_below
from ..decision import Position, Writer
from ..document.disk import Kind, Original
from ..document.text import ProposedText
from .mark_style import MarkStyle
from .markup import (
    ACCEPT,
    AS_PROPOSED,
    NEXT,
    PREVIOUS,
    REJECT,
    REJECT_BECAUSE,
    RELOAD,
    WHITESPACE,
    document,
    filler,
    link,
    padded,
    space,
    stamped,
)

CERTAIN = 0.95  # of a row's width can be filled, whatever font the editor takes
FORMAT_ONLY = "only the format changes"
_FEWEST_COLUMNS, _USUAL_COLUMNS = 6, 60


class Header(NamedTuple):
    """How things stand with a review.

    `columns` fit into a row. `place` is the folder that the file is in, as the workspace calls it. `generation` is that
    of the proposal: links say it, so that one of an older proposal is known. `keys` are those of the commands.
    `name`, `client` and the sentences may hold anything: what is hidden in them is shown, what is too long is cut.
    """

    name: str
    client: str
    columns: int
    place: str = ""
    generation: int = 0
    accept: str = "Accept"
    reject: str = "Reject"
    reasons: bool = False  # the client can be told why the user rejects
    keys: Mapping[str, str] = MappingProxyType({})
    notes: Tuple[str, ...] = ()
    position: Position = Position()  # among other files
    # The file. `contents` says what it and the proposal are if one of them is no text, `original_notice` what it is
    # like; `unreadable`: what it holds is not known.
    new_file: bool = False
    file_change: str = ""  # what was done to the file beside its text, in a word
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
    whole_file: Tuple[str, ...] = ()  # what changes in all of the file, beside its lines
    coarse: bool = False
    too_large: bool = False  # the proposal, for a comparison
    comparison_failed: bool = False  # why is in the log
    # The decision. `problem` says why the text could not be written. `edits_stay`: the proposal was edited, and its
    # client writes it without the edits.
    problem: str = ""
    writer: Writer = Writer.CLIENT
    emptied: bool = False
    edits_stay: bool = False

    @property
    def changes_format_only(self) -> bool:
        """Whether no line changes, but something in all of the file."""
        return bool(self.whole_file) and not self.changes and not self.hidden


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
    has_changed = "has changed on disk since the diff was opened."
    keeps_its_own = "writes its own proposal: Accept saves your edits over it, and it is not told."
    # The first of each group that holds.
    groups: Sequence[Sequence[Tuple[object, HeaderNotice]]] = [
        [(now.problem, HeaderNotice(now.problem))],
        [
            (
                now.reading_failed,
                HeaderNotice("The file could not be read: the log says why, to which Diagnose leads.", *compare_again),
            )
        ],
        [(now.comparison_failed, HeaderNotice("The comparison failed: the log says why, to which Diagnose leads."))],
        [(now.contents, _note(now.contents))],
        [
            (now.original_notice, HeaderNotice(now.original_notice, risk=now.unreadable)),
            (now.too_large and not now.contents, _note(too_long)),
            (now.coarse, _note("Coarse comparison: the text is long. What changes inside of lines is not marked.")),
        ],
        [(now.unsaved, HeaderNotice(f"{now.name} has unsaved edits in a tab."))],
        [(now.changed_on_disk, HeaderNotice(f"{now.name} {has_changed}", *compare_again))],
        # What is to be known of the writing of the accepted text, if it is not simply the client that writes it.
        [
            (writer is Writer.ACCEPTED_BEFORE, HeaderNotice(f"What you accepted is not saved yet: {writes_itself}")),
            (writer is Writer.CLOSED_BEFORE, _note(f"{client} was told that you closed this: {writes_itself}")),
            (writer is Writer.OUT_OF_REACH, _note(f"{client} cannot be reached any more: it has to ask again.")),
            (writer is Writer.CLIENT_GONE, _note(f"{client} has gone: {writes_itself}")),
            (now.edits_stay, HeaderNotice(f"{client} {keeps_its_own}", AS_PROPOSED, "Accept without them")),
            (now.emptied, HeaderNotice(f"{client} ignores an empty text and would write its own proposal.")),
        ],
        *[[(change, _note(change))] for change in now.whole_file],
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


def status_text(header: Header, with_keys: bool = False) -> str:
    """How far the user is, for the status bar, where it can be read however far the view is scrolled; `with_keys` what
    they can do, which the header says where it can be seen and has room.

    It does not say whose diff it is: clients are named beside it.
    """
    keys = with_keys or not all(_has_room(header, *decision) for decision in _decisions(header))
    sentences = [_progress_text(header), _keys_text(header) if keys else ""]
    if header.compared:
        sentences.append(shown(header.position.next_words))
    return ". ".join(filter(None, sentences))


def _progress_text(header: Header) -> str:
    if not header.compared:
        return ""
    parts = [header.file_change or FORMAT_ONLY]
    if header.changes or header.hidden or not (header.file_change or header.whole_file):
        where = position(header.current, header.changes, header.hidden)
        hidden = hidden_text(header.hidden) if header.hidden and header.changes else ""
        parts = [counts_text(header.added, header.removed), where, hidden]
    return ", ".join(filter(None, [*parts, header.position.file_words]))


def _keys_text(header: Header) -> str:
    """What the keys of the decisions do, as far as there are any."""
    pairs = ((_key(header, verb), caption.lower()) for verb, caption in _decisions(header))
    return ", ".join(f"{key} {verb}{'es' if verb.endswith('o') else 's'}" for key, verb in pairs if key)


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
        inside = path_below(folder, parent)
        if inside is not None:
            parts = _names(folder, folders) if len(folders) > 1 else []
            return "/".join(parts + (inside.split(os.sep) if inside else []))
    return parent


def _names(folder: str, folders: Sequence[str]) -> List[str]:
    """What tells one of several workspace folders from the others: its last name, or more of them if need be."""
    names, others = folder.split(os.sep), [each.split(os.sep) for each in folders if each != folder]
    return next((names[-n:] for n in range(1, len(names)) if all(names[-n:] != each[-n:] for each in others)), names)


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

_GAP = "  "  # between the parts of a row
_BUTTON_COLUMNS = 2  # that a button's padding takes, whatever the font
_LONGEST_PLACE = 40  # columns
_REASON, _FILE, _CHANGE, _ARROWS, _COUNTS = range(1, 6)  # ranks of pieces; up to the file they are never left out
_COMMANDS = {
    ACCEPT: "accept",
    REJECT: "reject",
    REJECT_BECAUSE: "reject_with_reason",
    PREVIOUS: "previous_change",
    NEXT: "next_change",
}


class HeaderRow(NamedTuple):
    """One row of the header: its class, its markup, and how many columns it takes."""

    kind: str
    markup: str
    columns: int


def header_rows(header: Header) -> List[HeaderRow]:
    """The header row by row. Each fits, so that its height is known: the original's view gets as many empty rows."""
    sentences = notices(header)
    bars = _bars(header)
    if os.path.isabs(header.place) and not any(piece.text == _who(header) for piece in bars[0]):
        sentences.insert(0, _note(f"The file is in {header.place}."))  # in no workspace folder
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


def _bars(header: Header) -> List[List[RowPiece]]:
    """The decisions with their keys, and what fits beside them; below them what else there is to say of the file.

    What finds no room is left out, the least important first: the status bar says how far the user is, and the tab
    whose proposal it is.
    """
    buttons, more, about = _buttons(header), _more(header), _about(header)
    if _width([*buttons, *more, *about]) <= header.columns:
        return [[*buttons, *more, *about]]
    least = len(_rows_of(buttons, header.columns))
    beside = list(more)
    while len(_rows_of([*buttons, *beside], header.columns)) > least:
        beside.remove(max(beside, key=_rank))
    rows = _rows_of([*buttons, *beside], header.columns)
    below = [piece for piece in more if piece not in beside]
    if os.path.isabs(header.place):
        header = header._replace(place="")  # there is a note of it
    needed = header.new_file or header.place or header.position.following
    if needed or any(piece.rank <= _FILE for piece in below):
        below += _about(header)
        while _width(below) > header.columns and _rank(max(below, key=_rank)) > _FILE:
            below.remove(max(below, key=_rank))
        rows += _rows_of(below, header.columns)
    return rows


def header_html(
    rows: Sequence[HeaderRow],
    line_height: float,
    style: MarkStyle,
    width: float = 0.0,
    em_width: float = 0.0,
    below: int = 0,
    caption: str = "",
) -> str:
    """The header's document, as wide as its view (`width` pixels), with `below` empty pixels under it, which say what
    they stand for if there is room for a `caption`."""
    css = f"""
        div.bar, div.note {{{{ background-color: color(var(--foreground) alpha(0.07)); }}}}
        div.notice {{{{ background-color: color(var(--yellowish) alpha(0.2)); }}}}
        a {{{{ text-decoration: none; }}}}
        a.accept, a.reject {{{{ padding: 0 0.4rem; border-radius: 0.3rem; color: var(--foreground); }}}}
        a.accept {{{{ background-color: color(var(--{style.added}) alpha(0.2)); }}}}
        a.reject {{{{ background-color: color(var(--{style.removed}) alpha(0.2)); }}}}
        span.added {{{{ color: var(--{style.added}); }}}}
        span.removed {{{{ color: var(--{style.removed}); }}}}
        span.faint {{{{ color: color(var(--foreground) alpha(0.6)); }}}}
    """
    # Its letters may be a little wider than the text's.
    wide = em_width / CERTAIN
    content = "".join(f"{padded(row.kind, row.columns, width, wide)}{row.markup}</div>" for row in rows)
    row, room = int(line_height), int(width - (max(1, columns(caption)) + 1) * wide)
    if caption and below >= row and room >= 0:
        content += filler(below, row, room, caption)
    else:
        content += space(below, max(0, int(width - 2 * em_width)))
    return document("gemini-companion-header", line_height, css, content)


class RowPiece:
    """A part of a row that stays together. `dress` makes markup of its text, which takes `more` columns than that.

    Where there is no room for all, those of the highest `rank` are left out first.
    """

    def __init__(self, text: str, dress: Callable[[str], str] = escape, more: int = 0, rank: int = 0) -> None:
        self.text = text
        self.rank = rank
        self.columns = columns(text) + more
        self.markup = dress(text)
        self._dress = dress
        self._more = more

    def cut(self, width: int) -> RowPiece:
        """Cut the piece to at most so many columns."""
        if self.columns <= width:
            return self
        return RowPiece(cut_middle(self.text, max(1, width - self._more)), self._dress, self._more, self.rank)


def _rank(piece: RowPiece) -> int:
    return piece.rank


def _buttons(header: Header) -> List[RowPiece]:
    """The decisions, with their keys if there is room for a button with one at all."""
    return [_button(header, verb, caption) for verb, caption in _decisions(header)]


def _decisions(header: Header) -> Sequence[Tuple[str, str]]:
    return ((ACCEPT, shown(header.accept)), (REJECT, shown(header.reject)))


def _button(header: Header, verb: str, caption: str) -> RowPiece:
    does = f"{caption}, then save my edits" if header.edits_stay and verb == ACCEPT else f"{caption} these changes"
    href, title = stamped(verb, header.generation), _title(header, verb, does)
    words = _with_key(header, verb, caption) if _has_room(header, verb, caption) else caption
    return RowPiece(words, lambda text: link(href, escape(text), verb, title), _BUTTON_COLUMNS)


def _with_key(header: Header, verb: str, caption: str) -> str:
    return " ".join(filter(None, (caption, _key(header, verb))))


def _has_room(header: Header, verb: str, caption: str) -> bool:
    """Whether a button with its key fits into a row."""
    return columns(_with_key(header, verb, caption)) + _BUTTON_COLUMNS <= header.columns


def _more(header: Header) -> List[RowPiece]:
    """What stands beside the decisions: a reason for the agent, the ways to other changes, and how far the user is."""
    pieces = []
    if header.reasons:
        because, why = stamped(REJECT_BECAUSE, header.generation), _title(header, REJECT_BECAUSE, "Reject, and say why")
        pieces.append(RowPiece("Why\u2026", lambda text: link(because, escape(text), "", why), rank=_REASON))
    if header.changes > 1:
        links = [
            link(stamped(verb, header.generation), arrow, "", _title(header, verb, f"{verb.title()} change"))
            for verb, arrow in ((PREVIOUS, "\u2191"), (NEXT, "\u2193"))
        ]
        pieces.append(RowPiece("\u2191 \u2193", lambda text: " ".join(links), rank=_ARROWS))
    return [*pieces, *_progress(header)]


def _key(header: Header, verb: str) -> str:
    return shown(header.keys.get(_COMMANDS.get(verb, ""), ""))


def _title(header: Header, verb: str, words: str) -> str:
    key = _key(header, verb)
    return f"{words} ({key})" if key else words


def _progress(header: Header) -> List[RowPiece]:
    """Which file it is, where the caret is, and how much is changed."""
    file = [RowPiece(header.position.file_words, rank=_FILE)] if header.position.file_words else []
    if not header.compared:
        return file
    if header.changes_format_only:
        return [*file, RowPiece(FORMAT_ONLY, rank=_FILE)]
    within = f"{header.current:,} of {header.changes:,}"  # nothing else is counted there, unless there are more files
    where = position(header.current, header.changes, header.hidden) if file or not header.current else within
    if header.file_change and not (header.changes or header.hidden):
        return [*file, RowPiece(header.file_change, rank=_FILE)]
    counts = RowPiece(counts_text(header.added, header.removed), _counts, rank=_COUNTS)
    return [*file, RowPiece(where, rank=_CHANGE if header.changes else _FILE), counts]


def _about(header: Header) -> List[RowPiece]:
    """What else there is to say of the file, and what comes after it."""
    following = cut_middle(shown(header.position.next_words), _LONGEST_PLACE)
    return [
        *([RowPiece("new file")] if header.new_file else []),
        RowPiece(_who(header), _faint),
        *([RowPiece(following, _faint)] if following else []),
    ]


def _who(header: Header) -> str:
    """The folder of the file, if it is not the workspace's own, and the client. One in no workspace folder is whole."""
    place = shown(header.place)
    place = place if os.path.isabs(place) else cut_middle(place, _LONGEST_PLACE)
    return f"{place} \u2190 {client_name(header.client)}".strip()


def _faint(text: str) -> str:
    return f'<span class="faint">{escape(text)}</span>'


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


def _link_piece(href: str, caption: str) -> RowPiece:
    return RowPiece(caption, lambda text: link(href, escape(text)))
