"""The tool calls of programs that tell of them, and so what is certain of a change: it was made while one was open.

Theory of operation: a *run* of a window is a time without a moment at which no call was open. A look notes the moment
at which it begins. What a later look finds was written since that moment, so it is certain if a run that was under way
then is so still. A call begins before the look that precedes it, and is over after the one that follows it.

Rule: of two programs that had calls open none is named.

Any thread.
"""

from __future__ import annotations

import threading
from typing import Dict, FrozenSet, Hashable, Iterable, List, NamedTuple, Optional, Set, Tuple


class Doer(NamedTuple):
    """Who does something, and why: a program's title, and the first words of its prompt, at most 80 characters.

    Both are escaped, and empty where they are not known.
    """

    who: str = ""
    why: str = ""


class _Run:
    """The calls of one run: those that are open, and the doers of all that have begun."""

    def __init__(self) -> None:
        self.open: Dict[Hashable, Doer] = {}
        self.begun: List[Doer] = []


class Moment:
    """A moment in some windows. `only_hooked`: whether only programs that tell of their calls were at work there."""

    def __init__(
        self, lock: threading.Lock, runs: Iterable[Tuple[_Run, int, Tuple[Doer, ...]]] = (), only_hooked: bool = False
    ) -> None:
        self._lock = lock
        self._runs = tuple(runs)
        self.only_hooked = only_hooked

    def doer_since(self) -> Optional[Doer]:
        """Whose calls were open at every moment since then, without a name if they were those of several programs.

        None if there was a moment without a call.
        """
        with self._lock:
            if not any(run.open for run, _, _ in self._runs):
                return None
            doers = [each for run, count, held in self._runs for each in (*held, *run.begun[count:])]
        if len({each.who for each in doers}) > 1:
            return Doer()
        return doers[-1] if len({each.why for each in doers}) == 1 else Doer(doers[-1].who)


class OpenCalls:
    """Those of all windows."""

    def __init__(self) -> None:
        self._lock = threading.Lock()  # guards what follows, and the runs
        self._runs: Dict[int, _Run] = {}  # those under way, by window
        self._only_hooked: Set[int] = set()

    def begins(self, window: int, call: Hashable, doer: Doer) -> None:
        """A program is about to write, or to run a command."""
        with self._lock:
            run = self._runs.setdefault(window, _Run())
            run.open[call] = doer
            run.begun.append(doer)

    def ended(self, window: int, call: Hashable) -> None:
        """It has done so, and what it has written was looked at. A call that is not open has ended before."""
        with self._lock:
            run = self._runs.get(window)
            if run is not None:
                run.open.pop(call, None)
                if not run.open:
                    del self._runs[window]

    def only_hooked(self, window: int, only: bool) -> None:
        """Whether all programs that may be at work in a window tell of their calls."""
        with self._lock:
            (self._only_hooked.add if only else self._only_hooked.discard)(window)

    def moment(self, windows: FrozenSet[int]) -> Moment:
        """Now, in these windows."""
        with self._lock:
            runs = [self._runs[window] for window in windows if window in self._runs]
            noted = [(run, len(run.begun), tuple(run.open.values())) for run in runs]
            return Moment(self._lock, noted, bool(windows) and windows <= self._only_hooked)
