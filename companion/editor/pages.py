"""The package's own pages for its users, README and those in `docs/`, as tabs in which links can be followed.

Rule: the editor shows Markdown as text, in which nothing is drawn and no link leads anywhere. So pictures are left out,
and behind the words of a link stands an arrow that opens the page, goes to the heading or asks the system's browser.
Other links than these do nothing.
"""

from __future__ import annotations

import re
from functools import partial
from html import escape
from typing import Callable, Iterable, List, NamedTuple, Tuple

import sublime

from ..runtime import Runtime
from .edits import move_caret, set_text
from .key_bindings import PREFIX
from .status_bar import say
from .storage import NAME

README = "README.md"
LINKS = "gemini_companion.links"
_PICTURE = re.compile(
    r"(?:<picture>.*?</picture>|!\[[^\]]*\]\([^)]*\))\n+(?:\*[^*\n]*drawn by[^*]*\*\n+)?", re.DOTALL | re.IGNORECASE
)
_LINK = re.compile(r"\[([^\]]+)\]\(([^)\s]+)\)")
_NO_ANCHOR = re.compile(r"[^\w -]")


class Page(NamedTuple):
    """The text of a page as it is shown, and where each link's words end in it, with what it leads to."""

    text: str
    links: Tuple[Tuple[int, str], ...]

    @classmethod
    def of(cls, markdown: str) -> Page:
        """Leave out what the editor cannot draw. Pure."""
        markdown = _PICTURE.sub("", markdown)
        parts: List[str] = []
        links: List[Tuple[int, str]] = []
        length = end = 0
        for link in _LINK.finditer(markdown):
            parts.append(markdown[end : link.start()] + link.group(1))
            length, end = length + len(parts[-1]), link.end()
            links.append((length, link.group(2)))
        return cls("".join([*parts, markdown[end:]]), tuple(links))

    def place_of(self, anchor: str) -> int:
        """Where the heading of an anchor begins; the start for one that is not there."""
        for heading in re.finditer(r"^#+ (.+)$", self.text, re.MULTILINE):
            if _NO_ANCHOR.sub("", heading.group(1).lower()).replace(" ", "-") == anchor:
                return heading.start()
        return 0


def target_of(href: str, page: str) -> str:
    """The page, with its anchor, that a link of `page` leads to. Pure."""
    name, _, anchor = href.partition("#")
    if name:
        parts = page.split("/")[:-1]
        for step in name.split("/"):
            parts = parts[:-1] if step == ".." else [*parts, step]
        page = "/".join(parts)
    return f"{page}#{anchor}" if anchor else page


def open_page(runtime: Runtime, window: sublime.Window, page: str = README) -> None:
    """Show a page of the package, at an anchor if one follows behind a `#`, a moment later. Main thread."""
    name, _, anchor = page.partition("#")
    then = partial(_show, window, name, anchor)
    runtime.use_disk(_read, name, then=then, failed=lambda error: say(window, f"there is no page {name}"))


def _read(name: str, cancelled: object) -> Page:
    """Disk thread."""
    return Page.of(sublime.load_resource(f"Packages/{NAME}/{name}"))


def _show(window: sublime.Window, name: str, anchor: str, page: Page) -> None:
    if not window.is_valid():
        return
    title = f"{name.rpartition('/')[2]} \u2014 {NAME}"
    view = next((each for each in window.views() if each.name() == title and each.is_scratch()), None)
    if view is None:
        view = window.new_file()
        view.set_scratch(True)
        view.set_name(title)
        view.settings().set("word_wrap", True)
        syntax = sublime.find_syntax_for_file(README)
        if syntax is not None:
            view.assign_syntax(syntax)
        view.set_read_only(True)
    set_text(view, page.text)
    show_links(view, page.links, partial(_follow, window, name))
    window.focus_view(view)
    place = page.place_of(anchor)
    move_caret(view, place)
    view.show_at_center(place)


def show_links(view: sublime.View, links: Iterable[Tuple[int, str]], follow: Callable[[str], None]) -> None:
    """Draw an arrow behind the words that end at each place, instead of those of before. A click on it calls `follow`
    with what it leads to. Main thread."""
    view.erase_phantoms(LINKS)
    for place, href in links:
        arrow = f'<a href="{escape(href)}">&nbsp;\u2197</a>'
        view.add_phantom(LINKS, sublime.Region(place), arrow, sublime.LAYOUT_INLINE, follow)


def _follow(window: sublime.Window, page: str, href: str) -> None:
    if re.match("https?://", href):
        window.run_command("open_url", {"url": href})
    else:
        window.run_command(PREFIX + "open_page", {"page": target_of(href, page)})
