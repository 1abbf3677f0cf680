"""Where text stands on the screen: fixed character cells, phantoms between lines, a viewport per view.

Units are device-independent pixels. Layout coordinates start at the first line's top left corner. A line that wraps
takes several rows. Rule kept here: the viewport never leaves the layout.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import Any, Dict, List, Tuple

from . import folds, minihtml_height, wrapping
from .metrics import em_width, line_height
from .metrics import of as metrics_of
from .phantoms import INLINE
from .values import Region
from .wrapping import Piece, Pieces, Wrap, tab_size

GUTTER_COLUMNS = 6  # of the view's font, with which it grows
TAB_BAR = 32.0
STATUS_BAR = 24.0
SIDE_BAR = 240.0
PANEL, INPUT_PANEL = 160.0, 34.0  # the latter is one line high
MINIMAP = 96.0
MARGIN = 4.0
ANNOTATION_PADDING = 19.0  # on both sides, with its border
_WHOLE: Pieces = (Piece(0, 0),)  # of a line that does not wrap


class RowTops:
    """The top of every row, and the bottom of the last one, as a sequence that is computed where it is looked at."""

    def __init__(
        self,
        rows: int,
        line_height: float,
        extra: Dict[int, float],
        wrapped: Dict[int, Pieces],
        splits: Dict[int, float],
        hidden: folds.HiddenRows,
    ):
        self.hidden = hidden
        self._wrapped = wrapped
        self._splits = splits
        self._rows = rows
        self._line_height = line_height
        self._keys = sorted(extra)
        self._sums = [0.0]
        for row in self._keys:
            self._sums.append(self._sums[-1] + extra[row])

    def __len__(self) -> int:
        return self._rows + 1

    def __getitem__(self, row: int) -> float:
        row = row + len(self) if row < 0 else row
        if not 0 <= row < len(self):
            raise IndexError(row)
        return (row - self.hidden.before(row)) * self._line_height + self._sums[bisect_left(self._keys, row)]

    def pieces(self, row: int) -> Pieces:
        """The rows on the screen that a line takes; one unless it wraps."""
        return self._wrapped.get(row, _WHOLE)

    def split(self, row: int) -> float:
        """The height of what stands between the first row on the screen that a line takes and the others."""
        return self._splits.get(row, 0.0)


def row_tops(view: Any) -> RowTops:
    """The top of every row, and the bottom of the last one; computed once per state of text, phantoms and folds."""
    columns = phantom_columns(view)
    wrap = wrapping.wrap_of(view, columns)
    sizes = (columns, line_height(view), metrics_of(view), wrap)
    state = (view.buffer.change_count, view.phantoms.version, view.folds.version, sizes)
    known = view.row_tops
    if known is None or known[0] != state:
        known = view.row_tops = (state, _compute_row_tops(view, columns, wrap))
    return known[1]


def margin(view: Any) -> float:
    """What a view leaves free on both sides of its text."""
    set_to = view.settings.get("margin", MARGIN)
    return float(set_to) if isinstance(set_to, (int, float)) else MARGIN


def phantom_columns(view: Any) -> int:
    """How many characters fit in a row of a phantom; views that show nowhere wrap nothing."""
    return int((text_box(view)[2] - 2 * margin(view)) // em_width(view)) if view.window is not None else 10000


def _compute_row_tops(view: Any, columns: int, wrap: Wrap) -> RowTops:
    buffer = view.buffer
    extra: Dict[int, float] = {}
    hidden = folds.HiddenRows(buffer, view.folds)
    for phantom in view.phantoms.by_id.values():
        if any(view.folds.inside(phantom.region.begin())):
            continue
        height = phantom.height(columns, metrics_of(view))
        if "rounded_phantoms" in view.host.quirks:
            height = float(round(height))
        if height:
            row = hidden.shown_in(buffer.row(phantom.region.begin()))
            extra[row] = extra.get(row, 0.0) + height
    wrapped = {row: each for row, each in wrapping.wrapped_rows(view, wrap).items() if not hidden.hides(row)}
    splits = dict(extra) if "split_lines" in view.host.quirks else {}
    for row, pieces in wrapped.items():
        extra[row] = extra.get(row, 0.0) + (len(pieces) - 1) * line_height(view)
    return RowTops(buffer.line_count(), line_height(view), extra, wrapped, splits, hidden)


def text_to_layout(view: Any, point: int) -> Tuple[float, float]:
    buffer = view.buffer
    point = buffer.clamp(point)
    tops = row_tops(view)
    row = tops.hidden.shown_in(buffer.row(point))
    start, shown = buffer.starts()[row], folds.pieces_of_row(view, row) if view.folds.stretches else []
    if len(shown) > 1 and point > shown[0][1]:
        return _behind_marks(view, shown, point)
    pieces = tops.pieces(row)
    number = wrapping.piece_at(pieces, point - start)
    begin, indent = pieces[number]
    columns = indent
    if point > start + begin:
        columns += wrapping.width(buffer.text[start + begin : point], indent, tab_size(view))
    return (columns * em_width(view), tops[row] + number * line_height(view) + (tops.split(row) if number else 0.0))


def _behind_marks(view: Any, shown: List[folds.Stretch], point: int) -> Tuple[float, float]:
    """Where a point stands that comes behind the first mark of its row, or that the mark stands for."""
    x, y = text_to_layout(view, shown[0][1])
    for before, (start, end) in zip(shown, shown[1:]):
        if before[1] < point < start:
            break
        columns = wrapping.width(view.buffer.text[start : min(point, end)], 0, tab_size(view))
        x += (folds.MARK_COLUMNS + columns) * em_width(view)
        if point <= end:
            break
    return (x, y)


def layout_to_text(view: Any, xy: Tuple[float, float]) -> int:
    buffer = view.buffer
    tops = row_tops(view)
    row = tops.hidden.shown_in(max(0, min(bisect_right(tops, xy[1]) - 1, buffer.line_count() - 1)))
    if view.folds.stretches:
        shown = folds.pieces_of_row(view, row)
        marked_x, marked_y = text_to_layout(view, shown[0][1])
        if len(shown) > 1 and xy[1] >= marked_y and xy[0] > marked_x:
            points = (point for start, end in shown for point in range(start, end + 1))
            return min(points, key=lambda point: abs(text_to_layout(view, point)[0] - xy[0]))
    start, end = buffer.line_bounds(row)
    pieces = tops.pieces(row)
    below = xy[1] - tops[row]
    if below >= line_height(view):
        below -= tops.split(row)
    number = max(0, min(int(below // line_height(view)), len(pieces) - 1))
    if number < len(pieces) - 1:
        end = start + pieces[number + 1].start - 1  # behind it the next row begins
    start, column = start + pieces[number].start, pieces[number].indent
    tab, point = tab_size(view), start
    target = xy[0] / em_width(view)
    if "\t" not in buffer.text[start:end]:
        return min(end, start + max(0, int(target - column + 0.5)))
    while point < end:
        step = wrapping.width(buffer.text[point], column, tab)
        if column + step / 2.0 > target:
            break
        column += step
        point += 1
    return point


def layout_extent(view: Any) -> Tuple[float, float]:
    longest = _longest_line(view)
    height = row_tops(view)[-1]
    past = view.settings.get("scroll_past_end", 0.5)
    visible = viewport_extent(view)[1]
    share = float(past) if isinstance(past, (int, float)) else 0.5
    if share:
        height += max(0.0, visible * min(1.0, share) - line_height(view))
    return (max(longest + MARGIN, _blocks_width(view), viewport_extent(view)[0]), max(height, visible))


def _blocks_width(view: Any) -> float:
    """The width of the widest phantom between two lines, with the margin that the view leaves free on both sides."""
    columns, metrics = phantom_columns(view), metrics_of(view)
    state = (view.phantoms.version, columns, metrics, margin(view))
    if view.blocks_width is None or view.blocks_width[0] != state:
        blocks = [phantom for phantom in view.phantoms.by_id.values() if phantom.layout != INLINE]
        widest = max((phantom.width(columns, metrics) for phantom in blocks), default=0.0)
        view.blocks_width = (state, widest + 2 * margin(view) if blocks else 0.0)
    return float(view.blocks_width[1])


def _longest_line(view: Any) -> float:
    buffer, wrap = view.buffer, wrapping.wrap_of(view, phantom_columns(view))
    state = (buffer.change_count, wrap)
    known = view.longest_line
    if known is None or known[0] != state:
        if "\t" in buffer.text:
            longest = max(wrapping.width(line, 0, wrap.tab_size) for line in buffer.text.split("\n"))
        else:
            longest = max(map(len, buffer.text.split("\n")))
        known = view.longest_line = (state, longest)
    longest = known[1]
    return float(min(longest, wrap.columns or longest) * em_width(view))


def group_box(window: Any, group: int) -> Tuple[float, float, float, float]:
    """A group's left, top, width and height in its window, tab bar included."""
    width, height = window.size
    left = SIDE_BAR if window.elements["side_bar"] and window.folders() else 0.0
    bottom = STATUS_BAR if window.elements["status_bar"] else 0.0
    if window.panels.active is not None:
        bottom += INPUT_PANEL if window.panels.active == "input" else PANEL
    inner_width, inner_height = max(0.0, width - left), max(0.0, height - bottom)
    layout = window.layout
    x1, y1, x2, y2 = layout["cells"][group]
    return (
        left + layout["cols"][x1] * inner_width,
        layout["rows"][y1] * inner_height,
        (layout["cols"][x2] - layout["cols"][x1]) * inner_width,
        (layout["rows"][y2] - layout["rows"][y1]) * inner_height,
    )


