"""What is drawn is not always what the API answers: selections, widths of phantoms, marks, fonts, annotations."""

from __future__ import annotations

import re

import pytest

from tests.host.model import minimap

MOVER = """
seen = []
class Listener(sublime_plugin.EventListener):
    def on_selection_modified(self, view): seen.append([(r.a, r.b) for r in view.sel()])
class PutCaretCommand(sublime_plugin.TextCommand):
    def run(self, edit, point):
        self.view.sel().clear()
        self.view.sel().add(point)
class PutCaretFromWindowCommand(sublime_plugin.WindowCommand):
    def run(self, point):
        self.window.active_view().sel().clear()
        self.window.active_view().sel().add(point)
"""
LINES = "".join("line %d\n" % number for number in range(200)).encode()


@pytest.fixture
def view(bench):
    return bench.open("a.txt", LINES)


def drawn(bench):
    return bench.gestures.snapshot_view()["selection"]


@pytest.mark.parametrize("how", ["handle", "window command"])
def test_a_selection_changed_outside_a_text_command_is_not_drawn_or_told(bench, view, how):
    module = bench.plugin(MOVER)
    if how == "handle":
        view.sel().clear()
        view.sel().add(7)
    else:
        bench.window.run_command("put_caret_from_window", {"point": 7})
    bench.settle()
    assert list(view.sel()) == [bench.sublime.Region(7, 7)]
    assert drawn(bench) == [[0, 0]]
    assert module.seen == []
    assert "Line 1, Column 1" in bench.gestures.render()
    bench.gestures.leave_application()
    bench.gestures.enter_application()
    assert drawn(bench) == [[7, 7]]
    assert module.seen == []


def test_a_text_command_draws_and_tells(bench, view):
    module = bench.plugin(MOVER)
    view.run_command("put_caret", {"point": 9})
    bench.settle()
    assert drawn(bench) == [[9, 9]]
    assert module.seen == [[(9, 9)]]


def test_a_text_command_of_one_view_draws_no_other(bench, view):
    bench.plugin(
        MOVER
        + """
class MoveOtherCommand(sublime_plugin.TextCommand):
    def run(self, edit, point):
        other = [view for view in self.view.window().views() if view != self.view][0]
        other.sel().clear()
        other.sel().add(point)
"""
    )
    other = bench.window.new_file()
    other.run_command("move_other", {"point": 5})
    assert bench.gestures.snapshot_view(view.id())["selection"] == [[0, 0]]


def test_scrolling_and_typing_draw_it_after_all(bench, view):
    view.sel().clear()
    view.sel().add(view.text_point(150, 0))
    assert drawn(bench) == [[0, 0]]
    view.show(view.sel()[0])
    assert drawn(bench) == [[view.sel()[0].a] * 2]
    view.sel().clear()
    view.sel().add(3)
    bench.gestures.type_text("x")
    assert drawn(bench) == [[4, 4]]


def test_a_block_is_only_as_wide_as_its_content(bench, view):
    sublime, em = bench.sublime, view.em_width()
    for html, width in (
        ("<div>four</div>", 4 * em),
        ('<div style="padding: 0 10px 0 20px">four</div>', 4 * em + 30),
        ('<div style="padding-left: 300px"></div>', 300),
        ('<div style="width: 100%">ab</div>', 2 * em),
        ("<p>%s</p>" % " ".join(["word"] * 8), 39 * em),
    ):
        view.add_phantom("k", sublime.Region(0), html, sublime.LAYOUT_BLOCK)
        assert bench.gestures.snapshot_view()["phantoms"][0]["width"] == width, html
        view.erase_phantoms("k")
    assert bench.errors() == ["unknown CSS property width"]
    view.add_phantom("k", sublime.Region(0), "<b>x</b>", sublime.LAYOUT_BLOCK)
    assert "width:max-content" in bench.gestures.render()


def test_marks_end_with_the_text_of_their_line(bench, view):
    view.add_regions("k", [bench.sublime.Region(0, 7)], "diff.inserted", "", bench.sublime.DRAW_NO_OUTLINE)
    mark = re.compile(r'class="mark" style="left:([\d.]+)px;top:[\d.]+px;width:([\d.]+)px')
    ((left, width),) = mark.findall(bench.gestures.render())
    assert (float(left), float(width)) == (0.0, 6 * view.em_width())


