"""One window as agents see it: the context that it shares, and what an agent may ask of it.

Rule: pure values and types only. A context has passed the user's settings: it contains only what is shared. Dialects
use the interface `AgentWindow`, which the endpoint implements with the editor, and a test with a few lines. Its methods
are called and awaited on the loop thread; they see to the main thread and the disk themselves.
"""

from __future__ import annotations

from enum import Enum
from typing import Any, Callable, Mapping, NamedTuple, Optional, Protocol, Sequence, Tuple

from ..protocol.tools import ClientSession, ToolCall


class TextPosition(NamedTuple):
    """A place in a text: line and character from 0, characters in UTF-16 units."""

    line: int
    character: int


class ActiveFile(NamedTuple):
    """The file that the user was last in, and one selection in it with its text; without text it is the caret.

    Of several selections it is the last that is not empty: agents that know of one take its text for that of the range.
    """

    path: str
    start: TextPosition
    end: TextPosition
    text: str = ""
    selections: Tuple[Tuple[TextPosition, TextPosition], ...] = ()
    """All selections that are not empty, if there are several."""


class SharedContext(NamedTuple):
    """What the IDE companion protocol calls `IdeContext`, and the file in front, if it is shared."""

    ide_context: Mapping[str, Any]
    active: Optional[ActiveFile] = None


NOTHING = SharedContext({"workspaceState": {"openFiles": []}})
"""The context in which nothing is shared."""


# -- the window --------------------------------------------------------------------------------------------------------


class CannotDo(Exception):
    """The editor cannot do what the agent wants. The message is a sentence for the agent."""


class Restored(NamedTuple):
    """What an agent restores of a file when it writes an accepted text over it: its line ends where the text has line
    feeds only, its byte order mark where the text has none, its encoding."""

    line_ends: bool
    mark: bool
    encoding: bool


RESTORES_ALL = Restored(line_ends=True, mark=True, encoding=True)
"""How the companion writes a file, and how agents are assumed to write that have not been measured."""
RESTORES_NOTHING = Restored(line_ends=False, mark=False, encoding=False)


class ReviewRequest(NamedTuple):
    """A proposal whose decision is the result of the call that brought it."""

    call: ToolCall
    path: str
    """As the agent sent it. A relative path is refused."""
    proposed: str
    """The whole text, with the line ends and the byte order mark that the agent sent."""
    name: str
    """The agent's own name for the review, by which it withdraws it."""
    edits_return: bool
    """Whether the answer carries the user's edits of the proposal."""


class OpenEditor(NamedTuple):
    """A tab that shows a file. `language` is the editor's name for its syntax."""

    path: str
    is_active: bool
    is_dirty: bool
    language: str


class Severity(Enum):
    """How bad a diagnostic is. Language Server Protocol 3.17, `DiagnosticSeverity`."""

    ERROR = 1
    WARNING = 2
    INFORMATION = 3
    HINT = 4


class Diagnostic(NamedTuple):
    """A message of a language server or a linter for a range in a file. `source` is its name, `code` its own name for
    the problem; both may be ""."""

    message: str
    severity: Severity
    start: TextPosition
    end: TextPosition
    source: str = ""
    code: str = ""


class FileDiagnostics(NamedTuple):
    """The diagnostics of one file."""

    path: str
    diagnostics: Sequence[Diagnostic]


class AgentWindow(Protocol):
    """One window, as agents may use it. Loop thread. Every method may raise `CannotDo`."""

    async def review(self, request: ReviewRequest) -> Optional[str]:
        """Show a proposal and wait for the decision, which may take hours. Returns the accepted text, its line ends and
        byte order mark as proposed; None if the user rejects it or closes the view. `CannotDo`: it is not shown, or was
        withdrawn, since the agent has its answer from elsewhere."""

    async def withdraw_review(self, session: str, name: str) -> bool:
        """Close this client's review of this name. The client is not told. False if there is none."""

    async def withdraw_reviews(self, session: str) -> int:
        """Close all reviews of this client, and no one else's; returns how many there were."""

    async def propose(self, client: ClientSession, path: str, proposed: str) -> None:
        """Show a proposal under the file's path. `Dialect.decided` tells the client the decision."""

    async def close_proposal(self, client: ClientSession, path: str, *, silently: bool) -> Optional[str]:
        """Close the review of this file. Returns its text with the user's edits, or None if there is none. `silently`:
        the client is not told."""

    async def accept_proposal(self, client: ClientSession, path: str) -> None:
        """Write the text under review to the file, which lies inside the workspace folders, and tell the client."""

    async def reject_proposal(self, client: ClientSession, path: str) -> None:
        """Close the review, leave the file alone, and tell the client."""

    async def in_worker(self, function: Callable[..., Any], *args: Any) -> Any:
        """Call a slow function on another thread."""

    async def selection(self) -> Optional[ActiveFile]:
        """The file that the user was last in, with the selection; None if there is none to be shared."""

    async def open_editors(self) -> Sequence[OpenEditor]:
        """The tabs that show files which may be shared."""

    def folders(self) -> Sequence[str]:
        """The workspace folders as announced."""

    async def diagnostics(self, path: Optional[str]) -> Sequence[FileDiagnostics]:
        """The diagnostics of the user's language servers and linters: of one file, or of all open ones that may be
        shared."""

    async def is_dirty(self, path: str) -> Optional[bool]:
        """Whether the file has edits that are not saved; None if it is not open."""

    async def save(self, path: str) -> bool:
        """Save an open file inside the workspace folders; False if it is not open."""

    async def open_file(self, path: str, *, in_front: bool = True, preview: bool = False) -> None:
        """Show a file that exists inside the workspace folders: in front of the other tabs, with the focus if the
        user's settings allow that, or behind them. The next file replaces a `preview`."""

    def rename_client(self, session: str, name: str) -> None:
        """Show the client under this name from now on. The name may be any text."""
