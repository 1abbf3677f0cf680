"""Three thousand clients with long names: what the main thread does for them, and what the status bar says."""

from __future__ import annotations

from pathlib import Path

from companion.endpoint.agent_row import AgentAtWork, Client
from companion.endpoint.status_text import join_names, status_text
from tests.support import work

COUNT = 3000
MOST_CALLS = 1000
"""Of functions, for one client."""
COME = """
import sys
application = sys.modules["Gemini Companion.plugin"].application
ClientSession = sys.modules["Gemini Companion.companion.protocol.tools"].ClientSession
endpoint = application.endpoints()[0]
painted, took = [], sys.modules.setdefault("took", type(sys)("took")).__dict__
show = endpoint._status_bar.show
def counting(text):
    painted.append(text)
    show(text)
endpoint._status_bar.show = counting
name = "%d a name that is as long as may be " + "x" * 60
sessions = [ClientSession("id%d" % n, name % n, "1", "", 0.0, "") for n in range(COUNT)]
def calls_for(tell, some):
    work = Work()
    began = len(painted)
    with work.counted():
        for session in some:
            tell(session)
    return work.calls / len(some)
def halves(tell):
    return [calls_for(tell, some) for some in (sessions[: COUNT // 2], sessions[COUNT // 2 :])]
took.update(came=halves(endpoint.agents.came), painted=painted, endpoint=endpoint, sessions=sessions, halves=halves)
"""
GO = """
import sys
took = sys.modules["took"].__dict__
endpoint, sessions = took["endpoint"], took["sessions"]
took.update(went=took["halves"](endpoint.agents.went))
endpoint.agents.came(sessions[0])
"""


def test_three_thousand_clients_do_not_hold_up_the_main_thread(desktop):
    desktop.open("a.py")
    desktop.host.execute(f"{Path(work.__file__).read_text(encoding='utf-8')}\nCOUNT = {COUNT}\n{COME}")
    status = "sublime.active_window().active_view().get_status('gemini_companion')"
    desktop.host.wait_until(lambda: desktop.host.evaluate(status).endswith("and 2995 more"))
    desktop.host.execute(GO)
    # The last word is painted, too: one client is left.
    desktop.host.wait_until(lambda: desktop.host.evaluate(status).startswith("Companion: 0 a name"))
    desktop.host.wait_until(lambda: " + 1 a name" not in desktop.host.evaluate(status))
    took = "__import__('sys').modules['took']."
    came, went = (desktop.host.evaluate(took + name) for name in ("came", "went"))
    painted = desktop.host.evaluate(f"[len(text) for text in {took}painted]")
    print(f"calls for each: {came} as they came, {went} as they went; painted {len(painted)} times")
    # However many are there already.
    assert max(came) < MOST_CALLS
    assert max(went) < MOST_CALLS
    assert 2 <= len(painted) < COUNT // 10
    assert 0 < max(painted) < 200


def test_the_status_bar_stays_short():
    text = status_text([AgentAtWork(f"{number} " + "x" * 100, "", Client()) for number in range(3000)])
    assert len(text) < 200
    assert text.endswith(" and 2995 more")
    assert join_names(["a"] * 5 + ["b"]) == "5 a + b"
    assert join_names(["a", "b", "c", "d", "e", "f", "f"]) == "a + b + c + d + e and 2 more"