def test_zooming_changes_sizes_without_a_word(bench, view):
    before = len(bench.gestures.events())
    height, em, extent = view.line_height(), view.em_width(), view.viewport_extent()
    html = '<div style="line-height: 20px">a</div>'
    view.add_phantom("px", bench.sublime.Region(0), html, bench.sublime.LAYOUT_BLOCK)
    bench.gestures.zoom(1.5)
    assert (view.line_height(), view.em_width()) == (1.5 * height, 1.5 * em)
    gutter = 1600 - 96 - extent[0]
    assert view.viewport_extent() == (extent[0] - 0.5 * gutter, extent[1]), "the gutter's numbers have become wider"
    assert view.text_to_layout(view.text_point(2, 0))[1] == 3 * view.line_height()
    assert view.text_to_layout(3)[0] == 3 * view.em_width()
    bench.settle()
    assert bench.gestures.events()[before:] == []


def test_line_padding_makes_lines_higher_but_no_phantom_lower_than_text(bench, view):
    view.settings().set("line_padding_top", -3)
    view.settings().set("line_padding_bottom", -1)
    assert view.line_height() == 16
    html = '<div style="line-height: 16px">&nbsp;</div>'
    view.add_phantom("k", bench.sublime.Region(0), html, bench.sublime.LAYOUT_BLOCK)
    assert view.text_to_layout(view.text_point(1, 0))[1] == 16 + 20


def test_annotations_of_a_view_in_the_back_stay_as_drawn(bench, view):
    clicked = []

    def annotate(what):
        view.add_regions(
            "k",
            [bench.sublime.Region(0, 4)],
            "region.redish",
            annotations=["<a href='%s'>x</a>" % what],
            on_navigate=clicked.append,
        )

    annotate("old")
    bench.host.quirks = frozenset(["stale_annotations"])
    bench.window.new_file()
    annotate("new")
    bench.gestures.click_annotation("k", "old", view=view.id())
    assert clicked == ["old"]
    bench.gestures.focus_view(view.id())
    bench.gestures.click_annotation("k", "new")
    with pytest.raises(LookupError):
        bench.gestures.click_annotation("k", "old")
    bench.host.quirks = frozenset()
    bench.window.new_file()
    annotate("newest")
    bench.gestures.click_annotation("k", "newest", view=view.id())


def test_the_minimap_shows_every_row_of_a_visible_region_that_is_not_empty(bench):
    view, sublime = bench.open("rows.txt", b"ab\n\nabcd\n"), bench.sublime
    bare = sublime.DRAW_NO_FILL | sublime.DRAW_NO_OUTLINE  # which the text does not show
    view.add_regions("rows", [sublime.Region(1, 6)], "region.redish", "dot", bare)
    view.add_regions("hidden", [sublime.Region(0, 3)], "region.greenish", "dot", sublime.HIDDEN)
    view.add_regions("elsewhere", [sublime.Region(0, 3)], "region.greenish", "", sublime.HIDE_ON_MINIMAP)
    view.add_regions("empty", [sublime.Region(0, 0)], "region.greenish", "dot")
    view.add_regions("colourless", [sublime.Region(0, 3)])
    found = [stripe[:4] for stripe in minimap.stripes(bench.host.views[view.id()])]
    assert found == [("rows", 0, 1, 3), ("rows", 1, 0, 1), ("rows", 2, 0, 2)]


def test_what_is_filled_loses_the_colors_of_its_syntax(bench):
    """Evidence: sublime_text 3729, 817, 2976, 5844; BracketHighlighter 250."""
    view, sublime = bench.open("code.py", b"return 1\nreturn 2\n"), bench.sublime
    keyword, style = bench.host.scheme.for_scope("keyword")["foreground"], bench.host.scheme.style
    colored = '<span style="color:%s">return</span>' % keyword
    assert bench.gestures.render().count(colored) == 2
    view.add_regions("outlined", [sublime.Region(0, 9)], "diff.inserted", "", sublime.DRAW_NO_FILL)
    assert bench.gestures.render().count(colored) == 2
    view.add_regions("filled", [sublime.Region(0, 9)], "diff.inserted", "", sublime.DRAW_NO_OUTLINE)
    assert bench.gestures.render().count(colored) == 1
    assert '<span style="color:%s">return</span>' % style["foreground"] in bench.gestures.render()
    bench.without("fills_replace")
    assert bench.gestures.render().count(colored) == 2


