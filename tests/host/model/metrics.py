"""How big a font's characters and lines are. Zooming and another screen change it, and no event tells plugins.

Units are device-independent pixels. Rule kept here: nothing else of the model knows a size of a character.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Tuple


class Metrics(NamedTuple):
    """`line_height` without the view's line padding; `font_size` is what one rem of minihtml is."""

    line_height: float = 20.0
    em_width: float = 8.0
    font_size: float = 14.0

    def zoomed(self, factor: float) -> Metrics:
        """The same font in another size."""
        return Metrics(self.line_height * factor, self.em_width * factor, self.font_size * factor)


STANDARD = Metrics()
STANDARD_FONT_SIZE = 10  # of the setting


def of(view: Any) -> Metrics:
    """The font of a view, in the size that its settings ask for."""
    return _look(view)[0]


def line_height(view: Any) -> float:
    """The height of a line of the view, its padding included; padding may be negative."""
    return _look(view)[1]


def _look(view: Any) -> Tuple[Metrics, float]:
    """Font and line height; asked for at every look at a position, so looked up once per state of the settings."""
    own = view.settings.own
    state = (view.host.metrics, view.host.settings_changes, id(own), len(own))
    if view.look is None or view.look[0] != state:
        font: Metrics = view.host.metrics
        size = _number(view.settings.get("font_size"))
        if size not in (0, STANDARD_FONT_SIZE):
            font = font.zoomed(size / STANDARD_FONT_SIZE)
        padding = sum(_number(view.settings.get(name)) for name in ("line_padding_top", "line_padding_bottom"))
        view.look = (state, (font, max(1.0, font.line_height + padding)))
    found: Tuple[Metrics, float] = view.look[1]
    return found


def em_width(view: Any) -> float:
    """The width of a character of the view."""
    return of(view).em_width


def _number(value: Any) -> float:
    return float(value) if isinstance(value, (int, float)) else 0.0
