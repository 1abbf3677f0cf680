"""A review that is edited, zoomed, taken back, undone and replaced at random stays right.

After each settled state equal lines are level, links name the right change, and accepting would give the exact text.
"""

from __future__ import annotations

import os
import random
import time
from typing import Any, Callable, Iterator

from .support.selecting import put_caret
from .test_review_level import LevelTestCase

STEPS, SEED, RUNS = 100, 20, 5
# More of it: "RANDOM_REVIEWS=1-40" in the environment plays forty runs, one for each of these seeds.
SECONDS = 8.0  # in which all is level again
SEEDS = "RANDOM_REVIEWS"
SIZES = (7, 9.5, 10, 14.3)
WORDS = ("x", "word", "\n", "two\nlines\n", "\n\n\n", "    indented\n")


ACTIONS = ("type", "type", "type", "delete", "undo", "zoom", "pad", "revert", "undo revert", "replace")


class TestAtRandom(LevelTestCase):
    def play(self, seed: int) -> Iterator[Any]:
        chance = random.Random(seed)
        # No line is there twice, so that it is certain which lines are equal.
        left = "".join(f"line {number} {seed}\n" for number in range(60))
        self.write("file.txt", left)
        review = yield from self.open_diff("file.txt", self.variant(chance, left))
        self.step = "opened"
        for number in range(STEPS):
            self.step = f"{number}: {self.do_something(chance, review, left)}"
            if number % 4 == 3:
                yield from self.level_again(review)
                yield from self.check(review, left)
        yield from self.level_again(review)
        expected = self.text(self.proposal(review))
        self.reviews.accept(review)
        yield lambda: bool(self.told)
        self.assertEqual(self.told[-1][1].content, expected)

    def do_something(self, chance: random.Random, review: Any, left: str) -> str:
        view = self.proposal(review)
        presentation = self.reviews._presentations[review]
        point = chance.randint(0, view.size())
        action = chance.choice(ACTIONS)
        if action == "type":
            self.type(view, point, chance.choice(WORDS))
        elif action == "delete":
            view.run_command(
                "gemini_companion_move_caret", {"regions": [[point, min(view.size(), point + chance.randint(1, 60))]]}
            )
            view.run_command("left_delete")
        elif action == "undo":
            view.run_command("undo")
        elif action == "zoom":
            self.set_look(review, font_size=chance.choice(SIZES))
        elif action == "pad":
            self.set_look(review, line_padding_top=chance.randint(-2, 6), line_padding_bottom=chance.randint(-2, 6))
        elif action == "revert":
            put_caret(view, point)
            self.reviews.revert_hunk(review)
        elif action == "undo revert":
            self.reviews.undo_revert_hunk(review)
        elif chance.random() < 0.3:
            self.reviews.open_diff(presentation.review.owner, review.path, self.variant(chance, left))
        return action

    def level_again(self, review: Any) -> Iterator[Any]:
        end = time.monotonic() + SECONDS
        yield lambda: self.level(review) or time.monotonic() > end
        if time.monotonic() > end:
            p = self.reviews._presentations[review]
            d = p._drawing
            print(
                "STATE",
                self.step,
                self.settled(),
                p._phase,
                p._drawn_count,
                p.proposal_view.change_count(),
                p._pane._given_at,
                self.errors(review),
                d._heights,
                d._gaps,
                d._levelled is None,
                d._left_over,
                d._known,
                d._loose_top,
                d._watch.left,
                d._watch.right,
                d.rounds,
                [p.original_view.query_phantoms([x.id for x in ps.phantoms]) for ps in d._left_blocks._sets],
                [(x.region, x.content[-60:]) for ps in d._left_blocks._sets for x in ps.phantoms],
                [(x.region, x.content[-60:]) for ps in d._right_blocks._sets for x in ps.phantoms],
            )
        self.assertTrue(self.settled(), self.step)
        self.assertEqual(self.errors(review), {}, self.step)

    def variant(self, chance: random.Random, left: str) -> str:
        lines = left.splitlines(True)
        for _ in range(chance.randint(1, 8)):
            at = chance.randrange(len(lines))
            lines[at : at + chance.randint(0, 3)] = [f"new {chance.random()}\n"] * chance.randint(0, 4)
        return "".join(lines)

    def check(self, review: Any, left: str) -> Iterator[Any]:
        view, presentation = self.proposal(review), self.reviews._presentations[review]
        self.assertEqual(presentation.current_text(), self.text(view), self.step)
        links = presentation.hunks.links("revert")
        places = view.get_regions("gemini_companion.revert")
        self.assertEqual(len(links), len(places), self.step)
        self.assertEqual(links == [], self.text(view) == left, self.step)
        if not links or not presentation.hunks.ready:
            return  # nothing to take back, or a revert that had to wait has just been made
        # A link takes back the change beside it, and undo brings that back.
        wanted = self.text(view)
        number = len(links) // 2
        change = presentation._analysis.changes[number]
        self.assertEqual(places[number].begin(), change.right[0], self.step)
        expected = wanted[: change.right[0]] + left[slice(*change.left)] + wanted[change.right[1] :]
        count = view.change_count()
        presentation._link(links[number].split('"')[1])
        yield lambda: view.change_count() != count
        self.assertEqual(self.text(view), expected, self.step)
        yield from self.level_again(review)
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
