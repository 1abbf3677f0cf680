"""The built-in commands that work on a view's text and selection."""

from __future__ import annotations

from typing import Any, Callable, List, Optional

from .commands import text_command
from .folds import HiddenRows
from .values import Region


def _edit_each(view: Any, change: Callable[[Region], Optional[tuple]]) -> None:
    """Apply `change(region) -> (start, end, text)` at every selection, last first."""
    if view.buffer.read_only:
        return
    for region in reversed(list(view.selection.regions)):
        edit = change(Region(region.a, region.b))
        if edit is not None:
            start, end, text = edit
            view.buffer.replace(start, end, text)
            caret = start + len(text)
            # A replaced selection collapses to a caret behind the new text.
            for kept in view.selection.regions:
                if kept.begin() >= start and kept.end() <= caret:
                    kept.a = kept.b = caret
    view.selection.set(view.selection.copy())


@text_command
def insert(host: Any, view: Any, characters: str) -> None:
    def change(region: Region) -> tuple:
        text = characters
        if characters == "\n" and view.settings.get("auto_indent") and not view.element:
            start, _ = view.buffer.line_bounds(view.buffer.row(region.begin()))
            line = view.buffer.text[start : region.begin()]
            text += line[: len(line) - len(line.lstrip(" \t"))]
        elif characters == "\t" and view.settings.get("translate_tabs_to_spaces"):
            size = int(view.settings.get("tab_size", 4))
            text = " " * (size - view.buffer.rowcol(region.begin())[1] % size)
        return region.begin(), region.end(), text

    _edit_each(view, change)
    _show_caret(host, view)


@text_command
def append(
    host: Any,
    view: Any,
    characters: str,
    force: bool = False,
    scroll_to_end: bool = False,
    disable_tab_translation: bool = False,
) -> None:
    if view.buffer.read_only and not force:
        return
    if view.settings.get("translate_tabs_to_spaces") and not disable_tab_translation:
        characters = characters.replace("\t", " " * int(view.settings.get("tab_size", 4)))
    view.buffer.replace(view.buffer.size(), view.buffer.size(), characters)
    if scroll_to_end:
        host.show(view, view.buffer.size())


@text_command
def left_delete(host: Any, view: Any) -> None:
    _edit_each(view, lambda r: (r.begin(), r.end(), "") if not r.empty() else (max(0, r.a - 1), r.a, ""))


@text_command
def right_delete(host: Any, view: Any) -> None:
    _edit_each(view, lambda r: (r.begin(), r.end(), "") if not r.empty() else (r.a, view.buffer.clamp(r.a + 1), ""))


def _by_line(view: Any, region: Region, count: int) -> int:
    """The point a row further up or down on the screen: what is folded is no row."""
    hidden = HiddenRows(view.buffer, view.folds)
    row, column = view.buffer.rowcol(region.b)
    row = hidden.shown_in(row) + count
    while count > 0 and hidden.hides(row) and row < view.buffer.line_count():
        row += 1
    row = hidden.shown_in(row)
    if row < 0:
        return 0
    return view.buffer.text_point(row, column, clamp=True)


def _past_folds(view: Any, point: int, forward: bool) -> int:
    """The point itself, or the end of the fold that hides it."""
    return next((end if forward else start for start, end in view.folds.inside(point)), point)


def _place(view: Any, targets: List[tuple], extend: bool) -> None:
    view.set_selection([(anchor if extend else caret, caret) for anchor, caret in targets])


def _show_caret(host: Any, view: Any) -> None:
    if view.selection.regions and view.window is not None:
        host.show(view, view.selection.regions[-1].b)


@text_command
def move(host: Any, view: Any, by: str, forward: bool = True, extend: bool = False) -> None:
    """By "characters" or "lines"."""
    step = 1 if forward else -1
    targets = []
    for region in view.selection.regions:
        if by == "characters":
            if not region.empty() and not extend:
                point = region.end() if forward else region.begin()
            else:
                point = _past_folds(view, view.buffer.clamp(region.b + step), forward)
        else:
            point = _by_line(view, region, step)
        targets.append((region.a, point))
    _place(view, targets, extend)
    _show_caret(host, view)


@text_command
def move_to(host: Any, view: Any, to: str, extend: bool = False) -> None:
    targets = []
    for region in view.selection.regions:
        start, end = view.buffer.line_bounds(view.buffer.row(region.b))
        text = view.buffer.text[start:end]
        soft = start + len(text) - len(text.lstrip())
        points = {
            "bof": 0,
            "eof": view.buffer.size(),
            "bol": soft if region.b != soft else start,
            "eol": end,
        }
        targets.append((region.a, points.get(to, region.b)))
    _place(view, targets, extend)
    _show_caret(host, view)


@text_command
def goto_line(host: Any, view: Any, line: Any) -> None:
    """Lines count from 1. What is folded there opens."""
    point = view.buffer.text_point(int(line) - 1, 0)
    for start, end in list(view.folds.inside(point)):
        view.folds.unfold(start, end)
    view.set_selection([(point, point)])
    _show_caret(host, view)


def _unfold(view: Any, stretches: List[tuple]) -> None:
    opened = [found for start, end in stretches for found in view.folds.unfold(start, end)]
    if opened:
        view.set_selection(opened)


@text_command
def fold(host: Any, view: Any) -> None:
    """Fold what is selected. By indentation, of which this model knows nothing, it is nothing."""
    folded = [each for each in view.selection.copy() if view.folds.fold(min(each), max(each))]
    if folded:
        view.set_selection(folded)


@text_command
def unfold(host: Any, view: Any) -> None:
    """Open what is selected, and what stands beside a caret."""
    _unfold(view, [(min(each) - 1, max(each) + 1) for each in view.selection.copy()])


@text_command
def unfold_all(host: Any, view: Any) -> None:
    view.folds.unfold(0, view.buffer.size())


@text_command
def select_all(host: Any, view: Any) -> None:
    view.set_selection([(0, view.buffer.size())])


def _restore(host: Any, view: Any, saved: dict) -> None:
    for shown in view.buffer.views:
        if shown.id in saved:
            shown.selection.set([(view.buffer.clamp(a), view.buffer.clamp(b)) for a, b in saved[shown.id]])
            host.notes.selection(shown)


@text_command
def undo(host: Any, view: Any) -> None:
    step = None if view.buffer.read_only else view.buffer.undo.undo(view.buffer)
    if step is not None:
        _restore(host, view, step.before)


@text_command
def redo(host: Any, view: Any) -> None:
    step = None if view.buffer.read_only else view.buffer.undo.redo(view.buffer)
    if step is not None:
        _restore(host, view, step.after)


@text_command
def paste(host: Any, view: Any) -> None:
    text = host.clipboard.replace("\r\n", "\n").replace("\r", "\n")
    _edit_each(view, lambda r: (r.begin(), r.end(), text))


@text_command
def toggle_setting(host: Any, view: Any, setting: str) -> None:
    view.settings.set(setting, not view.settings.get(setting, False))


@text_command
def save(host: Any, view: Any, **_: Any) -> None:
    """`async` and `encoding` are accepted; the file is written before the command returns."""
    if view.element == "" and view.sheet is not None:
        host.files.save(view)


@text_command
def revert(host: Any, view: Any) -> None:
    host.files.revert(view)


@text_command
def reopen(host: Any, view: Any, encoding: Optional[str] = None) -> None:
    host.files.revert(view, encoding)
