"""A window, its tabs and a disk for unit tests of what clients are told; the test moves time on and asks the disk."""

from __future__ import annotations

from companion.editor.scope import Scope
from companion.settings import Settings
from tests.support.stepping import SteppedEditor


class Region:
    """A selection."""

    def __init__(self, a, b):
        self.a, self.b = a, b

    def begin(self):
        return min(self.a, self.b)

    def end(self):
        return max(self.a, self.b)

    def empty(self):
        return self.a == self.b


class View:
    """A tab with one line of text; counts how often it is asked for its selection."""

    def __init__(self, number, path, window=None):
        self.number, self.path, self.home = number, path, window
        self.region = Region(0, 0)
        self.asked = 0

    def id(self):
        return self.number

    def file_name(self):
        return self.path

    def is_valid(self):
        return self.home is not None

    def window(self):
        return self.home

    def sel(self):
        self.asked += 1
        return [self.region] if self.region is not None else []

    def rowcol_utf16(self, point):
        return 0, point

    def substr(self, region):
        return "a line of text"[region.begin() : region.end()]


class WindowSettings:
    """Settings of a window over those that a project may have beneath them."""

    def __init__(self):
        self.own, self.beneath = {}, {}

    def get(self, name):
        return self.own.get(name, self.beneath.get(name))

    def set(self, name, value):
        self.own[name] = value

    def erase(self, name):
        self.own.pop(name, None)


class Window:
    """Tabs, of which one may be active."""

    def __init__(self):
        self.tabs, self.active, self.looks = [], None, 0
        self.stored = WindowSettings()

    def id(self):
        return id(self)

    def settings(self):
        return self.stored

    def views(self, include_transient=False):
        if not include_transient:
            raise AssertionError("a preview counts too")
        self.looks += 1
        return list(self.tabs)

    def active_view(self):
        return self.active


class Bench:
    """A tracker, what it has published, and a disk that answers when it is asked to."""

    def __init__(self, module):
        self.editor, self.window, self.settings = SteppedEditor(), Window(), Settings()
        self.project_seen = lambda: None
        self.published, self.questions, self.missing, self.links = [], [], set(), {}
        self.tracker = module.ContextTracker(
            Scope(self.window, self, lambda: self.settings),
            look_at_project=self.look_at_project,
            publish=self.published.append,
        )
        self.count = 0

    def look_at_project(self):
        self.project_seen()

    # what the tracker asks of the runtime

    def later_on_main(self, milliseconds, function, *args):
        self.editor.set_timeout(lambda: function(*args), milliseconds)

    def use_disk(self, function, question, then, failed):
        self.questions.append((list(question.paths), then))

    # what the user and the disk do

    def open(self, path):
        self.count += 1
        view = View(self.count, path, self.window)
        self.window.tabs.append(view)
        self.activate(view)
        return view

    def activate(self, view):
        if view.path is not None:
            self.window.active = view
        self.tracker.on_activated(view)

    def close(self, view):
        self.window.tabs.remove(view)
        view.home = None
        self.window.active = self.window.tabs[-1] if self.window.tabs else None
        self.tracker.on_closed(view)

    def answer(self):
        """Let the disk answer all that it was asked."""
        questions, self.questions = self.questions, []
        for paths, then in questions:
            then({path: "" if path in self.missing else self.links.get(path, path) for path in paths})

    def go_on(self, milliseconds=0):
        """Let time pass, on a disk that answers at once."""
        for _ in range(4):
            self.editor.step()
            self.answer()
        self.editor.step(milliseconds)
        for _ in range(4):
            self.answer()
            self.editor.step()

    def listen(self):
        self.tracker.set_listening(True)
        self.go_on()

    def told(self, context=None):
        """The files of a context, the latest one unless it is given, and which of them is active."""
        context = context if context is not None else self.published[-1]
        files = dict(context.ide_context)["workspaceState"]["openFiles"]
        return [file["path"] for file in files], [file["path"] for file in files if file.get("isActive")]
