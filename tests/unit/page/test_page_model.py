"""The text of the page: what its rows say, what they stand for, and how one gets from one to the other."""

from __future__ import annotations

import pytest

from companion.comments.model import TextSide
from companion.page import model
from companion.page.model import (
    Body,
    PageFile,
    PageFileState,
    PageLayout,
    Part,
    Remark,
    RowKind,
    introduction,
    parts_of,
    rows_of,
    with_remarks,
)
from companion.review.decision import Owner, Review, Source
from companion.review.document.analysis import analyse
from companion.review.document.disk import Kind, Original
from companion.review.document.text import ProposedText
from companion.unreviewed.content import Content
from companion.unreviewed.evidence import Origin
from companion.unreviewed.model import ChangeKind, UnreviewedChange
from companion.unreviewed.texts import TextPair

LEFT = "".join(f"line {number}\n" for number in range(30))
RIGHT = LEFT.replace("line 2\n", "lane 2\n").replace("line 20\n", "").replace("line 25\n", "line 25\nnew\n")


def body(left=LEFT, right=RIGHT, **more):
    pair = TextPair(Original("/w/a.py", Kind.TEXT, left), ProposedText(right), by_lines=True)
    return Body(pair, **more).compared(analyse(left, right))


def file(name="a.py", left=LEFT, right=RIGHT, origin=Origin("Claude Code", "make the tests pass"), **more):
    contents = Content("1"), Content("2")
    change = UnreviewedChange(name, ChangeKind.CHANGED, *contents, 1, origin=origin, folder="/w", **more)
    found = PageFile("/w/" + name, name, None, change)
    found.body = body(left, right, change=change)
    return found


def layout(*files):
    found = PageLayout()
    parts = [*parts_of(None, introduction(len(files), False, ()))]
    for number, each in enumerate(files, 1):
        parts += parts_of(each, rows_of(each, number, len(files)))
    for number, part in enumerate(parts):
        found.put(number, part, 0)
    return found


def text(of):
    return "".join(part.text for part in of.parts)


def line(of, placed):
    start = of.point(placed)
    return text(of)[start:].split("\n")[0]


# -- what it says ------------------------------------------------------------------------------------------------------


def test_a_file_begins_with_what_the_user_has_to_know_of_it():
    shown = [row.text for row in rows_of(file(), 2, 4)]
    assert shown[0] == '2 of 4  a.py  +2 \u22122  Claude Code: "make the tests pass"'
    assert shown[1:6] == ["@@ -1,6 +1,6 @@", " line 0", " line 1", "-line 2", "+lane 2"]
    assert shown[6:10] == [" line 3", " line 4", " line 5", "@@ -18,12 +18,12 @@"]
    assert shown[-1] == ""


def test_whose_a_file_is_that_no_step_of_an_agent_has_changed():
    head = next(rows_of(file(origin=Origin(counted=False)), 1, 1)).text
    assert head == "1 of 1  a.py  +2 \u22122  changed outside of an agent's steps"


def test_a_name_can_break_no_line():
    head = next(rows_of(file("a\n+b\u202e.py"), 1, 1)).text
    assert head.startswith("1 of 1  a<U+000A>+b<U+202E>.py  ")


def test_a_proposal_says_who_proposes_it():
    review = Review(Owner("1", "Gemini CLI"), "/w/a.py", RIGHT, Source())
    found = PageFile("/w/a.py", "a.py", review)
    assert [row.text for row in rows_of(found, 1, 1)] == ["1 of 1  a.py  proposed by Gemini CLI", ""]
    found.body = body()
    assert next(rows_of(found, 1, 1)).text == "1 of 1  a.py  +2 \u22122  proposed by Gemini CLI"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "\u2713 nothing left to decide: a.py"),
        (["kept", "kept"], "\u2713 kept a.py"),
        (["kept", "undone"], "\u2713 decided in part: kept, undone a.py"),
    ],
)
def test_a_file_that_is_decided_is_one_line(words, said):
    found = file()
    found.words = words
    assert found.go(PageFileState.DECIDED)
    assert [row.text for row in rows_of(found, 1, 1)] == [said]
    assert not found.go(PageFileState.DECIDING)


def test_rows_have_the_signs_and_the_characters_of_a_review():
    rows = body().rows
    assert [(row.text, row.sign) for row in rows if row.sign] == [
        ("-line 2", "changed"),
        ("+lane 2", "changed"),
        ("-line 20", "removed"),
        ("+new", "added"),
    ]
    marked = {row.text: [row.text[a:b] for a, b in row.parts] for row in rows if row.parts}
    assert marked == {"-line 2": ["line"], "+lane 2": ["lane"]}


def test_lines_of_a_block_that_moved_say_so():
    block = "".join(f"this is the line {number} of a block\n" for number in range(8))
    rows = body(block + LEFT, LEFT + block).rows
    assert {row.sign for row in rows if "block" in row.text and row.changed} == {"moved"}


