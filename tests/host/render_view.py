"""Draws one view: gutter, text, marks, phantoms, annotations, caret, minimap.

All coordinates are the model's, so the picture shows what the geometry says.
"""

from __future__ import annotations

import base64
import itertools
from html import escape
from typing import Any, Dict, Iterator, List, Tuple

from . import resources
from .model import folds, geometry, metrics, minimap, wrapping
from .model.syntaxes import tokens
from .model.values import Region
from .render_minihtml import colors, shadow

DRAW_EMPTY, DRAW_NO_FILL, HIDDEN, DRAW_NO_OUTLINE, DRAW_SOLID_UNDERLINE = 1, 32, 128, 256, 512
MINIMAP_ROW, MINIMAP_LEFT = 3.0, 4  # pixels
FOLD = (
    '<div class="fold" style="left:%gpx;top:%gpx;width:2.4ch;margin:.15em .3ch;line-height:1.1;text-align:center;'
    'border-radius:3px;background:var(--yellowish);color:var(--background);z-index:2">&#x2026;</div>'
)
ICONS = {"dot": "&#x25CF;", "circle": "&#x25CB;", "bookmark": "&#x25B8;"}


def render_view(view: Any, box: Tuple[float, float, float, float], focused: bool) -> str:
    """The view inside `box`: left, top, width, height of its part of the window, gutter and minimap included."""
    left, top, width, height = box
    map_width = geometry.MINIMAP if view.window.elements["minimap"] and view.sheet is not None else 0.0
    gutter = geometry.gutter_width(view)
    text_width = width - gutter - map_width
    font = "font-size:%gpx;line-height:%gpx" % (metrics.em_width(view) / 0.6, metrics.line_height(view))
    box_style = "left:%gpx;top:%gpx;width:%gpx;height:%gpx;%s" % (left, top, width, height, font)
    parts = ['<div class="view" style="%s">' % box_style]
    parts.append(_gutter(view, gutter, height))
    parts.append('<div class="text" style="left:%gpx;width:%gpx;height:%gpx">' % (gutter, text_width, height))
    parts.append('<div class="scrolled" style="left:%gpx;top:%gpx">' % (-view.viewport[0], -view.viewport[1]))
    parts.extend(_marks(view))
    parts.extend(_lines(view, height))
    parts.extend(_phantoms(view, text_width, height))
    if focused:
        parts.extend(_carets(view))
    parts.append("</div>")
    parts.extend(_annotations(view))
    parts.append("</div>")
    if map_width:
        parts.append(_minimap(view, width - map_width, map_width, height))
    parts.append("</div>")
    return "".join(parts)


def _visible_rows(view: Any, height: float) -> Iterator[Tuple[int, float]]:
    """The rows in the viewport with their tops; rows inside a fold are left out."""
    tops = geometry.row_tops(view)
    for row in range(len(tops) - 1):
        in_sight = tops[row + 1] > view.viewport[1] and tops[row] < view.viewport[1] + height
        if in_sight and not tops.hidden.hides(row):
            yield row, tops[row]


def _gutter(view: Any, width: float, height: float) -> str:
    if not width:
        return ""
    icons: Dict[int, str] = {}
    for found in view.regions_in_order().values():
        if found.icon:
            color = view.host.scheme.for_scope(found.scope)["foreground"]
            for region in found.regions:
                for row in range(view.buffer.row(region.begin()), _last_row(view, region) + 1):
                    icons.setdefault(row, _icon(found.icon, color))
    rows = []
    numbers = view.settings.get("line_numbers", True)
    for row, y in _visible_rows(view, height):
        number = str(row + 1) if numbers else "&nbsp;"
        rows.append(
            '<div class="number" style="top:%gpx">%s<small>%s</small></div>'
            % (y - view.viewport[1], icons.get(row, ""), number)
        )
    return '<div class="gutter" style="width:%gpx;height:%gpx">%s</div>' % (width, height, "".join(rows))


def _icon(icon: str, color: str) -> str:
    """One of the editor's own, or a picture of a package: its opaque parts in the colour of the scope."""
    if icon in ICONS:
        return '<span class="icon" style="color:%s">%s</span>' % (color, ICONS[icon])
    data = base64.b64encode(resources.load_binary_resource(icon)).decode("ascii")
    mask = "url(data:image/png;base64,%s) center/contain no-repeat" % data
    return '<span class="icon picture" style="background:%s;mask:%s;-webkit-mask:%s"></span>' % (color, mask, mask)


def _last_row(view: Any, region: Region) -> int:
    """The last row that a region really covers."""
    end = (
        region.end() - 1
        if not region.empty() and view.buffer.text[region.end() - 1 : region.end()] == "\n"
        else region.end()
    )
    return int(view.buffer.row(max(region.begin(), end)))


