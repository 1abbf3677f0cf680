"""Which characters a user sees marked. Marks are written into the texts: [-removed-]{+added+}."""

from __future__ import annotations

import pytest

from companion.comparison import compare_characters


def marked(left: str, right: str) -> str:
    """The left text with its marks and what took their place."""
    result, place = "", 0
    for change in compare_characters(left, right):
        removed, added = left[change.left_start : change.left_end], right[change.right_start : change.right_end]
        result += left[place : change.left_start]
        result += ("[-%s-]" % removed if removed else "") + ("{+%s+}" % added if added else "")
        place = change.left_end
    return result + left[place:]


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        # Words are marked as wholes, unless more than a half of them stays.
        ("foo(alpha)\n", "foo(gamma)\n", "foo([-alpha-]{+gamma+})\n"),
        ("value1 = 2\n", "value2 = 2\n", "value[-1-]{+2+} = 2\n"),
        ("self.assertEqual(a)\n", "self.assertIsNone(a)\n", "self.assert[-Equal-]{+IsNone+}(a)\n"),
        ("color = 1\n", "colour = 1\n", "colo{+u+}r = 1\n"),
        ("abc\u6f22\u5b57\u6f22\u5b57\n", "abd\u6f22\u5b57\u6f22\u5b57\n", "ab[-c-]{+d+}\u6f22\u5b57\u6f22\u5b57\n"),
        ("Pioneers of it\n", "Adopters of it\n", "[-Pioneers-]{+Adopters+} of it\n"),
        ("starting it\n", "stopped it\n", "[-starting-]{+stopped+} it\n"),
        # Arguments are told apart; words with nothing but space between them make one mark.
        ("f(alpha, beta)\n", "f(gamma, delta)\n", "f([-alpha-]{+gamma+}, [-beta-]{+delta+})\n"),
        ("the quick brown fox\n", "a slow brown fox\n", "[-the quick-]{+a slow+} brown fox\n"),
        ("def f(a, b):\n", "def f(x, a, b, y=None):\n", "def f({+x, +}a, b{+, y=None+}):\n"),
        # A letter in common is not told apart from a word that only the other side has there.
        ("b aa\n", "bba\n", "b[- a-]{+b+}a\n"),
        # Nothing in common but signs and spaces is one mark.
        ("quite different text\n", "nothing, in common\n", "[-quite different text-]{+nothing, in common+}\n"),
        (
            "completely if different\n",
            "something if unrelated\n",
            "[-completely if different-]{+something if unrelated+}\n",
        ),
        ("one if two\n", "six if ten\n", "[-one-]{+six+} if [-two-]{+ten+}\n"),
        # Indentation, line ends, and scripts without spaces.
        ("    return x\n", "        return x\n", "    {+    +}return x\n"),
        ("x\r\n", "x\n", "x[-\r-]\n"),
        ("x", "x\n", "x{+\n+}"),
        ("返回值为空\n", "返回值不为空\n", "返回值{+不+}为空\n"),
        # Whole lines are marked from their beginning on.
        (
            "if x:\n    foo(1)\n    bar(2)\n",
            "if x and y:\n    foo(1)\n",
            "if x{+ and y+}:\n    foo(1)\n[-    bar(2)\n-]",
        ),
        ("old\n", "new\nmore\nlines\n", "[-old-]{+new+}\n{+more\nlines\n+}"),
        ("new\nmore\nlines\n", "old\n", "[-new-]{+old+}\n[-more\nlines\n-]"),
        # A word that begins or ends like its neighbour is added or removed as a whole.
        ("in\n", "integer in\n", "{+integer +}in\n"),
        ("integer in\n", "in\n", "[-integer -]in\n"),
        ("x end\n", "y end send\n", "[-x-]{+y+} end{+ send+}\n"),
        ("y end send\n", "x end\n", "[-y-]{+x+} end[- send-]\n"),
        # The ends of the range.
        ("", "", ""),
        ("same\n", "same\n", "same\n"),
        ("", "all\n", "{+all\n+}"),
        ("all\n", "", "[-all\n-]"),
    ],
)
def test_marks_read_well(left, right, expected):
    assert marked(left, right) == expected


def test_marks_read_the_same_from_both_sides():
    """An added word is marked where the removed one is when the texts change places."""
    there = compare_characters("foo(a, b)\n", "foo(a, new, b)\n")
    back = compare_characters("foo(a, new, b)\n", "foo(a, b)\n")
    assert [change[:2] for change in there] == [change[2:] for change in back]


def test_a_long_line_has_its_few_changes_marked():
    line = ",".join('{"key%d":%d}' % (number % 977, number) for number in range(60000))
    right = line.replace('"key7":30294}', '"key7":"changed"}')
    (change,) = compare_characters(line, right)
    assert line[change.left_start : change.left_end] == "30294"
    assert right[change.right_start : change.right_end] == '"changed"'
    right = right.replace('"key9":9779', '"key9":97').replace('"key5":50809', '"key55":50809')
    assert right.count("key55") > line.count("key55")
    assert len(compare_characters(line, right)) == 3
    assert sum(change.size for change in compare_characters(line, right)) < 100


def test_a_combined_change_in_one_very_long_word_is_found():
    left = "x" * 300_000 + "y" + "x" * 300_000
    right = "x" * 300_000 + "z" + "x" * 300_000
    (change,) = compare_characters(left, right)
    assert change.left_start <= 300_000 < change.left_end
    assert change.size < 1000
