"""The part of a View that folds its text."""

from __future__ import annotations

import contextlib

from ..model import geometry
from ..model.host import current
from ..model.values import Region, as_region
from ._gate import gated


def _regions(x):
    return [as_region(x)] if isinstance(x, Region) else [as_region(region) for region in x]


@gated
class ViewFolds:
    """Folding and opening, and what is folded."""

    def fold(self, x):
        regions = _regions(x)
        with _scrolled(self._model()) as model:
            clamp = model.buffer.clamp
            folded = [model.folds.fold(clamp(each.begin()), clamp(each.end())) for each in regions]
        return any(folded)

    def unfold(self, x):
        regions = _regions(x)
        with _scrolled(self._model()) as model:
            opened = [found for each in regions for found in model.folds.unfold(each.begin(), each.end())]
        return [Region(*each) for each in opened]

    def is_folded(self, region):
        region, folds = as_region(region), self._model().folds
        return bool(folds.covers(region.begin(), region.end()))

    def folded_regions(self):
        return [Region(*each) for each in self._model().folds.stretches]


@contextlib.contextmanager
def _scrolled(model):
    """The viewport stays inside the layout, which is lower or higher now; with `folding_scrolls` it is the caret's."""
    before = model.folds.version
    yield model
    if model.folds.version == before or model.window is None:
        return
    model.viewport = geometry.clamp_viewport(model, model.viewport)
    if "folding_scrolls" in current().quirks and model.selection.regions:
        current().show(model, model.selection.regions[0].b)
