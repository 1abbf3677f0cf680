"""The host's two colour schemes, for `style()`, `style_for_scope()` and the pictures.

Rule: a scheme is data. What a window around its views looks like, which a theme says in the editor, stands beside it.
"""

from __future__ import annotations

from typing import Any, Dict, NamedTuple


class Scheme(NamedTuple):
    """`style` has the colours of the whole text, `scopes` those of parts; `theme` those of what is around it."""

    name: str
    style: Dict[str, str]
    scopes: Dict[str, Dict[str, str]]
    theme: Dict[str, str]

    def for_scope(self, scope: str) -> Dict[str, Any]:
        """The look of a scope, or of the innermost of several that the scheme names; else the text's foreground."""
        found = {
            "foreground": self.style["foreground"],
            "bold": False,
            "italic": False,
            "glow": False,
            "underline": False,
            "stippled_underline": False,
            "squiggly_underline": False,
            "source_line": 0,
            "source_column": 0,
            "source_file": "",
        }
        names = scope.split()
        if names and names[0].startswith("region."):
            found["foreground"] = self.style.get(names[0].split(".")[1], self.style["foreground"])
            return found
        for name in reversed(names):
            known = [each for each in self.scopes if (name + ".").startswith(each + ".")]
            if known:
                found.update(self.scopes[max(known, key=len)])
                break
        return found


def _scopes(style: Dict[str, str], faint: str, backgrounds: Dict[str, str]) -> Dict[str, Dict[str, str]]:
    scopes = {
        "comment": faint,
        "string": style["greenish"],
        "keyword": style["purplish"],
        "storage": style["purplish"],
        "constant": style["orangish"],
        "entity": style["bluish"],
        "support": style["cyanish"],
        "variable": style["foreground"],
        "invalid": style["redish"],
        "markup.inserted": style["greenish"],
        "markup.deleted": style["redish"],
        "markup.changed": style["orangish"],
    }
    looks = {scope: {"foreground": color} for scope, color in scopes.items()}
    looks.update({scope: {"background": color} for scope, color in backgrounds.items()})
    return looks


_DARK_STYLE = {
    "background": "#20252e",
    "foreground": "#d6dae2",
    "caret": "#f2b866",
    "line_highlight": "#2a303b",
    "selection": "#3d4a60",
    "gutter": "#20252e",
    "gutter_foreground": "#667084",
    "accent": "#5fa8d3",
    "redish": "#e06c75",
    "orangish": "#e5a05f",
    "yellowish": "#e5c76b",
    "greenish": "#8fc777",
    "cyanish": "#56b6c2",
    "bluish": "#61a5ef",
    "purplish": "#b48ade",
    "pinkish": "#e58fb8",
}
_LIGHT_STYLE = {
    "background": "#fcfcfd",
    "foreground": "#2c3139",
    "caret": "#c25a00",
    "line_highlight": "#f0f2f5",
    "selection": "#cfe0f6",
    "gutter": "#fcfcfd",
    "gutter_foreground": "#9aa1ad",
    "accent": "#2f7fb8",
    "redish": "#c7384a",
    "orangish": "#b5620f",
    "yellowish": "#b98a00",
    "greenish": "#3f8531",
    "cyanish": "#0b7f8c",
    "bluish": "#2166c0",
    "purplish": "#8140b8",
    "pinkish": "#b83a7d",
}

DARK = Scheme(
    "dark",
    _DARK_STYLE,
    _scopes(
        _DARK_STYLE,
        "#7b8698",
        {
            "diff.inserted": "#27382f",
            "diff.inserted.char": "#3b5f45",
            "diff.deleted": "#3a2b33",
            "diff.deleted.char": "#6b3a44",
        },
    ),
    {
        "raised": "#2b313d",
        "chrome": "#191d24",
        "faint": "#8b94a5",
        "quiet": "#b9c0cd",
        "line": "#12151a",
        "chosen": "#3d4a60",
        "minimap": "#1d222a",
        "minimap_text": "#79839499",
        "minimap_view": "#ffffff14",
        "shade": "#000b",
    },
)
LIGHT = Scheme(
    "light",
    _LIGHT_STYLE,
    _scopes(
        _LIGHT_STYLE,
        "#8a92a0",
        {
            "diff.inserted": "#e3f4df",
            "diff.inserted.char": "#b4dfa9",
            "diff.deleted": "#fbe5e7",
            "diff.deleted.char": "#f3b5bd",
        },
    ),
    {
        "raised": "#eef1f5",
        "chrome": "#e9ebef",
        "faint": "#6d7582",
        "quiet": "#4a515c",
        "line": "#d3d7de",
        "chosen": "#cfe0f6",
        "minimap": "#f6f7f9",
        "minimap_text": "#8a92a099",
        "minimap_view": "#0000000f",
        "shade": "#0004",
    },
)
SCHEMES = {scheme.name: scheme for scheme in (DARK, LIGHT)}
