"""Dialects: the protocols that agents speak with the editor. These are the base classes of the modules beside it.

Rules: the literals of a protocol and the answers to its calls are in the module of its dialect, and nowhere else. A
dialect is pure: it asks the window through `AgentWindow`, and returns what should be sent as `ClientNotice`s. It keeps
no state of a client.

`SelectionDialect` is shared by Claude Code, opencode and Copilot CLI, which were made for VS Code first. Such an agent
receives the file in front and its selection. It learns the user's decision from the result of the call that opened the
review.
"""

from __future__ import annotations

import json
import ntpath
import pathlib
from enum import Enum
from typing import Any, Awaitable, Callable, ClassVar, Dict, Mapping, NamedTuple, Optional, Sequence, Tuple

from ..protocol.serving import ServedDialect
from ..protocol.tools import Tool, ToolCall, ToolResult, error_result, text_result
from .window import (
    ActiveFile,
    AgentWindow,
    CannotDo,
    Diagnostic,
    FileDiagnostics,
    ReviewRequest,
    Severity,
    SharedContext,
    TextPosition,
)


class Transport(Enum):
    """How the messages of a dialect travel."""

    HTTP_ON_PORT = "streamable HTTP on a port of the loopback address"
    HTTP_ON_SOCKET = "streamable HTTP on a socket in the file system"
    WEBSOCKET = "WebSocket on a port of the loopback address"
    FRAMES_ON_SHARED_SOCKET = "frames on a socket that all windows share"


class ClientNotice(NamedTuple):
    """A notification to a client. It replaces one with the same `collapse` key that has not been sent yet."""

    method: str
    params: Dict[str, Any]
    collapse: Optional[str] = None


class Mention(NamedTuple):
    """A place in a file to which the user points an agent. Lines count from 0; None is the whole file."""

    path: str
    lines: Optional[Tuple[int, int]] = None
    last_line: Optional[int] = None
    """The last line of the file; None if it is not known, or for a folder."""

    def spelled_out(self) -> Optional[Mention]:
        """The mention with lines: for a whole file, all of them. None if they are not known."""
        if self.lines is not None:
            return self
        return self._replace(lines=(0, self.last_line)) if self.last_line is not None else None


ContextOf = Callable[[str, str], Awaitable[Optional[SharedContext]]]
"""Finds the context for an agent that runs in this folder and has this name; None if no window shares one with it."""

Handler = Callable[[Any, ToolCall, AgentWindow], Awaitable[ToolResult]]
"""A method of a dialect that carries out the calls of one tool."""


class Dialect(ServedDialect):
    """One protocol. Each subclass has one instance, which agents refer to."""

    key: str
    """Its name, which no other dialect has; lower case."""
    transport: Transport
    handlers: ClassVar[Mapping[str, Handler]] = {}
    """The methods that carry out the tools, by the tool's name."""
    trial: Mapping[str, Any] = {}
    """On a shared socket: a message whose answer contains nothing of the user."""
    turn_begins = ""
    """The tool that agents call whenever they begin a turn, and at no other time; "" if there is none."""
    edits_return = True
    """Whether the answer to a review carries the user's edits."""
    elsewhere = ""
    """The name of the machine where its agents run, "" if it is the editor's."""
    takes_mentions = False
    """Whether `mention` has something to send."""
    attentive_after_seconds: Sequence[float] = ()
    """If clients miss the first notifications: how long after the list of tools the context is sent again."""

    @property
    def spoken(self) -> Dialect:
        """The dialect that the agents speak: another one where theirs is carried here from another machine."""
        return self

    def messages(self, context: SharedContext) -> Sequence[ClientNotice]:
        """The notifications that give a client this context."""
        raise NotImplementedError

    async def reply(self, message: Mapping[str, Any], context_of: ContextOf) -> Optional[Dict[str, Any]]:
        """On a shared socket: the answer to a message, or None if it wants none."""
        raise NotImplementedError

    def only_takes_back(self, context: SharedContext) -> bool:
        """Whether this context only takes back what the client has received before."""
        return False

    def mention(self, mention: Mention) -> Optional[ClientNotice]:
        """The notification that puts the mention into the agent's prompt, or None if the agent takes no mentions."""
        return None

    def decided(self, path: str, accepted: Optional[str]) -> ClientNotice:
        """The notification of the user's decision for a client whose call does not wait for it. `accepted` is the
        accepted text, or None."""
        raise NotImplementedError

    async def call(self, call: ToolCall, window: AgentWindow) -> ToolResult:
        """Carry out a call of one of the `tools`. If the window cannot do it, the result has `isError`: agents take any
        other result for a decision."""
        try:
            return await self.handlers[call.name](self, call, window)
        except CannotDo as refusal:
            return error_result(str(refusal))


