"""The list of the agents: ours, and those that the user's setting `programs` adds.

Rule: this is the only list. A new agent of ours is a module in this folder and a line here.

Pure. A user's own agent is one of ours with another name and command, and maybe another folder: it needs no code. A
wrong entry is left out, and a sentence says why. Equal entries give the same objects.
"""

from __future__ import annotations

import copy
import re
from functools import lru_cache
from typing import Dict, List, Optional, Sequence, Tuple

from ..settings import ProgramRow, Settings, a_few, program_key, readable
from .agent import Agent, RunnableAgent
from .claude_code import CLAUDE_CODE
from .codex_cli import CODEX_CLI
from .copilot_cli import COPILOT_CLI
from .gemini_cli import GEMINI_CLI, LLXPRT_CODE
from .opencode import KILO_CLI, OPENCODE
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
MODELS: Dict[str, Agent] = {agent.key: agent for agent in (GEMINI_CLI, QWEN_CODE, CLAUDE_CODE, OPENCODE, COPILOT_CLI)}
"""The agents that a user's own agent may be like, by its `dialect`. Codex CLI is not among them: each process that asks
at its socket gets an answer."""

_FOLDER_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}")  # in the directory for temporary files
_FOLDER_PATH = re.compile(r"(~|[A-Za-z]:)?[\\/].*[^\\/. ].*")


def _started(key: str, title: str, *words: str) -> RunnableAgent:
    """An agent that has a command line and nothing else."""
    agent = RunnableAgent()
    agent.key, agent.title, agent.program, agent.words = key, title, words[0], words
    return agent


STARTED: Tuple[RunnableAgent, ...] = (
    _started("amp", "Amp", "amp"),
    _started("antigravity", "Antigravity CLI", "agy"),
    _started("cursor", "Cursor CLI", "cursor-agent"),
    _started("goose", "Goose", "goose", "session"),
    _started("kiro", "Kiro CLI", "kiro-cli"),
    _started("pi", "Pi", "pi"),
)
"""Agents that cannot connect to an editor: *Run Agent…* starts them."""

_KNOWN: Dict[str, RunnableAgent] = {agent.key: agent for agent in (*AGENTS, *STARTED)}
_BY_TITLE: Dict[str, str] = {program_key(agent.title): key for key, agent in _KNOWN.items()}


def agents_of(settings: Settings) -> Tuple[Agent, ...]:
    """Our agents and the user's, disabled ones included. Equal entries give the same objects. Any thread."""
    own = (_own_agent(row.name, row.command[0], row.dialect, row.folder) for row in _own_rows(settings) if row.dialect)
    return (*AGENTS, *own)


def wanted_agents(settings: Settings) -> Tuple[Agent, ...]:
    """The agents that the user has not disabled. Any thread."""
    return tuple(agent for agent in agents_of(settings) if agent.is_wanted(settings))


def agents_to_run(settings: Settings) -> List[RunnableAgent]:
    """The enabled agents that *Run Agent…* lists, those that cannot connect last."""
    own = (_own_runnable(row.name, row.command[0]) for row in _own_rows(settings) if not row.dialect)
    return [each for each in (*agents_of(settings), *STARTED, *own) if each.is_wanted(settings)]


def wrong_programs(settings: Settings) -> Sequence[str]:
    """A sentence for each entry of `programs` that has no effect (at most a few). Any thread."""
    wrong = [
        f'"programs" in the settings is wrong for “{readable(row.name)}”: {why}.'
        for key, row in settings.programs.items()
        for why in [_problem(key, row)]
        if why is not None
    ]
    return a_few(wrong, '"programs" in the settings is wrong for {} more agents.')


def _own_rows(settings: Settings) -> List[ProgramRow]:
    return [
        row
        for key, row in settings.programs.items()
        if key not in _KNOWN and row.command and _problem(key, row) is None
    ]


def _problem(key: str, row: ProgramRow) -> Optional[str]:
    """What is wrong with an entry, as the end of a sentence."""
    if key in _KNOWN:
        needless = row.dialect or row.folder
        return "it is known already: only its “enabled” and its “command” count" if needless else None
    if key in _BY_TITLE:
        return f"its key is “{_BY_TITLE[key]}”"
    if not row.command:
        return "it needs a “command”" if row.enabled else None
    if not row.dialect:
        return "a “folder” needs a “dialect”" if row.folder else None
    if row.dialect not in MODELS:
        return "its “dialect” should be one of " + ", ".join(f'"{name}"' for name in MODELS)
    is_name = row.dialect == GEMINI_CLI.key
    if row.folder and not (_FOLDER_NAME if is_name else _FOLDER_PATH).fullmatch(row.folder):
        return "its “folder” should be " + ("a name" if is_name else "a path such as “~/.name”")
    return None


@lru_cache(maxsize=64)
def _own_agent(title: str, program: str, dialect: str, folder: str) -> Agent:
    own = copy.copy(MODELS[dialect])
    own.key, own.title, own.program, own.folder, own.is_own = program_key(title), title, program, folder, True
    own.client_names, own.has_own_token, own.last_without_token, own.npm_package = (), True, (0, 0, 0), ""
    return own


@lru_cache(maxsize=64)
def _own_runnable(title: str, program: str) -> RunnableAgent:
    own = _started(program_key(title), title, program)
    own.is_own = True
    return own
