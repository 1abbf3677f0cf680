"""The part of a Window that shows and hides its parts, and that looks up symbols (there is no index here)."""

from __future__ import annotations

from ._enums import KindId, SymbolSource, SymbolType
from ._gate import gated


@gated
class WindowParts:
    """Side bar, minimap, tabs, status bar and menu; symbols."""

    def is_sidebar_visible(self):
        return self._visible("side_bar")

    def set_sidebar_visible(self, flag, animate=True):
        self._set_visible("side_bar", flag)

    def is_minimap_visible(self):
        return self._visible("minimap")

    def set_minimap_visible(self, flag):
        self._set_visible("minimap", flag)

    def is_status_bar_visible(self):
        return self._visible("status_bar")

    def set_status_bar_visible(self, flag):
        self._set_visible("status_bar", flag)

    def get_tabs_visible(self):
        return self._visible("tabs")

    def set_tabs_visible(self, flag):
        self._set_visible("tabs", flag)

    def is_menu_visible(self):
        return self._visible("menu")

    def set_menu_visible(self, flag):
        self._set_visible("menu", flag)

    def _visible(self, element):
        model = self._model()
        return model.elements[element] if model is not None else False

    def _set_visible(self, element, flag):
        model = self._model()
        if model is not None:
            model.elements[element] = bool(flag)

    def symbol_locations(
        self, sym, source=SymbolSource.ANY, type=SymbolType.ANY, kind_id=KindId.AMBIGUOUS, kind_letter=""
    ):
        return []

    def lookup_symbol_in_index(self, symbol):
        return []

    def lookup_symbol_in_open_files(self, symbol):
        return []

    def lookup_references_in_index(self, symbol):
        return []

    def lookup_references_in_open_files(self, symbol):
        return []
