"""The part of a View that answers questions about its text: stretches, lines, words, positions, scopes."""

from __future__ import annotations

import html

from ..model import syntaxes, textops
from ..model.buffer import utf8_length, utf16_length
from ..model.host import current
from ..model.values import Region, as_point, as_region, as_text
from ._enums import FindFlags, PointClassification, SymbolType
from ._functions import syntax_from_path
from ._gate import gated
from ._items import Syntax


def _region(x):
    return as_region(x) if isinstance(x, Region) else Region(as_point(x))


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
        return textops.find(self._model().buffer, as_text(pattern), as_point(start_pt), int(flags))

    def find_all(self, pattern, flags=FindFlags.NONE, fmt=None, extractions=None):
        found = []
        for region, text in textops.find_all(self._model().buffer, as_text(pattern), int(flags), fmt):
            found.append(region)
            if fmt is not None and extractions is not None:
                extractions.append(text)
        return found

    # -- lines and words -------------------------------------------------------------------------
    def lines(self, region):
        return textops.lines(self._model().buffer, as_region(region))

    def split_by_newlines(self, region):
        return textops.split_by_newlines(self._model().buffer, as_region(region))

    def line(self, x):
        return textops.line(self._model().buffer, _region(x))

    def full_line(self, x):
        return textops.line(self._model().buffer, _region(x), full=True)

    def word(self, x):
        model = self._model()
        return textops.word(model.buffer, _region(x), model.settings.get("word_separators", ""))

    def classify(self, pt):
        return PointClassification(textops.classify(self._model().buffer, as_point(pt)))

    def find_by_class(self, pt, forward, classes, separators="", sub_word_separators=""):
        return textops.find_by_class(
            self._model().buffer, as_point(pt), bool(forward), int(classes), separators, sub_word_separators
        )

    def expand_by_class(self, x, classes, separators="", sub_word_separators=""):
        return textops.expand_by_class(self._model().buffer, _region(x), int(classes), separators, sub_word_separators)

    def indented_region(self, pt):
        return textops.line(self._model().buffer, _region(pt), full=True)

    def indentation_level(self, pt):
        model = self._model()
        return textops.indentation_level(model.buffer, as_point(pt), int(model.settings.get("tab_size", 4)))

    def has_non_empty_selection_region(self):
        return any(not region.empty() for region in self._model().selection.regions)

    # -- positions -------------------------------------------------------------------------------
    def rowcol(self, tp):
        return self._model().buffer.rowcol(as_point(tp))

    def rowcol_utf8(self, tp):
        return self._model().buffer.rowcol(as_point(tp), utf8_length)

    def rowcol_utf16(self, tp):
        return self._model().buffer.rowcol(as_point(tp), utf16_length)

    def text_point(self, row, col, *, clamp_column=False):
        return self._model().buffer.text_point(as_point(row), as_point(col), clamp=bool(clamp_column))

    def text_point_utf8(self, row, col, *, clamp_column=False):
        return self._model().buffer.text_point(as_point(row), as_point(col), utf8_length, bool(clamp_column))

    def text_point_utf16(self, row, col, *, clamp_column=False):
        return self._model().buffer.text_point(as_point(row), as_point(col), utf16_length, bool(clamp_column))

    def utf8_code_units(self, tp=None):
        text = self._model().buffer.text
        return utf8_length(text if tp is None else text[: as_point(tp)])

    def utf16_code_units(self, tp=None):
        text = self._model().buffer.text
        return utf16_length(text if tp is None else text[: as_point(tp)])

    # -- syntax ----------------------------------------------------------------------------------
    def assign_syntax(self, syntax):
        path = syntax.path if isinstance(syntax, Syntax) else as_text(syntax)
        self._model().settings.set("syntax", current().syntaxes.resolve(path))

    def set_syntax_file(self, syntax_file):
        self.assign_syntax(syntax_file)

    def syntax(self):
        path = self._model().settings.get("syntax")
        return syntax_from_path(path) if path and isinstance(path, str) else None

    def scope_name(self, pt):
        as_point(pt)
        return current().syntaxes.scope(self._model())

    def match_selector(self, pt, selector):
        return syntaxes.score(self.scope_name(pt), as_text(selector)) > 0

    def score_selector(self, pt, selector):
        return syntaxes.score(self.scope_name(pt), as_text(selector))

    def find_by_selector(self, selector):
        return [Region(0, self.size())] if self.size() and self.match_selector(0, selector) else []

    def extract_scope(self, pt):
        as_point(pt)
        return Region(0, self.size())

    def expand_to_scope(self, pt, selector):
        return Region(0, self.size()) if self.match_selector(pt, selector) else None

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

    def context_backtrace(self, pt):
        as_point(pt)
        return []

    def meta_info(self, key, pt):
        as_point(pt)
        return

    def symbols(self):
        return []

    def get_symbols(self):
        return []

    def indexed_symbols(self):
        return []

    def indexed_references(self):
        return []

    def symbol_regions(self):
        return []

    def indexed_symbol_regions(self, type=SymbolType.ANY):
        return []

    def extract_completions(self, prefix, tp=-1):
        import re

        words = re.findall(r"\w+", self._model().buffer.text)
        return sorted({word for word in words if word.startswith(as_text(prefix)) and word != prefix})

    def find_all_results(self):
        return []

    def find_all_results_with_text(self):
        return []

    def export_to_html(self, regions=None, minihtml=False, enclosing_tags=False, font_size=True, font_family=True):
        chosen = [Region(0, self.size())] if regions is None else [regions] if isinstance(regions, Region) else regions
        text = "".join(self.substr(region) for region in chosen)
        body = html.escape(text).replace("\n", "<br>")
        return "<div>%s</div>" % body if enclosing_tags else body
