"""What the files of a remote hold: where the editor reviews them, and how what was accepted gets there.

A file that the editor sees under a name of its own, and that holds for it what the helper says, is reviewed where it
is. Any other (there is no mount, or it lags behind, or a link leads out of it) is reviewed in a *copy* that is made of
what the helper has read, in a private folder. After a proposal was accepted the copy follows the file: so a review
learns from the copy what its agent has written, and what is written into the copy is written to the file, if that still
holds what was read last.

Rule: what is believed of a remote's file is what the helper says. Nothing of this machine is read or written outside of
the mapped folders and the private one. Loop thread.
"""

from __future__ import annotations

import asyncio
import errno
import hashlib
import logging
import os
import shutil
from contextlib import suppress
from typing import Any, Callable, Dict, Mapping, Optional, Sequence

from ..agents.window import CannotDo
from ..review.document.disk import LIMITS
from ..runtime import Runtime
from ..system import files
from ..system.shared_folders import lies_in, share
from .channel import ChannelError, HelperAnswer
from .mapped import OUTSIDE
from .path_map import PathMap

logger = logging.getLogger("gemini_companion.remotes")

FOLLOW_SECONDS = (0.1, 0.2, 0.4, 0.8, 1.5, 3.0, 6.0, 12.0, 24.0, 24.0)
"""Pauses between two looks at a file whose agent is to write it."""

MOST_COPIED = 1 << 28
"""Bytes of the copies of one remote, all together."""

Ask = Callable[..., Any]


class RemoteFiles:
    """`folders` are the shared ones: what the remote calls each, and what the editor does, "" if it does not see it.
    `ask` asks the helper; `copies` is a folder of this remote alone. `say` shows a sentence."""

    def __init__(
        self,
        runtime: Runtime,
        ask: Ask,
        folders: Mapping[str, str],
        copies: str,
        system: str,
        say: Callable[[str], None],
    ) -> None:
        self._runtime = runtime
        self._ask = ask
        self._say = say
        self._copies = copies
        self._remote_folders = tuple(folders)
        copied = [(remote, os.path.join(copies, str(number))) for number, remote in enumerate(folders)]
        self._copied = PathMap(copied, system)
        seen = [(remote, local) for remote, local in folders.items() if local]
        self._seen = PathMap(seen, system)
        self.map = PathMap([*seen, *copied], system)
        self._closed = False
        self._sizes: Dict[str, int] = {}  # of the copies, with their names
        for _, local in seen:
            share(local)

    def folders(self) -> Sequence[str]:
        """The shared folders, by the names that they have there."""
        return self._remote_folders

    async def read(self, path: str) -> Optional[bytes]:
        """What a file of the remote holds; None if there is none. Raises `CannotDo`."""
        try:
            answer: HelperAnswer = await self._ask("read", most=LIMITS.longest + 1, path=path, bound=LIMITS.longest)
        except ChannelError as error:
            number = error.args[1] if len(error.args) > 1 else None
            if number == errno.ENOENT:
                return None
            raise CannotDo(f"The file cannot be read on its machine: {error.args[0]}.") from None
        return answer.data

    async def reviewed_at(self, path: str) -> str:
        """Where the editor reviews a file of the remote."""
        copy = self._copied.to_local(path)
        if copy is None:
            raise CannotDo(OUTSIDE)
        data = await self.read(path)
        seen = self._seen.to_local(path)
        folders = [pair.local for pair in self._seen.pairs]
        if seen is not None and await self._runtime.in_worker(_holds, seen, folders, data):
            return seen
        sizes = {**self._sizes, copy: len(copy) + len(data or b"")}
        if sum(sizes.values()) > MOST_COPIED:
            raise CannotDo("The file cannot be shown: too much of its machine is kept here until it is disconnected.")
        self._sizes = sizes
        try:
            await self._runtime.in_worker(_put, copy, data)
        except (OSError, ValueError) as error:
            raise CannotDo(f"The file cannot be shown: {getattr(error, 'strerror', None) or 'an odd name'}.") from None
        return copy

    def accepted(self, place: str) -> None:
        """A proposal for what is reviewed there was accepted. Any thread."""
        path = self._copied.to_remote(place)
        if path is not None:
            self._runtime.spawn(self._follow, path, place)

    async def _follow(self, path: str, copy: str) -> None:
        """Keep a copy and its file the same for a while, whichever of both is written."""
        known = await self._runtime.in_worker(_content, copy)
        for seconds in FOLLOW_SECONDS:
            await asyncio.sleep(seconds)
            if self._closed:
                return
            try:
                there = await self.read(path)
                here = await self._runtime.in_worker(_content, copy)
                if there != known:
                    await self._runtime.in_worker(_put, copy, there)
                    known = there
                elif here != known and here is not None:
                    digest = hashlib.sha256(known).hexdigest() if known is not None else ""
                    await self._ask("write", data=here, path=path, digest=digest)
                    known = here
            except (CannotDo, OSError) as error:
                logger.info("a copy does not follow its file: %s", error)
            except ChannelError as error:
                self._say(f"{os.path.basename(path)} is not written on its machine: {error.args[0]}")
                return

    def close(self) -> None:
        """Remove the copies; reviews of them can still be read."""
        self._closed = True
        self._runtime.use_disk(lambda cancelled: shutil.rmtree(self._copies, ignore_errors=True), then=lambda _: None)


def _holds(path: str, folders: Sequence[str], data: Optional[bytes]) -> bool:
    """Whether a file of this machine lies in one of the folders and holds just this; None: whether it is not there, but
    its folder is. Disk thread."""
    if not lies_in(path, folders):
        return False
    if data is None:
        return not os.path.lexists(path) and os.path.isdir(os.path.dirname(path))
    return _content(path, len(data)) == data


def _content(path: str, most: int = LIMITS.longest) -> Optional[bytes]:
    """What a file holds; None if it cannot be read. Disk thread."""
    with suppress(OSError, ValueError), files.opened(path, os.O_RDONLY) as (descriptor, _):
        return files.read_all(descriptor, most)
    return None


def _put(path: str, data: Optional[bytes]) -> None:
    """Make a copy. Disk thread; raises `OSError`."""
    if data is None:
        files.remove(path)
        return
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    files.write(path, data, to_disk=False)
