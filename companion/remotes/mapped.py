"""A dialect as a remote's agents speak it: the same words, with the files' names of their own machine.

Rules: the map is applied where a dialect meets the window, so no dialect knows of it and none is left out. What is not
in one of the shared folders is neither told nor touched. No process id that comes from there is looked up here.
"""

from __future__ import annotations

from itertools import count
from typing import Any, Callable, Dict, List, Mapping, Optional, Protocol, Sequence, Tuple

from ..agents.dialect import ClientNotice, ContextOf, Dialect, Mention
from ..agents.window import ActiveFile, AgentWindow, CannotDo, FileDiagnostics, OpenEditor, ReviewRequest, SharedContext
from ..protocol.tools import ClientSession, ToolCall, ToolResult
from ..system.shared_folders import lies_in
from .path_map import PathMap

_numbers = count(1)
"""A remote that is connected again at once has servers of its own while those of the former one still end."""
OUTSIDE = "The file is outside of the folders that this machine shares with the editor."
_SAME = (
    "transport",
    "tools",
    "secret_header",
    "handshake_only",
    "deleted_status",
    "subscribable",
    "turn_begins",
    "edits_return",
    "takes_mentions",
    "attentive_after_seconds",
)


class OtherSide(Protocol):
    """What is known of the other machine's files. Loop thread."""

    map: PathMap

    def folders(self) -> Sequence[str]:
        """The shared folders, by the names that they have there."""

    async def reviewed_at(self, path: str) -> str:
        """Where the editor reviews a file of that machine: what lies there holds what that file holds now. Raises
        `CannotDo`."""

    def accepted(self, place: str) -> None:
        """A proposal for what is reviewed there was accepted: its agent writes it on the other machine."""


class MappedDialect(Dialect):
    """`spoken` is the dialect that is spoken by a remote's agents."""

    on_socket = True

    def __init__(self, spoken: Dialect, elsewhere: str, side: OtherSide) -> None:
        """`elsewhere` is the name of the remote."""
        self._spoken = spoken
        self.key = f"{spoken.key} of {elsewhere} {next(_numbers)}"
        self.elsewhere = elsewhere
        self._side = side
        self._places: Dict[Tuple[str, str], str] = {}
        for name in _SAME:
            setattr(self, name, getattr(spoken, name))

    @property
    def spoken(self) -> Dialect:
        return self._spoken

    def messages(self, context: SharedContext) -> Sequence[ClientNotice]:
        return self._spoken.messages(self._side.map.context(context))

    def only_takes_back(self, context: SharedContext) -> bool:
        return self._spoken.only_takes_back(self._side.map.context(context))

    def mention(self, mention: Mention) -> Optional[ClientNotice]:
        path = self._side.map.to_remote(mention.path)
        return self._spoken.mention(mention._replace(path=path)) if path is not None else None

    def decided(self, path: str, accepted: Optional[str]) -> ClientNotice:
        if accepted is not None:
            self._side.accepted(path)
        return self._spoken.decided(self._side.map.to_remote(path) or path, accepted)

    def plain_event(self, method: str, params: Dict[str, Any]) -> Tuple[str, Dict[str, Any]]:
        return self._spoken.plain_event(method, params)

    async def reply(self, message: Mapping[str, Any], context_of: ContextOf) -> Optional[Dict[str, Any]]:
        async def mapped(root: str, name: str) -> Optional[SharedContext]:
            context = await context_of(root, name)
            return self._side.map.context(context) if context is not None else None

        return await self._spoken.reply(message, mapped)

    async def call(self, call: ToolCall, window: AgentWindow) -> ToolResult:
        return await self._spoken.call(call, MappedWindow(window, self._side, self._places))


