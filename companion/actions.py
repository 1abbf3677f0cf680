"""What the package's commands do, for the window they are run in, and when they can.

Rule: an action ends in something the user can see, if only a sentence in the status bar that says why not. The commands
in `plugin.py` only call what stands here under their names. Main thread only.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Callable, List, NamedTuple, Optional, Sequence, Tuple

import sublime

from .agents.agent import ConnectionDetails, RunnableAgent
from .agents.dialect import Mention
from .agents.registry import agents_to_run
from .commands import COMMANDS
from .common.display_names import client_name, file_name
from .editor.key_bindings import PREFIX
from .editor.log_panel import LogPanel
from .editor.marks import put, read
from .editor.pages import open_page
from .editor.quick_panel import PanelEntry, choose
from .editor.status_bar import say
from .endpoint.endpoint import Endpoint
from .endpoint.endpoints import Endpoints
from .endpoint.status_text import STARTING, join_names, who_waits
from .hooking.reviewing import AgentHooks
from .page.page import ReviewPage
from .remotes.remotes import Remotes
from .review.closed import ClosedReview
from .review.commands import ACCEPT_ONLY, ANSWERED
from .review.decision import Review, takes_reason
from .review.display.markup import ACCEPT, FOLD, KEEP, NEXT, PREVIOUS, REJECT, REJECT_BECAUSE, REVERT, WHITESPACE
from .review.reviews import Reviews
from .runtime import Runtime
from .terminals.installed import InstalledPrograms
from .terminals.launcher import Launcher, selected_places, terminal_of
from .unreviewed.model import ChangeScope

LAST_AGENT = "gemini_companion.last_agent"  # the note in a window


def always(endpoint: Endpoint) -> bool:
    """For what can be done in every window."""
    return True


def never(endpoint: Endpoint) -> bool:
    """For what has one caption."""
    return False


class Action(NamedTuple):
    """What a command does."""

    run: Callable[..., None]
    """Called with the window's endpoint, and with what else the command is given."""
    can_run: Callable[[Endpoint], bool] = always
    of_any_window: bool = False
    """`run` is called with the window instead: it may have no endpoint."""
    offered: Callable[[Endpoint], bool] = always
    """The palette hides what is not offered or cannot be run, a menu hides the one and greys out the other. Keys run
    what is not offered, too."""
    second: Callable[[Endpoint], bool] = never
    """Whether its second caption fits now. Of a toggle: whether the mode is on."""


