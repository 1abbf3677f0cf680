"""The gate: who is let in, by header."""

from __future__ import annotations

import pytest

from companion.transport.gate import bearer, host_allowed, hosts_named, origin_allowed


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "LOCALHOST", "[::1]", "host.docker.internal"])
def test_our_own_names_with_our_port_are_let_in(name):
    assert host_allowed([name + ":4000"], 4000)


@pytest.mark.parametrize(
    "values",
    [
        [], [""], ["127.0.0.1"], ["localhost"], ["127.0.0.1:4001"], ["127.0.0.1:"], ["evil.example:4000"],
        ["127.0.0.1.evil.example:4000"], ["localhost.evil:4000"], ["0.0.0.0:4000"],
        ["127.0.0.1:4000", "127.0.0.1:4000"],
        ["evil@127.0.0.1:4000"], ["::1:4000"], ["127.0.0.1:04000"], ["127.1:4000"],
    ],
)  # fmt: skip
def test_any_other_host_is_kept_out(values):
    assert not host_allowed(values, 4000)


@pytest.mark.parametrize(
    "target, values, named",
    [
        ("/mcp", ["127.0.0.1:4000"], ["127.0.0.1:4000"]),
        ("/mcp?http://evil.example", ["a", "b"], ["a", "b"]),
        ("*", ["127.0.0.1:4000"], ["127.0.0.1:4000"]),
        ("http://evil.example/mcp", ["127.0.0.1:4000"], ["evil.example"]),
        ("http://127.0.0.1:4000/mcp", ["evil.example"], ["127.0.0.1:4000"]),
        ("HTTP://127.0.0.1:4000?mcp", ["evil.example"], ["127.0.0.1:4000"]),
        ("http://127.0.0.1:4000#@evil.example/", ["127.0.0.1:4000"], ["127.0.0.1:4000"]),
        ("http://127.0.0.1:4000@evil.example/", ["127.0.0.1:4000"], ["127.0.0.1:4000@evil.example"]),
        ("https://127.0.0.1:4000/mcp", ["127.0.0.1:4000"], []),
        ("http://127.0.0.1:4000/mcp", [], []),
        ("http://127.0.0.1:4000/mcp", ["127.0.0.1:4000"] * 2, []),
    ],
)
def test_a_target_in_absolute_form_says_the_host(target, values, named):
    """RFC 9112, 3.2.2."""
    assert list(hosts_named(target, values)) == named


@pytest.mark.parametrize("values", [[], ["http://127.0.0.1:4000"], ["http://localhost:4000"], ["http://[::1]:4000"]])
def test_no_origin_or_our_own_is_let_in(values):
    assert origin_allowed(values, 4000)


@pytest.mark.parametrize(
    "values",
    [
        ["null"], [""], ["http://evil.example"], ["http://localhost"], ["http://localhost:3000"], ["https://localhost:4000"],
        ["http://localhost:4000.evil.example"], ["http://evil.example:4000"], ["file://"], ["localhost:4000"],
        ["http://localhost:4000", "http://evil.example"], ["http://host.docker.internal:4000"],
    ],
)  # fmt: skip
def test_web_pages_are_kept_out(values):
    assert not origin_allowed(values, 4000)


@pytest.mark.parametrize("value", ["http://localhost:none", "http://localhost:None", "http://localhost:", "null"])
def test_what_listens_on_no_port_has_no_page_of_its_own(value):
    assert not origin_allowed([value], None)


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (None, None),
        ("Bearer secret", "first"),
        ("bearer secret", "first"),
        ("Bearer another", "second"),
        ("Bearer  secret ", "first"),
        ("", None),
        ("Bearer", None),
        ("Bearer ", None),
        ("Bearer secre", None),
        ("Bearer secrett", None),
        ("Basic secret", None),
        ("secret", None),
        ("Bearer s\u00e9cret", None),
        ("Bearer \udce9", None),
    ],
)
def test_the_token(value, name):
    assert bearer(value, {"first": "secret", "second": "another"}) == name