class MappedWindow:
    """One window as a remote's agents may use it: `agents.window.AgentWindow`. Loop thread."""

    def __init__(self, window: AgentWindow, side: OtherSide, places: Dict[Tuple[str, str], str]) -> None:
        """`places` are where what clients propose is reviewed, by their sessions and their paths."""
        self._window = window
        self._side = side
        self._places = places

    async def review(self, request: ReviewRequest) -> Optional[str]:
        """Show a proposal and wait for the decision."""
        place = await self._side.reviewed_at(request.path)
        text = await self._window.review(request._replace(path=place))
        if text is not None:
            self._side.accepted(place)
        return text

    async def withdraw_review(self, session: str, name: str) -> bool:
        """Close this client's review of this name."""
        return await self._window.withdraw_review(session, name)

    async def withdraw_reviews(self, session: str) -> int:
        """Close all reviews of this client."""
        return await self._window.withdraw_reviews(session)

    async def propose(self, client: ClientSession, path: str, proposed: str) -> None:
        """Show a proposal under the file's path."""
        place = self._places[client.id, path] = await self._side.reviewed_at(path)
        await self._window.propose(client, place, proposed)

    async def close_proposal(self, client: ClientSession, path: str, *, silently: bool) -> Optional[str]:
        """Close the review of this file; its text."""
        place = self._place(client, path)
        text = await self._window.close_proposal(client, place, silently=silently)
        if text is not None:  # the answer in the terminal may have been yes
            self._side.accepted(place)
        return text

    async def accept_proposal(self, client: ClientSession, path: str) -> None:
        """Write the text under review to the file, and tell the client."""
        place = self._place(client, path)
        await self._require_inside(place)
        await self._window.accept_proposal(client, place)

    async def reject_proposal(self, client: ClientSession, path: str) -> None:
        """Close the review, and tell the client."""
        await self._window.reject_proposal(client, self._place(client, path))

    def _place(self, client: ClientSession, path: str) -> str:
        return self._places.get((client.id, path)) or self._required(path)

    async def in_worker(self, function: Callable[..., Any], *args: Any) -> Any:
        """Call a function that takes long on another thread."""
        return await self._window.in_worker(function, *args)

    async def selection(self) -> Optional[ActiveFile]:
        """The file that the user was last in, if it is shared with that machine."""
        return self._side.map.active(await self._window.selection())

    async def open_editors(self) -> Sequence[OpenEditor]:
        """The tabs that show shared files."""
        found = [(each, self._side.map.to_remote(each.path)) for each in await self._window.open_editors()]
        return [each._replace(path=path) for each, path in found if path is not None]

    def folders(self) -> Sequence[str]:
        """The shared folders."""
        return self._side.folders()

    async def diagnostics(self, path: Optional[str]) -> Sequence[FileDiagnostics]:
        """What the user's language servers and linters say."""
        local = self._required(path) if path is not None else None
        found: List[FileDiagnostics] = []
        for each in await self._window.diagnostics(local):
            name = self._side.map.to_remote(each.path)
            if name is not None:
                found.append(each._replace(path=name))
        return found

    async def is_dirty(self, path: str) -> Optional[bool]:
        """Whether the file has edits that are not saved."""
        return await self._window.is_dirty(self._required(path))

    async def save(self, path: str) -> bool:
        """Save an open file."""
        local = self._required(path)
        await self._require_inside(local)
        return await self._window.save(local)

    async def open_file(self, path: str, *, in_front: bool = True, preview: bool = False) -> None:
        """Show a file."""
        local = self._required(path)
        await self._require_inside(local)
        await self._window.open_file(local, in_front=in_front, preview=preview)

    def rename_client(self, session: str, name: str) -> None:
        """Show the client under this name from now on."""
        self._window.rename_client(session, name)

    def _required(self, path: str) -> str:
        local = self._side.map.to_local(path)
        if local is None:
            raise CannotDo(OUTSIDE)
        return local

    async def _require_inside(self, local: str) -> None:
        """No link may lead out of the shared folder: the other machine can make some."""
        folders = [pair.local for pair in self._side.map.pairs]
        if not await self._window.in_worker(lies_in, local, folders):
            raise CannotDo(OUTSIDE)
