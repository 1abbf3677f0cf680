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
SCOPES: Dict[str, Dict[str, str]] = {
    "comment": {"foreground": "#7b8698"},
    "string": {"foreground": "#8fc777"},
    "keyword": {"foreground": "#b48ade"},
    "storage": {"foreground": "#b48ade"},
    "constant": {"foreground": "#e5a05f"},
    "entity": {"foreground": "#61a5ef"},
    "support": {"foreground": "#56b6c2"},
    "variable": {"foreground": "#d6dae2"},
    "invalid": {"foreground": "#e06c75"},
    "markup.inserted": {"foreground": "#8fc777"},
    "markup.deleted": {"foreground": "#e06c75"},
    "markup.changed": {"foreground": "#e5a05f"},
    "diff.inserted": {"background": "#27382f"},
    "diff.inserted.char": {"background": "#3b5f45"},
    "diff.deleted": {"background": "#3a2b33"},
    "diff.deleted.char": {"background": "#6b3a44"},
}


def for_scope(scope: str) -> Dict[str, Any]:
    """The look of a scope; the whole text's foreground for one that the scheme does not name."""
    found = {
        "foreground": STYLE["foreground"],
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
    name = scope.split()[0] if scope.split() else ""
    if name.startswith("region."):
        found["foreground"] = STYLE.get(name.split(".")[1], STYLE["foreground"])
        return found
    best = ""
    for known in SCOPES:
        if (name + ".").startswith(known + ".") and len(known) > len(best):
            best = known
    found.update(SCOPES.get(best, {}))
    return found