def _rectangles(view: Any, region: Region) -> Iterator[Tuple[float, float, float]]:
    """Left, top and width of the region on each of its rows. A row ends with the line's text, not with the view."""
    buffer, width = view.buffer, metrics.em_width(view)
    for row in range(buffer.row(region.begin()), _last_row(view, region) + 1):
        for start, end in _pieces(view, row):
            first, last = max(start, region.begin()), min(end, region.end())
            if first > last or (first == last == end and end < buffer.line_bounds(row)[1]):
                continue
            left, top = geometry.text_to_layout(view, first)
            columns = wrapping.width(buffer.text[first:last], round(left / width), wrapping.tab_size(view))
            yield left, top, max(2.0, columns * width)


def _pieces(view: Any, row: int) -> Iterator[Tuple[int, int]]:
    """The points where the rows begin and end that a line takes on the screen: none if it is folded."""
    if geometry.row_tops(view).hidden.hides(row):
        return iter(())
    start, end = view.buffer.line_bounds(row)
    begins = [start + piece.start for piece in geometry.row_tops(view).pieces(row)]
    return zip(begins, [*begins[1:], end])


def _marks(view: Any) -> Iterator[str]:
    height = metrics.line_height(view)
    for found in view.regions_in_order().values():
        underlined = found.flags & DRAW_SOLID_UNDERLINE
        invisible = found.flags & DRAW_NO_FILL and found.flags & DRAW_NO_OUTLINE and not underlined
        if found.flags & HIDDEN or invisible or not found.scope:
            continue
        look = view.host.scheme.for_scope(found.scope)
        for region in found.regions:
            if region.empty() and not found.flags & DRAW_EMPTY:
                continue
            rectangles = list(_rectangles(view, region))
            style = "" if found.flags & DRAW_NO_FILL else "background:%s;" % _fill(look)
            if underlined:
                style += "border-bottom:2px solid %s;" % look["foreground"]
            if style:
                for each in rectangles:
                    yield '<div class="mark" style="%s%s"></div>' % (_box(*each, height), style)
            if not found.flags & DRAW_NO_OUTLINE:
                yield from _outline(rectangles, height, look["foreground"])
    for region in (Region(*pair) for pair in view.drawn_selection()):
        if not region.empty():
            for each in _rectangles(view, region):
                yield '<div class="mark selection" style="%s"></div>' % _box(*each, height)


def _box(left: float, top: float, width: float, height: float) -> str:
    return "left:%gpx;top:%gpx;width:%gpx;height:%gpx;" % (left, top, width, height)


def _outline(rows: List[Tuple[float, float, float]], height: float, color: str) -> Iterator[str]:
    """One line around all rows of a region that stand below each other, as the editor draws it."""
    for number, (left, top, width) in enumerate(rows):
        right, edges = left + width, [(left, top, 1.0, height), (left + width - 1, top, 1.0, height)]
        for y, other in ((top, number - 1), (top + height - 1, number + 1)):
            beside = rows[other] if 0 <= other < len(rows) else None
            if beside is None or abs(abs(beside[1] - top) - height) > 0.5:
                edges.append((left, y, width, 1.0))
                continue
            edges += [(left, y, min(beside[0] + 1, right) - left, 1.0)] if beside[0] > left else []
            end = max(left, beside[0] + beside[2] - 1)
            edges += [(end, y, right - end, 1.0)] if end < right - 1 else []
        yield from ('<div class="edge" style="%sbackground:%s"></div>' % (_box(*each), color) for each in edges)


def _lines(view: Any, height: float) -> Iterator[str]:
    tab = int(view.settings.get("tab_size", 4))
    colored = not view.element and "Plain text" not in str(view.settings.get("syntax", "Plain text"))
    filled = list(_filled(view)) if colored else []
    for row, _ in _visible_rows(view, height):
        shown = folds.pieces_of_row(view, row)
        for (_, start), (behind, end) in zip(shown, shown[1:]):
            yield FOLD % geometry.text_to_layout(view, start)
            place = "left:%gpx;top:%gpx" % geometry.text_to_layout(view, behind)
            yield '<div class="line" style="%s">%s</div>' % (place, escape(view.buffer.text[behind:end]))
        for start, end in _pieces(view, row):
            end = min(end, shown[0][1])
            x, y = geometry.text_to_layout(view, start)
            line = view.buffer.text[start : min(end, start + 2000)].expandtabs(tab)
            style = "top:%gpx" % y + (";left:%gpx" % x if x else "")
            covered: Dict[int, str] = {}
            for first, last, color in filled:
                ends = (min(max(each, start), end) for each in (first, last))
                columns = range(*(len(view.buffer.text[start:each].expandtabs(tab)) for each in ends))
                covered.update(dict.fromkeys(columns, color))
            yield '<div class="line" style="%s">%s</div>' % (
                style,
                _colored(view, line, covered) if colored else escape(line),
            )


def _fill(look: Dict[str, Any]) -> str:
    """The colour of a filled region (sublimehq/sublime_text 3035)."""
    return str(look.get("background") or look["foreground"])


def _filled(view: Any) -> Iterator[Tuple[int, int, str]]:
    """Where regions are filled, and the colour that text has there (sublimehq/sublime_text 3729, 817, 2976)."""
    for found in view.regions_in_order().values():
        if found.scope and not found.flags & (DRAW_NO_FILL | HIDDEN) and "fills_replace" in view.host.quirks:
            look = view.host.scheme.for_scope(found.scope)
            color = look["foreground"] if "background" in look else view.host.scheme.style["background"]
            yield from ((region.begin(), region.end(), color) for region in found.regions)


