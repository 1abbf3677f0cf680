"""The Tab key in a proposal does what it would do in the file."""

from __future__ import annotations

import pytest

from companion.review.window.views import Indentation, guess


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", None),
        ("a\nb\n", None),
        ("a\n\n   \n\t\n", None),
        ("a:\n    b\n    c\nd:\n    e\n", Indentation(True, 4)),
        ("a:\n  b:\n    c\n  d\n", Indentation(True, 2)),
        ("a(b,\n        c)\nd:\n    e\nf:\n    g\n", Indentation(True, 4)),
        ("a:\n\tb\n\t\tc\n", Indentation(False, 0)),
        ("/*\n * a\n * b\n */\nf() {\n\tg();\n}\n", Indentation(False, 0)),
        ("a:\n\tb\n    c\n    d\n", Indentation(True, 0)),
    ],
)
def test_guesses(text, expected):
    assert guess(text.splitlines(True)) == expected


def test_only_the_start_of_a_long_text_is_looked_at():
    lines = iter(["a:\n", "  b\n"] * 5000)
    assert guess(lines) == Indentation(True, 2)
    assert sum(1 for _ in lines) == 8000