def gutter_width(view: Any) -> float:
    """The width of what stands left of the text, which is scaled with the font."""
    return GUTTER_COLUMNS * em_width(view) if view.settings.get("gutter", True) else 0.0


def text_box(view: Any) -> Tuple[float, float, float, float]:
    """Left, top, width and height of the part of the window in which the view's text shows."""
    window = view.window
    if window is None:
        return (0.0, 0.0, 0.0, 0.0)
    gutter = gutter_width(view)
    if view.sheet is None:
        return (gutter, window.size[1] - PANEL, window.size[0] - gutter, PANEL)
    left, top, width, height = group_box(window, window.group_of(view.sheet))
    selected = window.groups[window.group_of(view.sheet)].selected
    if view.sheet in selected and len(selected) > 1:
        width /= len(selected)
        left += width * selected.index(view.sheet)
    tabs = TAB_BAR if window.elements["tabs"] else 0.0
    minimap = MINIMAP if window.elements["minimap"] else 0.0
    return (left + gutter, top + tabs, max(0.0, width - gutter - minimap), max(0.0, height - tabs))


def viewport_extent(view: Any) -> Tuple[float, float]:
    """The size of what shows of the view. A tab has none before it was drawn: what is centred then comes to the top
    (sublimehq/sublime_text 538, 3128, 4687).
    """
    late = "late_size" in view.host.quirks and view.sheet is not None
    return text_box(view)[2:] if view.drawn or not late else (0.0, 0.0)


