"""Nothing that a reviewer has to see is out of sight: the first lines, the header, the changed characters.

Seen by geometry only: where the editor says that lines are, and which part of them a view shows.
"""

from __future__ import annotations

import re
from html import unescape
from typing import Any, Iterator, List, Set, Tuple
from unittest import mock

import sublime

from ....companion.review.document import preparation
from ...support.review_case import GEMINI
from ...support.selecting import select
from .test_review_level import HALF, LevelTestCase, equal_rows, top

LINES = [f"line {number}\n" for number in range(120)]
NEW = [f"new {number}\n" for number in range(12)]


class TestTheFirstLines(LevelTestCase):
    """The editor cannot move a first line down. What was added or removed above it is in sight all the same."""

    def on_screen(self, view: sublime.View, row: int) -> float:
        return top(view, row) - view.viewport_position()[1]

    def level_on_screen(self, review: Any) -> bool:
        left, right = self.original(review), self.proposal(review)
        pairs = equal_rows(self.text(left), self.text(right))
        return all(
            abs(self.on_screen(left, one) - self.on_screen(right, two)) <= HALF for one, two in pairs if one and two
        )

    def at_the_top(self, review: Any) -> bool:
        views = (self.original(review), self.proposal(review))
        return all(view.viewport_position()[1] == 0.0 for view in views)

    def stands_level(self, left: str, right: str) -> Iterator[Any]:
        review = yield from self.review(left, right)
        yield 200  # a moment in which nothing moves
        self.assertTrue(self.at_the_top(review), [view.viewport_position() for view in self.window.views()])
        self.assertTrue(self.level_on_screen(review))
        for leader in (self.original(review), self.proposal(review)):
            for y in (500.0, 20.0, 0.0):
                leader.set_viewport_position((0.0, y), False)
                yield lambda: self.level_on_screen(review)
                yield 100
                self.assertTrue(self.level_on_screen(review), y)
            yield lambda: self.at_the_top(review)

    def test_many_removed_above_the_first_line(self) -> Iterator[Any]:
        yield from self.stands_level("".join(NEW + LINES), "".join(LINES))

    def test_one_removed_above_the_first_line(self) -> Iterator[Any]:
        yield from self.stands_level("".join(NEW[:1] + LINES), "".join(LINES))

    def test_many_added_above_the_first_line(self) -> Iterator[Any]:
        yield from self.stands_level("".join(LINES), "".join(NEW + LINES))

    def test_a_first_line_that_becomes_many(self) -> Iterator[Any]:
        yield from self.stands_level("".join(LINES), "".join(NEW + LINES[1:]))

    def test_many_first_lines_that_become_one(self) -> Iterator[Any]:
        yield from self.stands_level("".join(NEW + LINES[1:]), "".join(LINES))

    def test_an_emptied_file_shows_its_first_lines(self) -> Iterator[Any]:
        review = yield from self.review("".join(LINES), "")
        yield 200
        self.assertTrue(self.at_the_top(review))