def _colored(view: Any, line: str, covered: Dict[int, str]) -> str:
    parts = []
    for start, end, scope in tokens(line):
        color = view.host.scheme.for_scope(scope)["foreground"] if scope else ""
        for over, columns in itertools.groupby(range(start, end), covered.get):
            text, shown = escape("".join(line[column] for column in columns)), over or color
            parts.append('<span style="color:%s">%s</span>' % (shown, text) if shown else text)
    return "".join(parts)


def _phantoms(view: Any, width: float, height: float) -> Iterator[str]:
    below: Dict[int, float] = {}
    columns = geometry.phantom_columns(view)
    for phantom in view.phantoms.in_order():
        row = view.buffer.row(phantom.region.begin())
        x, y = geometry.text_to_layout(view, phantom.region.begin())
        if phantom.layout == 0:
            style = "position:absolute;left:%gpx;top:%gpx" % (x, y)
            yield shadow(phantom.content, style)
            continue
        y = geometry.row_tops(view)[row]
        own = phantom.height(columns, metrics.of(view))
        rows = 1 if "split_lines" in view.host.quirks else len(geometry.row_tops(view).pieces(row))
        offset = below.get(row, rows * metrics.line_height(view))
        below[row] = offset + own
        if y + offset + own < view.viewport[1] or y + offset > view.viewport[1] + height:
            continue
        left = x if phantom.layout == 1 else 0.0
        # As wide as what it holds, but never wider than the view.
        style = "position:absolute;left:%gpx;top:%gpx;width:max-content;max-width:%gpx;height:%gpx;overflow:hidden" % (
            left,
            y + offset,
            width - left + view.viewport[0],
            own,
        )
        yield shadow(phantom.content, style)


def _carets(view: Any) -> Iterator[str]:
    for _, caret in view.drawn_selection():
        x, y = geometry.text_to_layout(view, caret)
        yield '<div class="caret" style="left:%gpx;top:%gpx;height:%gpx"></div>' % (x, y, metrics.line_height(view))


def _annotations(view: Any) -> Iterator[str]:
    """Each stands at the right edge, as far as its line's text leaves room for it (SublimeLinter 1815)."""
    for found in view.drawn_annotations().values():
        color = colors(found.annotation_color) or "var(--accent)"
        for region, content in zip(found.regions, found.annotations):
            end = view.buffer.line_bounds(view.buffer.row(region.begin()))[1]
            y = geometry.text_to_layout(view, end)[1] - view.viewport[1]
            yield shadow(
                content,
                "position:absolute;white-space:nowrap;left:%gpx;top:%gpx;height:%gpx;padding:0 8px;"
                "background:var(--raised);border-left:3px solid %s;font-size:.9em"
                % (geometry.annotation_left(view, region.begin(), content), y, metrics.line_height(view), color),
            )


def _minimap(view: Any, left: float, width: float, height: float) -> str:
    """The text as bars, with the stripes of regions behind them. It scrolls as far as the view does."""
    extent = geometry.viewport_extent(view)[1]
    rows = view.buffer.line_count()
    hidden = geometry.layout_extent(view)[1] - extent
    share = view.viewport[1] / hidden if hidden > 0 else 0.0
    top = share * max(0.0, rows * MINIMAP_ROW - height)
    parts: List[str] = []
    for stripe in minimap.stripes(view):
        parts.append(
            '<u style="left:%gpx;top:%gpx;width:%gpx;height:%gpx;background:%s"></u>'
            % (
                MINIMAP_LEFT + stripe.start,
                stripe.row * MINIMAP_ROW - top,
                min(max(2, stripe.end - stripe.start), width - MINIMAP_LEFT),
                MINIMAP_ROW,
                stripe.color,
            )
        )
    first = int(top / MINIMAP_ROW)
    for row in range(first, min(rows, first + int(height / MINIMAP_ROW) + 2)):
        start, end = view.buffer.line_bounds(row)
        line = view.buffer.text[start : min(end, start + 80)]
        indent = len(line) - len(line.lstrip())
        if line.strip():
            parts.append(
                '<i style="left:%gpx;top:%gpx;width:%gpx;height:2px"></i>'
                % (
                    MINIMAP_LEFT + indent,
                    row * MINIMAP_ROW - top,
                    min(width - 2 * MINIMAP_LEFT - indent, len(line) - indent),
                )
            )
    seen = [view.buffer.row(point) for point in geometry.visible_region(view)]
    parts.append(
        '<b style="top:%gpx;height:%gpx"></b>' % (seen[0] * MINIMAP_ROW - top, (seen[1] - seen[0] + 1) * MINIMAP_ROW)
    )
    return '<div class="minimap" style="left:%gpx;width:%gpx;height:%gpx">%s</div>' % (
        left,
        width,
        height,
        "".join(parts),
    )
