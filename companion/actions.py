"""What the package's commands do, one method each, for the window they are run in.

Rule: an action ends in something the user can see, if only a sentence in the status bar that says why not. The commands
in `plugin.py` ask `can_…` whether they are enabled and otherwise only call these. Main thread only.
"""

from __future__ import annotations

import html
from functools import partial
from typing import TYPE_CHECKING, Callable, Dict, List, Optional, Tuple

import sublime

from .agents.agent import Connection, Program
from .agents.registry import AGENTS, programs_of
from .common.display_names import client_name, file_name, shown
from .editor.file_views import bring_back, in_front
from .editor.status_bar import say
from .endpoint.status_text import STARTING, listed
from .terminals.launcher import Launcher, terminal_of
from .unreviewed.model import Scope

if TYPE_CHECKING:
    from .endpoint.endpoint import Endpoint
    from .endpoint.endpoints import Endpoints
    from .review.closed_reviews import ClosedReview
    from .review.decision import Review
    from .review.manager import ReviewManager
    from .runtime import Runtime
    from .unreviewed.choosing import ChangeLists

Entries = Tuple[Tuple[str, str, Dict[str, str]], ...]  # caption, command, its arguments

REVIEW_MENU: Entries = (
    ("Accept Diff", "gemini_companion_accept_diff", {}),
    ("Reject Diff", "gemini_companion_reject_diff", {}),
    ("Next Change", "gemini_companion_next_change", {}),
    ("Previous Change", "gemini_companion_previous_change", {}),
    ("Revert Hunk", "gemini_companion_revert_hunk", {}),
    ("Revert All Remaining", "gemini_companion_revert_all_remaining", {}),
    ("Accept This Hunk Only", "gemini_companion_accept_this_hunk_only", {}),
    ("Undo Revert Hunk", "gemini_companion_undo_revert_hunk", {}),
    ("Keep Hunk", "gemini_companion_keep_hunk", {}),
    ("Toggle Whitespace Changes", "gemini_companion_toggle_whitespace_changes", {}),
)
CHANGES_MENU: Entries = (
    ("Show Unreviewed Changes", "gemini_companion_show_unreviewed_changes", {}),
    ("Keep All Changes", "gemini_companion_keep_all_changes", {}),
    ("Undo All Changes", "gemini_companion_undo_all_changes", {}),
)
MENU: Entries = (
    *REVIEW_MENU,
    ("Show Pending Diffs", "gemini_companion_show_pending_diffs", {}),
    *CHANGES_MENU,
    ("Restore Undone Changes", "gemini_companion_restore_undone_changes", {}),
    *((f"Run {agent.title}", "gemini_companion_run_client", {"client": agent.key}) for agent in AGENTS),
    ("Run Agent…", "gemini_companion_run_client", {}),
    ("Send Selection to Terminal", "gemini_companion_send_selection", {}),
    ("Copy Connection Environment", "gemini_companion_copy_environment", {}),
    ("Pause Sharing", "gemini_companion_pause_sharing", {}),
    ("Resume Sharing", "gemini_companion_resume_sharing", {}),
    ("Diagnose", "gemini_companion_diagnose", {}),
    ("Show Log", "gemini_companion_show_log", {}),
    ("Disconnect Clients", "gemini_companion_disconnect_clients", {}),
    ("Restart Server", "gemini_companion_restart_server", {}),
)