# -- remarks -----------------------------------------------------------------------------------------------------------


def test_remarks_stand_below_their_lines_or_at_the_top_for_lines_not_shown():
    remarks = [Remark(TextSide.NEW, 3, ("one", "two")), Remark(TextSide.OLD, 3, ("old",))]
    remarks.append(Remark(TextSide.NEW, 15, ("far",)))
    rows = list(with_remarks(body().rows, remarks))
    shown = [row.text for row in rows]
    assert shown[:2] == ["far", "@@ -1,6 +1,6 @@"]
    assert shown[4:9] == ["-line 2", "old", "+lane 2", "one", "two"]
    assert [row.kind for row in rows[7:9]] == [RowKind.REMARK] * 2
    assert [row for row in rows if row.kind is not RowKind.REMARK] == list(body().rows)


# -- where rows are ----------------------------------------------------------------------------------------------------


def test_long_files_are_cut_into_parts_of_bounded_size():
    long = file(left="", right="x\n" * 5000)
    parts = list(parts_of(long, rows_of(long, 1, 1)))
    assert max(len(part.rows) for part in parts) == model.PART_ROWS
    assert sum(len(part.rows) for part in parts) == 5000 + len(["head", "lines", "blank"])
    wide = file(left="", right=("x" * 1000 + "\n") * 500)
    assert max(len(part.text) for part in parts_of(wide, rows_of(wide, 1, 1))) < 2 * model.PART_CHARACTERS


def test_each_point_is_in_the_row_that_the_text_has_there():
    found = layout(file("a.py"), file("b.py"))
    lines = text(found).split("\n")
    for point in range(len(text(found))):
        placed = found.at(point)
        row = text(found).count("\n", 0, point)
        assert placed.row.text == lines[row]
        assert found.point(placed) == sum(len(each) + 1 for each in lines[:row])
    assert PageLayout().at(0) is None


def test_keys_go_through_all_changes_in_both_directions():
    found = layout(file("a.py"), file("b.py"))
    seen, point = [], 0
    while found.next_change(point) is not None:
        placed = found.next_change(point)
        point = found.point(placed)
        seen.append((placed.file.label, placed.row.text))
    texts = ["-line 2", "-line 20", "+new"]
    assert seen == [(name, each) for name in ("a.py", "b.py") for each in texts]
    back = []
    point = len(text(found))
    while found.previous_change(point) is not None:
        placed = found.previous_change(point)
        point = found.point(placed)
        back.append((placed.file.label, placed.row.text))
    assert back == seen[::-1]


def test_from_inside_a_change_the_next_one_is_another_one():
    found = layout(file())
    inside = text(found).index("+lane 2") + 3
    assert line(found, found.next_change(inside)) == "-line 20"
    assert found.previous_change(inside) is None
    between = text(found).index(" line 4")
    assert line(found, found.previous_change(between)) == "-line 2"


def test_a_change_that_is_cut_in_two_is_one():
    left, right = "".join(f"{n}\n" for n in range(1000)), "".join(f"{n}.\n" for n in range(1000))
    found = layout(file(left=left, right=right))
    first = found.next_change(0)
    assert found.next_change(found.point(first)) is None
    assert found.previous_change(len(text(found))) == first


def test_keys_go_from_file_to_file_that_waits():
    files = [file("a.py"), file("b.py"), file("c.py")]
    files[1].go(PageFileState.DECIDED)
    found = layout(*files)
    first = found.next_file(0, True)
    second = found.next_file(found.point(first), True)
    assert [first.file.label, second.file.label] == ["a.py", "c.py"]
    assert found.next_file(found.point(second), True) is None
    assert found.next_file(len(text(found)), False) == first  # from inside the last one


def test_a_selection_touches_rows_but_not_the_one_that_it_ends_before():
    found = layout(file())
    start, end = text(found).index("-line 2"), text(found).index(" line 3")
    assert [each.row.text for each in found.between(start, end)] == ["-line 2", "+lane 2"]
    assert [each.row.text for each in found.between(start, start)] == ["-line 2"]


def test_parts_can_be_put_in_the_place_of_others():
    found = layout(file("a.py"), file("b.py"))
    decided = found.parts[1].file
    decided.go(PageFileState.DECIDED)
    before = text(found)
    found.put(1, Part(decided, list(rows_of(decided, 1, 2))), 1)
    first = before[before.index("1 of 2") : before.index("2 of 2")]
    assert text(found) == before.replace(first, "\u2713 nothing left to decide: a.py\n")
    found.put(1, None, 1)
    assert line(found, found.next_file(0, True)).startswith("2 of 2  b.py")


def test_the_same_texts_are_known_again():
    one, other = body(), body()
    assert one.shows_same(other)
    assert one.changed_texts == (("line 2\n", "lane 2\n"), ("line 20\n", ""), ("", "new\n"))
    assert not one.shows_same(body(right=RIGHT + "more\n", proposed="x"))
    assert not one.shows_same(body(left=LEFT + "more\n"))
