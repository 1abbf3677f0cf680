"""The real IDE client and edit tools of Gemini CLI's core, run beside a host.

    with GeminiClient(cwd=workspace, editor_pid=host.editor_pid, tmpdir=host.environment["TMPDIR"]) as client:
        assert client.call("connect")["status"] == "connected"

The calls and events are those of `gemini_core/ide_client.mjs`. Node takes a second to start it, so processes that have
nothing to do any more can be kept in `Processes` for clients to come.
"""

from __future__ import annotations

import os
import tempfile
from typing import Any, Dict, List, Mapping, Optional

from tests.clients.json_lines import ClientError, Program
from tests.tools import cache, nodes

SCRIPT = os.path.join(cache.ROOT, "tests", "clients", "gemini_core", "ide_client.mjs")
_FOREIGN = ("GEMINI_", "QWEN_", "TERM_PROGRAM", "VSCODE_", "ANTIGRAVITY_")


class GeminiClient(Program):
    """One client, as `gemini` started in a terminal with working directory `cwd`. Raises SetupError."""

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
        self._variables = _variables(editor_pid, tmpdir, env)
        self._processes: Optional[Processes] = None
        super().__init__([node, SCRIPT], cwd=cwd, env=dict(variables, **self._variables))

    def connect(self) -> Dict[str, Any]:
        """Connects as `/ide enable` does; returns the status with its details."""
        result: Dict[str, Any] = self.call("connect")
        return result

    def open_files(self) -> List[Dict[str, Any]]:
        """The open files of the context last received, newest first; empty before any."""
        context = self.call("context") or {}
        files: List[Dict[str, Any]] = context.get("workspaceState", {}).get("openFiles", [])
        return files

    def close(self) -> None:
        """Ends the client as closing a terminal window does; its process may be kept."""
        if self._processes is None or not self._processes.keep(self):
            super().close()

    def _begin(self, cwd: str, variables: Dict[str, str], processes: Processes) -> None:
        """Makes another client of this process."""
        self.call("begin", cwd=cwd, env={**dict.fromkeys(self._variables), **variables})
        self._variables, self._processes = variables, processes
        self.events.clear()
        self.answers.clear()

    def release(self) -> None:
        super().release()
        self._home.cleanup()


class Processes:
    """Processes without a client. Leaving the `with` block ends them. One thread uses it."""

    def __init__(self) -> None:
        self._idle: List[GeminiClient] = []

    def client(
        self,
        cwd: str,
        editor_pid: Optional[int] = None,
        tmpdir: Optional[str] = None,
        env: Optional[Mapping[str, str]] = None,
    ) -> GeminiClient:
        """The same as GeminiClient."""
        if not self._idle:
            self._idle.append(GeminiClient(cwd, editor_pid, tmpdir, env))
        client = self._idle.pop()
        client._begin(cwd, _variables(editor_pid, tmpdir, env), self)
        return client

    def keep(self, client: GeminiClient) -> bool:
        """Ends a client and keeps its process; False if that has gone."""
        if client.process.poll() is not None:
            return False
        try:
            client.call("end")
        except (ClientError, TimeoutError):
            return False
        self._idle.append(client)
        return True

    def __enter__(self) -> Processes:
        return self

    def __exit__(self, *exception: Any) -> None:
        for client in self._idle:
            Program.close(client)


def _variables(editor_pid: Optional[int], tmpdir: Optional[str], env: Optional[Mapping[str, str]]) -> Dict[str, str]:
    """What a terminal of that editor has."""
    variables: Dict[str, str] = {}
    if tmpdir is not None:
        variables.update(TMPDIR=tmpdir, TMP=tmpdir, TEMP=tmpdir)
    if editor_pid is not None:
        variables["GEMINI_CLI_IDE_PID"] = str(editor_pid)
    variables.update(env or {})
    return variables
