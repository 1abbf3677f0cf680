"""The files that `tests/tools/generate.py` writes are what it would write now."""

from __future__ import annotations

import pytest

from tests.tools import generate


def test_no_generated_file_is_stale() -> None:
    assert list(generate.stale()) == [], "run python3 tests/tools/generate.py"


def test_of_a_page_only_the_table_with_that_head_is_replaced() -> None:
    page = "Text\n\n| A | B |\n| --- | --- |\n| old | row |\n\n| A | C |\n| --- | --- |\n| x | y |\n"
    made = generate.table(page, ("A", "B"), [("new", "row"), ("and", "another")])
    assert made == page.replace("| old | row |\n", "| new | row |\n| and | another |\n")
    with pytest.raises(ValueError, match="0 tables"):
        generate.table(page, ("A", "D"), [])
