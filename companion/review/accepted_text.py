"""One accepted text, from the user's decision until it is in the file.

    state    what happens                                       next state
    -------  -------------------------------------------------  ----------
    TOLD     the file holds the accepted text                   ENDED
    TOLD     the file holds what the client writes, not ours    WRITING
    TOLD     the client has gone                                GOING
    TOLD     it does not write, and the rest is ours to save    SHOWN
    GOING    as for TOLD; or the client is back                 TOLD
    GOING    it has not written                                 WRITING, or SHOWN
    WRITING  the file is written                                ENDED
    WRITING  it could not be written                            SHOWN
    WRITING  the client was still at it                         TOLD, GOING
    SHOWN    the user accepts it again                          WRITING
    SHOWN    the user rejects it, or its client takes it back   ENDED
    any      the window, the package or the editor ends         LEFT

Rule: it ends when the file itself has held the text once, or when the user has decided against it. That a client has
gone on, or that time has passed, ends nothing: its process may have been suspended and never have read the answer.

A look at the file is about the client's bytes and not about what can be shown, so the review's limits do not matter.
Nor does the encoding in which the tabs or the review had the file: many clients write UTF-8 whatever it was.

The editor is not known here. Main thread only, but for the looks, which block on the disk: disk threads.
"""

from __future__ import annotations

import os
import secrets
import sys
import time
from enum import Enum
from typing import Dict, FrozenSet, Optional, Tuple

from .decision import Owner
from .document import disk
from .document.disk import Kind, Limits, Original
from .document.text import BYTE_ORDER_MARK, plain

SHORTEST_SECONDS, LONGEST_SECONDS = 0.025, 10.0
"""Between two looks at the file: at first often, since a formatter may follow the client at once."""
CHARACTERS_PER_SECOND = 2e7  # for each of them the next look waits longer: a long file is not read all the time
GONE_SECONDS = 2.0  # that a client may take to write after it has gone
PATIENCE_SECONDS = 30.0  # that a client may take while edits of the user wait for it
WRITTEN_UNASKED_SECONDS = 60.0
"""A client that goes within that time was to write. One that goes later may have been told not to, in its terminal."""

SLACK_BYTES = 1 << 16
"""A file that is larger than the text by more than this does not hold it."""
_COARSE_NANOSECONDS = 2 * 10**9  # two changes so close to each other may bear the same time


class Holder(Enum):
    """Who has the text."""

    TOLD = "the client was told, and writes"
    GOING = "the client has gone, and may just be writing"
    WRITING = "we write it"
    SHOWN = "the user, in a review"
    LEFT = "the disk keeps it for another window, or for the next run"
    ENDED = "nobody: it was written, or given up by the user"


_ALWAYS = frozenset({Holder.LEFT, Holder.ENDED})
TRANSITIONS: Dict[Holder, FrozenSet[Holder]] = {
    Holder.TOLD: _ALWAYS | {Holder.GOING, Holder.WRITING, Holder.SHOWN},
    Holder.GOING: _ALWAYS | {Holder.TOLD, Holder.WRITING, Holder.SHOWN},
    Holder.WRITING: _ALWAYS | {Holder.TOLD, Holder.GOING, Holder.SHOWN},
    Holder.SHOWN: _ALWAYS | {Holder.WRITING},
    Holder.LEFT: frozenset(),
    Holder.ENDED: frozenset(),
}


class AcceptedText:
    """What the user accepted for one file.

    `awaited` is what the client writes; None if it is the accepted text. `original` is the file as it was reviewed, if
    that is known. `name` is that of the file in which the text is kept.
    """

    def __init__(
        self,
        state: Holder,
        owner: Owner,
        path: str,
        text: str,
        original: Optional[Original] = None,
        *,
        awaited: Optional[str] = None,
        name: str = "",
    ) -> None:
        self.state = state
        self.owner = owner
        self.path = path
        self.text = text
        self.original = original
        self.awaited = awaited
        self.name = name or secrets.token_hex(8)
        self.looks = 0  # how often one was asked for
        self.looking = 0  # which of them the disk has yet to answer
        self._read_in_vain: Optional[Tuple[int, ...]] = None  # the state of the file that was
        self._told = self._since = time.monotonic()

    def go(self, state: Holder) -> bool:
        """Change the state. False if there is no way to it."""
        if state not in TRANSITIONS[self.state]:
            return False
        if state in (Holder.TOLD, Holder.GOING) and self.state is not Holder.WRITING:
            self._since = time.monotonic()
        self.state = state
        return True

    @property
    def is_awaited(self) -> bool:
        """Whether the client is to write."""
        return self.state in (Holder.TOLD, Holder.GOING)

    @property
    def pause(self) -> float:
        """In how many seconds to look at the file again: a tenth of the time that it is awaited already."""
        waited = time.monotonic() - self._since
        return min(max(SHORTEST_SECONDS, waited / 10), LONGEST_SECONDS) + len(self.text) / CHARACTERS_PER_SECOND

    @property
    def overdue(self) -> bool:
        """Whether a client that has gone will not write any more, or one that is there keeps the user's edits waiting
        for too long."""
        waited = time.monotonic() - self._since
        if self.state is Holder.GOING:
            return waited >= GONE_SECONDS
        return self.awaited is not None and waited >= PATIENCE_SECONDS

    @property
    def may_be_written_unasked(self) -> bool:
        """Whether we may write it over the reviewed file, for a client that has gone, without asking the user again."""
        return time.monotonic() - self._told < WRITTEN_UNASKED_SECONDS

    def look(self) -> Optional[Original]:
        """The file, if it holds what its client writes: the text or, in its place, what is awaited. Disk thread.

        Never raises. A file that is as it was when it was last read in vain is not read again. The very file that was
        reviewed holds nothing that is awaited: it was there before the client wrote.
        """
        state = _settled_state(self.path)
        if state is not None and state == self._read_in_vain:
            return None
        original = self.original
        encoding = original.encoding if original is not None else ""
        if self.awaited is None:
            found = find(self.path, self.text, encoding=encoding, last_line_end_matters=False)
        else:
            found = find(self.path, self.awaited, encoding=encoding)
            if found is not None and original is not None:
                unwritten = (found.identity, found.signature) == (original.identity, original.signature)
                found = None if unwritten else found
        self._read_in_vain = state if found is None else None
        return found


def _settled_state(path: str) -> Optional[Tuple[int, ...]]:
    """Numbers that change with the file; None if it is not there, or has changed so lately that they may not."""
    try:
        now = os.stat(path)
    except (OSError, ValueError):
        return None
    if time.time_ns() - max(now.st_mtime_ns, now.st_ctime_ns) <= _COARSE_NANOSECONDS:
        return None
    return now.st_dev, now.st_ino, now.st_size, now.st_mtime_ns, now.st_ctime_ns


def find(path: str, text: str, *, encoding: str = "", last_line_end_matters: bool = True) -> Optional[Original]:
    """The file, if it holds `text`, else None. Never raises.

    Neither line ends nor a byte order mark matter: clients restore those that the file had. `encoding` is the editor's
    name for what the file was in, "" if that is not known.
    """
    wanted = plain(text.lstrip(BYTE_ORDER_MARK))
    for each in dict.fromkeys((encoding, "")):
        found = disk.read(path, Limits(4 * len(wanted) + SLACK_BYTES, sys.maxsize), each)
        same = found.text == wanted
        if not last_line_end_matters:
            same = found.text.rstrip("\n") == wanted.rstrip("\n")
        if found.kind is Kind.TEXT and same:
            return found
    return None
