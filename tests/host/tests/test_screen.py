"""Where things stand on the screen: scrolling, phantoms between lines, colours."""

from __future__ import annotations

import pytest

LINES = "".join("line %d\n" % number for number in range(200))


@pytest.fixture
def view(bench):
    return bench.open("a.txt", LINES.encode())


def test_phantoms_push_lines_down(bench, view):
    sublime, height = bench.sublime, view.line_height()
    phantoms = sublime.PhantomSet(view, "k")
    point = view.text_point(2, 0)
    below = view.text_point(3, 0)
    for html, rows in (
        ("<div>a</div><div>b</div>", 2),
        ("<div>&nbsp;</div>", 1),
        ("x<br>y<br>z", 3),
        ('<div style="padding-top: %dpx"></div>' % (7 * height), 7),
        (
            "<style>div { line-height: %dpx; } .f { padding: %dpx 0 0 0 }</style><div class='f'>a</div>"
            % (height, 2 * height),
            3,
        ),
    ):
        phantoms.update([sublime.Phantom(sublime.Region(point), html, sublime.LAYOUT_BLOCK)])
        assert view.text_to_layout(below)[1] == (3 + rows) * height, html
        assert view.text_to_layout(point)[1] == 2 * height
    phantoms.update([sublime.Phantom(sublime.Region(point), "<b>inline</b>", sublime.LAYOUT_INLINE)])
    assert view.text_to_layout(below)[1] == 3 * height


def test_long_phantoms_wrap_at_the_width_of_the_view(bench, view):
    """As in the editor: the same phantom is higher in a narrower view."""
    sublime, height = bench.sublime, view.line_height()
    view.add_phantom("k", sublime.Region(0), "<div>%s</div>" % " ".join(["word"] * 30), sublime.LAYOUT_BLOCK)
    view.add_phantom("k", sublime.Region(0), "<div>%s</div>" % "&nbsp;".join(["word"] * 30), sublime.LAYOUT_BLOCK)
    second = view.text_point(1, 0)
    assert view.text_to_layout(second)[1] == 3 * height
    bench.gestures.resize_window(800, 600)
    columns = int(view.viewport_extent()[0] // view.em_width())
    assert 75 < columns < 149
    assert view.text_to_layout(second)[1] == 4 * height


def test_phantom_sets(bench, view):
    sublime = bench.sublime
    phantoms = sublime.PhantomSet(view, "k")
    first = sublime.Phantom(sublime.Region(10, 12), "<b>1</b>", sublime.LAYOUT_BELOW)
    phantoms.update([first])
    number = first.id
    view.sel().clear()
    view.sel().add(0)
    view.run_command("insert", {"characters": "12345"})
    assert view.query_phantoms([number]) == [sublime.Region(15, 17)]
    same = sublime.Phantom(sublime.Region(15, 17), "<b>1</b>", sublime.LAYOUT_BELOW)
    phantoms.update([same])
    assert same.id == number
    view.erase_phantoms("k")
    assert view.query_phantoms([number]) == [sublime.Region(-1)]
    phantoms.update([sublime.Phantom(sublime.Region(0), "<b>2</b>", sublime.LAYOUT_BLOCK)])
    assert len(bench.gestures.snapshot_view()["phantoms"]) == 1
    del phantoms
    import gc

    gc.collect()
    assert bench.gestures.snapshot_view()["phantoms"] == []


def test_scrolling_is_clamped(bench, view):
    view.set_viewport_position((0.0, 300.0), False)
    assert view.viewport_position() == (0.0, 300.0)
    view.set_viewport_position((-5, 1e9))
    height = view.viewport_extent()[1]
    assert view.viewport_position()[0] == 0.0
    assert view.viewport_position()[1] == view.layout_extent()[1] - height
    view.settings().set("scroll_past_end", False)
    view.set_viewport_position((0, 1e9))
    assert view.viewport_position()[1] == view.text_to_layout(view.size())[1] + view.line_height() - height


@pytest.mark.parametrize("late", [True, False])
def test_an_undrawn_view_has_no_size_and_centred_text_comes_to_its_top(bench, late):
    """Evidence: sublime_text 538, 3128, 4687."""
    if not late:
        bench.without("late_size")
    view = bench.window.new_file()
    view.run_command("append", {"characters": LINES})
    view.show_at_center(view.text_point(100, 0))
    assert (view.viewport_extent() == (0.0, 0.0)) is late
    top = view.text_to_layout(view.text_point(100, 0))[1]
    assert (abs(view.viewport_position()[1] - top) < view.line_height()) is late
    bench.draw()
    assert min(view.viewport_extent()) > 0
