"""Keeps the open tool calls of agents with hooks, and attributes to them the changes that a look finds.

Theory of operation: a look notes the moment at which it begins. What a later look finds was written since that moment,
so a call vouches for it that was open then, is so still, and can write that file: a tool that writes says which files.
A call begins before the look that precedes it, and is over after the one that follows it.

A call is *doubtful* once the user was asked about it here, or its session has asked the user anything meanwhile: few
agents say about which call, and most do not tell the answer, so its end alone says that it has run. Until then nothing
is the agent's. What is found just then is certain; what was found before may be the user's, who had time to edit before
answering, and counts as both.

Rule: only `RULES` says whose a change is. Of two agents whose calls could both have written a file neither is named.
Keep All and Undo All skip changes that cannot be attributed.

Pure, but that `evidence` follows links: disk thread. All else: any thread.
"""

from __future__ import annotations

import itertools
import os
import threading
from contextlib import suppress
from copy import copy
from typing import (
    Callable,
    Dict,
    FrozenSet,
    Hashable,
    Iterable,
    List,
    Mapping,
    NamedTuple,
    Optional,
    Sequence,
    Set,
    Tuple,
)

from ..system.files import real_place


class Doer(NamedTuple):
    """An agent's title, and the first words of its prompt, at most 80 characters.

    Both are escaped, and empty where they are not known.
    """

    who: str = ""
    why: str = ""


class Origin(NamedTuple):
    """The agent and the prompt that a change comes from, if they are certain.

    `counted`: whether a part of it is an agent's. `perhaps`: whether a part of it is perhaps the user's.
    """

    who: str = ""
    why: str = ""
    counted: bool = True
    perhaps: bool = False

    def grown(self, other: Origin) -> Origin:
        """The origin of a change to which something of another origin is added."""
        named = other if other.counted else self
        if self.counted and other.counted and self.who != other.who:
            named = UNNAMED
        return Origin(named.who, named.why, self.counted or other.counted, self.perhaps or other.perhaps)


Claims = Mapping[Hashable, Origin]
"""The origin that a change gets once one of these doubtful calls has ended."""
NO_CLAIMS: Claims = {}

UNNAMED = Origin()
PERHAPS = Origin(counted=False, perhaps=True)


class Evidence(NamedTuple):
    """What a look knows of a file that has changed: the doer whose calls vouch for it, if some do; these calls, if all
    of them are `doubtful`; whether git has moved since the last look; and whether all agents tell of their calls."""

    doer: Optional[Doer] = None
    git_moved: bool = False
    only_hooked: bool = False
    doubtful: FrozenSet[Hashable] = frozenset()

    @property
    def is_certain(self) -> bool:
        """Whether an agent has certainly done it."""
        return self.doer is not None and not self.doubtful

    @property
    def origin(self) -> Origin:
        """The origin of the change, as long as no doubtful call has ended."""
        return next(origin(self) for holds, origin in RULES.values() if holds(self))

    @property
    def claims(self) -> Claims:
        """The origins that the change gets at the end of each doubtful call."""
        return dict.fromkeys(self.doubtful, Origin(*(self.doer or Doer()), perhaps=True))


# The first one that holds counts. None is asked where git can bring back both, what was there before and what is now.
RULES: Dict[str, Tuple[Callable[[Evidence], bool], Callable[[Evidence], Origin]]] = {
    "certain": (lambda seen: seen.is_certain, lambda seen: Origin(*(seen.doer or ()))),
    "perhaps yours": (lambda seen: seen.git_moved or seen.only_hooked, lambda seen: PERHAPS),
    "unhooked": (lambda seen: True, lambda seen: UNNAMED),
}


class OpenCall(NamedTuple):
    """A tool call that an agent is about to make.

    `paths`: the files that it can write, absolute, with whatever links there are; none if it can write any.
    `is_doubtful`: whether nothing but its end will say that it has run.
    """

    doer: Doer
    paths: Tuple[str, ...] = ()
    is_doubtful: bool = False


