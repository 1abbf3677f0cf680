"""How big a piece of minihtml is: lines of text, wrapped at blanks, padding, margins and borders.

Units are device-independent pixels. Rule kept here: only documented styles are honoured, so there is neither `height`
nor `width`: a document is as wide as its content (sublimehq/sublime_text 3261).
"""

from __future__ import annotations

import re
from functools import lru_cache
from html.parser import HTMLParser
from typing import Any, Dict, List, Tuple

from .metrics import STANDARD, Metrics

BLOCKS = frozenset("html div p ul ol li h1 h2 h3 h4 h5 h6 body".split())
HIDDEN = frozenset(("style", "head"))
SPACE = " \t\n\r"
_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
_SIMPLE = re.compile(r"([\w-]+)?((?:[.#][\w-]+)*)$")

Style = Dict[str, str]


@lru_cache(maxsize=1024)
def size(content: str, columns: int, metrics: Metrics = STANDARD) -> Tuple[float, float]:
    """Width and height of a document in a view that is `columns` characters wide; never less than nothing."""
    rules: List[Tuple[str, Style]] = []
    for sheet in re.findall(r"<style[^>]*>(.*?)</style>", content, re.DOTALL | re.IGNORECASE):
        sheet = re.sub(r"/\*.*?\*/", "", sheet, flags=re.DOTALL)
        for selectors, body in _RULE.findall(sheet):
            rules.extend(
                (selector.split()[-1], _declarations(body)) for selector in selectors.split(",") if selector.split()
            )
    reader = _Reader(rules, columns, metrics)
    reader.feed(content)
    reader.close()
    return reader.finish()


def _declarations(text: str) -> Style:
    found: Style = {}
    for declaration in text.split(";"):
        name, colon, value = declaration.partition(":")
        if colon:
            found[name.strip().lower()] = value.strip().lower()
    return found


def _matches(selector: str, tag: str, attributes: Dict[str, str]) -> bool:
    found = _SIMPLE.match(selector)
    if found is None or (found.group(1) and found.group(1) != tag):
        return False
    names = set(attributes.get("class", "").split())
    for part in re.findall(r"[.#][\w-]+", found.group(2)):
        if (part[0] == "." and part[1:] not in names) or (part[0] == "#" and part[1:] != attributes.get("id")):
            return False
    return True


def length(value: str, font_size: float = STANDARD.font_size) -> float:
    """A CSS length in pixels; 0 for what is none, such as a percentage."""
    found = re.match(r"(-?[\d.]+)(px|rem|em|pt)?$", value)
    if found is None:
        return 0.0
    factors = {"px": 1.0, "rem": font_size, "em": font_size, "pt": 4.0 / 3.0}
    return float(found.group(1)) * factors.get(found.group(2) or "px", 1.0)


def _edge(style: Style, what: str, side: str, font_size: float) -> float:
    """One side of `padding` or `margin`."""
    own = style.get("%s-%s" % (what, side))
    if own is not None:
        return length(own, font_size)
    parts = style.get(what, "").split()
    if not parts:
        return 0.0
    places = {"top": (0, 0, 0, 0), "right": (0, 1, 1, 1), "bottom": (0, 0, 2, 2), "left": (0, 1, 1, 3)}
    return length(parts[places[side][min(len(parts), 4) - 1]], font_size)


def _border(style: Style, side: str) -> float:
    for name in ("border-%s-width" % side, "border-%s" % side, "border-width", "border"):
        if name in style:
            return max([length(part) for part in style[name].split()] or [0.0])
    return 0.0


def _wrapped(text: str, columns: int) -> List[int]:
    """The lengths of the rows that a text takes. Runs of blanks count as one; no-break spaces count as letters."""
    rows: List[int] = []
    for word in re.split("[%s]+" % SPACE, text.strip(SPACE)):
        if not word:
            continue
        if rows and rows[-1] + 1 + len(word) <= columns:
            rows[-1] += 1 + len(word)
        else:
            rows.append(len(word))
    return rows


class _Reader(HTMLParser):
    def __init__(self, rules: List[Tuple[str, Style]], columns: int, metrics: Metrics):
        super().__init__(convert_charrefs=True)
        self._rules = rules
        self._columns = max(1, columns)
        self._metrics = metrics
        self._widest = 0.0
        self._open: List[Tuple[str, Style, float]] = []
        self._total = 0.0
        self._line = ""

    def handle_starttag(self, tag: str, attributes: Any) -> None:
        values = {name: value or "" for name, value in attributes}
        if tag == "br":
            self._end_line(forced=True)
            return
        if tag == "img":
            self._line += "\xa0\xa0"
            return
        style: Style = {}
        for selector, declarations in self._rules:
            if _matches(selector, tag, values):
                style.update(declarations)
        style.update(_declarations(values.get("style", "")))
        line_height = self._open[-1][2] if self._open else self._metrics.line_height
        if "line-height" in style:
            number = re.match(r"[\d.]+$", style["line-height"])
            own = float(number.group()) * self._size() if number else length(style["line-height"], self._size())
            line_height = own or line_height
        if self._is_block(tag, style):
            self._end_line()
            self._total += self._around(style, "top")
        self._open.append((tag, style, line_height))

    def handle_endtag(self, tag: str) -> None:
        if tag not in [name for name, _, _ in self._open]:
            return
        while self._open:
            name, style, _ = self._open[-1]
            if self._is_block(name, style):
                self._end_line()
                self._total += self._around(style, "bottom")
                self._widest = max(self._widest, self._sides())
            self._open.pop()
            if name == tag:
                return

    def handle_data(self, data: str) -> None:
        if not any(name in HIDDEN or style.get("display") == "none" for name, style, _ in self._open):
            self._line += data

    def _is_block(self, tag: str, style: Style) -> bool:
        display = style.get("display", "block" if tag in BLOCKS else "inline")
        return display in ("block", "list-item")

    def _size(self) -> float:
        return self._metrics.font_size

    def _around(self, style: Style, side: str) -> float:
        """Margin, border and padding of one side."""
        edges = _edge(style, "margin", side, self._size()) + _edge(style, "padding", side, self._size())
        return edges + _border(style, side)

    def _sides(self) -> float:
        """What the open elements leave left and right of the text."""
        return sum(self._around(style, side) for _, style, _ in self._open for side in ("left", "right"))

    def _columns_here(self) -> int:
        wraps = not any(style.get("white-space") in ("nowrap", "pre") for _, style, _ in self._open)
        return self._columns if wraps else len(self._line) + 1

    def _end_line(self, forced: bool = False) -> None:
        rows = _wrapped(self._line, self._columns_here())
        line_height = self._open[-1][2] if self._open else self._metrics.line_height
        self._total += max(len(rows), int(forced)) * line_height
        if rows:
            self._widest = max(self._widest, max(rows) * self._metrics.em_width + self._sides())
        self._line = ""

    def finish(self) -> Tuple[float, float]:
        while self._open:
            self.handle_endtag(self._open[-1][0])
        self._end_line()
        return self._widest, max(0.0, self._total)
