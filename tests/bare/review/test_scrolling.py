"""Two views scroll as one, even if the editor moves a view a moment later, and at the ends of their texts."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from companion.review.scrolling import ScrollLock

LINE = 20.0


class FakeView:
    """A view of lines of one height. With `late` it arrives where it was scrolled to only when `draw` is called."""

    def __init__(self, lines, late=False, width=1000.0):
        self.lines, self.late, self.width = lines, late, width
        self.position = self.wanted = (0.0, 0.0)

    def is_valid(self):
        return True

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


def test_it_is_quiet_while_nothing_moves():
    lock = ScrollLock(FakeView(100), FakeView(100))
    assert not lock.tick()
