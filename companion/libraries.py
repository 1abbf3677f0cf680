"""Checks whether the libraries that Package Control installs for this package can be imported.

On a first start they may not be installed yet, or their installation may have failed.

Rule: the package loads in any case, reports once what is missing and how to fix it, and continues as soon as the
libraries can be imported.
"""

from __future__ import annotations

import asyncio
import importlib
import logging
from typing import Any, Awaitable, Callable, List, Optional, Sequence, TypeVar

Imported = TypeVar("Imported")

logger = logging.getLogger("gemini_companion.libraries")

NEEDED = ("aiohttp", "jsonschema")
RETRY_SECONDS = 2.0
# Package Control usually finishes within seconds of the package's start, which needs no report.
SILENT_ATTEMPTS = 3


def missing_libraries() -> List[str]:
    """Names of the modules that cannot be imported. Takes long the first time: never on the main thread."""
    missing: List[str] = []
    for name in NEEDED:
        try:
            importlib.import_module(name)
        except ImportError as error:
            # It may be one of the library's own needs that is not there.
            found = (error.name or name).partition(".")[0]
            if found not in missing:
                missing.append(found)
            logger.debug("cannot import %s: %s", name, error)
    return missing


def obstacle() -> Optional[str]:
    """Why the package cannot work yet, as a sentence for the user; None if it can. Never on the main thread."""
    importlib.invalidate_caches()  # what was installed after the interpreter looked into the folder
    missing = missing_libraries()
    if not missing:
        return None
    return f"{missing_sentence(missing)}: run “Package Control: Satisfy Libraries” from the command palette"


def missing_sentence(missing: Sequence[str]) -> str:
    """The problem alone, without what to do about it."""
    if len(missing) == 1:
        return f"the library {missing[0]} is missing"
    return "the libraries {} and {} are missing".format(", ".join(missing[:-1]), missing[-1])


class Libraries:
    """The one wait of all endpoints. Loop thread, except where noted.

    `importing` calls a function on a thread for imports and returns what it returns. `changed` is called when there is
    another `problem`, or none any more. `report` gets a sentence for the user once it is clear that the problem does
    not go away by itself. Both are the caller's to bring to the main thread.
    """

    def __init__(
        self,
        importing: Callable[[Callable[[], Any]], Awaitable[Any]],
        changed: Callable[[], None],
        report: Callable[[str], None],
    ) -> None:
        self.problem: Optional[str] = None
        """Why no window can be served, as a sentence for the user, as long as that is so. Any thread may read it."""
        self._importing = importing
        self._changed = changed
        self._report = report
        self._wait: Optional[asyncio.Task[None]] = None

    async def imported(self, load: Callable[[], Imported]) -> Imported:
        """Return what `load` returns, once everything can be imported. Raises what `load` raises."""
        if self._wait is None:
            self._wait = asyncio.get_running_loop().create_task(self._check_until_found())
        await asyncio.shield(self._wait)
        result: Imported = await self._importing(load)
        return result

    async def _check_until_found(self) -> None:
        attempts = 0
        reported = None
        while True:
            problem = await self._importing(obstacle)
            if problem != self.problem:
                self.problem = problem
                self._changed()
            if problem is None:
                return
            attempts += 1
            if attempts >= SILENT_ATTEMPTS and problem != reported:
                reported = problem
                logger.warning("%s", problem)
                self._report(problem)
            await asyncio.sleep(RETRY_SECONDS)