class TestWhatIsRevertedUnderTheUsersEyes(LevelTestCase):
    """Reverting a hunk, and bringing it back, moves neither the carets nor what is in sight."""

    def place(self, view: sublime.View) -> Any:
        """The lines of the carets, how far the first one is from the top, and the first line in sight."""
        shown = view.viewport_position()[1]
        lines = [view.substr(view.line(region.b)) for region in view.sel()]
        first_line = view.substr(view.line(view.layout_to_text((0.0, shown))))
        return lines, view.text_to_layout(view.sel()[0].b)[1] - shown, first_line

    def stays(self, presentation: str) -> Iterator[Any]:
        self.use(review_presentation=presentation)
        changed = {10: "CHANGED\n", 60: "one\ntwo\nthree\n", 110: "LATER\n"}
        proposed = "".join(changed.get(number, line) for number, line in enumerate(LINES))
        review = yield from self.review("".join(LINES), proposed)
        view = self.proposal(review)
        row = view.rowcol(view.find("two", 0).a)[0]
        select(view, sublime.Region(view.text_point(row - 4, 3)), sublime.Region(view.text_point(row + 8, 2)))
        view.set_viewport_position((0.0, view.text_to_layout(view.text_point(row - 9, 0))[1]), False)
        yield lambda: self.settled() and self.still(view)
        before = self.place(view)
        for number in (1, 0):  # that one is out of sight, above
            self.reviews.commands.follow(review, f"revert:{number}")
            yield lambda number=number: len(self.links(review, "undo")) == 2 - number and self.settled()
            yield lambda: self.still(view)
            self.assertEqual(self.place(view), before, number)
        self.reviews.shown[review]._link(self.links(review, "undo")[-1].split('"')[1])
        yield lambda: len(self.links(review, "undo")) == 1 and self.settled()
        yield lambda: self.still(view)
        self.assertEqual(self.place(view), before)
        inside = view.find("line 60", 0)
        select(view, sublime.Region(inside.a + 2))
        self.reviews.shown[review]._link(self.links(review, "undo")[-1].split('"')[1])
        yield lambda: not self.links(review, "undo") and self.settled()
        self.assertEqual([region.to_tuple() for region in view.sel()], [(inside.a, inside.a)])
        select(view, sublime.Region(view.find("three", 0).b))
        self.reviews.commands.revert_hunk(review)
        yield lambda: len(self.links(review, "undo")) == 1 and self.settled()
        self.assertEqual([region.to_tuple() for region in view.sel()], [(inside.a, inside.a)])

    def still(self, view: sublime.View) -> bool:
        """Whether nothing has moved since the last question."""
        now = view.viewport_position(), view.layout_extent()
        before, self.seen = getattr(self, "seen", None), now
        return before == now

    def test_side_by_side(self) -> Iterator[Any]:
        yield from self.stays("side_by_side")

    def test_inline(self) -> Iterator[Any]:
        yield from self.stays("inline")


