"""The comparison: two texts in, hunks of lines and changed characters out.

Theory of operation, from the outside in:

* `lines` cuts a text into lines and compares two lists of them; `characters` compares the two texts of one hunk, cut
  into `words` (very long texts are narrowed by `resynchronising` before), and `marks` makes the result readable.
* `coarse` compares texts that are too long for that, with `resynchronising` alone.
* Both number their elements and ask `matching` where they differ. That one trims what is equal at the ends
  (`prefixes`), finds `anchors` (elements that occur once on each side) and solves what is left between them exactly
  (`subsequence`: a longest common subsequence on the bits of Python's integers).
* `budget` bounds the work. A spent budget makes the result coarser, never wrong and never slow. It counts work, not
  seconds, so the same texts give the same hunks on every machine.
* `sliding` moves `hunks` to where a reader expects them.
* `whitespace` says which lines count as equal, and `moves` which blocks of lines were only moved.

Rules of this package: it imports nothing but the standard library's small parts, holds no state, and every function
may be called from any thread. It is pure Python, so a comparison on a worker thread shares the interpreter's lock with
the editor's main thread. Long work is done in short steps: no single call into C lasts longer than a few milliseconds,
so the main thread gets the lock soon after the interpreter's switch interval (5 ms). `cancelled` is asked as often, and
may itself sleep for a moment to let the main thread in sooner.
"""

from __future__ import annotations

from .budget import Cancelled, never
from .characters import compare_characters
from .coarse import Lines, Starts, compare_coarsely
from .hunks import Hunk, HunkKind
from .lines import compare_lines, split_lines
from .marks import CharacterChange
from .moves import Move, moved_blocks
from .prefixes import common_prefix, common_suffix
from .whitespace import Whitespace, hidden_changes, hides

__all__ = [
    "Cancelled",
    "CharacterChange",
    "Hunk",
    "HunkKind",
    "Lines",
    "Move",
    "Starts",
    "Whitespace",
    "common_prefix",
    "common_suffix",
    "compare_characters",
    "compare_coarsely",
    "compare_lines",
    "hidden_changes",
    "hides",
    "moved_blocks",
    "never",
    "split_lines",
]
