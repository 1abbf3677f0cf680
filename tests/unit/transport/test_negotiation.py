"""What a client says that it takes, header by header."""

from __future__ import annotations

import pytest
from multidict import CIMultiDict, CIMultiDictProxy

from companion.transport.responses import accepted


@pytest.mark.parametrize(
    ("value", "json", "events"),
    [
        ("application/json", True, False),
        ("application/*", True, False),
        ("text/event-stream", False, True),
        ("text/*", False, True),
        ("text/html", False, False),
        ("*/*", True, True),
        ("application/json;q=0, text/event-stream", False, True),
    ],
)
def test_what_is_accepted(value, json, events):
    assert accepted(CIMultiDictProxy(CIMultiDict({"Accept": value}))) == (json, events)
