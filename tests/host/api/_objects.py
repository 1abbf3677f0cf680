"""The API's handles other than Window and View: sheets, selections, buffers, settings, phantoms, list items."""

from __future__ import annotations

import sys

from ..model.host import current
from ..model.values import Region, as_point, as_region
from ._gate import gated, on_main


def _change(view, change):
    """Only what the `run` of a text command of the view changes is drawn and told of."""
    view.change_selection(change, told=bool(view.edits))


@gated
class Selection:
    """The selection of one view."""

    def __init__(self, id):
        self.view_id = id

    def _view(self):
        return current().view(self.view_id)

    def __iter__(self):
        for index in range(len(self)):
            current().calls.note("Selection.__getitem__", sys._getframe(1))
            yield self._at(index)

    def _at(self, index):
        regions = self._view().selection.regions
        if not -len(regions) <= as_point(index) < len(regions):
            return Region(-1, -1)
        found = regions[index]
        return Region(found.a, found.b, found.xpos)

    def __len__(self):
        return len(self._view().selection.regions)

    def __getitem__(self, index):
        region = self._at(index)
        if region.a == -1:
            raise IndexError
        return region

    def clear(self):
        view = self._view()
        _change(view, view.selection.clear)

    def add(self, x):
        view = self._view()
        region = as_region(x) if isinstance(x, Region) else Region(as_point(x))
        region.a, region.b = view.buffer.clamp(region.a), view.buffer.clamp(region.b)
        _change(view, lambda: view.selection.add(region))

    def add_all(self, regions):
        for region in regions:
            self.add(region)


@gated
class Sheet:
    """A tab's content."""

    def __init__(self, id):
        self.sheet_id = id

    def __hash__(self):
        return self.sheet_id

    def __eq__(self, other):
        return isinstance(other, Sheet) and other.sheet_id == self.sheet_id

    def _model(self):
        return current().sheets.get(self.sheet_id)

    def id(self):
        return self.sheet_id

    def window(self):
        from ._window import Window

        model = self._model()
        return Window(model.window.id) if model is not None and model.window is not None else None

    def view(self):
        from ._view import View

        model = self._model()
        return View(model.view.id) if model is not None and model.view is not None else None

    def file_name(self):
        model = self._model()
        return (model.file_name or None) if model is not None else None

    def is_transient(self):
        model = self._model()
        return bool(model is not None and model.transient)

    def group(self):
        model = self._model()
        number = model.window.group_of(model) if model is not None and model.window is not None else -1
        return None if number == -1 else number

    @on_main
    def close(self, on_close=lambda did_close: None):
        model = self._model()
        if model is None:
            on_close(False)
        else:
            current().files.close_sheet(model, on_close)


@gated
class TextSheet(Sheet):
    """A tab with text."""


@gated
class ImageSheet(Sheet):
    """A tab with an image."""


def make_sheet(model):
    """The handle of a sheet, or None without one."""
    if model is None:
        return None
    return TextSheet(model.id) if model.view is not None else ImageSheet(model.id)


@gated
class Settings:
    """Layered settings; see the model."""

    def __init__(self, id):
        self.settings_id = id

    def _model(self):
        return current().settings[self.settings_id]

    def __getitem__(self, key):
        model = self._model()
        if not model.has(key):
            raise KeyError(repr(key))
        return model.get(key)

    def __setitem__(self, key, value):
        self._model().set(key, value)

    def __contains__(self, key):
        return self._model().has(key)

    def to_dict(self):
        return self._model().to_dict()

    def get(self, key, default=None):
        return self._model().get(key, default)

    def has(self, key):
        return self._model().has(key)

    def set(self, key, value):
        self._model().set(key, value)

    def erase(self, key):
        self._model().erase(key)

    def add_on_change(self, tag, callback):
        self._model().add_on_change(tag, callback)

    def clear_on_change(self, tag):
        self._model().clear_on_change(tag)


class Phantom:
    """A piece of HTML for a PhantomSet."""

    def __init__(self, region, content, layout, on_navigate=None):
        self.region = region
        self.content = content
        self.layout = layout
        self.on_navigate = on_navigate
        self.id = None

    def __eq__(self, rhs):
        return isinstance(rhs, Phantom) and self.to_tuple() == rhs.to_tuple()

    def __repr__(self):
        return "Phantom(%r, %r, %r, on_navigate=%r)" % (self.region, self.content, self.layout, self.on_navigate)

    def to_tuple(self):
        return (self.region.to_tuple(), self.content, self.layout, self.on_navigate)


class PhantomSet:
    """Phantoms of one view that are replaced together; they go when the set is garbage."""

    def __init__(self, view, key=""):
        self.view = view
        self.key = key
        self.phantoms = []

    def __del__(self):
        if not self.phantoms:
            return
        view, phantoms, host = self.view, self.phantoms, current()

        def erase():
            if not host.closed:
                for phantom in phantoms:
                    view.erase_phantom_by_id(phantom.id)

        # Garbage is collected anywhere. Whoever has the API may be waiting for what this thread holds.
        if host.lock.acquire(blocking=False):
            try:
                erase()
            finally:
                host.lock.release()
        else:
            host.scheduler.leave(erase)

    def __repr__(self):
        return "PhantomSet(%r, key=%r)" % (self.view, self.key)

    def update(self, phantoms):
        wanted = {phantom.to_tuple(): phantom for phantom in phantoms}
        places = self.view.query_phantoms([phantom.id for phantom in self.phantoms])
        for phantom, place in zip(self.phantoms, places):
            phantom.region = place
        present = {phantom.to_tuple(): phantom.id for phantom in self.phantoms}
        for key, phantom in wanted.items():
            if key in present:
                phantom.id = present[key]
            else:
                phantom.id = self.view.add_phantom(
                    self.key, phantom.region, phantom.content, phantom.layout, phantom.on_navigate
                )
        kept = {phantom.id for phantom in wanted.values()}
        for phantom in self.phantoms:
            if phantom.id not in kept and phantom.region != Region(-1):
                self.view.erase_phantom_by_id(phantom.id)
        self.phantoms = list(wanted.values())


for _class in (Phantom, PhantomSet):
    _class.__module__ = "sublime"
