"""What a user does with links, lists and dialogs; part of the gestures.

A gesture that is impossible for a user raises LookupError.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Any, Optional

from .model import geometry as _geometry
from .model import minihtml as _minihtml
from .model.host import current as _current


def _window(window: Optional[int]) -> Any:
    found = _current().focus.active_window() if window is None else _current().window(window)
    if found is None:
        raise LookupError("there is no window %r" % (window,))
    return found


def _view(view: Optional[int], window: Optional[int] = None) -> Any:
    found = _window(window).active_view() if view is None else _current().views.get(view)
    if found is None:
        raise LookupError("there is no view %r" % (view,))
    return found


def _navigate(content: str, href: str, on_navigate: Any) -> None:
    """Follow the first link whose address matches the pattern `href`."""
    found = [link["href"] for link in _minihtml.links(content) if fnmatchcase(link["href"], href)]
    if not found:
        raise LookupError("there is no link %r" % href)
    if on_navigate is not None:
        _current().scheduler.call(on_navigate, found[0])


def click_phantom(key: str, href: str, index: int = 0, view: Optional[int] = None) -> None:
    """Click a link in the `index`-th phantom (from the top) of a key."""
    phantoms = [item for item in _view(view).phantoms.in_order() if item.key == key]
    if not 0 <= index < len(phantoms):
        raise LookupError("view %r has no phantom %d of %r" % (view, index, key))
    _navigate(phantoms[index].content, href, phantoms[index].on_navigate)


def click_annotation(key: str, href: str, index: int = 0, view: Optional[int] = None) -> None:
    """Click a link in the annotation of the `index`-th region of a key, which must begin inside the view."""
    shown = _view(view)
    found = shown.drawn_annotations().get(key)
    if found is None or not 0 <= index < len(found.annotations):
        raise LookupError("view %r has no annotation %d of %r" % (view, index, key))
    left = _geometry.annotation_left(shown, found.regions[index].begin(), found.annotations[index])
    if shown.drawn and left >= _geometry.viewport_extent(shown)[0]:
        raise LookupError("annotation %d of %r is cut off at the edge of the view" % (index, key))
    _navigate(found.annotations[index], href, found.on_navigate)


def click_fold(index: int = 0, view: Optional[int] = None) -> None:
    """Click the mark of the `index`-th fold from the top, which opens it. The caret stays where it is."""
    folds = _view(view).folds
    if not 0 <= index < len(folds.stretches):
        raise LookupError("view %r has no fold %d" % (view, index))
    folds.unfold(*folds.stretches[index])


def choose(item: Any, window: Optional[int] = None) -> None:
    """Choose in the quick panel, by index or by the text of the row; -1 cancels."""
    panel = _window(window).panels.quick
    if panel is None:
        raise LookupError("no quick panel shows")
    index = item
    if isinstance(item, str):
        rows = [row["trigger"] for row in panel.items]
        if item not in rows:
            raise LookupError("the quick panel has no row %r, only %r" % (item, rows))
        index = rows.index(item)
    if not -1 <= index < len(panel.items):
        raise LookupError("the quick panel has no row %r" % (item,))
    _window(window).panels.finish_quick(index)


def answer_dialog(kind: str, answer: Any = None) -> None:
    """Say in advance how the next dialog of a kind will be answered; see model/dialogs.py for the kinds."""
    _current().dialogs.expect(kind, answer)
