"""The part of a Window that shows and hides its parts."""

from __future__ import annotations

from ._gate import gated


@gated
class WindowParts:
    """Side bar, minimap and tabs."""

    def is_sidebar_visible(self):
        return self._visible("side_bar")

    def set_sidebar_visible(self, flag, animate=True):
        self._set_visible("side_bar", flag)

    def set_minimap_visible(self, flag):
        self._set_visible("minimap", flag)

    def set_tabs_visible(self, flag):
        self._set_visible("tabs", flag)

    def _visible(self, element):
        model = self._model()
        return model.elements[element] if model is not None else False

    def _set_visible(self, element, flag):
        model = self._model()
        if model is not None:
            model.elements[element] = bool(flag)
