"""What the header says, gathered from everything that knows a part of it.

Rule: nothing is kept here. The header's wording is in `header`, that of its warnings in `notices`.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple, Optional, Sequence

from ..document.disk import Kind
from .header import CERTAIN, Header
from .notices import Circumstances, notices

if TYPE_CHECKING:
    from ..decision import Review
    from ..document.disk import Original
    from ..document.text import ProposedText
    from .analysis import Analysis
    from .file_watch import FileWatch

_FEWEST_COLUMNS, _USUAL_COLUMNS = 6, 60


class Standing(NamedTuple):
    """How things stand with a review.

    `current` is the index of the change that the caret is in. `problem` says why the text could not be written, or is
    empty. `too_large` is whether the proposal is, for a comparison. `emptied`: the user has deleted the whole text, and
    the client would write its own proposal then. `edits_stay`: the client writes its proposal without the user's edits.
    """

    review: Review
    original: Original
    file: FileWatch
    analysis: Optional[Analysis]
    current: Optional[int]
    problem: str
    too_large: bool
    emptied: bool
    edits_stay: bool
    whitespace_shown: bool = False
    comparison_failed: bool = False


def header_of(now: Standing, columns: int) -> Header:
    """The header for a review, `columns` characters wide."""
    name, client = os.path.basename(now.review.path), now.review.owner.client_name
    analysis = now.analysis
    hidden = analysis.hidden_count if analysis else 0
    circumstances = Circumstances(
        name=name,
        client=client,
        problem=now.problem,
        contents=contents_notice(now.original, now.review.proposal),
        original_notice="" if now.original.format.binary else now.original.notice,
        proposal_too_large=now.too_large,
        unsaved=now.file.unsaved,
        changed_on_disk=now.file.changed,
        orphaned=now.review.orphaned,
        accepted_before=now.review.accepted_before,
        closed_before=now.review.closed_before,
        emptied=now.emptied,
        edits_stay=now.edits_stay,
        whitespace_hidden=hidden,
        whitespace_shown=now.whitespace_shown and analysis is not None and not analysis.coarse,
        coarse=analysis is not None and analysis.coarse,
        reading_failed=now.file.reading_failed,
        comparison_failed=now.comparison_failed,
        unreadable=now.original.kind in (Kind.UNREADABLE, Kind.UNDECODABLE),
        notes=now.review.notes,
    )
    return Header(
        name=name,
        client=client,
        new_file=now.original.kind is Kind.NEW,
        compared=analysis is not None,
        added=analysis.added if analysis else 0,
        removed=analysis.removed if analysis else 0,
        current=now.current + 1 if now.current is not None else 0,
        changes=len(analysis.changes) if analysis else 0,
        notices=notices(circumstances),
        columns=columns,
        accept=now.review.words.accept,
        reject=now.review.words.reject,
        edits_stay=now.edits_stay,
        hidden=hidden,
    )


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
        contents = f"{original.format.with_size(original.signature[1])} \u2192 {contents}"
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
