"""Exclusion patterns of somebody else's project: none of them freezes the editor, and a wrong one stops only itself."""

from __future__ import annotations

import random
import re
import string

import pytest

from companion.common.globs import Globs
from companion.context.model import exclusion
from companion.settings import MOST_PROJECT_PATTERNS, read
from tests.support.work import steps

LONG_NAME = "/w/" + "a" * 250
LONG_PATH = ("/" + "ab" * 100) * 20  # as long as a path may be on most systems


MOST_STEPS = 16
"""For each character of the name, and for each one of the patterns."""


def check(patterns, path):
    """Make the patterns ready and hold them against a path of which nothing is known yet; count the steps of that.

    A search that goes back, as those of regular expressions do, would not be over while anybody waits.
    """
    exclusion.cache_clear()
    answers = []
    taken = steps(lambda: answers.append(exclusion(tuple(patterns))(path)))
    print(f"{taken} steps for {sum(map(len, patterns))} characters of patterns and {len(path)} of the path")
    assert taken < 200 + MOST_STEPS * (sum(map(len, patterns)) + len(path))
    return answers[0]


@pytest.mark.parametrize(
    "pattern",
    [
        "*a" * 24 + "*z",
        "*" * 60 + "z",
        "*?" * 30 + "z",
        "*[ab]" * 20 + "z",
        "*a/" * 20 + "*z",
        "x/" + "*a" * 24 + "*z",
        "*" + "a" * 90 + "z",
    ],
)
@pytest.mark.parametrize("path", [LONG_NAME, LONG_PATH])
def test_no_pattern_takes_long_whatever_the_name(pattern, path):
    assert not check([pattern], path)


def test_the_worst_that_a_project_may_say():
    worst = [f"*{chr(0x4E00 + number)}[a-{chr(0x3041 + number)}]?" * 16 for number in range(64)]
    layers = [("the settings", {}), ("the project's settings", {"context_exclude": worst})]
    read_of = []
    assert 0 < steps(lambda: read_of.append(read(layers))) < MOST_STEPS * sum(map(len, worst))
    patterns = read_of[0].settings.context_exclude
    assert len(patterns) > MOST_PROJECT_PATTERNS
    assert not check(patterns, "".join(chr(0x0400 + number % 0x1500) for number in range(4096)))


def test_a_name_may_be_very_long():
    assert not check(["x/" + "*a?" * 40 + "*z"], "/" + "a" * 40000)


@pytest.mark.parametrize("wrong", ["[z-a]", "src/[9-0]*.py", "[!b-a]"])
def test_a_wrong_pattern_is_named_and_the_others_work(wrong):
    layers = [("the settings", {}), ("the project's settings", {"context_exclude": ["*.draft", wrong, "*.secret"]})]
    settings, complaints = read(layers)
    assert len(complaints) == 1
    assert wrong in complaints[0]
    assert '"context_exclude" in the project\'s settings' in complaints[0]
    excluded = exclusion(settings.context_exclude)
    assert excluded("/w/a.draft")
    assert excluded("/w/a.secret")
    assert excluded("/w/.env")
    assert not excluded("/w/a.py")


def test_a_wrong_pattern_raises_nothing_even_where_nobody_has_checked_it():
    excluded = exclusion(("[z-a]", "*.secret"))
    assert excluded("/w/a.secret")
    assert not excluded("/w/z")


def test_a_hundred_thousand_wrong_patterns_give_a_handful_of_complaints():
    layers = [("the settings", {}), ("the project's settings", {"context_exclude": ["[z-a]"] * 100000})]
    found = []
    # Each is looked at, and hardly any is taken apart.
    assert 0 < steps(lambda: found.append(read(layers))) < 3 * 100000
    complaints = found[0].complaints
    assert len(complaints) < 10
    assert sum(map(len, complaints)) < 2000


