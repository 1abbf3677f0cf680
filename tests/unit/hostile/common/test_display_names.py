"""Names of files and clients hide nothing, turn nothing round, break no line, and are no wider than their place."""

from __future__ import annotations

import html
import logging
import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion import log
from companion.common.display_names import (
    CLIENT_COLUMNS,
    client_name,
    columns,
    cut_middle,
    file_name,
    has_control_characters,
    shown,
    wrapped,
)
from companion.diagnosis.checks import Facts, WindowFacts, render
from companion.endpoint.agent_row import display_name
from companion.protocol.tools import ClientSession
from companion.review.display.header import Header, header_rows, status_text

EVIL = "a\nb\r\t\x1b[31m\x7f\x9b\u202etxt.exe\u2066\u200f\u061c\u2028\u2029\u0085\u200b\ufeff\ud800z"
FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
PERSIAN = "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"

any_text = st.text(st.characters(), max_size=60)


def hidden(text):
    """The characters in it that would not be seen, or would change how others are seen."""
    hiding = ("Cc", "Cf", "Zl", "Zp", "Cs")
    return [each for each in text if unicodedata.category(each) in hiding and each not in "\u200c\u200d"]


@pytest.mark.parametrize("character", sorted(set(EVIL) - set("abtxz.e[31m")))
def test_what_hides_is_made_visible(character):
    assert shown("x" + character + "y") == f"x<U+{ord(character):04X}>y"


def test_a_whole_name_of_tricks():
    assert hidden(shown(EVIL)) == []
    assert shown("annex\u202egpj.exe") == "annex<U+202E>gpj.exe"


@pytest.mark.parametrize(
    "name", ["plain.py", "Grüße.txt", "日本語.md", "e\u0301.txt", "a b.c", "\U0001f600.py", FAMILY, PERSIAN]
)
def test_ordinary_names_stay_as_they_are(name):
    assert shown(name) == name


def test_what_a_place_for_several_lines_needs_is_kept_and_nothing_else():
    assert shown("a\nb\tc\u202e", keep="\n\t") == "a\nb\tc<U+202E>"


@pytest.mark.parametrize("name", ["a\u200db", "a\u200cb", "\u200d", "\u200d\u200d", "é\u200d", "\u3164", "\u2800"])
def test_what_joins_nothing_or_has_no_shape_is_shown(name):
    assert "<U+" in shown(name)


@given(any_text)
def test_nothing_stays_hidden_and_showing_twice_changes_nothing(text):
    assert hidden(shown(text)) == []
    assert shown(shown(text)) == shown(text)


@given(any_text, st.integers(1, 40))
def test_what_is_cut_fits(text, width):
    cut = cut_middle(text, width)
    assert columns(cut) <= width
    assert cut == text or "\u2026" in cut


def test_the_middle_is_what_goes():
    assert cut_middle("short", 10) == "short"
    assert cut_middle("a_very_long_file_name.py", 11) == "a_ver\u2026me.py"
    assert cut_middle("日本語日本語.md", 9) == "日本\u2026.md"
    assert cut_middle("ab", 1) == "\u2026"


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("abc def", 7, ["abc def"]),
        ("abc def", 6, ["abc", "def"]),
        ("abcdefgh", 3, ["abc", "def", "gh"]),
        ("a bcdefg h", 3, ["a", "bcd", "efg", "h"]),
        ("\u4e00\u4e8c\u4e09", 4, ["\u4e00\u4e8c", "\u4e09"]),
        ("\u4e00\u4e8c", 1, ["\u4e00", "\u4e8c"]),
        ("  a   b  ", 9, ["a b"]),
        ("", 5, [""]),
    ],
)
def test_lines_are_as_long_as_they_may_be(text, width, lines):
    assert wrapped(text, width) == lines