class Actions:
    """The actions for all windows."""

    def __init__(
        self,
        endpoints: Endpoints,
        runtime: Runtime,
        diagnose: Callable[[sublime.Window], None],
        log_panel: LogPanel,
        remotes: Remotes,
    ) -> None:
        self._endpoints = endpoints
        self._launcher = Launcher(runtime)
        self.installed = InstalledPrograms(runtime)
        agent_hooks = AgentHooks(runtime, endpoints.hook_answers)

        def on_review(verb: str, on_page: str = "") -> Action:
            return Action(
                partial(self._on_review, verb, on_page),
                lambda on: self._has_review(on) or bool(on_page and self._page(on)),
                second=self._is_written,
            )

        self._actions = {
            "accept": on_review(ACCEPT, "keep_file")._replace(run=self._accept),
            "reject": on_review(REJECT, "undo_file"),
            "reject_with_reason": on_review(REJECT_BECAUSE)._replace(can_run=self._takes_reason),
            "next_change": on_review(NEXT, "next_change"),
            "previous_change": on_review(PREVIOUS, "previous_change"),
            "revert_hunk": on_review(REVERT, "undo_hunk"),
            "accept_hunk": on_review(ACCEPT_ONLY, "keep_hunk")._replace(run=self._accept_hunk),
            "undo_accept": Action(
                lambda on: on.changes.undo_accept.run(on.reviews.accepted_texts),
                lambda on: on.reviews.accepted_texts.acceptances.any,
            ),
            "toggle_whitespace_changes": on_review(WHITESPACE),
            "fold_unchanged_lines": on_review(FOLD)._replace(offered=self._can_fold, second=self._has_folds),
            "show_pending_diffs": Action(self._show_pending_diffs, self._has_diffs),
            "review_changes": Action(_review_changes, self._can_read, second=lambda on: on.page.shows_all),
            "act_on_page": Action(self._act_on_page, lambda on: self._page(on) is not None),
            "show_unreviewed_changes": Action(_show_changes, _has_changes),
            "keep_all_changes": Action(lambda on: on.lists.keep_all(), _has_counted),
            "undo_all_changes": Action(lambda on: on.lists.undo_all(), _has_counted),
            "restore_undone_changes": Action(
                lambda on: on.changes.decisions.restore(), lambda on: on.changes.reviews.lists.restorable
            ),
            "review_every_write": Action(_set_reviewing, second=lambda on: on.reviews_every_write),
            "run_agent": Action(self._run_agent),
            "comment": Action(lambda on: on.comments.comment(), self._can_comment),
            "send_review": Action(
                lambda on: on.comments.send(),
                lambda on: on.comments.drafts or on.comments.waiting,
                second=lambda on: on.comments.waiting,
            ),
            "send_selection": Action(self._send_selection, _can_send_selection),
            "send_files": Action(self._send_files, _can_send, offered=_can_send),
            "go_to_waiting_agent": Action(self._go_to_waiting, offered=lambda on: bool(endpoints.waiting())),
            "copy_environment": Action(self._copy_environment),
            "connect_remote": Action(
                remotes.choose,
                offered=lambda on: bool(on.settings().remotes or remotes.of(on)),
                second=lambda on: bool(remotes.of(on)),
            ),
            "install_hooks": Action(partial(agent_hooks.choose, True)),
            "remove_hooks": Action(partial(agent_hooks.choose, False)),
            "pause_sharing": Action(_set_pause, second=lambda on: not on.tracker.sharing),
            "diagnose": Action(diagnose, of_any_window=True),
            "show_log": Action(log_panel.show, of_any_window=True),
            "toggle_log_details": Action(log_panel.toggle_details, of_any_window=True),
            "open_page": Action(partial(open_page, runtime), of_any_window=True),
            "disconnect_agents": Action(_disconnect_agents),
            "restart_server": Action(_restart_server),
        }

    def run(self, command: str, window: sublime.Window, **arguments: Any) -> None:
        """Do what a command does."""
        action = self._actions[command[len(PREFIX) :]]
        on = window if action.of_any_window else self._endpoints.open(window)
        if on is None:
            say(window, STARTING)
        else:
            action.run(on, **arguments)

    def can_run(self, command: str, window: sublime.Window) -> bool:
        """Whether there is something for a command to act on."""
        endpoint = self._endpoints.of(window)
        return endpoint is not None and self._actions[command[len(PREFIX) :]].can_run(endpoint)

    def is_named(self, command: str, window: sublime.Window, on: Optional[bool] = None, **arguments: Any) -> bool:
        """Whether palette and menus have a command. Of a toggle's two entries in the palette `on` is the mode that this
        one brings about."""
        endpoint, action = self._endpoints.of(window), self._actions[command[len(PREFIX) :]]
        return endpoint is None or (action.offered(endpoint) and (on is None or on is not action.second(endpoint)))

    def caption(self, command: str, window: sublime.Window) -> str:
        """The caption of a command that fits now."""
        name, endpoint = command[len(PREFIX) :], self._endpoints.of(window)
        fits_second = endpoint is not None and self._actions[name].second(endpoint)
        return COMMANDS[name].second if fits_second else COMMANDS[name].caption

    # -- reviews ------------------------------------------------------------------------------------------------------

    def _in_front(self, endpoint: Endpoint) -> Optional[Tuple[Reviews, Review]]:
        """The review that commands act on: the one with the focus, else the visible one, else the only one."""
        view = endpoint.window.active_view()
        reviews = ((self._endpoints.of_review(view) if view is not None else None) or endpoint).reviews
        review = reviews.open_reviews.review_of(view) or reviews.open_reviews.in_front()
        return (reviews, review) if review is not None else None

    def _has_review(self, endpoint: Endpoint) -> bool:
        return self._in_front(endpoint) is not None

    def _takes_reason(self, endpoint: Endpoint) -> bool:
        """Whether the agent of the review in front can be told why the user rejects it."""
        found = self._in_front(endpoint)
        return found is not None and takes_reason(found[1])

    def _is_written(self, endpoint: Endpoint) -> bool:
        """Whether the review in front is of a change that its file holds already."""
        found = self._in_front(endpoint)
        return found is not None and bool(found[1].words.accept_hunk)

    def _page(self, endpoint: Endpoint) -> Optional[ReviewPage]:
        """The page that has the focus, which may be another window's that was dragged here."""
        view = endpoint.window.active_view()
        return next((each.page for each in self._endpoints.all() if each.page.shows(view)), None)

    def _act_on_page(self, endpoint: Endpoint, act: str = "") -> None:
        page = self._page(endpoint)
        if page is not None:
            page.act(act)

    def _on_review(self, verb: str, on_page: str, endpoint: Endpoint) -> None:
        """Do this with the review in front or, where a page has the focus, do that on the page."""
        page, found = self._page(endpoint) if on_page else None, self._in_front(endpoint)
        if page is not None:
            page.act(on_page)
        elif found is None:
            say(endpoint.window, "there is no diff to review in this window")
        else:
            reviews, review = found
            reviews.commands.run(verb, review)

    def _can_comment(self, endpoint: Endpoint) -> bool:
        """Whether a line can be commented on: in a review always, in a file while an agent is there."""
        offered = endpoint.agents.any_at_work or endpoint.comments.in_review
        return offered and endpoint.comments.place is not None

    def _folds(self, endpoint: Endpoint) -> Optional[bool]:
        """Whether something is folded in the review in front; None if there is nothing to fold."""
        found = self._in_front(endpoint)
        return found[0].shown[found[1]].folds if found is not None else None

    def _can_fold(self, endpoint: Endpoint) -> bool:
        return self._folds(endpoint) is not None

    def _has_folds(self, endpoint: Endpoint) -> bool:
        return self._folds(endpoint) is True

    def _can_read(self, endpoint: Endpoint) -> bool:
        """Whether there is something to review in the window."""
        return bool(endpoint.reviews.open_reviews.pending()) or _has_changes(endpoint)

    def _accept(self, endpoint: Endpoint, from_command_line: bool = False) -> None:
        """`from_command_line`: the user has typed that into a panel, which closes."""
        if from_command_line:
            endpoint.window.run_command("hide_panel", {"cancel": True})
        self._on_review(ACCEPT, "keep_file", endpoint)

    def _accept_hunk(self, endpoint: Endpoint) -> None:
        """Of a proposal accept nothing but this; where each hunk is decided by itself, keep it."""
        self._on_review(KEEP if self._is_written(endpoint) else ACCEPT_ONLY, "keep_hunk", endpoint)

    def _pending(self) -> List[Tuple[Endpoint, Review]]:
        """The undecided reviews of all windows, those of one agent together."""
        found = [(endpoint, review) for endpoint in self._endpoints.all() for review in endpoint.reviews.pending()]
        owners = list(dict.fromkeys(review.owner for _, review in found))
        return sorted(found, key=lambda each: owners.index(each[1].owner))

    def _closed(self) -> List[Tuple[Endpoint, ClosedReview]]:
        """The reviews of all windows that can be opened again."""
        return [(endpoint, closed) for endpoint in self._endpoints.all() for closed in endpoint.reviews.closed.recent()]

    def _has_diffs(self, endpoint: Endpoint) -> bool:
        """Whether there is a diff to go to, or to open again, or an unreviewed change."""
        return bool(self._pending() or self._closed()) or _has_changes(endpoint)

    def _show_pending_diffs(self, here: Endpoint) -> None:
        """Let the user pick one of all windows' undecided reviews and go there, or one to open again."""
        window, pending, closed = here.window, self._pending(), self._closed()
        if not pending and not closed:
            if _has_changes(here):
                _show_changes(here)
            else:
                say(window, "there is no diff to review")
            return

        entries: List[PanelEntry] = []
        for endpoint, review in pending:
            act, annotation = partial(_go_to, window, endpoint, review), _annotation(endpoint, review, window)
            preview = partial(here.reviews.open_reviews.preview, review) if endpoint is here else None
            entries.append(PanelEntry(file_name(review.path), act, _label(endpoint, review.path), annotation, preview))
        for endpoint, old in closed:
            annotation = f"{client_name(old.client_name)}, closed: open again"
            act = partial(_open_again, window, endpoint, old)
            entries.append(PanelEntry(file_name(old.path), act, _label(endpoint, old.path), annotation))
        if _has_changes(here):
            entries.append(PanelEntry("Show Unreviewed Changes", partial(_show_changes, here)))
        choose(window, entries, "Pending diffs" if pending else "Closed diffs")

    # -- agents in terminals ------------------------------------------------------------------------------------------

    def _run_agent(self, endpoint: Endpoint, agent: str = "") -> None:
        """Start an agent in a terminal, connected to this window if it can be: the one with this key or name; without a
        name the user picks one."""
        settings = endpoint.settings()
        agents = agents_to_run(settings)
        if not agent:
            self._choose_agent(endpoint, agents)
            self.installed.search(settings)  # for the next time
            return
        found = next((each for each in agents if agent in (each.key, each.title)), None)
        if found is None:
            say(endpoint.window, f"no agent is called “{agent}”")  # by somebody's own key binding
        else:
            self._run(endpoint, found)

    def _choose_agent(self, endpoint: Endpoint, agents: Sequence[RunnableAgent]) -> None:
        """Let the user pick one: the last choice first, then those that are installed, then the others, with how to
        install them."""
        settings, last = endpoint.settings(), _last_agent(endpoint.window)
        missing = {each: not self.installed.has(each, settings) for each in agents}
        entries = [
            PanelEntry(
                each.title,
                partial(self._run, endpoint, each),
                each.install_command if missing[each] else "",
                "not found" if missing[each] else "",
            )
            for each in sorted(agents, key=lambda agent: (agent.key != last, missing[agent]))
        ]
        entries.append(
            PanelEntry("In another terminal", partial(self._copy_environment, endpoint), "copies what connects it")
        )
        choose(endpoint.window, entries, "Agent to run")

    def _run(self, endpoint: Endpoint, agent: RunnableAgent) -> None:
        connection = _connection(endpoint)
        if connection is not None:
            put(endpoint.window.settings(), LAST_AGENT, {"key": agent.key})
            endpoint.agents.started(agent.key)  # before it runs: it may write at once
            self._launcher.run(endpoint.window, agent, connection, endpoint.settings())

    def _go_to_waiting(self, here: Endpoint) -> None:
        """Go to the terminal of an agent that waits, or at least to its window; list the windows if there are several,
        others first."""
        waiting = sorted(self._endpoints.waiting(), key=lambda endpoint: endpoint is here)
        if not waiting:
            say(here.window, "no agent waits for you")
            return
        if len(waiting) == 1:
            _go_to_terminal(waiting[0].window)
            return
        entries = [
            PanelEntry(who_waits(each.agents.waiting), partial(_go_to_terminal, each.window), each.place)
            for each in waiting
        ]
        choose(here.window, entries, "Agents that wait for you")

    def _copy_environment(self, endpoint: Endpoint) -> None:
        """Put lines on the clipboard that connect an agent in any terminal to this window."""
        connection = _connection(endpoint)
        if connection is not None:
            self._launcher.copy_environment(endpoint.window, connection)

    def _send_selection(self, endpoint: Endpoint) -> None:
        """Bring the file and the selected lines into the prompt of an agent."""
        view = _tab_in_front(endpoint.window)
        if view is not None:
            self._send(endpoint, selected_places(view))

    def _send_files(
        self, endpoint: Endpoint, files: Sequence[str] = (), dirs: Sequence[str] = (), group: int = -1, index: int = -1
    ) -> None:
        """Bring whole files into the prompt of an agent: those of the side bar, folders among them, or of a tab and all
        that are selected with it, or the one in front."""
        window = endpoint.window
        paths = [*files, *dirs] or _of_tabs(window, group, index)
        views = {path: window.find_open_file(path) for path in paths}
        lines = {path: view.rowcol(view.size())[0] for path, view in views.items() if view is not None}
        self._send(endpoint, [Mention(path, None, lines.get(path)) for path in paths])

    def _send(self, endpoint: Endpoint, places: Sequence[Mention]) -> None:
        problem = self._launcher.send(endpoint.window, places, endpoint.folders(), endpoint.agents.mention)
        if problem is not None:
            say(endpoint.window, problem)