def test_without_a_background_the_foreground_fills_and_inverts_the_text(bench):
    """Evidence: sublime_text 3035, 2976; Colorcoder 32."""
    view, style = bench.open("code.py", b"return 1\n"), bench.host.scheme.style
    view.add_regions("k", [bench.sublime.Region(0, 6)], "region.greenish", "", bench.sublime.DRAW_NO_OUTLINE)
    page = bench.gestures.render()
    assert re.search('class="mark" style="[^"]*background:%s' % style["greenish"], page)
    assert '<span style="color:%s">return</span>' % style["background"] in page


def test_marks_are_drawn_as_their_keys_first_came_and_the_first_icon_shows(bench, view):
    """Evidence: LSP 1593, 1928."""
    sublime, style = bench.sublime, bench.host.scheme.style

    def add(key, color, icon="dot"):
        view.add_regions(key, [sublime.Region(0, 4)], "region." + color, icon, sublime.DRAW_NO_FILL)

    def order():
        page = bench.gestures.render()
        drawn = re.findall('class="edge" style="[^"]*background:(#[0-9a-f]+)', page)
        icons = re.findall('class="icon" style="color:(#[0-9a-f]+)', page)
        return [list(style)[list(style.values()).index(color)] for color in (drawn[0], drawn[-1], *icons)]

    add("one", "redish")
    view.erase_regions("one")
    add("two", "bluish")
    add("one", "redish")
    assert order() == ["redish", "bluish", "redish"]
    assert [stripe.key for stripe in minimap.stripes(bench.host.views[view.id()])] == ["one", "two"]
    bench.without("keys_keep_order")
    assert order() == ["bluish", "redish", "bluish"]


def test_an_annotation_begins_behind_its_text_and_ends_at_the_edge_cut_off(bench):
    """Evidence: SublimeLinter 1815; in LSP's documentation, short ones end at the edge and long ones are cut off."""
    texts = [b"short", b"x" * (columns_of(bench) - 3), b"x" * 500]
    view, sublime = bench.open("code.py", b"\n".join(texts)), bench.sublime
    em, width, clicked = view.em_width(), view.viewport_extent()[0], []
    links = ['<a href="%d">go to it</a>' % number for number in range(3)]
    points = [sublime.Region(view.text_point(row, 0)) for row in range(3)]
    view.add_regions("k", points, annotations=links, on_navigate=clicked.append)

    def lefts():
        return [float(each) for each in re.findall(r"white-space:nowrap;left:([\d.-]+)px", bench.gestures.render())]

    short = width - 8 * em - 19
    assert lefts() == pytest.approx([short, (len(texts[1]) + 1) * em, 501 * em], abs=0.01)
    for number in range(2):
        bench.gestures.click_annotation("k", str(number), index=number)
    with pytest.raises(LookupError, match="cut off"):
        bench.gestures.click_annotation("k", "2", index=2)
    view.set_viewport_position((8.0, 0.0))
    assert lefts() == pytest.approx([short, (len(texts[1]) + 1) * em - 8, 501 * em - 8], abs=0.01)
    bench.without("annotations_shrink")
    assert lefts() == pytest.approx([short] * 3, abs=0.01)
    bench.gestures.click_annotation("k", "2", index=2)
    assert clicked == ["0", "1", "2"]


def columns_of(bench):
    """How many columns a view of the window shows."""
    view = bench.open("wide.txt", b"")
    return int(view.viewport_extent()[0] / view.em_width())


def test_an_outline_goes_around_all_rows_of_its_region(bench, view):
    """One shape around a block, not a box around each row (pictures of the editor's own matches, and of LSP)."""
    sublime, em, height = bench.sublime, view.em_width(), view.line_height()
    bench.plugin(
        "class PutCommand(sublime_plugin.TextCommand):\n"
        "    def run(self, edit):\n"
        "        self.view.replace(edit, sublime.Region(0, self.view.size()), 'four\\nsixsix\\ntwo\\n')"
    )
    view.run_command("put")
    view.add_regions("k", [sublime.Region(0, 12)], "region.redish", "", sublime.DRAW_NO_FILL)
    box = r'class="edge" style="left:([\d.]+)px;top:([\d.]+)px;width:([\d.]+)px;height:([\d.]+)px;background'
    flat = [tuple(map(float, each)) for each in re.findall(box, bench.gestures.render()) if float(each[3]) == 1]
    assert flat == [(0, 0, 4 * em, 1), (4 * em - 1, height, 2 * em + 1, 1), (0, 2 * height - 1, 6 * em, 1)]
