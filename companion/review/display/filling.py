"""Brings the two texts of a review into its views: the file as it is on disk, and the proposal.

Theory of operation: the file is read on a disk thread (`file_watch`), and a long text is put into its view in slices.
As soon as both are there, they are compared.

Rule: nothing is compared while a text is on its way: the comparison is told before a view is filled, and after.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Callable, Iterator, Optional, Tuple

from ...editor import file_views
from ..decision import Review
from ..document.disk import Kind, Original
from ..document.preparation import Preparation
from ..window import views
from .comparison_cycle import ComparisonCycle
from .file_watch import FileWatch
from .header_updates import HeaderUpdates
from .hunks import Hunks
from .panes import OriginalPane, ProposalPane
from .slices import Slices

if TYPE_CHECKING:
    from ...runtime import Runtime
    from ...settings import Settings


class Filling:
    """The filling of one review's views. Main thread only. Inline there is no `original_pane`."""

    def __init__(
        self,
        review: Review,
        original_pane: Optional[OriginalPane],
        proposal_pane: ProposalPane,
        file: FileWatch,
        *,
        cycle: ComparisonCycle,
        header: HeaderUpdates,
        hunks: Hunks,
        runtime: Runtime,
        settings: Callable[[], Settings],
    ) -> None:
        self._review = review
        self._original_pane = original_pane
        self._proposal_pane = proposal_pane
        self._file = file
        self._cycle = cycle
        self._header = header
        self._hunks = hunks
        self._runtime = runtime
        self._settings = settings
        self._slices, self._original_slices = Slices(runtime), Slices(runtime)
        self._read_with = self._limits()

    @property
    def limits_changed(self) -> bool:
        """Whether the settings have other limits for what is compared than when the file was read."""
        return self._limits() != self._read_with

    def show_proposal(self, prepared: Optional[Preparation]) -> None:
        """Put the review's proposal into its view. `prepared` is the file, if it was read already."""
        self._begin()
        if prepared is None:
            self.load()
        else:
            self._read_with = self._limits()
            self._file.read_again()
            self._loaded(prepared)

    def load(self) -> None:
        """Read the file (again) and compare with it."""
        self._read_with = self._limits()
        fallback = self._proposal_pane.view.settings().get("fallback_encoding")
        self._file.load(self._settings(), fallback, self._loaded, self._not_loaded)

    def stop(self) -> None:
        """Fill no more."""
        self._slices.stop()
        self._original_slices.stop()

    def _limits(self) -> Tuple[int, int]:
        settings = self._settings()
        return settings.review_maximum_bytes, settings.review_maximum_lines

    # -- the proposal -------------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        if self._cycle.retired or not file_views.is_open(self._proposal_pane.view):
            return
        self._cycle.await_proposal()
        self._header.proposal_comes()
        self._hunks.outdate()
        self._hunks.forget_reverted()
        self._slices.run(self._fill(not self._proposal_pane.filled))

    def _fill(self, first: bool) -> Iterator[None]:
        proposal = self._review.proposal
        yield from self._proposal_pane.fill(len(proposal.shown) <= self._settings().review_maximum_bytes)
        if first:
            self._runtime.on_main(self._forget)
        self._cycle.compare()

    def _forget(self) -> None:
        """Let the editor's undo not take the proposal away."""
        view = self._proposal_pane.view
        if self._cycle.retired or not file_views.is_open(view):
            return
        before = view.change_count()
        self._proposal_pane.forget_filling()
        if view.change_count() != before:
            self._cycle.compare()  # else the comparison would be taken for one of an older text

    # -- the file -----------------------------------------------------------------------------------------------------

    def _loaded(self, prepared: Preparation) -> None:
        """The file was read."""
        if self._cycle.retired:
            return
        before, original, self._review.same_files = self._file.original, prepared.original, prepared.same_files
        if before is None and not file_views.views_of_file(self._review.path, self._review.same_files):
            for pane in (self._original_pane, self._proposal_pane):
                if pane is not None and file_views.is_open(pane.view):
                    views.indent_as(pane.view, original.text or self._review.proposal.shown)
        if before is None or before.text != original.text:
            self._hunks.outdate()
        self._file.take(original)
        self._header.file_read()
        self._cycle.await_original()
        self._original_slices.run(self._fill_original(original))

    def _not_loaded(self) -> None:
        """The file could not be read. If it never was, the proposal is shown as beside one that nobody may read."""
        if self._cycle.retired:
            return
        if self._file.original is None:
            self._loaded(Preparation(Original(self._review.path, Kind.UNREADABLE), self._review.same_files))
        else:
            self._header.update()

    def _fill_original(self, original: Original) -> Iterator[None]:
        if self._original_pane is not None and file_views.is_open(self._original_pane.view):
            with_syntax = len(original.text) <= self._settings().review_maximum_bytes
            yield from self._original_pane.fill(original, self._review.same_files, with_syntax)
        self._file.check()
        self._cycle.compare_with(original)
