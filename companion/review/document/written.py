"""Whether a client has written to its file what it was to write.

Rule: this is about the client's bytes and not about what can be shown, so the review's limits do not matter. Nor does
the encoding in which the tabs or the review had the file: many clients write UTF-8 whatever it was.

The editor is not known here. These calls block on the disk. Disk threads.
"""

from __future__ import annotations

import os
import sys
import time
from typing import NamedTuple, Optional, Tuple

from . import disk
from .disk import Kind, Original
from .text import BYTE_ORDER_MARK, plain

SLACK_BYTES = 1 << 16
"""A file that is larger than the text by more than this does not hold it."""
_COARSE_NANOSECONDS = 2 * 10**9  # two changes so close to each other may bear the same time


class Sight(NamedTuple):
    """A look at the file: which one it was, in numbers that change with it, and the file if it held the text."""

    identity: Tuple[int, ...]
    found: Optional[Original] = None


def look(original: Optional[Original], path: str, text: str, awaited: Optional[str], last: Optional[Sight]) -> Sight:
    """Look whether the file holds what its client writes: `text` or, in its place, `awaited`. Never raises.

    The very file that was reviewed holds nothing that anybody has `awaited`: it was there before the client wrote.
    Only a file that has changed since the `last` look is read.
    """
    try:
        now = os.stat(path)
    except (OSError, ValueError):
        return Sight(())
    identity = (now.st_dev, now.st_ino, now.st_size, now.st_mtime_ns, now.st_ctime_ns)
    settled = time.time_ns() - max(now.st_mtime_ns, now.st_ctime_ns) > _COARSE_NANOSECONDS
    if last is not None and last.identity == identity and settled:
        return last
    encoding = original.encoding if original is not None else ""
    if awaited is None:
        return Sight(identity, find(path, text, encoding=encoding, last_line_end_matters=False))
    found = find(path, awaited, encoding=encoding)
    same = found is not None and original is not None and _is_same_file(found, original)
    return Sight(identity, None if same else found)


def find(path: str, text: str, *, encoding: str = "", last_line_end_matters: bool = True) -> Optional[Original]:
    """The file, if it holds `text`, else None. Never raises.

    Neither line ends nor a byte order mark matter: clients restore those that the file had. `encoding` is the editor's
    name for what the file was in, "" if that is not known.
    """
    wanted = plain(text.lstrip(BYTE_ORDER_MARK))
    for each in dict.fromkeys((encoding, "")):
        found = disk.read(
            path,
            maximum_bytes=4 * len(wanted) + SLACK_BYTES,
            maximum_lines=sys.maxsize,
            encoding=each,
        )
        if found.kind is Kind.TEXT and _is_same_text(found.text, wanted, last_line_end_matters):
            return found
    return None


def _is_same_text(text: str, wanted: str, last_line_end_matters: bool) -> bool:
    return text == wanted if last_line_end_matters else text.rstrip("\n") == wanted.rstrip("\n")


def _is_same_file(one: Original, other: Original) -> bool:
    return (one.identity, one.signature) == (other.identity, other.signature)