class TestTheHeader(LevelTestCase):
    def opens_at_the_top(self, presentation: str, changed: int) -> Iterator[Any]:
        """A change that fits below the header leaves the header in sight."""
        self.use(review_presentation=presentation)
        proposed = "".join("changed\n" if number == changed else line for number, line in enumerate(LINES))
        review = yield from self.review("".join(LINES), proposed)
        view = self.proposal(review)
        yield lambda: self.fits(review)
        yield lambda: view.rowcol(view.sel()[0].b)[0] == changed
        yield 200  # a moment in which nothing moves
        shown = [each.viewport_position()[1] for each in self.reviews.shown[review].views]
        self.assertEqual(shown, [0.0] * len(shown))

    def test_side_by_side_it_is_in_sight_with_the_first_change(self) -> Iterator[Any]:
        yield from self.opens_at_the_top("side_by_side", 3)

    def test_inline_it_is_in_sight_with_the_first_change(self) -> Iterator[Any]:
        yield from self.opens_at_the_top("inline", 3)

    def test_it_is_in_sight_with_a_change_far_down_in_the_first_rows(self) -> Iterator[Any]:
        for presentation in ("side_by_side", "inline"):
            yield from self.opens_at_the_top(presentation, 25)

    def test_it_is_in_sight_where_the_size_comes_late(self) -> Iterator[Any]:
        """The first change is gone to again then: what is far down comes into sight."""
        real = sublime.View.viewport_extent
        sized: Set[int] = set()

        def extent(view: sublime.View) -> Any:
            return real(view) if view.id() in sized else (0.0, 0.0)

        for presentation in ("side_by_side", "inline"):
            self.use(review_presentation=presentation)
            for changed in (3, 90):
                proposed = "".join("changed\n" if number == changed else line for number, line in enumerate(LINES))
                with mock.patch.object(sublime.View, "viewport_extent", extent):
                    review = yield from self.review("".join(LINES), proposed)
                    view = self.proposal(review)
                    yield lambda view=view, changed=changed: view.rowcol(view.sel()[0].b)[0] == changed
                    yield 200  # a moment in which nothing moves
                    sized.update(each.id() for each in self.reviews.shown[review].views)
                    yield lambda view=view, changed=changed: self.shows(view, changed)
                    yield 200
                    self.assertEqual(view.viewport_position()[1] == 0.0, changed == 3)
                    self.assertTrue(self.shows(view, changed))
                    self.reviews.commands.reject(review)
                    yield lambda: not self.reviews.pending()

    def shows(self, view: sublime.View, row: int) -> bool:
        shown, high = view.viewport_position()[1], view.viewport_extent()[1]
        return high > 0 and shown <= top(view, row) <= shown + high - view.line_height()

    def test_going_back_to_a_change_that_fits_with_it_brings_it_back(self) -> Iterator[Any]:
        for presentation in ("side_by_side", "inline"):
            self.use(review_presentation=presentation)
            proposed = "".join("changed\n" if number in (20, 110) else line for number, line in enumerate(LINES))
            review = yield from self.review("".join(LINES), proposed)
            view = self.proposal(review)
            for row in (20, 110, 20):
                yield lambda view=view, row=row: self.shows(view, row) and view.rowcol(view.sel()[0].b)[0] == row
                self.assertEqual(view.viewport_position()[1] == 0.0, row == 20)
                go = self.reviews.commands.next_change if row == 20 else self.reviews.commands.previous_change
                go(review)
            self.reviews.commands.reject(review)
            yield lambda: not self.reviews.pending()

    def stays_in_sight(self, presentation: str) -> Iterator[Any]:
        self.use(review_presentation=presentation)
        review = yield from self.review()
        view, shown = self.proposal(review), self.reviews.shown[review]
        select(view, sublime.Region(view.text_point(8, 0)))
        view.set_viewport_position((0.0, 0.0), False)
        for number in range(1, 8):
            shown.complain("The file could not be written. " * (2 * number), look_again=False)
            yield lambda number=number: self.header(review).count("could not be written") == 2 * number
            yield 50
            self.assertEqual(view.viewport_position()[1], 0.0, number)
        shown.complain("", look_again=False)
        yield 50
        self.assertEqual(view.viewport_position()[1], 0.0)

    def test_side_by_side_it_stays_in_sight_with_every_warning(self) -> Iterator[Any]:
        yield from self.stays_in_sight("side_by_side")

    def test_inline_it_stays_in_sight_with_every_warning(self) -> Iterator[Any]:
        yield from self.stays_in_sight("inline")


FAR = "x" * 300
LONG = "".join(
    [f"line {number}\n" for number in range(40)]
    + [f"{FAR} old\n", "short\n"]
    + [f"line {number}\n" for number in range(40, 80)]
    + [f"a = {FAR}(old) {FAR}\n", "short\n"]
    + [f"line {number}\n" for number in range(80, 120)]
)


