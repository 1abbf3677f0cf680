"""The open reviews of one window and their views: opened, found, brought to the front, closed.

Rules: everything runs on the main thread. Nothing in here decides, or tells a client anything. A view is known by its
buffer, so that its clones are known, too. After the last review the window is given back. Views come and go only while
the focus is free, or, as `review_open` says, once it is asked for. Of the proposals of one session one is shown at a
time, the oldest first; the next one comes in its place. A review that waits for any of that is open, but has no
presentation.
"""

from __future__ import annotations

import os
import sys
from functools import partial
from typing import Callable, Dict, List, Optional, Set, Union

import sublime

from ..editor import file_views, marks
from ..editor.scope import Scope
from ..editor.status_bar import say
from .decision import Owner, Position, Review, ReviewError, ReviewState, Source, Ticket, Writer
from .display.header import place_of
from .display.pacing import Poller
from .display.panes import file_request, one_pane_says_all
from .display.presentation import Presentation
from .document.disk import Original
from .document.preparation import Preparation, read
from .document.text import ProposedText
from .order import ReviewOrder
from .window.arrangement import Arrangement
from .window.focus import InputGuard

ON_REQUEST = "on_request"
LAST_ROW = sys.maxsize
"""As the row of a text: goes to its last change."""
THAW_MILLISECONDS = 100  # between two looks whether a review that has come by itself may be edited


