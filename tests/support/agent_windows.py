"""A window as programs may use it, whose tabs, reviews, disk and tracker a unit test plays."""

from __future__ import annotations

import asyncio
import os
from types import SimpleNamespace

from companion.agents.window import RESTORES_ALL, ReviewRequest, SharedContext
from companion.protocol.tools import ClientSession, ToolCall
from companion.review.decision import Owner
from companion.review.document.disk import ReadLimits
from companion.review.document.preparation import FileRequest
from tests.host.waiting import ends

CLIENT = ClientSession("session-1", "claude-code", "2.1", "2025-11-25", 0.0)
OWNER = Owner("session-1", "Claude Code")


class Syntax:
    """Of a view."""

    name = "Python"


class View:
    """A tab."""

    def __init__(self, path, dirty=False, syntax=None, saves=True):
        self.path, self.dirty, self._syntax, self.saves = path, dirty, syntax, saves
        self.commands = []
        self.saving = False

    def file_name(self):
        return self.path

    def sheet(self):
        return SimpleNamespace(id=lambda: id(self))

    def syntax(self):
        return self._syntax

    def run_command(self, name, args=None):
        self.commands.append((name, args))
        self.saving = self.dirty and self.saves

    def is_dirty(self):
        dirty = self.dirty
        self.dirty = dirty and not self.saving  # written in the background: the next look finds it done
        return dirty


class Window:
    """Tabs, and how files were opened."""

    def __init__(self):
        self.tabs = []
        self.shown = []

    @property
    def opened(self):
        return [path for path, *_ in self.shown]

    def views(self):
        return list(self.tabs)

    def sheets(self):
        return [view.sheet() for view in self.tabs]

    def find_open_file(self, path):
        return next((view for view in self.tabs if view.path == path), None)

    def is_valid(self):
        return True

    def show(self, path, in_front, preview):
        self.shown.append((path, in_front, preview))
        view = self.find_open_file(path)
        if view is None:
            view = View(path)
            self.tabs.append(view)
        return view.sheet()


class Runtime:
    """Carries out at once, but for what waits for its time."""

    def __init__(self):
        self.main, self.disk, self.later = [], [], []
        self.hangs = False

    async def call_main(self, function, *args):
        self.main.append(getattr(function, "func", function).__name__)
        return function(*args)

    async def in_worker(self, function, *args):
        self.disk.append(function.__name__)
        if self.hangs:
            await asyncio.get_running_loop().create_future()
        return function(*args)

    def on_loop(self, function, *args):
        asyncio.get_running_loop().call_soon(function, *args)

    def on_main(self, function, *args):
        function(*args)

    def later_on_main(self, milliseconds, function, *args):
        self.later.append((milliseconds, lambda: function(*args)))


class Reviews:
    """Keeps what it is asked, unless it fails."""

    def __init__(self):
        self.asked, self.tickets, self.taken_back = [], [], []
        self.fails = None
        self.paths = []  # those of the reviews that are found, if they are not the ones that are looked for
        self.problem = ""  # of writing; None: that is not over yet
        self.waiting = None  # what waits for the user to leave a list; None: there is none
        self.window = None

    def _note(self, *what):
        if self.fails is not None:
            raise self.fails
        self.asked.append(what)

    def file_request(self, path):
        return FileRequest(path, ReadLimits(1000, 100), "Western (Windows 1252)", {})

    def open_diff(self, owner, path, proposal, prepared, ticket=None, draft=None):
        if ticket is None or ticket.waiting:
            self._note("open", owner, path, proposal.exact, prepared.original.text)
            self.tickets.append(ticket)

    def path_of(self, owner, path):
        return self.paths.pop(0) if self.paths else path

    def close_diff(self, owner, path, *, suppress_notification):
        self._note("close", owner, path, suppress_notification)
        return "edited\n"

    def accept_by_client(self, owner, path, done, guard):
        self._note("accept", owner, path)
        self.guard, self.done = guard, done
        if self.problem is not None:
            done(self.problem)

    def reject_by_client(self, owner, path):
        self._note("reject", owner, path)

    def show_file(self, path, in_front, preview):
        return self.window.show(path, in_front, preview)

    def when_free(self, act):
        if self.waiting is None:
            act()
        else:
            self.waiting.append(act)

    def take_back(self, ticket):
        self.taken_back.append(ticket)

    def withdraw(self, session, name=None):
        self._note("withdraw", session, name)
        return 1 if name else 3


class Tracker:
    """What is shared."""

    def __init__(self):
        self.files, self.active, self.withheld = [], None, []

    def withholds(self, *paths):
        return any(path in self.withheld for path in paths)

    withholds_open = withholds

    def context(self):
        return SharedContext({"workspaceState": {"openFiles": self.files}}, self.active)


class Agents(set):
    """The sessions of the clients that are connected."""

    def __init__(self):
        super().__init__([CLIENT.id])
        self.renamed = []
        self.hidden = set()

    def client(self, session):
        return session if session in self else None

    def hides(self, owner):
        return owner.session_id in self.hidden

    def owner_of(self, session):
        return OWNER

    def restored_by(self, session):
        return RESTORES_ALL

    def rename(self, session, name):
        self.renamed.append((session, name))


class Bench:
    """The window of an endpoint whose parts the test plays."""

    def __init__(self, module, folder):
        self.module, self.folder = module, folder
        self.window, self.runtime, self.reviews, self.tracker = Window(), Runtime(), Reviews(), Tracker()
        self.agents = Agents()
        self.reviews.window = self.window
        self.origins = {}  # the states of files that tabs were read from
        origins = SimpleNamespace(of=self.origin)
        self.subject = module.EndpointWindow(
            self.window, self.runtime, self.reviews, self.tracker, origins, self.agents, lambda: [folder]
        )
        self.tool_call = ToolCall("openDiff", {}, CLIENT)

    def origin(self, path):
        """What the tab was read from: what is on the disk, unless the test says otherwise."""
        return self.origins.get(path, self.module.stamp(path))

    def path(self, name="file.py"):
        return os.path.join(self.folder, name)

    def share(self, *names, active=None):
        self.tracker.files = [
            {"path": self.path(name), **({"isActive": True} if name == active else {})} for name in names
        ]

    def review(self, act, path=None, edits_return=True):
        """The answer to a review; `act` is called once it is open, or waited for in vain."""
        request = ReviewRequest(self.tool_call, path or self.path(), "new\n", "its name", edits_return)

        async def scenario():
            answer = asyncio.ensure_future(self.subject.review(request))
            for _ in range(30):
                await asyncio.sleep(0)
            act()
            return await ends(answer)

        return asyncio.run(scenario())
