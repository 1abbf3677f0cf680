"""The package's start: all of it but this module is imported and compiled on a thread of its own.

Installed by Package Control the package is a zip, whose modules are compiled at every start of the editor; the main
thread, which draws, cannot wait for that. What the editor tells meanwhile is kept, and told to the application in the
same order once it serves the windows.

Theory of operation: `None` in `sys.modules` in place of this package closes it: an import of one of its modules
fails. The end of a load closes it, which ends an import that is under way between two modules; a library's import
goes on to its own end. The next load keeps it closed until every thread of earlier loads that imports has ended, and
forgets what they have left. So modules of two loads never mix, and the main thread waits for no import.

Rules: this module imports next to nothing. After the start everything that imports this package, or the libraries, does
so on a thread of this module's, one at a time.
"""

from __future__ import annotations

import enum
import sys
import threading
from types import ModuleType
from typing import TYPE_CHECKING, Any, Callable, List, Optional, TypeVar

import sublime

if TYPE_CHECKING:
    from .application import Application

Answer = TypeVar("Answer")
Act = Callable[["Application"], Any]

THREAD = "gemini-companion-loading"
_THIS = sys.modules[__name__]
MOST_KEPT = 500  # of what the editor reports too early


class StartupState(enum.Enum):
    """How far the package has come. `ENDED` is final."""

    LOADING = "loading"
    READY = "ready"
    ENDED = "ended"


class Startup:
    """Main thread only, except where noted. `made` gets the application as soon as there is one."""

    def __init__(self, made: Callable[[Application], None]) -> None:
        self._made = made
        self._state = StartupState.LOADING
        self._application: Optional[Application] = None
        self._kept: List[Act] = []
        self._name = __name__.rpartition(".")[0]
        self._package = sys.modules[self._name]
        self._importing = threading.Lock()  # one at a time, for two may find each other's modules half imported
        self._ending = threading.Lock()  # guards the package's place in `sys.modules`; held for moments only

    # -- life ---------------------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Begin to import. Returns at once."""
        former = _threads()
        self._close()
        self.on_import_thread(lambda: self._load(former))

    def on_import_thread(self, job: Callable[[], None]) -> None:
        """Call `job`, which imports and does not raise, on a thread of its own. Any thread."""

        def run() -> None:
            with self._importing:
                if self.alive:
                    job()

        threading.Thread(target=run, name=THREAD, daemon=True).start()

    def stop(self) -> None:
        """End everything and forget the package's modules."""
        with self._ending:
            self._go(StartupState.ENDED)
        if self._application is not None:
            self._application.stop()
            self._application = None
        self._forget()
        if _threads():
            self._close()

    def exit(self) -> None:
        """End for an editor that is quitting: its API may no longer be used."""
        self._go(StartupState.ENDED)
        if self._application is not None:
            self._application.exit()

    def _go(self, state: StartupState) -> None:
        if self.alive:
            self._state = state
            if state is StartupState.ENDED:
                self._kept.clear()

    # -- what the editor tells ----------------------------------------------------------------------------------------

    @property
    def alive(self) -> bool:
        """Whether what the editor reports now reaches the application."""
        return self._state is not StartupState.ENDED

    def tell(self, act: Act) -> None:
        """Call `act` with the application, now or as soon as it serves."""
        if self._state is StartupState.READY and self._application is not None:
            act(self._application)
        elif self._state is StartupState.LOADING and len(self._kept) < MOST_KEPT:
            self._kept.append(act)

    def ask(self, question: Callable[[Application], Answer], otherwise: Answer) -> Answer:
        """Return the application's answer, or `otherwise` while none serves."""
        if self._state is StartupState.READY and self._application is not None:
            return question(self._application)
        return otherwise

    def edit(self, act: Act) -> None:
        """Call `act` with the application for an edit of ours, which the package may still make while it ends."""
        if self._application is not None:
            act(self._application)

    # -- loading ------------------------------------------------------------------------------------------------------

    def _load(self, former: List[threading.Thread]) -> None:
        """A thread of its own."""
        for thread in former:
            thread.join()
        try:
            if not self._open():
                return
            from . import application  # noqa: F401 - and with it all but what needs the libraries
        except Exception as error:  # noqa: BLE001 - raised again where the editor shows it
            if self.alive:  # else it was refused, or ran into what the end has taken away
                sublime.set_timeout(lambda error=error: self._failed(error), 0)  # type: ignore[misc]
        else:
            sublime.set_timeout(self._loaded, 0)

    def _close(self) -> None:
        sys.modules[self._name] = None  # type: ignore[assignment]

    def _open(self) -> bool:
        """Open the package to this load, without anything that earlier ones have left. False if it has ended."""
        with self._ending:
            if not self.alive:
                return False
            self._forget()
            for name, value in list(vars(self._package).items()):
                if isinstance(value, ModuleType) and value is not _THIS:
                    delattr(self._package, name)  # a module sets itself into its package when its import ends
            sys.modules[self._name], sys.modules[__name__] = self._package, _THIS
            return True

    def _forget(self) -> None:
        for name in list(sys.modules):
            if name == self._name or name.startswith(self._name + "."):
                sys.modules.pop(name, None)

    def _loaded(self) -> None:
        if not self.alive:
            return
        from .application import Application  # which the thread has imported

        self._application = Application(self.on_import_thread)
        self._made(self._application)
        self._application.start(self._serving)

    def _serving(self) -> None:
        application = self._application
        if application is None or not self.alive:
            return
        self._go(StartupState.READY)
        kept, self._kept = self._kept, []
        for act in kept:
            application.runtime.on_main(act, application)  # each by itself: one that fails is reported

    def _failed(self, error: Exception) -> None:
        self._go(StartupState.ENDED)
        raise error  # the editor says which plugin failed


def _threads() -> List[threading.Thread]:
    """The threads that import, or wait to, for any load."""
    return [thread for thread in threading.enumerate() if thread.name == THREAD]
