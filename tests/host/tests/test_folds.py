"""Folded text: where the rest stands, where the caret goes, and what opens it. The evidence is in `model/folds.py`."""

from __future__ import annotations

import pytest

LINES = "".join("line %d\n" % number for number in range(40))


@pytest.fixture
def view(bench):
    view = bench.open("a.txt", LINES.encode())
    view.fold(fold(view))
    return view


def fold(view, first=10, last=19):
    """What hides these rows: from the end of the one above to the end of the last one."""
    import sublime

    return sublime.Region(view.text_point(first, 0) - 1, view.text_point(last + 1, 0) - 1)


def top(view, row):
    return view.text_to_layout(view.text_point(row, 0))[1] / view.line_height()


def caret(view):
    return view.rowcol(view.sel()[0].b)


def put(bench, row, column=0):
    bench.gestures.select_rowcol(row, column)


def test_what_is_folded_takes_no_rows_on_the_screen(bench, view):
    assert [top(view, row) for row in (9, 20, 21)] == [9, 10, 11]
    assert view.layout_extent()[1] - top(view, 40) * view.line_height() < view.viewport_extent()[1]
    assert view.rowcol(view.layout_to_text((0, 10.5 * view.line_height()))) == (20, 0)
    assert [view.rowcol(point)[0] for point in view.visible_region()][1] > 40 - 2


def test_a_mark_stands_at_the_end_of_the_line_above(bench, view):
    (mark,) = view.folded_regions()
    x, y = view.text_to_layout(mark.begin())
    assert (x / view.em_width(), y / view.line_height()) == (6, 9)
    behind = view.text_to_layout(mark.end())
    assert behind[0] > x
    assert behind[1] == y
    assert view.layout_to_text((x + 1, y)) == mark.begin()
    assert view.layout_to_text((x + 900, y)) == mark.end()
    page = bench.gestures.render()
    assert "&#x2026;" in page
    assert "line 9<" in page
    assert "line 12<" not in page


def test_the_api_says_what_is_folded(bench, view):
    region = fold(view)
    assert view.folded_regions() == [region]
    assert view.is_folded(bench.sublime.Region(region.a + 3, region.b - 3))
    assert not view.is_folded(bench.sublime.Region(0, 3))
    assert view.fold(region) is False
    assert view.fold([region, fold(view, 25, 29)]) is True
    assert view.unfold(fold(view, 12, 13)) == [region]
    assert view.folded_regions() == [fold(view, 25, 29)]
    assert view.unfold(region) == []


def test_a_fold_around_another_takes_its_place(bench, view):
    assert view.fold(fold(view, 5, 30)) is True
    assert view.folded_regions() == [fold(view, 5, 30)]


def test_blocks_inside_a_fold_do_not_show_and_those_above_do(bench, view):
    for row, more in ((12, 0), (9, 1)):
        place = bench.sublime.Region(view.text_point(row, 0))
        view.add_phantom("block", place, "<div>block</div>", bench.sublime.LAYOUT_BLOCK)
        assert top(view, 20) == 10 + more


def test_the_arrow_keys_go_past_a_fold(bench, view):
    put(bench, 9, 2)
    view.run_command("move", {"by": "lines", "forward": True})
    assert caret(view) == (20, 2)
    view.run_command("move", {"by": "lines", "forward": False})
    assert caret(view) == (9, 2)
    put(bench, 9, 6)
    view.run_command("move", {"by": "characters", "forward": True})
    assert caret(view) == (19, 7)
    view.run_command("move", {"by": "characters", "forward": False})
    assert caret(view) == (9, 6)


def test_going_to_a_line_opens_the_fold_and_a_plugin_does_not(bench, view):
    view.sel().clear()
    view.sel().add(view.text_point(14, 0))
    view.show(view.text_point(14, 0))
    assert view.folded_regions() != []
    view.run_command("goto_line", {"line": 15})
    assert view.folded_regions() == []
    assert caret(view) == (14, 0)


def test_unfold_opens_what_stands_beside_the_caret_and_selects_it(bench, view):
    region = fold(view)
    put(bench, 9, 2)
    view.run_command("unfold")
    assert view.folded_regions() == [region]
    put(bench, 9, 6)
    view.run_command("unfold")
    assert view.folded_regions() == []
    assert list(view.sel()) == [region]
    view.run_command("fold")
    assert view.folded_regions() == [region]
    view.run_command("unfold_all")
    assert view.folded_regions() == []


def test_a_click_on_the_mark_opens_it_and_no_event_tells(bench, view):
    events = len(bench.gestures.events())
    bench.gestures.click_fold()
    assert view.folded_regions() == []
    assert bench.gestures.events(events) == []
    with pytest.raises(LookupError):
        bench.gestures.click_fold()


def test_folds_move_with_the_text_and_open_when_it_changes_inside(bench, view):
    put(bench, 3)
    bench.gestures.type_text("new\n")
    put(bench, 10, 6)
    bench.gestures.type_text("!")
    assert view.folded_regions() == [fold(view, 11, 20)]
    view.run_command("append", {"characters": "more\n"})
    assert view.folded_regions() == [fold(view, 11, 20)]
    put(bench, 15)
    bench.gestures.type_text("x")
    assert view.folded_regions() == []


def test_changed_text_may_stay_folded(bench, view):
    bench.host.quirks = bench.host.quirks | {"folds_stay"}
    put(bench, 15)
    bench.gestures.type_text("x\n")
    assert view.folded_regions() == [fold(view, 10, 20)]


def test_folding_may_scroll_to_the_caret(bench, view):
    bench.host.quirks = bench.host.quirks | {"folding_scrolls"}
    long = bench.open("b.txt", (LINES * 20).encode())
    long.set_viewport_position((0, 4000), False)
    long.fold(fold(long, 300, 310))
    assert long.viewport_position() == (0, 0)


def test_a_scrolled_view_stays_inside_what_is_left(bench, view):
    long = bench.open("b.txt", (LINES * 20).encode())
    long.set_viewport_position((0, 12000), False)
    long.fold(fold(long, 5, 790))
    assert long.viewport_position()[1] <= long.layout_extent()[1] - long.viewport_extent()[1]