class Moment(NamedTuple):
    """A moment in some windows: all calls that have begun until then have smaller numbers.

    `only_hooked`: whether only agents that tell of their calls were at work there. `early`: since when an agent may
    have written in a folder whose first look has not ended, in nanoseconds of the wall clock, which the disk has, too;
    0 if that has ended.
    """

    number: int = 0
    windows: FrozenSet[int] = frozenset()
    calls: Optional[OpenCalls] = None
    only_hooked: bool = False
    early: int = 0

    def evidence(self, seen: Evidence) -> Callable[[str], Evidence]:
        """Give a function that adds to what was `seen`, by a file's real path, the calls that vouch for its change
        since this moment. Disk thread."""
        since = self.calls.since(self) if self.calls is not None else []
        vouching = {call.key: call.what for call in since if call.is_open and call.number < self.number}
        if not vouching:
            return lambda path: seen
        real = {call.what.paths: _real(call.what.paths) for call in since}

        def of(path: str) -> Evidence:
            def writes(each: OpenCall) -> bool:
                return not each.paths or path in real[each.paths]

            theirs = {key: each for key, each in vouching.items() if writes(each)}
            if not theirs:
                return seen
            doubtful = frozenset(key for key, each in theirs.items() if each.is_doubtful)
            doer = _joined([call.what.doer for call in since if writes(call.what)])
            return seen._replace(doer=doer, doubtful=doubtful if len(doubtful) == len(theirs) else frozenset())

        elsewhere, named = of(""), {path: of(path) for paths in real.values() for path in paths}
        return lambda path: named.get(os.path.normcase(path), elsewhere)


def _real(paths: Iterable[str]) -> FrozenSet[str]:
    """The real paths of these files, and of the links that they may replace. Disk thread."""
    found: Set[str] = set()
    for path in paths:
        with suppress(ValueError):  # no file can be called so
            found |= {os.path.realpath(path), real_place(path)}
    return frozenset(map(os.path.normcase, found))


def _joined(doers: Sequence[Doer]) -> Doer:
    """Join doers: one name for all, none for several agents; and the prompt, if all have the same."""
    if len({each.who for each in doers}) > 1:
        return Doer()
    return doers[-1] if len({each.why for each in doers}) == 1 else Doer(doers[-1].who)


class _Call:
    """A call in a window, the `number` of its beginning, and that of its end once it has `ended`."""

    def __init__(self, window: int, key: Hashable, what: OpenCall, number: int) -> None:
        self.window = window
        self.key = key
        self.what = what
        self.number = number
        self.ended = 0

    @property
    def is_open(self) -> bool:
        """Whether it has not ended."""
        return not self.ended


class OpenCalls:
    """The calls of all windows since the last time at which none was open. Beginnings, ends and moments are numbered in
    the order in which they come."""

    def __init__(self) -> None:
        self._lock = threading.Lock()  # guards what follows
        self._calls: List[_Call] = []
        self._numbers = itertools.count(1)
        self._only_hooked: Set[int] = set()

    def begins(self, window: int, key: Hashable, what: OpenCall) -> None:
        """Note that an agent is about to write, or to run a command."""
        with self._lock:
            self._calls.append(_Call(window, key, what, next(self._numbers)))

    def doubt(self, window: int, key: Hashable) -> None:
        """Note that the user is asked about an open call."""
        with self._lock:
            for call in self._open(window, key):
                call.what = call.what._replace(is_doubtful=True)

    def has_run(self, window: int, key: Hashable, just_looked: bool) -> bool:
        """Note that the agent says so. Whether that was doubtful. `just_looked`: the next look finds nothing older."""
        with self._lock:
            doubtful = [call for call in self._open(window, key) if call.what.is_doubtful]
            for call in doubtful:
                call.what = call.what._replace(is_doubtful=not just_looked)
            return bool(doubtful)

    def ended(self, window: int, key: Hashable) -> None:
        """Note that what a call has written was looked at. One that is not open has ended before."""
        with self._lock:
            for call in self._open(window, key):
                call.ended = next(self._numbers)
            if not any(call.is_open for call in self._calls):
                self._calls.clear()

    def only_hooked(self, window: int, only: bool) -> None:
        """Note whether all agents that may be at work in a window tell of their calls."""
        with self._lock:
            (self._only_hooked.add if only else self._only_hooked.discard)(window)

    def moment(self, windows: FrozenSet[int], early: int = 0) -> Moment:
        """The moment that it is now in these windows."""
        with self._lock:
            return Moment(next(self._numbers), windows, self, bool(windows) and windows <= self._only_hooked, early)

    def since(self, moment: Moment) -> List[_Call]:
        """The calls that were open at a moment, or have begun since."""
        with self._lock:
            here = [call for call in self._calls if call.window in moment.windows]
            return [copy(call) for call in here if call.is_open or call.ended > moment.number]

    def _open(self, window: int, key: Hashable) -> List[_Call]:
        """Under the lock."""
        return [call for call in self._calls if call.is_open and (call.window, call.key) == (window, key)]
