"""How changes are marked, as the settings have it: in which colours, whether lines are filled, with which signs.

Rule: no change is told by its colour alone. Each kind has a sign of its own, which `tests/tools/icons.py` draws.

The editor is not known here. Any thread.
"""

from __future__ import annotations

from typing import NamedTuple

from ...settings import Settings

KINDS = ("added", "removed", "changed", "moved")
ICONS = {kind: f"Packages/Gemini Companion/icons/{kind}.png" for kind in KINDS}


class MarkStyle(NamedTuple):
    """`added` and `removed` are names of colours that the editor picks from each colour scheme.

    With `own_scopes` the scopes that colour schemes have for diffs are used where they have a background; with `filled`
    for whole lines too, on which the editor replaces the colours of the syntax (sublimehq/sublime_text 3729).
    """

    added: str = "greenish"
    removed: str = "redish"
    own_scopes: bool = True
    filled: bool = False

    @classmethod
    def of(cls, settings: Settings) -> MarkStyle:
        """As the user has it. Those scopes are green and red in nearly every scheme."""
        if settings.review_colors == "blue_orange":
            return cls("bluish", "orangish", own_scopes=False)
        return cls(filled=settings.review_marks == "fill")
