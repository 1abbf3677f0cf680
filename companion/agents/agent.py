"""The base class of the agents: everything that the package knows about one.

Rule: no method has side effects, so that tests and Diagnose can repeat what each release does when it looks for its
window. Agents differ only in what their classes override. Code that uses them iterates over `registry.AGENTS` and never
compares names.
"""

from __future__ import annotations

import re
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Pattern, Sequence, Tuple

from ..settings import Settings
from ..system.paths import is_below
from ..system.platform import Platform
from .dialect import Dialect
from .hooks import HookDialect
from .window import RESTORES_ALL

EDITOR_NAME = "sublimetext"  # Gemini CLI's own name for this editor
EDITOR_DISPLAY_NAME = "Sublime Text"
EDITOR_INFO = {"name": EDITOR_NAME, "displayName": EDITOR_DISPLAY_NAME}
_NO_FILE = re.compile(r"(?!)")
_MARKS = re.compile(r"\[(.*?)\]\(.*?\)|`")  # of links and code in Markdown


class DiscoveryFile(NamedTuple):
    """One discovery file: its name, its JSON object (None if unreadable), and its time in seconds since the epoch."""

    name: str
    content: Optional[Mapping[str, Any]]
    written: float = 0.0


class LookupContext(NamedTuple):
    """The situation of an agent that looks for its window, in the working directory `folder`.

    `editor_pid` is the editor among its ancestor processes. `port` is from its environment, "" outside of the editor's
    terminals. `is_alive` tells whether a process id is in use; `real` resolves symbolic links.
    """

    folder: str
    editor_pid: int
    port: str
    platform: Platform
    is_alive: Callable[[int], bool]
    real: Callable[[str], str]

    def is_in(self, folders: Sequence[str]) -> bool:
        """Whether the agent's working directory is one of these folders or below one."""
        return any(contains(folder, self.folder, self) for folder in folders)


def contains(folder: str, path: str, lookup: LookupContext) -> bool:
    """Whether `path` is `folder` or below it, with links resolved. Case matters only on Linux."""
    return is_below(lookup.real(folder), lookup.real(path), lookup.platform)


class Announcement(NamedTuple):
    """One endpoint as its discovery files describe it.

    `folders` are absolute; `editor_pid` is the editor's process id, not the plugin host's. `agent_tokens` has, by
    title, the tokens of agents that get one of their own instead of `token`. `socket` is the path of the endpoint's
    socket, or "" if it has a port; `began` is when it began to listen, in milliseconds since the epoch. `real_folders`
    are the folders with all links resolved, for agents that compare them as text.
    """

    port: int
    token: str
    folders: Tuple[str, ...]
    editor_pid: int
    agent_tokens: Mapping[str, str] = {}
    socket: str = ""
    began: int = 0
    real_folders: Tuple[str, ...] = ()

    def token_for(self, agent: Agent) -> str:
        """The token that this agent has to send."""
        return self.agent_tokens.get(agent.title, self.token)


class Place(NamedTuple):
    """A directory for discovery files. The directories `below` are created and checked one by one, below `root`."""

    root: str
    below: Tuple[str, ...]
    root_is_shared: bool

    def path(self, platform: Platform) -> str:
        """The path of the innermost directory."""
        return str(platform.path.join(self.root, *self.below))


class SharedSocket(NamedTuple):
    """A socket that exists once for each user, whichever editor holds it: a `name` in a directory; on Windows a named
    pipe, which is in no directory."""

    place: Optional[Place]
    name: str


class ConnectionDetails(NamedTuple):
    """What an agent in a terminal needs to find one endpoint. `separator` is the platform's path list separator."""

    port: int
    folders: Tuple[str, ...]
    editor_pid: int
    separator: str
    ports: Mapping[str, int] = {}
    """The ports of the endpoint's other servers, by the key of their dialect."""

    @property
    def workspace(self) -> str:
        """The workspace folders as one path list."""
        return self.separator.join(self.folders)


