"""The smallest edit that a program is told of: it makes the accepted text, and no line of it could be left out."""

from __future__ import annotations

import random

import pytest

from companion.agents.patches import Operation, apply, operations, patch_of
from companion.agents.smallest import smallest_edit, smallest_hunks
from companion.comparison import common_prefix, common_suffix, split_lines


def some_texts(seed):
    """A text with many lines that are alike, and one that a few edits make of it."""
    random_ = random.Random(seed)
    for _ in range(150):
        lines = [random_.choice(["a", "b", "ab", "", "  b", "}"]) for _ in range(random_.randrange(1, 14))]
        new = list(lines)
        for _ in range(random_.randrange(1, 4)):
            at = random_.randrange(len(new) + 1)
            new[at : at + random_.randrange(3)] = [random_.choice(["a", "x", ""]) for _ in range(random_.randrange(3))]
        end = "" if random_.random() < 0.3 else "\n"
        if new != lines:
            yield "\n".join(lines) + end, "\n".join(new) + (end if new else "")


@pytest.mark.parametrize("seed", range(8))
def test_an_edit_makes_the_text_and_is_the_smallest_that_stands_once(seed):
    for before, after in some_texts(seed):
        old, new = smallest_edit(before, after)
        places = [at for at in range(len(before)) if old and before.startswith(old, at)]
        assert len(places) == (1 if before else 0), (before, after, old)
        start = places[0] if before else 0
        assert before[:start] + new + before[start + len(old) :] == after
        lines, changed = split_lines(old), split_lines(new)
        same = common_prefix(lines, changed)
        behind = common_suffix(lines[same:], changed[same:])
        if same and len(lines) > 1:
            assert not stands_once(before, "".join(lines[1:])), (before, after, old)
        if behind and len(lines) > 1:
            assert not stands_once(before, "".join(lines[:-1])), (before, after, old)


def stands_once(text, piece):
    return sum(text.startswith(piece, at) for at in range(len(text))) == 1


@pytest.mark.parametrize("seed", range(8))
def test_a_patch_makes_the_text_and_no_line_of_context_could_be_left_out(seed):
    for before, after in some_texts(seed):
        old, new = before.splitlines(), after.splitlines()
        wanted = "".join(line + "\n" for line in new)
        step = Operation.of("a", "", before, after)
        assert apply(operations(patch_of([step]))[0], before) == wanted, (before, after)
        low = 0
        for hunk in smallest_hunks(old, new):
            stays = [line for sign, line in hunk if sign != "+"]
            start = first_place(old, stays, low)
            if hunk[0][0] == " ":
                assert first_place(old, stays[1:], low) != start + 1, (before, after, hunk)
            if hunk[-1][0] == " ":
                assert first_place(old, stays[:-1], low) != start, (before, after, hunk)
            low = start + len(stays)


def first_place(lines, wanted, low):
    """Where these lines stand first; without any they stand at the end."""
    if not wanted:
        return len(lines)
    return next((at for at in range(low, len(lines)) if lines[at : at + len(wanted)] == wanted), None)


def test_what_lies_between_two_changes_of_a_patch_is_not_told():
    lines = [f"KEY_{number}=secret" for number in range(1000)]
    step = Operation.of("a", "", "\n".join(lines) + "\n", "\n".join(["first", *lines[1:-1], "last"]) + "\n")
    assert patch_of([step]).split("\n")[2:-2] == ["@@", "-KEY_0=secret", "+first", "@@", "-KEY_999=secret", "+last"]


def test_a_long_text_of_lines_that_are_all_alike():
    before = "a\n" * 20_000
    old, new = smallest_edit(before + "b\n", before[2:] + "c\nb\n")
    assert (old, new) == ("a\nb\n", "c\nb\n")
    assert smallest_edit(before, before + "a\n") == (before, before + "a\n")
