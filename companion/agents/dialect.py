"""A dialect: the protocol that one or more agents speak with the editor; the base classes of the modules beside it.

Rules: every literal of an agent's wire stands in the module of its dialect, and nowhere else; so does every answer to
a call. A dialect is pure: it asks the window through `AgentWindow`, and what it wants sent it gives back as
`ClientNotice`s. It keeps no state of a client.

`SelectionDialect` is what Claude Code, opencode and Copilot CLI share: all three were made for VS Code first. Such a
agent receives the file in front and what is selected in it. It hears of the user's decision by the result of the call
that opened the review.
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
    """What a dialect is carried by."""

    HTTP_ON_PORT = "streamable HTTP on a port of the loopback address"
    HTTP_ON_SOCKET = "streamable HTTP on a socket in the file system"
    WEBSOCKET = "WebSocket on a port of the loopback address"
    FRAMES_ON_SHARED_SOCKET = "frames on a socket that all windows share"


class ClientNotice(NamedTuple):
    """A notification to a client. One with the same `collapse` key that still waits is replaced."""

    method: str
    params: Dict[str, Any]
    collapse: Optional[str] = None


class Mention(NamedTuple):
    """A place in a file that the user wants to point an agent to. Lines count from 0; None is the whole file."""

    path: str
    lines: Optional[Tuple[int, int]] = None
    last_line: Optional[int] = None
    """Of the file, if that is known: of a folder it never is."""

    def spelled_out(self) -> Optional[Mention]:
        """The same with lines, be they all of the file; None if they are not known."""
        if self.lines is not None:
            return self
        return self._replace(lines=(0, self.last_line)) if self.last_line is not None else None


ContextOf = Callable[[str, str], Awaitable[Optional[SharedContext]]]
"""The context for an agent that runs in this folder and calls itself so; None if no window has one for it."""

Handler = Callable[[Any, ToolCall, AgentWindow], Awaitable[ToolResult]]
"""A method of a dialect that carries out the calls of one tool."""


class Dialect(ServedDialect):
    """One protocol. One instance of each subclass; an agent names its dialect."""

    key: str
    """Among the dialects; lower case."""
    transport: Transport
    handlers: ClassVar[Mapping[str, Handler]] = {}
    """The methods that carry out the tools, by the tool's name."""
    trial: Mapping[str, Any] = {}
    """On a shared socket: a message whose answer tells nothing of the user."""
    turn_begins = ""
    """The tool that agents call whenever they begin a turn, and at no other time; "" if there is none."""
    edits_return = True
    """Whether the answer to a review carries the user's edits."""
    takes_mentions = False
    """Whether `mention` has something to send."""
    attentive_after_seconds: Sequence[float] = ()
    """If clients miss what they are sent at first: how long after the list of tools it is sent again."""

    def messages(self, context: SharedContext) -> Sequence[ClientNotice]:
        """What a client is to be sent so that it knows this context."""
        raise NotImplementedError

    async def reply(self, message: Mapping[str, Any], context_of: ContextOf) -> Optional[Dict[str, Any]]:
        """On a shared socket: the answer to a message, or None if it wants none."""
        raise NotImplementedError

    def only_takes_back(self, context: SharedContext) -> bool:
        """Whether this context only takes back what the client has heard before."""
        return False

    def mention(self, mention: Mention) -> Optional[ClientNotice]:
        """What puts the mention into the agent's prompt, or None if the agent takes no mentions."""
        return None

    def decided(self, path: str, accepted: Optional[str]) -> ClientNotice:
        """What tells a client, whose call does not wait for it, what the user has decided of its proposal: the text
        that is accepted, or None."""
        raise NotImplementedError

    async def call(self, call: ToolCall, window: AgentWindow) -> ToolResult:
        """Carry out a tool of `tools`. What the window cannot do is a result with `isError`, because agents take any
        other for a decision."""
        try:
            return await self.handlers[call.name](self, call, window)
        except CannotDo as refusal:
            return error_result(str(refusal))


def tool(name: str, title: str, description: str, required: Sequence[str] = (), /, **properties: Any) -> Tool:
    """A tool with these arguments, each with its schema. Others are let through: a newer agent may send more."""
    schema: Dict[str, Any] = {"type": "object", "properties": properties}
    if required:  # draft 4 allows no empty list
        schema["required"] = list(required)
    return Tool(name, title, description, schema)


def json_result(value: Any) -> ToolResult:
    """One text block that holds JSON."""
    return text_result(json.dumps(value, ensure_ascii=False))


def file_url(path: str) -> str:
    """The address of a file. Windows paths are recognised by their form, so that this means the same everywhere."""
    try:
        if ntpath.splitdrive(path)[0]:
            return pathlib.PureWindowsPath(path).as_uri()
        return pathlib.PurePosixPath(path).as_uri()
    except ValueError:  # a relative path, or characters that no file name of this machine can hold
        return ""


def path_of_url(address: str) -> str:
    """The path that an address of a file names; what is no such address is taken for a path.

    Agents send paths with the scheme before them, too: so `#` and `?` are characters of the name, and what stands
    where addresses have a host may be a drive.
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
    """A dialect whose agents receive the file in front and what is selected in it, and nothing else.

    There is no message that says "no file". An empty one takes the place of what the agent has received and not yet
    shown to its model; opencode then says that the user opened the file "", which is better than what is not shared.
    """

    def messages(self, context: SharedContext) -> Sequence[ClientNotice]:
        return (ClientNotice(SELECTION_CHANGED, selection_fields(context.active), SELECTION_CHANGED),)

    def only_takes_back(self, context: SharedContext) -> bool:
        return context.active is None

    async def reviewed(self, call: ToolCall, window: AgentWindow, path_argument: str) -> Optional[str]:
        """Show the proposal of a call for the file that this argument names, and wait for the decision: the accepted
        text, or None."""
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
    """The file in front and what is selected in it. Without one the fields are empty: nothing is selected any more."""
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
