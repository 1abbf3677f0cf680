"""The comments of each folder on the disk: stored at once, so that a restart or a crash takes none.

Rule: only the user can read these files, and the log never names what is in them. A file that cannot be understood is
set aside. Disk threads.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
from contextlib import suppress
from typing import Any, Dict, NamedTuple, Sequence

from ..system import files
from .model import Comment, CommentState, NoteKind, TextSide, numbers

logger = logging.getLogger("gemini_companion.comments")

FOLDER = "comments"
_SUFFIX = ".comments"
_MOST_BYTES = 1 << 24
MOST_SENT = 200
"""As many comments that were sent are kept."""


class Stored(NamedTuple):
    """What is stored of one folder. `left` are the files with the rests of long reviews, which are to be removed."""

    comments: Sequence[Comment] = ()
    left: Sequence[str] = ()


class CommentStore:
    """The files in one folder of the package's storage."""

    def __init__(self, folder: str) -> None:
        self._folder = os.path.join(folder, FOLDER)

    def read(self, folder: str) -> Stored:
        """What is stored of this real folder. Comments that waited are drafts: no session of before is known. Raises
        `OSError` where that cannot be read now."""
        path = self._path(folder)
        try:
            with files.opened(path, os.O_RDONLY) as (descriptor, _):
                found = json.loads(files.read_all(descriptor, _MOST_BYTES).decode("utf-8"))
            return Stored([_comment(each) for each in found["comments"]], [str(each) for each in found["left"]])
        except FileNotFoundError:
            return Stored()
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            logger.error("stored comments cannot be understood and are set aside: %s", type(error).__name__)
            files.set_aside(path)
            return Stored()

    def write(self, folder: str, stored: Stored) -> None:
        """Store this instead; nothing is left of a folder without comments. Raises `OSError`."""
        path = self._path(folder)
        if not stored.comments and not stored.left:
            with suppress(FileNotFoundError):
                os.unlink(path)
            return
        sent = [each for each in stored.comments if each.state is CommentState.SENT]
        forgotten = {each.number for each in sorted(sent, key=lambda each: each.sent)[:-MOST_SENT]}
        kept = [_record(each) for each in stored.comments if each.number not in forgotten]
        data = json.dumps({"folder": folder, "comments": kept, "left": list(stored.left)})
        files.write_in_folder(path, data.encode("ascii"))

    def _path(self, folder: str) -> str:
        name = hashlib.sha256(os.path.normcase(folder).encode("utf-8", "surrogatepass")).hexdigest()[:32]
        return os.path.join(self._folder, name + _SUFFIX)


def _record(comment: Comment) -> Dict[str, Any]:
    record = comment._asdict()
    record.update(side=comment.side.value, kind=comment.kind.value, state=comment.state.value)
    del record["number"], record["recent"]
    return record


def _comment(record: Dict[str, Any]) -> Comment:
    """Raises ValueError, KeyError or TypeError for what is no comment."""
    state = CommentState(record["state"])
    return Comment(
        path=_text(record["path"]),
        side=TextSide(record["side"]),
        first=int(record["first"]),
        last=int(record["last"]),
        line=_text(record["line"]),
        text=_text(record["text"]),
        kind=NoteKind(record["kind"]),
        state=CommentState.DRAFT if state is CommentState.WAITING else state,
        changed=bool(record["changed"]),
        sent=float(record["sent"]),
        number=next(numbers),
    )


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("it is no text")
    return value