class Actions:
    """The actions for all windows."""

    def __init__(self, endpoints: Endpoints, runtime: Runtime) -> None:
        self._endpoints = endpoints
        self._launcher = Launcher(runtime)

    # -- reviews ------------------------------------------------------------------------------------------------------

    def review_in_front(self, window: sublime.Window) -> Optional[Tuple[ReviewManager, Review]]:
        """The review that commands act on: the one with the focus, else the visible one, else the only one."""
        view = window.active_view()
        endpoint = (self._endpoints.of_review(view) if view is not None else None) or self._endpoints.of(window)
        if endpoint is None:
            return None
        review = endpoint.reviews.open_reviews.review_of(view) or endpoint.reviews.open_reviews.in_front()
        return (endpoint.reviews, review) if review is not None else None

    def decides_hunks(self, window: sublime.Window) -> bool:
        """Whether each change of the review in front can be decided by itself."""
        found = self.review_in_front(window)
        return found is not None and found[1].decisions is not None

    def on_review(self, window: sublime.Window, act: Callable[[ReviewManager, Review], None]) -> None:
        """Call `act` with the review in front, or say that there is none."""
        found = self.review_in_front(window)
        if found is None:
            say(window, "there is no diff to review in this window")
        else:
            act(*found)

    def pending(self) -> List[Tuple[Endpoint, Review]]:
        """The undecided reviews of all windows, those of one client together."""
        found = [(endpoint, review) for endpoint in self._endpoints.all() for review in endpoint.reviews.pending()]
        clients = list(dict.fromkeys(review.owner for _, review in found))
        return sorted(found, key=lambda each: clients.index(each[1].owner))

    def closed(self) -> List[Tuple[Endpoint, ClosedReview]]:
        """The reviews of all windows that can be opened again."""
        return [(endpoint, closed) for endpoint in self._endpoints.all() for closed in endpoint.reviews.closed.recent()]

    def can_show_diffs(self, window: sublime.Window) -> bool:
        """Whether there is a diff to go to, or to open again, or an unreviewed change."""
        return bool(self.pending() or self.closed()) or self.has_changes(window)

    def show_pending_diffs(self, window: sublime.Window) -> None:
        """Let the user pick one of all windows' undecided reviews and go there, or one to open again."""
        pending, closed = self.pending(), self.closed()
        if not pending and not closed:
            if self.has_changes(window):
                self.show_changes(window)
            else:
                say(window, "there is no diff to review")
            return

        before = in_front(window)

        def highlighted(index: int) -> None:
            if index < len(pending):
                endpoint, review = pending[index]
                if endpoint.window == window and review.pending:
                    endpoint.reviews.open_reviews.preview(review)

        entries = [
            (_item(review.path, _annotation(endpoint, review, window)), partial(_go_to, window, endpoint, review))
            for endpoint, review in pending
        ]
        for endpoint, old in closed:
            annotation = f"{client_name(old.client_name)}, closed: open again"
            entries.append((_item(old.path, annotation), partial(_open_again, window, endpoint, old)))
        if self.has_changes(window):
            entries.append((_item("Show Unreviewed Changes", ""), partial(self.show_changes, window)))

        def picked(index: int) -> None:
            if index < 0:
                bring_back(before)
            else:
                entries[index][1]()

        placeholder = "Pending diffs" if pending else "Closed diffs"
        items = [item for item, _ in entries]
        window.show_quick_panel(items, picked, on_highlight=highlighted, placeholder=placeholder)

    # -- unreviewed changes -------------------------------------------------------------------------------------------

    def has_changes(self, window: sublime.Window) -> bool:
        """Whether files in the window's folders were changed outside the editor."""
        endpoint = self._endpoints.of(window)
        return endpoint is not None and bool(endpoint.changes.count)

    def can_restore(self, window: sublime.Window) -> bool:
        """Whether something was undone in the window's folders."""
        endpoint = self._endpoints.of(window)
        return endpoint is not None and endpoint.changes.reviews.lists.restorable

    def on_changes(self, window: sublime.Window, act: Callable[[ChangeLists], None]) -> None:
        """Call `act` with the window's unreviewed changes."""
        endpoint = self._endpoints.of(window)
        if endpoint is not None:
            act(endpoint.changes.lists)

    def show_changes(self, window: sublime.Window, last_turn: bool = False) -> None:
        """Let the user pick one of the window's unreviewed changes and go there."""
        scope = Scope.LAST_TURN if last_turn else Scope.SINCE_KEPT
        self.on_changes(window, lambda lists: lists.show(scope))

    # -- clients in terminals -----------------------------------------------------------------------------------------

    def _reached(self, window: sublime.Window) -> Optional[Tuple[Endpoint, Connection]]:
        """The window's endpoint and how a client finds it, or None, which is said, while none can."""
        endpoint = self._endpoints.of(window)
        connection = endpoint.connection() if endpoint is not None else None
        if endpoint is None or connection is None:
            say(window, endpoint.why_unreachable() if endpoint is not None else STARTING)
            return None
        return endpoint, connection

    def run_client(self, window: sublime.Window, name: str = "") -> None:
        """Start a program in a terminal, connected to this window if it can be: the one with this key or name; without
        a name the user picks one."""
        endpoint = self._endpoints.of(window)
        programs = programs_of(endpoint.settings()) if endpoint is not None else []

        def picked(index: int) -> None:
            if index >= 0:
                self._run(window, programs[index])

        if not name and programs:
            window.show_quick_panel([program.title for program in programs], picked, placeholder="Agent to run")
            return
        found = next((each for each in programs if name in (each.key, each.title)), None)
        if found is None and programs:
            say(window, f"no client is called “{name}”")  # by somebody's own key binding
            return
        self._run(window, found)

    def _run(self, window: sublime.Window, program: Optional[Program]) -> None:
        reached = self._reached(window)
        if reached is not None and program is not None:
            endpoint, connection = reached
            endpoint.changes.started()  # before: it may write at once
            self._launcher.run(window, program, connection, endpoint.settings())

    def copy_environment(self, window: sublime.Window) -> None:
        """Put lines on the clipboard that connect a client in any terminal to this window."""
        reached = self._reached(window)
        if reached is not None:
            self._launcher.copy_environment(window, reached[1])

    def can_send_selection(self, window: sublime.Window) -> bool:
        """Whether a file is in front, and a client listens or runs in a terminal of the window."""
        view = _tab_in_front(window)
        if view is None or view.file_name() is None:
            return False
        endpoint = self._endpoints.of(window)
        return terminal_of(window) is not None or (endpoint is not None and endpoint.clients.take_mentions())

    def send_selection(self, window: sublime.Window) -> None:
        """Type the file and the selected lines into the prompt of the client that runs in this window's terminal."""
        view = _tab_in_front(window)
        endpoint = self._endpoints.of(window)
        if view is None or endpoint is None:
            return
        problem = self._launcher.send_selection(window, view, endpoint.folders(), endpoint.clients.mention)
        if problem is not None:
            say(window, problem)

    # -- sharing ------------------------------------------------------------------------------------------------------

    def is_sharing(self, window: sublime.Window) -> bool:
        """Whether clients see the window's files."""
        endpoint = self._endpoints.of(window)
        return endpoint is not None and endpoint.tracker.sharing

    def set_sharing(self, window: sublime.Window, sharing: bool) -> None:
        """Pause or resume telling clients about this window's files."""
        endpoint = self._endpoints.of(window)
        if endpoint is not None:
            endpoint.tracker.set_sharing(sharing)
            endpoint.show_status()
            say(
                window,
                "clients see this window's files again" if sharing else "clients no longer see this window's files",
            )

    # -- the server ---------------------------------------------------------------------------------------------------

    def restart_server(self, window: sublime.Window) -> None:
        """Serve the window anew, for the same clients."""
        endpoint = self._endpoints.of(window)
        if endpoint is not None:
            endpoint.servers.restart()
            say(None, "restarting the server")

    def disconnect_clients(self, window: sublime.Window) -> None:
        """End the sessions of the window's clients, and say whose."""
        endpoint = self._endpoints.of(window)
        if endpoint is not None:
            names = endpoint.clients.names()
            endpoint.servers.disconnect()
            say(None, "disconnected " + listed(names) if names else "no client is connected")

    # -- everything ---------------------------------------------------------------------------------------------------

    def open_menu(self, window: sublime.Window) -> None:
        """All that can be done now, in a quick panel."""
        can_send = self.can_send_selection(window)
        sharing = self.is_sharing(window)
        in_review = self.review_in_front(window) is not None
        possible = {
            **{caption: in_review for caption, _, _ in REVIEW_MENU},
            **{caption: self.has_changes(window) for caption, _, _ in CHANGES_MENU},
            "Restore Undone Changes": self.can_restore(window),
            "Keep Hunk": self.decides_hunks(window),
            "Show Pending Diffs": self.can_show_diffs(window),
            "Send Selection to Terminal": can_send,
            "Pause Sharing": sharing,
            "Resume Sharing": not sharing,
        }
        entries = [entry for entry in MENU if possible.get(entry[0], True)]

        def picked(index: int) -> None:
            if index >= 0:
                window.run_command(entries[index][1], dict(entries[index][2]))

        window.show_quick_panel([caption for caption, _, _ in entries], picked, placeholder="Gemini Companion")


def _item(path: str, annotation: str) -> sublime.QuickPanelItem:
    return sublime.QuickPanelItem(file_name(path), details=html.escape(shown(path)), annotation=annotation)


def _go_to(window: sublime.Window, endpoint: Endpoint, review: Review) -> None:
    """Go to a review that was picked from a list."""
    if not review.pending or not endpoint.window.is_valid():
        say(window, "that diff has already been answered")
    else:
        endpoint.reviews.open_reviews.show(review, focus=True)


def _open_again(window: sublime.Window, endpoint: Endpoint, closed: ClosedReview) -> None:
    problem = endpoint.reviews.closed.reopen(closed)
    if problem:
        say(window, problem)


def _annotation(endpoint: Endpoint, review: Review, window: sublime.Window) -> str:
    """Whose a review is, where, how much it changes, and how long it has been waiting."""
    client, reviews = client_name(review.owner.client_name), endpoint.reviews.open_reviews
    where = client if reviews.window_of(review) == window else f"{client} in another window"
    return f"{where}, {reviews.summary(review)}"


def _tab_in_front(window: sublime.Window) -> Optional[sublime.View]:
    """The user's file even while a terminal's panel has the focus."""
    return window.active_view_in_group(window.active_group())
