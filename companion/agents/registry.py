"""The programs that the package knows, one line each.

Rule: this is the one list of them. A new one is a module in this folder, a line here, and its settings.
"""

from __future__ import annotations

from typing import Tuple

from .agent import Agent
from .gemini_cli import GEMINI_CLI
from .qwen_code import QWEN_CODE

AGENTS: Tuple[Agent, ...] = (
    GEMINI_CLI,
    QWEN_CODE,
)


def agent_named(key: str) -> Agent:
    """The agent with this key. Raises `KeyError`."""
    for agent in AGENTS:
        if agent.key == key:
            return agent
    raise KeyError(key)
