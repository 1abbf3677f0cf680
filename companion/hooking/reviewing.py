"""Install Agent Hooks… and Remove Agent Hooks…: which agents there are, and the review of what their files will hold.

Rules: the file is written by Accept alone, with the very bytes that were shown, and only if it still is as it was then;
else it is shown anew. What is not understood is left alone, and the user gets what to put there by hand. Main thread.
"""

from __future__ import annotations

import os
from functools import partial
from typing import List, Sequence, Tuple

import sublime

from ..agents.registry import agents_of, wanted_agents
from ..common.display_names import shown
from ..editor.edits import move_caret, set_text
from ..editor.file_views import unsaved_files
from ..editor.quick_panel import PanelEntry, choose
from ..editor.status_bar import say
from ..editor.storage import storage_folder
from ..endpoint.endpoint import Endpoint
from ..endpoint.hook_answers import HookAnswers
from ..review.decision import Owner, Review, Source, Words
from ..review.document.disk import ChangedError, DiskError, Kind
from ..review.document.preparation import Preparation
from ..review.window import views
from ..runtime import Runtime
from ..system.platform import Platform
from ..terminals.launcher import say_not_found
from . import installing
from .installing import FoundHooks, HookState, Plan

WRITER = Owner("", "Gemini Companion")
"""No client is connected as that, so no client hears of the decision."""

NONE_FOUND = "none of the agents that can be hooked was found"
NONE_HOOKED = "no agent is hooked"


class AgentHooks:
    """For all windows."""

    def __init__(self, runtime: Runtime, answers: HookAnswers) -> None:
        self._runtime = runtime
        self._answers = answers

    def choose(self, installs: bool, endpoint: Endpoint) -> None:
        """Let the user pick an agent whose hooks to install, or to remove."""
        settings = endpoint.settings()
        found = installing.installations(agents_of(settings), self._answers, Platform.current())
        say(endpoint.window, "looking for agents")
        then = partial(self._list, endpoint, installs)
        self._runtime.use_disk(installing.find_meant, found, settings, installs, then=then)

    def _list(self, endpoint: Endpoint, installs: bool, found: Sequence[FoundHooks]) -> None:
        if not endpoint.window.is_valid():
            return
        if not found and not installs:
            say(endpoint.window, NONE_HOOKED)
            return
        if not found:
            say(endpoint.window, NONE_FOUND)
            self._list_known(endpoint)
            return
        entries: List[PanelEntry] = []
        for each in found:
            plan = partial(self._runtime.use_disk, installing.planned, each.wanted, installs)
            act = partial(plan, then=partial(self._show, endpoint))
            entries.append(PanelEntry(each.wanted.agent.title, act, each.wanted.path, each.state.value))
        heading = "Agent to hook" if installs else "Agent to unhook"
        endpoint.reviews.when_free(partial(choose, endpoint.window, entries, heading))  # shells may have taken a while

    def _list_known(self, endpoint: Endpoint) -> None:
        """Let the user see which agents there are, with how to install each."""
        window, settings = endpoint.window, endpoint.settings()
        known = [agent for agent in wanted_agents(settings) if agent.hooks is not None]
        entries = [
            PanelEntry(
                agent.title,
                partial(say_not_found, window, agent, agent.command(settings)[0]),
                agent.install_command,
                "not found",
            )
            for agent in known
        ]
        endpoint.reviews.when_free(partial(choose, window, entries, "Agents that can be hooked"))

    def _show(self, endpoint: Endpoint, plan: Plan) -> None:
        if not endpoint.window.is_valid():
            return
        wanted = plan.found.wanted
        if plan.installs and (plan.found.problem or plan.needless):
            # What the user puts there by hand, or what is there, names our FILE.
            self._runtime.use_disk(
                lambda cancelled: self._answers.make(wanted.agent),
                then=lambda _: None,
                failed=lambda error: say(endpoint.window, f"{wanted.agent.title} is not answered: {error}"),
            )
        if plan.found.problem:
            say(endpoint.window, plan.found.problem)
            _show_by_hand(endpoint.window, plan)
        elif plan.needless:
            say(endpoint.window, already(plan))
        else:
            HookReview(endpoint, self._runtime, self._answers, plan).open()


