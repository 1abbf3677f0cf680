"""One window as agents may use it: `agents.window.AgentWindow`, done with the editor.

Theory of operation: a review that a call waits for has a `Ticket`. What ends the review, or takes the call back,
settles the ticket. Only the first to do so counts: it gives the answer to the call.

Rules: everything is called on the loop thread, and asks the main thread and the disk through the runtime. Agents learn
nothing here that the user does not share. On a client's word alone nothing is opened, saved or written outside of the
workspace folders; what the user accepts may lie anywhere. A call that fails has changed nothing in the window.
"""

from __future__ import annotations

import asyncio
import os
import stat
from contextlib import suppress
from functools import partial
from typing import Any, Callable, Collection, Dict, List, Optional, Sequence, Set, Tuple

import sublime

from ..agents.window import ActiveFile, AgentWindow, CannotDo, FileDiagnostics, OpenEditor, ReviewRequest
from ..context.tracker import ContextTracker
from ..discovery.workspace import inside_workspace, place_inside
from ..editor.file_views import same_key
from ..protocol.tools import Cancellation, ClientSession
from ..review.decision import Outcome, Owner, ReviewError, Ticket
from ..review.document.disk import DiskError, same_files
from ..review.document.writing import Guard, no_folder
from ..review.proposing import Proposal, propose
from ..review.reviews import Reviews
from ..runtime import Runtime, settle
from ..system.files import Stamp
from .agents_at_work import AgentsAtWork
from .diagnostics import Diagnostics
from .tab_origins import TabOrigins, stamp

LOST_MILLISECONDS = 10000  # after which a client that still lives has its answer from elsewhere
SAVE_SECONDS = 5.0
MOST_OPENED = 20  # files that are open because agents have opened them
_SAVE_POLL_SECONDS = 0.05
ANSWERED_ELSEWHERE = "The diff was closed, as the question was answered elsewhere."
HIDDEN = "The user does not share this window with your program."
WITHHELD = "The user does not share this file."
OUTSIDE = "The file is outside the workspace folders of the editor's window."
NOT_WRITTEN = OUTSIDE[:-1] + (
    ", where no client writes anything by its word alone. The diff stays open: the user can accept it in the editor."
)
TOO_MANY = (
    f"The file is not opened: {MOST_OPENED} files that agents have opened are open in this window. The user can "
    "close those that are not needed any more."
)
CHANGED = (
    "The file is not saved: it has changed on the disk since the editor read it, and the tab has other edits. The user "
    "decides which of the two stays."
)
MISSING = (
    "The file is not saved: it is not on the disk, or cannot be looked at there. The user decides whether what the tab "
    "holds is saved."
)


