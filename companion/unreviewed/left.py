"""What files held when a process has ended that could not stop tracking: it was killed, or the editor quit.

Theory of operation: of what git had not committed the record has rows, and copies. Of all else that process has seen
what the commit has, which was checked out; and nothing where the commit has nothing.

Rule: of paths that the record names as unknown, because they were not looked at or too much to be kept, nothing is
guessed.

These calls block on the disk and on a process. Disk threads.
"""

from __future__ import annotations

from typing import Dict, Iterable, Iterator, Mapping, Optional, Sequence

from .content import NOTHING, Content, folders_of, identity, portions
from .copies import Copies
from .git import Repository
from .reading import FileReading
from .record import Record


class LeftContents:
    """What the files held when an earlier process looked last, which has not ended to track. Of what git had not
    committed there are rows: this is of all else."""

    def __init__(self, copies: Copies, repository: Optional[Repository], record: Record) -> None:
        """`record`: what that process has left, with the paths that are `unkept`. Raises `GitError`."""
        self._copies = copies
        self._repository = repository
        self._unknown = record.unkept or frozenset()
        self.patterns = record.patterns
        self._committed = repository.tree(record.head) if repository is not None else {}

    def missed(self, staged: Mapping[str, str]) -> Iterable[str]:
        """The paths at which there were files, of those that git has `staged` as that process has left them."""
        all_known = "/" not in self._unknown  # else some of them may have gone before
        return [path for path, each in self._committed.items() if all_known and staged.get(path) == each.identity]

    def at(self, found: Mapping[str, FileReading]) -> Dict[str, Content]:
        """What was at these paths, where that is known, and is neither what was found nor what git has now. Raises
        `GitError`."""
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
                yield content  # git leaves it alone, or nobody knows
                continue
            text = data.replace(b"\n", b"\r\n")
            name = identity(text, content.identity)
            self._copies.blobs[name] = content.identity
            yield Content(name, content.mode, len(text))
