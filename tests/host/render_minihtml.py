"""Turns minihtml into HTML that a browser draws alike, shut off from the page around it.

`html` and `body` become blocks of their own, and the editor's `color()` function becomes `color-mix()`.
"""

from __future__ import annotations

import re

_BASE = """
:host { display: block; }
* { box-sizing: border-box; }
.mh-html, .mh-body, div, p, h1, h2, h3, h4, h5, h6, ul, ol { margin: 0; padding: 0; }
h1, h2, h3, h4, h5, h6 { font-size: 1em; }
a { color: var(--bluish); }
"""
_COLOR = re.compile(r"color\(\s*(var\(--[\w-]+\)|#[0-9a-fA-F]+|[a-z]+)\s+(\w+)\(([^()]*(?:\([^()]*\)[^()]*)*)\)\s*\)")


def shadow(content: str, style: str) -> str:
    """An element (with inline `style`) that shows `content` in a shadow tree."""
    return '<div class="minihtml" style="%s"><template shadowrootmode="open"><style>%s</style>%s</template></div>' % (
        style,
        _BASE,
        translate(content),
    )


def translate(content: str) -> str:
    """The content for a browser."""
    content = re.sub(
        r"<(style)([^>]*)>(.*?)</style>", lambda m: "<style>%s</style>" % _sheet(m.group(3)), content, flags=re.DOTALL
    )
    for name in ("html", "body"):
        content = re.sub(r"<%s\b" % name, '<div data-tag="%s"' % name, content)
        content = content.replace("</%s>" % name, "</div>")
    return re.sub(r'style="([^"]*)"', lambda m: 'style="%s"' % colors(m.group(1)), content)


def _sheet(text: str) -> str:
    text = re.sub(r"(?<![\w.#-])(html|body)(?=[\s,{.#:])", r'[data-tag="\1"]', text)
    return colors(text)


def colors(text: str) -> str:
    """Replace the editor's colour functions."""
    previous = None
    while previous != text:
        previous, text = text, _COLOR.sub(_mixed, text)
    return text


def _mixed(found: re.Match) -> str:
    base, function, argument = found.groups()
    if function in ("alpha", "a"):
        share = _percent(argument)
        return "color-mix(in srgb, %s %s, transparent)" % (base, share)
    if function in ("blend", "blenda"):
        parts = argument.rsplit(None, 1)
        if len(parts) == 2:
            return "color-mix(in srgb, %s %s, %s)" % (base, _percent(parts[1]), parts[0])
    return base


def _percent(text: str) -> str:
    text = text.strip()
    if text.endswith("%"):
        return text
    try:
        return "%g%%" % (float(text) * 100)
    except ValueError:
        return "100%"
