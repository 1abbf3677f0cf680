"""The part of a View that answers questions about its text: stretches, lines, words, positions, scopes."""

from __future__ import annotations

from ..model import syntaxes, textops
from ..model.buffer import utf16_length
from ..model.host import current
from ..model.values import Region, as_point, as_region, as_text
from ._functions import syntax_from_path
from ._gate import gated
from ._items import Syntax
from ._published import FindFlags


def _region(x):
    return as_region(x) if isinstance(x, Region) else Region(as_point(x))


def _refuse_options(*options):
    if any(options):
        raise NotImplementedError("the headless editor finds regular expressions only")


@gated
class ViewText:
    """Reading the text. Nothing here changes anything but the syntax."""

    def size(self):
        return self._model().buffer.size()

    def substr(self, x):
        buffer = self._model().buffer
        if isinstance(x, Region):
            region = as_region(x)
            return buffer.text[max(0, region.begin()) : max(0, region.end())]
        point = as_point(x)
        return buffer.text[point : point + 1] if 0 <= point < buffer.size() else "\x00"

    def find(self, pattern, start_pt, flags=FindFlags.NONE):
        _refuse_options(flags)
        return next(textops.matches(self._model().buffer, as_text(pattern), as_point(start_pt)), Region(-1, -1))

    def find_all(self, pattern, flags=FindFlags.NONE, fmt=None, extractions=None):
        _refuse_options(flags, fmt, extractions)
        return list(textops.matches(self._model().buffer, as_text(pattern)))

    # -- lines and words -------------------------------------------------------------------------
    def lines(self, region):
        return textops.lines(self._model().buffer, as_region(region))

    def line(self, x):
        return textops.line(self._model().buffer, _region(x))

    def full_line(self, x):
        return textops.line(self._model().buffer, _region(x), full=True)

    # -- positions -------------------------------------------------------------------------------
    def rowcol(self, tp):
        return self._model().buffer.rowcol(as_point(tp))

    def rowcol_utf16(self, tp):
        return self._model().buffer.rowcol(as_point(tp), utf16_length)

    def text_point(self, row, col, *, clamp_column=False):
        return self._model().buffer.text_point(as_point(row), as_point(col), clamp=bool(clamp_column))

    # -- syntax ----------------------------------------------------------------------------------
    def assign_syntax(self, syntax):
        path = syntax.path if isinstance(syntax, Syntax) else as_text(syntax)
        self._model().settings.set("syntax", current().syntaxes.resolve(path))

    def syntax(self):
        path = self._model().settings.get("syntax")
        return syntax_from_path(path) if path and isinstance(path, str) else None

    def scope_name(self, pt):
        as_point(pt)
        return current().syntaxes.scope(self._model())

    def extract_tokens_with_scopes(self, region):
        region = as_region(region)
        base, found, start = self.scope_name(region.begin()), [], region.begin()
        plain = base.startswith("text.plain")
        for line in self.substr(region).splitlines(True):
            for first, end, kind in [(0, len(line), "")] if plain else syntaxes.tokens(line):
                scope = "%s%s " % (base, kind) if kind else base
                found.append((Region(start + first, start + end), scope))
            start += len(line)
        return found
