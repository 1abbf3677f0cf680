"""The drawing of a window shows what the model holds, where the model says."""

from __future__ import annotations

import re

import pytest

from tests.host.render_minihtml import translate


@pytest.fixture
def page(bench):
    """Draws the window of the bench; the page is read as text."""

    def draw() -> str:
        return bench.gestures.render()

    return draw


def test_tabs_text_and_status(bench, page):
    bench.gestures.set_folders([bench.folder])
    view = bench.open("a.py", b"def f(x):\n\treturn '<b>'\n")
    view.run_command("insert", {"characters": "# "})
    view.set_status("k", "status of k")
    bench.window.status_message("a message")
    html = page()
    assert html.startswith("<!doctype html>")
    assert html.count('<div class="tab ') == 1
    assert 'class="tab shown dirty active"' in html
    assert "a.py" in html
    assert "&lt;b&gt;" in html
    assert "<b>'" not in html
    assert "status of k" in html
    assert "a message" in html
    assert "Line 1, Column 3" in html
    assert 'class="caret"' in html


def test_groups_stand_where_the_layout_puts_them(bench, page):
    bench.window.set_layout({"cols": [0, 0.25, 1], "rows": [0, 1], "cells": [[0, 0, 1, 1], [1, 0, 2, 1]]})
    boxes = re.findall(r'class="group" style="left:([\d.]+)px;top:[\d.]+px;width:([\d.]+)px', page())
    assert [(float(left), float(width)) for left, width in boxes] == [(0.0, 400.0), (400.0, 1200.0)]


def test_marks_phantoms_and_annotations(bench, page):
    sublime = bench.sublime
    view = bench.open("a.txt", b"one\ntwo\nthree\n")
    view.add_regions("fill", [sublime.Region(4, 8)], "diff.inserted", "dot", sublime.DRAW_NO_OUTLINE)
    view.add_regions("hidden", [sublime.Region(0, 3)], "region.redish", "", sublime.HIDDEN, ["<a href='x'>Undo</a>"])
    view.add_phantom("p", sublime.Region(4), '<body id="x"><div>below</div></body>', sublime.LAYOUT_BLOCK)
    html = page()
    color = view.style_for_scope("diff.inserted")["background"]
    assert "top:20px" in html
    assert color in html
    assert "&#x25CF;" in html
    assert '<template shadowrootmode="open">' in html
    assert '<div data-tag="body" id="x"><div>below</div></div>' in html
    assert "Undo" in html
    third = re.search(r'class="line" style="top:([\d.]+)px">three', html)
    assert third is not None
    assert float(third.group(1)) == view.text_to_layout(8)[1] == 60.0
    assert html.count('class="mark"') == 1


@pytest.mark.parametrize(
    "source, result",
    [
        (
            "<style>html, body { margin: 0 } .a { color: color(var(--redish) alpha(0.2)); }</style>",
            '[data-tag="html"], [data-tag="body"] { margin: 0 } .a { color: color-mix(in srgb, var(--redish) 20%, ',
        ),
        (
            '<p style="color: color(var(--redish) blend(var(--background) 30%))">x</p>',
            "color-mix(in srgb, var(--redish) 30%, var(--background))",
        ),
        ("<p>html and body</p>", "<p>html and body</p>"),
    ],
)
def test_minihtml_for_a_browser(source, result):
    assert result in translate(source)