class Profile(NamedTuple):
    """What users are told of an agent, in Markdown: by README and `docs/programs.md`, where `tests/tools/generate.py`
    puts it, and by the sentences of `Agent`."""

    to_connect: str
    """What users type; "" if it connects by itself."""
    works: str
    cannot: str = ""
    shows_diffs: str = ""
    """What makes diffs come, if it shows any."""
    link: str = ""
    to_connect_below: str = ""
    """What users type below an open folder, if it connects by itself only in one."""


class RunnableAgent:
    """An agent as far as *Run Agent…* has to know it. Agents that cannot connect to an editor are no more than this."""

    key: str
    """Its name in the setting `programs`, in commands and key bindings."""
    title: str
    """Its name in texts for users."""
    program: str
    """The command that starts it."""
    words: Tuple[str, ...] = ()
    """The whole command line, if it has further words."""
    is_own = False
    """Whether the package knows it only from the user's settings."""
    npm_package = ""
    """The npm package that users install; "" if none is known."""
    node = 0
    """The oldest major version of Node.js that it supports."""

    def is_wanted(self, settings: Settings) -> bool:
        """Whether the user has not disabled it."""
        row = settings.programs.get(self.key)
        return row is None or row.enabled

    def command(self, settings: Settings) -> Tuple[str, ...]:
        """The command line that starts it: the user's, else the usual one."""
        row = settings.programs.get(self.key)
        return (row.command if row is not None else ()) or self.words or (self.program,)

    @property
    def install_command(self) -> str:
        """The command line that installs it; "" if the package knows none."""
        return f"npm install -g {self.npm_package}" if self.npm_package else ""

    @property
    def how_to_connect(self) -> str:
        """How to connect it once it runs, in a sentence; "" if it cannot."""
        return ""

    def how_to_install(self, configured: str = "") -> str:
        """A few lines for a user who has not installed it, or whose setting starts `configured`, which is not there."""
        why = f'"{self.program}" on the PATH of your login shell'
        if configured:
            why = f'"{configured}", which your setting "programs" starts'
        said = f"{self.title} was not found: there is no {why}.\n"
        if not self.npm_package:
            return said
        correct = "Correct the setting, or remove it to start the usual program.\n" if configured else ""
        return (
            f"{said}{correct}\n"
            f"{self.title} needs Node.js {self.node} or newer. Install it in a terminal with\n"
            "\n"
            f"    {self.install_command}\n"
            "\n"
            f"then choose it again. {self.how_to_connect}\n"
        )

    def how_to_update(self) -> str:
        """How to get its current release, in a sentence."""
        if not self.npm_package:
            return "Install or update it, or correct the setting “programs”."
        return f"Install or update it with “{self.install_command}@latest” (needs Node.js {self.node} or newer)."

    def run_variables(self, connection: ConnectionDetails) -> Dict[str, str]:
        """The variables of a terminal in which it is the only agent."""
        return {}


