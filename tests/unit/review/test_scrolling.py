"""Two views scroll as one, even if the editor moves a view a moment later, and at the ends of their texts."""

from __future__ import annotations

import pytest

from companion.comparison import Hunk
from companion.review.display.scrolling import ScrollLock, ScrollMap

LINE = 20.0


class FakeView:
    """A view of lines of one height. With `late` it arrives where it was scrolled to only when `draw` is called."""

    def __init__(self, lines, late=False, width=1000.0):
        self.lines, self.late, self.width = lines, late, width
        self.position = self.wanted = (0.0, 0.0)

    def viewport_position(self):
        return self.position

    def set_viewport_position(self, position, animate=True):
        assert animate is False
        limit = max(0.0, self.lines * LINE - 400.0)
        self.wanted = (min(position[0], self.width), max(0.0, min(position[1], limit)))
        if not self.late:
            self.draw()

    def draw(self):
        self.position = self.wanted

    def scroll(self, y, x=0.0):
        self.set_viewport_position((x, y), False)
        self.draw()


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("leader", ["left", "right"])
def test_the_other_view_follows_and_nobody_is_pulled_back(late, leader):
    views = {"left": FakeView(100, late), "right": FakeView(60, late, width=50.0)}
    lock = ScrollLock(views["left"], views["right"])
    lead = views[leader]
    other = views["right" if leader == "left" else "left"]
    for y, x in ((100.0, 0.0), (700.0, 10.0), (5000.0, 400.0), (0.0, 0.0)):
        lead.scroll(y, x)
        reached = lead.position
        for _ in range(8):
            lock.tick()
            other.draw()
        assert lead.position == reached
        assert other.position == (min(reached[0], other.width), min(reached[1], other.lines * LINE - 400.0))


def test_a_view_that_takes_several_ticks_to_arrive_does_not_lead():
    left, right = FakeView(100, late=True), FakeView(100, late=True)
    lock = ScrollLock(left, right)
    left.scroll(700.0)
    lock.tick()
    for part in (0.3, 0.7, 1.0):
        right.position = (0.0, 700.0 * part)
        lock.tick()
        assert left.position == left.wanted == (0.0, 700.0)


class Text(FakeView):
    """A view that knows where its lines are."""

    def layout_to_text(self, point):
        return int(point[1] / LINE)

    def text_to_layout(self, point):
        return (0.0, point * LINE)

    def rowcol(self, point):
        return (point, 0)

    def text_point(self, row, column):
        return row

    def size(self):
        return self.lines - 1


@pytest.mark.parametrize("leader", ["left", "right"])
def test_equal_lines_stand_level_wherever_they_are(leader):
    """Five lines were put in behind the tenth."""
    left, right = Text(100), Text(105)
    lock = ScrollLock(left, right)
    lock.use(ScrollMap.of([Hunk(10, 10, 10, 15)]))
    for row in (3, 40, 9, 60):
        partner = row + 5 if row >= 10 else row
        if leader == "left":
            left.scroll(row * LINE)
        else:
            right.scroll(partner * LINE)
        lock.tick()
        assert (left.position[1], right.position[1]) == (row * LINE, partner * LINE)


def test_it_is_quiet_while_nothing_moves():
    lock = ScrollLock(FakeView(100), FakeView(100))
    assert not lock.tick()
