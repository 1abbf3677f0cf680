"""The report reads well while it is under way and when it is done, and takes secrets and the user's name out."""

from __future__ import annotations

from companion.diagnosis.checks import (
    CheckOutcome,
    Facts,
    WindowFacts,
    failed,
    not_tried,
    noted,
    passed,
    render,
    summary,
    too_slow,
)

WINDOW = WindowFacts(
    title="this window",
    is_this=True,
    port=5000,
    problem=None,
    folders=("/home/me/code",),
    published_for=("gemini", "qwen"),
    sharing=True,
    clients=("Gemini CLI 1.0, MCP 2025-06-18, connected at 10:00:00",),
    all_ports=(5000,),
)
FACTS = Facts("2030-01-01 10:00:00 +0000", (("Python", "3.8.12"),), (WINDOW,), None, ("10:00 warning x: y",))


def report(checks, facts=FACTS, home="/home/me", secrets=(), files=()):
    return render(facts, checks, files, home, secrets)


def test_what_is_under_way_is_marked():
    text = report({"the servers": None, "the libraries": [passed("aiohttp can be imported", "3.10")]})
    assert "- \u2026 the servers\n" in text
    assert "- ok: aiohttp can be imported: 3.10\n" in text
    assert "More are on their way" in text


def test_a_failure_says_what_to_do():
    text = report({"the servers": [failed("this window is served", "it is not", "Restart it.")]})
    assert "- FAILED: this window is served: it is not\n    what to do: Restart it.\n" in text
    assert "1 of 1 checks failed" in text


def test_every_way_to_fail_has_advice():
    for check in (failed("a", "b", "c"), too_slow("a", 2.5)):
        assert check.outcome is CheckOutcome.FAILED
        assert check.detail
        assert check.advice


def test_the_summary_counts():
    assert summary([passed("a"), passed("b")], False) == "All 2 checks passed."
    assert summary([passed("a"), failed("b", "c", "d")], False).startswith("1 of 2 checks failed")
    assert summary([passed("a")], True) == "The check passed. More are on their way \u2026"
    assert summary([], True) == "More are on their way \u2026"


def test_what_was_not_checked_is_neither_ok_nor_counted_as_that():
    checks = [passed("a"), noted("b", "switched off"), failed("c", "d", "e"), not_tried("f", "without c")]
    text = report({"x": checks})
    assert "- note: b: switched off\n" in text
    assert "- not tried: f: without c\n" in text
    assert "1 of 2 checks failed, and 1 could not be tried: see" in text
    assert summary([passed("a"), passed("b"), noted("c", "d")], False) == "All 2 checks passed."


def test_everything_known_is_in_it():
    text = report({}, files=["/tmp/x (drwx------)", "/tmp/x/y (-rw-------): port 5000"])
    for line in (
        "- Python: 3.8.12",
        "## This window",
        "- endpoint: port 5000",
        "- workspace folder: ~/code",
        "- agent: Gemini CLI 1.0, MCP 2025-06-18, connected at 10:00:00",
        "- /tmp/x (drwx------)",
        "- /tmp/x/y (-rw-------): port 5000",
        "10:00 warning x: y",
    ):
        assert line in text.splitlines()


def test_an_idle_window_is_described_too():
    problem = "could not open a port"
    idle = WINDOW._replace(port=None, problem=problem, folders=(), clients=(), sharing=False)
    text = report({}, FACTS._replace(windows=(idle,), problems=()))
    for line in (
        "- endpoint: not served, sharing is paused",
        "- problem: could not open a port",
        "- no workspace folder",
        "- no agent",
        "none",
    ):
        assert line in text.splitlines()


def test_secrets_and_the_home_directory_are_taken_out():
    text = report({"x": [failed("a", "token-1 in /home/me/x and /home/merlin", "/home/me")]}, secrets=("token-1", ""))
    assert "[secret] in ~/x and /home/merlin" in text
    assert "what to do: ~\n" in text
    assert "token-1" not in text


def test_a_root_home_does_not_eat_the_slashes():
    assert "/home/me/code" in report({}, home="/")
