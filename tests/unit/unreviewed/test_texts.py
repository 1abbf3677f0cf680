"""What is said of a change beside its texts, and where a line of the text is one of the bytes."""

from __future__ import annotations

import pytest

from companion.unreviewed.content import Content
from companion.unreviewed.evidence import Origin
from companion.unreviewed.model import ChangeKind, UnreviewedChange
from companion.unreviewed.texts import about, change_item, line_by_line


def test_a_change_that_no_text_shows_is_told():
    change = UnreviewedChange("a.txt", ChangeKind.CHANGED, Content("a"), Content("b"), 1)
    assert about(change) == ""
    assert about(change._replace(kind=ChangeKind.DELETED)) == "The file was deleted."


@pytest.mark.parametrize(
    ("origin", "said"),
    [
        (Origin("Claude Code", "make the tests pass"), 'Claude Code: "make the tests pass"'),
        (Origin("Claude Code"), "Claude Code"),
        (Origin(), ""),
    ],
)
def test_the_list_says_why_a_change_cannot_be_undone_and_whose_it_is(origin, said):
    change = UnreviewedChange("a.txt", ChangeKind.CHANGED, Content("a"), Content("b"), 1, "", origin)
    assert change_item(change._replace(obstacle="It cannot.")) == ("It cannot.", said)


@pytest.mark.parametrize(
    ("data", "encoding", "expected"),
    [
        (b"1\n2\r\n3", "UTF-8", True),
        (b"1\r2\n", "UTF-8", False),
        (b"1\r2\r", "UTF-8", False),
        (b"\xe9\n", "Western (Windows 1252)", True),
        ("\ufeff\u010a".encode("utf-16-le"), "UTF-16 LE with BOM", False),
        ("\ufeff1\n2".encode("utf-16-le"), "UTF-16 LE with BOM", False),
    ],
)
def test_a_line_of_the_text_is_one_of_the_bytes_or_is_known_not_to_be(data, encoding, expected):
    codecs = {"UTF-8": "utf-8", "Western (Windows 1252)": "cp1252", "UTF-16 LE with BOM": "utf-16"}
    shown = data.decode(codecs[encoding]).replace("\r\n", "\n").replace("\r", "\n")
    assert line_by_line(data, shown, encoding) is expected
