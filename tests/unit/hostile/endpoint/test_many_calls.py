"""Many calls at once: how much the main thread does for them before anything else has its turn."""

from __future__ import annotations

import pytest

FILES, FINDINGS, PROPOSALS = 10, 500, 60
# Whatever else waits for the main thread is called between two turns: as this is, which always does.
WATCH = """
import sys, types
import sublime
watch = sys.modules["watch"] = types.ModuleType("watch")
watch.turn, watch.asked, watch.opened, watch.answers = 0, [], [], []
def turn():
    watch.turn += 1
    sublime.set_timeout(turn)
turn()
"""
SHARE = """
import sys
endpoint = sys.modules["Gemini Companion.plugin"].application.endpoints()[0]
endpoint.tracker.set_listening(True)
sys.modules["watch"].window = endpoint._agent_window
"""
LSP = """
import sys, types
def found(number):
    place = {"line": number, "character": 3}
    return {"range": {"start": place, "end": place}, "message": "problem %d" % number, "severity": 1 + number % 4}
class Session:
    config = types.SimpleNamespace(name="pyright")
    diagnostics = types.SimpleNamespace(get_diagnostics_for_uri=lambda uri: [found(number) for number in range(500)])
class LspWindowCommand:
    def __init__(self, window):
        self.window = window
    def sessions(self):
        watch = sys.modules["watch"]
        watch.asked.append(watch.turn)
        return [Session()]
module = sys.modules["LSP.plugin"] = types.ModuleType("LSP.plugin")
module.__dict__.update(LspWindowCommand=LspWindowCommand, filename_to_uri=lambda path: path)
"""
ASK = """
import sys
watch = sys.modules["watch"]
application = sys.modules["Gemini Companion.plugin"].application
endpoint = application.endpoints()[0]
async def ask():
    files = await endpoint._agent_window.diagnostics(None)
    watch.answers.append([len(file.diagnostics) for file in files])
for _ in range(60):
    application.runtime.spawn(ask)
"""
OPEN = """
import sys
watch = sys.modules["watch"]
application = sys.modules["Gemini Companion.plugin"].application
endpoint = application.endpoints()[0]
tools = sys.modules["Gemini Companion.companion.protocol.tools"]
ide_companion = sys.modules["Gemini Companion.companion.agents.ide_companion"].IDE_COMPANION
client = tools.ClientSession("client", "client", "1", "", 0.0, "")
reviews = endpoint._agent_window._reviews
show = reviews.open_diff
def show_and_note(*args, **options):
    watch.opened.append(watch.turn)
    return show(*args, **options)
reviews.open_diff = show_and_note
async def open_diff(number):
    arguments = {"filePath": FOLDER + "/new%d.py" % number, "newContent": "line\\n" * 500}
    call = tools.ToolCall("openDiff", arguments, client)
    watch.answers.append((await ide_companion.call(call, endpoint._agent_window)).is_error)
for number in range(PROPOSALS):
    application.runtime.spawn(open_diff, number)
"""


@pytest.fixture
def desktop(desktop):
    """The main thread is watched."""
    desktop.host.execute(WATCH)
    return desktop


def watched(desktop, name):
    return desktop.host.evaluate(f"__import__('sys').modules['watch'].{name}")


def test_sixty_questions_for_diagnostics_at_once(desktop):
    for number in range(FILES):
        desktop.write(f"{number}.py", b"x = 1\n" * 600)
        desktop.open(f"{number}.py")
    desktop.host.execute(SHARE)
    desktop.host.wait_until(f"len(__import__('sys').modules['watch'].window._shared_files()) == {FILES}")
    desktop.host.execute(LSP)
    desktop.host.execute(ASK)
    desktop.host.wait_until(lambda: len(watched(desktop, "answers")) == 60)
    asked = watched(desktop, "asked")
    print(f"LSP was asked in these turns: {asked}")
    assert watched(desktop, "answers") == [[FINDINGS] * FILES] * 60
    assert len(set(asked)) == len(asked), "of one file in a turn"
    assert FILES <= len(asked) <= 3 * FILES, "equal questions are answered together"


def test_many_proposals_at_once(desktop):
    desktop.host.execute(OPEN.replace("FOLDER", repr(desktop.workspace)).replace("PROPOSALS", str(PROPOSALS)))
    desktop.host.wait_until(lambda: len(watched(desktop, "answers")) == PROPOSALS)
    opened = watched(desktop, "opened")
    assert not any(watched(desktop, "answers"))
    assert len(opened) == PROPOSALS
    assert max(opened.count(turn) for turn in opened) == 1, "one in a turn"
