"""The open reviews of one window and their views: opened, found, brought to the front, closed.

Rules: everything runs on the main thread. Nothing is decided here, and no client is told. A view is known by its
buffer, so that its clones are known, too. After the last review the window is given back.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Callable, Dict, List, Optional, Set, Union

import sublime

from ..editor import file_views
from .decision import Owner, Review, ReviewError, Ticket
from .display.panes import one_pane_says_all
from .display.poller import Poller
from .display.presentation import Presentation
from .window.arrangement import Arrangement
from .window.input_guard import InputGuard

if TYPE_CHECKING:
    from ..runtime import Runtime
    from ..settings import Settings
    from .document.preparation import Preparation
    from .document.text import ProposedText


class OpenReviews:
    """Main thread only.

    `on_link` gets the review and the address of a link that was clicked in its views. `on_count` is called, a moment
    later, when a review was opened or has ended. `find_elsewhere` finds the review of a view among those of the other
    windows.
    """

    def __init__(
        self,
        window: sublime.Window,
        runtime: Runtime,
        settings: Callable[[], Settings],
        on_link: Callable[[Review, str], None],
        on_count: Callable[[], None],
        find_elsewhere: Callable[[sublime.View], Optional[Review]] = lambda view: None,
    ) -> None:
        self.presentations: Dict[Review, Presentation] = {}
        """The oldest review first."""
        self.arrangement = Arrangement(window, runtime, settings)
        self.input_guard = InputGuard()
        self._window = window
        self._runtime = runtime
        self._settings = settings
        self._on_link = on_link
        self._on_count = on_count
        self._find_elsewhere = find_elsewhere
        self._behind: Set[Review] = set()  # opened behind another one, and not shown since
        self._poller = Poller(runtime, lambda: list(self.presentations.values()))
        self._buffers: Dict[int, int] = {}  # the buffer of a view by the view's id, so that no keystroke has to ask

    # -- finding ------------------------------------------------------------------------------------------------------

    def review_of(self, view: Optional[sublime.View]) -> Optional[Review]:
        """The open review that the view, or the view it is a clone of, belongs to; or None."""
        if view is not None and self.presentations:
            number = view.id()
            buffer = self._buffers.get(number)
            if buffer is None:
                buffer = self._buffers[number] = view.buffer_id()
            for review, presentation in self.presentations.items():
                if buffer in presentation.buffers:
                    return review
        return None

    def is_proposal(self, review: Review, view: sublime.View) -> bool:
        """Whether a view of the review, for which `review_of` was just asked, shows the proposal."""
        return self._buffers[view.id()] == self.presentations[review].proposal_buffer

    def pending(self) -> List[Review]:
        """The reviews that the user can still decide, the oldest first."""
        return [review for review in list(self.presentations) if review.pending]

    def in_front(self) -> Optional[Review]:
        """The review that a command means: the one with the focus, else the visible one, else the only one."""
        review = self.review_of(self._window.active_view())
        if review is not None:
            return review
        visible = [review for review, shown in self.presentations.items() if shown.visible]
        if len(visible) == 1:
            return visible[0]
        return next(iter(self.presentations)) if len(self.presentations) == 1 else None

    def just_shown(self, view: sublime.View) -> bool:
        """Whether the view's review has just come to the front by itself, so that a key is not meant for it."""
        review = self.review_of(view)
        return review is not None and self.input_guard.ignores(review)

    def window_of(self, review: Review) -> sublime.Window:
        """The window in which the proposal is, which the user may have dragged there."""
        presentation = self.presentations.get(review)
        view = presentation.proposal_view if presentation is not None else None
        return (view.window() if view is not None else None) or self._window

    def _in_use(self) -> List[sublime.View]:
        """The views of the pending review that the user is in and wants to stay in, the one with the focus last."""
        view = self.arrangement.tab_in_use()
        if view is None or self.arrangement.may_interrupt:
            return []
        review = self.review_of(view)
        if review is None:
            other = self._find_elsewhere(view)
            return [view] if other is not None and other.pending else []
        return [*self.presentations[review].views, view] if review.pending else []

    def find(self, owner: Owner, path: str) -> Optional[Review]:
        """The pending review of a client for a file; those that have a ticket are known by its name instead."""
        wanted = file_views.same_key(path)
        for review in self.pending():
            if review.ticket is not None:
                continue
            if review.owner.session_id == owner.session_id and file_views.same_key(review.path) == wanted:
                return review
        return None

    def summary(self, review: Review) -> str:
        """How much a review changes and how long it has been waiting, in a few words."""
        presentation = self.presentations.get(review)
        return presentation.summary if presentation is not None else ""

    # -- opening ------------------------------------------------------------------------------------------------------

    def check(self, path: str) -> None:
        """Raise `ReviewError`, with a sentence for the client, if no review of `path` can be opened."""
        if not os.path.isabs(path):
            raise ReviewError("filePath must be an absolute path, but it is relative.")
        if not self._window.is_valid():
            raise ReviewError("The editor window has been closed.")

    def propose(
        self,
        owner: Owner,
        path: str,
        proposed: Union[str, ProposedText],
        prepared: Optional[Preparation] = None,
        ticket: Optional[Ticket] = None,
    ) -> Review:
        """Show a proposal and return its review. A newer proposal for the same file replaces the older one.

        Raises `ReviewError`, with a sentence for the client; nothing has changed then.
        """
        self.check(path)
        review = self.find(owner, path) if ticket is None else None
        if review is None:
            review = Review(owner, path, proposed, ticket)
            self._open(review, prepared)
        else:
            review.replace(proposed)
            self.presentations[review].show_proposal(prepared)
            self.input_guard.came(review)  # what the user may have been about to decide is another text now
            if self.review_of(self.arrangement.tab_in_use()) is review or not self._in_use():
                self.show(review)
        return review

    def _open(self, review: Review, prepared: Optional[Preparation]) -> None:
        if prepared is not None:
            review.same_files = prepared.same_files
        in_use = self._in_use()
        alone = prepared is not None and one_pane_says_all(prepared.original, review.proposal)
        presentation = Presentation(
            review,
            *self.arrangement.make_views(review, self.views(), in_use, alone),
            runtime=self._runtime,
            settings=self._settings,
            on_link=self._on_link,
        )
        self.presentations[review] = presentation
        if in_use:
            self._behind.add(review)
        elif self.arrangement.tab_in_use() == presentation.proposal_view:
            self.input_guard.opened(review)
        presentation.show_proposal(prepared)
        self._poller.start()
        self._runtime.on_main(self._on_count)

    def show(self, review: Review, focus: Optional[bool] = None) -> None:
        """Bring a review to the front; `focus` is as in `Arrangement.show`, and true if the user has asked for it."""
        presentation = self.presentations.get(review)
        if presentation is not None:
            if focus:
                self.input_guard.asked_for(review)
            self.arrangement.show(presentation.views, presentation.proposal_view, focus)
            self._has_come(review)

    def pair_up(self, view: sublime.View) -> None:
        """A view was activated: if it belongs to a review, show the review's other view, too."""
        review = self.review_of(view)
        if review is not None:
            self._poller.start()
            window = view.window()
            if window is not None and window.active_view() == view:
                self.arrangement.pair_up(self.presentations[review].views, view)
                self._has_come(review)

    def _has_come(self, review: Review) -> None:
        """A review is in front now."""
        self._poller.start()
        if review in self._behind:
            self._behind.discard(review)
            self._runtime.on_main(self._show_first_change, review)

    def _show_first_change(self, review: Review) -> None:
        """Scroll a review that was drawn behind another one, where its views may have had no size yet."""
        presentation = self.presentations.get(review)
        if presentation is not None and presentation.settled and not presentation.retired:
            presentation.hunks.show_first()

    def settings_changed(self) -> None:
        """Show the reviews as the settings say now."""
        for presentation in self.presentations.values():
            presentation.settings_changed()

    def orphan(self, review: Review) -> bool:
        """Note that the client of an open review has gone, and show it in the header. True if that is news."""
        news = review.orphan()
        if news:
            self.presentations[review].update_header()
        return news

    # -- closing ------------------------------------------------------------------------------------------------------

    def view_closing(self, view: sublime.View) -> Optional[Review]:
        """A view is about to be closed: the review of which it is a view (and not a clone of one), or None."""
        review = self.review_of(view)
        self._buffers.pop(view.id(), None)
        return review if review is not None and view in self.presentations[review].views else None

    def retire(self, review: Review) -> None:
        """Note that a view of the review is being closed by the user. The rest waits until it is gone."""
        presentation = self.presentations[review]
        if self.review_of(self.arrangement.tab_in_use()) is review and self.pending():
            self.input_guard.came()  # the editor shows another one before we do
        self.arrangement.note_closing(presentation.views)
        presentation.retire()

    def close(self, review: Review) -> None:
        """Close the views of an ended review, and show the newest one that is left, or give the window back."""
        self.note_project()
        presentation = self.presentations.pop(review)
        self._behind.discard(review)
        closed = presentation.views
        if not self.presentations:
            self._buffers.clear()
        self.arrangement.note_closing(closed)
        presentation.close()
        if self.presentations:
            self._go_on()
        else:
            self.arrangement.restore(closed, lambda: bool(self.presentations))
        self._runtime.on_main(self._on_count)

    def _go_on(self) -> None:
        """Show the newest review that is left, of this window if there is one, where the ended one was."""
        newest_first = list(reversed(list(self.presentations)))
        review = next((each for each in newest_first if self.window_of(each) == self._window), newest_first[0])
        presentation = self.presentations[review]
        if self.arrangement.go_on(presentation.views, presentation.proposal_view):
            self.input_guard.came(review)
        self._has_come(review)

    def note_project(self) -> None:
        """The project may have been saved under another name."""
        if self.presentations:
            self.arrangement.note_project(self.views)

    def views(self) -> List[sublime.View]:
        """The views of all open reviews."""
        return [view for presentation in self.presentations.values() for view in presentation.views]

    def close_all(self, closed: List[sublime.View]) -> None:
        """Close all reviews and give the window back at once. `closed` are their views."""
        self._poller.stop()
        if closed:
            self.note_project()
            self.arrangement.note_closing(closed)
            presentations = list(self.presentations.values())
            self.presentations.clear()
            self._behind.clear()
            self._buffers.clear()
            for presentation in presentations:
                presentation.close()
            self.arrangement.restore(closed, lambda: False, tries=0)
