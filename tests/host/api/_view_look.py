"""The part of a View that has to do with the screen: scrolling, coordinates, folding, colours, popups."""

from __future__ import annotations

import contextlib
import time

from ..model import geometry, metrics
from ..model.host import current
from ..model.quirks import LATE_MILLISECONDS
from ..model.values import Region, as_callback, as_point, as_region, as_text, as_vector
from ..model.view import Popup, PopupMenu
from ._enums import PopupFlags
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
        if "late_size" in current().quirks and time.monotonic() - self._model().made < LATE_MILLISECONDS / 1000.0:
            return (0.0, 0.0)
        return geometry.viewport_extent(self._model())

    def layout_extent(self):
        return geometry.layout_extent(self._model())

    # -- coordinates -----------------------------------------------------------------------------
    def text_to_layout(self, tp):
        return geometry.text_to_layout(self._model(), as_point(tp))

    def text_to_window(self, tp):
        return geometry.layout_to_window(self._model(), geometry.text_to_layout(self._model(), as_point(tp)))

    def layout_to_text(self, xy):
        return geometry.layout_to_text(self._model(), as_vector(xy))

    def layout_to_window(self, xy):
        return geometry.layout_to_window(self._model(), as_vector(xy))

    def window_to_layout(self, xy):
        return geometry.window_to_layout(self._model(), as_vector(xy))

    def window_to_text(self, xy):
        return geometry.layout_to_text(self._model(), geometry.window_to_layout(self._model(), as_vector(xy)))

    def line_height(self):
        return metrics.line_height(self._model())

    def em_width(self):
        return metrics.em_width(self._model())

    # -- folding ---------------------------------------------------------------------------------
    def is_folded(self, region):
        region = as_region(region)
        return any(region in fold for fold in self._model().folds)

    def folded_regions(self):
        return [Region(fold.a, fold.b) for fold in self._model().folds]

    def fold(self, x):
        regions = [x] if isinstance(x, Region) else list(x)
        folded = [self._model().fold(as_region(region)) for region in regions]  # all of them, not up to the first
        return True in folded

    def unfold(self, x):
        regions = [x] if isinstance(x, Region) else list(x)
        return [opened for region in regions for opened in self._model().unfold(as_region(region))]

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

    # -- popups ----------------------------------------------------------------------------------
    def show_popup_menu(self, items, on_done, flags=0):
        if not callable(on_done):
            raise TypeError("on_done must be callable")
        self._model().popup_menu = PopupMenu([as_text(item) for item in items], on_done)

    def show_popup(
        self, content, flags=PopupFlags.NONE, location=-1, max_width=320, max_height=240, on_navigate=None, on_hide=None
    ):
        popup = Popup(
            as_text(content),
            int(flags),
            as_point(location),
            as_callback(on_navigate, "on_navigate"),
            as_callback(on_hide, "on_hide"),
        )
        if self._model().valid:
            self._model().show_popup(popup)

    def update_popup(self, content):
        popup = self._model().popup
        content = as_text(content)
        if popup is not None:
            popup.content = content
            current().check_html("popup", content)

    def is_popup_visible(self):
        return self._model().popup is not None

    def hide_popup(self):
        self._model().hide_popup()

    def is_auto_complete_visible(self):
        return False

    def preserve_auto_complete_on_focus_lost(self):
        pass


@contextlib.contextmanager
def _redrawn_if_scrolled(model):
    """A view that really scrolls is drawn anew, with the selection as it is."""
    before = model.viewport
    yield
    if model.viewport != before:
        model.redraw()
