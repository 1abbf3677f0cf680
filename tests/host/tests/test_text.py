"""Texts, positions, selections, undo, and what moves with the text."""

from __future__ import annotations

import random

import pytest

PLUGIN = """
class ReplaceCommand(sublime_plugin.TextCommand):
    def run(self, edit, a, b, text):
        self.view.replace(edit, sublime.Region(a, b), text)
class InsertOneCommand(sublime_plugin.TextCommand):
    def run(self, edit, text):
        self.view.insert(edit, 0, text)
class EraseCommand(sublime_plugin.TextCommand):
    def run(self, edit, a, b):
        self.view.erase(edit, sublime.Region(a, b))
class TwiceCommand(sublime_plugin.TextCommand):
    def run(self, edit):
        self.view.insert(edit, 0, "a")
        self.view.run_command("replace", {"a": 0, "b": 0, "text": "b"})
        self.view.insert(edit, 0, "c")
"""


@pytest.fixture
def texts(bench):
    bench.plugin(PLUGIN)
    return bench


def make(bench, text):
    view = bench.window.new_file()
    view.run_command("replace", {"a": 0, "b": 0, "text": text})
    view.run_command("move_to", {"to": "bof"})
    return view


def test_a_replacement_around_the_caret_scrolls_to_it_whatever_is_put_back(texts):
    """Evidence: sublime_text 2560; what is erased and inserted does not scroll."""
    view = make(texts, "line\n" * 300)
    texts.draw()
    view.run_command("replace", {"a": 0, "b": 4, "text": "first line"})
    view.set_viewport_position((0.0, 2000.0), False)
    texts.settle()
    assert view.viewport_position()[1] == 0.0
    view.set_viewport_position((0.0, 2000.0), False)
    view.run_command("replace", {"a": 100, "b": 104, "text": "elsewhere"})
    texts.settle()
    assert view.viewport_position()[1] == 2000.0


def test_only_the_line_feed_ends_a_line(texts):
    view = make(texts, "a\x0bb\x0cc\x85d\u2028e\rf\ng")
    region = texts.sublime.Region
    assert view.lines(region(0, view.size())) == [region(0, 11), region(12, 13)]
    assert view.full_line(0) == region(0, 12)
    assert view.line(0) == region(0, 11)


def test_lines_of_a_region_that_ends_at_a_line_start(texts):
    view = make(texts, "one\ntwo\nthree")
    region = texts.sublime.Region
    assert view.lines(region(0, 4)) == [region(0, 3)]
    assert view.lines(region(4, 4)) == [region(4, 7)]
    assert view.substr(2) == "e"
    assert view.substr(99) == "\x00"
    assert view.substr(region(5, 2)) == "e\nt"


def test_selections_are_sorted_and_merged(texts):
    view = make(texts, "0123456789")
    region, selection = texts.sublime.Region, view.sel()
    selection.clear()
    selection.add_all([region(6, 8), region(3, 1), 9])
    assert [r.to_tuple() for r in selection] == [(3, 1), (6, 8), (9, 9)]
    selection.add_all([region(2, 7), 400])
    assert [r.to_tuple() for r in selection] == [(1, 8), (9, 9), (10, 10)]
    with pytest.raises(IndexError):
        selection[5]


@pytest.mark.parametrize(
    "start, end, text, before, after",
    [
        (2, 2, "xx", (0, 2), (0, 4)),
        (2, 4, "", (3, 3), (2, 2)),
        (2, 4, "", (5, 5), (3, 3)),
        (2, 4, "xyz", (2, 4), (2, 5)),  # a replacement keeps what selects it
        (2, 6, "x", (3, 4), (3, 3)),
    ],
)
def test_what_stands_in_a_text_moves_with_it(texts, start, end, text, before, after):
    view = make(texts, "0123456789")
    region = texts.sublime.Region
    view.sel().clear()
    view.sel().add(region(*before))
    view.add_regions("k", [region(*before)])
    view.run_command("replace", {"a": start, "b": end, "text": text})
    assert view.sel()[0].to_tuple() == after
    assert view.get_regions("k")[0].to_tuple() == after


def test_an_insertion_pushes_the_caret_that_it_happens_at(texts):
    view = make(texts, "23")
    view.run_command("insert_one", {"text": "01"})
    assert view.substr(texts.sublime.Region(0, 4)) == "0123"
    assert view.sel()[0].to_tuple() == (2, 2)


@pytest.mark.parametrize(
    "start, end, text, before, after",
    [
        (5, 5, "BAZ", (0, 0), (0, 0)),
        (5, 5, "BAZ", (5, 5), (5, 8)),  # what stands there is selected
        (0, 6, "BAZ", (0, 0), (0, 0)),
        (0, 6, "BAZBARFOO", (0, 0), (3, 3)),  # it moves by what is more
    ],
)
def test_a_replacement_takes_a_caret_at_its_start_along(texts, start, end, text, before, after):
    """As in sublimehq/sublime_text 1165 and 4144."""
    view = make(texts, "0123456789")
    view.sel().clear()
    view.sel().add(texts.sublime.Region(*before))
    view.run_command("replace", {"a": start, "b": end, "text": text})
    assert view.sel()[0].to_tuple() == after


