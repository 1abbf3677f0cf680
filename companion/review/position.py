"""Which of several files a review is, and which one comes after it.

Files belong together that are decided one after the other: those that one session proposes before the user has decided
them all, or those of one list of unreviewed changes.

The editor is not known here. Any thread.
"""

from __future__ import annotations

from typing import NamedTuple


class Position(NamedTuple):
    """The place of a review among the files that belong together.

    `number` counts from 1, those that are decided already included, and so does `total`. `following` is the path that
    the user reads of the file that comes next, empty if there is none. It may hold anything.
    """

    number: int = 1
    total: int = 1
    following: str = ""

    @property
    def file_words(self) -> str:
        """Which file it is; empty if there is only one."""
        return f"file {self.number:,} of {self.total:,}" if self.total > 1 else ""

    @property
    def next_words(self) -> str:
        """What comes next; empty if nothing does."""
        return f"Next: {self.following}" if self.following else ""
