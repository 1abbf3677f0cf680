"""Finds the bytes that the files of a folder held: the store has some of them, git has the others.

Theory of operation: an editor that was killed leaves a record of the last look (`LeftContents`): rows, and copies of
what git had not committed. All other files held what the commit has that was checked out, and where the commit has
nothing there was nothing.

Rule: bytes that are not known any more are None, and nothing fails. Nothing is guessed of the paths that the record
names as unknown, because they were not looked at or were too much to be kept.

These calls block on the disk and on a process. Disk threads.
"""

from __future__ import annotations

import logging
from typing import Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Set, Tuple

from .content import NOTHING, Content, folders_of, identity, portions
from .git import Repository
from .reading import COPIED_BYTES, FileReading, blob_names
from .store import Record, Store

logger = logging.getLogger("gemini_companion.unreviewed")


class Copies:
    """The bytes of one folder's files. `blobs` has the identities that git has for contents, where these differ."""

    def __init__(self, store: Store, repository: Optional[Repository]) -> None:
        self._store = store
        self._repository = repository
        self.blobs: Dict[str, str] = {}

    def data(self, content: Content) -> Optional[bytes]:
        """Find the bytes of a content; None if they are not known any more."""
        return self.all_data([content])[0]

    def all_data(self, contents: Sequence[Content]) -> List[Optional[bytes]]:
        """Find the bytes of several contents, for which git is asked once."""
        found = {content.identity: self._at_hand(content) for content in contents}
        missing = [content.identity for content in contents if content.readable and found[content.identity] is None]
        if missing and self._repository is not None:
            found.update(self._from_git(self._repository, missing))
        return [found[content.identity] for content in contents]

    def _at_hand(self, content: Content) -> Optional[bytes]:
        if not content.there:
            return b""
        return self._store.kept(content.identity) if content.readable else None

    def keep(self, content: Content, data: Optional[bytes]) -> bool:
        """Keep these bytes in the store, so that they outlive the process. Whether it has them now."""
        if data is None or len(data) > COPIED_BYTES:
            return False
        try:
            self._store.keep(content.identity, data)
        except OSError as error:
            logger.error("what a file held cannot be kept: %s", error.strerror)
            return False
        return True

    def keep_all(self, contents: Iterable[Content]) -> None:
        """Keep the bytes of these in the store, those that git has, too."""
        lacking = [each for each in contents if each.there and each.readable and not self._store.has(each.identity)]
        for portion in portions(dict.fromkeys(lacking), lambda content: content.size):
            for content, data in zip(portion, self.all_data(portion)):
                self.keep(content, data)

    def touch(self, contents: Iterable[Content]) -> None:
        """Have the store keep the bytes of these for longer."""
        for content in contents:
            self._store.touch(content.identity)

    def has(self, content: Content) -> bool:
        """Whether the store has it."""
        return content.there and self._store.has(content.identity)

    def secure(self, contents: Iterable[Content]) -> Set[str]:
        """Write the bytes of these to the store, on the disk itself. The identities of those whose bytes are known.

        Raises `OSError` if they cannot be written.
        """
        known: Set[str] = set()

        def texts() -> Iterator[Tuple[str, bytes]]:
            for portion in portions(dict.fromkeys(contents), lambda content: content.size):
                for content, data in zip(portion, self.all_data(portion)):
                    if data is not None:
                        known.add(content.identity)
                        if content.there:
                            yield content.identity, data

        self._store.secure(texts())
        return known

    def is_blob(self, content: Content, blob: str) -> bool:
        """Whether this is the blob that git has for a content; "" for no file."""
        if not content.there or not blob or not content.readable:
            return content.identity == blob
        if blob in (content.identity, self.blobs.get(content.identity)):
            return True
        return blob in blob_names(content.identity, self._at_hand(content) or b"")

    def _from_git(self, repository: Repository, names: Sequence[str]) -> Iterator[Tuple[str, bytes]]:
        blobs = repository.blobs([self.blobs.get(name, name) for name in names])
        for name in names:
            data = blobs.get(self.blobs.get(name, name), b"")
            for each in (data, data.replace(b"\n", b"\r\n")):
                if identity(each, name) == name:
                    yield name, each
                    break


# -- what another process has left -------------------------------------------------------------------------------------


class LeftContents:
    """What files without a row held at the last look of an earlier process that could not stop tracking."""

    def __init__(self, copies: Copies, repository: Optional[Repository], record: Record) -> None:
        """`record` is the one that the process has left. Raises `GitError`."""
        self._copies = copies
        self._repository = repository
        self._unknown = record.unkept or frozenset()
        self.patterns = record.patterns
        self._committed = repository.tree(record.head) if repository is not None else {}

    def missed(self, staged: Mapping[str, str]) -> Iterable[str]:
        """The paths at which there were files, of those that git still has `staged` as they were."""
        all_known = "/" not in self._unknown  # else some of them may have gone before
        return [path for path, each in self._committed.items() if all_known and staged.get(path) == each.identity]

    def at(self, found: Mapping[str, FileReading]) -> Dict[str, Content]:
        """What was at these paths, where that is known and is neither what was found there now nor what git has now.

        Raises `GitError`.
        """
        known: Dict[str, Content] = {}
        for path, (now, _, blob, _) in found.items():
            before = self._at(path)
            if before is not None and now.readable and (not blob or blob == before.identity != now.identity):
                known[path] = before._replace(mode=now.mode or before.mode)
        committed = [path for path, before in known.items() if before.there]
        if committed and self._repository is not None:
            crlf = self._repository.with_crlf(committed)
            for path in [path for path in crlf if found[path].blob]:
                del known[path]  # it is as it was
            for some in portions([path for path in crlf if path in known], lambda path: 0):
                known.update(zip(some, self._with_crlf([known[path] for path in some])))
        return known

    def _at(self, path: str) -> Optional[Content]:
        if path in self._unknown:
            return None
        committed = self._committed.get(path)
        if committed is not None:
            return committed if committed.readable else None
        was_seen = self._unknown.isdisjoint(f"{folder}/" for folder in ("", *folders_of(path)))
        return NOTHING if was_seen else None

    def _with_crlf(self, committed: Sequence[Content]) -> Iterator[Content]:
        for content, data in zip(committed, self._copies.all_data(committed)):
            if data is None or b"\r" in data or b"\0" in data:
                yield content  # git leaves it as it is, or its bytes are not known
                continue
            text = data.replace(b"\n", b"\r\n")
            name = identity(text, content.identity)
            self._copies.blobs[name] = content.identity
            yield Content(name, content.mode, len(text))
