"""The part of a View that has to do with the screen: scrolling, coordinates, colours."""

from __future__ import annotations

import contextlib

from ..model import geometry, metrics
from ..model.values import Region, as_point, as_region, as_text, as_vector
from ._gate import gated
from ._objects import Selection


@gated
class ViewLook:
    """What the user sees of a view, and where."""

    # -- scrolling -------------------------------------------------------------------------------
    def visible_region(self):
        return geometry.visible_region(self._model())

    def show(self, location, show_surrounds=True, keep_to_left=False, animate=True):
        if isinstance(location, Selection):
            regions = list(location)[:1]
        else:
            regions = [as_region(location) if isinstance(location, Region) else Region(as_point(location))]
        with _redrawn_if_scrolled(self._model()):
            for region in regions:
                geometry.show(self._model(), region, bool(show_surrounds), bool(keep_to_left))

    def show_at_center(self, location, animate=True):
        region = as_region(location) if isinstance(location, Region) else Region(as_point(location))
        with _redrawn_if_scrolled(self._model()):
            geometry.show(self._model(), region, center=True)

    def viewport_position(self):
        return self._model().viewport

    def set_viewport_position(self, xy, animate=True):
        model = self._model()
        with _redrawn_if_scrolled(model):
            model.viewport = geometry.clamp_viewport(model, as_vector(xy))

    def viewport_extent(self):
        return geometry.viewport_extent(self._model())

    def layout_extent(self):
        return geometry.layout_extent(self._model())

    # -- coordinates -----------------------------------------------------------------------------
    def text_to_layout(self, tp):
        return geometry.text_to_layout(self._model(), as_point(tp))

    def layout_to_text(self, xy):
        return geometry.layout_to_text(self._model(), as_vector(xy))

    def line_height(self):
        return metrics.line_height(self._model())

    def em_width(self):
        return metrics.em_width(self._model())

    # -- colours ---------------------------------------------------------------------------------
    def style(self):
        return dict(self._model().host.scheme.style)

    def style_for_scope(self, scope):
        return self._model().host.scheme.for_scope(as_text(scope))

    # -- status bar ------------------------------------------------------------------------------
    def set_status(self, key, value):
        key, value = as_text(key), as_text(value)
        if value:
            self._model().status[key] = value
        else:
            self._model().status.pop(key, None)

    def get_status(self, key):
        return self._model().status.get(as_text(key), "")

    def erase_status(self, key):
        self._model().status.pop(as_text(key), None)


@contextlib.contextmanager
def _redrawn_if_scrolled(model):
    """A view that really scrolls is drawn anew, with the selection as it is."""
    before = model.viewport
    yield
    if model.viewport != before:
        model.redraw()
