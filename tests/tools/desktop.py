"""A headless editor with a workspace, as the end-to-end tests and the demonstration use it.

It knows the package only from outside: discovery files, tabs, palette entries, the role that a view of a
review carries in its settings.
"""

from __future__ import annotations

import glob
import json
import os
import re
from typing import Any, Dict, List, Optional, Tuple

from tests.clients.gemini import GeminiClient, Processes
from tests.host.driver import Host

ROLE = "gemini_companion.role"
TITLE = "Companion: "
ACCEPT = TITLE + "Accept / Keep"
REJECT = TITLE + "Reject / Undo"


def run_agent(host: Host, title: str) -> None:
    """Picks an agent from the list of *Run Agent…*."""
    host.call("run_palette", caption=TITLE + "Run Agent\u2026")
    host.wait_until(lambda: host.call("snapshot_window")["quick_panel"])
    host.call("choose", item=title)


class Desktop:
    """One host on one workspace folder. Closed by its owner with the host."""

    def __init__(self, host: Host, workspace: str, processes: Optional[Processes] = None) -> None:
        """`processes`: where clients come from; without them each starts a process of its own."""
        self.host = host
        self.workspace = workspace
        self._client = GeminiClient if processes is None else processes.client

    def path(self, *parts: str) -> str:
        return os.path.join(self.workspace, *parts)

    # ---- files ---------------------------------------------------------------------------------------

    def write(self, name: str, content: bytes) -> str:
        """Writes a file of the workspace; returns its path."""
        path = self.path(name)
        with open(path, "wb") as file:
            file.write(content)
        return path

    def read(self, name: str) -> bytes:
        with open(self.path(name), "rb") as file:
            return file.read()

    def open(self, name: str, row: int = 0, column: int = 0, end_row: Optional[int] = None, end_column: int = 0) -> int:
        """Opens a file as a user does and selects; returns the view's id."""
        view: int = self.host.call("open_file", path=self.path(name))
        self.host.wait_until(f"not sublime.View({view}).is_loading()")
        self.host.call("select_rowcol", view=view, row=row, column=column, end_row=end_row, end_column=end_column)
        return view

    # ---- discovery -----------------------------------------------------------------------------------

    def discovery_files(self) -> List[str]:
        """The discovery files for Gemini CLI, as it would find them."""
        folder = os.path.join(self.host.environment["TMPDIR"], "gemini", "ide")
        return sorted(glob.glob(os.path.join(glob.escape(folder), "gemini-ide-server-*.json")))

    def later(self, seconds: float) -> None:
        """Let so many seconds pass at once by the clock of the package, which is that of its timers."""
        clock = "__import__('importlib').import_module('Gemini Companion.companion.common.clock').clock"
        self.host.execute(f"{clock}.advance({seconds})")

    def own_discovery_files(self) -> List[str]:
        """Those of this editor process, not what others have left or published."""
        mark = f"gemini-ide-server-{self.host.editor_pid}-"
        return [path for path in self.discovery_files() if os.path.basename(path).startswith(mark)]

    def wait_published(self) -> Dict[str, Any]:
        """Waits until this editor has published itself; returns what the first file says."""
        path = self.host.wait_until(self.own_discovery_files)[0]
        with open(path, encoding="utf-8") as file:
            announcement: Dict[str, Any] = json.load(file)
        return announcement

    def client(self, cwd: Optional[str] = None, **env: str) -> GeminiClient:
        """A client as started in a terminal of this editor; not connected yet."""
        return self._client(
            cwd=cwd or self.workspace, editor_pid=self.host.editor_pid, tmpdir=self.host.environment["TMPDIR"], env=env
        )

    # ---- what shows ----------------------------------------------------------------------------------

    def window(self) -> Dict[str, Any]:
        found: Dict[str, Any] = self.host.call("snapshot_window")
        return found

    def tabs(self) -> List[Dict[str, Any]]:
        """The views of all tabs of the front window, in order."""
        return [tab["view"] for group in self.window()["groups"] for tab in group["tabs"] if tab.get("view")]

    def titles(self) -> List[str]:
        return [view["title"] for view in self.tabs()]

    def arrangement(self) -> Any:
        """What must be as before when a review is over: layout, tabs in their groups, what is active, the focus."""
        window = self.window()
        groups = [([tab["id"] for tab in group["tabs"]], group["active"]) for group in window["groups"]]
        return {"layout": window["layout"], "groups": groups, "group": window["active_group"], "focus": window["focus"]}

    def views_of_role(self, role: str) -> List[Dict[str, Any]]:
        return [view for view in self.tabs() if view["settings"].get(ROLE, {}).get("role") == role]

    def wait_status(self, *texts: str) -> None:
        """Waits until the status bar of the front window says all of these."""
        self.host.wait_until(lambda: all(text in self.window()["status_bar"] for text in texts))

    def wait_no_client(self) -> None:
        """Waits until the status bar of the front window names no program."""
        self.host.wait_until(lambda: not re.search(r"Companion: \D", self.window()["status_bar"]))

    def wait_proposal(self, count: int = 1) -> Dict[str, Any]:
        """Waits until so many proposals show; returns the newest."""
        self.host.wait_until(lambda: len(self.views_of_role("proposal")) == count)
        return self.views_of_role("proposal")[-1]

    def wait_no_review(self) -> None:
        """Waits until no view of a review is left."""
        self.host.wait_until(lambda: not self.views_of_role("proposal") and not self.views_of_role("original"))

    def rows(self) -> Dict[str, Tuple[str, str]]:
        """The rows of the quick panel, once it shows: details and annotation by text."""
        panel = self.host.wait_until(lambda: self.window()["quick_panel"])
        return {row["trigger"]: (" ".join(row["details"]), row["annotation"]) for row in panel["items"]}

    def header(self) -> str:
        """What is said above the review, "" if there is none."""
        views = self.views_of_role("proposal")
        return " ".join("".join(phantom["text"] for phantom in views[-1]["phantoms"]).split()) if views else ""

    # ---- what a user does in a review -------------------------------------------------------------------

    def run(self, command: str) -> None:
        """Runs a command of the package."""
        self.host.call("run_palette", caption=TITLE + command)

    def show_change(self, path: str) -> Dict[str, Any]:
        """Chooses an unreviewed change of the list; returns its right side, once it is in front."""
        self.run("Show Unreviewed Changes")
        self.rows()
        self.host.call("choose", item=path)
        return self.wait_shown(path)

    def wait_shown(self, path: str) -> Dict[str, Any]:
        """Waits until the review of this file is in front; returns its right side."""
        name = os.path.basename(path)
        word = re.compile(r"(?<!\S)" + re.escape(name) + r"(?!\S)")
        shown = lambda: self.header() and word.search(self.views_of_role("proposal")[-1]["title"])  # noqa: E731
        self.host.wait_until(shown)
        return self.views_of_role("proposal")[-1]

    def type_at_end(self, view: int, text: str) -> None:
        """Clicks at the end of a view and types."""
        self.wait_decidable()
        end = self.host.evaluate(f"sublime.View({view}).size()")
        self.host.call("select", ranges=[[end, end]], view=view)
        self.host.call("type_text", text=text, view=view)

    def accept(self) -> None:
        self.wait_decidable()
        self.host.call("run_palette", caption=ACCEPT)

    def reject(self) -> None:
        self.wait_decidable()
        self.host.call("run_palette", caption=REJECT)

    def wait_decidable(self) -> None:
        """Waits until every proposal may be edited; one that has come by itself is not edited or decided at once."""
        self.host.wait_until(lambda: not any(view["read_only"] for view in self.views_of_role("proposal")))
