"""What the editor's events, its commands and the context of our key bindings mean for the reviews of one window.

Rules: everything runs on the main thread. For a keystroke the editor is asked for nothing while no review is open, and
otherwise only for ids of views.
"""

from __future__ import annotations

from enum import Enum
from typing import Any, Dict, Optional, Tuple

import sublime

from ..common.waiting import Debounce
from ..editor import file_views, marks
from ..editor.edits import COMMAND
from ..runtime import Runtime
from .decision import Review
from .display.markup import ACCEPT
from .reviews import Reviews
from .window import views
from .window.views import FEED, Typed

IN_REVIEW = "gemini_companion.in_review"
IN_PAGE = "gemini_companion.in_page"
REVIEW_BELOW = "gemini_companion.review_below"  # a proposal is behind the panel that has the focus

# After a burst of edits in other views: milliseconds without one, and at the most.
_QUIET, _LONGEST = 200, 1000

Command = Tuple[str, Dict[str, Any]]


class TabAction(Enum):
    """What a command of the editor, or of another package, does to the tab in front."""

    SAVE = "save"
    CLOSE = "close"
    UNDO = "undo"
    TYPE = "type"  # a key of NeoVintageous, which may be one of the other two


_ACTIONS = {
    "save": TabAction.SAVE,
    "lsp_save": TabAction.SAVE,  # of LSP, which binds it to the save key
    "close": TabAction.CLOSE,
    "close_file": TabAction.CLOSE,
    "undo": TabAction.UNDO,
    FEED: TabAction.TYPE,
}


def tab_action(name: str, arguments: Optional[Dict[str, Any]]) -> Optional[TabAction]:
    """What a command does; None for all that neither save, close nor undo. Called for every command.

    Accepting writes a file, so what merely sounds like saving the tab in front does not: `auto_save` switches a package
    on, and other packages save projects or sessions. Of several commands, as the editor's `chain` runs them, saving
    counts more than closing.
    """
    commands = (arguments or {}).get("commands")
    if name in _ACTIONS or not isinstance(commands, list):
        return _ACTIONS.get(name)
    found = {tab_action(each, None) for each in map(_name, commands)}
    return next((each for each in (TabAction.SAVE, TabAction.CLOSE) if each in found), None)


def _name(command: Any) -> str:
    """The name of one command of several: a pair of it and its arguments, or an object."""
    if isinstance(command, dict):
        command = [command.get("command")]
    name = command[0] if isinstance(command, list) and command else command
    return name if isinstance(name, str) else ""


def answer(value: bool, operator: int, operand: Any) -> Optional[bool]:
    """Whether a context key with this value fulfils what a key binding asks; None for operators it does not know."""
    wanted = operand if isinstance(operand, bool) else True
    if operator == sublime.OP_EQUAL:
        return value == wanted
    return value != wanted if operator == sublime.OP_NOT_EQUAL else None


# -- events ------------------------------------------------------------------------------------------------------------