class Agent(RunnableAgent):
    """An agent that connects to the editor. `registry` lists those that the package knows; users add their own."""

    dialect: Dialect
    """The protocol that it speaks with the editor."""
    hooks: Optional[HookDialect] = None
    """Its hooks, if they can tell the editor what it does."""
    restored = RESTORES_ALL
    """What it restores of a file when it writes an accepted proposal of its own diffs."""
    client_names: Tuple[str, ...] = ()
    """The names by which it introduces itself, if several agents share one token."""
    has_own_token = False
    """Whether it gets a token that no other agent has, because it does not introduce itself by a name."""
    folder = ""
    """The folder in which a user's own agent looks for the editor; "" for that of the agent that it is like."""
    profile: Profile
    can_be_told_which = True
    """Whether a terminal of the editor can tell it which of several windows to take."""
    needs_lines = False
    """Whether it ignores a mention of a whole file."""
    takes_the_only_one = False
    """Whether it connects by itself only if a single editor fits."""
    last_without_token: Tuple[int, int, int] = (0, 0, 0)
    """The last release that sends no token and is therefore refused."""
    home_variable = ""
    """The environment variable that names the folder of its own files."""
    usual_home = ""
    """That folder where nothing names another, in the user's own."""

    @property
    def token_name(self) -> str:
        """The name of its token; "" for the one that the agents of its dialect share."""
        return self.title if self.has_own_token else ""

    @property
    def file_names(self) -> Pattern[str]:
        """Matches all names of its discovery files. The group "pid" is the editor's process id if the name has it."""
        return _NO_FILE

    # -- texts for users ----------------------------------------------------------------------------------------------

    @property
    def how_to_connect(self) -> str:
        profile = self.profile
        if profile.to_connect:
            return f"In {self.title}, type {_plain(profile.to_connect)} to connect to this editor."
        below = f"; below an open folder, type {_plain(profile.to_connect_below)}" if profile.to_connect_below else ""
        return f"{self.title} connects to this editor by itself{below}."

    @property
    def why_no_diffs(self) -> str:
        """Why a user may see no diffs of it although it is connected, in a sentence; "" if connecting is all it takes,
        or it is not known."""
        needs = self.profile.shows_diffs
        if self.is_own or (needs and needs in self.profile.to_connect):
            return ""
        return f"Its diffs come with {_plain(needs)}." if needs else f"It cannot {_plain(self.profile.cannot)}."

    # -- where it asks ------------------------------------------------------------------------------------------------

    def shared_sockets(self, platform: Platform) -> Sequence[SharedSocket]:
        """The sockets at which it asks for the context, if it asks instead of looking for its window."""
        return ()

    # -- its discovery files ------------------------------------------------------------------------------------------

    def home(self, platform: Platform) -> str:
        """The folder of its own files: from the user's row, else from its variable, else the usual one."""
        if self.folder:
            return platform.with_home(self.folder)
        return platform.variable(self.home_variable) or platform.with_home("~/" + self.usual_home)

    def configuration(self, platform: Platform) -> str:
        """The folder of its settings."""
        return self.home(platform)

    def place(self, platform: Platform) -> Place:
        """The directory in which it looks for discovery files."""
        return Place(self.home(platform), ("ide",), False)

    def files(self, announcement: Announcement, platform: Platform) -> Dict[str, Dict[str, Any]]:
        """The contents of one endpoint's discovery files by name; empty if it does not look for its window. Current
        releases read the first one."""
        return {}

    def identity(self, content: Mapping[str, Any]) -> Tuple[object, ...]:
        """The address and the secret in a discovery file, by which those of two servers differ."""
        return content.get("port"), content.get("authToken")

    def owner(self, name: str, content: Mapping[str, Any]) -> Optional[int]:
        """The process id of the editor that wrote this file, or None if it is unknown."""
        match = self.file_names.match(name)
        return int(match.group("pid")) if match is not None and match.group("pid") else None

    def choose(self, entries: Sequence[DiscoveryFile], lookup: LookupContext) -> Optional[DiscoveryFile]:
        """Choose the discovery file as the agent does. None if it would find no window."""
        return None

    # -- environment --------------------------------------------------------------------------------------------------

    def terminal_variables(self, connection: ConnectionDetails) -> Dict[str, str]:
        """The environment variables by which it finds the window, for terminals started from the editor. No secrets."""
        return {}

    def client_variables(self, connection: ConnectionDetails) -> Dict[str, str]:
        """Further variables that it needs if the editor is not among its ancestor processes."""
        return {}


def _plain(markdown: str) -> str:
    return _MARKS.sub(r"\1", markdown)


def common_content(agent: Agent, announcement: Announcement, platform: Platform) -> Dict[str, Any]:
    """The fields that all discovery files have. Companion specifications, section I.2."""
    return {
        "port": announcement.port,
        "workspacePath": platform.list_separator.join(announcement.folders),
        "authToken": announcement.token_for(agent),
        "ideInfo": dict(EDITOR_INFO),
    }


def folders_of(content: Optional[Mapping[str, Any]]) -> List[str]:
    """The workspace folders in a discovery file that lists them."""
    folders = (content or {}).get("workspaceFolders")
    return [folder for folder in folders if isinstance(folder, str)] if isinstance(folders, list) else []


def process_id(value: Any) -> Optional[int]:
    """The editor's process id in a discovery file; None if the value is no id."""
    return value if type(value) is int else None
