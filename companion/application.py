"""The whole package at work: one endpoint per window, and the way from the editor's events to them.

Rule: `plugin.py` calls only this class and its `actions`, through `startup` and always on the main thread. It decides
which window an event belongs to and hands it on; what the event means is the endpoint's affair.
"""

from __future__ import annotations

import asyncio
import logging
import os
from concurrent.futures import Future, wait
from functools import partial
from typing import Any, Callable, Dict, List, Optional, Sequence, Set, Tuple, Union

import sublime

from . import log
from .actions import Actions
from .agents.agent import Agent
from .agents.registry import agents_of
from .diagnosis.report import Diagnosis
from .discovery.files import sweep
from .editor import edits
from .editor.log_panel import LogPanel
from .editor.marks import is_terminal, use_secret
from .editor.status_bar import say
from .editor.storage import installation_secret, storage_folder
from .endpoint.endpoint import Endpoint
from .endpoint.endpoints import Endpoints
from .endpoint.servers import States, leave_states, take_states
from .libraries import Libraries
from .remotes.remotes import Remotes, remove_left_over
from .review.document.journal import recover
from .review.events import tab_action
from .runtime import Runtime
from .settings import FILE_NAME, Settings, read
from .system.platform import Platform
from .system.processes import EDITOR_PID, editor_is_gone
from .terminals.command_lines import ExportedEnvironment, terminal_variables
from .unreviewed.tabs import RENAMES, Tabs

logger = logging.getLogger("gemini_companion.application")

# The editor's commands that give a window another project, or other folders: for neither is there an event. With some
# of them another project takes the window at once; of those that ask first, `on_pre_close_project` tells.
PROJECT_COMMANDS = frozenset(["open_project_or_workspace", "close_workspace", "close_project"])
FOLDER_COMMANDS = PROJECT_COMMANDS | {
    "prompt_add_folder",
    "remove_folder",
    "close_folder_list",
    "prompt_open_project_or_workspace",
    "prompt_select_workspace",
}

VERSION = "1.0.0"
# The end of a service takes a tenth of a second at most; this is for a loop thread that gets no processor.
STOP_SECONDS = 0.5
SETTINGS_TAG = "gemini_companion"
# The editor has no event for a change of the side bar's folders. It wakes an idle process: while no client hears of
# what is found, it is seldom enough to leave room for the look at the editor itself in one wake-up a second.
# Every call of its API crosses into another process, so what can wait is looked at only once in several checks.
WINDOW_CHECK_MILLISECONDS, WITHOUT_CLIENT_MILLISECONDS = 1200, 1500
CHECKS_PER_PROJECT, CHECKS_PER_STATUS = 2, 10
EDITOR_CHECK_SECONDS = 3.5

CONTEXT_KEYS = "gemini_companion."


