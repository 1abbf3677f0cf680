"""How changes are marked: text keeps its syntax colours, each kind has its sign, and colours are the user's choice.

A region that is filled replaces the syntax colours of its text (sublimehq/sublime_text 3729). The editor cannot be
asked what it draws, so these tests look at what it is given.
"""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Tuple
from unittest import mock

import sublime

from ....companion.settings import Settings
from ...support.review_case import PROPOSED, TEXT, ReviewTestCase

SEEN_IN_TEXT = sublime.DRAW_NO_FILL | sublime.DRAW_NO_OUTLINE | sublime.DRAW_SOLID_UNDERLINE
FILLED, OUTLINED = sublime.DRAW_NO_OUTLINE, sublime.DRAW_NO_FILL
UNDERLINED = SEEN_IN_TEXT
PREFIX = "gemini_companion."

Drawn = Dict[str, Tuple[List[str], str, str, int]]


class MarksTestCase(ReviewTestCase):
    def setUp(self) -> Iterator[Any]:
        yield from super().setUp()
        self._drawn: Dict[int, Drawn] = {}
        genuine = sublime.View.add_regions

        def add_regions(
            view: sublime.View, key: str, regions: Any, scope: str = "", icon: str = "", flags: Any = 0, **more: Any
        ) -> None:
            texts = [view.substr(region) for region in regions]
            self._drawn.setdefault(view.id(), {})[key[len(PREFIX) :]] = (texts, scope, icon, int(flags))
            genuine(view, key, regions, scope, icon, flags, **more)

        patch = mock.patch.object(sublime.View, "add_regions", add_regions)
        patch.start()
        self.addCleanup(patch.stop)

    def drawn(self, view: sublime.View, key: str) -> Tuple[List[str], str, int]:
        """What a key marks, in which scope, and how it is drawn in the text."""
        texts, scope, _, flags = self._drawn[view.id()][key]
        return texts, scope, flags & SEEN_IN_TEXT

    def signs(self, view: sublime.View) -> Dict[str, Tuple[str, List[str]]]:
        """The icons of the gutter with their colours, and the lines beside them."""
        found = {}
        for texts, scope, icon, _ in self._drawn[view.id()].values():
            if icon and texts:
                found[icon.rpartition("/")[2]] = (scope, texts)
                self.assertTrue(sublime.load_binary_resource(icon).startswith(b"\x89PNG"), icon)
        return found

    def without_backgrounds(self) -> Any:
        """A colour scheme that colours no diffs."""
        of_scope = sublime.View.style_for_scope

        def plain(view: sublime.View, scope: str) -> Any:
            return {name: value for name, value in of_scope(view, scope).items() if name != "background"}

        return mock.patch.object(sublime.View, "style_for_scope", plain)


class TestOutlines(MarksTestCase):
    def test_that_is_the_default(self) -> None:
        self.assertEqual((Settings().review_marks, Settings().review_colors), ("outline", "scheme"))

    def test_whole_lines_are_outlined_and_only_changed_characters_are_filled(self) -> Iterator[Any]:
        self.write(content="a\nold one\nolder\nz\n")
        review = yield from self.open_diff(proposed="a\nnew one\nolder still\nz\n")
        for view, color, scope, lines, characters in (
            (self.original(review), "region.redish", "diff.deleted.char", "old one\nolder\n", ["old"]),
            (
                self.proposal(review),
                "region.greenish",
                "diff.inserted.char",
                "new one\nolder still\n",
                ["new", " still"],
            ),
        ):
            self.assertEqual(self.drawn(view, "lines"), ([lines], color, OUTLINED))
            self.assertEqual(self.drawn(view, "characters"), (characters, scope, FILLED))

    def test_changed_characters_are_underlined_if_the_scheme_has_no_background(self) -> Iterator[Any]:
        self.write(content="old one\n")
        with self.without_backgrounds():
            review = yield from self.open_diff(proposed="new one\n")
        for view, color, characters in (
            (self.original(review), "region.redish", "old"),
            (self.proposal(review), "region.greenish", "new"),
        ):
            self.assertEqual(self.drawn(view, "lines")[1:], (color, OUTLINED))
            self.assertEqual(self.drawn(view, "characters"), ([characters], color, UNDERLINED))

    def test_another_color_scheme_counts_soon(self) -> Iterator[Any]:
        self.write(content="old one\n")
        with self.without_backgrounds():
            review = yield from self.open_diff(proposed="new one\n")
        view = self.proposal(review)
        self.assertEqual(self.drawn(view, "characters")[2], UNDERLINED)
        for each in self.reviews.shown[review].views:
            each.settings().set("color_scheme", "Monokai.sublime-color-scheme")
        yield lambda: self.drawn(view, "characters")[1:] == ("diff.inserted.char", FILLED)
        yield self.settled

    def test_nothing_but_changed_characters_is_ever_filled(self) -> Iterator[Any]:
        block = "def moved():\n    one()\n    two()\n    three()\n"
        rest = "".join(f"line {number}\n" for number in range(20))
        self.write(content=block + rest + "gone\n")
        for presentation in ("side_by_side", "inline"):
            self.use(review_presentation=presentation)
            review = yield from self.open_diff(proposed=rest.replace("line 7", "LINE 7") + block + "\nnew\n")
            for view in self.reviews.shown[review].views:
                for key, (texts, scope, _, flags) in self._drawn[view.id()].items():
                    filled = bool(texts and scope and not flags & sublime.DRAW_NO_FILL)
                    self.assertEqual(filled, key == "characters", key)