class OpenReviews:
    """Main thread only.

    `proposals` is what reviews of clients' proposals are about. `on_link` gets the review and the address of a link
    that was clicked in its views. `on_count` is called, a moment later, when a review was opened or has ended.
    """

    def __init__(
        self, scope: Scope, proposals: Source, on_link: Callable[[Review, str], None], on_count: Callable[[], None]
    ) -> None:
        self.presentations: Dict[Review, Presentation] = {}
        self._waiting: Dict[Review, Optional[Preparation]] = {}  # for the focus, their turn, or to be asked for
        self.order = ReviewOrder()
        self._read_for: Set[Review] = set()  # those that wait, and whose file is being read
        self._news = False  # whether `on_count` is about to be called
        self.arrangement = Arrangement(scope)
        self.input_guard = InputGuard()
        self._window, self._runtime, self._settings = scope
        self._proposals = proposals
        self._on_link = on_link
        self._on_count = on_count
        self._poller = Poller(scope.runtime, lambda: list(self.presentations.values()))
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
        return [review for review in self.order.reviews if review.pending]

    def all(self) -> List[Review]:
        """Every review, the oldest first; those that wait, or have ended and are about to be closed, included."""
        return list(self.order.reviews)

    def text_of(self, review: Review) -> str:
        """The text of an open review as it would be accepted now."""
        presentation = self.presentations.get(review)
        return presentation.proposal.current_text() if presentation is not None else review.draft.exact

    def original_of(self, review: Review) -> Optional[Original]:
        """The file of an open review as it was read last; None if it was not read yet."""
        found = self.presentations.get(review) or self._waiting.get(review)
        return found.original if found is not None else None

    def in_front(self) -> Optional[Review]:
        """The review that a command means: the one with the focus, else the visible one, else the only one."""
        review = self.review_of(self._window.active_view())
        if review is not None:
            return review
        visible = [review for review, shown in self.presentations.items() if shown.visible]
        if len(visible) == 1:
            return visible[0]
        return next(iter(self.presentations)) if len(self.presentations) == 1 else None

    def window_of(self, review: Review) -> sublime.Window:
        """The window in which the proposal is, which the user may have dragged there."""
        presentation = self.presentations.get(review)
        view = presentation.proposal_view if presentation is not None else None
        return (view.window() if view is not None else None) or self._window

    def say(self, review: Review, sentence: str) -> None:
        """Say something in the status bar of the window where the user sees the review."""
        say(self.window_of(review), sentence)

    def ignores(self, review: Review) -> bool:
        """Whether what the user does to decide the review was meant for another one, which is said."""
        ignored = self.input_guard.pressed(review)
        if ignored:
            name = os.path.basename(review.path)
            self.say(review, f"the diff of {name} has only just been shown: look, then decide")
        return ignored

    def _in_use(self) -> List[sublime.View]:
        """What the user is in and wants to stay in, the view with the focus last: a pending review, or a text that they
        are typing in."""
        view = self.arrangement.tab_in_use()
        if view is None:
            return []
        typing = self._typing(view)
        if self.arrangement.may_interrupt and not typing:
            return []
        review = self.review_of(view)
        if review is None:
            ours = marks.is_page(view) or marks.role_of(view) is not None  # this one of another window's, brought here
            return [view] if typing or ours else []
        return [*self.presentations[review].views, view] if review.pending else []

    @property
    def user_types(self) -> bool:
        """Whether the user is typing a text, to which the next key belongs."""
        view = self.arrangement.tab_in_use()
        return view is not None and self._typing(view)

    def _typing(self, view: sublime.View) -> bool:
        """Whether the user is typing in this view, or in the window in front if reviews may come to the front there."""
        views = [view]
        if self.arrangement.may_interrupt:
            front = sublime.active_window().active_view()
            views += [front] if front is not None else []
        return any(self.input_guard.typed_in(each.id()) and not self._edits_itself(each) for each in views)

    def _edits_itself(self, view: sublime.View) -> bool:
        """Whether the edits of a view are none of the user's: those of a terminal, or of a proposal put in by us."""
        review = self.review_of(view)
        ours = review is not None and self.presentations[review].proposal.untouched
        return marks.is_terminal(view) or ours

    def find(self, owner: Owner, path: str) -> Optional[Review]:
        """The pending review of a client for a file; those that have a ticket are known by its name instead."""
        wanted = file_views.same_key(path)
        for review in self.order.reviews:
            theirs = review.owner.session_id == owner.session_id and review.ticket is None
            if theirs and review.pending and file_views.same_key(review.path) == wanted:
                return review
        return None

    def of_ticket(self, ticket: Ticket) -> Optional[Review]:
        """The pending review of this ticket."""
        return next((each for each in self.order.reviews if each.ticket is ticket and each.pending), None)

    def summary(self, review: Review) -> str:
        """How much a review changes and how long it has been waiting, in a few words."""
        presentation = self.presentations.get(review)
        return presentation.summary if presentation is not None else "not shown yet"

    # -- opening ------------------------------------------------------------------------------------------------------

    def propose(
        self,
        owner: Owner,
        path: str,
        proposed: Union[str, ProposedText],
        prepared: Optional[Preparation] = None,
        ticket: Optional[Ticket] = None,
        *,
        unasked: bool = False,
        draft: Optional[ProposedText] = None,
    ) -> Review:
        """Show a proposal and return its review. A newer proposal for the same file, or of the same ticket, replaces
        the older one. What comes `unasked` is not shown before the user asks for it, if the settings say so. `draft` is
        what the user has made of the proposal.

        Raises `ReviewError`, with a sentence for the client; nothing has changed then.
        """
        if not self._window.is_valid():
            raise ReviewError("The editor window has been closed.")
        review = self.find(owner, path) if ticket is None else self.of_ticket(ticket)
        if review is None:
            review = Review(owner, path, proposed, self._proposals, ticket, draft=draft)
            self.await_focus(review, prepared, unasked)
            return review
        review.replace(proposed, draft)
        self._note_news()
        if review in self._waiting:
            self._waiting[review] = prepared
            return review
        presentation = self.presentations[review]
        typing = self._typing(presentation.proposal_view)  # asked now: in a moment the last edit is ours
        presentation.show_proposal(prepared)
        self._hold(review, typing)  # what the user may have been about to decide, or to edit, is another text now
        if self.review_of(self.arrangement.tab_in_use()) is review or not self._in_use():
            self.arrangement.focus.when_free(partial(self.show, review))
        return review

    def await_focus(self, review: Review, prepared: Optional[Preparation] = None, unasked: bool = False) -> None:
        """Show a review that has no views, as soon as the focus is free; `unasked` is as in `propose`."""
        self._add(review, prepared)
        if not unasked:
            self.arrangement.focus.when_free(partial(self._open, review))
        elif not self._on_request:
            self.arrangement.focus.when_free(partial(self._open_unasked, review, self._open))

    def replace(self, ended: Review, review: Review, prepared: Preparation) -> None:
        """Close an ended review that has views, and show another one in its place."""
        self._add(review, prepared)
        self.close(ended, review)

    def _add(self, review: Review, prepared: Optional[Preparation]) -> None:
        self._waiting[review] = prepared
        self.order.add(review)
        self._note_news()

    def _open(self, review: Review, behind: bool = False) -> None:
        """Make the views of a review that waits; `behind` is as in `Arrangement.make_views`."""
        if review not in self._waiting:
            return  # it has been closed, or shown
        alone = self._alone(review)
        prepared = self._waiting.pop(review)
        if prepared is not None:
            review.same_files = prepared.same_files
        if review.source is self._proposals:
            self._find_place(review)
        in_use = [] if behind else self._in_use()
        presentation = Presentation(
            review,
            *self.arrangement.make_views(review, self.views(), in_use, alone, behind),
            runtime=self._runtime,
            settings=self._settings,
            on_link=self._on_link,
        )
        self.presentations[review] = presentation
        presentation.show_proposal(prepared)
        if self.input_guard.ignores(review):
            self._hold(review)
        self._poller.start()
        self._note_news()

    def _alone(self, review: Review) -> bool:
        """Whether a review that waits is to be shown in one pane."""
        prepared = self._waiting[review]
        if prepared is None:
            return False
        analysis = prepared.compared.analysis if prepared.compared is not None else None
        return one_pane_says_all(prepared.original, review) or (
            analysis is not None
            and self.arrangement.half_is_too_narrow(review, prepared.original.text, analysis.has_longer)
        )

    def _hold(self, review: Review, typing: bool = False) -> None:
        """The review has come to the front by itself: for a moment, longer for a `typing` user, nothing decides or
        edits it."""
        self.input_guard.came(review, typing)
        self.presentations[review].freeze(True)
        self._runtime.later_on_main(THAW_MILLISECONDS, self._thaw, review)

    def _thaw(self, review: Review) -> None:
        presentation = self.presentations.get(review)
        if presentation is None or presentation.retired or not review.pending:
            return
        if self.input_guard.ignores(review):
            self._runtime.later_on_main(THAW_MILLISECONDS, self._thaw, review)
        else:
            presentation.freeze(False)

    def show(self, review: Review, focus: Optional[bool] = None, by_user: bool = True) -> None:
        """Bring a review to the front; `focus` is as in `Arrangement.show`. With it, the user has asked for the review,
        or (not `by_user`) has decided the one before."""
        presentation = self.presentations.get(review)
        if review in self._waiting:
            self.arrangement.focus.when_free(partial(self._open_late, review))
            self.arrangement.focus.when_free(partial(self.show, review, focus, by_user))
        elif presentation is not None:
            if focus and by_user:
                self.input_guard.asked_for(review)
                self._thaw(review)
            self.arrangement.show(presentation.views, presentation.proposal_view, focus)
            self._poller.start()

    def show_at(self, review: Review, row: int) -> None:
        """Go to a review, at the change in this row of its text, once it is drawn."""
        review.row = row
        self.show(review, focus=True)
        if review in self.presentations:
            self.presentations[review].hunks.show_first(row)

    def _open_late(self, review: Review, behind: bool = False) -> None:
        """Show a review that has waited: what was found out about its file may be hours old."""
        if review in self._waiting:
            is_old = self._waiting[review] is not None and review.before is None
            self._open(review, behind)
            if is_old:
                self.presentations[review].load()

    def _open_unasked(self, review: Review, open_review: Callable[[Review], None]) -> None:
        """Show what was not asked for, unless another one of its session is to be decided first, or the user has
        decided meanwhile that it waits to be asked for."""
        others = (each for each in self.order.together(review) if each in self.presentations)
        if not self._on_request and not any(each.pending or each.state is ReviewState.WRITING for each in others):
            open_review(review)

    @property
    def _on_request(self) -> bool:
        return self._settings().review_open == ON_REQUEST

    def preview(self, review: Review) -> None:
        """Show a review behind an overlay, which keeps the focus, unless that needs another group: it would end."""
        presentation = self.presentations.get(review)
        if presentation is not None and review.pending:
            groups = {self._window.get_view_index(view)[0] for view in presentation.views}
            if groups == {self._window.active_group()}:
                self._window.focus_view(presentation.proposal_view)

    def show_anew(self, review: Review) -> bool:
        """Show a review in new views, because one of its own was closed or has become the user's. False if its window
        or its project has gone."""
        if not self.arrangement.is_still_there:
            return False
        if review in self.presentations:  # else it waits already, as both of its tabs were closed
            self.presentations.pop(review).close()
            self.await_focus(review)
        return True

    def pair_up(self, view: sublime.View) -> None:
        """A view was activated: if it belongs to a review, show the review's other view, too."""
        review = self.review_of(view) if self.arrangement.focus.free else None
        if review is not None:
            self._poller.start()
            window = view.window()
            if window is not None and window.active_view() == view:
                self.arrangement.pair_up(self.presentations[review].views, view)
                self._poller.start()

    def settings_changed(self) -> None:
        """Show the reviews as the settings say now."""
        for presentation in self.presentations.values():
            presentation.settings_changed()
        for review in list(self._waiting) if not self._on_request else ():
            self.arrangement.focus.in_turn(partial(self._open_unasked, review, self._open_late))

    def set_writer(self, review: Review, writer: Writer) -> None:
        """Note who writes the file of an open review, and show it in the header."""
        review.writer = writer
        self.update_header(review)

    def update_header(self, review: Review) -> None:
        """Show in the header of a review how things stand."""
        if review in self.presentations:
            self.presentations[review].update_header()

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
        self.arrangement.note_closed_by_others(presentation.views)
        presentation.retire()

    def close(self, review: Review, following: Optional[Review] = None) -> None:
        """Close the views of an ended review, and show the `following` one, or that which comes next, or give the
        window back.

        Where that would touch the focus of an overlay or a panel it waits until that has gone.
        """
        if review in self._waiting:
            self.forget(review)
        elif review in self.presentations:
            self.arrangement.focus.when_free(partial(self._close, review, following))
            if review in self.presentations:
                self.presentations[review].retire()

    def forget(self, review: Review) -> None:
        """The review has no views, or none that are left to us, and is not open any more."""
        self._waiting.pop(review, None)
        self.presentations.pop(review, None)
        self.order.remove(review)
        self._note_news()

    def _close(self, review: Review, following: Optional[Review]) -> None:
        if review not in self.presentations:
            return
        self.note_project()
        presentation, following = self.presentations[review], following or self.order.following(review)
        closed = presentation.views
        self.arrangement.note_closing(closed)
        if following is not None and self._may_open(following) and self._fits(following, presentation):
            self._open_late(following, behind=True)
        self.forget(review)
        if not self.presentations:
            self._buffers.clear()
        presentation.close()
        if self.presentations:
            self._go_on(following)
        else:
            self.arrangement.restore(closed, lambda: bool(self.presentations), partial(self._restored, following))

    def _may_open(self, review: Review) -> bool:
        """Whether a review waits for its turn, and not to be asked for."""
        return review in self._waiting and not (self._on_request and review.source is self._proposals)

    def _fits(self, following: Review, presentation: Presentation) -> bool:
        """Whether a review that waits can be opened before the ended one is closed: in the same panes, so that the
        layout stays. If the user has closed its tab, they may have closed all tabs, for another project."""
        is_like = self._alone(following) is (presentation.original_view is None)
        return not self.arrangement.closed_by_others and (is_like or len(self.presentations) > 1)

    def _restored(self, following: Optional[Review], had_focus: bool, has_left: bool) -> None:
        """The window is as it was before the ended review: open the one that comes next. If another project `has_left`
        no room for it, what waits is closed as tabs are then."""
        if has_left:
            for review in list(self._waiting):
                review.source.closed(review)
                self.close(review)
        elif following is not None and self._may_open(following):
            self._open_late(following)
            if had_focus:
                presentation = self.presentations[following]
                self.arrangement.show(presentation.views, presentation.proposal_view, True)
                self._hold(following)

    def _go_on(self, following: Optional[Review]) -> None:
        """Show the review that comes next where the ended one was; else the oldest that is left, of this window if it
        has one."""
        oldest_first = [each for each in self.order.reviews if each in self.presentations]
        review = next((each for each in oldest_first if self.window_of(each) == self._window), oldest_first[0])
        review = following if following in self.presentations else review
        presentation = self.presentations[review]
        if self.arrangement.go_on(presentation.views, presentation.proposal_view):
            self._hold(review)
        self._poller.start()

    # -- how many there are -------------------------------------------------------------------------------------------

    def _note_news(self) -> None:
        """A review was opened, or has ended, and perhaps more in the same turn."""
        if not self._news:
            self._news = True
            self._runtime.on_main(self._tell_news)

    def _tell_news(self) -> None:
        self._news = False
        for review, presentation in self.presentations.items():
            if review.source is self._proposals and review.pending:
                before, following = review.position, self._find_place(review)
                if review.position != before:
                    presentation.update_header()
                self._read_ahead(following)
        self._on_count()

    def _find_place(self, review: Review) -> Optional[Review]:
        """Find which file of several a proposal is, and which one comes next."""
        following = self.order.following(review)
        label = "" if following is None else self.label(following.path)
        review.position = Position(*self.order.place(review), label)
        return following

    def label(self, path: str) -> str:
        """What the user reads a file called: by its workspace folder."""
        return "/".join(filter(None, [place_of(path, self._window.folders()), os.path.basename(path)]))

    def _read_ahead(self, review: Optional[Review]) -> None:
        """Read the file of the proposal that comes next, unless that was done: so it appears complete."""
        if review not in self._waiting or self._waiting[review] is not None or review in self._read_for:
            return
        self._read_for.add(review)
        request = file_request(review.path, self._settings(), self._window.active_view())
        then = partial(self._has_read, review, review.proposal)
        self._runtime.use_disk(read, request, review.proposal, then=then)

    def _has_read(self, review: Review, proposal: ProposedText, found: Preparation) -> None:
        self._read_for.discard(review)
        if review.proposal is proposal:
            self.note_read(review, found)

    def note_read(self, review: Review, found: Preparation) -> None:
        """The file of a review was read, which may wait to be shown."""
        if review in self._waiting:
            self._waiting[review] = found

    def note_project(self) -> None:
        """The project may have been saved under another name."""
        self.arrangement.split.note_project(self.views)

    def views(self) -> List[sublime.View]:
        """The views of all open reviews."""
        return [view for presentation in self.presentations.values() for view in presentation.views]

    def close_all(self, closed: List[sublime.View]) -> None:
        """Close all reviews and give the window back at once. `closed` are their views."""
        self._poller.stop()
        self._waiting.clear()
        self.order.clear()
        if closed:
            self.note_project()
            self.arrangement.note_closing(closed)
            presentations = list(self.presentations.values())
            self.presentations.clear()
            self._buffers.clear()
            for presentation in presentations:
                presentation.close()
            self.arrangement.restore(closed, lambda: False, tries=0)