class ReviewEvents:
    """The editor's events for the reviews of one window. Main thread only."""

    def __init__(self, window: sublime.Window, runtime: Runtime, reviews: Reviews) -> None:
        self._window = window
        self._runtime = runtime
        self._reviews = reviews
        self._open = reviews.open_reviews
        self._edited: Dict[int, sublime.View] = {}  # by id: views of no review, since they were last looked at
        self._typed = Typed()
        self._saved: Optional[Review] = None  # which is about to be accepted
        self._edits = Debounce(runtime.later_on_main, self._check_edited, _QUIET, _LONGEST)

    def on_activated(self, view: sublime.View) -> None:
        """A tab or a panel of the window was activated."""
        self._runtime.assert_main_thread()
        self._open.arrangement.note_activated(view)
        # The user may have dragged the view here from another window.
        reviews = self._reviews.of_view(view) or self._reviews
        if self._open.arrangement.busy or reviews.open_reviews.arrangement.busy:
            return
        if self._reviews.is_abandoned(view):
            self._runtime.on_main(self._reviews.recover)
        reviews.open_reviews.pair_up(view)

    def on_deactivated(self, view: sublime.View) -> None:
        """A tab, a panel or an overlay of any window has lost the focus."""
        self._open.arrangement.note_left(view)

    def on_modified(self, view: sublime.View) -> None:
        """A view was edited. Called for every keystroke."""
        number = view.id()
        review = self._open.review_of(view)
        if review is None:
            self._open.input_guard.edited(number)
            if self._open.presentations:
                self._edited[number] = view
                self._edits.mark()
        elif self._open.is_proposal(review, view):
            self._open.input_guard.edited(number)
            self._open.presentations[review].edited()

    def on_reloaded(self, view: sublime.View) -> None:
        """The editor has read a view's file again."""
        self._open.input_guard.reloaded(view.id())
        self.on_file_changed(view)

    def _check_edited(self) -> None:
        """Check whether one of the edited views shows a file that is under review."""
        edited, self._edited = self._edited, {}
        for view in edited.values():
            if view.is_valid():
                self.on_file_changed(view)

    def on_selection_modified(self, view: sublime.View) -> None:
        """A caret or selection moved. Called for every keystroke."""
        if self._open.presentations:
            number = view.id()
            for presentation in self._open.presentations.values():
                both = (presentation.proposal_view, presentation.original_view)
                if any(each is not None and each.id() == number for each in both):
                    presentation.caret_may_have_moved()

    def on_file_changed(self, view: sublime.View) -> None:
        """A view of a file was edited, saved, reloaded or reverted."""
        self._runtime.assert_main_thread()
        path = view.file_name() if self._open.presentations or self._reviews.accepted_texts.awaiting else None
        if path is None:
            return
        self._reviews.accepted_texts.check_file(path)
        for review, presentation in self._open.presentations.items():
            if file_views.is_same_file(path, review.path, review.same_files):
                presentation.file.check()

    def on_saved(self, view: sublime.View) -> None:
        """A view was saved: one of ours, which has a name now, is the user's."""
        reviews = self._reviews.of_view(view)  # the user may have dragged it here from another window
        if reviews is None and marks.role_of(view) is None and not marks.is_page(view):
            return
        review = reviews.open_reviews.review_of(view) if reviews is not None else None
        if reviews is None or review is None:
            views.release(view)
        elif view.file_name() is not None:
            reviews.closed.saved_under_a_name(review)

    def on_pre_close(self, view: sublime.View) -> None:
        """A view is about to be closed. Closing either view of a review ends it; a proposal is rejected."""
        self._runtime.assert_main_thread()
        review = self._open.view_closing(view)
        if review is not None:
            self._reviews.closed.tab_closes(review, view)

    def on_command(self, view: sublime.View, name: str, arguments: Optional[Dict[str, Any]]) -> Optional[Command]:
        """The command to run instead, with its arguments, or None to let it pass. The editor tells of keys and menus
        only.

        Saving a proposal accepts it; saving the view of the original does nothing. What saves and closes only accepts.
        Where nothing can be edited, undo takes back the last decision.
        """
        what = tab_action(name, arguments)
        if what is TabAction.TYPE and self._typed.is_write(arguments):
            what = TabAction.SAVE
        if what in (None, TabAction.TYPE) or view.file_name() is not None or marks.role_of(view) is None:
            return None
        reviews = self._reviews.of_view(view)
        review = reviews.open_reviews.review_of(view) if reviews is not None else None
        if reviews is None or review is None:
            return None
        if what is TabAction.UNDO:
            return (COMMAND, {}) if review.source.take_back(review) else None
        if what is TabAction.CLOSE:
            return (COMMAND, {}) if review is self._saved or reviews.open_reviews.ignores(review) else None
        if marks.role_of(view) == marks.PROPOSAL and review is not self._saved:
            self._saved = review
            self._runtime.on_main(self._accept_saved, reviews, review)
        return COMMAND, {}  # does nothing without edits

    def _accept_saved(self, reviews: Reviews, review: Review) -> None:
        self._saved = None
        reviews.commands.run(ACCEPT, review)

    def query_context(self, view: sublime.View, key: str, operator: int, operand: Any) -> Optional[bool]:
        """Answer for the context keys of our key bindings; None for every other."""
        if key == REVIEW_BELOW:
            below = self._window.active_view()
            return answer(below is not None and self._reviews.of_view(below) is not None, operator, operand)
        if key == IN_PAGE:
            return answer(marks.is_page(view), operator, operand)
        if key != IN_REVIEW:
            return None
        return answer(self._reviews.of_view(view) is not None, operator, operand)