class Application:
    """Made by `plugin_loaded`, ended by `plugin_unloaded` or `on_exit`. Main thread only."""

    def __init__(self, on_import_thread: Callable[[Callable[[], None]], None]) -> None:
        """`on_import_thread` calls what imports on a thread for that."""
        self.log = log.install()
        self.runtime = Runtime(self._report)
        self._log_panel = LogPanel(self.log, self.runtime)
        self._libraries = Libraries(
            partial(self.runtime.answer, on_import_thread),
            lambda: self.runtime.on_main(self._endpoints.show_status),
            lambda sentence: self.runtime.on_main(say, None, sentence),
        )
        self._environment = ExportedEnvironment(os.environ)
        self._endpoints = Endpoints(self.runtime, self._libraries, VERSION)
        self._tabs = Tabs(self._endpoints.tracking, self._endpoints.edited)
        self._remotes = Remotes(self.runtime)
        self.actions = Actions(self._endpoints, self.runtime, self._diagnose, self._log_panel, self._remotes)
        self._editor_settings = sublime.load_settings(FILE_NAME)
        self._settings = Settings()
        self._reported: Set[Tuple[str, str]] = set()
        self._checks = 0

    # -- life ---------------------------------------------------------------------------------------------------------

    def start(self, serving: Callable[[], None]) -> None:
        """Serve every window once the discovery files that an earlier run left are gone; then call `serving`."""
        self._endpoints.states = take_states()
        self.runtime.start()
        self._editor_settings.add_on_change(SETTINGS_TAG, self._settings_changed)
        self._read_own_settings()
        self.runtime.on_loop(self._watch_editor)
        self.runtime.use_disk(recover, storage_folder(), then=self._recovered)
        agents, begin = agents_of(self._settings), partial(self._begin, serving)
        self.runtime.use_disk(_prepare, agents, then=begin, failed=begin)

    def _recovered(self, said: List[str]) -> None:
        for sentence in said:
            say(None, sentence)

    def _begin(self, serving: Callable[[], None], prepared: Union[str, Exception]) -> None:
        if isinstance(prepared, Exception):
            self._report("the look for left-over files", prepared)
        else:
            use_secret(prepared)
        for window in sublime.windows():
            self.window_opened(window)
        serving()
        self._check_windows()
        self.actions.installed.settings_changed(self._settings)

    def stop(self) -> None:
        """End everything and give every window back as it was. Waits for the servers, `STOP_SECONDS` at most."""
        self._editor_settings.clear_on_change(SETTINGS_TAG)
        leaving = self._remotes.stop()
        stopping = self._endpoints.stop()
        self._log_panel.close()
        self._end([*stopping.values(), self._endpoints.hook_answers.stopped, *leaving])
        left = {number: stop.result() for number, stop in stopping.items() if _succeeded(stop)}
        left.update(self._endpoints.states)
        leave_states({number: states for number, states in left.items() if states})

    def exit(self) -> None:
        """End for an editor that is quitting or has ended: its API may no longer be used. Any thread but the loop's."""
        self.runtime.leave_editor()
        self._end([*self._remotes.stop(), *self._endpoints.exit()])

    def _watch_editor(self) -> None:
        """Loop thread. Without the editor there are neither events nor timers on the main thread to hear of its end."""
        if not editor_is_gone():  # the system has no event for it
            # Not a task that sleeps: that would wake the loop up twice each time. Nor is there a timer for sockets.
            asyncio.get_running_loop().call_later(EDITOR_CHECK_SECONDS, self._watch_editor)
            self._endpoints.renew_sockets()
            return
        logger.warning("the editor has ended without a word")
        self.runtime.compute(lambda cancelled: self.exit(), then=lambda _: None)

    def _end(self, stopping: List[Future[Any]]) -> None:
        self._environment.clear()
        wait(stopping, timeout=STOP_SECONDS)
        self.runtime.stop()
        log.uninstall()

    # -- errors and settings ------------------------------------------------------------------------------------------

    def _report(self, where: str, error: BaseException) -> None:
        """Any thread."""
        logger.error("unexpected error in %s", where, exc_info=(type(error), error, error.__traceback__))
        # Said once: an error that repeats would otherwise fill the status bar.
        name = type(error).__name__
        if (where, name) not in self._reported:
            self._reported.add((where, name))
            self.runtime.on_main(say, None, f"unexpected {name} in {where}: see “Show Log” in “Companion: Diagnose”")

    def _read_own_settings(self) -> None:
        # What concerns all windows at once; no project can change it.
        self._settings = read([("the settings", self._editor_settings.to_dict())]).settings
        self._export_environment()

    def _settings_changed(self) -> None:
        self._read_own_settings()
        self.actions.installed.settings_changed(self._settings)
        for endpoint in self._endpoints.all():
            endpoint.settings_changed()
            endpoint.workspace_changed()
        self.runtime.on_loop(self._endpoints.hook_answers.settings_changed)

    # -- windows ------------------------------------------------------------------------------------------------------

    def endpoints(self) -> List[Endpoint]:
        """The endpoints of all windows."""
        return self._endpoints.all()

    def endpoint_of(self, window: Optional[sublime.Window]) -> Optional[Endpoint]:
        """The window's endpoint, or None while it has none."""
        return self._endpoints.of(window)

    def window_opened(self, window: sublime.Window) -> Optional[Endpoint]:
        """Serve `window` if it is not served yet, and return its endpoint."""
        return self._endpoints.open(window)

    def window_closing(self, window: sublime.Window) -> None:
        """Serve the window no more; its pending reviews are rejected."""
        self._remotes.close(window)
        self._endpoints.close(window)

    def project_closing(self, window: sublime.Window) -> None:
        """Another project, or none, is about to take the window: its tabs and layout are stored and replaced."""
        endpoint = self.endpoint_of(window)
        if endpoint is not None:
            endpoint.reviews.leave_project()

    def workspace_changed(self, window: sublime.Window) -> None:
        """The window has another project, or other settings in it."""
        endpoint = self.window_opened(window)
        if endpoint is not None:
            endpoint.project_changed()

    def _check_windows(self) -> None:
        """Find out what the editor has no event for, with as few questions as will do."""
        try:
            self._compare_windows()
        finally:  # an error in one look is reported, and not the end of looking
            pause = WINDOW_CHECK_MILLISECONDS if self._endpoints.listening else WITHOUT_CLIENT_MILLISECONDS
            self.runtime.later_on_main(pause, self._check_windows)

    def _compare_windows(self) -> None:
        self._checks += 1
        windows = sublime.windows()
        for window in windows:
            if self._endpoints.of(window) is None:
                self.window_opened(window)
        open_windows = {window.id() for window in windows}
        for endpoint in self.endpoints():
            if endpoint.window.id() not in open_windows:
                self.window_closing(endpoint.window)
        for endpoint in self._next_to_check():
            endpoint.workspace_changed()
            endpoint.tracker.recheck()
            if self._checks % CHECKS_PER_PROJECT == 0:
                endpoint.look_at_project()
            if self._checks % CHECKS_PER_STATUS == 0:
                endpoint.show_status()
        self._export_environment()

    def _next_to_check(self) -> List[Endpoint]:
        """The endpoints that have a client, and every other one of the rest in turn."""
        listening = self._endpoints.listening
        others = [endpoint for endpoint in self._endpoints.all() if endpoint not in listening]
        turn = self._checks // CHECKS_PER_PROJECT % 2
        return [*listening, *(others[turn::2] if len(others) > 1 else others)]

    def _export_environment(self) -> None:
        """Let terminals that are started from now on know the window in front."""
        endpoint = self._endpoints.in_front()
        connection = endpoint.connection() if endpoint is not None else None
        self._environment.put(terminal_variables(connection) if connection is not None else {})

    # -- views --------------------------------------------------------------------------------------------------------

    def view_activated(self, view: sublime.View) -> None:
        """A tab or a panel has the focus; its window may be one that was not reported to us."""
        window = view.window()
        if window is None:
            return
        endpoint = self._endpoints.of(window) or self.window_opened(window)
        if endpoint is not None:
            endpoint.tracker.on_activated(view)
            self._endpoints.hook_sessions.seen(endpoint)
            endpoint.review_events.on_activated(view)
            endpoint.comments.views.came(view)
            endpoint.page.activated(view)
            endpoint.workspace_changed()
            endpoint.show_status()
            self._export_environment()
            self._tabs.activated()

    def view_deactivated(self, view: sublime.View) -> None:
        """A tab, a panel or an overlay has lost the focus; it may be gone."""
        self._endpoints.hook_sessions.in_front = False  # until another view has the focus, which is so at once
        for endpoint in self._endpoints.all():
            endpoint.review_events.on_deactivated(view)

    def selection_modified(self, view: sublime.View) -> None:
        """A caret or selection moved. Called for every keystroke."""
        for endpoint in self._endpoints.listening:
            endpoint.tracker.on_selection_modified(view)
        for endpoint in self._endpoints.all():
            endpoint.review_events.on_selection_modified(view)

    def view_modified(self, view: sublime.View) -> None:
        """A view was edited. Called for every keystroke."""
        for endpoint in self._endpoints.listening:
            endpoint.tracker.on_modified(view)
        # A file may be under review in one window and open in another.
        for endpoint in self._endpoints.all():
            endpoint.review_events.on_modified(view)
            endpoint.comments.views.modified(view)

    def view_loaded(self, view: sublime.View) -> None:
        """A file was opened, or a further view of one was made."""
        self._endpoints.origins.note(view)
        endpoint = self.endpoint_of(view.window())
        if endpoint is not None:
            endpoint.tracker.refresh()
            endpoint.comments.views.came(view)
        self._tabs.read(view)

    def view_saving(self, view: sublime.View) -> None:
        """A view is about to be saved."""
        self._tabs.saving(view)

    def view_saved(self, view: sublime.View) -> None:
        """A view was saved, perhaps under another name."""
        self._endpoints.origins.note(view)
        endpoint = self.endpoint_of(view.window())
        if endpoint is not None:
            endpoint.tracker.on_saved(view)
            endpoint.review_events.on_saved(view)
        for endpoint in self._endpoints.all():
            endpoint.review_events.on_file_changed(view)
        self._tabs.saved(view)

    def view_reloaded(self, view: sublime.View) -> None:
        """The editor has read the view's file again: reviews of the file compare it anew."""
        self._endpoints.origins.note(view)
        for endpoint in self._endpoints.all():
            endpoint.review_events.on_reloaded(view)
            endpoint.comments.views.came(view)
        self._tabs.read(view)

    def view_closing(self, view: sublime.View) -> None:
        """A view is about to be closed and still belongs to its window."""
        terminal = is_terminal(view)
        # A tab of a review may have been dragged into a window that is being closed and has no endpoint any more.
        for endpoint in self._endpoints.all():
            endpoint.review_events.on_pre_close(view)
            if terminal:
                self.runtime.on_main(endpoint.agents.terminal_closed)
        if terminal:
            self.runtime.on_main(self._endpoints.deliveries.terminals_changed)

    def view_closed(self, view: sublime.View) -> None:
        """A view is gone; it belongs to no window any more."""
        for endpoint in self._endpoints.all():
            endpoint.tracker.on_closed(view)
            endpoint.comments.views.gone(view)

    def view_moved(self, view: sublime.View) -> None:
        """A view was dragged to another place, perhaps into another window."""
        for endpoint in self._endpoints.all():
            endpoint.tracker.on_moved(view)

    # -- commands and keys --------------------------------------------------------------------------------------------

    def text_command(self, view: sublime.View, name: str, arguments: Optional[Dict[str, Any]]) -> Any:
        """The command to run instead, with its arguments, or None to let it pass. Called for every command."""
        if tab_action(name, arguments) is None:
            return None
        endpoint = self.endpoint_of(view.window())
        return endpoint.review_events.on_command(view, name, arguments) if endpoint is not None else None

    def window_command(self, window: sublime.Window, name: str, arguments: Optional[Dict[str, Any]]) -> Any:
        """The window command to run instead, with its arguments, or None to let it pass. Called for every command."""
        if name in PROJECT_COMMANDS and not (arguments or {}).get("new_window"):
            self.project_closing(window)
        view = window.active_view() if tab_action(name, arguments) else None
        return self.text_command(view, name, arguments) if view else None

    def window_command_done(self, window: sublime.Window, name: str, arguments: Optional[Dict[str, Any]]) -> None:
        """A window command has run: some of them change the folders, or files."""
        self._tabs.commanded(name, arguments)
        if name in RENAMES:
            for endpoint in self._endpoints.all():
                endpoint.comments.views.renaming((arguments or {}).get("paths"))
        if name in FOLDER_COMMANDS:
            self.workspace_changed(window)

    def query_context(self, view: sublime.View, key: str, operator: int, operand: Any) -> Optional[bool]:
        """Answer for our own context keys; None for everybody else's."""
        if not key.startswith(CONTEXT_KEYS):
            return None
        endpoint = self.endpoint_of(view.window())
        return endpoint.review_events.query_context(view, key, operator, operand) if endpoint is not None else None

    def replace_text(self, view: sublime.View, edit: sublime.Edit, batch: str) -> None:
        """Make the edits of ours that wait as `batch`. Inside the run of a text command."""
        edits.carry_out(view, edit, batch)

    def move_caret(self, view: sublime.View, regions: List[List[int]]) -> None:
        """Make the `regions` the selection. Inside the run of a text command."""
        edits.select(view, regions)

    def _diagnose(self, window: sublime.Window) -> None:
        """Write a report on the package's health into a new view."""
        endpoint = self._endpoints.of(window)
        remotes = self._remotes.of(endpoint) if endpoint is not None else ()
        Diagnosis(self._endpoints, remotes, self.runtime, self.log.problems(), window, VERSION).run()


def _prepare(agents: Sequence[Agent], cancelled: Callable[[], bool]) -> str:
    """Remove the discovery files that an earlier run left; returns this installation's secret. Disk thread."""
    secret = installation_secret(storage_folder())
    remove_left_over(storage_folder())
    sweep(EDITOR_PID, agents, Platform.current())
    return secret


def _succeeded(stop: Future[States]) -> bool:
    return stop.done() and not stop.cancelled() and stop.exception() is None