def _go_to_terminal(window: sublime.Window) -> None:
    """Go to the terminal of the window, or at least to the window."""
    terminal = terminal_of(window)
    window.bring_to_front()
    if terminal is not None:
        window.focus_view(terminal)


def _go_to(window: sublime.Window, endpoint: Endpoint, review: Review) -> None:
    """Go to a review that was picked from a list."""
    if not review.pending or not endpoint.window.is_valid():
        say(window, ANSWERED)
    else:
        endpoint.reviews.open_reviews.show(review, focus=True)


def _open_again(window: sublime.Window, endpoint: Endpoint, closed: ClosedReview) -> None:
    problem = endpoint.reviews.closed.reopen(closed)
    if problem:
        say(window, problem)


def _label(endpoint: Endpoint, path: str) -> str:
    """Where a file is that a list names; "" right in the folder of its window."""
    label = endpoint.reviews.open_reviews.label(path)
    return label if label != file_name(path) else ""


def _annotation(endpoint: Endpoint, review: Review, window: sublime.Window) -> str:
    """Whose a review is, where, how much it changes, and how long it has been waiting."""
    client, reviews = client_name(review.owner.client_name), endpoint.reviews.open_reviews
    where = client if reviews.window_of(review) == window else f"{client} in another window"
    return f"{where}, {reviews.summary(review)}"


