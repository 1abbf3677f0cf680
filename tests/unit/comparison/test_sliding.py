"""Wherever a comparison happens to put a hunk among lines that repeat, a user sees it at the place that reads best."""

from __future__ import annotations

import pytest

from companion.comparison import Hunk, split_lines
from companion.comparison.budget import Budget
from companion.comparison.hunks import slide

# In each text the lines with "+" in front are added: there they should be seen. "@" stands for a tab.
ADDED = {
    "a function with the blank line after it": """
|def a():
|    return 1
|
+def b():
+    return 1
+
|def c():
|    return 1
""",
    "a function with both blank lines after it": """
|x = 1
|
|
+def b():
+    return 1
+
+
|def c():
|    return 1
""",
    "a method at the end of its class": """
|class A:
|    def a(self):
|        pass
|
+    def b(self):
+        pass
+
|class B:
|    def a(self):
|        pass
""",
    "a block from its header to its closing line": """
|void a() {
|  one();
|  if (x) {
|    y();
|  }
+  if (x) {
+    y();
+  }
|}
""",
    "a header goes with its body": """
|for a in b:
|    if a:
|        use(a)
+    if a:
+        use(a)
|    more(a)
""",
    "an item that equals its neighbours": """
|[
|  {
|    "a": 1
|  },
+  {
+    "a": 1
+  },
|  {
|    "b": 1
|  }
|]
""",
    "a block like the next one, with another end": """
|start()
+with a:
+    one()
+    two()
|with a:
|    one()
|    three()
""",
    "paragraphs, though they could begin with a blank line": """
|if a:
|    x()
|
+y()
+
+if a:
+    x()
+
|y()
|z()
""",
    "a paragraph": """
|One.
|
|Two.
|
+Three.
+
|Four.
""",
    "with tabs": """
|func a() {
|@x()
|}
|
+func b() {
+@x()
+}
+
|func c() {
|@x()
|}
""",
}


def texts(marked: str):
    """The text without the added lines, with them, and the hunk they make."""
    lines = split_lines(marked.lstrip("\n").replace("@", "\t"))
    added = [number for number, line in enumerate(lines) if line.startswith("+")]
    right = [line[1:] for line in lines]
    left = [line[1:] for line in lines if not line.startswith("+")]
    return left, right, Hunk(added[0], added[0], added[0], added[-1] + 1)


def same_changes(left, right, hunk: Hunk):
    """All the places where the same lines could be said to be added."""
    for by in range(-len(right), len(right)):
        start, end = hunk.right_start + by, hunk.right_end + by
        if start >= 0 and end <= len(right) and right[:start] + right[end:] == left:
            yield Hunk(start, start, start, end)


@pytest.mark.parametrize("name", ADDED)
def test_added_lines_are_seen_where_they_read_best(name):
    left, right, expected = texts(ADDED[name])
    places = list(same_changes(left, right, expected))
    assert len(places) > 1, "this text says nothing: there is one place only"
    for place in places:
        assert slide([place], left, right, Budget()) == [expected]


@pytest.mark.parametrize("name", ADDED)
def test_removed_lines_are_seen_where_they_read_best(name):
    left, right, expected = texts(ADDED[name])
    for place in same_changes(left, right, expected):
        assert slide([Hunk(*place[2:], *place[:2])], right, left, Budget()) == [Hunk(*expected[2:], *expected[:2])]


@pytest.mark.parametrize("name", ADDED)
def test_lines_compared_by_words_are_placed_as_they_are_read(name):
    left, right, expected = texts(ADDED[name])
    words = [[line.strip() for line in lines] for lines in (left, right)]
    for place in same_changes(left, right, expected):
        assert slide([place], *words, Budget(), (left, right)) == [expected]


def test_added_lines_that_can_stand_where_others_are_removed_make_a_change():
    left = ["a\n", "old\n", "x\n", "b\n"]
    right = ["a\n", "x\n", "new\n", "x\n", "b\n"]
    apart = [Hunk(1, 2, 1, 1), Hunk(3, 3, 2, 4)]
    assert slide(apart, left, right, Budget()) == [Hunk(1, 2, 1, 3)]


def test_removed_lines_that_can_stand_where_others_are_added_make_a_change():
    left = ["a\n", "x\n", "old\n", "x\n", "b\n"]
    right = ["a\n", "x\n", "new\n", "b\n"]
    apart = [Hunk(1, 3, 1, 1), Hunk(4, 4, 2, 3)]
    assert slide(apart, left, right, Budget()) == [Hunk(2, 4, 2, 3)]


def test_what_is_equal_at_the_ends_of_a_hunk_is_left_out():
    left = ["a\n", "b\n", "c\n", "d\n"]
    right = ["a\n", "b\n", "x\n", "d\n"]
    assert slide([Hunk(0, 4, 0, 4)], left, right, Budget()) == [Hunk(2, 3, 2, 3)]
    assert slide([Hunk(0, 4, 0, 4)], left, left, Budget()) == []