class TestFarToTheRight(LevelTestCase):
    """A change is gone to by its first changed character, which no link covers."""

    def in_sight(self, view: sublime.View, word: str, number: int = 0) -> bool:
        at = view.find_all(word)[number]
        (left, y), (right, _) = view.text_to_layout(at.a), view.text_to_layout(at.b)
        x, shown = view.viewport_position()
        wide, high = view.viewport_extent()
        across = x <= left and right <= x + wide
        return across and shown <= y and y + view.line_height() <= shown + high

    def covered(self, view: sublime.View) -> List[str]:
        """What of the changed words is at a link: the links are at the right edge, wherever the view is scrolled to."""
        x, wide = view.viewport_position()[0], view.viewport_extent()[0]
        found = []
        links = self.links(self.reviews.pending()[0], "revert")
        for region, markup in zip(view.get_regions("gemini_companion.revert"), links):
            edge = x + wide - (len(re.sub("<[^>]+>", "", markup)) + 3) * view.em_width()
            for changed in view.find_all("new"):
                same_row = view.rowcol(changed.a)[0] == view.rowcol(region.a)[0]
                if same_row and view.text_to_layout(changed.b)[0] > edge:
                    found.append(markup)
        return found

    def test_where_the_user_has_scrolled_to_stays_when_all_is_drawn_anew(self) -> Iterator[Any]:
        self.use(review_presentation="inline")
        review = yield from self.review(LONG, LONG.replace("old", "new"))
        view = self.proposal(review)
        yield lambda: self.in_sight(view, "new")
        place = (0.0, view.text_to_layout(view.text_point(90, 0))[1])
        view.set_viewport_position(place, False)
        yield lambda: abs(view.viewport_position()[1] - place[1]) < 1
        place = view.viewport_position()
        self.reviews.commands.run("whitespace", review)
        yield self.settled
        self.assertEqual(view.viewport_position(), place)

    def goes_there(self, presentation: str) -> Iterator[Any]:
        self.use(review_presentation=presentation)
        review = yield from self.review(LONG, LONG.replace("old", "new"))
        view = self.proposal(review)
        for number in (0, 1, 0):
            yield lambda number=number: self.in_sight(view, "new", number)
            self.assertEqual(view.substr(sublime.Region(view.sel()[0].b, view.sel()[0].b + 3)), "new")
            self.assertEqual(self.covered(view), [])
            go = self.reviews.commands.previous_change if number else self.reviews.commands.next_change
            go(review)
        self.assertEqual(len(view.get_regions("gemini_companion.revert")), 2)
        if presentation == "side_by_side":
            yield lambda: self.in_sight(self.original(review), "old", 1)

    def test_side_by_side(self) -> Iterator[Any]:
        yield from self.goes_there("side_by_side")

    def test_inline(self) -> Iterator[Any]:
        yield from self.goes_there("inline")

    def test_a_view_scrolled_to_the_right_comes_back_for_a_change_at_the_left(self) -> Iterator[Any]:
        review = yield from self.review(LONG, LONG.replace("old", "new").replace("line 100\n", "line one hundred\n"))
        view = self.proposal(review)
        yield lambda: self.in_sight(view, "new")
        self.reviews.commands.previous_change(review)
        yield lambda: self.in_sight(view, "line one hundred")

    def test_it_comes_back_to_its_left_edge_for_one_that_fits_beside_that(self) -> Iterator[Any]:
        middle = "a line of forty columns, up to its end: "
        text = LONG.replace("line 100\n", f"{middle}past\n")
        review = yield from self.review(text, text.replace("old", "new").replace("past", "now"))
        view = self.proposal(review)
        yield lambda: self.in_sight(view, "new")
        self.assertGreater(view.viewport_position()[0], 0.0)
        self.reviews.commands.previous_change(review)
        yield lambda: self.in_sight(view, f"{middle}now")
        self.assertEqual(view.viewport_position()[0], 0.0)

    def test_side_by_side_the_words_of_both_views_are_wrapped_or_of_none(self) -> Iterator[Any]:
        review = yield from self.review(LONG, LONG.replace("old", "new"))
        views = [self.original(review), self.proposal(review)]
        for view in [*views, *views[::-1]]:
            wrapped = not view.settings().get("word_wrap")
            view.run_command("toggle_setting", {"setting": "word_wrap"})
            yield lambda wrapped=wrapped: [each.settings().get("word_wrap") for each in views] == [wrapped, wrapped]
            yield lambda: self.level(review)


WIDE = "x" * 300


