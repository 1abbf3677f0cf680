"""Phantoms: pieces of HTML between or inside the lines of a view."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional

from . import minihtml, minihtml_height
from .buffer import Change, move_point
from .metrics import Metrics
from .values import Region

INLINE, BELOW, BLOCK = 0, 1, 2
NOWHERE = -1


class PhantomModel:
    """One phantom; it sits at the begin of its region."""

    def __init__(
        self,
        phantom_id: int,
        key: str,
        region: Region,
        content: str,
        layout: int,
        on_navigate: Optional[Callable[[str], None]],
    ):
        self.id = phantom_id
        self.key = key
        self.region = region
        self.content = content
        self.layout = int(layout)
        self.on_navigate = on_navigate

    def height(self, columns: int, metrics: Metrics) -> float:
        """The height that it adds below its line in a view of so many columns, in device-independent pixels.

        It is never lower than a line of its font; so where a view's line padding is negative a phantom of one row is
        higher than a line (jisaacks/GitGutter 523).
        """
        if self.layout == INLINE:
            return 0.0
        return max(metrics.line_height, minihtml_height.size(self.content, columns, metrics)[1])

    def width(self, columns: int, metrics: Metrics) -> float:
        """The width of its content, which is all that it fills (sublimehq/sublime_text 3261)."""
        return minihtml_height.size(self.content, columns, metrics)[0]

    def describe(self) -> Dict[str, Any]:
        return {
            "id": self.id,
            "key": self.key,
            "region": [self.region.a, self.region.b],
            "content": self.content,
            "layout": self.layout,
            "links": minihtml.links(self.content),
        }


class Phantoms:
    """All phantoms of a view, by id. `version` counts their changes."""

    def __init__(self):
        self.by_id: Dict[int, PhantomModel] = {}
        self.version = 0
        self._next = 0

    def add(self, key: str, region: Region, content: str, layout: int, on_navigate: Optional[Callable]) -> int:
        self._next += 1
        self.by_id[self._next] = PhantomModel(self._next, key, region, content, layout, on_navigate)
        self.version += 1
        return self._next

    def erase_key(self, key: str) -> None:
        self.by_id = {number: item for number, item in self.by_id.items() if item.key != key}
        self.version += 1

    def erase_id(self, phantom_id: int) -> None:
        self.by_id.pop(phantom_id, None)
        self.version += 1

    def query(self, ids: List[int]) -> List[Region]:
        """Where the phantoms are now; Region(-1) for one that is gone."""
        return [
            Region(self.by_id[i].region.a, self.by_id[i].region.b) if i in self.by_id else Region(NOWHERE) for i in ids
        ]

    def carry(self, change: Change) -> None:
        """Move with the text. A phantom whose whole stretch is erased goes with it."""
        start, removed, inserted = change
        for number, phantom in list(self.by_id.items()):
            region = phantom.region
            if (
                removed
                and not inserted
                and not region.empty()
                and (start <= region.begin() and region.end() <= start + removed)
            ):
                self.erase_id(number)
                continue
            phantom.region = Region(move_point(region.a, change), move_point(region.b, change))

    def in_order(self) -> List[PhantomModel]:
        return sorted(self.by_id.values(), key=lambda item: (item.region.begin(), item.id))