def _has_changes(endpoint: Endpoint) -> bool:
    """Whether files in the window's folders were changed outside the editor."""
    return endpoint.changes.any


def _has_counted(endpoint: Endpoint) -> bool:
    """Whether agents have changed some of them."""
    return bool(endpoint.changes.count)


def _show_changes(endpoint: Endpoint, last_turn: bool = False) -> None:
    """Let the user pick one of the window's unreviewed changes and go there."""
    endpoint.lists.show(ChangeScope.LAST_TURN if last_turn else ChangeScope.SINCE_KEPT)


def _review_changes(endpoint: Endpoint, last_turn: bool = False) -> None:
    """Open the page of all that waits, or of the last turn; on the page, the other one."""
    last_turn = last_turn or endpoint.page.shows_all
    endpoint.page.open(ChangeScope.LAST_TURN if last_turn else ChangeScope.SINCE_KEPT)


def _last_agent(window: sublime.Window) -> Any:
    """The key of the agent that was run last in the window, also before a restart."""
    note = read(window.settings(), window, LAST_AGENT)
    return note.get("key") if note is not None else None


def _connection(endpoint: Endpoint) -> Optional[ConnectionDetails]:
    """How an agent finds the window. While none can, the user learns why, and it is None."""
    connection = endpoint.connection()
    if connection is None:
        say(endpoint.window, endpoint.why_unreachable())
    return connection


