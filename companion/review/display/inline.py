"""Shows the original between the lines of the proposal, with its colours, though no view shows that text.

Theory of operation: a hidden panel holds the original with the proposal's syntax. The editor says once which tokens a
stretch has, and the colour scheme which colour each kind of token has.

Rule: texts that take the editor long to parse have no colours.
"""

from __future__ import annotations

from typing import Callable, Dict, Iterator, List, Optional, Sequence, Tuple

import sublime

from ...editor.edits import set_text
from ..document.analysis import Analysis
from .decorations import PlacedBlock, Styles
from .drawing import Drawing
from .mark_style import MarkStyle
from .markup import Ink, removed_blocks

_LONGEST = 1 << 18  # characters
_LONGEST_STRETCH = 1 << 14

Token = Tuple[int, int, str]  # start, end, scope


class OriginalColors:
    """Main thread only. The first question for colours makes the panel, and `clear` takes it away."""

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


class Inline(Drawing):
    """The drawing of a proposal whose removed lines stand between its own. Main thread only."""

    def __init__(
        self,
        proposal_view: sublime.View,
        on_link: Callable[[str], None],
        on_outdated: Callable[[], None],
        mark_style: MarkStyle,
        fold: bool,
    ) -> None:
        super().__init__(None, proposal_view, on_link, on_outdated, mark_style, fold)
        self.blocks: List[PlacedBlock] = []
        self._colors = OriginalColors(proposal_view, self._styles)

    def _draw_original(self, analysis: Optional[Analysis]) -> Iterator[object]:
        blocks: List[PlacedBlock] = []
        if analysis is not None:
            self._colors.use(analysis.left_lines, analysis.left_starts[-1], self._watch.syntax)
            yield None
            line_height, room = self._watch.sizes.right.line_height, self.room
            style, colors = self.mark_style, self._colors.of
            for block in removed_blocks(analysis, room.tab_size, line_height, room.wrapped_at, style, colors):
                blocks.append(block)
                yield None
        self.blocks = blocks
        yield from self._blocks.update(blocks)
        self._draw_header()
        yield None

    def unlink(self) -> None:
        """Take every link off the view, and the hidden panel off the window."""
        self._colors.clear()
        super().unlink()
