"""Random pauses where work crosses threads: orders of threads that chance seldom brings become common.

The test command's `--stress` has pytest load this file as a plugin, and each headless editor run it before its plugins
(HOST_PRELOAD). PAUSES holds the seed.
Rule: a pause is all that is added, before work is handed over and before it is done; no order that `Runtime` promises
is changed.
"""

from __future__ import annotations

import functools
import importlib.abc
import importlib.machinery
import os
import random
import sys
import time
from types import ModuleType
from typing import Any, Callable, Optional, Sequence

PAUSES = "COMPANION_PAUSES"
#: By the end of a module's name: the class in it, and its methods that hand a function over, which is that argument.
CROSSINGS = {
    "companion.runtime": ("Runtime", {"later_on_main": 2, "on_loop": 1}),
    "companion.common.workers": ("Workers", {"submit": 1}),
}
#: How often there is a pause, and for how long at most; now and then a thread does not come to its turn for longer.
SHARE, SECONDS = 0.1, 0.01
LONG_SHARE, LONG_SECONDS = 0.002, 0.3


class Pauses(importlib.abc.MetaPathFinder):
    """Pauses in the modules of CROSSINGS, once they are imported, under whatever package's name."""

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed)

    def find_spec(
        self, name: str, path: Optional[Sequence[str]], target: Optional[ModuleType] = None
    ) -> Optional[importlib.machinery.ModuleSpec]:
        """The module as other finders have it, with pauses once it has been executed."""
        wanted = next((end for end in CROSSINGS if name == end or name.endswith("." + end)), None)
        if wanted is None:
            return None
        for finder in sys.meta_path:
            spec = None if finder is self else finder.find_spec(name, path, target)
            if spec is not None and spec.loader is not None:
                self._extend(spec.loader, *CROSSINGS[wanted])
                return spec
        return None

    def _extend(self, loader: Any, class_name: str, methods: Any) -> None:
        execute = loader.exec_module

        def exec_module(module: ModuleType) -> None:
            execute(module)
            found = getattr(module, class_name)
            for name, position in methods.items():
                setattr(found, name, self._with_pauses(getattr(found, name), position))

        loader.exec_module = exec_module

    def _with_pauses(self, hand_over: Callable[..., Any], position: int) -> Callable[..., Any]:
        @functools.wraps(hand_over)
        def paused(*args: Any) -> Any:
            self._pause()
            given = list(args)
            given[position] = functools.partial(self._run, args[position])
            return hand_over(*given)

        return paused

    def _run(self, function: Callable[..., Any], *args: Any) -> Any:
        self._pause()
        return function(*args)

    def _pause(self) -> None:
        chance = self._random.random()
        if chance < LONG_SHARE:
            time.sleep(self._random.random() * LONG_SECONDS)
        elif chance < SHARE:
            time.sleep(self._random.random() * SECONDS)


if os.environ.get(PAUSES):
    sys.meta_path.insert(0, Pauses(os.environ[PAUSES]))
