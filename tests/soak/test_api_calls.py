"""How often the package asks the editor for something: each call crosses into another process.

Counted are calls of the API that the package makes. A selection or an edit asks for nothing; while nobody does
anything, little is asked for.
"""

from __future__ import annotations

import time

import pytest

SECONDS = 10.0
EVENTS = 300
IDLE, IDLE_WITH_CLIENT, REVIEW_IN_SIGHT = 5, 8, 60  # calls a second
WITH_CLIENT = 0.3  # calls an event

# A user who types fast, and a mouse that drags a selection.
EVENTS_IN_A_FILE = f"""
for number in range({EVENTS}):
    view.run_command("insert", {{"characters": "x"}})
"""
OPEN = """
import os
from importlib import import_module
review = import_module("Gemini Companion.companion.review.decision")
path = os.path.join(window.folders()[0], "greeting.py")
owner = review.Owner(next(iter(endpoint.clients)), "Gemini CLI")
with open(path, encoding="utf-8") as file:
    text = file.read()
endpoint.reviews.open_diff(owner, path, text.replace("line = 7", "LINE = 7"))
"""


@pytest.fixture
def counted(editor):
    editor.enable()
    editor.host.execute("application._editor_settings.set('review_presentation', 'side_by_side')")
    editor.host.wait_until("endpoint.settings().review_presentation == 'side_by_side'")
    return editor


def counts(host):
    """How many calls the package made since they were cleared, and which."""
    by_name = host.call("api_calls")
    return sum(by_name.values()), by_name


def per_second(host):
    """Calls a second while nobody does anything."""
    host.pump(2.0)  # what the beginning set off is over
    host.call("clear_api_calls")
    began = time.monotonic()
    host.pump(SECONDS)
    calls, names = counts(host)
    rate = calls / (time.monotonic() - began)
    print(f"{rate:.1f} calls a second: {names}")
    return rate, names


def test_idle_without_a_client(counted):
    rate, names = per_second(counted.host)
    assert rate <= IDLE, names


def test_idle_with_a_client(counted):
    counted.connect()
    rate, names = per_second(counted.host)
    assert rate <= IDLE_WITH_CLIENT, names


def test_a_review_in_sight_that_nobody_scrolls(counted):
    counted.connect()
    counted.host.execute(OPEN)
    rate, names = per_second(counted.host)
    assert counted.host.evaluate("window.num_groups()") == 2
    assert rate <= REVIEW_IN_SIGHT, names


def test_a_selection_or_an_edit_asks_for_nothing(counted):
    for call in ("on_selection_modified", "on_modified"):
        counted.host.call("clear_api_calls")
        counted.host.execute(f"for number in range({EVENTS}): plugin.GeminiCompanionListener().{call}(view)")
        assert counts(counted.host) == (0, {})


def test_commands_and_keys_of_others_ask_for_nothing(counted):
    counted.host.call("clear_api_calls")
    counted.host.execute(
        "listener = plugin.GeminiCompanionListener()\n"
        "listener.on_text_command(view, 'insert', {'characters': 'x'})\n"
        "listener.on_window_command(window, 'show_panel', {})\n"
        "listener.on_post_window_command(window, 'show_panel', {})\n"
        "listener.on_query_context(view, 'auto_complete_visible', sublime.OP_EQUAL, True, False)\n"
    )
    assert counts(counted.host) == (0, {})


def test_typing_with_a_client(counted):
    counted.connect()
    counted.host.pump(2.0)
    counted.host.execute(
        "events = []\n"
        "for name in ('on_selection_modified', 'on_modified'):\n"
        "    real = getattr(plugin.GeminiCompanionListener, name)\n"
        "    setattr(plugin.GeminiCompanionListener, name,\n"
        "        lambda self, view, real=real: (events.append(1), real(self, view)))\n"
    )
    counted.host.call("clear_api_calls")
    counted.host.execute(EVENTS_IN_A_FILE)
    counted.host.pump(0.5)
    calls, names = counts(counted.host)
    events = counted.host.evaluate("len(events)")
    print(f"{calls} calls for {events} events: {names}")
    assert events >= 2 * EVENTS
    assert calls <= WITH_CLIENT * events, names


def test_typing_with_a_client_and_a_review_in_sight(counted):
    counted.connect()
    counted.host.execute(OPEN)
    counted.host.pump(3.0)
    for view in ("view", "endpoint.reviews._presentations[endpoint.reviews.pending()[0]].proposal_view"):
        for call in ("on_selection_modified", "on_modified"):
            counted.host.execute(f"typed_in = {view}\nlistener = plugin.GeminiCompanionListener()")
            counted.host.call("clear_api_calls")
            counted.host.execute(f"for number in range({EVENTS}): listener.{call}(typed_in)")
            calls, names = counts(counted.host)
            print(f"{calls} calls for {EVENTS} events: {names}")
            assert calls <= WITH_CLIENT * EVENTS, (view, call, names)
