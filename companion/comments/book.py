"""The comments of every folder that a window has, for all windows: read once, written at every change.

Rule: what is in memory is what counts; the disk follows it, one write of a folder at a time. Main thread, except where
noted.
"""

from __future__ import annotations

import logging
import os
from functools import partial
from typing import Callable, Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple

from ..common.waiting import Latest
from ..runtime import Runtime
from ..system import files
from ..system.paths import relative
from ..system.platform import Platform
from .model import Comment, TextSide
from .store import CommentStore, Stored

logger = logging.getLogger("gemini_companion.comments")


class Found(NamedTuple):
    """The folder to which a file's comments belong, and what they call the file."""

    folder: str
    path: str


class _FolderComments:
    """The comments of one folder. `real` is its real path once that is known; `comments` may be added to before."""

    def __init__(self, folder: str, write: Callable[[str], object]) -> None:
        self.folder = folder
        self.real: Optional[str] = None
        self.comments: Tuple[Comment, ...] = ()
        self.left: Tuple[str, ...] = ()
        self.writing = Latest(partial(write, folder))


class CommentBook:
    """The comments of all folders."""

    def __init__(self, runtime: Runtime, storage: str) -> None:
        """`storage` is the package's folder for data of its own."""
        self._runtime = runtime
        self._store = CommentStore(storage)
        self._platform = Platform.current()
        self._folders: Dict[str, _FolderComments] = {}
        self._listeners: List[Callable[[], None]] = []
        self.any = False
        """Whether a comment stands below some line."""

    def listen(self, changed: Callable[[], None]) -> None:
        """Call this whenever comments have changed."""
        self._listeners.append(changed)

    def forget(self, changed: Callable[[], None]) -> None:
        """Call it no more."""
        self._listeners = [each for each in self._listeners if each != changed]

    # -- which there are ----------------------------------------------------------------------------------------------

    def of(self, folder: str) -> Sequence[Comment]:
        """The comments of a folder, those that were sent included."""
        known = self._folders.get(folder)
        return known.comments if known is not None else ()

    def find(self, path: str, folders: Sequence[str]) -> Optional[Found]:
        """Where the comments on a file belong, in a window with these folders: to the innermost that it lies in, else
        to the first. None in a window without a folder."""
        for folder in sorted(folders, key=len, reverse=True):
            known = self._folders.get(folder)
            name = relative(path, [folder, *([known.real] if known is not None and known.real else [])], self._platform)
            if not self._platform.path.isabs(name):
                return Found(folder, name)
        return Found(folders[0], path) if folders else None

    def of_file(self, path: str, folders: Sequence[str], side: Optional[TextSide] = None) -> List[Comment]:
        """The comments on a file that stand below its lines, in their order."""
        found = self.find(path, folders)
        if found is None:
            return []
        theirs = [each for each in self.of(found.folder) if each.shown and each.path == found.path]
        return sorted(
            (each for each in theirs if side in (None, each.side)), key=lambda each: (each.first, each.number)
        )

    # -- changing them ------------------------------------------------------------------------------------------------

    def open(self, folder: str) -> None:
        """Read what is stored of a folder, unless that was done."""
        if folder not in self._folders:
            self._folders[folder] = _FolderComments(folder, self._write)
            self._runtime.use_disk(self._read, folder, then=partial(self._opened, folder), failed=self._not_read)

    def change(self, folder: str, comments: Iterable[Comment]) -> None:
        """Let these be the comments of a folder."""
        self.open(folder)
        known, comments = self._folders[folder], tuple(comments)
        if comments != known.comments:
            known.comments = comments
            self._changed(known)

    def _changed(self, known: _FolderComments) -> None:
        self.any = any(one.shown for each in self._folders.values() for one in each.comments)
        known.writing.ask()
        for changed in self._listeners:
            changed()

    def leave_file(self, folder: str, path: str) -> None:
        """Note that a file of ours is in the user's folder, before it is made: it goes at the next start, if not
        before."""
        self.open(folder)
        self._folders[folder].left += (path,)
        self._folders[folder].writing.ask()

    def remove_file(self, folder: str, path: str) -> None:
        """Remove that file again."""

        def removed(_: bool) -> None:
            known = self._folders[folder]
            known.left = tuple(each for each in known.left if each != path)
            known.writing.ask()

        self._runtime.use_disk(lambda cancelled: files.remove(path), then=removed)

    # -- the disk -----------------------------------------------------------------------------------------------------

    def _read(self, folder: str, cancelled: object) -> Tuple[str, Stored]:
        real = os.path.realpath(folder)
        return real, self._store.read(real)

    def _opened(self, folder: str, found: Tuple[str, Stored]) -> None:
        known = self._folders[folder]
        real, stored = found
        same = next((each for each in self._folders.values() if _is_real(each, real)), None)
        if same is not None:  # a window calls it by another name: what was stored is known
            self._folders[folder] = same
            same.comments += known.comments
            same.left += known.left
            self._changed(same)
            return
        known.real = real
        known.left += tuple(stored.left)
        if stored.comments:
            self.change(folder, [*stored.comments, *known.comments])
        elif known.comments or known.left:
            known.writing.ask()
        for path in stored.left:
            self.remove_file(folder, path)

    def _not_read(self, error: Exception) -> None:
        """The comments of an earlier run cannot be read now; nothing is written over them in this one."""
        logger.error("stored comments cannot be read: %s", type(error).__name__)

    def _write(self, folder: str) -> None:
        """Write what there is now, once it is known what was stored."""
        known = self._folders[folder]
        if known.real is None:
            known.writing.answered()
            return
        stored = Stored(known.comments, known.left)
        self._runtime.use_disk(
            self._write_file,
            known.real,
            stored,
            then=partial(self._written, known),
            failed=partial(self._written, known),
        )

    def _write_file(self, real: str, stored: Stored, cancelled: object) -> None:
        self._store.write(real, stored)

    def _written(self, known: _FolderComments, problem: Optional[Exception]) -> None:
        if problem is not None:
            logger.error("comments cannot be stored: %s", type(problem).__name__)
        known.writing.answered()


def _is_real(known: _FolderComments, real: str) -> bool:
    """Whether these are the comments of the folder with this real path."""
    return known.real is not None and os.path.normcase(known.real) == os.path.normcase(real)
