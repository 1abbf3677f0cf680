"""The package's start: all of it but this module is imported and compiled on a thread of its own.

Installed by Package Control the package is a zip, whose modules are compiled at every start of the editor; the main
thread, which draws, cannot wait for that. What the editor tells meanwhile is kept, and told to the application in the
same order once it serves the windows.

Rules: this module imports next to nothing. What the thread has imported does not outlive the package: the end waits for
it a moment, and a later package waits for what is left of it before it imports anything itself.
"""

from __future__ import annotations

import enum
import sys
import threading
from typing import TYPE_CHECKING, Any, Callable, Dict, FrozenSet, Iterator, List, Optional, TypeVar

import sublime

if TYPE_CHECKING:
    from .application import Application

Answer = TypeVar("Answer")
Act = Callable[["Application"], Any]

THREAD = "gemini-companion-loading"
# The longest import of one step takes a few hundredths of a second; this is for a machine that is very busy.
END_SECONDS = 1.0
MOST_KEPT = 500  # of what is told too early


class State(enum.Enum):
    """How far the package has come."""

    LOADING = "loading"
    READY = "ready"
    ENDED = "ended"


TRANSITIONS: Dict[State, FrozenSet[State]] = {
    State.LOADING: frozenset([State.READY, State.ENDED]),
    State.READY: frozenset([State.ENDED]),
    State.ENDED: frozenset(),
}


class Startup:
    """Main thread only, except where noted. `made` is told of the application as soon as there is one."""

    def __init__(self, made: Callable[[Application], None]) -> None:
        self._made = made
        self._state = State.LOADING
        self._application: Optional[Application] = None
        self._kept: List[Act] = []
        self._thread = threading.Thread(target=self._load, name=THREAD, daemon=True)
        self._package = __name__.rpartition(".")[0]
        self._ours = {id(module) for name, module in list(sys.modules.items()) if self._is_inner(name)}

    # -- life ---------------------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Begin to import. Returns at once."""
        self._thread.start()

    def stop(self) -> None:
        """End everything. Waits at most a moment."""
        self._go(State.ENDED)
        if self._thread.is_alive():
            self._thread.join(END_SECONDS)
        if self._application is not None:
            self._application.stop()
            self._application = None

    def exit(self) -> None:
        """End for an editor that is quitting: its API may no longer be used."""
        self._go(State.ENDED)
        if self._application is not None:
            self._application.exit()

    def _go(self, state: State) -> None:
        if state in TRANSITIONS[self._state]:
            self._state = state
            if state is State.ENDED:
                self._kept.clear()

    # -- what the editor tells ----------------------------------------------------------------------------------------

    @property
    def alive(self) -> bool:
        """Whether what is told now will be heard."""
        return self._state is not State.ENDED

    def tell(self, act: Act) -> None:
        """Call `act` with the application, now or as soon as it serves."""
        if self._state is State.READY and self._application is not None:
            act(self._application)
        elif self._state is State.LOADING and len(self._kept) < MOST_KEPT:
            self._kept.append(act)

    def ask(self, question: Callable[[Application], Answer], otherwise: Answer) -> Answer:
        """What the application answers, or `otherwise` while there is none that serves."""
        if self._state is State.READY and self._application is not None:
            return question(self._application)
        return otherwise

    def edit(self, act: Act) -> None:
        """The same for an edit of ours, which may be asked for while the package ends and is over with the call."""
        if self._application is not None:
            act(self._application)

    # -- loading ------------------------------------------------------------------------------------------------------

    def _load(self) -> None:
        """The loading thread."""
        self._clear_away()
        try:
            for _ in _parts():
                if self._state is State.ENDED:
                    return
        except Exception as error:  # noqa: BLE001 - raised again where the editor shows it
            sublime.set_timeout(lambda error=error: self._failed(error), 0)  # type: ignore[misc]
        else:
            sublime.set_timeout(self._loaded, 0)

    def _clear_away(self) -> None:
        """Let a package that was unloaded while it was loading come to its end, and forget what it has imported."""
        this = threading.current_thread()
        former = [thread for thread in threading.enumerate() if thread.name == THREAD and thread is not this]
        for thread in former:
            thread.join()
        if former:
            for name, module in list(sys.modules.items()):
                if self._is_inner(name) and id(module) not in self._ours:
                    sys.modules.pop(name, None)

    def _is_inner(self, name: str) -> bool:
        return name == self._package or name.startswith(self._package + ".")

    def _loaded(self) -> None:
        if self._state is State.ENDED:
            return
        from .application import Application  # which the thread has imported

        self._application = Application()
        self._made(self._application)
        self._application.start(self._serving)

    def _serving(self) -> None:
        application = self._application
        if application is None or self._state is State.ENDED:
            return
        self._go(State.READY)
        kept, self._kept = self._kept, []
        for act in kept:
            application.runtime.on_main(act, application)  # each by itself: one that fails is reported

    def _failed(self, error: Exception) -> None:
        self._go(State.ENDED)
        raise error  # the editor says which plugin failed


def _parts() -> Iterator[None]:
    """Import the package, a part at a time, from the inside outward. Loading thread."""
    from . import log, runtime, settings  # noqa: F401

    yield
    from .agents import registry  # noqa: F401

    yield
    from .context import tracker  # noqa: F401

    yield
    from .comparison import characters  # noqa: F401

    yield
    from .review.display import presentation  # noqa: F401

    yield
    from .review import manager  # noqa: F401

    yield
    from .endpoint import endpoints  # noqa: F401

    yield
    from .diagnosis import report  # noqa: F401

    yield
    from . import application  # noqa: F401

    yield
