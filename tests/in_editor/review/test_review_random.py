"""A review that is edited, zoomed, resized, wrapped, folded, taken back, undone and replaced at random stays right.

After each settled state equal lines are level, and folded on both sides or on none; no change is, nor is the caret.
Links name the right change, and accepting gives the exact text. A link that was drawn for an older state changes
nothing. Each run prints its seed in its name, and can be played again: "RANDOM_REVIEWS=7" in the environment plays seed
7, and "RANDOM_REVIEWS=1-40" forty runs.
"""

from __future__ import annotations

import os
import random
import time
from typing import Any, Callable, Iterator

from ...host.waiting import NEVER_SECONDS
from ...support.selecting import put_caret
from .test_review_level import LevelTestCase, rows_in_sight

STEPS, SEED, RUNS = 100, 20, 5
SEEDS = "RANDOM_REVIEWS"
FONT_SIZES = (7, 9.5, 10, 14.3)
WORDS = ("x", "word", "\n", "two\nlines\n", "\n\n\n", "    indented\n", "some words, so that a line wraps " * 4)
LONG = "    " + " ".join(f"word{number}" for number in range(40))
ACTIONS = tuple(
    """insert insert insert delete undo redo zoom pad resize wrap revert link undo_revert replace fold unfold
    wait""".split()
)


