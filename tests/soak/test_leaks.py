"""After long use the package holds no more memory than before, and after its end nothing is left of it at all.

Memory is what Python allocated anywhere but in the headless editor's own files, which keep notes of all that happens.
"""

from __future__ import annotations

import pytest

from tests.host.driver import HostError

CONNECTS, REVIEWS, UPDATES = 1000, 500, 10_000
WARM_UP = 30
WORKING = (
    "Application",
    "Endpoint",
    "Runtime",
    "Reviews",
    "ContextTracker",
    "ServerTask",
    "CompanionServer",
    "Connection",
    "Session",
)
"""Classes whose instances do the work. What an unloaded module had as constants may outlive it in caches of Python."""
MOST_GROWTH = 2048 * 1024

MEASURE = """
import tracemalloc
HOST_FILES = [tracemalloc.Filter(False, name) for name in ("*/tests/host/*", tracemalloc.__file__, "*/linecache.py")]
def memory():
    gc.collect()
    gc.collect()
    return sum(one.size for one in tracemalloc.take_snapshot().filter_traces(HOST_FILES).statistics("filename"))
def biggest(count=15):
    statistics = tracemalloc.take_snapshot().filter_traces(HOST_FILES).statistics("lineno")
    return [str(one) for one in statistics[:count]]
def living():
    gc.collect()
    counts = {}
    for each in gc.get_objects():
        kind = type(each)
        if str(getattr(kind, "__module__", "")).startswith("Gemini Companion"):
            counts[kind.__name__] = counts.get(kind.__name__, 0) + 1
    return counts
def more_than(before):
    return {kind: count for kind, count in living().items() if count - before.get(kind, 0) > 10}
tracemalloc.start()
"""

UPDATE = """
from importlib import import_module
SharedContext = import_module("Gemini Companion.companion.agents.window").SharedContext

def update(first, last):
    for number in range(first, last):
        path = "/workspace/file%d.py" % number
        file = {"path": path, "timestamp": number, "isActive": True, "selectedText": "x" * 500}
        endpoint.agents.publish_context(SharedContext({"workspaceState": {"openFiles": [file], "isTrusted": True}}))
"""

# Opens a review, waits until it is drawn, decides it, waits until the window is given back, and begins the next one.
REVIEW = """
Owner = sys.modules["Gemini Companion.companion.review.decision"].Owner
class Reviewing:
    def __init__(self, path, count):
        self.path, self.left, self.number = path, count, 0
        with open(path) as file:
            self.text = file.read()
        self.open()
    def open(self):
        self.number += 1
        proposed = self.text.replace("line = %d\\n" % (self.number % 200), "changed = %d\\n" % self.number)
        endpoint.reviews.open_diff(Owner("nobody", "soak"), self.path, proposed)
        self.review = endpoint.reviews.pending()[0]
        self.wait_drawn()
    def wait_drawn(self):
        if not endpoint.reviews.shown[self.review].settled:
            sublime.set_timeout(self.wait_drawn, 1)
            return
        if self.number % 4 == 0:
            endpoint.reviews.close_diff(self.review.owner, self.path, suppress_notification=True)
        elif self.number % 4 == 1:
            endpoint.reviews.commands.reject(self.review)
        elif self.number % 4 == 2:
            endpoint.reviews.commands.accept(self.review)  # which writes the file, because there is no such client
        else:
            endpoint.reviews.shown[self.review].proposal_view.close()
        self.wait_closed()
    def wait_closed(self):
        if endpoint.reviews.shown or len(window.views()) > 1:
            sublime.set_timeout(self.wait_closed, 1)
            return
        self.left -= 1
        if self.left:
            self.open()
"""

OPEN_FILES = """
import stat
def open_files():
    found = []
    for number in range(3, 256):
        try:
            mode = os.fstat(number).st_mode
        except OSError:
            continue
        found.append("socket" if stat.S_ISSOCK(mode) else "pipe" if stat.S_ISFIFO(mode) else "file")
    return sorted(found)
def threads():
    return sorted(thread.name for thread in threading.enumerate())
"""


def connect_and_go(editor, count):
    for _ in range(count):
        editor.connect()
        editor.disconnect()


def send_updates(editor, first, last):
    listener = editor.listeners[0]
    for start in range(first, last, 100):
        editor.host.execute(f"update({start}, {start + 100})")
        seen = listener.received
        last_one = f"{{'workspaceState': {{'openFiles': [], 'n': {start}}}}}"
        editor.host.execute(f"endpoint.agents.publish_context(SharedContext({last_one}))")
        editor.host.wait_until(lambda seen=seen: listener.received > seen)


def do_reviews(editor, count):
    path = f"{editor.workspace}/greeting.py"
    editor.host.execute(f"reviewing = Reviewing({path!r}, {count})")
    editor.host.wait_until("reviewing.left == 0", 170)
    editor.host.clear_errors()


@pytest.mark.parametrize("use", ["connects", "reviews", "updates"])
def test_memory_is_given_back(editor, use):
    editor.enable()
    editor.host.execute(MEASURE + UPDATE + REVIEW)

    def work(count):
        if use == "connects":
            connect_and_go(editor, count)
        elif use == "reviews":
            do_reviews(editor, count)
        else:
            editor.connect()
            send_updates(editor, 0, count)
            editor.disconnect()

    work(WARM_UP)
    before = editor.host.evaluate("[memory(), living()]")
    work({"connects": CONNECTS, "reviews": REVIEWS, "updates": UPDATES}[use])
    # What the package keeps for a time, such as texts that can be put back, is on its way out: that is not counted.
    editor.host.execute("sys.modules['Gemini Companion.companion.common.clock'].clock.advance(3600)")
    told = "after {}: {:+.0f} KiB, more objects: {}"
    try:
        editor.host.wait_until(f"memory() <= {before[0] + MOST_GROWTH} and more_than({before[1]!r}) == {{}}")
    except HostError:
        pytest.fail("\n".join([told.format(use, *growth(editor, before)), *editor.host.evaluate("biggest()")]))
    print(told.format(use, *growth(editor, before)))


def growth(editor, before):
    memory, more = editor.host.evaluate(f"[memory(), more_than({before[1]!r})]")
    return (memory - before[0]) / 1024, more


def test_nothing_is_left_after_the_end(editor):
    editor.host.execute(MEASURE + OPEN_FILES)
    before = editor.host.evaluate("[threads(), open_files()]")
    editor.enable()
    editor.host.execute(REVIEW)
    editor.connect(5)
    do_reviews(editor, 2)
    names = editor.host.evaluate("threads()")
    assert set(WORKING) <= set(editor.host.evaluate("living()")), "something is called otherwise by now"
    assert len(names) > len(before[0]), "no thread of the package was seen: nothing is checked"
    assert editor.host.evaluate("open_files()") != before[1], "no socket was seen: nothing is checked"
    editor.host.execute("del plugin, application, endpoint, reviewing, Reviewing, Owner")
    editor.host.disable_package()
    editor.host.wait_until(f"threads() == {before[0]!r}")
    editor.host.wait_until(f"gc.collect() >= 0 and open_files() == {before[1]!r}")
    assert editor.desktop.own_discovery_files() == []
    editor.host.wait_until(f"not set({WORKING!r}) & set(living())")
    for listener in editor.listeners:
        listener.client.connection.close()
