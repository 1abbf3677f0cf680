"""Settings as a user changes them: at once, and checked."""

from __future__ import annotations

import http.client
import json

from tests.host.waiting import NEVER_SECONDS

CHANGE = "sublime.load_settings('Gemini Companion.sublime-settings').set({!r}, {!r})"
EVERY_SETTING = {
    "publish_for_gemini": "yes",
    "publish_for_qwen": 1,
    "publish_for_llxprt": 0,
    "publish_for_claude": "on",
    "publish_for_opencode": None,
    "publish_for_kilo": 2,
    "publish_for_copilot": [],
    "publish_for_codex": "",
    "workspace_fallback": "nope",
    "export_terminal_environment": 0,
    "gemini_command": "gemini",
    "qwen_command": [1],
    "llxprt_command": "llxprt",
    "claude_command": {},
    "opencode_command": 1,
    "kilo_command": "kilo",
    "copilot_command": None,
    "codex_command": "codex",
    "terminal_commands": [],
    "agents": "codex",
    "run_commands": "codex",
    "share_selection": "no",
    "track_changes": "sometimes",
    "notify": "often",
    "review_before_writing": True,
    "review_skip": "docs/**",
    "context_exclude": ".env",
    "context_maximum_files": -1,
    "context_maximum_selection": 1.5,
    "workspace_trust": "yes",
    "review_colors": "red_green",
    "review_focus": "sometimes",
    "review_marks": "dots",
    "review_open": "sometimes",
    "review_presentation": None,
    "review_inline_below_columns": True,
    "review_ignore_whitespace": "some",
    "review_maximum_bytes": "2 MB",
    "review_maximum_lines": -5,
    "maximum_body_mebibytes": 0,
    "show_status": "x",
    "log_level": "loud",
}


def said(desktop, *words):
    return any(all(word in message for word in words) for message in desktop.window()["status_messages"])


def test_every_wrong_value_is_said_and_does_no_harm(desktop, client):
    desktop.open("greeting.py")
    desktop.host.wait_until(client.open_files)
    for name, value in EVERY_SETTING.items():
        desktop.host.execute(CHANGE.format(name, value))
        desktop.host.wait_until(lambda: said(desktop, f'"{name}" in the settings should be'))  # noqa: B023
    assert len(desktop.own_discovery_files()) == 1
    assert client.call("status")["status"] == "connected"
    desktop.host.call("select_rowcol", row=1, column=4, end_row=1, end_column=10)
    desktop.host.wait_until(lambda: client.open_files()[0].get("selectedText") == "return")


def test_the_table_of_wrong_values_is_complete(desktop):
    names = desktop.host.evaluate("list(sublime.load_settings('Gemini Companion.sublime-settings').to_dict())")
    assert sorted(names) == sorted(EVERY_SETTING)


def test_the_largest_message_is_a_setting_that_works_at_once(desktop):
    announcement = desktop.wait_published()
    headers = {"Authorization": "Bearer " + announcement["authToken"], "Content-Type": "application/json"}
    large = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"_meta": {"x": "x" * 2_000_000}}})

    def answered():
        connection = http.client.HTTPConnection("127.0.0.1", int(announcement["port"]), timeout=NEVER_SECONDS)
        try:
            connection.request("POST", "/mcp", large, {**headers, "Accept": "application/json, text/event-stream"})
            return connection.getresponse().status
        finally:
            connection.close()

    for mebibytes, status in ((1, 413), (3, 200)):
        desktop.host.execute(CHANGE.format("maximum_body_mebibytes", mebibytes))
        desktop.host.wait_until(lambda status=status: answered() == status)
