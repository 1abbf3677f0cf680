"""What a program writes without asking, and a user who decides it by commands; each step compares all bytes.

Six files are concerned: three are changed, one is made, one is deleted, one is renamed. `SHELL` is what does that, and
`REST` what is left of it for a shell once the program has made one change and the new file by tools of its own.
"""

from __future__ import annotations

import os
from typing import Dict

from tests.tools.desktop import Desktop

LINES = "".join(f"line {number}\n" for number in range(12))
BEFORE = {
    "one.py": ("# one\n" + LINES).encode(),
    "two.py": ("# two\n" + LINES).replace("\n", "\r\n").encode(),
    "three.py": ("# three\n" + LINES + "the end without a line end").encode(),
    "gone.py": ("# gone\n" + LINES).encode(),
    "old.py": ("# old\n" + LINES).encode(),
}
NEW = "made = True\n"
AFTER = {
    "one.py": BEFORE["one.py"].replace(b"line 2", b"LINE 2").replace(b"line 9", b"LINE 9"),
    "two.py": BEFORE["two.py"].replace(b"line 5", b"LINE 5"),
    "three.py": BEFORE["three.py"].replace(b"line 7", b"LINE 7"),
    "new.py": NEW.encode(),
    "moved.py": BEFORE["old.py"],
}
REST = (
    "sed -i 's/line 9/LINE 9/' one.py && sed -i 's/line 5/LINE 5/' two.py && sed -i 's/line 7/LINE 7/' three.py"
    " && rm gone.py && mv old.py moved.py"
)
SHELL = f"sed -i 's/line 2/LINE 2/' one.py && echo 'made = True' > new.py && {REST}"

_LISTED = {
    "one.py": ("", "+2 \u22122"),
    "two.py": ("", "+1 \u22121"),
    "three.py": ("", "+1 \u22121"),
    "new.py": ("", "+1 \u22120, new"),
    "gone.py": ("", "+0 \u221213, deleted"),
    "moved.py": ("renamed from {}old.py", "renamed"),
}
_TRACKED = """
import os
import sys
application = sys.modules["Gemini Companion.plugin"].application
endpoint = application._endpoints.of(window) if application is not None else None
folder = endpoint.changes._tracking._folders.get(os.path.realpath({folder!r})) if endpoint is not None else None
tracked = folder is not None and folder.workspace is not None and folder.workspace.tracked and not folder.queue.busy
"""


def looked_at(desktop: Desktop, folder: str) -> bool:
    """Whether a folder is tracked and was looked at: what changes from now on is listed."""
    return bool(desktop.host.execute(_TRACKED.format(folder=folder), result="tracked"))


class Unasked:
    """The files of `BEFORE` in the folder `name` of a workspace, "" for the workspace itself."""

    def __init__(self, desktop: Desktop, name: str = "") -> None:
        self._desktop = desktop
        self._host = desktop.host
        self._below = name + "/" if name else ""
        several = len(self._host.evaluate("window.folders()")) > 1
        self._label = (os.path.basename(desktop.workspace) + "/" if several else "") + self._below  # in the list
        self.folder = desktop.path(name) if name else desktop.workspace

    def path(self, file: str) -> str:
        return os.path.join(self.folder, file)

    def held(self) -> Dict[str, bytes]:
        """What the files hold now."""
        return {name: self._desktop.read(self._below + name) for name in os.listdir(self.folder) if name[-3:] == ".py"}

    def wait_count(self, count: int) -> None:
        """Waits until the status bar says that so many files have changed; of none it says nothing."""
        if count:
            self._desktop.wait_status(f"{count} to keep or undo")
        else:
            self._host.wait_until(lambda: "to keep or undo" not in self._desktop.window()["status_bar"])

    def decide(self, doing: str = "", others: str = "") -> None:
        """The program has done all of it: look, keep one hunk, undo another, undo all, restore, undo one, keep all.

        `doing` is what is told of each change, who it is from and why. `others` is the line that leads to more files.
        """
        desktop = self._desktop
        before = desktop.arrangement()
        self.wait_count(6)
        desktop.run("Show Unreviewed Changes")
        expected = {
            self._label + name: (details.format(self._below), f"{annotation}, {doing}" if doing else annotation)
            for name, (details, annotation) in _LISTED.items()
        }
        assert desktop.rows() == {**expected, **({others: ("", "")} if others else {})}
        self._host.call("choose", item=-1)
        assert self.held() == AFTER

        # one hunk is kept, the other one undone
        assert desktop.show_change(self._label + "one.py")["text"].encode() == AFTER["one.py"]
        assert all(word in desktop.header() for word in ("Keep", "Undo"))
        following = self._following()
        self._caret_at("LINE 2")
        desktop.run("Accept This Hunk Only / Keep Hunk")
        self._host.wait_until(lambda: "LINE 2" in desktop.views_of_role("original")[0]["text"])
        assert self.held() == AFTER
        self._caret_at("LINE 9")
        desktop.run("Revert Hunk / Undo Hunk")
        self.wait_count(5)
        decided = {"one.py": BEFORE["one.py"].replace(b"line 2", b"LINE 2")}
        assert self.held() == {**AFTER, **decided}
        self._leave_for(following)

        # all is undone, and restored
        desktop.run("Undo All Changes")
        assert list(desktop.rows()) == ["Undo the changes of 5 files", "Cancel"]
        self._host.call("choose", item=0)
        self.wait_count(0)
        assert self.held() == {**BEFORE, **decided}
        desktop.run("Restore Undone Changes")
        self.wait_count(5)
        assert self.held() == {**AFTER, **decided}

        # one file is undone, all others are kept
        desktop.show_change(self._label + "two.py")
        following = self._following()
        desktop.run("Reject / Undo")
        self.wait_count(4)
        decided["two.py"] = BEFORE["two.py"]
        assert self.held() == {**AFTER, **decided}
        self._leave_for(following)
        desktop.run("Keep All Changes")
        self.wait_count(0)
        assert self.held() == {**AFTER, **decided}
        assert desktop.arrangement() == before

    def _caret_at(self, line: str) -> None:
        (view,) = self._desktop.views_of_role("proposal")
        place = view["text"].index(line)
        self._host.call("select", ranges=[[place, place]], view=view["id"])

    def _following(self) -> str:
        """The file that the header names as the next one; what the agent was asked for may stand after it."""
        return self._desktop.header().rpartition("Next: ")[2].split()[0]

    def _leave_for(self, following: str) -> None:
        """The review of the next file comes by itself. Go to it and close its tab, which decides nothing."""
        desktop = self._desktop
        desktop.wait_shown(following)
        self._host.call("close_tab", view=desktop.show_change(following)["id"])
        desktop.wait_no_review()
