"""The whole package at work: one endpoint per window, and the way from the editor's events to them.

Rule: `plugin.py` calls only this class, always on the main thread. It decides which window an event belongs to and hands
it on; what the event means is the endpoint's affair.
"""

from __future__ import annotations

import logging
import os
from concurrent.futures import Future, wait
from typing import Any, Callable, Dict, List, Optional, Tuple

import sublime

from . import log
from .discovery.sweeper import sweep
from .endpoint import Endpoint
from .libraries import Libraries
from .review.review import Review
from .runtime import Runtime
from .settings import FILE_NAME, read

logger = logging.getLogger("gemini_companion.application")

VERSION = "1.0.0"
FAREWELL_SECONDS = 1.0  # for the last messages to clients on the loopback device, when the package or the editor ends
SETTINGS_TAG = "gemini_companion"
FOLDER_CHECK_MILLISECONDS = 700  # the editor has no event for a change of the side bar's folders


class Application:
    """Made by `plugin_loaded`, ended by `plugin_unloaded` or `on_exit`. Main thread only."""

    def __init__(self) -> None:
        self.log = log.install()
        self.runtime = Runtime(self._report)
        self._libraries = Libraries(lambda sentence: self.runtime.on_main(self._say, sentence))
        self._endpoints: Dict[int, Endpoint] = {}
        self._editor_settings = sublime.load_settings(FILE_NAME)
        self._reported = ""
        self._ready = False  # whether what an earlier run left behind is gone, so that endpoints may announce themselves

    # -- life ---------------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Serve every window there is, once the discovery files that an earlier run left are gone."""
        self.runtime.start()
        self._editor_settings.add_on_change(SETTINGS_TAG, self._settings_changed)
        self._take_log_level()
        self.runtime.compute(self._sweep, then=self._swept)

    @staticmethod
    def _sweep(cancelled: Callable[[], bool]) -> List[str]:
        return sweep(os.getppid())

    def _swept(self, removed: List[str]) -> None:
        if removed:
            logger.info("removed %s discovery files of editors that are gone", len(removed))
        self._ready = True
        for window in sublime.windows():
            self.window_opened(window)
        self._check_folders()

    def stop(self) -> None:
        """End everything and give every window back as it was. Waits at most a moment for the farewells."""
        self._editor_settings.clear_on_change(SETTINGS_TAG)
        self._end([endpoint.stop() for endpoint in self._endpoints.values()])

    def exit(self) -> None:
        """End for an editor that is quitting: its API may no longer be used."""
        self._end([endpoint.exit() for endpoint in self._endpoints.values()])

    def _end(self, farewells: List[Future[None]]) -> None:
        self._endpoints.clear()
        wait(farewells, timeout=FAREWELL_SECONDS)
        self.runtime.stop()
        log.uninstall()

    def _report(self, where: str, error: BaseException) -> None:
        logger.error("unexpected error in %s", where, exc_info=(type(error), error, error.__traceback__))
        # Said once: an error that repeats would otherwise fill the status bar.
        name = type(error).__name__
        if name != self._reported:
            self._reported = name
            self.runtime.on_main(self._say, "unexpected {}, see the console".format(name))

    @staticmethod
    def _say(sentence: str) -> None:
        sublime.status_message("Gemini Companion: " + sentence)

    # -- windows ------------------------------------------------------------------------------------------------------

    def window_opened(self, window: sublime.Window) -> Optional[Endpoint]:
        """Serve `window` if it is not served yet, and return its endpoint."""
        if not self._ready or not window.is_valid():
            return None
        endpoint = self._endpoints.get(window.id())
        if endpoint is None:
            endpoint = Endpoint(window, self.runtime, self._libraries, VERSION)
            self._endpoints[window.id()] = endpoint
            endpoint.start()
        return endpoint

    def window_closing(self, window: sublime.Window) -> None:
        endpoint = self._endpoints.pop(window.id(), None)
        if endpoint is not None:
            endpoint.stop()

    def workspace_changed(self, window: sublime.Window) -> None:
        endpoint = self.window_opened(window)
        if endpoint is not None:
            endpoint.settings_changed()
            endpoint.workspace_changed()

    def _check_folders(self) -> None:
        for endpoint in list(self._endpoints.values()):
            endpoint.workspace_changed()
        self.runtime.later_on_main(FOLDER_CHECK_MILLISECONDS, self._check_folders)

    def _take_log_level(self) -> None:
        # One log serves all windows, so no project has a say in it.
        log.set_level(read([("the settings", self._editor_settings.to_dict())]).settings.log_level)

    def _settings_changed(self) -> None:
        self._take_log_level()
        for endpoint in self._endpoints.values():
            endpoint.settings_changed()
            endpoint.workspace_changed()

    def _endpoint_of(self, view: sublime.View) -> Optional[Endpoint]:
        window = view.window()
        return self._endpoints.get(window.id()) if window is not None else None

    # -- views --------------------------------------------------------------------------------------------------------

    def view_activated(self, view: sublime.View) -> None:
        window = view.window()
        if window is None:
            return
        # Some ways to open a window, such as starting the editor with a session, come without their own event.
        endpoint = self._endpoints.get(window.id()) or self.window_opened(window)
        if endpoint is not None:
            endpoint.follower.on_activated(view)
            endpoint.desk.on_activated(view)
            endpoint.workspace_changed()

    def selection_modified(self, view: sublime.View) -> None:
        endpoint = self._endpoint_of(view)
        if endpoint is not None:
            endpoint.follower.on_selection_modified(view)

    def view_modified(self, view: sublime.View) -> None:
        endpoint = self._endpoint_of(view)
        if endpoint is not None:
            endpoint.follower.on_modified(view)
            endpoint.desk.on_modified(view)

    def view_loaded(self, view: sublime.View) -> None:
        endpoint = self._endpoint_of(view)
        if endpoint is not None:
            endpoint.follower.refresh()

    def view_saved(self, view: sublime.View) -> None:
        endpoint = self._endpoint_of(view)
        if endpoint is not None:
            endpoint.follower.on_saved(view)
            endpoint.desk.on_file_changed(view)

    def file_changed(self, view: sublime.View) -> None:
        endpoint = self._endpoint_of(view)
        if endpoint is not None:
            endpoint.desk.on_file_changed(view)

    def view_closing(self, view: sublime.View) -> None:
        endpoint = self._endpoint_of(view)
        if endpoint is not None:
            endpoint.desk.on_pre_close(view)

    def view_closed(self, view: sublime.View) -> None:
        for endpoint in self._endpoints.values():
            endpoint.follower.on_closed(view)

    def view_moved(self, view: sublime.View) -> None:
        for endpoint in self._endpoints.values():
            endpoint.follower.refresh()

    # -- commands and keys --------------------------------------------------------------------------------------------

    def text_command(self, view: sublime.View, name: str, arguments: Optional[Dict[str, Any]]) -> Any:
        endpoint = self._endpoint_of(view)
        return endpoint.desk.on_text_command(view, name, arguments) if endpoint is not None else None

    def window_command(self, window: sublime.Window, name: str, arguments: Optional[Dict[str, Any]]) -> Any:
        endpoint = self._endpoints.get(window.id())
        return endpoint.desk.on_window_command(name, arguments) if endpoint is not None else None

    def window_command_done(self, window: sublime.Window, name: str) -> None:
        if name in FOLDER_COMMANDS:
            self.workspace_changed(window)

    def query_context(self, view: sublime.View, key: str, operator: int, operand: Any) -> Optional[bool]:
        """Answer for our own context keys; None for everybody else's."""
        if not key.startswith("gemini_companion."):
            return None
        endpoint = self._endpoint_of(view)
        return endpoint.desk.query_context(view, key, operator, operand) if endpoint is not None else None

    def review_in_front(self, window: sublime.Window) -> Optional[Tuple[Endpoint, Review]]:
        """The review that commands act on: the one in the active view, or the only one, or none."""
        endpoint = self._endpoints.get(window.id())
        review = endpoint.desk.in_front() if endpoint is not None else None
        return (endpoint, review) if endpoint is not None and review is not None else None

    def accept(self, window: sublime.Window) -> None:
        found = self.review_in_front(window)
        if found is not None:
            found[0].desk.accept(found[1])

    def reject(self, window: sublime.Window) -> None:
        found = self.review_in_front(window)
        if found is not None:
            found[0].desk.reject(found[1])


FOLDER_COMMANDS = frozenset(
    [
        "prompt_add_folder",
        "remove_folder",
        "close_folder_list",
        "close_project",
        "open_project_or_workspace",
        "prompt_open_project_or_workspace",
        "prompt_select_workspace",
        "close_workspace",
    ]
)
