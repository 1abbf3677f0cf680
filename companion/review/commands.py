"""What the user does with a review: decides it, goes through its changes, takes them back and brings them back.

Rules: everything runs on the main thread. A command that finds nothing to do says so in the status bar; for a review
that is not shown it does nothing.
"""

from __future__ import annotations

import os
from typing import Callable, Dict, List, Optional, Sequence, Tuple

import sublime

from ..comparison import Hunk
from ..editor.key_bindings import KeyBindings, KeyNames
from ..runtime import Runtime
from .decision import Review, ReviewState, Words, takes_reason
from .display import markup
from .display.presentation import Presentation
from .open_reviews import LAST_ROW, OpenReviews

WHOLE_SELECTION = -1
"""Stands for the changes that are selected, where a link's number stands for one change."""
ACCEPT_ONLY = "accept_only"  # beside the verbs of links

NONE = "this diff shows no changes"  # none that are marked: it may be too large, or no text
NOTHING_TO_FOLD = "this diff has no long runs of unchanged lines"
NONE_AT_CURSOR = "there is no change at the cursor"
NO_LONGER_THERE = "that change is no longer there"
NOTHING_TO_BRING_BACK = "there is no reverted change to bring back"
NOT_ACCEPTED = "the diff of {} was not accepted: look, then decide"
ONLY_AS_A_WHOLE = "this diff can only be accepted or rejected as a whole"
ANSWERED = "that diff has already been answered"


def last_words(words: Words, keys: KeyNames) -> str:
    """Say that the last change is reached, and what the keys do that the user has."""
    does = {"next_change": "starts again", "accept": f"{words.accept.lower()}s"}
    said = ", ".join(f"{keys[command]} {what}" for command, what in does.items() if command in keys)
    return f"last change: {said}" if said else "last change"


