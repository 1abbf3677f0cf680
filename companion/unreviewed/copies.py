"""The bytes that the files of a folder held: the store has some of them, and git the others.

Rule: where the bytes are not known any more nothing fails: nobody has them.

These calls block on the disk and on a process. Disk threads.
"""

from __future__ import annotations

import logging
from typing import Dict, Iterable, Iterator, List, Optional, Sequence, Set, Tuple

from .content import Content, identity, portions
from .git import Repository
from .reading import COPIED_BYTES, blob_names
from .store import Store

logger = logging.getLogger("gemini_companion.unreviewed")


class Copies:
    """The bytes of one folder's files. `blobs` is what git has as what, if its identity is another than the file's."""

    def __init__(self, store: Store, repository: Optional[Repository]) -> None:
        self._store = store
        self._repository = repository
        self.blobs: Dict[str, str] = {}

    def data(self, content: Content) -> Optional[bytes]:
        """The bytes that a file held, or None if nobody has them any more."""
        return self.all_data([content])[0]

    def all_data(self, contents: Sequence[Content]) -> List[Optional[bytes]]:
        """The same for several files, for which git is asked once."""
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
        """Keep what these files held, of which git may have some."""
        lacking = [each for each in contents if each.there and each.readable and not self._store.has(each.identity)]
        for portion in portions(dict.fromkeys(lacking), lambda content: content.size):
            for content, data in zip(portion, self.all_data(portion)):
                self.keep(content, data)

    def touch(self, contents: Iterable[Content]) -> None:
        """Have the store keep these as if they were new."""
        for content in contents:
            self._store.touch(content.identity)

    def has(self, content: Content) -> bool:
        """Whether the store has it."""
        return content.there and self._store.has(content.identity)

    def secure(self, contents: Iterable[Content]) -> Set[str]:
        """Have these in the store, on the disk itself. Raises `OSError` if they cannot be.

        The result are the identities of those whose bytes are known.
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
        """Whether git has a content as this; "" is no file."""
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
