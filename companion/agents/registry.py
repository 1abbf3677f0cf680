"""The list of the agents.

Rule: this is the only list. A new agent is a module in this folder, a line here, and its settings.
"""

from __future__ import annotations

from typing import Tuple

from .agent import Agent
from .claude_code import CLAUDE_CODE
from .codex_cli import CODEX_CLI
from .copilot_cli import COPILOT_CLI
from .gemini_cli import GEMINI_CLI
from .gemini_forks import FORKS
from .opencode import FORKS as OPENCODE_FORKS
from .opencode import OPENCODE
from .qwen_code import QWEN_CODE

AGENTS: Tuple[Agent, ...] = (
    GEMINI_CLI,
    QWEN_CODE,
    *FORKS,
    CLAUDE_CODE,
    OPENCODE,
    *OPENCODE_FORKS,
    COPILOT_CLI,
    CODEX_CLI,
)


def agent_named(key: str) -> Agent:
    """The agent with this key. Raises `KeyError`."""
    for agent in AGENTS:
        if agent.key == key:
            return agent
    raise KeyError(key)