def clamp_viewport(view: Any, xy: Tuple[float, float]) -> Tuple[float, float]:
    layout, viewport = layout_extent(view), viewport_extent(view)
    return (max(0.0, min(xy[0], layout[0] - viewport[0])), max(0.0, min(xy[1], layout[1] - viewport[1])))


def annotation_left(view: Any, point: int, content: str) -> float:
    """Where an annotation of the line at `point` begins in what shows of the view: at its right edge, as far as the
    text of the line leaves room.
    """
    edge = viewport_extent(view)[0] - minihtml_height.size(content, phantom_columns(view), metrics_of(view))[0]
    if "annotations_shrink" not in view.host.quirks:
        return edge - ANNOTATION_PADDING
    x, _ = text_to_layout(view, view.buffer.line_bounds(view.buffer.row(point))[1])
    return max(x + em_width(view) - float(view.viewport[0]), edge - ANNOTATION_PADDING)


def visible_region(view: Any) -> Region:
    x, y = view.viewport
    width, height = viewport_extent(view)
    return Region(layout_to_text(view, (x, y)), layout_to_text(view, (x + width, y + max(0.0, height - 1.0))))


def show(view: Any, region: Region, surrounds: bool = True, keep_to_left: bool = False, center: bool = False) -> None:
    """Scroll as little as needed, or put the region in the middle."""
    x, y = view.viewport
    width, height = viewport_extent(view)
    left, top = text_to_layout(view, region.begin())
    right, bottom = text_to_layout(view, region.end())
    bottom += line_height(view)
    space = line_height(view) * 3 if surrounds else 0.0
    if center:
        y = (top + bottom - height) / 2.0
    elif top < y or bottom - top > height:
        y = top - space
    elif bottom > y + height:
        y = bottom - height + space
    if keep_to_left and right <= width:
        x = 0.0
    elif left < x:
        x = left
    elif right > x + width:
        x = right - width + em_width(view)
    view.viewport = clamp_viewport(view, (x, y))