class TestFill(MarksTestCase):
    def setUp(self) -> Iterator[Any]:
        yield from super().setUp()
        self.use(review_marks="fill")

    def test_lines_have_the_backgrounds_of_the_scheme(self) -> Iterator[Any]:
        self.write(content="a\nold one\nolder\n")
        review = yield from self.open_diff(proposed="a\nnew one\nnewer\n")
        proposal = self.proposal(review)
        self.assertEqual(self.drawn(proposal, "lines"), (["new one\n", "newer\n"], "diff.inserted", FILLED))
        self.assertEqual(self.drawn(self.original(review), "lines")[1:], ("diff.deleted", FILLED))

    def test_a_scheme_without_any_has_outlines(self) -> Iterator[Any]:
        self.write(content="a\nold one\nolder\n")
        with self.without_backgrounds():
            review = yield from self.open_diff(proposed="a\nnew one\nnewer\n")
        self.assertEqual(
            self.drawn(self.proposal(review), "lines"), (["new one\nnewer\n"], "region.greenish", OUTLINED)
        )

    def test_another_choice_counts_at_once(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_diff()
        self.use(review_marks="outline")
        self.reviews.open_reviews.settings_changed()
        yield lambda: self.drawn(self.proposal(review), "lines")[1:] == ("region.greenish", OUTLINED)
        self.use(review_colors="blue_orange")
        self.reviews.open_reviews.settings_changed()
        yield lambda: self.drawn(self.proposal(review), "lines")[1:] == ("region.bluish", OUTLINED)
        yield self.settled


class TestColors(MarksTestCase):
    def test_blue_and_orange_take_the_place_of_green_and_red_everywhere(self) -> Iterator[Any]:
        self.use(review_colors="blue_orange")
        self.write()
        for marks in ("outline", "fill"):
            self.use(review_marks=marks)
            for presentation in ("side_by_side", "inline"):
                self.use(review_presentation=presentation)
                review = yield from self.open_diff()
                shown = self.reviews.shown[review]
                for view in shown.views:
                    scopes = {scope for texts, scope, _, _ in self._drawn[view.id()].values() if texts}
                    self.assertFalse(
                        scopes & {"region.greenish", "region.redish"} or [each for each in scopes if "diff" in each]
                    )
                proposal = self.proposal(review)
                self.assertEqual(self.drawn(proposal, "lines")[1:], ("region.bluish", OUTLINED))
                self.assertEqual(self.drawn(proposal, "characters")[1:], ("region.bluish", UNDERLINED))
                blocks = "".join(html for _, html in getattr(shown._drawing, "blocks", ()))
                for html in (self.header_html(review), blocks):
                    self.assertNotIn("greenish", html)
                    self.assertNotIn("redish", html)
                self.reviews.commands.reject(review)
                yield lambda: not self.reviews.pending()


class TestSigns(MarksTestCase):
    def test_each_kind_of_change_has_its_own(self) -> Iterator[Any]:
        block = "def moved():\n    one()\n    two()\n    three()\n"
        rest = [f"line {number}\n" for number in range(20)]
        self.write(content=block + "".join(rest))
        proposed = [*rest[:3], "added\n", *rest[3:6], "LINE 6\n", *rest[7:10], *rest[11:]]
        review = yield from self.open_diff(proposed="".join(proposed) + block)
        moved = ("region.purplish", block.splitlines(True))
        self.assertEqual(
            self.signs(self.proposal(review)),
            {
                "added.png": ("region.greenish", ["added\n"]),
                "changed.png": ("region.yellowish", ["LINE 6\n"]),
                "removed.png": ("region.redish", [mock.ANY, "line 11\n"]),
                "moved.png": moved,
            },
        )
        self.assertEqual(
            self.signs(self.original(review)),
            {
                "changed.png": ("region.yellowish", ["line 6\n"]),
                "removed.png": ("region.redish", ["line 10\n"]),
                "moved.png": moved,
            },
        )

    def test_they_are_the_same_in_other_colors(self) -> Iterator[Any]:
        self.use(review_colors="blue_orange")
        self.write(content=TEXT + "gone\n")
        review = yield from self.open_diff(proposed=PROPOSED)
        signs = self.signs(self.proposal(review))
        self.assertEqual(signs["added.png"], ("region.bluish", ["import sys\n"]))
        self.assertEqual(signs["removed.png"][0], "region.orangish")
        self.assertEqual(signs["changed.png"], ("region.yellowish", ["    return 42\n"]))


class TestOrder(MarksTestCase):
    """The editor draws marks in the order in which their keys first came (sublimelsp/LSP 1593, 1928)."""

    def test_the_keys_come_in_one_order_whatever_is_marked_first(self) -> Iterator[Any]:
        block = "def moved():\n    one()\n    two()\n    three()\n"
        rest = "".join(f"line {number}\n" for number in range(20))
        gutter = [f"gutter.{kind}" for kind in ("added", "removed", "changed", "moved")]
        wanted = ["lines", "moved", *gutter, "characters"]
        for content, proposed in (
            (rest, rest + "added\n"),
            (rest, rest.replace("line 7\n", "")),
            (rest, rest.replace("line 7", "LINE 7")),
            (block + rest, rest + block),
            (rest, rest),
        ):
            self.write(content=content)
            review = yield from self.open_diff(proposed=proposed)
            for view in self.reviews.shown[review].views:
                came = list(self._drawn[view.id()])
                self.assertEqual([key for key in came if key in wanted], wanted, proposed[-20:])
                marked = {key for key, (texts, *_) in self._drawn[view.id()].items() if any(texts)}
                self.assertEqual({key for key in wanted if self.marked(view, key)}, marked & set(wanted))
            self.reviews.commands.reject(review)
            yield lambda: not self.reviews.pending()
