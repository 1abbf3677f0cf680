"""A window with a workspace of its own and a client connected to it: where the context tests begin.

Rule: what the test opened is closed again, in the real editor too, where a developer's windows are open beside it.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from typing import Any, Dict, Generator, List, Optional

import sublime

from .listening_client import ListeningClient, announced
from .selecting import select
from .time_case import TimeCase

Steps = Generator[Any, Any, Any]


class ContextCase(TimeCase):
    """`self.window` has the folder `self.folder` with the files a.py, b.py and c.py; `self.client` listens to it."""

    def setUp(self) -> Steps:
        self._windows: List[sublime.Window] = []
        self._clients: List[ListeningClient] = []
        self._folders: List[str] = []
        self.folder = self.new_folder()
        for name in ("a.py", "b.py", "c.py"):
            self.write(name, f"# {name}\nsecond line\nthird line\n")
        self.window = yield from self.new_window(self.folder)
        self.client = yield from self.connect(self.folder)

    def tearDown(self) -> Steps:
        for client in self._clients:
            client.close()
        for window in self._windows:
            for view in window.views():
                view.set_scratch(True)
                view.close()
            if window.is_valid():
                window.run_command("close_window")
        yield lambda: not any(window.is_valid() for window in self._windows)
        for folder in self._folders:
            shutil.rmtree(folder, ignore_errors=True)

    # -- what a test begins with --------------------------------------------------------------------------------------

    def new_folder(self) -> str:
        folder = os.path.realpath(tempfile.mkdtemp(prefix="context-"))
        self._folders.append(folder)
        return folder

    def write(self, name: str, text: str) -> str:
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        return path

    def path(self, name: str) -> str:
        return os.path.join(self.folder, name)

    def new_window(self, *folders: str) -> Steps:
        before = {window.id() for window in sublime.windows()}
        sublime.run_command("new_window")
        yield lambda: any(window.id() not in before for window in sublime.windows())
        window = next(window for window in sublime.windows() if window.id() not in before)
        self._windows.append(window)
        window.set_project_data({"folders": [{"path": folder} for folder in folders]})
        if folders:  # without any the editor might close a window that becomes empty
            for view in window.views():
                view.close()  # the editor may begin with an empty tab
            yield lambda: not window.views()
        return window

    def connect(self, workspace: str) -> Steps:
        found: List[Dict[str, Any]] = []

        def look() -> bool:
            content = announced(workspace, os.getppid())
            if content is not None:
                found.append(content)
            return bool(found)

        yield look
        client = ListeningClient(found[0])
        self._clients.append(client)
        yield lambda: client.problem or client.contexts
        self.assertIsNone(client.problem)
        return client

    # -- what a user does ---------------------------------------------------------------------------------------------

    def open(self, name: str, flags: int = 0, window: Optional[sublime.Window] = None) -> Steps:
        """Open a file of the folder, and wait until the client knows that it is the active one."""
        window = window or self.window
        view = window.open_file(self.path(name), flags)
        yield lambda: not view.is_loading()
        window.focus_view(view)
        yield lambda: self.client.active_path == self.path(name)
        return view

    def select(self, view: sublime.View, *regions: sublime.Region) -> None:
        select(view, *regions)

    def caret_reaches_client(self, view: sublime.View, row: int) -> Steps:
        """Move the caret to a row (from 0) and wait until the client knows: all that happened before is known then."""
        self.select(view, sublime.Region(view.text_point(row, 0)))
        yield lambda: self.cursor() == (row + 1, 1)

    def status(self) -> str:
        """What the status bar says of the package."""
        view = self.window.active_view()
        return view.get_status("gemini_companion") if view is not None else ""

    # -- what the client was told -------------------------------------------------------------------------------------

    def names(self) -> List[str]:
        return [os.path.basename(path) for path in self.client.paths]

    def active(self) -> Optional[str]:
        path = self.client.active_path
        return os.path.basename(path) if path is not None else None

    def cursor(self) -> Any:
        active = self.client.active
        cursor = active.get("cursor") if active is not None else None
        return (cursor["line"], cursor["character"]) if cursor else None

    def selected(self) -> Optional[str]:
        active = self.client.active
        return active.get("selectedText") if active is not None else None
