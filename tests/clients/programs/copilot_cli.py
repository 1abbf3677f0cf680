"""The real `copilot` program, with a stub for its model.

    with OpenAiApi() as model, CopilotCli(host, workspace, model) as copilot:
        copilot.wait_connected()
        copilot.submit("Please change it")

Its npm package is in `tests/clients/copilot_cli/`: the program for Linux on x64. Its licence lets everybody install and
run it. It is told to stay offline, and what it asks a model goes to the stub.
"""

from __future__ import annotations

import json
import os
from typing import Any, Dict, Mapping, Optional, Sequence

from tests.clients.programs.model_stub import ModelStub
from tests.clients.programs.openai_api import OpenAiApi
from tests.clients.programs.program import Program
from tests.host.driver import Host
from tests.tools import cache, nodes

TRUST = "Do you trust the files in this folder?"


class CopilotCli(Program):
    """One `copilot` in a terminal; where the folder is not `trusted`, it asks the user first. Raises SetupError."""

    prompt = "/ commands · ? help"

    def __init__(
        self,
        host: Host,
        cwd: str,
        model: OpenAiApi,
        env: Optional[Mapping[str, str]] = None,
        trusted: bool = True,
        options: Sequence[str] = (),
    ) -> None:
        if trusted:
            _write_state(host, {"trustedFolders": [os.path.realpath(cwd)]})
        environment = {**variables(model), **(env or {})}
        super().__init__([program(), *options], host, cwd, model, environment)

    def wait_ready(self) -> None:
        """Trusts the folder, as a user does, and waits until the program takes a prompt."""
        self.wait_until(lambda: TRUST in self.text() or self.prompt in self.text(), "a prompt or a question")
        if TRUST in self.text():
            self.press("enter")
            # Then it drops its connection to the editor, and makes another one. Where that is quicker than the program
            # counts, it says "0 servers" and nothing more.
            self.wait_for("MCP Servers reloaded")
            self.is_soon(lambda: "1 server connected" in self.text(), 10.0)
        self.wait_for(self.prompt)

    def wait_connected(self, mention: str) -> None:
        """Waits until the program shows the selection, such as `@greeting.py:2`."""
        self.wait_ready()
        self.wait_for(mention)


def program() -> str:
    """Its path. Raises SetupError."""
    folder = nodes.packages("copilot_cli")
    return os.path.join(folder, "node_modules", "@github", "copilot-linux-x64", "copilot")


def variables(model: ModelStub) -> Dict[str, str]:
    """What makes it ask the stub."""
    return {
        "XDG_CACHE_HOME": _unpacked(program()),
        "COPILOT_OFFLINE": "true",
        "COPILOT_PROVIDER_BASE_URL": model.url + "/v1",
        "COPILOT_MODEL": "gpt-4.1",
    }


def _unpacked(path: str) -> str:
    """The folder in which the program finds itself unpacked: 235 MB, which it would else write at every start."""
    made_from = cache.read_text(os.path.join(os.path.dirname(path), "package.json")) or ""

    def make(folder: str) -> None:
        variables = {"PATH": os.environ["PATH"], "HOME": folder, "XDG_CACHE_HOME": folder, "COPILOT_OFFLINE": "true"}
        cache.run([path, "--version"], "unpacking Copilot CLI", env=variables)

    return cache.set_up("npm/copilot_cli_unpacked", [made_from], make, "the files of Copilot CLI", needs="copilot")


def _write_state(host: Host, state: Mapping[str, Any]) -> None:
    """Writes what the program would remember of earlier starts."""
    folder = os.path.join(host.environment["HOME"], ".copilot")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "config.json"), "w", encoding="utf-8") as file:
        json.dump(dict(state), file)
