"""Accepted texts kept on the disk until they are in their files: what the user accepted outlives the editor.

Each text is a file of its own in the package's storage, in use by the window whose text it is (`private_files.py`).
One that nobody uses was left: another window, the next run, or another editor on the same folder takes it. Its lines
are JSON: what is known of the text, and then the text in portions, so that no step keeps other threads waiting.

Rules: one that cannot be read is set aside, and never removed. One that took the place of another says so: of the two
that a process leaves that ended before it removed the older one, only the newer counts. What is asked for happens on
disk threads, in the order in which it was asked for.

The editor is not known here.
"""

from __future__ import annotations

import json
import logging
import os
import threading
import time
from collections import deque
from functools import partial
from typing import TYPE_CHECKING, Callable, Deque, Dict, List, NamedTuple, Optional, Set, Tuple

from ...system import files
from ...system.files import PrivateFile
from .text import portions

if TYPE_CHECKING:
    from ...common.workers import Computation
    from ...runtime import Runtime

logger = logging.getLogger("gemini_companion.review")

SUFFIX = ".json"


class Text(NamedTuple):
    """An accepted text, the file that it is for, and the client that proposed it: its name and its session."""

    path: str
    client: str
    content: str
    session: str = ""


class Found(NamedTuple):
    """The texts that were left, by the names under which they are kept from now on; and where those that cannot be read
    are now."""

    texts: List[Tuple[str, Text]]
    unreadable: List[str]


class KeptTexts:
    """The texts of one window. Its methods may be called on any thread and return at once, except where noted."""

    def __init__(self, runtime: Runtime, folder: str) -> None:
        self.folder = folder
        self._runtime = runtime
        self._asked: Deque[Callable[[], None]] = deque()
        self._under_way: List[Computation] = []
        self._turn = threading.Lock()  # only disk threads wait for it; guards the files
        self._files: Dict[str, PrivateFile] = {}

    def keep(self, name: str, text: Text) -> None:
        """Keep a text from now on, until `drop`, in place of what has this name. If that cannot be, it is logged."""
        self._ask(partial(self._keep, name, text))

    def drop(self, name: str) -> None:
        """The text is in its file, or given up."""
        self._ask(partial(self._drop, name))

    def leave(self) -> None:
        """Whoever comes first may have the texts."""
        self._ask(self._leave)

    def take(self, wanted: Callable[[str], bool], then: Callable[[Found], None]) -> None:
        """Take over the texts that were left, of those whose path is `wanted`. `wanted` is called on a disk thread."""
        found: List[Found] = []
        self._ask(lambda: found.append(self._take(wanted)), lambda: then(found[0]))

    def wait(self, seconds: float) -> None:
        """Wait until all that was asked for is done, for so long at most. Blocks."""
        end = time.monotonic() + seconds
        for each in self._under_way:
            each.wait(max(0.0, end - time.monotonic()))

    def _ask(self, do: Callable[[], None], then: Callable[[], None] = lambda: None) -> None:
        """Jobs run side by side; this keeps them in order: each does all that was asked for up to then."""
        self._asked.append(do)
        self._under_way = [each for each in self._under_way if not each.wait(0)]
        self._under_way.append(self._runtime.use_disk(lambda cancelled: self.catch_up(), then=lambda _: then()))

    # -- on a disk thread ---------------------------------------------------------------------------------------------

    def catch_up(self) -> None:
        """Do all that was asked for up to now. Blocks."""
        with self._turn:
            while self._asked:
                self._asked.popleft()()

    def _keep(self, name: str, text: Text) -> None:
        older = self._files.get(name)
        replaced = "" if older is None else os.path.basename(older.path)
        try:
            made = files.make(self.folder, SUFFIX, _written(text, replaced))
        except OSError as error:
            logger.error("an accepted text could not be kept: %s", error.strerror)
            return
        self._drop(name)
        self._files[name] = made

    def _drop(self, name: str) -> None:
        file = self._files.pop(name, None)
        if file is not None:
            file.remove()

    def _leave(self) -> None:
        for file in self._files.values():
            file.release()
        self._files.clear()

    def _take(self, wanted: Callable[[str], bool]) -> Found:
        found = Found([], [])
        replaced: Set[str] = set()
        for file in files.left_over(self.folder, SUFFIX):
            try:
                read = _read(file)
            except OSError as error:
                logger.error("an accepted text of an earlier run could not be read: %s", error.strerror)
                file.release()
                continue
            if read is None:
                found.unreadable.append(file.set_aside())
            elif wanted(read[0].path):
                name = os.path.basename(file.path)
                self._files[name] = file
                found.texts.append((name, read[0]))
                replaced.add(read[1])
            else:
                file.release()
        for name in replaced:
            self._drop(name)
        return found._replace(texts=[each for each in found.texts if each[0] not in replaced])


def _written(text: Text, replaced: str) -> bytes:
    lines = [{**text._replace(content="")._asdict(), "replaces": replaced}, *portions(text.content)]
    return b"\n".join([json.dumps(line).encode("ascii") for line in lines])


def _read(file: PrivateFile) -> Optional[Tuple[Text, str]]:
    """The text in a file, and the name of the file whose place it took; None if there is none that we know. Raises
    OSError."""
    head, *lines = file.read().split(b"\n")
    try:
        known = json.loads(head.decode("ascii"))
        replaced = known.pop("replaces", "")
        text = Text(**known)
        # Former releases have all of it in the first line.
        text = text._replace(content="".join([text.content, *[json.loads(line.decode("ascii")) for line in lines]]))
    except (ValueError, TypeError, AttributeError, RecursionError):
        return None
    known_all = all(isinstance(each, str) for each in [*text, replaced]) and os.path.isabs(text.path)
    return (text, replaced) if known_all else None
