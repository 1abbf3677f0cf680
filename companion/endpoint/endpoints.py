"""The endpoints of all windows, and what there is once for all of them: hooks, shared sockets, tracking.

Rule: a window has at most one endpoint. What an earlier run left on the disk is removed before the first one announces
itself.
"""

from __future__ import annotations

from concurrent.futures import Future
from functools import partial
from typing import Any, Dict, List, Optional, Tuple

import sublime

from ..agents.registry import AGENTS
from ..comments.book import CommentBook
from ..editor.status_bar import say
from ..editor.storage import storage_folder
from ..libraries import Libraries
from ..review.reviews import Reviews
from ..runtime import Runtime
from ..terminals.launcher import Launcher
from ..unreviewed.tracking import Tracking
from .context_answers import ContextAnswers
from .deliveries import Deliveries
from .endpoint import Endpoint
from .hook_answers import HookAnswers
from .hook_gate import HookGate
from .hook_sessions import HookSessions
from .servers import SHARED, States
from .tab_origins import TabOrigins


class Endpoints:
    """Main thread only, except where noted."""

    def __init__(self, runtime: Runtime, libraries: Libraries, version: str) -> None:
        self._runtime = runtime
        self.tracking = Tracking(runtime, self._changes_listed)
        self.comment_book = CommentBook(runtime, storage_folder())
        self._libraries = libraries
        self.origins = TabOrigins(runtime)
        self._version = version
        self._by_window: Dict[int, Endpoint] = {}
        self.states: Dict[int, States] = {}
        """The states that a replaced package has left, by window id, and that no endpoint has taken over yet."""
        self.context_answers = tuple(
            ContextAnswers(runtime, agent, self.all) for agent in AGENTS if agent.dialect.transport is SHARED
        )
        """They answer agents that look for no window, but ask any that answers."""
        self.hook_gate = HookGate(runtime, self.all)
        self.deliveries = Deliveries(
            runtime,
            self.hook_gate,
            lambda endpoint: self.hook_sessions.in_window(endpoint),  # noqa: PLW0108 - made below
            Launcher(runtime),
        )
        self.comment_book.listen(self.deliveries.check_ends)
        self.hook_sessions = HookSessions(
            runtime, self.all, self.tracking, self.hook_gate, self.deliveries, partial(say, None)
        )
        self.hook_answers = HookAnswers(
            runtime,
            libraries,
            self.hook_sessions,
            storage_folder(),
            say=partial(say, None),
            changed=self.show_status,
        )
        # Those with a client: frequent events go to them alone, without asking the editor.
        self.listening: Tuple[Endpoint, ...] = ()

    @property
    def missing(self) -> Optional[str]:
        """Why no window can be served while a library is missing, as a sentence for the user."""
        return self._libraries.problem

    def all(self) -> List[Endpoint]:
        """The endpoints of all windows. Any thread."""
        return list(self._by_window.values())

    def of(self, window: Optional[sublime.Window]) -> Optional[Endpoint]:
        """The window's endpoint, or None while it has none."""
        return self._by_window.get(window.id()) if window is not None else None

    def of_review(self, view: sublime.View) -> Optional[Endpoint]:
        """The endpoint to whose reviews a view belongs, whichever window the user has dragged it into."""
        return next((each for each in self.all() if each.reviews.open_reviews.review_of(view) is not None), None)

    def _reviews_of(self, view: sublime.View) -> Optional[Reviews]:
        endpoint = self.of_review(view)
        return endpoint.reviews if endpoint is not None else None

    def show_status(self) -> None:
        """Bring the status bars of all windows up to date."""
        for endpoint in self.all():
            endpoint.show_status()

    def in_front(self) -> Optional[Endpoint]:
        """The endpoint of the window in front. If there is only one, the editor is not asked."""
        if len(self._by_window) == 1:
            return next(iter(self._by_window.values()))
        return self.of(sublime.active_window())

    def open(self, window: sublime.Window) -> Optional[Endpoint]:
        """Serve `window` if it is not served yet, and return its endpoint."""
        if not window.is_valid():
            return None
        endpoint = self._by_window.get(window.id())
        if endpoint is None:
            endpoint = Endpoint(
                window,
                self._runtime,
                self._libraries,
                self.origins,
                self._version,
                clients_changed=self._clients_changed,
                attention_changed=self._attention_changed,
                waiting=self.waiting,
                reviews_of=self._reviews_of,
                tracking=self.tracking,
                comment_book=self.comment_book,
                deliver=self.deliveries.deliver,
                take_back=self.deliveries.take_back,
                connected=lambda: self.hook_answers.connected,
                states=self.states.pop(window.id(), {}),
                reviews_changed=self.hook_gate.reviews_changed,
                scope_changed=partial(self._runtime.on_loop, self._scope_changed),
            )
            self._by_window[window.id()] = endpoint
            self.origins.note(*window.views())
            endpoint.start()
            if self.in_front() is endpoint:
                endpoint.tracker.note_front()
            self._runtime.on_loop(self._check)
        return endpoint

    def close(self, window: sublime.Window) -> None:
        """No longer serve the window; its pending reviews are rejected."""
        endpoint = self._by_window.pop(window.id(), None)
        if endpoint is not None:
            endpoint.stop(for_good=True)
            self._runtime.on_loop(self.hook_gate.release_outside)
            self._clients_changed()
            if endpoint.agents.waiting:
                self._attention_changed()
            self._runtime.on_loop(self.hook_sessions.drop_gone)

    def stop(self) -> Dict[int, Future[States]]:
        """No longer serve any window; the futures hold, by window id, what the next package can take over."""
        self._withdraw()
        stopping = {number: endpoint.stop(for_good=False) for number, endpoint in self._by_window.items()}
        self._by_window.clear()
        self.listening = ()
        return stopping

    def exit(self) -> List[Future[Any]]:
        """Stop when the editor's API may no longer be used. The endpoints are kept until the process ends: releasing
        them would call the API. Any thread but the loop's."""
        self._withdraw()
        return [*(endpoint.exit() for endpoint in self._by_window.values()), self.hook_answers.stopped]

    def edited(self, path: str) -> None:
        """The user has edited what an agent had left in a file, and saved it."""
        for endpoint in self.all():
            endpoint.comments.edited(path)

    def renew_sockets(self) -> None:
        """Create sockets in the file system again that were removed. Loop thread."""
        for endpoint in self.all():
            endpoint.servers.renew_sockets()
        self._check()

    def waiting(self) -> List[Endpoint]:
        """Those of the windows in which an agent waits for its user."""
        return [endpoint for endpoint in self._by_window.values() if endpoint.agents.waiting]

    def _attention_changed(self) -> None:
        """Each window shows which agents wait: the user sees one of the windows."""
        for endpoint in self.all():
            endpoint.show_status()

    def _changes_listed(self) -> None:
        for endpoint in self.all():
            endpoint.changes_listed()
        self.deliveries.check_ends()

    def _check(self) -> None:
        """Find out what no event tells: sockets and agents that have gone. Loop thread."""
        for answers in self.context_answers:
            answers.check()
        for endpoint in self.all():
            endpoint.agents.drop_gone()
        self.hook_sessions.drop_gone()
        self.hook_answers.check()

    def _scope_changed(self) -> None:
        """A window has other folders or settings. Loop thread."""
        self.hook_gate.release_outside()
        self.hook_sessions.drop_gone()

    def _withdraw(self) -> None:
        for answers in self.context_answers:
            answers.withdraw()
        self._runtime.on_loop(self.deliveries.end)
        self._runtime.on_loop(self.hook_gate.end)  # while agents can still be answered
        self.hook_answers.withdraw()

    def _clients_changed(self) -> None:
        self.listening = tuple(endpoint for endpoint in self._by_window.values() if endpoint.agents.any_connected)
