"""The minimap shows every change, in the colours of the gutter.

The editor draws regions there unless they are hidden or empty, but it cannot be asked what it draws. So these tests
look at what it is given: which regions, in which scope, how to be drawn.
"""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Tuple
from unittest import mock

import sublime

from ...support.review_case import PROPOSED, TEXT, ReviewTestCase

SCOPES = {
    "region.greenish": "added",
    "region.yellowish": "changed",
    "region.redish": "removed",
    "region.purplish": "moved",
}

Drawn = Dict[Tuple[int, str], Tuple[List[sublime.Region], str, int]]


class TestMinimap(ReviewTestCase):
    def setUp(self) -> Iterator[Any]:
        yield from super().setUp()
        self.drawn: Drawn = {}
        genuine = sublime.View.add_regions

        def add_regions(view: sublime.View, key: str, regions: List[Any], *more: Any, **named: Any) -> None:
            scope = more[0] if more else named.get("scope", "")
            flags = more[2] if len(more) > 2 else named.get("flags", 0)
            self.drawn[view.id(), key] = (list(regions), scope, int(flags))
            genuine(view, key, regions, *more, **named)

        patch = mock.patch.object(sublime.View, "add_regions", add_regions)
        patch.start()
        self.addCleanup(patch.stop)

    def minimap(self, view: sublime.View) -> List[Tuple[str, str]]:
        """What shows there, in order: how a stretch is coloured, and its text."""
        shown = []
        for (number, _), (regions, scope, flags) in self.drawn.items():
            if number == view.id() and not flags & (sublime.HIDDEN | sublime.HIDE_ON_MINIMAP) and scope:
                shown += [(region.begin(), SCOPES.get(scope, scope), view.substr(region)) for region in regions]
        return [(kind, text) for _, kind, text in sorted(shown) if text]

    def test_both_sides(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_diff()
        self.assertEqual(
            self.minimap(self.proposal(review)), [("added", "import sys\n"), ("changed", "    return 42\n")]
        )
        self.assertEqual(self.minimap(self.original(review)), [("changed", "    return 1\n")])

    def test_what_was_removed_shows_where_it_stood(self) -> Iterator[Any]:
        self.write()
        self.use(review_presentation="inline")
        review = yield from self.open_diff("file.py", TEXT.replace("def first():\n    return 1\n", ""))
        self.assertEqual(self.minimap(self.proposal(review)), [("removed", "\n")])

    def test_what_was_removed_at_the_end_shows_in_the_last_line(self) -> Iterator[Any]:
        self.write()
        for proposed in (TEXT.replace("    return 2\n", ""), TEXT.replace("\n    return 2\n", "")):
            review = yield from self.open_diff("file.py", proposed)
            kinds = self.minimap(self.proposal(review))
            self.assertEqual([text for _, text in kinds], [proposed[proposed.index("def second") :]])

    def test_an_empty_proposal_has_nothing_to_show(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_diff("file.py", "")
        self.assertEqual(self.minimap(self.proposal(review)), [])
        self.assertEqual("".join(text for _, text in self.minimap(self.original(review))), TEXT)

    def test_moved_blocks(self) -> Iterator[Any]:
        block = "def moved():\n    one()\n    two()\n    three()\n"
        rest = "".join(f"line {number}\n" for number in range(20))
        self.write("file.py", block + rest)
        review = yield from self.open_diff("file.py", rest + block)
        for view in (self.original(review), self.proposal(review)):
            moved = "".join(text for kind, text in self.minimap(view) if kind == "moved")
            self.assertEqual(moved, block)

    def test_changed_characters_are_too_small_for_it(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_diff("file.py", PROPOSED)
        for key in ("lines", "characters"):
            flags = self.drawn[self.proposal(review).id(), "gemini_companion." + key][2]
            self.assertTrue(flags & sublime.HIDE_ON_MINIMAP, key)
