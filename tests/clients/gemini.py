"""The real IDE client and edit tools of Gemini CLI's core, run beside a host.

    with GeminiClient(cwd=workspace, editor_pid=host.editor_pid, tmpdir=host.environment["TMPDIR"]) as client:
        assert client.call("connect")["status"] == "connected"

The calls and events are those of `gemini_core/ide_client.mjs`.
"""

from __future__ import annotations

import os
import tempfile
from typing import Any, Dict, List, Mapping, Optional

from tests.clients.json_lines import Program
from tests.tools import cache, nodes

SCRIPT = os.path.join(cache.ROOT, "tests", "clients", "gemini_core", "ide_client.mjs")
_FOREIGN = ("GEMINI_", "QWEN_", "TERM_PROGRAM", "VSCODE_", "ANTIGRAVITY_")


class GeminiClient(Program):
    """One client process, as `gemini` started in a terminal with working directory `cwd`. Raises SetupError."""

    def __init__(
        self,
        cwd: str,
        editor_pid: Optional[int] = None,
        tmpdir: Optional[str] = None,
        env: Optional[Mapping[str, str]] = None,
    ) -> None:
        node = os.environ.get(nodes.SET_UP) or nodes.node()  # it runs on either, and starts sooner on the newer one
        folder = nodes.packages("gemini_core")
        self._home = tempfile.TemporaryDirectory(prefix="gemini-home-")
        variables: Dict[str, str] = {
            name: value for name, value in nodes.environment(folder).items() if not name.startswith(_FOREIGN)
        }
        # In a container the client would look for the editor on the container's host; with this it stays here.
        variables.setdefault("SSH_CONNECTION", "127.0.0.1 1 127.0.0.1 1")
        variables.update(HOME=self._home.name, USERPROFILE=self._home.name)
        if tmpdir is not None:
            variables.update(TMPDIR=tmpdir, TMP=tmpdir, TEMP=tmpdir)
        if editor_pid is not None:
            variables["GEMINI_CLI_IDE_PID"] = str(editor_pid)
        variables.update(env or {})
        super().__init__([node, SCRIPT], cwd=cwd, env=variables)

    def connect(self) -> Dict[str, Any]:
        """Connects as `/ide enable` does; returns the status with its details."""
        result: Dict[str, Any] = self.call("connect")
        return result

    def open_files(self) -> List[Dict[str, Any]]:
        """The open files of the context last received, newest first; empty before any."""
        context = self.call("context") or {}
        files: List[Dict[str, Any]] = context.get("workspaceState", {}).get("openFiles", [])
        return files

    def _release(self) -> None:
        super()._release()
        self._home.cleanup()
