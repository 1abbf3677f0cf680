"""The bytes behind the identities: in memory what files hold now, in the store what is unreviewed, the rest in git.

Rule: what cannot be kept is not known any more, and says so; nothing fails because of that.

These calls block on the disk and on a process. Disk threads; one at a time.
"""

from __future__ import annotations

import logging
import zlib
from typing import Callable, Dict, Iterable, Iterator, List, Optional, Sequence, Set, Tuple

from .contents import Content, identity, portions
from .git import Repository
from .looking import COPIED_BYTES
from .store import Store

logger = logging.getLogger("gemini_companion.unreviewed")

COPIED_FILES = 2000
COPIES_BYTES = 1 << 25
_TRIED_EVERY = 1000


class Copies:
    """The bytes of one folder's files. `wanted` are the contents that memory is for; `blobs` is what git has as what,
    where the identity is another than the file's."""

    def __init__(self, store: Store, repository: Optional[Repository], wanted: Callable[[], Iterable[Content]]) -> None:
        self._store = store
        self._repository = repository
        self._wanted = wanted
        self._held: Dict[str, bytes] = {}  # compressed, by identity
        self._size = 0
        self._refused = 0  # in a row
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
        if not content.readable:
            return None
        held = self._held.get(content.identity)
        return self._store.kept(content.identity) if held is None else zlib.decompress(held)

    def hold(self, content: Content, data: bytes) -> None:
        """Hold what a file holds that git has not in memory, as far as there is room for it."""
        if content.identity not in self._held and len(data) <= COPIED_BYTES and self._has_room(len(data)):
            self._held[content.identity] = copy = zlib.compress(data, 1)
            self._size += len(copy)

    def keep(self, content: Content, data: Optional[bytes] = None) -> None:
        """Keep this in the store, so that it outlives the process, if it is given or in memory."""
        if data is None and content.identity in self._held:
            data = zlib.decompress(self._held[content.identity])
        if data is None or len(data) > COPIED_BYTES:
            return
        try:
            self._store.keep(content.identity, data)
        except OSError as error:
            logger.error("what a file held cannot be kept: %s", error.strerror)

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

    def take_back(self, content: Content) -> None:
        """Hold in memory what the store will not keep any more."""
        data = self._store.kept(content.identity)
        if data is not None:
            self.hold(content, data)

    def _has_room(self, size: int) -> bool:
        """Whether a copy of so many bytes fits, once what nobody wants any more is dropped; that is seldom tried."""
        if self._is_full(size) and self._refused % _TRIED_EVERY == 0:
            wanted = {each.identity for each in self._wanted()}
            self._held = {name: held for name, held in self._held.items() if name in wanted}
            self._size = sum(map(len, self._held.values()))
        self._refused = self._refused + 1 if self._is_full(size) else 0
        return not self._refused

    def _is_full(self, size: int) -> bool:
        return len(self._held) >= COPIED_FILES or self._size + size > COPIES_BYTES

    def _from_git(self, repository: Repository, names: Sequence[str]) -> Iterator[Tuple[str, bytes]]:
        blobs = repository.blobs([self.blobs.get(name, name) for name in names])
        for name in names:
            data = blobs.get(self.blobs.get(name, name), b"")
            for each in (data, data.replace(b"\n", b"\r\n")):
                if identity(each, name) == name:
                    yield name, each
                    break
