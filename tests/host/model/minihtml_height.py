"""How high a piece of minihtml is: lines of text, wrapped at blanks, vertical padding, margins and borders.

Units are device-independent pixels. Rule kept here: only documented styles are honoured, so there is no `height`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from html.parser import HTMLParser
from typing import Any, Dict, List, Tuple

LINE_HEIGHT = 20.0
FONT_SIZE = 14.0
BLOCKS = frozenset("html div p ul ol li h1 h2 h3 h4 h5 h6 body".split())
HIDDEN = frozenset(("style", "head"))
SPACE = " \t\n\r"
_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
_SIMPLE = re.compile(r"([\w-]+)?((?:[.#][\w-]+)*)$")

Style = Dict[str, str]


@lru_cache(maxsize=1024)
def height(content: str, columns: int) -> float:
    """The height of a document that is `columns` characters wide; never less than nothing."""
    rules: List[Tuple[str, Style]] = []
    for sheet in re.findall(r"<style[^>]*>(.*?)</style>", content, re.DOTALL | re.IGNORECASE):
        sheet = re.sub(r"/\*.*?\*/", "", sheet, flags=re.DOTALL)
        for selectors, body in _RULE.findall(sheet):
            rules.extend(
                (selector.split()[-1], _declarations(body)) for selector in selectors.split(",") if selector.split()
            )
    reader = _Reader(rules, columns)
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


def length(value: str) -> float:
    """A CSS length in pixels; 0 for what is none."""
    found = re.match(r"(-?[\d.]+)(px|rem|em|pt)?$", value)
    if found is None:
        return 0.0
    factors = {"px": 1.0, "rem": FONT_SIZE, "em": FONT_SIZE, "pt": 4.0 / 3.0}
    return float(found.group(1)) * factors.get(found.group(2) or "px", 1.0)


def _edge(style: Style, what: str, side: str) -> float:
    """The top or bottom of `padding` or `margin`."""
    own = style.get("%s-%s" % (what, side))
    if own is not None:
        return length(own)
    parts = style.get(what, "").split()
    if not parts:
        return 0.0
    return length(parts[0] if side == "top" or len(parts) < 3 else parts[2])


def _border(style: Style, side: str) -> float:
    for name in ("border-%s-width" % side, "border-%s" % side, "border-width", "border"):
        if name in style:
            return max([length(part) for part in style[name].split()] or [0.0])
    return 0.0


def _wrapped(text: str, columns: int) -> int:
    """The rows that a text takes. Runs of blanks count as one; no-break spaces count as letters."""
    rows, used = 0, 0
    for word in re.split("[%s]+" % SPACE, text.strip(SPACE)):
        if not word:
            continue
        if rows and used + 1 + len(word) <= columns:
            used += 1 + len(word)
        else:
            rows, used = rows + 1, len(word)
    return rows


class _Reader(HTMLParser):
    def __init__(self, rules: List[Tuple[str, Style]], columns: int):
        super().__init__(convert_charrefs=True)
        self._rules = rules
        self._columns = max(1, columns)
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
        line_height = self._open[-1][2] if self._open else LINE_HEIGHT
        if "line-height" in style:
            number = re.match(r"[\d.]+$", style["line-height"])
            line_height = float(number.group()) * FONT_SIZE if number else length(style["line-height"]) or line_height
        if self._is_block(tag, style):
            self._end_line()
            self._total += _edge(style, "margin", "top") + _border(style, "top") + _edge(style, "padding", "top")
        self._open.append((tag, style, line_height))

    def handle_endtag(self, tag: str) -> None:
        if tag not in [name for name, _, _ in self._open]:
            return
        while self._open:
            name, style, _ = self._open[-1]
            if self._is_block(name, style):
                self._end_line()
                self._total += (
                    _edge(style, "margin", "bottom") + _border(style, "bottom") + _edge(style, "padding", "bottom")
                )
            self._open.pop()
            if name == tag:
                return

    def handle_data(self, data: str) -> None:
        if not any(name in HIDDEN or style.get("display") == "none" for name, style, _ in self._open):
            self._line += data

    def _is_block(self, tag: str, style: Style) -> bool:
        display = style.get("display", "block" if tag in BLOCKS else "inline")
        return display in ("block", "list-item")

    def _end_line(self, forced: bool = False) -> None:
        rows = _wrapped(self._line, self._columns)
        self._total += max(rows, int(forced)) * (self._open[-1][2] if self._open else LINE_HEIGHT)
        self._line = ""

    def finish(self) -> float:
        while self._open:
            self.handle_endtag(self._open[-1][0])
        self._end_line()
        return max(0.0, self._total)