class TestLinks(LevelTestCase):
    """The editor cuts off what stands behind a line that is as long as the view is wide."""

    def stand_at(self, left: str, right: str, *places: Tuple[str, str]) -> Iterator[Any]:
        """The links come to stand at these lines, with these arrows."""
        review = yield from self.review(left, right)
        view = self.proposal(review)

        def found() -> List[Tuple[str, str]]:
            lines = [view.substr(view.line(region)) for region in view.get_regions("gemini_companion.revert")]
            links = self.links(review, "revert")
            return list(zip(lines, ["".join(sign for sign in link if sign in "\u2191\u2193") for link in links]))

        yield lambda: found() == list(places)
        self.reviews.commands.reject(review)
        yield lambda: not self.reviews.pending()

    def test_a_link_stands_at_or_below_or_above_the_change_where_it_has_room(self) -> Iterator[Any]:
        for presentation in ("inline", "side_by_side"):
            self.use(review_presentation=presentation)
            for left, right, place in (
                (f"above\n{WIDE}\nbelow\n", f"above\n{WIDE}!\nshort\nbelow\n", ("short", "")),
                (f"above\n{WIDE}\nbelow\n", f"above\n{WIDE}!\nbelow\n", ("below", "\u2191")),
                (f"above\n{WIDE}\n{WIDE}2\n", f"above\n{WIDE}!\n{WIDE}2\n", ("above", "\u2193")),
                (f"{WIDE}\n", f"{WIDE}!\n", ("", "\u2191")),
                ("above\nremoved\nbelow\n", "above\nbelow\n", ("below", "")),
                (f"above\nremoved\n{WIDE}\n", f"above\n{WIDE}\n", ("above", "\u2193")),
            ):
                yield from self.stand_at(left, right, place)

    def test_a_link_stands_at_no_line_that_says_where_a_block_has_moved(self) -> Iterator[Any]:
        """Of two annotations of one line the editor shows one."""
        block = "def moved():\n    one()\n    two()\n    three()\n"
        rest = "".join(LINES[:20])
        review = yield from self.review(block + rest, f"{rest}{WIDE}\n{block}")
        view = self.proposal(review)
        yield lambda: self.fits(review)
        captions = [view.substr(view.line(region)) for region in view.get_regions("gemini_companion.moved_captions")]
        self.assertEqual(captions, ["def moved():"])
        links = [view.substr(view.line(region)) for region in view.get_regions("gemini_companion.revert")]
        self.assertEqual(links[-1], "    one()")

    def test_two_changes_have_no_link_at_the_same_line(self) -> Iterator[Any]:
        left = f"{WIDE}1\nbetween\n{WIDE}2\n{WIDE}3\n"
        right = f"{WIDE}1!\nbetween\n{WIDE}2!\n{WIDE}3\n"
        yield from self.stand_at(left, right, ("between", "\u2191"), (f"{WIDE}3", "\u2191"))


PROSE = " ".join(f"word{number}" for number in range(90))


class TestLongLines(LevelTestCase):
    """Each half of the window has 63 columns."""

    def opened(self, name: str, before: str, after: str, **settings: Any) -> Iterator[Any]:
        """Let a client propose a change, as its tool does, beside a tab whose width is known."""
        self.use(**settings)
        self.write("other.txt")
        tab = self.window.open_file(self.path("other.txt"))
        yield lambda: not tab.is_loading() and tab.viewport_extent()[0] > 0
        self.write(name, before)
        proposal, prepared = preparation.prepare(self.reviews.file_request(self.path(name)), after)
        self.reviews.open_diff(GEMINI, self.path(name), proposal, prepared)
        review = self.reviews.pending()[-1]
        yield lambda: self.header(review) != "" and self.settled()
        return review

    def test_a_file_whose_lines_wrap_is_inline_where_a_half_is_too_narrow(self) -> Iterator[Any]:
        for name, before, settings, alone in (
            ("notes.md", PROSE, {}, True),
            ("notes.md", PROSE, {"review_presentation": "side_by_side"}, False),
            ("notes.md", PROSE[:50] + " word60", {}, False),
            ("code.py", PROSE, {}, False),
        ):
            self.use(review_presentation=100)
            after = before.replace("word60", "other")
            review = yield from self.opened(name, f"# A title\n\n{before}\n", f"# A title\n\n{after}\n", **settings)
            views = self.reviews.shown[review].views
            self.assertEqual(len(views), 1 if alone else 2, (name, settings))
            if alone:
                self.assertEqual(views[0].viewport_position(), (0.0, 0.0))
            self.reviews.commands.reject(review)
            yield lambda: not self.reviews.pending()

    def test_what_can_be_seen_from_the_left_edge_opens_there(self) -> Iterator[Any]:
        """Though it ends behind the right edge."""
        words = f"{'x' * 30} "
        review = yield from self.opened("code.py", f"{words}old\n", f"{words}{'new ' * 100}\n")
        yield lambda: self.fits(review)
        self.assertEqual([view.viewport_position()[0] for view in self.reviews.shown[review].views], [0.0] * 2)