def test_undo_steps(texts):
    view = make(texts, "")
    for character in "ab":
        view.run_command("insert", {"characters": character})
    view.run_command("twice")
    assert texts.text(view) == "cbaab"
    view.run_command("undo")
    assert texts.text(view) == "ab"
    view.run_command("undo")
    assert texts.text(view) == ""
    assert not view.is_dirty()
    view.run_command("redo")
    view.run_command("redo")
    assert texts.text(view) == "cbaab"
    view.run_command("undo")
    view.run_command("insert", {"characters": "!"})
    view.run_command("redo")
    assert "!" in texts.text(view)


def test_undo_brings_the_selection_back(texts):
    view = make(texts, "0123456789")
    view.sel().clear()
    view.sel().add(texts.sublime.Region(3, 6))
    view.run_command("insert", {"characters": "x"})
    assert texts.text(view) == "012x6789"
    assert view.sel()[0].to_tuple() == (4, 4)
    view.run_command("undo")
    assert view.sel()[0].to_tuple() == (3, 6)


def test_dirty_follows_undo_across_a_save(texts):
    view = texts.open("a.txt", b"x")
    view.run_command("insert", {"characters": "1"})
    view.run_command("save")
    assert not view.is_dirty()
    view.run_command("undo")
    assert view.is_dirty()
    view.run_command("redo")
    assert not view.is_dirty()
    view.set_scratch(True)
    view.run_command("insert", {"characters": "2"})
    assert not view.is_dirty()


def test_random_edits_keep_lines_and_undo_exact(texts):
    chance = random.Random(7)
    view = make(texts, "start\nwith\nthis")
    states = [texts.text(view)]
    for _ in range(150):
        text = states[-1]
        a = chance.randint(0, len(text))
        b = chance.randint(a, len(text))
        new = "".join(chance.choice("ab\n\U0001f600") for _ in range(chance.randint(0, 4)))
        count = view.change_count()
        view.run_command("replace", {"a": a, "b": b, "text": new})
        if a == b and not new:
            assert view.change_count() == count
            continue
        assert view.change_count() > count
        states.append(text[:a] + new + text[b:])
        assert texts.text(view) == states[-1]
        rows = [states[-1].count("\n", 0, point) for point in range(len(states[-1]) + 1)]
        assert [view.rowcol(point)[0] for point in range(view.size() + 1)] == rows
        assert len(view.lines(texts.sublime.Region(0, view.size() + 1))) in (
            states[-1].count("\n") + 1,
            states[-1].count("\n"),
        )
    for state in reversed(states[:-1]):
        view.run_command("undo")
        assert texts.text(view) == state


def test_typing_with_several_carets(texts):
    view = make(texts, "a\nb\n")
    view.sel().clear()
    view.sel().add_all([1, 3])
    texts.gestures.type_text("xy")
    assert texts.text(view) == "axy\nbxy\n"
    assert [r.b for r in view.sel()] == [3, 7]


def test_clones_share_the_text_but_not_the_selection(texts):
    view = texts.open("a.txt", b"abc")
    texts.window.run_command("clone_file")
    clone = texts.window.active_view()
    assert clone != view
    assert clone.buffer_id() == view.buffer_id()
    assert view.clones() == [clone]
    clone.run_command("move_to", {"to": "eof"})
    clone.run_command("insert", {"characters": "!"})
    assert texts.text(view) == "abc!"
    assert view.sel()[0].b == 0
    clone.close()
    assert view.is_valid()
    assert texts.text(view) == "abc!"


@pytest.mark.parametrize("change", ["insert(edit, 0, text)", "replace(edit, sublime.Region(0, 0), text)"])
def test_an_edit_brings_no_tabs_into_a_view_that_wants_spaces(bench, change):
    bench.plugin(f"""
class PutCommand(sublime_plugin.TextCommand):
    def run(self, edit, text): self.view.{change}
""")
    view = bench.window.new_file()
    view.settings().set("tab_size", 2)
    view.settings().set("translate_tabs_to_spaces", True)
    view.run_command("put", {"text": "\ta\tb"})
    assert bench.text(view) == "  a  b"
    view.settings().set("translate_tabs_to_spaces", False)
    view.run_command("put", {"text": "\t"})
    assert bench.text(view) == "\t  a  b"


def test_regions_belong_to_the_step_of_the_last_edit(texts):
    """Evidence: sublimehq/sublime_text 1121, 2975."""
    sublime = texts.sublime
    view = make(texts, "one two three")
    view.add_regions("before", [sublime.Region(4, 7)])
    for key, flags in (("erased", 0), ("kept", sublime.NO_UNDO)):
        view.add_regions(key, [sublime.Region(8, 13)], flags=flags)
    view.run_command("insert_one", {"text": "x"})
    view.erase_regions("erased")
    view.add_regions("after", [sublime.Region(0, 1)])
    view.add_regions("kept", [sublime.Region(1, 4)], flags=sublime.NO_UNDO)

    def places():
        return {key: view.get_regions(key)[0].to_tuple() for key in ("before", "erased", "after", "kept")
                if view.get_regions(key)}  # fmt: skip

    view.run_command("undo")
    assert places() == {"before": (4, 7), "erased": (8, 13), "kept": (0, 3)}
    view.run_command("redo")
    assert places() == {"before": (5, 8), "after": (0, 1), "kept": (1, 4)}
