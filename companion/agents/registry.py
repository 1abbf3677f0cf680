"""The list of the programs: ours, and those of a user's own rows.

Rule: this is the only list. A new agent of ours is a module in this folder, a line here, and its settings. A user adds
one by a row of the setting `agents`, which connects, or of `run_commands`, which does not.

Pure. A row of `agents` is a program of ours by other names, with another command and maybe another folder: it
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
from .codex_cli import CODEX_CLI
from .copilot_cli import COPILOT_CLI
from .gemini_cli import GEMINI_CLI, LLXPRT_CODE
from .opencode import KILO_CLI, OPENCODE
from .qwen_code import QWEN_CODE

_FIELDS = {"name", "command", "dialect", "folder"}
_FOLDER_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}")  # in the directory for temporary files
_FOLDER_PATH = re.compile(r"(~|[A-Za-z]:)?[\\/].*[^\\/. ].*")


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


class OwnAgents(NamedTuple):
    """The programs of the rows that are right, and a sentence for each other one (at most a few)."""

    agents: Tuple[Agent, ...]
    complaints: Tuple[str, ...]


MODELS: Dict[str, Agent] = {
    "gemini": GEMINI_CLI,
    "qwen": QWEN_CODE,
    "claude": CLAUDE_CODE,
    "opencode": OPENCODE,
    "copilot": COPILOT_CLI,
}
"""The programs that a row may be like, by its `dialect`. Codex CLI is none of them: all that ask at its socket get an
answer."""


def agents_of(settings: Settings) -> Tuple[Agent, ...]:
    """Ours and those of the user's rows. Any thread; the same rows give the same objects."""
    return (*AGENTS, *_own_agents(settings).agents)


def wanted_agents(settings: Settings) -> Tuple[Agent, ...]:
    """Those of them that the user has switched on. Any thread."""
    return tuple(agent for agent in agents_of(settings) if agent.is_wanted(settings))


def wrong_rows(settings: Settings) -> Sequence[str]:
    """A sentence for each row of the user's that is left out. Any thread."""
    return _own_agents(settings).complaints


def programs_of(settings: Settings) -> List[Program]:
    """All that a Run command can start, those that do not connect last: of these only the command is known."""
    return [*agents_of(settings), *(_program(title, words) for title, words in settings.run_commands.items())]


def _own_agents(settings: Settings) -> OwnAgents:
    return _read(json.dumps(settings.agents))


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
def _read(rows: str) -> OwnAgents:
    agents: List[Agent] = []
    complaints: List[str] = []
    taken = {name for agent in AGENTS for name in (agent.title.lower(), agent.key)}
    for number, row in enumerate(json.loads(rows), 1):
        problem = _problem(row, taken)
        if problem is not None:
            complaints.append(f"Row {number} of “agents” is left out: {problem}.")
            continue
        title = row["name"]
        taken.add(_key(title))
        agents.append(_like(MODELS[row["dialect"]], title, tuple(row["command"]), row.get("folder", "")))
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
    if not isinstance(dialect, str) or dialect not in MODELS:
        return "its dialect should be one of " + ", ".join(f'"{name}"' for name in MODELS)
    if not _key(title) or {title.lower(), _key(title)} & taken:
        return "another program has this name" if _key(title) else "its name should have a letter or a digit"
    if not isinstance(folder, str):
        return "its folder should be a text"
    right = _FOLDER_NAME if dialect == "gemini" else _FOLDER_PATH
    if folder and (not right.fullmatch(folder) or words_problem([folder])):
        return "its folder should be " + ("a name" if dialect == "gemini" else "a path such as “~/.name”")
    return None
