"""A day of random editing in three windows, after which each client knows exactly what is true of its window.

What should be true is computed here from what the editor says it did (its event log, its windows, its buffers), with no
help from the package. EDITING_DAY_ACTIONS makes the day longer, EDITING_DAY_SEED another one.
"""

from __future__ import annotations

import os
import random
import sys

import pytest

from tests.host.driver import Host, HostError
from tests.support import listening_client

pytestmark = pytest.mark.everything

ACTIONS = int(os.environ.get("EDITING_DAY_ACTIONS", "250"))
SEEDS = [int(os.environ["EDITING_DAY_SEED"])] if "EDITING_DAY_SEED" in os.environ else [1]

TRUTH = """
truth = []
for w in sublime.windows():
    active = w.active_view()
    truth.append({
        "window": w.id(),
        "front": active.id() if active else None,
        "views": [
            [v.id(), v.file_name()] for v in w.views(include_transient=True)
            if v.file_name() and not v.settings().get("terminus_view")
        ],
    })
"""


class Window:
    """What should be true of one window: when each file last had the focus, and which is active."""

    def __init__(self, number, folder, client):
        self.number, self.folder, self.client = number, folder, client
        self.views = {}  # id to path
        self.stamps = {}  # path to the place of its last focus in the order of all focuses
        self.active = None  # a view

    def update(self, views, activated, front, count):
        for view, path in views.items():
            former = self.views.get(view)
            if former is not None and former != path:
                self.stamps[path] = max(self.stamps.get(path, 0), self.stamps.get(former, 0))
        if self.active is not None and self.active not in views:
            path = self.views[self.active]
            self.active = next((view for view, other in views.items() if other == path), None)
        self.views = views
        for view in activated:
            if view in views:
                self.active = view
                self.stamps[views[view]] = count()
        if self.active is None and front in views:
            self.active = front
            self.stamps[views[front]] = count()
        self.stamps = {path: stamp for path, stamp in self.stamps.items() if path in views.values()}

    def expected(self, host):
        """The paths that must be listed first, in order; those without an order; and the active file's entry."""
        existing = {path for path in self.views.values() if os.path.isfile(path)}
        focused = sorted((path for path in self.stamps if path in existing), key=lambda path: -self.stamps[path])
        others = existing - set(focused)
        active = None
        if self.active is not None and self.views[self.active] in existing:
            found = host.execute(
                f"v = sublime.View({self.active})\ncaret = v.sel()[-1].b\nr = v.rowcol(caret)\n"
                "line = v.substr(sublime.Region(v.text_point(r[0], 0), caret))\n"
                "answer = [r[0], line, [v.substr(s) for s in v.sel()]]",
                "answer",
            )
            active = {
                "path": self.views[self.active],
                "cursor": {"line": found[0] + 1, "character": len(found[1].encode("utf-16-le")) // 2 + 1},
                "selectedText": "\n".join(text for text in found[2] if text) or None,
            }
        return focused, others, active

    def agrees(self, host):
        focused, others, active = self.expected(host)
        files = self.client.open_files
        listed = [file["path"] for file in files]
        if listed[: len(focused)] != focused[:10] or not set(listed[len(focused) :]) <= others:
            return False
        if len(listed) != min(10, len(focused) + len(others)):
            return False
        claimed = [file for file in files if file["isActive"]]
        if active is None:
            return not claimed
        return (
            len(claimed) == 1
            and all(claimed[0].get(key) == value for key, value in active.items())
            and all(file["timestamp"] < claimed[0]["timestamp"] for file in files if file is not claimed[0])
        )


class Day:
    """The host, its windows and what a user does in them."""

    def __init__(self, host, windows, chance):
        self.host, self.windows, self.chance = host, windows, chance
        self.seen = len(host.call("events"))
        self.focuses = 0
        self.names = 0
        self.history = []

    def count(self):
        self.focuses += 1
        return self.focuses

    def look(self):
        """Take in what the editor did."""
        events = self.host.call("events", since=self.seen)
        self.seen += len(events)
        activated = [number for name, number in events if name == "on_activated"]
        for truth in self.host.execute(TRUTH, "truth"):
            window = self.windows.get(truth["window"])
            if window is not None:
                views = dict(truth["views"])
                window.update(views, activated, truth["front"], self.count)

    def act(self):
        actions = [
            (self.open, 14), (self.preview, 4), (self.focus, 16), (self.close, 10), (self.select, 14), (self.type, 8),
            (self.clone, 3), (self.drag, 5), (self.rename, 4), (self.delete, 2), (self.restore, 2), (self.folders, 2),
            (self.terminal, 5), (self.untitled, 3), (self.save_new, 3),
        ]  # fmt: skip
        action = self.chance.choices([one for one, _ in actions], [weight for _, weight in actions])[0]
        window = self.chance.choice(list(self.windows.values()))
        self.history.append((action.__name__, window.number))
        # Nobody closes a tab within 50 ms of opening it: what is gone when the editor is asked was never seen. And what
        # comes to the front by itself must have been noticed before the next thing happens.
        takes_away = action in (self.close, self.drag)
        self.host.call("focus_window", window=window.number)
        if takes_away:
            self.look()
            self.wait(window)
        action(window)
        self.look()
        if takes_away:
            self.wait(window)

    def wait(self, *windows):
        for window in windows or self.windows.values():
            try:
                self.host.wait_until(lambda window=window: window.agrees(self.host))
            except HostError:
                pytest.fail(
                    f"window {window.number} after {len(self.history)} actions, the last of them {self.history[-8:]}:\n"
                    f"expected {window.expected(self.host)}\nits client has {window.client.open_files}"
                )

    # -- what a user does ---------------------------------------------------------------------------------------------

    def some_view(self, window):
        return self.chance.choice(sorted(window.views)) if window.views else None

    def open(self, window, **more):
        names = sorted(os.listdir(window.folder))
        path = os.path.join(window.folder, self.chance.choice(names))
        self.host.call("open_file", path=path, window=window.number, **more)

    def preview(self, window):
        self.open(window, transient=True)

    def focus(self, window):
        view = self.some_view(window)
        if view is not None:
            self.host.call("focus_view", view=view)

    def close(self, window):
        view = self.some_view(window)
        if view is not None:
            self.host.execute(f"sublime.View({view}).set_scratch(True)")
            self.host.call("close_tab", view=view)

    def select(self, window):
        view = self.some_view(window)
        if view is not None:
            size = self.host.evaluate(f"sublime.View({view}).size()")
            ends = sorted(self.chance.sample(range(size + 1), min(4, (size + 1) // 2 * 2)))
            ranges = [list(pair) for pair in zip(ends[::2], ends[1::2])]
            self.host.call("select", view=view, ranges=ranges or [[0, 0]])

    def type(self, window):
        if window.active is not None:
            self.host.call("focus_view", view=window.active)
            self.host.call("type_text", text=self.chance.choice(["x", "🎈", "\n", "日本"]), view=window.active)

    def clone(self, window):
        view = self.some_view(window)
        if view is not None:
            self.host.call("focus_view", view=view)
            self.host.call("run_command", command="clone_file", window=window.number)

    def drag(self, window):
        view = self.some_view(window)
        target = self.chance.choice([other for other in self.windows.values() if other is not window])
        if view is not None:
            self.host.call("drag_tab", view=view, window=target.number)
            self.look()
            self.wait(target)

    def rename(self, window):
        view = self.some_view(window)
        if view is None or not os.path.isfile(window.views[view]):
            return
        old, new = window.views[view], self.new_name(window)
        shown = [number for other in self.windows.values() for number, path in other.views.items() if path == old]
        os.rename(old, new)
        for number in shown:
            self.host.execute(f"sublime.View({number}).retarget({new!r})")

    def delete(self, window):
        paths = sorted(path for path in window.views.values() if os.path.isfile(path))
        if paths:
            os.remove(self.chance.choice(paths))

    def restore(self, window):
        for path in sorted(window.views.values()):
            if not os.path.isfile(path):
                self.write(path)

    def folders(self, window):
        extra = sorted(other.folder for other in self.windows.values() if other is not window)
        chosen = [window.folder] + extra[: self.chance.randint(0, 2)]
        self.host.call("set_folders", window=window.number, folders=chosen)

    def terminal(self, window):
        view = self.host.call("new_file", window=window.number, name="terminal")
        self.host.call("set_view_setting", view=view, key="terminus_view", value=True)
        self.host.execute(f"sublime.View({view}).set_scratch(True)")

    def untitled(self, window):
        view = self.host.call("new_file", window=window.number, text="not saved\n")
        self.host.execute(f"sublime.View({view}).set_scratch(True)")

    def save_new(self, window):
        view = self.host.call("open_file", path=self.new_name(window), window=window.number)
        self.host.wait_until(f"not sublime.View({view}).is_loading()")
        self.host.call("type_text", text="new", view=view)
        self.host.call("run_command", command="save", view=view)

    def new_name(self, window):
        self.names += 1
        return os.path.join(window.folder, f"new{self.names}.py")

    @staticmethod
    def write(path):
        with open(path, "w", encoding="utf-8") as file:
            file.write("one 🎈\ntwo\nthree 日本\n")


@pytest.mark.parametrize("seed", SEEDS)
def test_after_a_day_of_editing_every_client_knows_the_state_of_its_window(tmp_path, monkeypatch, seed):
    folders = []
    for name in ("one", "two", "three"):
        folder = os.path.realpath(str(tmp_path / name))
        os.mkdir(folder)
        folders.append(folder)
        for number in range(5):
            Day.write(os.path.join(folder, f"{name}{number}.py"))
    with Host.start(folders=folders[:1]) as host:
        monkeypatch.setenv("TMPDIR", host.environment["TMPDIR"])
        numbers = [host.evaluate("window.id()")] + [host.call("new_window", folders=[folder]) for folder in folders[1:]]
        windows = {}
        for number, folder in zip(numbers, folders):
            found = host.wait_until(lambda folder=folder: listening_client.announced(folder, host.editor_pid))
            client = listening_client.ListeningClient(found)
            host.wait_until(lambda client=client: client.contexts)
            windows[number] = Window(number, folder, client)
        day = Day(host, windows, random.Random(seed))
        try:
            for index in range(ACTIONS):
                day.act()
                if index % 25 == 24:
                    day.wait()
            day.wait()
            assert [window.client.problem for window in windows.values()] == [None] * 3
        finally:
            for window in windows.values():
                window.client.close()
        sys.stdout.write(f"{[len(window.client.contexts) for window in windows.values()]} updates\n")