def _can_send(endpoint: Endpoint) -> bool:
    """Whether an agent listens for mentions, or runs in a terminal of the window."""
    return terminal_of(endpoint.window) is not None or endpoint.agents.take_mentions()


def _can_send_selection(endpoint: Endpoint) -> bool:
    """Whether there is an agent to send to, while a file is in front."""
    view = _tab_in_front(endpoint.window)
    return view is not None and view.file_name() is not None and _can_send(endpoint)


def _of_tabs(window: sublime.Window, group: int, index: int) -> List[str]:
    """The file of this tab, with those that are selected together with it; of the one in front if none is named."""
    group = group if index >= 0 else window.active_group()
    selected, sheets = window.selected_sheets_in_group(group), window.sheets_in_group(group)
    named = sheets[index : index + 1] if index >= 0 else selected
    chosen = selected if set(named) <= set(selected) else named
    return [path for path in (sheet.file_name() for sheet in chosen) if path is not None]


def _tab_in_front(window: sublime.Window) -> Optional[sublime.View]:
    """The user's file even while a terminal's panel has the focus."""
    return window.active_view_in_group(window.active_group())


def _set_pause(endpoint: Endpoint, on: Optional[bool] = None) -> None:
    """Pause or resume telling agents about this window's files; without `on` the one that is not the case."""
    sharing = not (endpoint.tracker.sharing if on is None else on)
    endpoint.tracker.set_sharing(sharing)
    endpoint.show_status()
    see = "agents see this window's files again" if sharing else "agents no longer see this window's files"
    say(endpoint.window, see)


def _set_reviewing(endpoint: Endpoint, on: Optional[bool] = None) -> None:
    """Review every write, or what agents ask about; without `on` the one that is not the case."""
    endpoint.review_every_write(not endpoint.reviews_every_write if on is None else on)


def _disconnect_agents(endpoint: Endpoint) -> None:
    """End the sessions of the window's agents, and say whose."""
    names = [client.name() for client in endpoint.agents.connected]
    endpoint.servers.disconnect()
    say(None, "disconnected " + join_names(names) if names else "no agent is connected")


def _restart_server(endpoint: Endpoint) -> None:
    """Serve the window anew, for the same clients."""
    endpoint.servers.restart()
    say(None, "restarting the server")
