"""The comparison: two texts in, hunks of lines and changed characters out.

Theory of operation, from the outside in:

* `lines` cuts a text into lines and compares two lists of them, with the whitespace that counts; `characters` compares
  the two texts of one hunk, cut into words, and makes the result readable.
* `coarse` compares texts that are too long for that, by string search alone.
* Each numbers its elements and asks `matching` where they differ.
* `budget` bounds the work. A spent budget makes the result coarser, never wrong and never slow. It counts work, not
  seconds, so the same texts give the same hunks on every machine.
* `hunks` says what a hunk is, moves it to where a reader expects it, and finds blocks of lines that were only moved.
* `unified` makes a unified diff of hunks, whose lines know what they stand for.

Rules of this package: it imports nothing but the standard library's small parts, holds no state, and every function
may be called from any thread. It is pure Python, so a comparison on a worker thread shares the interpreter's lock with
the editor's main thread. Long work is done in short steps: no single call into C lasts longer than a few milliseconds,
so the main thread gets the lock soon after the interpreter's switch interval (5 ms). `cancelled` is asked as often, and
may itself sleep for a moment to let the main thread in sooner.
"""

from __future__ import annotations

from .budget import Cancelled, never
from .characters import CharacterChange, compare_characters
from .coarse import Lines, Starts, compare_coarsely
from .hunks import Hunk, HunkKind, Move, moved_blocks, put_together
from .lines import Whitespace, compare_lines, hidden_changes, hides, split_lines
from .matching import common_prefix, common_suffix

__all__ = [
    "Cancelled", "CharacterChange", "Hunk", "HunkKind", "Lines", "Move", "Starts", "Whitespace", "common_prefix",
    "common_suffix", "compare_characters", "compare_coarsely", "compare_lines", "hidden_changes", "hides",
    "moved_blocks", "never", "put_together", "split_lines",
]  # fmt: skip
