"""One window's endpoint: its settings, servers, agents, context, reviews and discovery files, brought together.

Rules: windows share nothing in here. Everything runs on the main thread, except where noted; the runtime takes orders
to the servers and brings back their answers. The settings are the user's, narrowed by those of the window's project.
They are checked once and cached, so that reading them costs nothing; the endpoint calls `refresh` when they may have
changed.
"""

from __future__ import annotations

import logging
import os
from concurrent.futures import Future
from functools import partial
from typing import Any, Callable, Dict, FrozenSet, List, Optional, Sequence, Tuple

import sublime

from ..agents.agent import ConnectionDetails
from ..agents.dialect import Dialect
from ..agents.registry import wanted_agents, wrong_programs
from ..comments.book import CommentBook
from ..comments.sending import Told
from ..comments.window import WindowComments
from ..common.display_names import file_name
from ..common.waiting import Debounce
from ..context.tracker import ContextTracker
from ..discovery.workspace import inside_workspace
from ..editor import marks
from ..editor.scope import Scope
from ..editor.status_bar import StatusBar, say
from ..libraries import Libraries
from ..page.page import ReviewPage, remarks_of
from ..protocol.serving import Address, Hooks, Tokens
from ..protocol.tools import ToolCall, ToolResult, error_result
from ..review.decision import Outcome, Review
from ..review.events import ReviewEvents
from ..review.reviews import Reviews
from ..runtime import Runtime
from ..settings import ALWAYS_BEFORE, AS_AGENT, FILE_NAME, Settings, project_layer, read
from ..system.processes import EDITOR_PID
from ..terminals.launcher import terminal_of
from ..unreviewed.reviewing import ChangeLists, Preview
from ..unreviewed.tracking import Tracking
from .agent_window import HIDDEN, EndpointWindow
from .agents_at_work import AgentsAtWork
from .changes import WindowChanges
from .discovery_updates import DiscoveryUpdater
from .servers import PRIMARY, ServerListener, Servers, States
from .status_text import STARTING, join_names, status_text, who_waits
from .tab_origins import TabOrigins

logger = logging.getLogger("gemini_companion.endpoint")
CHOICE = "gemini_companion.review_before_writing"


class WindowSettings:
    """`window_settings()` is the current `Settings`. Any thread may ask; only the main thread refreshes."""

    def __init__(self, window: sublime.Window) -> None:
        self._window = window
        self._current = Settings()
        self._project: Any = None  # as last read

    def __call__(self) -> Settings:
        return self._current

    def refresh(self) -> List[str]:
        """Read the settings again and return a sentence for each wrong value."""
        self._project = self._window.project_data()
        reading = read(
            [
                ("the settings", sublime.load_settings(FILE_NAME).to_dict()),
                ("the project's settings", project_layer(self._project)),
            ]
        )
        self._current = reading.settings
        return [*reading.complaints, *wrong_programs(reading.settings)]

    def project_has_changed(self) -> bool:
        """Whether the project is no longer what was read. The editor has no event for that."""
        return bool(self._window.project_data() != self._project)


# -- the endpoint ------------------------------------------------------------------------------------------------------