class TestTheFirstLine(LevelTestCase):
    """The editor draws nothing above it."""

    def test_what_it_was_is_read_before_what_it_is_at_every_size(self) -> Iterator[Any]:
        self.use(review_presentation="inline")
        for before, after, said in (
            ("one\n", "uno\n", ["1 \u2212 one", "1 + uno"]),
            ("one\ntwo\n", "uno\ndue\n", ["1 \u2212 one", "2 \u2212 two", "1 + uno"]),
            ("one\nsame\n", "same\n", ["1 \u2212 one", "1 same"]),
        ):
            rest = "".join(LINES[:20])
            review = yield from self.review(before + rest, after + rest)
            view = self.proposal(review)
            for size in (10, 20):
                view.settings().set("font_size", size)
                yield lambda review=review: self.fits(review)
                self.assertEqual(self.below_the_first_line(view, review), said)
            self.reviews.commands.reject(review)
            yield lambda: not self.reviews.pending()

    def below_the_first_line(self, view: sublime.View, review: Any) -> List[str]:
        """What stands there below the header, which stands at the start of that line."""
        (place, markup), *_ = self.reviews.shown[review]._drawing.blocks
        self.assertTrue(0 < place < view.text_point(1, 0), "nothing says in which order blocks of one point are drawn")
        rows = re.findall(r'<div class="line"[^>]*>(.*?)</div>', markup)
        return [" ".join(unescape(re.sub("<[^>]+>", "", row)).split()) for row in rows]


class TestTheKeys(LevelTestCase):
    """They are in the status bar wherever the header cannot be seen: scrolling has no event."""

    KEYS = "Ctrl+S accepts, Shift+Escape rejects"

    def says_keys(self, view: sublime.View) -> bool:
        keys = view.get_status("gemini_companion.review")
        return self.KEYS.replace("Ctrl+S", "\u2318S").replace("Shift+", "\u21e7") in keys or self.KEYS in keys

    def test_the_status_bar_says_them_while_the_header_is_out_of_sight(self) -> Iterator[Any]:
        for presentation in ("side_by_side", "inline"):
            self.use(review_presentation=presentation)
            lines = [f"line {number} {'x' * 400}\n" for number in range(200)]
            changed = [*lines[:3], "changed\n", *lines[4:]]
            self.write("code.py", "".join(lines))
            review = yield from self.open_diff("code.py", "".join(changed))
            view = self.proposal(review)
            yield lambda review=review: self.fits(review)
            yield 300
            self.assertFalse(self.says_keys(view))
            for place in ((0.0, 800.0), (400.0, 0.0)):
                view.set_viewport_position(place, False)
                yield lambda view=view: self.says_keys(view)
                view.set_viewport_position((0.0, 0.0), False)
                yield lambda view=view: not self.says_keys(view)
            self.reviews.commands.reject(review)
            yield lambda: not self.reviews.pending()
