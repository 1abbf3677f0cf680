"""Whether the libraries are there that Package Control installs for this package.

On a first start they may still be on their way, and an installation may have failed. Rule: the package loads all the
same, says once what is missing and which command fixes it, and goes on by itself as soon as they can be imported.
"""

from __future__ import annotations

import importlib
import logging
from typing import Callable, List, Optional

logger = logging.getLogger("gemini_companion.libraries")

NEEDED = ("aiohttp", "jsonschema")
RETRY_SECONDS = 2.0
# Package Control usually finishes within seconds of the package's own start: nobody needs to hear of that.
SILENT_ATTEMPTS = 3


def missing_libraries() -> List[str]:
    """Names of the modules that cannot be imported. Takes long the first time: never on the main thread."""
    importlib.invalidate_caches()  # what was installed after the interpreter looked into the folder
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


def sentence(missing: List[str]) -> str:
    """What the user reads."""
    return "missing {}: run “Package Control: Satisfy Libraries” from the command palette".format(", ".join(missing))


class Libraries:
    """The one wait of all endpoints. Loop thread, except that `report` is the caller's to bring to the main thread.

    `report` gets a sentence for the user once it is clear that something is missing.
    """

    def __init__(self, report: Callable[[str], None]) -> None:
        self._report = report
        self._there = False
        self._attempts = 0
        self._reported: Optional[List[str]] = None

    async def available(self) -> None:
        """Return when everything can be imported."""
        import asyncio

        while not self._there:
            missing = missing_libraries()
            if not missing:
                self._there = True
                return
            self._attempts += 1
            if self._attempts >= SILENT_ATTEMPTS and missing != self._reported:
                self._reported = missing
                logger.warning("%s", sentence(missing))
                self._report(sentence(missing))
            await asyncio.sleep(RETRY_SECONDS)