def test_control_characters_of_a_pattern_do_not_reach_the_status_bar():
    layers = [("the settings", {}), ("the project's settings", {"context_exclude": ["[z-a]\n\u202e\x1b"]})]
    (complaint,) = read(layers).complaints
    assert not re.search("[\n\u202e\x1b]", complaint)


def test_a_project_cannot_make_the_editor_look_up_other_users(monkeypatch):
    pwd = pytest.importorskip("pwd")
    monkeypatch.setattr(pwd, "getpwnam", lambda name: pytest.fail("asked for the user " + name))
    exclusion.cache_clear()
    assert not exclusion(("~somebody/secret",))("/w/secret")
    exclusion.cache_clear()


def slow_but_sure(pattern, name):
    """The same question asked of the definition: what each character of the pattern stands for."""
    if not pattern:
        return not name
    if pattern[0] == "*":
        return any(slow_but_sure(pattern[1:], name[start:]) for start in range(len(name) + 1))
    return bool(name) and pattern[0] in ("?", name[0]) and slow_but_sure(pattern[1:], name[1:])


def test_patterns_mean_what_they_are_defined_to_mean():
    dice = random.Random(11)
    for _ in range(3000):
        pattern = "".join(dice.choice("ab*?") for _ in range(dice.randrange(7)))
        name = "".join(dice.choice("ab") for _ in range(dice.randrange(7)))
        assert Globs([pattern]).match(name) == slow_but_sure(pattern, name), (pattern, name)


@pytest.mark.parametrize(
    ("pattern", "taken", "left"),
    [
        ("[abc]", "abcABC", "dD-"),
        ("[ac]", "acAC", "bBd"),
        ("[!abc]", "dD-é", "abcABC"),
        ("[a-c]", "abcABC", "dD-"),
        ("[a-mc-z]", "abcmnzZ", "-1"),
        ("[a-zc-d]", "abcdez", "-1"),
        ("[aab]", "ab", "c"),
        ("[a-bc-d]", "abcd", "e"),
        ("[]]", "]", "[a"),
        ("[!]]", "a[", "]"),
        ("[a-]", "a-", "b"),
        ("[-a]", "a-", "b"),
        ("[a", "", "a["),
        ("?", string.printable, ""),
        ("é", "éÉ", "e"),
        ("ß", "ß", "s"),
        ("k", "kK", "c"),
        (".", ".", "a"),
        ("\n", "\n", "n"),
    ],
)
def test_what_stands_for_one_character(pattern, taken, left):
    globs = Globs([pattern])
    assert [one for one in taken if not globs.match(one)] == []
    assert [one for one in left if globs.match(one)] == []


@pytest.mark.parametrize(
    ("pattern", "taken", "left"),
    [
        ("x[ab]", ["xa", "XB"], ["x[ab]", "ab", "x"]),
        ("a]b", ["a]b"], ["b", "]b"]),
        ("a!b]", ["a!b]"], ["b"]),
        ("[!a]?[b-c]*", ["xyb", "XYCzz"], ["ayb", "xya", "xy"]),
        ("**a**", ["a", "xax"], ["", "x"]),
        ("*", ["", "a", "ab"], []),
        ("", [""], ["a"]),
    ],
)
def test_what_stands_for_several(pattern, taken, left):
    globs = Globs([pattern])
    assert [one for one in taken if not globs.match(one)] == []
    assert [one for one in left if globs.match(one)] == []


def test_of_several_patterns_one_is_enough_and_none_takes_part_in_another():
    globs = Globs(["ab*", "[z-a]", "?d"])
    assert globs.match("ab")
    assert globs.match("abc")
    assert globs.match("cd")
    assert not globs.match("a")
    assert not globs.match("abd"[1:2])
    assert not globs.match("d")
    assert not globs.match("cdd")
    assert not Globs([]).match("")
    assert not Globs(["[z-a]"]).match("z")


def test_a_bracket_that_is_not_closed_is_itself():
    assert Globs(["[a"]).match("[a")
    assert not Globs(["[a"]).match("a")
