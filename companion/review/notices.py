"""What the header warns of: sentences for the user, made of how things stand.

The editor is not known here. Any thread.
"""

from __future__ import annotations

from typing import List, NamedTuple, Tuple

from .header import Notice
from .markup import RELOAD


class Circumstances(NamedTuple):
    """How things stand. `problem` says why the text could not be written, `original_notice` what the file is like."""

    name: str
    client: str
    problem: str
    original_notice: str
    proposal_too_large: bool
    unsaved: bool
    changed_on_disk: bool
    orphaned: bool
    emptied: bool


def notices(now: Circumstances) -> Tuple[Notice, ...]:
    """The warnings, the most pressing first."""
    found: List[Notice] = []
    if now.problem:
        found.append(Notice(now.problem))
    if now.original_notice:
        found.append(Notice(now.original_notice))
    elif now.proposal_too_large:
        found.append(Notice("The proposal is large: shown without a comparison."))
    if now.unsaved:
        found.append(Notice("{} has unsaved edits in a tab.".format(now.name)))
    if now.changed_on_disk:
        sentence = "{} has changed on disk since the diff was opened.".format(now.name)
        found.append(Notice(sentence, RELOAD, "Compare again"))
    if now.orphaned:
        found.append(Notice("{} has gone: Accept writes the file itself.".format(now.client)))
    elif now.emptied:
        found.append(Notice("{} ignores an empty text and would write its own proposal.".format(now.client)))
    return tuple(found)
