"""How fast the comparison is: ordinary texts in units of difflib, bad ones in seconds, and how soon it can be stopped.

    python tests/benchmarks/comparison.py [--json]

Of the bad ones the slowest has the target; the others stand there for scale.
"""

from __future__ import annotations

import difflib
import gc
import random
import sys
import time
from pathlib import Path
from typing import Callable, Dict, List, Tuple

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1])]

from ratio import Measurement, measure_ratio, measure_seconds, show, summary  # noqa: E402

from companion.comparison import compare_characters, compare_lines  # noqa: E402

SLOWEST_BAD = 1.0
"""Seconds a comparison of bad texts may take."""

SLOWEST_STOP = 0.02
"""Seconds between two looks at whether the comparison is still wanted."""

Texts = Tuple[List[str], List[str]]


def source(count: int, choose: random.Random) -> List[str]:
    """Lines like those of a program: one in five is blank or a brace, the others are mostly distinct."""
    words = ("self", "return", "value", "item", "for", "if", "name", "result")
    lines = []
    for _ in range(count):
        kind = choose.random()
        if kind < 0.2:
            lines.append("\n" if kind < 0.12 else "    }\n")
        else:
            margin = "    " * choose.randrange(4)
            lines.append(
                "%s%s %s = %d\n" % (margin, choose.choice(words), choose.choice(words), choose.randrange(5000))
            )
    return lines


def scattered(count: int, edits: int) -> Texts:
    """A program and the same with so many lines replaced, added or removed, all over it."""
    choose = random.Random(count)
    left = source(count, choose)
    right = list(left)
    for number in range(edits):
        place = choose.randrange(len(right))
        right[place : place + choose.choice((0, 1))] = choose.choice((["new line %d\n" % number], []))
    return left, right


def few_distinct(count: int) -> Texts:
    """Two unrelated texts of the same twenty lines."""
    choose = random.Random(count)
    return [["line %d\n" % choose.randrange(20) for _ in range(count)] for _ in range(2)]  # type: ignore[return-value]


def bad_lines() -> Dict[str, Texts]:
    """Texts on which comparisons are slow or give up."""
    distinct = ["line %d\n" % number for number in range(10_000)]
    twice = distinct[:5000] * 2
    shuffled = list(twice)
    random.Random(1).shuffle(shuffled)
    repeated, _ = few_distinct(10_000)
    return {
        "10,000 lines of 20 distinct": few_distinct(10_000),
        "10,000 of 20 distinct, 500 edited": (
            repeated,
            ["edit\n" if n % 20 == 7 else x for n, x in enumerate(repeated)],
        ),
        "10,000 of 20 distinct, reversed": (repeated, repeated[::-1]),
        "10,000 lines, all different": (distinct, ["other " + line for line in distinct]),
        "10,000 lines, reversed": (distinct, distinct[::-1]),
        "10,000 lines, each twice, shuffled": (twice, shuffled),
        "50,000 lines of 20 distinct": few_distinct(50_000),
        "one line of 5 MB against another": (["x" * 5_000_000], ["y" * 5_000_000]),
    }


def bad_characters() -> Dict[str, Tuple[str, str]]:
    """The texts of one hunk on which marking characters is slow."""
    choose = random.Random(2)
    record = '{"name":"n%d","value":%d,"list":[1,2,3]}'
    data = ",".join(record % (choose.randrange(500), choose.randrange(1000)) for _ in range(120_000))
    edited = list(data)
    for _ in range(500):
        edited[choose.randrange(len(edited))] = "Z"
    noise = ["".join(choose.choices("abcdefgh ,.", k=5_000_000)) for _ in range(2)]
    return {
        "a 5 MB line with 500 edits": (data, "".join(edited)),
        "a 5 MB line, reversed": (data, data[::-1]),
        "5 MB of noise": (noise[0], noise[1]),
        "100 KB of noise": (noise[0][:100_000], noise[1][:100_000]),
        "100 KB of two signs": ("ab " * 33_000, "ba " * 33_000),
    }


def by_difflib(texts: Texts) -> Callable[[], object]:
    """The unit: difflib with its defaults."""
    return lambda: difflib.SequenceMatcher(None, texts[0], texts[1]).get_opcodes()


def slowest_stop(compare: Callable[..., object], left: object, right: object) -> float:
    """The longest processor time between two looks at `cancelled`, without the pauses of the garbage collector.

    Not the clock's time: of thousands of pauses, the longest would be one in which another process ran.
    """
    gc.collect()
    gc.disable()
    try:
        looks = [time.thread_time()]
        compare(left, right, cancelled=lambda: looks.append(time.thread_time()))
        looks.append(time.thread_time())
    finally:
        gc.enable()
    return max(after - before for before, after in zip(looks, looks[1:]))


def measurements() -> List[Measurement]:
    """All that is measured, with its targets."""
    result = []
    for count, edits in ((1_000, 20), (10_000, 500), (20_000, 500), (100_000, 1_000)):
        texts = scattered(count, edits)
        result.append(
            measure_ratio(
                f"{count:,} lines, {edits:,} edits",
                lambda texts=texts: compare_lines(*texts),  # type: ignore[misc]
                by_difflib(texts),
                target=1.0,
                unit="difflib",
                turns=11 if count < 10_000 else 5,
            )
        )
    stops, bad_ones = [], []
    for compare, bad in ((compare_lines, bad_lines()), (compare_characters, bad_characters())):
        for name, pair in bad.items():
            take = lambda compare=compare, pair=pair: compare(*pair)  # type: ignore[misc]  # noqa: E731
            bad_ones.append(measure_seconds(f"  {name}", take, target=None))
            stops.append((name, [slowest_stop(compare, *pair) for _ in range(3)]))
    slowest = max(bad_ones, key=lambda one: one.value)
    result.append(slowest._replace(name=f"the slowest of {len(bad_ones)} bad texts", target=SLOWEST_BAD))
    _, values = max(stops, key=lambda stop: sorted(stop[1])[1])
    result.append(summary("the slowest of them to stop", values, target=SLOWEST_STOP, unit="s"))
    return result + bad_ones


if __name__ == "__main__":
    sys.exit(show(measurements()))