@given(any_text, st.integers(2, 40))
def test_wrapped_lines_fit_and_lose_nothing(text, width):
    lines = wrapped(text, width)
    assert lines
    assert all(columns(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())


@pytest.mark.parametrize("name", ["a\x1b[2Jb", "a\nb", "a\x07", "a\x9bb", "a\x7f", "a\u2028b", "a\ud800"])
def test_control_characters_are_found(name):
    assert has_control_characters(name)
    assert not has_control_characters("Grüße\u202e 日本.py")


@pytest.mark.parametrize("name", ["x" * 5000000, "\u202e" * 100000, "日" * 100000])
def test_a_client_gives_itself_a_name_of_bounded_length(name):
    session = ClientSession("1", name, "1", "2025-06-18", 0.0, "CLI")
    assert columns(display_name(session)) <= CLIENT_COLUMNS
    assert hidden(display_name(session)) == []


def test_of_a_boundless_name_only_the_beginning_is_looked_at():
    assert "z" not in client_name("a" * 5000 + "z" * 5000)


@pytest.mark.parametrize("name", ["", "   ", "\n\t", "\u00a0\u2003"])
def test_a_client_without_a_name_that_can_be_seen_is_called_by_its_token(name):
    assert display_name(ClientSession("1", name, "1", "2025-06-18", 0.0, "Gemini CLI")) == "Gemini CLI"
    assert client_name(name) == ""


def test_a_files_name_is_its_last_part():
    assert file_name("/w/a\n.py") == "a<U+000A>.py"
    assert file_name("/") == "/"


def words(markup):
    return html.unescape(re.sub(r"<[^>]+>", "", markup)).replace("\xa0", " ")


@given(
    st.builds(
        Header,
        name=st.text(st.characters(), min_size=1, max_size=300),
        client=st.text(st.characters(), max_size=300),
        new_file=st.booleans(),
        compared=st.booleans(),
        added=st.integers(0, 99999),
        removed=st.integers(0, 99999),
        current=st.integers(0, 9),
        changes=st.integers(0, 99999),
        notes=st.lists(any_text, max_size=3).map(tuple),
        problem=any_text,
        changed_on_disk=st.booleans(),
        reading_failed=st.booleans(),
        columns=st.integers(6, 200),
        generation=st.integers(1, 99),
    )
)
def test_no_row_of_the_header_is_wider_than_its_view(header):
    rows = header_rows(header)
    for row in rows:
        buttons = len(re.findall('class="(?:accept|reject)"', row.markup))
        assert columns(words(row.markup)) + 2 * buttons == row.columns <= header.columns
        assert hidden(words(row.markup)) == []
    markup = "".join(row.markup for row in rows)
    links = {href.split("@")[0] for href in re.findall(r'href="([^"]*)"', markup)}
    assert {"accept", "reject"} <= links
    assert ("next" in links) == ("previous" in links)
    assert header.changes > 1 or "next" not in links
    assert markup.count('href="reload@') == header.changed_on_disk + header.reading_failed
    assert hidden(status_text(header)) == []


def test_a_message_of_the_log_is_one_line_and_hides_nothing():
    buffer = log.install()
    try:
        logging.getLogger(log.ROOT + ".part").warning("removed %s", EVIL)
        try:
            raise ValueError(EVIL)
        except ValueError:
            logging.getLogger(log.ROOT + ".part").exception("failed")
    finally:
        log.uninstall()
    first, second = buffer.lines()
    assert hidden(first) == []
    assert set(hidden(second)) == {"\n"}


def test_the_report_hides_nothing():
    window = WindowFacts(
        title="this window",
        is_this=True,
        port=1,
        problem=EVIL,
        folders=("/w/" + EVIL,),
        published_for=("gemini", "qwen"),
        sharing=True,
        clients=(f"{EVIL} {EVIL}, MCP 2025-06-18, connected at 10:00:00",),
        all_ports=(1,),
    )
    problem = "one\ntwo " + EVIL.replace("\n", "")
    facts = Facts(time="now", versions=(), windows=(window,), active_file=None, problems=(problem,))
    report = render(facts, {}, (), "/home/ada")
    assert set(hidden(report)) == {"\n"}
    assert "one\ntwo " in report
