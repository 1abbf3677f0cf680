"""The real `claude` program, with a stub for its model.

    with AnthropicApi() as model, ClaudeCode(host, workspace, model) as claude:
        claude.wait_connected("greeting.py")
        claude.submit("Please change it")

Its npm package is in `tests/clients/claude_code/`: the program for Linux on x64. Its licence reserves all rights, so it
is installed only where the user asks for it. What it asks a model goes to the stub.
"""

from __future__ import annotations

import json
import os
from typing import Any, Dict, Mapping, Optional

from tests.clients.programs.anthropic_api import AnthropicApi
from tests.clients.programs.model_stub import ModelStub
from tests.clients.programs.program import Program, write_settings
from tests.host.driver import Host
from tests.tools import nodes

KEY = "sk-ant-api03-the-key-of-a-stub-that-asks-for-none"
QUESTION = "Do you want to"
LIST = "Connect to an IDE"
AUTOMATICALLY = "Connect to your IDE automatically?"
EDITOR = "Sublime Text"


def program() -> str:
    """Its path. Raises SetupError."""
    folder = nodes.packages("claude_code")
    return os.path.join(folder, "node_modules", "@anthropic-ai", "claude-code-linux-x64", "claude")


def variables(model: ModelStub) -> Dict[str, str]:
    """What makes it ask the stub."""
    return {
        "ANTHROPIC_BASE_URL": model.url,
        "ANTHROPIC_API_KEY": KEY,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_TELEMETRY": "1",
    }


class ClaudeCode(Program):
    """One `claude` in a terminal; without `connects` the user has to type `/ide`. In a `mode` other than "manual" it
    writes without a diff. Raises SetupError.
    """

    prompt = "? for shortcuts"

    def __init__(
        self,
        host: Host,
        cwd: str,
        model: AnthropicApi,
        env: Optional[Mapping[str, str]] = None,
        connects: bool = True,
        mode: str = "manual",
    ) -> None:
        if mode != "manual":
            self.prompt = f"{mode} mode on"
        _write_configuration(host, cwd, mode)
        connecting = {"CLAUDE_CODE_AUTO_CONNECT_IDE": "true"} if connects else {}
        environment = {**variables(model), **connecting, **(env or {})}
        super().__init__([program()], host, cwd, model, environment)

    def wait_connected(self, mention: str = "1 line selected") -> None:
        """Waits until the program shows the selection, or the file in front, such as `In greeting.py`."""
        self.wait_ready()
        self.wait_for(f"\u29c9 {mention}")

    def choose_editor(self, count: int = 1) -> None:
        """Types `/ide` and takes the last of so many editors; below them stands "None", which is preselected."""
        self.wait_ready()
        self.enter("/ide", lambda: LIST in self.text())
        self.wait_until(lambda: self.text().partition(LIST)[2].count(EDITOR) == count, f"{count} editors in the list")
        self.press("up")
        self.wait_until(lambda: _is_marked(self.text(), EDITOR), "the mark on the editor")
        self.press("enter")
        self.wait_until(lambda: AUTOMATICALLY in self.text() or self.prompt in self.text(), "a question or a prompt")
        while AUTOMATICALLY in self.text():  # the first time; "No" is preselected
            self.press("enter")
            self.is_soon(lambda: AUTOMATICALLY not in self.text(), 2.0)
        self.wait_ready()

    def wait_question(self, file_name: str) -> None:
        """Waits until the program asks whether it may change this file, which it does beside the editor."""
        self.wait_for(QUESTION)
        assert file_name in self.text(), self.text()


def _is_marked(screen: str, choice: str) -> bool:
    """Whether the mark of a list stands before this choice."""
    return any(line.split() == ["\u276f", *choice.split()] for line in screen.splitlines())


def _write_configuration(host: Host, cwd: str, mode: str) -> None:
    """Settings of somebody who has used the program before, in this folder, and chosen a mode."""
    write_settings(host, ".claude", {"permissions": {"defaultMode": mode}})
    state: Dict[str, Any] = {
        "hasCompletedOnboarding": True,
        "hasSeenAutoDefaultNudge": True,  # else it offers to write without asking
        "officialMarketplaceAutoInstallAttempted": True,
        "theme": "dark",
        "customApiKeyResponses": {"approved": [KEY[-20:]], "rejected": []},
        "projects": {os.path.realpath(cwd): {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}},
    }
    with open(os.path.join(host.environment["HOME"], ".claude.json"), "w", encoding="utf-8") as file:
        json.dump(state, file)
