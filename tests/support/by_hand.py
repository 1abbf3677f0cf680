"""A review whose client is played by the test from inside the plugin host; what it is told is kept there."""

from __future__ import annotations

PLAY_A_CLIENT = """
import sys
plugin = sys.modules["Gemini Companion.plugin"]
reviews = plugin.application.window_opened(window).reviews
owner = sys.modules["Gemini Companion.companion.review.decision"].Owner("played", "Gemini CLI")
told = []
reviews._notify = lambda review, outcome: told.append(outcome.content)
sys.modules["played"] = type(sys)("played")
sys.modules["played"].__dict__.update(reviews=reviews, owner=owner, told=told)
"""
TOLD = "__import__('sys').modules['played'].told"
GREETING = "def greet(name):\n    return 'Hello, ' + name\n"
PROPOSED = "import sys\n" + GREETING.replace("Hello", "Good day") + "\n\nprint(greet(sys.argv[1]))\n"


def open_diff(desktop, name="greeting.py", proposed=PROPOSED):
    desktop.host.execute(PLAY_A_CLIENT)
    desktop.host.execute(
        "import sys; played = sys.modules['played']; "
        f"played.reviews.open_diff(played.owner, {desktop.path(name)!r}, {proposed!r})"
    )
    view = desktop.wait_proposal()
    desktop.host.wait_until(lambda: "gemini_companion.top" in keys_of_phantoms(desktop, view["id"]))
    desktop.host.wait_until(lambda: "gemini_companion.revert" in regions_of(desktop, view["id"]))
    desktop.host.wait_until(lambda: desktop.host.call("is_idle"))
    return view["id"]


def keys_of_phantoms(desktop, view):
    return [phantom["key"] for phantom in desktop.host.call("snapshot_view", view=view)["phantoms"]]


def text_of(desktop, view):
    return desktop.host.call("snapshot_view", view=view)["text"]


def told(desktop):
    return desktop.host.evaluate(TOLD)


def regions_of(desktop, view):
    return desktop.host.call("snapshot_view", view=view)["regions"]
