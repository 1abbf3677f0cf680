"""Three thousand clients with long names: what the main thread does for them, and what the status bar says."""

from __future__ import annotations

from companion.common.pacing import PAUSE_SECONDS
from companion.endpoint.status_text import listed, status_text

COME = """
import sys, time
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
sessions = [ClientSession("id%d" % n, name % n, "1", "", 0.0, "") for n in range(3000)]
started, used = time.perf_counter(), time.thread_time()
for session in sessions:
    endpoint.clients.came(session)
took.update(came=time.thread_time() - used, passed=time.perf_counter() - started)
took.update(painted=painted, endpoint=endpoint, sessions=sessions)
"""
GO = """
import sys, time
took = sys.modules["took"].__dict__
endpoint, sessions = took["endpoint"], took["sessions"]
started, used = time.perf_counter(), time.thread_time()
for session in sessions:
    endpoint.clients.went(session)
took.update(went=time.thread_time() - used, passed=took["passed"] + time.perf_counter() - started)
endpoint.clients.came(sessions[0])
"""


def test_three_thousand_clients_do_not_hold_up_the_main_thread(desktop):
    desktop.open("a.py")
    desktop.host.execute(COME)
    status = "sublime.active_window().active_view().get_status('gemini_companion')"
    desktop.host.wait_until(lambda: desktop.host.evaluate(status).endswith("and 2995 more"))
    desktop.host.execute(GO)
    took = "__import__('sys').modules['took']."
    came, went, passed = (desktop.host.evaluate(took + name) for name in ("came", "went", "passed"))
    painted = desktop.host.evaluate(f"[len(text) for text in {took}painted]")
    print(
        f"3,000 came in {came:.2f} s of the processor and went in {went:.2f} s; "
        f"painted {len(painted)} times, at most {max(painted, default=0)} characters"
    )
    assert came < 1.0
    assert went < 1.0
    assert len(painted) <= 4 + passed / PAUSE_SECONDS
    assert 0 < max(painted) < 200
    # The last word is painted, too.
    desktop.host.wait_until(lambda: desktop.host.evaluate(status).startswith("Companion: 0 a name"))


def test_the_status_bar_stays_short():
    names = [f"{number} " + "x" * 100 for number in range(3000)]
    text = status_text(port=1, clients=names)
    assert len(text) < 200
    assert text.endswith(" and 2995 more")
    assert listed(["a"] * 5 + ["b"]) == "5 a + b"
    assert listed(["a", "b", "c", "d", "e", "f", "f"]) == "a + b + c + d + e and 2 more"
