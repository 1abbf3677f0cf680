"""How big a font's characters and lines are. Zooming and another screen change it, and no event tells plugins.

Units are device-independent pixels. Rule kept here: nothing else of the model knows a size of a character.
"""

from __future__ import annotations

from typing import Any, NamedTuple


class Metrics(NamedTuple):
    """`line_height` without the view's line padding; `font_size` is what one rem of minihtml is."""

    line_height: float = 20.0
    em_width: float = 8.0
    font_size: float = 14.0

    def zoomed(self, factor: float) -> Metrics:
        """The same font in another size."""
        return Metrics(self.line_height * factor, self.em_width * factor, self.font_size * factor)


STANDARD = Metrics()


def line_height(view: Any) -> float:
    """The height of a line of the view, its padding included; padding may be negative."""
    padding = sum(_number(view.settings.get(name)) for name in ("line_padding_top", "line_padding_bottom"))
    return max(1.0, float(view.host.metrics.line_height) + padding)


def em_width(view: Any) -> float:
    """The width of a character of the view."""
    return float(view.host.metrics.em_width)


def _number(value: Any) -> float:
    return float(value) if isinstance(value, (int, float)) else 0.0
