"""What the package has to know of a program: the base class of the modules in this folder.

Rule: everything here is computed, nothing is touched. A program differs from another only by what its class overrides;
who uses it asks `registry` and compares no names.
"""

from __future__ import annotations

from typing import Any, Dict, Mapping, NamedTuple, Optional, Pattern, Sequence, Tuple

from ..settings import Settings
from ..system.platform import Platform
from .dialect import Dialect
from .lookup import Entry, LookupContext

EDITOR_NAME = "sublimetext"  # the name that Gemini CLI itself gives this editor
EDITOR_DISPLAY_NAME = "Sublime Text"
EDITOR_INFO = {"name": EDITOR_NAME, "displayName": EDITOR_DISPLAY_NAME}


class Announcement(NamedTuple):
    """What programs are told of one endpoint.

    `folders` are absolute; `editor_pid` is the editor's process id, not the plugin host's. `agent_tokens` has the
    tokens of agents, by title, that get one of their own instead of `token`. `socket` is the path of the endpoint's
    socket, or "" if it has a port; `began` is when it began to listen, in milliseconds since the epoch. `real_folders`
    are the folders with all links resolved, for programs that compare text.
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
        """The token that this agent is to show."""
        return self.agent_tokens.get(agent.title, self.token)


class Place(NamedTuple):
    """A directory for discovery files: `below` are made and checked one by one, under `root`."""

    root: str
    below: Tuple[str, ...]
    root_is_shared: bool


class Connection(NamedTuple):
    """What a program has to know of one endpoint. `separator` is the platform's, for lists of paths."""

    port: int
    folders: Tuple[str, ...]
    editor_pid: int
    separator: str
    ports: Mapping[str, int] = {}
    """Of the endpoint's other servers, by the key of their dialect."""

    @property
    def workspace(self) -> str:
        """The workspace folders as one string."""
        return self.separator.join(self.folders)


class Agent:
    """A command line program that connects to the editor. One instance of each subclass, in `registry`."""

    key: str
    """In settings, commands and key bindings; lower case."""
    title: str
    """As users call it."""
    dialect: Dialect
    """What it speaks with the editor."""
    client_names: Tuple[str, ...] = ()
    """By which it introduces itself, where several programs come in by one token."""
    program: str
    """What users type to start it."""
    npm_package: str
    """What users install."""
    node: int
    """The oldest major version of Node.js that it runs on."""
    how_to_connect: str
    """A sentence that tells users how to connect it once it runs."""
    can_be_told_which = True
    """Whether a terminal of the editor can tell it which of several windows to take."""
    takes_the_only_one = False
    """Whether it connects by itself only if a single editor fits."""
    last_without_token: Tuple[int, int, int]
    """The last release that shows no token, and so is refused."""
    file_names: Pattern[str]
    """Matches every name that a discovery file for it can have; group "pid" where the name has one."""

    # -- the user's settings for it -----------------------------------------------------------------------------------

    @property
    def publish_setting(self) -> str:
        """The name of the setting that says whether it is told where the editor is."""
        return f"publish_for_{self.key}"

    def is_wanted(self, settings: Settings) -> bool:
        """Whether the user wants it to be told where the editor is."""
        return bool(getattr(settings, self.publish_setting))

    def command(self, settings: Settings) -> Tuple[str, ...]:
        """The words that start it, as the user has set them; its program where that is nothing."""
        words: Tuple[str, ...] = getattr(settings, f"{self.key}_command")
        return words or (self.program,)

    # -- what users are told ------------------------------------------------------------------------------------------

    def how_to_install(self) -> str:
        """What to tell a user who does not have it, in a few lines."""
        return (
            f'{self.title} was not found: there is no "{self.program}" on the PATH of your login shell.\n'
            "\n"
            f"It needs Node.js {self.node} or newer. Install it in a terminal with\n"
            "\n"
            f"    npm install -g {self.npm_package}\n"
            "\n"
            f'then run "Gemini Companion: Run {self.title}" again. {self.how_to_connect}\n'
        )

    def why_no_diffs(self) -> str:
        """Why a user may see no diffs of it although it is connected, in a sentence or two; "" without a reason."""
        return ""

    # -- its discovery files ------------------------------------------------------------------------------------------

    def place(self, platform: Platform) -> Place:
        """Where it looks for discovery files."""
        raise NotImplementedError

    def files(self, announcement: Announcement, platform: Platform) -> Dict[str, Dict[str, Any]]:
        """File name to content, for one endpoint. The first is the one that its current release reads."""
        raise NotImplementedError

    def identity(self, content: Mapping[str, Any]) -> Tuple[object, ...]:
        """What tells one server's discovery file from another's."""
        return content.get("port"), content.get("authToken")

    def owner(self, name: str, content: Mapping[str, Any]) -> Optional[int]:
        """The id of the editor process that wrote this file, or None if it cannot be told."""
        match = self.file_names.match(name)
        return int(match.group("pid")) if match is not None and match.group("pid") else None

    def choose(self, entries: Sequence[Entry], lookup: LookupContext) -> Optional[Entry]:
        """The discovery file by which it would connect, or None if it finds no window."""
        raise NotImplementedError

    # -- its environment ----------------------------------------------------------------------------------------------

    def terminal_variables(self, connection: Connection) -> Dict[str, str]:
        """What a terminal started from the editor inherits, so that it finds the window. No secret is among them."""
        raise NotImplementedError

    def client_variables(self, connection: Connection) -> Dict[str, str]:
        """What it needs besides where the editor is not among its ancestors."""
        return {}

    def run_variables(self, connection: Connection) -> Dict[str, str]:
        """What it gets where it is the only program of the terminal."""
        return {}


def common_content(agent: Agent, announcement: Announcement, platform: Platform) -> Dict[str, Any]:
    """What stands in every discovery file. Companion specification, section I.2."""
    return {
        "port": announcement.port,
        "workspacePath": platform.list_separator.join(announcement.folders),
        "authToken": announcement.token_for(agent),
        "ideInfo": dict(EDITOR_INFO),
    }
