"""The small HTML of phantoms and annotations: is it valid, which links, which text.

Rule kept here: what the editor's own engine would drop silently is a complaint, so that a test sees it.
"""

from __future__ import annotations

import re
from functools import lru_cache
from html.parser import HTMLParser
from typing import Any, Dict, List, Sequence

from .. import errors

TAGS = frozenset(
    (
        "html head style body h1 h2 h3 h4 h5 h6 div p ul ol li b strong i em u big small a code var tt span img br "
    ).split()
)
VOID = frozenset(("br", "img"))
BLOCKS = frozenset("div p ul ol li h1 h2 h3 h4 h5 h6 body".split())
ATTRIBUTES = frozenset("id class style href src width height title xmlns".split())
PROPERTIES = frozenset(
    (
        "background-color border border-bottom border-bottom-color border-bottom-left-radius border-bottom- "
        "right-radius border-bottom-style border-bottom-width border-color border-left border-left-color "
        "border-left-style border-left-width border-radius border-right border-right-color border-right-style "
        "border-right-width border-style border-top border-top-color border-top-left-radius border-top-right- "
        "radius border-top-style border-top-width border-width bottom color display font font-family font- "
        "size font-style font-weight left line-height list-style-type margin margin-bottom margin-left "
        "margin-right margin-top padding padding-bottom padding-left padding-right padding-top position right "
        "text-align text-decoration top white-space"
    ).split()
)
DISPLAYS = frozenset("none inline block inline-block list-item".split())
_DECLARATION = re.compile(r"([-\w]+)\s*:\s*([^;{}]+)")


class _Reader(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.problems: List[str] = []
        self.links: List[Dict[str, str]] = []
        self.text = ""
        self._open: List[str] = []

    def handle_starttag(self, tag: str, attributes: Any) -> None:
        if tag not in TAGS:
            self.problems.append("unknown tag <%s>" % tag)
        for name, value in attributes:
            if name not in ATTRIBUTES:
                self.problems.append("unknown attribute %s in <%s>" % (name, tag))
            if name == "style":
                self.problems.extend(_check_style(value or ""))
            if name == "href":
                self.links.append({"href": value or "", "text": ""})
        if tag in BLOCKS or tag == "br":
            self.text += "\n"
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attributes: Any) -> None:
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID:
            return
        if tag in BLOCKS:
            self.text += "\n"
        if not self._open or self._open[-1] != tag:
            self.problems.append("</%s> does not close the open tag" % tag)
            if tag in self._open:
                del self._open[len(self._open) - 1 - self._open[::-1].index(tag) :]
        else:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        if "style" in self._open:
            self.problems.extend(_check_style(data))
            return
        self.text += data
        if "a" in self._open and self.links:
            self.links[-1]["text"] += data

    def finish(self) -> None:
        self.close()
        for name in self._open:
            self.problems.append("<%s> is not closed" % name)


def _check_style(text: str) -> List[str]:
    problems = []
    body = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    for declarations in re.findall(r"\{([^{}]*)\}", body) or [body]:
        for name, value in _DECLARATION.findall(declarations):
            if name.startswith("--"):
                continue
            if name not in PROPERTIES:
                problems.append("unknown CSS property %s" % name)
            elif name == "display" and value.strip() not in DISPLAYS:
                problems.append("unknown CSS display %s" % value.strip())
    return problems


def _read(content: str) -> _Reader:
    reader = _Reader()
    reader.feed(content)
    reader.finish()
    return reader


@lru_cache(maxsize=1024)
def problems(content: str) -> Sequence[str]:
    """What the editor would not understand in `content`; empty when all is well."""
    return tuple(_read(content).problems)


def check(where: str, content: str) -> None:
    """Records what the editor would not understand in `content`."""
    for problem in problems(content):
        errors.record(where, problem)


def links(content: str) -> List[Dict[str, str]]:
    """Each link's `href` and visible `text`, in order."""
    return _read(content).links


def plain(content: str) -> str:
    """The visible text, for the driver."""
    return "\n".join(line.strip() for line in _read(content).text.splitlines() if line.strip())
