"""The list of the agents.

Rule: this is the only list. A new agent is a module in this folder, a line here, and its settings; a user adds one by a
row of the setting `agents` (see `own`).
"""

from __future__ import annotations

from typing import List, Sequence, Tuple

from ..settings import Settings
from .agent import Agent, Program
from .claude_code import CLAUDE_CODE
from .codex_cli import CODEX_CLI
from .copilot_cli import COPILOT_CLI
from .gemini_cli import GEMINI_CLI, LLXPRT_CODE
from .opencode import KILO_CLI, OPENCODE
from .own import own_agents, own_programs
from .qwen_code import QWEN_CODE

AGENTS: Tuple[Agent, ...] = (
    GEMINI_CLI,
    QWEN_CODE,
    LLXPRT_CODE,
    CLAUDE_CODE,
    OPENCODE,
    KILO_CLI,
    COPILOT_CLI,
    CODEX_CLI,
)


def agents_of(settings: Settings) -> Tuple[Agent, ...]:
    """Those and the ones that the user's rows add. Any thread; the same rows give the same objects."""
    return (*AGENTS, *own_agents(settings, AGENTS).agents)


def wanted_agents(settings: Settings) -> Tuple[Agent, ...]:
    """Those of them that the user has switched on. Any thread."""
    return tuple(agent for agent in agents_of(settings) if agent.is_wanted(settings))


def wrong_rows(settings: Settings) -> Sequence[str]:
    """A sentence for each row of the user's that is left out. Any thread."""
    return own_agents(settings, AGENTS).complaints


def programs_of(settings: Settings) -> List[Program]:
    """All that a Run command can start, those that do not connect last."""
    return [*agents_of(settings), *own_programs(settings)]
