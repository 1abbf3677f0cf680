"""The built-in commands that work on a view's text and selection."""

from __future__ import annotations

from typing import Any, Callable, List, Optional

from . import geometry, metrics, textops
from .commands import text_command
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
def insert_snippet(host: Any, view: Any, contents: str = "", name: str = "") -> None:
    """Plain text only: fields are left out, escapes resolved."""
    import re

    text = re.sub(r"\$\{\d+:([^}]*)\}|\$\d+|\$\{\d+\}", lambda match: match.group(1) or "", contents).replace(
        "\\$", "$"
    )
    _edit_each(view, lambda region: (region.begin(), region.end(), text))


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


@text_command
def delete_word(host: Any, view: Any, forward: bool = True) -> None:
    def change(region: Region) -> tuple:
        if not region.empty():
            return region.begin(), region.end(), ""
        other = _by_word(view, region.b, forward)
        return min(region.b, other), max(region.b, other), ""

    _edit_each(view, change)


def _by_word(view: Any, point: int, forward: bool) -> int:
    classes = (
        (textops.WORD_END | textops.PUNCTUATION_END) if forward else (textops.WORD_START | textops.PUNCTUATION_START)
    )
    return textops.find_by_class(view.buffer, point, forward, classes | textops.EMPTY_LINE)


def _by_line(view: Any, region: Region, count: int) -> int:
    row, column = view.buffer.rowcol(region.b)
    if row + count < 0:
        return 0
    return view.buffer.text_point(row + count, column, clamp=True)


def _place(view: Any, targets: List[tuple], extend: bool) -> None:
    view.set_selection([(anchor if extend else caret, caret) for anchor, caret in targets])


def _show_caret(host: Any, view: Any) -> None:
    if view.selection.regions and view.window is not None:
        host.show(view, view.selection.regions[-1].b)


@text_command
def move(host: Any, view: Any, by: str, forward: bool = True, extend: bool = False, **_: Any) -> None:
    step = 1 if forward else -1
    targets = []
    for region in view.selection.regions:
        if by == "characters":
            if not region.empty() and not extend:
                point = region.end() if forward else region.begin()
            else:
                point = view.buffer.clamp(region.b + step)
        elif by == "lines":
            point = _by_line(view, region, step)
        elif by == "pages":
            rows = int(geometry.viewport_extent(view)[1] // metrics.line_height(view)) or 1
            point = _by_line(view, region, step * rows)
        else:
            point = _by_word(view, region.b, forward)
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
            "hardbol": start,
            "hardeol": end,
        }
        targets.append((region.a, points.get(to, region.b)))
    _place(view, targets, extend)
    _show_caret(host, view)


@text_command
def goto_line(host: Any, view: Any, line: Any) -> None:
    start, _ = view.buffer.line_bounds(max(0, min(int(line), view.buffer.line_count()) - 1))
    view.set_selection([(start, start)])
    geometry.show(view, Region(start, start), center=True)


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
def soft_undo(host: Any, view: Any) -> None:
    """Takes back text changes only; movements of the caret are not steps of their own here."""
    undo(host, view)


@text_command
def redo_or_repeat(host: Any, view: Any) -> None:
    redo(host, view)


@text_command
def copy(host: Any, view: Any) -> None:
    parts = [view.buffer.text[region.begin() : region.end()] for region in view.selection.regions]
    if any(parts):
        host.clipboard = "\n".join(part for part in parts if part)
    elif view.selection.regions:
        line = textops.line(view.buffer, view.selection.regions[0], full=True)
        host.clipboard = view.buffer.text[line.begin() : line.end()]


@text_command
def cut(host: Any, view: Any) -> None:
    copy(host, view)
    if view.buffer.read_only:
        return
    if all(region.empty() for region in view.selection.regions):
        _edit_each(view, lambda r: textops.line(view.buffer, r, full=True).to_tuple() + ("",))
    else:
        _edit_each(view, lambda r: (r.begin(), r.end(), ""))


@text_command
def paste(host: Any, view: Any) -> None:
    text = host.clipboard.replace("\r\n", "\n").replace("\r", "\n")
    _edit_each(view, lambda r: (r.begin(), r.end(), text))


@text_command
def fold(host: Any, view: Any) -> None:
    for region in list(view.selection.regions):
        view.fold(region)


@text_command
def unfold(host: Any, view: Any) -> None:
    for region in list(view.selection.regions):
        view.unfold(region)


@text_command
def unfold_all(host: Any, view: Any) -> None:
    view.folds = []


@text_command
def toggle_setting(host: Any, view: Any, setting: str) -> None:
    view.settings.set(setting, not view.settings.get(setting, False))


@text_command
def set_setting(host: Any, view: Any, setting: str, value: Any) -> None:
    view.settings.set(setting, value)


@text_command
def set_file_type(host: Any, view: Any, syntax: str) -> None:
    view.settings.set("syntax", host.syntaxes.resolve(syntax))


@text_command
def set_line_ending(host: Any, view: Any, type: str) -> None:
    names = {"unix": "Unix", "windows": "Windows", "cr": "CR"}
    view.buffer.line_endings = names.get(type.lower(), view.buffer.line_endings)


@text_command
def set_encoding(host: Any, view: Any, encoding: str) -> None:
    from .encoding import CODECS

    if encoding in CODECS:
        view.buffer.encoding = encoding


@text_command
def toggle_overwrite(host: Any, view: Any) -> None:
    view.overwrite = not view.overwrite


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


@text_command
def hide_popup(host: Any, view: Any) -> None:
    view.hide_popup()
