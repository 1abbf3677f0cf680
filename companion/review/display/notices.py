"""What the header warns of and notes: sentences for the user, made of how things stand.

Rule: a warning is of what may be lost, or written otherwise than it is shown. Everything else is a note.

The editor is not known here. Any thread.
"""

from __future__ import annotations

from typing import Iterator, List, NamedTuple, Tuple

from ..document.disk import BYTES_SETTING, LINES_SETTING
from .header import Notice, hidden_text
from .markup import RELOAD, WHITESPACE


class Circumstances(NamedTuple):
    """How things stand.

    `problem` says why the text could not be written, `original_notice` what the file is like, and `contents` what the
    file and the proposal are if one of them is no text. `unreadable`: what the file holds is not known.
    `whitespace_hidden` are the changes of whitespace that are not marked; with `whitespace_shown` they are, in this
    review only. Why reading or comparing failed is in the log.
    """

    name: str
    client: str
    problem: str
    original_notice: str
    proposal_too_large: bool
    unsaved: bool
    changed_on_disk: bool
    orphaned: bool
    emptied: bool
    accepted_before: bool = False
    closed_before: bool = False
    edits_stay: bool = False
    contents: str = ""
    whitespace_hidden: int = 0
    whitespace_shown: bool = False
    reading_failed: bool = False
    comparison_failed: bool = False
    unreadable: bool = False
    coarse: bool = False
    notes: Tuple[str, ...] = ()


def notices(now: Circumstances) -> Tuple[Notice, ...]:
    """The warnings, the most pressing first, and the notes."""
    found: List[Notice] = list(_failures(now))
    if now.contents:
        found.append(Notice(now.contents, risk=False))
    if now.original_notice:
        found.append(Notice(now.original_notice, risk=now.unreadable))
    elif now.proposal_too_large and not now.contents:
        sentence = (
            f"The proposal is large: shown without a comparison. Raise {BYTES_SETTING} or {LINES_SETTING} for one."
        )
        found.append(Notice(sentence, risk=False))
    elif now.coarse:
        sentence = f"Coarse comparison: the text is long. Raise {BYTES_SETTING} or {LINES_SETTING} for a full one."
        found.append(Notice(sentence, risk=False))
    if now.unsaved:
        found.append(Notice(f"{now.name} has unsaved edits in a tab."))
    if now.changed_on_disk:
        sentence = f"{now.name} has changed on disk since the diff was opened."
        found.append(Notice(sentence, RELOAD, "Compare again"))
    found += _who_writes(now)
    found += [Notice(sentence, risk=False) for sentence in now.notes]
    if now.whitespace_hidden:
        found.append(Notice(f"{hidden_text(now.whitespace_hidden)}.", WHITESPACE, "Show them", risk=False))
    elif now.whitespace_shown:
        found.append(Notice("Whitespace changes are shown in this diff.", WHITESPACE, "Hide them", risk=False))
    return tuple(found)


def _who_writes(now: Circumstances) -> List[Notice]:
    """What is to be known of the writing of the accepted text, if it is not simply the client who writes it."""
    if now.accepted_before:
        return [Notice("What you accepted is not saved yet: Accept writes the file itself.")]
    if now.closed_before:
        return [Notice(f"{now.client} was told that you closed this: Accept writes the file itself.", risk=False)]
    if now.orphaned:
        return [Notice(f"{now.client} has gone: Accept writes the file itself.", risk=False)]
    if now.edits_stay:
        sentence = f"{now.client} writes its own proposal: your edits can only be saved over it, and it is not told."
        return [Notice(sentence)]
    if now.emptied:
        return [Notice(f"{now.client} ignores an empty text and would write its own proposal.")]
    return []


def _failures(now: Circumstances) -> Iterator[Notice]:
    if now.problem:
        yield Notice(now.problem)
    if now.reading_failed:
        yield Notice("The file could not be read: see the log.", RELOAD, "Compare again")
    if now.comparison_failed:
        yield Notice("The comparison failed: see the log.")