class EndpointWindow(AgentWindow):
    """Loop thread, except for the methods that say otherwise."""

    def __init__(
        self,
        window: sublime.Window,
        runtime: Runtime,
        reviews: Reviews,
        tracker: ContextTracker,
        origins: TabOrigins,
        agents: AgentsAtWork,
        folders: Callable[[], Sequence[str]],
    ) -> None:
        """`folders` gives the workspace folders as announced; any thread."""
        self._folders = folders
        self._window = window
        self._runtime = runtime
        self._reviews = reviews
        self._tracker = tracker
        self._origins = origins
        self._agents = agents
        self._diagnostics = Diagnostics(window, runtime, self._shared_files)
        self._coming: List[Tuple[str, Ticket]] = []  # of reviews that are not shown yet, by session
        self._opened: Set[int] = set()  # the sheets of files that agents have opened; main thread

    # -- reviews ------------------------------------------------------------------------------------------------------

    async def review(self, request: ReviewRequest) -> Optional[str]:
        decided: asyncio.Future[Optional[Outcome]] = asyncio.get_running_loop().create_future()
        ticket = Ticket(request.name, request.edits_return, partial(self._runtime.on_loop, settle, decided))
        session = request.call.session

        def cancelled(reason: Cancellation) -> None:
            settle(decided, None)
            self._runtime.on_main(self._call_over, ticket, reason, session)

        request.call.on_cancelled(cancelled)
        await self._propose(session, request.path, request.proposed, ticket, ticket)
        outcome = await decided
        if outcome is None:
            raise CannotDo(ANSWERED_ELSEWHERE)
        return outcome.content

    async def _propose(
        self, session: ClientSession, path: str, proposed: str, coming: Ticket, ticket: Optional[Ticket] = None
    ) -> None:
        """Show a proposal. Until then the client may take it back, or send another one of the same name: that settles
        the `coming` ticket. Raises `ReviewError`, `PathError` or `CannotDo`."""
        owner = self._agents.owner_of(session)

        def may_show() -> bool:
            if coming.waiting and self._agents.hides(owner):
                raise CannotDo(HIDDEN)
            return coming.waiting

        self._withdraw_coming(session.id, coming.name)
        self._coming.append((session.id, coming))
        try:
            proposal = Proposal(path, proposed, ticket, self._agents.restored_by(session))
            await propose(self._runtime, self._reviews, owner, [proposal], may_show)
        finally:
            self._coming.remove((session.id, coming))

    def _withdraw_coming(self, session: str, name: Optional[str] = None) -> int:
        """Settle the tickets of a client's reviews that are not shown yet: those of this name, or all. Returns how many
        there were."""
        coming = [each for owner, each in self._coming if owner == session and name in (None, each.name)]
        return sum(each.settle(None) for each in coming)

    def _call_over(self, ticket: Ticket, reason: Cancellation, session: ClientSession) -> None:
        """The client no longer waits for the answer. Main thread.

        If it has taken its call back, or lives on after its connection broke, it asks in its terminal: the review is
        closed. If it has ended, the review is left to the user.
        """
        ticket.waiting = False
        if reason is Cancellation.BY_CLIENT:
            self._reviews.take_back(ticket)
            return

        def take_back_if_connected() -> None:
            if self._agents.client(session.id) is not None:
                self._reviews.take_back(ticket)

        self._runtime.later_on_main(LOST_MILLISECONDS, take_back_if_connected)

    async def withdraw_review(self, session: str, name: str) -> bool:
        coming = self._withdraw_coming(session, name)
        return bool(await self._runtime.call_main(self._reviews.withdraw, session, name) + coming)

    async def withdraw_reviews(self, session: str) -> int:
        return self._withdraw_coming(session) + await self._runtime.call_main(self._reviews.withdraw, session)

    # -- reviews that no call waits for -------------------------------------------------------------------------------

    async def propose(self, client: ClientSession, path: str, proposed: str) -> None:
        await self._propose(client, path, proposed, Ticket(same_key(path), True, lambda outcome: None))

    async def close_proposal(self, client: ClientSession, path: str, *, silently: bool) -> Optional[str]:
        self._withdraw_coming(client.id, same_key(path))
        close = partial(self._reviews.close_diff, suppress_notification=silently)
        return await self._runtime.call_main(close, self._agents.owner_of(client), path)

    async def accept_proposal(self, client: ClientSession, path: str) -> None:
        """The file's place is checked before the review is touched, and again in the step that writes: what counts is
        the path that would be written, however this call spells it."""
        owner = self._agents.owner_of(client)
        checked = await self._runtime.call_main(self._reviews.path_of, owner, path)
        folders = tuple(self.folders())
        problem = await self._runtime.in_worker(_not_to_be_written, checked, folders)
        if problem:
            raise CannotDo(problem)

        def guard(path: str) -> None:
            if not inside_workspace(path, folders):  # a link may lead elsewhere by now
                raise DiskError(NOT_WRITTEN)

        await self._have_done(partial(self._accept, owner, path, checked, guard))

    def _accept(self, owner: Owner, path: str, checked: str, guard: Guard, done: Callable[[str], None]) -> None:
        """Main thread."""
        if self._reviews.path_of(owner, path) != checked:
            raise ReviewError("The diff was opened again under another path meanwhile.")
        self._reviews.accept_by_client(owner, path, done, guard)

    async def reject_proposal(self, client: ClientSession, path: str) -> None:
        await self._runtime.call_main(self._reviews.reject_by_client, self._agents.owner_of(client), path)

    async def in_worker(self, function: Callable[..., Any], *args: Any) -> Any:
        return await self._runtime.in_worker(function, *args)

    # -- what is there ------------------------------------------------------------------------------------------------

    async def selection(self) -> Optional[ActiveFile]:
        return (await self._runtime.call_main(self._tracker.context)).active

    async def open_editors(self) -> Sequence[OpenEditor]:
        return await self._runtime.call_main(self._open_editors)

    def _open_editors(self) -> List[OpenEditor]:
        """Main thread."""
        found: List[OpenEditor] = []
        shared = self._shared_files()
        for view in self._window.views():
            path = view.file_name()
            if path in shared:
                syntax = view.syntax()
                language = syntax.name if syntax is not None else ""
                found.append(OpenEditor(path, shared[path], view.is_dirty(), language))
        return found

    def folders(self) -> Sequence[str]:
        return self._folders()

    def _shared_files(self) -> Dict[str, bool]:
        """The open files that may be shared, and whether each is the active one. Main thread."""
        state: Dict[str, Any] = dict(self._tracker.context().ide_context).get("workspaceState", {})
        return {file["path"]: bool(file.get("isActive")) for file in state.get("openFiles", [])}

    async def diagnostics(self, path: Optional[str]) -> Sequence[FileDiagnostics]:
        files: Callable[[], Collection[str]] = self._shared_files if path is None else self._askable_files
        names = None if path is None else tuple(await self._names_of(path, self._askable_files))
        found = await self._diagnostics.of(names)
        shared = await self._runtime.call_main(files)  # by now it may be less
        return [file if path is None else file._replace(path=path) for file in found if file.path in shared]

    async def is_dirty(self, path: str) -> Optional[bool]:
        names = await self._names_of(path, self._askable_files)
        return await self._runtime.call_main(self._is_dirty, names)

    def _askable_files(self) -> List[str]:
        """The open files that an agent may ask for by name: also those beyond the number that the context lists. Main
        thread."""
        return [name for name in self._open_files() if not self._tracker.withholds_open(name)]

    def _open_files(self) -> List[str]:
        """The files that tabs show, whether they may be shared or not. Main thread."""
        return [name for name in (view.file_name() for view in self._window.views()) if name]

    def _is_dirty(self, names: Collection[str]) -> Optional[bool]:
        """Main thread."""
        view = self._view_of(names)
        return view.is_dirty() if view is not None else None

    async def _names_of(self, path: str, files: Callable[[], Sequence[str]]) -> Collection[str]:
        """The names that the editor has for this file, of those that `files` gives on the main thread. Agents resolve
        links, so they may use another name."""
        open_files = await self._runtime.call_main(files)
        spelled_so = [name for name in open_files if same_key(name) == same_key(path)]
        if spelled_so or not os.path.isabs(path):
            return spelled_so
        return await self._runtime.in_worker(same_files, path, open_files)

    # -- what is done -------------------------------------------------------------------------------------------------

    async def save(self, path: str) -> bool:
        """False also if the editor has not saved it in `SAVE_SECONDS`. The file on the disk is overwritten only if it
        is what the tab was read from. A file that is not there is not made."""
        await self._require_inside(path)
        deadline = asyncio.get_running_loop().time() + SAVE_SECONDS
        names = await self._names_of(path, self._open_files)
        for name in names:
            if name != path:
                await self._require_inside(name)
        for name in names:
            real_path, now = await self._runtime.in_worker(_state, name)
            if await self._runtime.call_main(self._tracker.withholds, path, name, real_path):
                return False
            if now is None:
                raise CannotDo(MISSING)  # saving would bring back a deleted file
            if await self._runtime.call_main(self._is_stale, name, now):
                raise CannotDo(CHANGED)
        if not await self._runtime.call_main(self._begin_to_save, names):
            return False
        while await self._runtime.call_main(self._is_dirty, names):
            if asyncio.get_running_loop().time() > deadline:
                return False
            await asyncio.sleep(_SAVE_POLL_SECONDS)
        return True

    def _is_stale(self, name: str, now: Stamp) -> bool:
        """Whether the tab has edits of something else than what the disk holds now. Main thread."""
        origin = self._origins.of(name)
        return bool(self._is_dirty([name])) and (origin is None or origin.content != now.content)

    def _begin_to_save(self, names: Collection[str]) -> bool:
        """Let the editor write the file while its main thread goes on. Main thread."""
        view = self._view_of(names)
        if view is None:
            return False
        if view.is_dirty():
            view.run_command("save", {"async": True})
        return True

    def _view_of(self, names: Collection[str]) -> Optional[sublime.View]:
        return next((view for view in self._window.views() if view.file_name() in names), None)

    async def open_file(self, path: str, *, in_front: bool = True, preview: bool = False) -> None:
        """The largest file that is opened is the largest whose text a review shows. No link is followed between the
        check and the opening. The call is answered once the file is open: not while the user types into a list."""
        place, real_path, size = await self._runtime.in_worker(_place, path, self.folders())
        if place is None:
            raise CannotDo(OUTSIDE)
        if await self._runtime.call_main(self._tracker.withholds, path, place, real_path):
            raise CannotDo(WITHHELD)
        if size is None:
            raise CannotDo("There is no such file.")
        most = (await self._runtime.call_main(self._reviews.file_request, path)).limits.length
        if size > most:
            raise CannotDo(f"The file has {size} bytes. At an agent's word the editor opens files of up to {most}.")
        open_file = partial(self._open_file, path, place, in_front, preview)
        await self._have_done(lambda done: self._reviews.when_free(partial(open_file, done)))

    def _open_file(self, path: str, place: str, in_front: bool, preview: bool, done: Callable[[str], None]) -> None:
        """Main thread."""
        if any(same_key(name) == same_key(path) for name in self._open_files()):
            place = path
        sheets = {sheet.id() for sheet in self._window.sheets()}
        self._opened &= sheets
        is_open = self._window.find_open_file(place) is not None
        if not is_open and len(self._opened) >= MOST_OPENED:
            done(TOO_MANY)
            return
        if in_front or not is_open:
            sheet = self._reviews.show_file(place, in_front, preview)
            if sheet is not None and sheet.id() not in sheets:
                self._opened.add(sheet.id())
        done("")

    async def _have_done(self, begin: Callable[[Callable[[str], None]], None]) -> None:
        """Call `begin` on the main thread, and wait until it calls its argument: with a sentence that says what went
        wrong, which is raised as `CannotDo`, or with ""."""
        told: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        await self._runtime.call_main(begin, partial(self._runtime.on_loop, settle, told))
        problem = await told
        if problem:
            raise CannotDo(problem)

    async def _require_inside(self, path: str) -> None:
        if not await self._runtime.in_worker(inside_workspace, path, self.folders()):
            raise CannotDo(OUTSIDE)

    def rename_client(self, session: str, name: str) -> None:
        self._runtime.on_main(self._agents.rename, session, name)


def _state(path: str) -> Tuple[str, Optional[Stamp]]:
    """Where a file leads to without links, and its state. Disk thread."""
    return os.path.realpath(path), stamp(path)


def _not_to_be_written(path: str, folders: Sequence[str]) -> str:
    """Why a client may not have this file written without the user; empty if it may. Disk thread."""
    if inside_workspace(path, folders):
        return ""
    return no_folder(path, lambda path: False) or NOT_WRITTEN


def _place(path: str, folders: Sequence[str]) -> Tuple[Optional[str], str, Optional[int]]:
    """Where a file lies in the workspace, and on the disk, both without links, and its size in bytes. Disk thread."""
    place = place_inside(path, folders)
    found, size = place or path, None
    with suppress(OSError):
        status = os.lstat(found)  # what has become a link since then is no file
        size = status.st_size if stat.S_ISREG(status.st_mode) else None
    return place, os.path.realpath(found), size