class HookReview(Source):
    """What the review of one settings file is about: it is decided as a whole, and none of its hunks by itself."""

    editable = False

    def __init__(self, endpoint: Endpoint, runtime: Runtime, answers: HookAnswers, plan: Plan) -> None:
        self._endpoint = endpoint
        self._reviews = endpoint.reviews
        self._open = endpoint.reviews.open_reviews
        self._runtime = runtime
        self._answers = answers
        self._plan = plan
        self.words = Words("Accept", "Reject", "", "", "on disk", "with hooks" if plan.installs else "without hooks")

    def open(self) -> None:
        """Show it, in the place of one that is open for the same file."""
        found, plan = self._plan.found, self._plan
        for other in self._open.pending():
            if isinstance(other.source, HookReview) and other.path == found.wanted.path:
                other.source.reject(other)
        review = Review(WRITER, found.wanted.path, plan.text, self, before=found.original)
        review.notes = notes(plan)
        self._open.await_focus(review, Preparation(found.original, review.same_files))
        self._open.arrangement.focus.when_free(partial(self._open.show, review, True))

    def accept(self, review: Review, text: str) -> None:
        """Write what is shown."""
        plan = self._plan
        if not review.begin_writing():
            return
        if plan.data is not None:
            self._reviews.expect(review.path, lambda: plan.data or b"", None)
        self._runtime.use_disk(
            installing.carry_out,
            plan,
            self._answers,
            unsaved_files(),
            storage_folder(),
            then=lambda _: self._written(review),
            failed=partial(self._failed, review),
        )

    def _written(self, review: Review) -> None:
        review.accept("")
        self._reviews.end(review, None)
        say(self._endpoint.window, done(self._plan))

    def _failed(self, review: Review, error: Exception) -> None:
        sentence = str(error) if isinstance(error, DiskError) else f"{os.path.basename(review.path)} was not written."
        review.writing_failed()
        if review not in self._open.presentations or self._open.presentations[review].retired:
            review.reject()  # its tab was closed meanwhile
            say(self._endpoint.window, sentence)
        elif isinstance(error, ChangedError):
            then = partial(self._show_anew, review, sentence)
            self._runtime.use_disk(installing.planned, self._plan.found.wanted, self._plan.installs, then=then)
        else:
            self._open.presentations[review].complain(sentence, look_again=False)
        if not isinstance(error, DiskError):
            raise error  # which is reported

    def _show_anew(self, review: Review, sentence: str, plan: Plan) -> None:
        presentation = self._open.presentations.get(review)
        if presentation is None or presentation.retired or not review.pending:
            return
        self._plan, found = plan, plan.found
        if found.problem or plan.needless:
            self.reject(review)
            say(self._endpoint.window, found.problem or already(plan))
            return
        review.before, review.notes = found.original, notes(plan)
        review.replace(plan.text)
        self._open.input_guard.came(review)
        presentation.show_proposal(Preparation(found.original, review.same_files))
        presentation.complain(sentence, look_again=False)

    def reject(self, review: Review) -> None:
        """Leave the file as it is."""
        review.reject()
        self._reviews.end(review, None)

    def closed(self, review: Review) -> None:
        """Reject the review."""
        review.reject()


# -- what the user reads -----------------------------------------------------------------------------------------------


def notes(plan: Plan) -> Tuple[str, ...]:
    """Return the notes for the header."""
    wanted, state = plan.found.wanted, plan.found.state
    title, dialect, name = wanted.agent.title, wanted.dialect, os.path.basename(wanted.path)
    said: List[str] = []
    if plan.installs and state is HookState.CHANGED:
        said.append("Somebody has changed these hooks: Accept puts them back as they should be.")
    if plan.data is None and plan.found.original.kind is not Kind.NEW:
        said.append(f"Accept removes {name}: nothing else stands in it.")
    if wanted.manifest:
        verb = "makes" if plan.installs else "removes"
        said.append(f"Accept {verb} {wanted.manifest} as well: {' '.join(installing.manifest_text(wanted).split())}")
    at_once = f"{title} sees this at once, in running sessions, too."
    said.append(at_once if dialect.reads_while_running else f"{title} sees this when it is started next.")
    return tuple(said + ([dialect.trust_note] if plan.installs and dialect.trust_note else []))


def already(plan: Plan) -> str:
    """Why there is nothing to do."""
    return f"{plan.found.wanted.agent.title} is {'hooked already' if plan.installs else 'not hooked'}"


def done(plan: Plan) -> str:
    """Return a sentence on what was done."""
    wanted = plan.found.wanted
    when = "" if wanted.dialect.reads_while_running else "; it sees that when it is started next"
    return f"{wanted.agent.title} is {'hooked' if plan.installs else 'no longer hooked'}{when}"


def _show_by_hand(window: sublime.Window, plan: Plan) -> None:
    """Show in a new tab what the user can do instead."""
    wanted = plan.found.wanted
    title, path = wanted.agent.title, wanted.path
    lines = [
        plan.found.problem,
        f"To remove the hooks of {title}, take out of {path} every hook that names",
        wanted.file,
    ]
    if plan.installs:
        lines[1:] = [f"To hook {title}, put this into {path}, beside what is there:"]
    text = "".join(f"// {shown(line)}\n" for line in lines) + (installing.snippet(wanted) if plan.installs else "")
    view = window.new_file()
    view.set_scratch(True)
    view.set_name(f"Hooks for {title}")
    views.assign_syntax(view, path, text)
    set_text(view, text)
    move_caret(view, 0)