def tool(name: str, title: str, description: str, required: Sequence[str] = (), /, **properties: Any) -> Tool:
    """A tool with these arguments, each with its schema. Further arguments are allowed: a newer agent may send them."""
    schema: Dict[str, Any] = {"type": "object", "properties": properties}
    if required:  # draft 4 allows no empty list
        schema["required"] = list(required)
    return Tool(name, title, description, schema)


def json_result(value: Any) -> ToolResult:
    """One text block that holds JSON."""
    return text_result(json.dumps(value, ensure_ascii=False))


def file_url(path: str) -> str:
    """The URL of a file. Windows paths are recognised by their form, so that the result is the same on each system."""
    try:
        if ntpath.splitdrive(path)[0]:
            return pathlib.PureWindowsPath(path).as_uri()
        return pathlib.PurePosixPath(path).as_uri()
    except ValueError:  # a relative path, or characters that no file name of this machine can hold
        return ""


def path_of_url(address: str) -> str:
    """The path in the URL of a file; any other text is taken for a path.

    Agents also send paths with just the scheme before them. Therefore `#` and `?` are characters of the name, and the
    host may be a drive.
    """
    from urllib.parse import unquote

    scheme, host = "file://", "localhost"
    if not address.startswith(scheme):
        return address
    path = unquote(address[len(scheme) :])
    if path.startswith(host + "/"):
        path = path[len(host) :]
    if path[:1] == "/" and path[2:3] == ":":
        path = path[1:]
    if path[:1] in ("", "/", "\\"):
        return path
    return (path if path[1:2] == ":" else "\\\\" + path).replace("/", "\\")


# -- agents that follow the selection ----------------------------------------------------------------------------------

SELECTION_CHANGED = "selection_changed"

TEXT: Dict[str, Any] = {"type": "string"}
"""The schema of an argument that is a text."""


class SelectionDialect(Dialect):
    """A dialect whose agents receive the file in front and its selection, and nothing else.

    There is no message for "no file". An empty one replaces a selection that the agent has received and not yet shown
    to its model. opencode then says that the user opened the file "", which is better than showing what is not shared.
    """

    def messages(self, context: SharedContext) -> Sequence[ClientNotice]:
        return (ClientNotice(SELECTION_CHANGED, selection_fields(context.active), SELECTION_CHANGED),)

    def only_takes_back(self, context: SharedContext) -> bool:
        return context.active is None

    async def reviewed(self, call: ToolCall, window: AgentWindow, path_argument: str) -> Optional[str]:
        """Show the proposal of a call for the file that this argument names, and wait for the decision. Returns the
        accepted text, or None."""
        arguments = call.arguments
        path, proposed = arguments[path_argument], arguments["new_file_contents"]
        return await window.review(ReviewRequest(call, path, proposed, arguments["tab_name"], self.edits_return))

    async def diagnosed(self, call: ToolCall, window: AgentWindow) -> Sequence[FileDiagnostics]:
        """The diagnostics of the file that the argument `uri` names; without it, of all files that are shared."""
        address = call.arguments.get("uri")
        return await window.diagnostics(path_of_url(address) if address else None)


def position(place: TextPosition) -> Dict[str, int]:
    """A place on the wire."""
    return {"line": place.line, "character": place.character}


def selection_fields(active: Optional[ActiveFile]) -> Dict[str, Any]:
    """The file in front and its selection. Without a file the fields are empty: nothing is selected any more."""
    if active is None:
        active = ActiveFile("", TextPosition(0, 0), TextPosition(0, 0))
    return {
        "text": active.text,
        "filePath": active.path,
        "fileUrl": file_url(active.path) if active.path else "",
        "selection": {
            "start": position(active.start),
            "end": position(active.end),
            "isEmpty": active.start == active.end,
        },
    }


def diagnostic_fields(diagnostic: Diagnostic, severities: Mapping[Severity, str]) -> Dict[str, Any]:
    """One diagnostic, with the words of the agent for how bad it is."""
    return {
        "message": diagnostic.message,
        "severity": severities[diagnostic.severity],
        "range": {"start": position(diagnostic.start), "end": position(diagnostic.end)},
        "source": diagnostic.source,
    }
