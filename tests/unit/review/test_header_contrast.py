"""The buttons of the header can be read in the editor's own color schemes: 4.5 to 1, as WCAG 2.2 (1.4.3) asks for."""

from __future__ import annotations

import colorsys
import re
from typing import Dict, Tuple

import pytest

from companion.review.display.header import Header, header_html, header_rows
from companion.review.display.mark_style import MarkStyle

LEAST = 4.5
SEEN = 0.06  # by which a part of a ground's color differs from that of the bar around it

Color = Tuple[float, float, float]


def hsl(hue: int, saturation: int, lightness: int) -> Color:
    return colorsys.hls_to_rgb(hue / 360, lightness / 100, saturation / 100)


def rgb(text: str) -> Color:
    red, green, blue = (int(text[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return red, green, blue


# As the schemes say it. The editor takes the nearest of a scheme's colors for `--greenish` and the others; where it may
# take a paler or a darker one, both are here.
SCHEMES: Dict[str, Dict[str, Color]] = {
    "Mariana": {
        "background": hsl(210, 15, 22),
        "foreground": hsl(219, 28, 88),
        "greenish": hsl(114, 31, 68),
        "redish": hsl(357, 79, 65),
        "bluish": hsl(210, 50, 60),
        "orangish": hsl(32, 93, 66),
    },
    "Mariana of 3.x": {
        "background": hsl(210, 15, 24),
        "foreground": hsl(219, 28, 88),
        "greenish": hsl(114, 31, 68),
        "redish": hsl(357, 79, 65),
        "bluish": hsl(210, 50, 60),
        "orangish": hsl(32, 93, 66),
    },
    "Monokai": {
        "background": rgb("#272822"),
        "foreground": rgb("#f8f8f2"),
        "greenish": rgb("#a6e22e"),
        "redish": rgb("#f92672"),
        "bluish": rgb("#66d9ef"),
        "orangish": rgb("#fd971f"),
    },
    "Breakers": {
        "background": hsl(180, 9, 98),
        "foreground": hsl(0, 0, 20),
        "greenish": hsl(114, 31, 38),
        "redish": hsl(357, 79, 55),
        "bluish": hsl(210, 50, 45),
        "orangish": hsl(32, 93, 42),
    },
    "Breakers, paler": {
        "background": hsl(180, 9, 98),
        "foreground": hsl(0, 0, 20),
        "greenish": rgb("#99c794"),
        "redish": rgb("#ec5f66"),
        "bluish": rgb("#6090c0"),
        "orangish": rgb("#f9ae58"),
    },
}


def color(text: str, scheme: Dict[str, Color], behind: Color) -> Color:
    """What the editor makes of a color of minihtml in front of another one."""
    plain = re.fullmatch(r"var\(--(\w+)\)", text)
    if plain:
        return scheme[plain.group(1)]
    found = re.fullmatch(r"color\(var\(--(\w+)\) (alpha|blend)\((?:var\(--(\w+)\) )?([\d.]+)(%?)\)\)", text)
    assert found, text
    name, how, other, number, percent = found.groups()
    share = float(number) / (100 if percent else 1)
    return mixed(scheme[name], behind if how == "alpha" else scheme[other], share)


def mixed(front: Color, behind: Color, share: float) -> Color:
    red, green, blue = (share * one + (1 - share) * other for one, other in zip(front, behind))
    return red, green, blue


def contrast(one: Color, other: Color) -> float:
    """The ratio of two colors as WCAG 2.2 defines it."""

    def luminance(each: Color) -> float:
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in each]
        return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear))

    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def rule(html: str, selector: str, attribute: str) -> str:
    """What the sheet says last of an element."""
    sheet = html[html.index("<style>") + 7 : html.index("</style>")]
    found = ""
    for selectors, body in re.findall(r"([^{}]+)\{([^{}]*)\}", sheet):
        if selector in [each.strip() for each in selectors.split(",")]:
            values = re.findall(rf"(?<![\w-]){attribute}:\s*([^;]+);", body)
            found = values[-1].strip() if values else found
    assert found, (selector, attribute)
    return found


@pytest.mark.parametrize("scheme", SCHEMES.values(), ids=list(SCHEMES))
@pytest.mark.parametrize("style", [MarkStyle(), MarkStyle("bluish", "orangish")], ids=["scheme", "blue_orange"])
@pytest.mark.parametrize("button", ["a.accept", "a.reject"])
def test_the_text_of_a_button_can_be_read(scheme, style, button):
    header = Header("file.py", "Gemini CLI", 100, keys={"accept": "Ctrl+S"})
    html = header_html(header_rows(header), 20.0, style)
    bar = color(rule(html, "div.bar", "background-color"), scheme, scheme["background"])
    ground = color(rule(html, button, "background-color"), scheme, bar)
    text = color(rule(html, button, "color"), scheme, ground)
    assert contrast(text, ground) >= LEAST
    assert max(abs(one - other) for one, other in zip(ground, bar)) >= SEEN
    assert contrast(ground, bar) >= SEEN
    assert "span" not in re.search(r"<a href=\"accept\".*?</a>", header_rows(header)[0].markup).group()
