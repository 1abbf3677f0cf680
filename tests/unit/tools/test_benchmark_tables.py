"""The tables that the benchmarks write: side by side for two states, and between the marks of a document."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "benchmarks"))

from ratio import Measurement  # noqa: E402
from report import BEGIN, END, markdown, replaced, side_by_side, write_table  # noqa: E402
from states import checked_out  # noqa: E402


def measured(value, name="handshake", target=1.5):
    return Measurement(name, value, 0.1, target, "x bare aiohttp")


def test_two_states_are_shown_side_by_side_with_median_and_spread():
    rows = side_by_side({"this state": [measured(1.0), measured(1.4), measured(1.2)], "abc": [measured(2.4)]})
    assert rows.splitlines()[1].split() == ["handshake", "1.2", "0.4", "2.4", "0", "0.50", "x", "bare", "aiohttp"]


def test_what_only_one_state_measures_is_shown_without_a_ratio():
    rows = side_by_side({"this state": [measured(1.0, "wake-ups")], "abc": []})
    assert rows.splitlines()[1].split() == ["wake-ups", "1", "0", "-", "-", "-", "x", "bare", "aiohttp"]


def test_the_table_of_a_document_is_replaced_and_nothing_else(tmp_path):
    document = tmp_path / "document.md"
    document.write_text(f"before\n\n{BEGIN}\n\n| old |\n\n{END}\n\nafter\n", encoding="utf-8")
    write_table(str(document), {"3.8": [measured(1.25), measured(3, "scale", None)], "3.13": []})
    text = document.read_text(encoding="utf-8")
    table = (
        "| Measured | Target | Python 3.8 | Python 3.13 |\n| --- | --- | --- | --- |\n"
        "| Handshake | ≤ 1.5 x bare aiohttp | 1.25 ± 0.1 | not measured |"
    )
    assert text == f"before\n\n{BEGIN}\n\n{table}\n\n{END}\n\nafter\n"
    assert replaced(text, table) == text


def test_a_wide_spread_is_written_out():
    wide = Measurement("scale", 388.0, 17.0, 600, "ms")
    assert "| 388 ± 20 |" in markdown({"3.8": [wide], "3.13": []}, 1.0)


def test_missed_targets_stand_out_and_development_kits_have_their_table():
    old = [measured(1.9), measured(4.04, "  Python SDK: handshake", None), measured(3, "  TypeScript SDK: calls", None)]
    new = [measured(1.2), measured(2.2, "  Python SDK: handshake", None), measured(7, "  of ours", None)]
    assert markdown({"3.8": old, "3.13": new}, 5.4).splitlines() == [
        "| Measured | Target | Python 3.8 | Python 3.13 |",
        "| --- | --- | --- | --- |",
        "| Handshake | ≤ 1.5 x bare aiohttp | **1.9 ± 0.1** | 1.2 ± 0.1 |",
        "",
        "Medians, with half of what the middle half spreads; the run took 5 minutes.",
        "",
        "| In units of bare aiohttp | Python SDK | TypeScript SDK |",
        "| --- | --- | --- |",
        "| Handshake | 2.2 to 4 | not measured |",
        "| Calls | not measured | 3 |",
    ]


def test_a_document_without_marks_is_left_alone():
    with pytest.raises(ValueError):
        replaced("nothing here\n", markdown({}))


def test_the_page_about_benchmarks_has_the_marks():
    replaced((ROOT / "tests" / "benchmarks" / "README.md").read_text(encoding="utf-8"), "")


def test_an_unknown_state_is_refused():
    with pytest.raises(SystemExit), checked_out("no-such-commit"):
        pass