class Commands:
    """The commands for the reviews of one window. Main thread only."""

    def __init__(self, open_reviews: OpenReviews, runtime: Runtime, refuse: Callable[[Review, str], bool]) -> None:
        """`refuse` rejects a review with the reason that the user has typed; False if its client cannot be told."""
        self._open = open_reviews
        self.shown = open_reviews.presentations
        self._runtime = runtime
        self._refuse = refuse
        self._at_end: Optional[Tuple[Review, int]] = None  # where the status bar said that this is the last change

    def run(self, verb: str, review: Review, number: int = WHOLE_SELECTION) -> None:
        """Do what a command or a link stands for, in a review that is shown. A decision that was meant for another
        review is not made."""
        if review in self.shown and not (verb in _DECISIONS and self._open.ignores(review)):
            if verb in _OF_HUNKS:
                _OF_HUNKS[verb](self, review, number)
            else:
                _VERBS[verb](self, review)

    def follow(self, review: Review, href: str) -> None:
        """Do what a clicked link in a review's views stands for."""
        verb, number = markup.parse_link(href)
        self.run(verb, review, number)

    # -- deciding -----------------------------------------------------------------------------------------------------

    def accept(self, review: Review) -> None:
        """Accept the text as it is in the view, or would be there; if a command waits for a comparison, after that."""
        if not review.pending:
            return
        presentation = self.shown.get(review)
        if presentation is not None and presentation.hunks.has_deferred:
            hunks, accept, drop = presentation.hunks, self._accept_later, self._not_accepted
            hunks.when_ready(hunks.selected(), lambda places: (accept if places else drop)(review))
        else:
            review.source.accept(review, self._open.text_of(review))

    def _accept_later(self, review: Review) -> None:
        """Accept once the work on the views has ended, unless another proposal comes before that."""
        proposal = review.proposal

        def accept() -> None:
            if review.proposal is proposal:
                self.accept(review)
            else:
                self._not_accepted(review)

        self._runtime.on_main(accept)

    def _not_accepted(self, review: Review) -> None:
        """Tell the user that an Accept came to nothing, because the diff shows another text by now."""
        if review.pending:
            self._open.say(review, NOT_ACCEPTED.format(os.path.basename(review.path)))

    def accept_as_proposed(self, review: Review) -> None:
        """Accept what the client proposed, without the user's edits."""
        if review.pending:
            review.source.accept(review, review.proposal.exact)

    def accept_only_hunk(self, review: Review) -> None:
        """Accept the selected changes and take back all others."""
        presentation = self._decidable(review)
        if presentation is not None:
            hunks = presentation.hunks

            def keep_only(places: List[sublime.Region]) -> bool:
                kept = hunks.keep_only(places)
                if kept:
                    self._accept_later(review)
                return kept

            self._act_or_say(presentation, keep_only, NONE_AT_CURSOR)

    def reject(self, review: Review) -> None:
        """Reject what is shown."""
        if review.state is ReviewState.WRITING:
            self._open.say(review, f"{os.path.basename(review.path)} is being written")
        else:
            review.source.reject(review)

    def ask_why(self, review: Review) -> None:
        """Ask the user why they reject the review, and reject it with that. Nothing typed is no reason; Escape leaves
        the review as it is."""

        def rejected(said: str) -> None:
            if not review.pending:
                self._open.say(review, ANSWERED)
            elif not self._refuse(review, said.strip()):
                review.source.reject(review)

        if takes_reason(review):
            window = self._open.window_of(review)
            window.show_input_panel(f"Why not? {os.path.basename(review.path)}:", "", rejected, None, None)
        else:
            self._open.say(review, f"{review.owner.client_name} cannot be told why: reject the diff without")

    # -- going from change to change ----------------------------------------------------------------------------------

    def next_change(self, review: Review) -> None:
        """Go to the next change, after the last one of a file to the first one of the next file. At the very
        last change the status bar says so, and the next call goes to the very first one."""
        presentation = self.shown[review]
        if presentation.hunks.go_next() or review.source.walk(review, forward=True):
            return
        at_end, told = (review, presentation.hunks.caret), self._at_end
        if presentation.has_changes and at_end != told:
            self._at_end = at_end
            presentation.hunks.show_current()
            self._open.say(review, last_words(review.words, KeyBindings.known))
        else:
            self._at_end = None
            self._go_around(presentation, forward=True)

    def previous_change(self, review: Review) -> None:
        """Go to the previous change, before the first one of a file to the last one of the file before it."""
        presentation = self.shown[review]
        if not presentation.hunks.go_previous() and not review.source.walk(review, forward=False):
            self._go_around(presentation, forward=False)

    def _go_around(self, presentation: Presentation, forward: bool) -> None:
        """Go from the last change of all to the first, or back; tell the user if there is none."""
        review = presentation.review
        if not review.source.walk(review, forward, around=True):
            if presentation.has_changes:
                presentation.hunks.show_first(0 if forward else LAST_ROW)
            else:
                self._open.say(review, NONE)

    def toggle_folds(self, review: Review) -> None:
        """Fold the unchanged lines of this review, or open them."""
        presentation = self.shown[review]
        if presentation.folds is None:
            self._open.say(review, NOTHING_TO_FOLD)
        else:
            presentation.toggle_folds()

    # -- single changes -----------------------------------------------------------------------------------------------

    def revert_hunk(self, review: Review, number: int = WHOLE_SELECTION) -> None:
        """Take back the changes that the selection touches, or the one whose link has this number."""
        self._decide(review, number, review.source.reject_hunks)

    def keep_hunk(self, review: Review, number: int = WHOLE_SELECTION) -> None:
        """Accept the changes that the selection touches, or the one whose link has this number, where each can be
        decided by itself."""
        self._decide(review, number, review.source.accept_hunks)

    def bring_back(self, review: Review, number: int) -> None:
        """Bring back the change that was taken back in the text, and whose link has this number."""
        presentation = self._decidable(review)
        if presentation is not None:
            undo = presentation.hunks.undo_revert
            self._act_or_say(presentation, lambda places: bool(places) and undo(number), NOTHING_TO_BRING_BACK)

    def _decidable(self, review: Review) -> Optional[Presentation]:
        """What shows the review, if the user can decide it now."""
        presentation = self.shown.get(review)
        if presentation is not None and review.pending and not review.words.reject_hunk:
            self._open.say(review, ONLY_AS_A_WHOLE)
            return None
        return presentation if review.pending else None

    def _decide(self, review: Review, number: int, decide: Callable[[Review, Sequence[Hunk]], None]) -> None:
        """Decide the hunks that the selection touches, or the one whose link has this number. What cannot be taken back
        is not decided if the user has meant another review."""
        presentation = self._decidable(review)
        if presentation is None or (not review.source.editable and self._open.ignores(review)):
            return
        shown = presentation.hunks
        rows = shown.linked(number)

        def act(places: List[sublime.Region]) -> bool:
            hunks = shown.at(places) if number == WHOLE_SELECTION else shown.of_link(rows)
            if hunks:
                decide(review, hunks)
            return bool(hunks)

        self._act_or_say(presentation, act, NONE_AT_CURSOR if number == WHOLE_SELECTION else NO_LONGER_THERE)

    def _act_or_say(
        self, presentation: Presentation, act: Callable[[List[sublime.Region]], bool], nothing: str
    ) -> None:
        """Call `act` with the selected places, after typing once the texts are compared; say `nothing` if it fails.

        There are no places if another text has come meanwhile.
        """

        def act_or_say(places: List[sublime.Region]) -> None:
            if not act(places):
                self._open.say(presentation.review, nothing)

        hunks = presentation.hunks
        places = hunks.selected()
        if hunks.ready and not hunks.has_deferred:
            act_or_say(places)
        elif presentation.failed:
            act_or_say([])
        else:
            hunks.when_ready(places, act_or_say)


# What can be done with a review, by commands and by links.
_VERBS: Dict[str, Callable[[Commands, Review], None]] = {
    markup.ACCEPT: Commands.accept,
    markup.AS_PROPOSED: Commands.accept_as_proposed,
    markup.REJECT: Commands.reject,
    markup.REJECT_BECAUSE: Commands.ask_why,
    ACCEPT_ONLY: Commands.accept_only_hunk,
    markup.NEXT: Commands.next_change,
    markup.PREVIOUS: Commands.previous_change,
    markup.RELOAD: lambda on, review: on.shown[review].load(),
    markup.WHITESPACE: lambda on, review: on.shown[review].toggle_whitespace(),
    markup.FOLD: Commands.toggle_folds,
}
# The number is that of a link beside a change, or `WHOLE_SELECTION`.
_OF_HUNKS: Dict[str, Callable[[Commands, Review, int], None]] = {
    markup.REVERT: Commands.revert_hunk,
    markup.UNDO: Commands.bring_back,
    markup.KEEP: Commands.keep_hunk,
}
_DECISIONS = frozenset({markup.ACCEPT, markup.AS_PROPOSED, markup.REJECT, markup.REJECT_BECAUSE, ACCEPT_ONLY})
