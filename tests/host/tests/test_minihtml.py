"""What of minihtml a browser is given for the pictures; that they show a review is seen in the end-to-end tests."""

from __future__ import annotations

import pytest

from tests.host.render_minihtml import translate


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
