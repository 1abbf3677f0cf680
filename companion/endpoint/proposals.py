"""Makes a client's proposal ready to be shown, whichever way the client asked for it.

Rule: everything is read before the views are made, so that they appear complete. The file is looked at on a disk
thread, because a network drive may hang.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..review.document.preparation import PathError, Preparation, prepare

if TYPE_CHECKING:
    from ..review.manager import ReviewManager
    from ..runtime import Runtime

PREPARE_SECONDS = 20.0  # a network drive that takes longer counts as dead


async def prepared(runtime: Runtime, reviews: ReviewManager, path: str, proposed: str) -> Preparation:
    """The proposed text and what was found out about its file. Loop thread.

    Raises `ReviewError` or `PathError`, with a sentence for the client, if it cannot be shown.
    """
    import asyncio

    file_request = await runtime.call_main(reviews.file_request, path)
    try:
        return await asyncio.wait_for(runtime.in_worker(prepare, file_request, proposed), PREPARE_SECONDS)
    except asyncio.TimeoutError:
        raise PathError("The disk does not answer: the file could not be looked at.") from None
