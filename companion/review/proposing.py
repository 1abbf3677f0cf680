"""Brings proposals to the screen: reads the file on a disk thread, then shows the proposal on the main thread.

Rule: the file is read before the views are made, so that a review appears complete.
"""

from __future__ import annotations

import asyncio
from typing import Callable, List, NamedTuple, Optional, Sequence, Tuple

from ..agents.window import RESTORES_ALL, Restored
from ..runtime import Runtime
from .decision import Owner, Ticket
from .document.preparation import FileRequest, PathError, Preparation, path_problem, prepare
from .document.text import ProposedText
from .reviews import Reviews

PREPARE_SECONDS = 20.0  # a network drive that takes longer counts as dead

Shown = Tuple[ProposedText, Optional[Preparation], Optional[ProposedText]]


class Proposal(NamedTuple):
    """What a client proposes for one file.

    `ticket` is the call that waits for the decision, if one does. `restored` says what of the file the client restores
    when it writes. `draft` is what the user has made of the text before, and `problem` says why they see it again.
    """

    path: str
    text: str
    ticket: Optional[Ticket] = None
    restored: Restored = RESTORES_ALL
    draft: Optional[str] = None
    problem: str = ""


async def propose(
    runtime: Runtime,
    reviews: Reviews,
    owner: Owner,
    proposals: Sequence[Proposal],
    may_show: Callable[[], bool] = lambda: True,
) -> None:
    """Show the first of these proposals as soon as its file was read; the others follow when it is their turn.

    `may_show` is asked on the main thread once the file was read; nothing is shown if it returns False or raises.
    Raises `ReviewError` or `PathError` with a sentence for the client. Loop thread.
    """
    request = await runtime.call_main(reviews.file_request, proposals[0].path)
    try:
        ready = await asyncio.wait_for(runtime.in_worker(make_ready, request, proposals), PREPARE_SECONDS)
    except asyncio.TimeoutError:
        raise PathError("The disk does not answer: the file could not be looked at.") from None

    def show() -> None:
        if may_show():
            for proposal, (text, prepared, draft) in zip(proposals, ready):
                if proposal.ticket is not None:
                    proposal.ticket.problem = proposal.problem
                reviews.open_diff(owner, proposal.path, text, prepared, proposal.ticket, draft)

    await runtime.call_main(show)


def make_ready(request: FileRequest, proposals: Sequence[Proposal]) -> List[Shown]:
    """Make the texts ready, and read the file of the first proposal, which the `request` is about. Raises `PathError`.
    Disk thread."""
    found: List[Shown] = []
    for path, text, _, restored, draft, _ in proposals:
        shown, prepared = text if draft is None else draft, None
        if not found:
            proposed, prepared = prepare(request, shown, restored)
        elif path_problem(path):
            raise PathError(path_problem(path))
        else:
            proposed = ProposedText(shown, restored)
        if shown == text:
            found.append((proposed, prepared, None))
        else:
            found.append((ProposedText(text, restored), prepared, proposed))
    return found
