"""The real `opencode` program, with a stub for its model.

    with OpenAiApi() as model, OpenCode(host, workspace, model) as opencode:
        opencode.wait_connected("greeting.py#1")
        opencode.submit("Please change it")

Its npm package is in `tests/clients/opencode/`: the program for Linux on x64.
"""

from __future__ import annotations

import json
import os
from typing import Any, Dict, Mapping, Optional

from tests.clients.programs.openai_api import OpenAiApi
from tests.clients.programs.program import Program
from tests.host.driver import Host
from tests.tools import nodes


class OpenCode(Program):
    """One `opencode` in a terminal. Raises SetupError."""

    prompt = "ctrl+p commands"

    def __init__(self, host: Host, cwd: str, model: OpenAiApi, env: Optional[Mapping[str, str]] = None) -> None:
        folder = nodes.packages("opencode")
        program = os.path.join(folder, "node_modules", "opencode-linux-x64", "bin", "opencode")
        _write_configuration(host, model)
        variables = {
            "OPENCODE_DISABLE_AUTOUPDATE": "true",
            "OPENCODE_DISABLE_MODELS_FETCH": "true",
            # Not the hundreds of models that it has built in: going through them takes as long as all else.
            "OPENCODE_MODELS_PATH": os.path.join(host.environment["HOME"], ".config", "opencode", "models.json"),
            "OPENCODE_DISABLE_LSP_DOWNLOAD": "true",
            "OPENCODE_DISABLE_DEFAULT_PLUGINS": "true",  # ways to log in, whose start takes seconds
        }
        variables.update(env or {})
        super().__init__([program], host, cwd, model, variables)

    def wait_connected(self, mention: str) -> None:
        """Waits until the program shows the selection, such as `greeting.py#1`: its lines count from 0."""
        self.wait_ready()
        self.wait_for(mention)


def _write_configuration(host: Host, model: OpenAiApi) -> None:
    """Settings that name the stub as the only model, and what keeps the program from asking npm for its plugins."""
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "Stub",
        "options": {"baseURL": model.url + "/v1", "apiKey": "none"},
        "models": {"none": {"name": "None"}},
    }
    settings = {
        "autoupdate": False,
        "share": "disabled",
        "model": "stub/none",
        "small_model": "stub/none",
        "provider": {"stub": provider},
    }
    folder = os.path.join(host.environment["HOME"], ".config", "opencode")
    os.makedirs(os.path.join(folder, "node_modules"), exist_ok=True)
    # With a lock file that names it, the program takes its own plugin package for installed. It needs none of it here.
    dependencies = {"dependencies": {"@opencode-ai/plugin": "*"}}
    installed = {"lockfileVersion": 3, "packages": {"": dependencies}}
    files: Dict[str, Any] = {"opencode.json": settings, "models.json": {}}
    files.update({"package.json": dependencies, "package-lock.json": installed})
    for name, content in files.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            json.dump(content, file)
