"""The programs of a user's own rows: those of the setting `agents`, which connect, and those of `run_commands`.

Rule: pure. A row of `agents` is a program of ours by other names, with another command and maybe another folder: it
needs no code. One that is not right is left out, and a sentence says why. Equal rows give the same objects.
"""

from __future__ import annotations

import copy
import json
import re
from functools import lru_cache
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Set, Tuple

from ..settings import Settings, a_few, name_problem, readable, words_problem
from .agent import Agent, Program
from .claude_code import CLAUDE_CODE
from .copilot_cli import COPILOT_CLI
from .gemini_cli import GEMINI_CLI
from .opencode import OPENCODE
from .qwen_code import QWEN_CODE

_FIELDS = {"name", "command", "dialect", "folder"}
_FOLDER_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}")  # in the directory for temporary files
_FOLDER_PATH = re.compile(r"(~|[A-Za-z]:)?[\\/].*[^\\/. ].*")


class OwnAgents(NamedTuple):
    """The programs of the rows that are right, and a sentence for each other one (at most a few)."""

    agents: Tuple[Agent, ...]
    complaints: Tuple[str, ...]


DIALECTS: Dict[str, Agent] = {
    "gemini": GEMINI_CLI,
    "qwen": QWEN_CODE,
    "claude": CLAUDE_CODE,
    "opencode": OPENCODE,
    "copilot": COPILOT_CLI,
}
"""The programs that a row may be like. Codex CLI is none of them: all that ask at its socket get an answer."""


def own_agents(settings: Settings, built_in: Sequence[Agent]) -> OwnAgents:
    """The programs of the setting `agents`; none has a name that one of `built_in` has. Any thread."""
    return _read(json.dumps(settings.agents), tuple(built_in))


def own_programs(settings: Settings) -> List[Program]:
    """Those of the setting `run_commands`, of which nothing is known but how to start them."""
    return [_program(title, words) for title, words in settings.run_commands.items()]


def _program(title: str, words: Sequence[str]) -> Program:
    program = Program()
    # No key of an agent has a hyphen, and none a full stop.
    program.key, program.title, program.words, program.program = "run-" + _key(title), title, tuple(words), words[0]
    return program


def _like(agent: Agent, title: str, words: Tuple[str, ...], folder: str) -> Agent:
    own = copy.copy(agent)
    own.key, own.title, own.words, own.program, own.folder = _key(title), title, words, words[0], folder
    own.client_names, own.has_own_token, own.last_without_token = (), True, (0, 0, 0)
    own.how_to_connect = agent.how_to_connect.replace(agent.title, title)
    return own


def _key(title: str) -> str:
    return re.sub(r"\W+", "_", title.lower()).strip("_")


@lru_cache(maxsize=4)
def _read(rows: str, built_in: Tuple[Agent, ...]) -> OwnAgents:
    agents: List[Agent] = []
    complaints: List[str] = []
    taken = {agent.title.lower() for agent in built_in} | {agent.key for agent in built_in}
    for number, row in enumerate(json.loads(rows), 1):
        problem = _problem(row, taken)
        if problem is not None:
            complaints.append(f"Row {number} of “agents” is left out: {problem}.")
            continue
        title = row["name"]
        taken.add(_key(title))
        agents.append(_like(DIALECTS[row["dialect"]], title, tuple(row["command"]), row.get("folder", "")))
    return OwnAgents(tuple(agents), tuple(a_few(complaints, "{} more rows of “agents” are left out.")))


def _problem(row: Any, taken: Set[str]) -> Optional[str]:
    """What is wrong with a row, as the end of a sentence."""
    if not isinstance(row, Mapping):
        return 'it should be an object, such as {"name": "…", "command": ["…"], "dialect": "claude"}'
    unknown = sorted(set(row) - _FIELDS)
    if unknown:
        return f"it has an unknown entry “{readable(unknown[0])}”"
    problem = name_problem(row.get("name")) or words_problem(row.get("command"))
    if problem is not None:
        return problem
    title, dialect, folder = row["name"], row.get("dialect"), row.get("folder", "")
    if not isinstance(dialect, str) or dialect not in DIALECTS:
        return "its dialect should be one of " + ", ".join(f'"{name}"' for name in DIALECTS)
    if not _key(title) or {title.lower(), _key(title)} & taken:
        return "another program has this name" if _key(title) else "its name should have a letter or a digit"
    if not isinstance(folder, str):
        return "its folder should be a text"
    right = _FOLDER_NAME if dialect == "gemini" else _FOLDER_PATH
    if folder and (not right.fullmatch(folder) or words_problem([folder])):
        return "its folder should be " + ("a name" if dialect == "gemini" else "a path such as “~/.name”")
    return None
