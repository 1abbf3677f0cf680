"""What files hold, told apart by their bytes, and the paths by which they are called.

Rule: nothing is guessed. Two files that have one identity hold the same bytes; it is that of a git blob, so a file that
git has need not be kept twice. One that is too large to be read has an identity of its own, which changes with its time
stamp. Permissions alone are no change.

Pure. Any thread.
"""

from __future__ import annotations

import hashlib
import os
from typing import Callable, FrozenSet, Iterable, Iterator, List, NamedTuple, TypeVar

Item = TypeVar("Item")

PORTION_FILES = 200
PORTION_BYTES = 1 << 25
"""The most files, and bytes of them, that are in memory at once."""
_UNREAD = "?"
_SHA256_DIGITS = 64


class Content(NamedTuple):
    """What is at a path: an `identity`, "" where there is no file; a `mode`, the permission bits or 0 if they are not
    known; and a `size` in bytes.
    """

    identity: str
    mode: int = 0
    size: int = 0

    @property
    def there(self) -> bool:
        """Whether there is a file."""
        return bool(self.identity)

    @property
    def readable(self) -> bool:
        """Whether its bytes were read, so that the identity is theirs."""
        return not self.identity.startswith(_UNREAD)

    def holds(self, other: Content) -> bool:
        """Whether the bytes are the same, whatever the permissions are."""
        return self.identity == other.identity


NOTHING = Content("")
UNKNOWN = Content(_UNREAD)
"""A file of which it is not known what it held."""


def identity(data: bytes, like: str = "", kind: bytes = b"blob") -> str:
    """Compute the identity of bytes as git does: with SHA-256 if `like`, another identity, was, else with SHA-1."""
    algorithm = hashlib.sha256 if len(like) == _SHA256_DIGITS else hashlib.sha1
    digest = algorithm(b"%s %d\0" % (kind, len(data)))  # git's own identity, no protection against anybody
    digest.update(data)
    return digest.hexdigest()


def portions(items: Iterable[Item], size: Callable[[Item], int], most: int = PORTION_BYTES) -> Iterator[List[Item]]:
    """Give the items in their order, in portions of limited size; an item that is larger is one by itself."""
    portion: List[Item] = []
    total = 0
    for item in items:
        if portion and (len(portion) == PORTION_FILES or total + size(item) > most):
            yield portion
            portion, total = [], 0
        portion.append(item)
        total += size(item)
    if portion:
        yield portion


def full_path(folder: str, path: str) -> str:
    """Where a file is, by its path relative to `folder`, with `/`."""
    return os.path.join(folder, *path.split("/"))


def unread_identity(modified: int, size: int, number: int) -> str:
    """The identity of a file that is not read, by its time stamp in nanoseconds, its size, its number on the disk."""
    return f"{_UNREAD}{modified}.{size}.{number}"


def folders_of(path: str) -> FrozenSet[str]:
    """The folders that a path lies in, from its first part to its last folder."""
    parts = path.split("/")
    return frozenset("/".join(parts[:count]) for count in range(1, len(parts)))
