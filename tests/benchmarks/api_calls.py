"""How often the package asks the editor for something: each call crosses into another process.

Counted by the host are the calls of the API that the package makes: a count does not depend on the machine.
"""

from __future__ import annotations

import time
from typing import Any, Dict, List, NamedTuple

EVENTS = 300
IDLE, IDLE_WITH_CLIENT, REVIEW_IN_SIGHT = 5, 8, 60
"""At most so many calls a second while nobody does anything."""
IN_A_PROPOSAL, IN_ITS_FIRST_LINE = 8, 15
"""At most so many calls for a character that is typed into a proposal, with the comparison and drawing that follow.
Inline, the first line is repeated below the header, which is drawn anew with it."""
WITH_CLIENT = 0.3
"""At most so many calls for an event of a user who types fast, on the average. Without a client there are none."""

TYPE = f"""
for number in range({EVENTS}):
    view.run_command("insert", {{"characters": "x"}})
"""
COUNT_EVENTS = """
events = []
for name in ('on_selection_modified', 'on_modified'):
    real = getattr(plugin.GeminiCompanionListener, name)
    setattr(plugin.GeminiCompanionListener, name,
        lambda self, view, real=real: (events.append(1), real(self, view)))
"""
OPEN_REVIEW = """
import os
from importlib import import_module
review = import_module("Gemini Companion.companion.review.decision")
path = os.path.join(window.folders()[0], "greeting.py")
owner = review.Owner(endpoint.agents.connected[0].session.id, "Gemini CLI")
with open(path, encoding="utf-8") as file:
    text = file.read()
endpoint.reviews.open_diff(owner, path, text.replace("line = 7", "LINE = 7"))
"""

TYPE_IN_PROPOSAL = """
presentation = endpoint.reviews.shown[endpoint.reviews.pending()[0]]
proposal = presentation.proposal_view
endpoint.reviews.open_reviews._poller.stop()  # what it asks for is counted by the second
proposal.run_command("gemini_companion_move_caret", {{"regions": [[proposal.find("{text}", 0).b] * 2]}})
"""

OTHERS = [f"Gemini Companion.companion.{room}" for room in ("application", "endpoint", "discovery", "editor")]


OF_OTHERS = """
listener = plugin.GeminiCompanionListener()
for number in range(100):
    listener.on_text_command(view, "insert", {"characters": "x"})
    listener.on_window_command(window, "show_panel", {})
    listener.on_post_window_command(window, "show_panel", {})
    listener.on_query_context(view, "auto_complete_visible", sublime.OP_EQUAL, True, False)
"""


class Calls(NamedTuple):
    """What was asked for: by name, and how often in all for each second or event."""

    rate: float
    by_name: Dict[str, int]


def in_listener(host: Any, name: str) -> Calls:
    """Calls that a listener's event makes itself."""
    return _in_one_turn(host, f"for number in range({EVENTS}): plugin.GeminiCompanionListener().{name}(view)", EVENTS)


def _in_one_turn(host: Any, code: str, events: int) -> Calls:
    """Calls that these events make themselves, counted in one turn of the main loop: no timer fires in it."""
    counted = f"gestures = __import__('sys').modules['tests.host.gestures']\ngestures.clear_api_calls()\n{code}"
    by_name = host.execute(f"{counted}\nby_name = gestures.api_calls()", result="by_name")
    return Calls(sum(by_name.values()) / events, by_name)


def per_second(host: Any, seconds: float) -> Calls:
    """Calls a second while nobody does anything."""
    host.pump(2.0)  # what the beginning set off is over
    host.call("clear_api_calls")
    began = time.monotonic()
    host.pump(seconds)
    by_name = host.call("api_calls")
    return Calls(sum(by_name.values()) / (time.monotonic() - began), by_name)


def while_typing(host: Any) -> Calls:
    """Calls for an event, with what the events set off a little later."""
    host.pump(2.0)
    host.execute(COUNT_EVENTS)
    host.call("clear_api_calls")
    host.execute(TYPE)
    host.wait_until(f"len(events) >= {2 * EVENTS}")  # those of the selection and those of the text
    host.pump(0.5)
    by_name = host.call("api_calls")
    events = host.evaluate("len(events)")
    return Calls(sum(by_name.values()) / events, by_name)


def in_a_proposal(host: Any, text: str, characters: int = 12) -> Calls:
    """Calls for a character that is typed behind `text` in the first review's proposal, each drawn before the next.

    The median, because a timer of other parts counts in between. The first one is left out: with it the line becomes
    a changed one.
    """
    host.execute(TYPE_IN_PROPOSAL.format(text=text))
    counted: List[Dict[str, int]] = []
    for number in range(characters + 1):
        count = host.evaluate("proposal.change_count()")
        host.call("clear_api_calls")
        host.execute(f"proposal.run_command('insert', {{'characters': '{chr(97 + number)}'}})")
        host.wait_until(f"presentation._texts.phase.value == 'shown' and presentation._texts.count > {count}")
        host.pump(0.1)  # what waits a little after an edit
        counted.append(host.call("api_calls", leave_out=OTHERS))
    in_order = sorted(counted[1:], key=lambda names: sum(names.values()))
    names = in_order[len(in_order) // 2]
    return Calls(sum(names.values()), names)


def for_others(host: Any) -> Calls:
    """Calls for a command or a key binding that is not ours."""
    return _in_one_turn(host, OF_OTHERS, 400)


def beside_a_review(host: Any) -> Calls:
    """Calls that a listener's event makes itself while a review is in sight: the most of either side and event."""
    found = []
    for view in ("view", "endpoint.reviews.shown[endpoint.reviews.pending()[0]].proposal_view"):
        for call in ("on_selection_modified", "on_modified"):
            host.execute(f"typed_in = {view}\nlistener = plugin.GeminiCompanionListener()")
            host.call("clear_api_calls")
            host.execute(f"for number in range({EVENTS}): listener.{call}(typed_in)")
            by_name = host.call("api_calls")
            found.append(Calls(sum(by_name.values()) / EVENTS, by_name))
    return max(found, key=lambda calls: calls.rate)
