"""How high the blocks between the lines have to be, so that equal lines stand level.

How high the editor draws a block cannot be computed: it depends on fonts, zoom, paddings and a least height of blocks.
So heights are first planned, from the lines that are missing, and then corrected by what was measured on the
screen. Where a block cannot be made low enough, the block on the other side is made higher.

Rules: heights are whole pixels, so that an editor that rounds changes nothing, and what is lost by that is never more
than half a pixel in all. An error is positive where the left line stands too low.

The editor is not known here. Any thread.
"""

from __future__ import annotations

from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple

from ...comparison import Hunk

TOLERANCE = 0.5  # pixels

Anchor = Tuple[int, int]


class Gap(NamedTuple):
    """A place where blocks may stand: below one row of each side, with so many rows missing on each.

    `anchor` is the first pair of rows below them that must be level; None if there is none. The first gap is the one
    below the first lines, where the header stands.
    """

    left_row: int
    right_row: int
    left_rows: int
    right_rows: int
    anchor: Optional[Anchor]


class Heights(NamedTuple):
    """The heights of a gap's two blocks in pixels; None where there is no block."""

    left: Optional[int]
    right: Optional[int]


NO_BLOCKS = Heights(None, None)
Known = Dict[Tuple[int, int], Heights]  # heights that had to be corrected, by the missing rows left and right


def gaps_of(hunks: Sequence[Hunk], left_rows: int, right_rows: int) -> List[Gap]:
    """The gaps of a comparison, from the top. `left_rows` and `right_rows` are what the two views count."""

    def existing(anchor: Anchor) -> Optional[Anchor]:
        return anchor if anchor[0] < left_rows and anchor[1] < right_rows else None

    # The editor draws blocks below lines only: what is missing above the first line, or below it, shares the first gap.
    left = right = first = 0
    top: Anchor = (1, 1)
    for hunk in hunks:
        if min(hunk.left_end, hunk.right_end) > 1:
            break
        left += max(0, hunk.right_count - hunk.left_count)
        right += max(0, hunk.left_count - hunk.right_count)
        top = (hunk.left_end, hunk.right_end)
        first += 1
    if min(top) == 0:
        top = (top[0] + 1, top[1] + 1)  # a first line cannot be moved down
    next_hunk = hunks[first] if first < len(hunks) else None
    # A block of the next gap may stand above these rows already; then that gap's rows are measured for both.
    shared = next_hunk is not None and min(next_hunk.left_end - top[0], next_hunk.right_end - top[1]) < 1
    gaps = [Gap(0, 0, left, right, None if shared else existing(top))]
    for hunk in hunks[first:]:
        missing = hunk.right_count - hunk.left_count
        anchor = existing((hunk.left_end, hunk.right_end))
        gaps.append(Gap(hunk.left_end - 1, hunk.right_end - 1, max(0, missing), max(0, -missing), anchor))
    return gaps


def planned(gaps: Sequence[Gap], left_line: float, right_line: float, header: int, known: Known) -> List[Heights]:
    """Heights as they should be: for lines of `left_line` and `right_line` pixels, and so many rows of the header.

    The right height of the first gap is without the header, so 0 means nothing but that. `known` are heights that had
    to be corrected for a gap of this kind.
    """
    heights: List[Heights] = []
    error = 0.0
    for number, gap in enumerate(gaps):
        if number and (gap.left_rows, gap.right_rows) in known:
            heights.append(known[gap.left_rows, gap.right_rows])
            continue
        left: Optional[int] = None
        right: Optional[int] = None
        left_rows = gap.left_rows + (0 if number else header)
        if left_rows:
            left = round(left_rows * left_line - error)
            error += left - left_rows * left_line
        if gap.right_rows:
            right = round(gap.right_rows * right_line + error)
            error -= right - gap.right_rows * right_line
        elif not number:
            right = 0
        heights.append(Heights(left, right))
    return heights


def corrected(
    heights: Sequence[Heights], errors: Sequence[Optional[float]], left_least: int, right_least: int
) -> List[Heights]:
    """Heights that mend the errors measured at the gaps' anchors, in pixels; None where nothing could be measured.

    A block is `left_least` or `right_least` pixels high at the least, but for what stands under the header.
    """
    result: List[Heights] = []
    mended = before = 0.0
    for number, (height, measured) in enumerate(zip(heights, errors)):
        if measured is None:
            result.append(height)
            continue
        # `own` is what comes from this gap's blocks alone, `error` what is left with those above it corrected.
        error, own = measured + mended, measured - before
        before = measured
        if abs(error) > TOLERANCE:
            if error > 0:
                right, left, by = _raised(height.right, height.left, error, own, right_least, left_least)
            else:
                least = right_least if number else 0
                left, right, by = _raised(height.left, height.right, -error, -own, left_least, least)
                by = -by
            height = Heights(left, right)
            mended -= by
        result.append(height)
    return result


def within_tolerance(errors: Sequence[Optional[float]]) -> bool:
    """Whether all that could be measured is level."""
    return all(error is None or abs(error) <= TOLERANCE + 1e-6 for error in errors)


def learnt(gaps: Sequence[Gap], plan: Sequence[Heights], final: Sequence[Heights]) -> Known:
    """What gaps with missing rows had to be corrected to, by more than rounding."""
    known: Known = {}
    for gap, before, after in list(zip(gaps, plan, final))[1:]:
        pairs = ((before.left, after.left), (before.right, after.right))
        if gap.left_rows + gap.right_rows and any(abs((one or 0) - (two or 0)) > 1 for one, two in pairs):
            known[gap.left_rows, gap.right_rows] = after
    return known


def _raised(
    grows: Optional[int], shrinks: Optional[int], error: float, own: float, least_grown: int, least: int
) -> Tuple[Optional[int], Optional[int], float]:
    """The two heights with about `error` pixels more on the first side than before, or less on the other.

    The third value is by how much they will differ from before, as far as that can be foreseen.
    """
    by = round(error)
    room = 0 if shrinks is None else max(0, shrinks - least)
    if room >= by and shrinks is not None:
        return grows, shrinks - by, by
    if grows is not None:
        return grows + by, shrinks, by
    if shrinks is None:
        return (by, None, by) if by >= 2 * least_grown else (least_grown + by, max(least, 1), by)
    if by >= 2 * least_grown:
        return by, shrinks, by
    if room == 0 and own > 0:
        # It is as low as it gets, which is higher than planned: the new block will be just as high.
        real = shrinks + own
        raised = round(2 * real - error)
        return least_grown, raised, 2 * real - raised
    return least_grown, shrinks + least_grown - by, by
