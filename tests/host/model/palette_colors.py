"""The colours of the host's dark scheme, for `style()`, `style_for_scope()` and the pictures."""

from __future__ import annotations

from typing import Any, Dict

STYLE = {
    "background": "#20252e",
    "foreground": "#d6dae2",
    "caret": "#f2b866",
    "line_highlight": "#2a303b",
    "selection": "#3d4a60",
    "gutter": "#20252e",
    "gutter_foreground": "#6c7686",
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
SCOPES = {
    "comment": "#7b8698",
    "string": "#8fc777",
    "keyword": "#b48ade",
    "storage": "#b48ade",
    "constant": "#e5a05f",
    "entity": "#61a5ef",
    "support": "#56b6c2",
    "variable": "#d6dae2",
    "invalid": "#e06c75",
    "markup.inserted": "#8fc777",
    "markup.deleted": "#e06c75",
    "markup.changed": "#e5a05f",
}


def for_scope(scope: str) -> Dict[str, Any]:
    """The look of a scope; the whole text's colours for one that the scheme does not name."""
    color = STYLE["foreground"]
    if scope.startswith("region."):
        color = STYLE.get(scope.split()[0].split(".")[1], color)
    else:
        best = ""
        for name in SCOPES:
            if (scope + ".").startswith(name + ".") and len(name) > len(best):
                best = name
        color = SCOPES.get(best, color)
    return {
        "foreground": color,
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
