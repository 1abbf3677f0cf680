"""The colours of the original's text in the inline presentation, where no view shows it.

Theory of operation: a hidden panel holds the text with the proposal's syntax. The editor is asked for the tokens of a
stretch once, and the colour scheme for the colour of each kind of token.

Rule: texts that take the editor long to parse have no colours.
"""

from __future__ import annotations

from typing import Dict, List, Optional, Sequence, Tuple

import sublime

from ...editor.edits import set_text
from .decorations import Styles
from .markup import Ink

_LONGEST = 1 << 18  # characters
_LONGEST_STRETCH = 1 << 14

Token = Tuple[int, int, str]  # start, end, scope


class OriginalColors:
    """Main thread only. The panel is made when colours are asked for first, and goes with `clear`."""

    def __init__(self, proposal_view: sublime.View, styles: Styles) -> None:
        self._proposal_view = proposal_view
        self._styles = styles
        self._name = f"gemini_companion.original.{proposal_view.id()}"
        self._window: Optional[sublime.Window] = None
        self._panel: Optional[sublime.View] = None
        self._text = ""
        self._syntax = ""
        self._tokens: Dict[Tuple[int, int], List[Token]] = {}

    def use(self, lines: Sequence[str], length: int, syntax: str) -> None:
        """From now on these lines, of so many characters and in this syntax, are the original."""
        text = "".join(lines[:]) if length <= _LONGEST else ""
        if (text, syntax) == (self._text, self._syntax):
            return
        self._tokens.clear()
        self._text, self._syntax = text, syntax
        if self._panel is None:
            self._window = self._proposal_view.window()
            self._panel = self._window.create_output_panel(self._name, True) if self._window is not None else None
        if self._panel is not None:
            set_text(self._panel, text)
            self._panel.assign_syntax(syntax)

    def of(self, start: int, end: int) -> List[Ink]:
        """The colours between two points of the original that are not those of plain text."""
        if not self._text or self._panel is None or end - start > _LONGEST_STRETCH:
            return []
        if (start, end) not in self._tokens:
            found = self._panel.extract_tokens_with_scopes(sublime.Region(start, end))
            self._tokens[start, end] = [(region.begin(), region.end(), scope) for region, scope in found]
        plain = self._styles.of("").get("foreground")
        inks: List[Ink] = []
        for first, last, scope in self._tokens[start, end]:
            color = self._styles.of(scope).get("foreground")
            if color and color != plain:
                inks.append((first, last, color))
        return inks

    def clear(self) -> None:
        """Take the panel away."""
        if self._window is not None and self._window.is_valid():
            self._window.destroy_output_panel(self._name)
        self._window = self._panel = None
        self._text = ""
        self._tokens.clear()
