"""The real `qwen` program, with a stub for its model.

    with OpenAiApi() as model, QwenCode(host, workspace, model) as qwen:
        qwen.wait_connected("a.py")
        qwen.submit("Please change it")

Its npm package is in `tests/clients/qwen_code/`. The lock file there leaves out the package's optional parts:
native code that differs by platform, and that nothing here needs.
"""

from __future__ import annotations

import os
import time
from typing import Dict, List, Mapping, Optional, Sequence

from tests.clients.programs.model_stub import ModelStub
from tests.clients.programs.openai_api import OpenAiApi
from tests.clients.programs.program import IDE_SETTINGS, Program, write_settings
from tests.clients.programs.terminal import PATIENCE
from tests.host.driver import Host
from tests.tools import nodes

SETTINGS = {
    "$version": 4,  # else it writes the file anew
    "security": {"auth": {"selectedType": "openai"}, "folderTrust": {"enabled": False}},
    "general": {"enableAutoUpdate": False},
    # Each suggestion would ask the model once more.
    "ui": {"enableFollowupSuggestions": False, "autoModeAcknowledged": True},
    "memory": {"enableManagedAutoMemory": False, "enableManagedAutoDream": False},
    "privacy": {"usageStatisticsEnabled": False},
    "telemetry": {"enabled": False},
}


def program() -> List[str]:
    """The beginning of a command line. Raises SetupError."""
    folder = nodes.packages("qwen_code")
    return [nodes.newer_node(), os.path.join(folder, "node_modules", "@qwen-code", "qwen-code", "cli.js")]


def variables(model: ModelStub) -> Dict[str, str]:
    """What makes it ask the stub."""
    return {
        "OPENAI_API_KEY": "none",
        "OPENAI_BASE_URL": model.url + "/v1",
        "OPENAI_MODEL": "none",
        "QWEN_CODE_NO_RELAUNCH": "true",  # one process, not one that starts another
    }


class QwenCode(Program):
    """One `qwen` in a terminal; without `ide_mode` it has never heard of this editor, or, with None, was told
    not to connect to it. With its `own_mode`, which is the
    one it starts with unasked, it writes without a diff. Raises SetupError.
    """

    def __init__(
        self,
        host: Host,
        cwd: str,
        model: OpenAiApi,
        env: Optional[Mapping[str, str]] = None,
        ide_mode: Optional[bool] = True,
        own_mode: bool = False,
        options: Sequence[str] = (),
    ) -> None:
        tools = {} if own_mode else {"approvalMode": "default"}
        write_settings(
            host,
            ".qwen",
            dict(SETTINGS, tools=tools, ide=IDE_SETTINGS[ide_mode]),
        )
        environment = {**variables(model), **(env or {})}
        super().__init__([*program(), *options], host, cwd, model, environment)

    def wait_connected(self, active_file: str) -> None:
        """Asks `/ide status` until the program knows which file is active."""
        self.wait_ready()
        deadline = time.monotonic() + PATIENCE
        while not self._is_active(active_file):
            assert time.monotonic() < deadline, self.text()
            # The command is unknown as long as the program is still getting ready.
            self.ask("/ide status", "Connected", "Connecting", "Disconnected", "Unknown command")
            self.wait_ready()

    def _is_active(self, file: str) -> bool:
        text = self.text()
        return "Connected to Sublime Text" in text and f"{file} (active)" in text
