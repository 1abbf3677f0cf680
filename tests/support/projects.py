"""Projects that take a window, in in-editor tests of several folders."""

from __future__ import annotations

import json
from typing import Any, Iterator

LOADING_MILLISECONDS = 4000


class ProjectSwitching:
    """Beside a test case with a `window`, a `folder` and `write`."""

    window: Any
    folder: str
    write: Any
    skipTest: Any  # noqa: N815 - of the test case

    def project(self, name: str) -> str:
        """Make a project of the case's folder."""
        return str(self.write(name + ".sublime-project", json.dumps({"folders": [{"path": self.folder}]})))

    def switch(self, project: str) -> Iterator[Any]:
        """Let another project take the window."""
        self.window.run_command("open_project_or_workspace", {"file": project, "new_window": False})
        for _ in range(LOADING_MILLISECONDS // 50):
            if self.window.project_file_name() == project:
                return
            yield 50
        self.skipTest("this editor opens no project in a window by a command")
