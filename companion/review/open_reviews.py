"""The open reviews of one window: which there are, which one is meant, what edits and carets mean for them, and the
user's way through their changes.

Rules: everything runs on the main thread. Nothing is opened, decided or closed here. A view is known by its buffer, so
that a clone of it is known, too. For a keystroke the editor is asked for as little as can be.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional

import sublime

from ..debounce import Debounce
from ..editor import file_views
from ..editor.status_bar import say
from .controls import answer
from .decision import Owner, Review, ReviewError

if TYPE_CHECKING:
    from ..runtime import Runtime
    from .display.hunks import Hunks
    from .display.presentation import Presentation


IN_REVIEW = "gemini_companion.in_review"
# After a burst of edits in other views: milliseconds without one, and at the most.
_QUIET, _LONGEST = 200, 1000


class OpenReviews:
    """Main thread only."""

    def __init__(self, window: sublime.Window, runtime: Runtime) -> None:
        self._window = window
        self._runtime = runtime
        self._presentations: Dict[Review, Presentation] = {}
        self._buffers: Dict[int, int] = {}  # of views by their ids, so that no keystroke has to ask
        self._edited: Dict[int, sublime.View] = {}  # views of no review, since they were last looked at
        self._edits = Debounce(runtime.later_on_main, self._look_at_edited, _QUIET, _LONGEST)

    # -- asking -------------------------------------------------------------------------------------------------------

    def review_of(self, view: Optional[sublime.View]) -> Optional[Review]:
        """The pending review that the view, or what it is a clone of, belongs to; or None."""
        if view is not None and self._presentations:
            number = view.id()
            buffer = self._buffers.get(number)
            if buffer is None:
                buffer = self._buffers[number] = view.buffer_id()
            for review, presentation in self._presentations.items():
                if buffer in presentation.buffers:
                    return review
        return None

    def pending(self) -> List[Review]:
        """The reviews that the user can still decide, the oldest first."""
        return [review for review in list(self._presentations) if review.pending]

    def summary(self, review: Review) -> str:
        """How much a review changes and how long it has been waiting, in a few words."""
        presentation = self._presentations.get(review)
        return presentation.summary if presentation is not None else ""

    def in_front(self) -> Optional[Review]:
        """The review that a command means: the one with the focus, else the visible one, else the only one."""
        review = self.review_of(self._window.active_view())
        if review is not None:
            return review
        visible = [review for review, shown in self._presentations.items() if shown.visible]
        if len(visible) == 1:
            return visible[0]
        return next(iter(self._presentations)) if len(self._presentations) == 1 else None

    def _find(self, owner: Owner, path: str) -> Optional[Review]:
        wanted = file_views.same_key(path)
        for review in self.pending():
            if review.ticket is not None:
                continue  # known by its name, not by its file
            if review.owner.session_id == owner.session_id and file_views.same_key(review.path) == wanted:
                return review
        return None

    def _required(self, owner: Owner, path: str) -> Review:
        review = self._find(owner, path)
        if review is None:
            raise ReviewError("No diff is open for this file.")
        return review

    def query_context(self, view: sublime.View, key: str, operator: int, operand: Any) -> Optional[bool]:
        """Answer for the context key of our key bindings; None for every other."""
        if key != IN_REVIEW:
            return None
        return answer(self.review_of(view) is not None, operator, operand)

    # -- what happens in the editor -----------------------------------------------------------------------------------

    def on_modified(self, view: sublime.View) -> None:
        """A view was edited. Called for every keystroke."""
        if not self._presentations:
            return
        review = self.review_of(view)
        if review is None:
            self._edited[view.id()] = view
            self._edits.mark()
        elif self._buffers[view.id()] == self._presentations[review].proposal_buffer:
            self._presentations[review].edited()

    def _look_at_edited(self) -> None:
        """Some views of no review were edited: perhaps of a file that is under review."""
        edited, self._edited = self._edited, {}
        for view in edited.values():
            if view.is_valid():
                self.on_file_changed(view)

    def on_selection_modified(self, view: sublime.View) -> None:
        """A caret or selection moved. Called for every keystroke."""
        if self._presentations:
            number = view.id()
            for presentation in self._presentations.values():
                if presentation.proposal_view.id() == number:
                    presentation.caret_may_have_moved()

    def on_file_changed(self, view: sublime.View) -> None:
        """A view of a file was edited, saved, reloaded or reverted."""
        self._runtime.assert_main_thread()
        if not self._presentations:
            return
        path = view.file_name()
        if path is None:
            return
        for review, presentation in self._presentations.items():
            if file_views.is_same_file(path, review.path, review.same_files):
                presentation.check_file()

    # -- going through the changes ------------------------------------------------------------------------------------

    def reload(self, review: Review) -> None:
        """Read the file again and compare with what it is now."""
        if review in self._presentations:
            self._presentations[review].load()

    def toggle_whitespace(self, review: Review) -> None:
        """Mark the changes of whitespace that are hidden in this review, or hide them."""
        if review in self._presentations:
            self._presentations[review].toggle_whitespace()

    def settings_changed(self) -> None:
        """Show the reviews as the settings say now."""
        for presentation in self._presentations.values():
            presentation.settings_changed()

    def next_change(self, review: Review) -> None:
        """Go to the next change of the proposal."""
        self._walk(review, lambda presentation: presentation.hunks.go_next())

    def previous_change(self, review: Review) -> None:
        """Go to the previous change of the proposal."""
        self._walk(review, lambda presentation: presentation.hunks.go_previous())

    def revert_hunk(self, review: Review, number: int = -1) -> None:
        """Take back the selected changes, or the one whose link has this number."""
        presentation = self._presentations.get(review)
        if presentation is None or not review.pending:
            return
        hunks = presentation.hunks
        self._on_hunks(hunks, number, hunks.revert)

    def revert_all_hunks(self, review: Review) -> None:
        """Take back all changes that are left."""
        presentation = self._presentations.get(review)
        if presentation is not None and review.pending:
            hunks = presentation.hunks
            self._on_hunks(hunks, -1, lambda places: hunks.revert_all())

    def undo_revert_hunk(self, review: Review, number: int = -1) -> None:
        """Bring back the change that was taken back last, or the one whose link has this number."""
        presentation = self._presentations.get(review)
        if presentation is not None and review.pending and not presentation.hunks.undo_revert(number):
            self._say("no reverted change is left as it was")

    def _say(self, sentence: str) -> None:
        say(self._window, sentence)

    def _on_hunks(self, hunks: Hunks, number: int, act: Callable[[List[sublime.Region]], bool]) -> None:
        """Do `act` to the selected changes, or take back the one of this link; after typing, once they are known."""
        rows = hunks.linked(number)

        def act_or_say(places: List[sublime.Region]) -> None:
            if not (act(places) if number < 0 else hunks.revert_linked(rows)):
                self._say("there is no change here")

        places = hunks.selected()
        if hunks.ready:
            act_or_say(places)
        else:
            hunks.when_ready(places, act_or_say)

    def _walk(self, review: Review, step: Callable[[Presentation], bool]) -> None:
        presentation = self._presentations.get(review)
        if presentation is not None and not step(presentation):
            self._say("there are no changes")