class Endpoint:
    """What one window offers to agents."""

    agents: AgentsAtWork
    servers: Servers

    def __init__(
        self,
        window: sublime.Window,
        runtime: Runtime,
        libraries: Libraries,
        origins: TabOrigins,
        version: str,
        *,
        clients_changed: Callable[[], None],
        attention_changed: Callable[[], None],
        waiting: Callable[[], Sequence[Endpoint]],
        reviews_of: Callable[[sublime.View], Optional[Reviews]],
        tracking: Tracking,
        comment_book: CommentBook,
        deliver: Callable[[Endpoint, str, int, Told], None],
        take_back: Callable[[Endpoint], None],
        connected: Callable[[], FrozenSet[str]],
        states: States,
        reviews_changed: Callable[[], None],
        scope_changed: Callable[[], None],
    ) -> None:
        """`clients_changed` is called when the first client has connected or the last one has gone, `attention_changed`
        when other agents wait for their user; `waiting` gives the windows in which some do. `reviews_of` finds the
        reviews of any window to which a view belongs. `tracking` knows the unreviewed changes, `comment_book` the
        comments, which `deliver` sends from a window, and `take_back` takes back. `connected` gives the keys of the
        agents whose hooks lead to this editor. `states` are what the window's endpoint has left if the package was just
        replaced. `reviews_changed` is called after a review was opened or has ended, `scope_changed` when the folders
        or the settings may have changed."""
        self.window = window
        self.port: Optional[int] = None
        self.settings = WindowSettings(window)
        scope = Scope(window, runtime, self.settings)
        self._libraries = libraries
        self._runtime = runtime
        self._connected = connected
        self._waiting = waiting
        self._problems: Dict[str, Optional[str]] = {}  # by what has them
        self._stopped = False
        self._sending: Sequence[str] = ()
        self._reviews_changed, self._scope_changed = reviews_changed, scope_changed
        # What the user has chosen for this window; None: what the settings say.
        self._choice: Optional[str] = (marks.read(window.settings(), window, CHOICE) or {}).get(CHOICE)
        self._status_bar = StatusBar(window)
        # The parts need each other: a call to a part that is made later looks it up when it is made.
        self.reviews = Reviews(
            window,
            runtime=runtime,
            settings=self.settings,
            notify=self._tell_outcome,
            is_connected=lambda owner: self.agents.client(owner.session_id) is not None,
            on_count=self._on_count,
            find_elsewhere=reviews_of,
            expect=tracking.expect,
            is_inside=self._is_inside,
            reason=lambda review, said: self.comments.reason(review, said),  # noqa: PLW0108
        )
        self._comment_book = comment_book
        self.comments = WindowComments(
            scope,
            comment_book,
            lambda: self.reviews,
            lambda: self.discovery.window_folders,
            partial(deliver, self),
            partial(take_back, self),
        )
        self.changes = WindowChanges(window, self.settings, self.reviews, tracking, lambda: self.agents, self.comments)
        self.page = ReviewPage(scope, self.reviews, self.changes.reviews, self.changes.decisions, tracking)
        self.comments.places = self.page.places
        self.page.remarks = lambda path: remarks_of(comment_book.of_file(path, self.discovery.window_folders))
        self.page.has_drafts = lambda: self.comments.written
        self._comment_book.listen(self.page.follow)
        preview = Preview(self.page.begin_preview, self.page.preview, self.page.end_preview)
        self.lists = ChangeLists(window, self.changes.reviews, self.changes.decisions, preview)
        self.review_events = ReviewEvents(window, runtime, self.reviews)
        self.tracker = ContextTracker(
            scope,
            look_at_project=self.look_at_project,
            publish=lambda context: self.agents.publish_context(context),  # noqa: PLW0108
        )
        self.agents = AgentsAtWork(
            runtime,
            self.settings,
            self.reviews,
            self.tracker,
            lambda: self.servers,
            any_changed=clients_changed,
            changed=self._agents_changed,
            changed_soon=Debounce(runtime.later_on_main, lambda: self.agents.rows_changed()).mark,  # noqa: PLW0108
            attention_changed=attention_changed,
            has_terminal=lambda: terminal_of(window) is not None,
        )
        self.discovery = DiscoveryUpdater(scope, self.tracker.active_path, self._announced)
        self._agent_window = EndpointWindow(
            window, runtime, self.reviews, self.tracker, origins, self.agents, self.folders
        )
        listener = ServerListener(self._serving, self._server_problem, self.hooks)
        self.servers = Servers(runtime, libraries, listener, version, states)

    def hooks(self, dialect: Dialect) -> Hooks:
        """Whom a server of the window tells what its clients do, and who carries out their calls."""
        on_main, agents = self._runtime.on_main, self.agents
        return Hooks(
            partial(self._call, dialect),
            lambda session: on_main(agents.came, session, dialect),
            partial(on_main, agents.went),
            lambda session: on_main(agents.listed, session, dialect),
            partial(on_main, agents.process_known),
        )

    def _on_count(self) -> None:
        self._reviews_changed()
        self.comments.views.reviews_changed()
        self.page.follow()
        self.show_status()

    def _agents_changed(self) -> None:
        if not self._stopped:
            self.changes.agents_changed()
            self.show_status()

    def _announced(self, problem: Optional[str]) -> None:
        self._set_problem("discovery", problem)
        self._scope_changed()
        if not self._stopped:
            self.changes.update(self.discovery.window_folders)
            self.comments.folders_changed()

    def _tell_outcome(self, review: Review, outcome: Outcome) -> None:
        """Tell the client that asked for a review what the user has decided."""
        self.changes.sign()
        if review.ticket is not None:
            review.ticket.settle(outcome)
            return
        client = self.agents.client(review.owner.session_id)
        dialect = client.dialect if client is not None else PRIMARY
        self.servers.notify(dialect, dialect.decided(outcome.path, outcome.content), review.owner.session_id)

    async def _call(self, dialect: Dialect, call: ToolCall) -> ToolResult:
        """Carry out a call, which is a sign that its agent is at work. Loop thread."""
        self._runtime.assert_loop_thread()
        if not self.agents.is_wanted(dialect, call.session):
            return error_result(HIDDEN)
        if call.name == dialect.turn_begins:
            self.changes.turn_begins()
        self.changes.sign()
        try:
            return await dialect.call(call, self._agent_window)
        finally:
            self.changes.sign()

    # -- life ---------------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Begin to serve. Returns at once; `port` is None until the server listens."""
        self._runtime.assert_main_thread()
        self.settings_changed()
        self._runtime.on_main(self._recover)  # apart, so that the window is served even if this fails
        self.servers.start(wanted_agents(self.settings()))

    def _recover(self) -> None:
        if not self._stopped:
            self.reviews.recover()
            self.page.recover()

    def stop(self, *, for_good: bool) -> Future[States]:
        """Reject what is pending, give the window back and end the servers. `for_good`: the window closes.

        The discovery files are gone when this returns; the future holds the state that a successor can take over.
        """
        self._runtime.assert_main_thread()
        self.reviews.shutdown()
        self.page.leave()
        self._stopped = True
        self.agents.stop()
        self.changes.stop()
        self.comments.stop()
        self._comment_book.forget(self.page.follow)
        self.tracker.stop()
        self.discovery.withdraw()
        self._status_bar.clear()
        return self.servers.stop(for_good=for_good)

    def exit(self) -> Future[States]:
        """Stop while the editor quits, or after it has ended, when its API may no longer be used. Main thread, or any
        other once the editor has ended."""
        self.discovery.withdraw()
        self.reviews.exit()
        self.comments.exit()
        return self.servers.stop(for_good=True)

    def settings_changed(self) -> None:
        """Read the settings again, and say in the status bar which of them are wrong."""
        self._runtime.assert_main_thread()
        for complaint in self.settings.refresh():
            logger.warning("%s", complaint)
            say(self.window, complaint)
        self.agents.wanted_has_changed()  # before the sessions of disabled agents end with their tokens
        self.servers.admit(wanted_agents(self.settings()))
        if self.port is not None:
            self.servers.start(wanted_agents(self.settings()))
        self.changes.settings_changed()
        self.reviews.open_reviews.settings_changed()
        self.tracker.settings_changed()
        self._scope_changed()
        self.show_status()

    def workspace_changed(self) -> None:
        """Announce the window's folders again if they have changed."""
        self._runtime.assert_main_thread()
        if self.port is not None:
            self.discovery.announce(tuple(self.servers.services.values()))
            self.changes.update(self.discovery.window_folders)
            self.comments.folders_changed()

    def changes_listed(self) -> None:
        """The list of unreviewed changes is new."""
        before = self.changes.count
        self.changes.reviews.listed_anew()
        self.comments.views.files_changed((*self.changes.reviews.lists.changes, *self.changes.reviews.lists.outside))
        self.page.follow()
        if self.changes.count != before:
            self.show_status()

    def project_changed(self) -> None:
        """The window has another project, or other settings in it."""
        self.settings_changed()
        self.workspace_changed()
        self.reviews.open_reviews.note_project()
        self.reviews.recover()
        self.page.recover()

    def look_at_project(self) -> None:
        """Check whether the window has another project, or other settings in it: the editor has no event for that."""
        if self.reviews.project_has_changed():
            self.project_changed()
        elif self.settings.project_has_changed():
            self.settings_changed()

    # -- questions ----------------------------------------------------------------------------------------------------

    @property
    def problem(self) -> Optional[str]:
        """The first problem, as a sentence for the user; None if all is well. Libraries come first."""
        return next((each for each in (self._libraries.problem, *self._problems.values()) if each is not None), None)

    @property
    def reviews_every_write(self) -> bool:
        """Whether the user reviews each write of an agent, whatever mode it is in. Any thread."""
        return (self._choice or self.settings().review_before_writing) == ALWAYS_BEFORE

    def review_every_write(self, always: bool) -> None:
        """Choose `reviews_every_write` for this window, over the settings. The editor keeps it with the window."""
        self._choice = ALWAYS_BEFORE if always else AS_AGENT
        marks.put(self.window.settings(), CHOICE, {CHOICE: self._choice})
        leading, agents = self._connected(), self.agents.rows() if always else []
        others = [each.name for each in agents if each.is_heard_of and each.key not in leading]
        said = "every write is reviewed" if always else "a write is reviewed if its agent asks"
        if others:
            said += f", but not those of {join_names(others)}: use “Install Agent Hooks…” for that"
        say(self.window, said)
        self.show_status()

    def folders(self) -> Tuple[str, ...]:
        """The workspace folders as announced; empty while no agent can find this window. Any thread."""
        return self.discovery.folders

    def _is_inside(self, path: str) -> bool:
        """Whether a path lies in a workspace folder; True while the folders are not known. Disk thread."""
        return not self.discovery.has_announced or inside_workspace(path, self.discovery.all_folders)

    @property
    def place(self) -> str:
        """What this window is called in another one: the name of its first folder."""
        return next((file_name(folder) for folder in self.folders()), "another window")

    def connection(self) -> Optional[ConnectionDetails]:
        """How an agent in a terminal finds this window, or None while it cannot."""
        if self.port is None or not self.folders():
            return None
        return ConnectionDetails(self.port, self.folders(), EDITOR_PID, os.pathsep, self.servers.ports())

    def why_unreachable(self) -> str:
        """Why there is no `connection` and what the user can do, as a sentence for the status bar."""
        if self.problem is not None:
            return self.problem
        self.workspace_changed()  # no event tells of a folder that was just added
        if self.port is None or not self.discovery.is_current:
            return STARTING
        return "agents cannot reach this window: open a folder or a file in it first"

    @property
    def has_to_review(self) -> bool:
        """Whether a change of an agent is unreviewed, or a comment is not sent."""
        return bool(self.changes.count or self.comments.drafts)

    def on_their_way(self, sentences: Sequence[str]) -> None:
        """These say which reviews of the window are on their way to agents."""
        if self._sending != sentences:
            self._sending = sentences
            self.show_status()

    def show_status(self) -> None:
        """Bring the status bar up to date."""
        if self._stopped:
            return
        text = status_text(
            self.agents.rows(),
            problem=self.problem,
            sharing=self.tracker.sharing,
            pending=len(self.reviews.pending()),
            held=self.reviews.held(),
            changed=self.changes.count,
            sending=self._sending,
            elsewhere=[who_waits(each.agents.waiting, each.place) for each in self._waiting() if each is not self],
            leading=self._connected() if self.reviews_every_write else None,
        )
        self._status_bar.show(text)

    # -- what the server tells ----------------------------------------------------------------------------------------

    def _serving(self, dialect: Dialect, address: Address, tokens: Tokens) -> None:
        self._runtime.assert_main_thread()
        if self._stopped:
            return
        self.servers.listens(dialect, address, tokens)
        if dialect is PRIMARY:
            self.port = address.port
            logger.info("window %s is served on port %s", self.window.id(), address.port)
        self.discovery.expire()
        self.workspace_changed()
        self.show_status()

    def _server_problem(self, dialect: Dialect, problem: Optional[str]) -> None:
        """A problem of another server than the primary one is only logged: most users have no agent that uses it."""
        if dialect is PRIMARY:
            self._set_problem("server", problem)
        elif problem is not None:
            logger.warning("%s is not served: %s", dialect.key, problem)

    def _set_problem(self, source: str, problem: Optional[str]) -> None:
        """Set the problem that `source` has, or None once it has none."""
        self._runtime.assert_main_thread()
        if self._stopped:
            return
        if problem is not None and problem != self._problems.get(source):
            say(self.window, problem)
        self._problems[source] = problem
        self.show_status()