class TestAtRandom(LevelTestCase):
    def play(self, seed: int) -> Iterator[Any]:
        chance = random.Random(seed)
        self.use(review_presentation="inline" if seed % 5 == 4 else "side_by_side", review_fold=True)
        # No line is there twice, so that it is certain which lines are equal.
        left = "".join(f"line {number} {seed}{LONG if number % 9 == 0 else ''}\n" for number in range(90))
        self.write("file.txt", left)
        review = yield from self.open_diff("file.txt", self.variant(chance, left))
        self.step = "opened"
        for number in range(STEPS):
            action = chance.choice(ACTIONS)
            self.step = f"seed {seed}, step {number}: {action}"
            yield from getattr(self, action)(chance, review, left) or ()
            if number % 5 == 4:
                yield from self.level_again(review)
                yield from self.check(chance, review, left)
        yield from self.level_again(review)
        expected = self.text(self.proposal(review))
        self.reviews.commands.accept(review)
        yield lambda: bool(self.told)
        self.assertEqual(self.told[-1][1].content, expected)

    # -- what is done -------------------------------------------------------------------------------------------------

    def insert(self, chance: random.Random, review: Any, left: str) -> None:
        view = self.proposal(review)
        self.type(view, chance.randint(0, view.size()), chance.choice(WORDS))

    def delete(self, chance: random.Random, review: Any, left: str) -> None:
        view = self.proposal(review)
        point = chance.randint(0, view.size())
        regions = [[point, min(view.size(), point + chance.randint(1, 60))]]
        view.run_command("gemini_companion_move_caret", {"regions": regions})
        view.run_command("left_delete")

    def undo(self, chance: random.Random, review: Any, left: str) -> None:
        self.proposal(review).run_command("undo")

    def redo(self, chance: random.Random, review: Any, left: str) -> None:
        self.proposal(review).run_command("redo")

    def wrap(self, chance: random.Random, review: Any, left: str) -> None:
        view = chance.choice(self.reviews.shown[review].views)
        view.run_command("toggle_setting", {"setting": "word_wrap"})

    def zoom(self, chance: random.Random, review: Any, left: str) -> None:
        self.set_look(review, font_size=chance.choice(FONT_SIZES))

    def pad(self, chance: random.Random, review: Any, left: str) -> None:
        self.set_look(review, line_padding_top=chance.randint(-2, 6), line_padding_bottom=chance.randint(-2, 6))

    def resize(self, chance: random.Random, review: Any, left: str) -> None:
        layout = self.window.layout()
        if len(layout["cols"]) == 3:
            self.window.set_layout({**layout, "cols": [0.0, chance.choice((0.4, 0.5, 0.7)), 1.0]})
        else:
            self.window.set_minimap_visible(chance.random() < 0.5)

    def revert(self, chance: random.Random, review: Any, left: str) -> None:
        view = self.proposal(review)
        put_caret(view, chance.randint(0, view.size()))
        self.reviews.commands.revert_hunk(review)

    def link(self, chance: random.Random, review: Any, left: str) -> None:
        """Click a link that the user sees, whether or not the text has been edited since it was drawn."""
        presentation = self.reviews.shown[review]
        links = self.links(review, "revert")
        if links:
            presentation._link(chance.choice(links).split('"')[1])

    def undo_revert(self, chance: random.Random, review: Any, left: str) -> None:
        links = self.links(review, "undo")
        if links:
            self.reviews.shown[review]._link(chance.choice(links).split('"')[1])

    def replace(self, chance: random.Random, review: Any, left: str) -> None:
        if chance.random() < 0.3:
            self.reviews.open_diff(review.owner, review.path, self.variant(chance, left))

    def fold(self, chance: random.Random, review: Any, left: str) -> None:
        self.reviews.commands.toggle_folds(review)

    def unfold(self, chance: random.Random, review: Any, left: str) -> None:
        """As a click on a mark does."""
        view = chance.choice(self.reviews.shown[review].views)
        folds = view.folded_regions()
        if folds:
            view.unfold(chance.choice(folds))

    def wait(self, chance: random.Random, review: Any, left: str) -> Iterator[Any]:
        yield chance.choice((1, 20, 60))

    def variant(self, chance: random.Random, left: str) -> str:
        lines = left.splitlines(True)
        for _ in range(chance.randint(1, 8)):
            at = chance.randrange(len(lines))
            lines[at : at + chance.randint(0, 3)] = [f"new {chance.random()}\n"] * chance.randint(0, 4)
        return "".join(lines)

    # -- what must hold -----------------------------------------------------------------------------------------------

    def level_again(self, review: Any) -> Iterator[Any]:
        """Wait until equal lines are level; inline there is nothing beside them."""
        end = time.monotonic() + NEVER_SECONDS / 3
        inline = self.reviews.shown[review].original_view is None
        yield lambda: (self.settled() if inline else self.level(review)) or time.monotonic() > end
        self.assertTrue(self.settled(), self.step)
        if not inline:
            self.assertEqual(self.errors(review), {}, self.step)

    def check(self, chance: random.Random, review: Any, left: str) -> Iterator[Any]:
        view, presentation = self.proposal(review), self.reviews.shown[review]
        wanted = self.text(view)
        yield lambda: not view.is_read_only()  # as it is for a moment when a newer proposal has come
        self.assertEqual(presentation.proposal.current_text(), wanted, self.step)
        self.assertTrue(presentation.hunks.ready, self.step)
        links = self.links(review, "revert")
        places = view.get_regions("gemini_companion.revert")
        changes = presentation.analysis.changes
        self.assertEqual(len(links), len(changes), self.step)
        self.assertEqual(len(places), len(changes), self.step)
        for place, change in zip(places, changes):
            # In the change, or below it if its lines leave no room, or above it.
            above = view.line(max(0, change.right[0] - 1)).begin()
            self.assertTrue(above <= place.begin() <= change.right[1], self.step)
        self.assertEqual(len({view.line(place).begin() for place in places}), len(places), self.step)
        self.assertEqual(links == [], wanted == left, self.step)
        marked = view.get_regions("gemini_companion.lines")
        rows = {view.rowcol(region.begin())[0] for region in marked}
        expected_rows = {row for change in changes for row in range(change.hunk.right_start, change.hunk.right_end)}
        self.assertLessEqual(rows, expected_rows, self.step)
        self.assertEqual(bool(rows), bool(expected_rows), self.step)
        self.assertLessEqual(expected_rows, set(rows_in_sight(view)), self.step)
        yield lambda: view.rowcol(view.sel()[0].b)[0] in rows_in_sight(view)
        if not links:
            return
        # A link takes back the change beside it, and undo brings that back.
        number = chance.randrange(len(links))
        change = changes[number]
        expected = wanted[: change.right[0]] + left[slice(*change.left)] + wanted[change.right[1] :]
        old = links[number].split('"')[1]
        count = view.change_count()
        presentation._link(old)
        yield lambda: view.change_count() != count
        self.assertEqual(self.text(view), expected, self.step)
        yield from self.level_again(review)
        if self.links(review, "revert") != links:
            count = view.change_count()
            presentation._link(old)
            yield 20
            self.assertEqual(view.change_count(), count, f"{self.step}: a link of an older state")
        view.run_command("undo")
        yield self.settled
        self.assertEqual(self.text(view), wanted, self.step)


def seeds() -> range:
    """The seeds of all runs."""
    asked = os.environ.get(SEEDS)
    if not asked:
        return range(SEED, SEED + RUNS)
    first, _, last = asked.partition("-")
    return range(int(first), int(last or first) + 1)


def played(seed: int) -> Callable[[TestAtRandom], Iterator[Any]]:
    def test(self: TestAtRandom) -> Iterator[Any]:
        yield from self.play(seed)

    return test


for _seed in seeds():
    setattr(TestAtRandom, f"test_seed_{_seed}", played(_seed))
