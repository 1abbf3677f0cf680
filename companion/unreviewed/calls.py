"""The tool calls of programs that tell of them, and so whose a change is that a look has found.

Theory of operation: a *run* of a window is a time without a moment at which no call was open. A look notes the moment
at which it begins. What a later look finds was written since that moment, so it is certain if a run that was under way
then is so still. A call begins before the look that precedes it, and is over after the one that follows it.

Rule: `RULES` says whose a change is, and nothing else does. Of two programs that had calls open none is named. What
nobody vouches for, no command takes that decides all changes.

Pure. Any thread.
"""

from __future__ import annotations

import threading
from typing import Any, Callable, Dict, FrozenSet, Hashable, Iterable, List, NamedTuple, Optional, Set, Tuple


class Doer(NamedTuple):
    """Who does something, and why: a program's title, and the first words of its prompt, at most 80 characters.

    Both are escaped, and empty where they are not known.
    """

    who: str = ""
    why: str = ""


class Origin(NamedTuple):
    """Where a change comes from: its program and the prompt, if they are certain.

    `counted`: whether a part of it is a program's. `perhaps`: whether a part of it is perhaps the user's.
    """

    who: str = ""
    why: str = ""
    counted: bool = True
    perhaps: bool = False

    def grown(self, other: Origin) -> Origin:
        """That of a change to which something is added that comes from another origin."""
        named = other if other.counted else self
        if self.counted and other.counted and self.who != other.who:
            named = UNNAMED
        return Origin(named.who, named.why, self.counted or other.counted, self.perhaps or other.perhaps)


UNNAMED = Origin()
PERHAPS = Origin(counted=False, perhaps=True)


class Evidence(NamedTuple):
    """What is known of a look: whose calls were open at every moment since the last one, if some were; whether git has
    moved since; and whether there are only programs that would tell of their calls."""

    doer: Optional[Doer] = None
    git_moved: bool = False
    only_hooked: bool = False

    @property
    def origin(self) -> Origin:
        """That of what the look finds."""
        return next(origin(self) for holds, origin in RULES.values() if holds(self))


# The first one that holds. What git can bring back, because it was committed before and is so after, none is asked for.
RULES: Dict[str, Tuple[Callable[[Evidence], bool], Callable[[Evidence], Origin]]] = {
    "certain": (lambda seen: seen.doer is not None, lambda seen: Origin(*(seen.doer or ()))),
    "perhaps yours": (lambda seen: seen.git_moved or seen.only_hooked, lambda seen: PERHAPS),
    "unhooked": (lambda seen: True, lambda seen: UNNAMED),
}


class _Run:
    """The calls of one run: those that are open, and the doers of all that have begun."""

    def __init__(self) -> None:
        self.open: Dict[Hashable, Doer] = {}
        self.begun: List[Doer] = []


class Moment:
    """A moment in some windows. `only_hooked`: whether only programs that tell of their calls were at work there."""

    def __init__(
        self, runs: Iterable[Tuple[_Run, int, Tuple[Doer, ...]]] = (), only_hooked: bool = False, lock: Any = None
    ) -> None:
        """`runs` are those under way, with the number of calls that have begun in each, and the doers of those that are
        open. `lock` guards them."""
        self._lock = lock or threading.Lock()
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
            return Moment(noted, bool(windows) and windows <= self._only_hooked, self._lock)
