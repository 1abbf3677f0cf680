"""The real `gemini` program, with a stub for its model.

    with GeminiApi() as model, GeminiCli(host, workspace, model) as gemini:
        gemini.wait_connected()
        gemini.submit("Please change it")

Its npm package is in `tests/clients/gemini_cli/`. The lock file there leaves out the package's optional parts:
native code that differs by platform, and that nothing here needs.
"""

from __future__ import annotations

import os
from typing import Dict, List, Mapping, Optional, Sequence

from tests.clients.programs.gemini_api import GeminiApi
from tests.clients.programs.model_stub import ModelStub
from tests.clients.programs.program import IDE_SETTINGS, Program, write_settings
from tests.host.driver import Host
from tests.tools import nodes

SETTINGS = {
    "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
    "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
    "privacy": {"usageStatisticsEnabled": False},
    "telemetry": {"enabled": False},
}


def program() -> List[str]:
    """The beginning of a command line. Raises SetupError."""
    folder = nodes.packages("gemini_cli")
    script = os.path.join(folder, "node_modules", "@google", "gemini-cli", "bundle", "gemini.js")
    return [nodes.newer_node(), script, "--model", "gemini-2.5-flash"]


def variables(model: ModelStub) -> Dict[str, str]:
    """What makes it ask the stub."""
    return {
        "GEMINI_API_KEY": "none",
        "GOOGLE_GEMINI_BASE_URL": model.url,
        "GEMINI_CLI_NO_RELAUNCH": "true",  # one process, not one that starts another
    }


class GeminiCli(Program):
    """One `gemini` in a terminal; without `ide_mode` it has never heard of this editor, or, with None, was told
    not to connect to it. Raises SetupError."""

    def __init__(
        self,
        host: Host,
        cwd: str,
        model: GeminiApi,
        env: Optional[Mapping[str, str]] = None,
        ide_mode: Optional[bool] = True,
        options: Sequence[str] = (),
    ) -> None:
        write_settings(host, ".gemini", dict(SETTINGS, ide=IDE_SETTINGS[ide_mode]))
        environment = {"GEMINI_CLI_IDE_PID": str(host.editor_pid), **variables(model), **(env or {})}
        super().__init__([*program(), *options], host, cwd, model, environment)

    def wait_connected(self, open_files: int = 1) -> None:
        """Waits until the program shows that it knows this many open files."""
        self.wait_ready()
        self.wait_for(f"{open_files} open file")
