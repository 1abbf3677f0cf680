"""Whether a client has written to its file what it was to write.

Rule: this is about the client's bytes and not about what can be shown, so the review's limits do not matter. Nor does
the encoding in which the tabs or the review had the file: many clients write UTF-8 whatever it was.

The editor is not known here. These calls block on the disk. Disk threads.
"""

from __future__ import annotations

import sys
from typing import Optional

from . import disk
from .disk import Kind, Original
from .encodings import DEFAULT_FALLBACK
from .text import BYTE_ORDER_MARK, plain

SLACK_BYTES = 1 << 16
"""A file that is larger than the text by more than this does not hold it."""


def find(
    path: str, text: str, *, encoding: str = "", fallback: str = DEFAULT_FALLBACK, last_line_end_matters: bool = True
) -> Optional[Original]:
    """The file, if it holds `text`, else None. Never raises.

    Neither line ends nor a byte order mark matter: clients restore those that the file had. `encoding` is the editor's
    name for what the file was in, "" if that is not known; `fallback` is the setting `fallback_encoding`.
    """
    wanted = plain(text.lstrip(BYTE_ORDER_MARK))
    for each in dict.fromkeys((encoding, "")):
        found = disk.read(
            path,
            maximum_bytes=4 * len(wanted) + SLACK_BYTES,
            maximum_lines=sys.maxsize,
            encoding=each,
            fallback=fallback,
        )
        if found.kind is Kind.TEXT and _is_same(found.text, wanted, last_line_end_matters):
            return found
    return None


def _is_same(text: str, wanted: str, last_line_end_matters: bool) -> bool:
    return text == wanted if last_line_end_matters else text.rstrip("\n") == wanted.rstrip("\n")
