"""LLxprt Code: a fork of Gemini CLI that differs from it by names alone.

Rule: what it shares with Gemini CLI stands there. A fork that looks for the editor by Gemini CLI's own names, as
aioncli does, needs no module, and one that differs by names a row of the setting `agents` or a class like this.
"""

from __future__ import annotations

from typing import Dict

from .agent import Connection
from .gemini_cli import GeminiCli


class LlxprtCode(GeminiCli):
    """Knows of no variable for the editor's process id."""

    key = "llxprt"
    title = "LLxprt Code"
    program = "llxprt"
    npm_package = "@vybestack/llxprt-code"
    node = 24
    how_to_connect = "In LLxprt Code, type /ide enable to connect to this editor."
    last_without_token = (0, 0, 0)
    usual_folder = "llxprt"
    variables = "LLXPRT_CODE_IDE"

    def client_variables(self, connection: Connection) -> Dict[str, str]:
        return {}


LLXPRT_CODE = LlxprtCode()
