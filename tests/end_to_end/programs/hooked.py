"""What a user sees of a program with our hooks, put there by Connect, in a mode in which it asks nobody.

A module has a subclass of `HookedJourneys`, and a fixture `hooked`: a program at work, of which one start serves all
tests. Each takes a folder of its own in the repository of `write_repository`.
"""

from __future__ import annotations

import contextlib
import glob
import os
import subprocess
import threading

from tests.clients.programs.model_stub import Later, Say
from tests.host.driver import Host
from tests.host.waiting import NEVER_SECONDS
from tests.tools.desktop import Desktop
from tests.tools.unasked import BEFORE, NEW, REST, Unasked

PROMPT = "make the tests pass"
DOING = '{}: "' + PROMPT + '"'
DAY, MISHAPS = "day", "mishaps"
# The scripted models are faster than any real one, and a look is slower where much else runs: programs wait for it.
PATIENT = f"""
import sys
sys.modules["Gemini Companion.companion.endpoint.hook_sessions"].LOOK_SECONDS = {NEVER_SECONDS}
"""
MINE = b"# mine\n"
HERE = """
import sys, sublime
application = sys.modules["Gemini Companion.plugin"].application
(endpoint,) = application.endpoints()
deliveries = application._endpoints.deliveries
"""
SEND = (
    HERE
    + """
told = sys.told = []
deliveries.deliver(endpoint, {!r}, 2, lambda state, sentence: told.append(state.value))
"""
)
TOLD = "list(__import__('sys').told)"
"""What has become of the review that `SEND` has sent."""


class Kind:
    """A program: how it is started, and by which replies its model writes."""

    title: str
    command: str
    model: type

    def settle(self, host):
        """Writes the settings of somebody who has used it before."""

    def start(self, host, workspace, model):
        raise NotImplementedError

    def edit(self, path, old, new):
        raise NotImplementedError

    def create(self, path, content):
        raise NotImplementedError

    def shell(self, command, folder):
        raise NotImplementedError


class Hooked:
    """A program beside an editor, connected before its start."""

    def __init__(self, kind, desktop, model):
        self.kind, self.desktop, self.model = kind, desktop, model
        kind.settle(desktop.host)
        before = self._home()
        desktop.wait_published()
        desktop.host.execute(PATIENT)
        self.connect()
        connected = self._home()
        self._before = {path: before.get(path) for path in connected if connected[path] != before.get(path)}
        assert self._before, "Connect has written nothing"
        self.program = kind.start(desktop.host, desktop.workspace, model)
        self._prompts, self._done = 0, ""

    def connect(self, command="Install Agent Hooks\u2026"):
        """The user connects it, or disconnects it, and accepts what is to be written."""
        desktop = self.desktop
        desktop.run(command)
        assert self.kind.title in desktop.rows()
        desktop.host.call("choose", item=self.kind.title)
        desktop.host.wait_until(lambda: "Accept" in desktop.header())
        desktop.run("Accept / Keep")
        desktop.wait_no_review()

    def assert_as_before_connect(self):
        """That what Connect has written has gone, to the byte."""
        assert {path: _content(path) for path in self._before} == self._before

    def _home(self):
        """The files in the user's home before the program has its own there; not those by which it finds the window."""
        walked = os.walk(self.desktop.host.environment["HOME"])
        paths = [os.path.join(folder, name) for folder, _, names in walked for name in names]
        return {path: _content(path) for path in paths if not path.endswith((".lock", ".sock"))}

    def address(self):
        """What the program's hooks read to find the editor."""
        (path,) = glob.glob(os.path.join(glob.escape(self.desktop.host.data), "**", "hooks", "*.conf"), recursive=True)
        with open(path, encoding="utf-8") as file:
            return file.read()

    def work(self, *steps):
        """The user sends a prompt, by which the model takes these steps, each a list of replies."""
        self._prompts += 1
        self._done = f"All is done for prompt {self._prompts}."
        self.model.script(*(reply for step in steps for reply in step), Say(self._done))
        self.program.submit(PROMPT)

    def listed_of_it(self):
        """What is told of its changes in the list, which is not empty."""
        self.desktop.run("Show Unreviewed Changes")
        rows = self.desktop.rows()
        self.desktop.host.call("choose", item=-1)
        return {row: told for row, (_, told) in rows.items() if self.kind.title in told}

    def listed_apart(self):
        """The files of the list that were changed outside of an agent's steps."""
        self.desktop.run("Show Unreviewed Changes")
        more = next(row for row in self.desktop.rows() if "outside of an agent's steps" in row)
        self.desktop.host.call("choose", item=more)
        self.desktop.host.wait_until(lambda: more not in self.desktop.rows())
        rows = self.desktop.rows()
        self.desktop.host.call("choose", item=-1)
        return set(rows)

    def at_work(self):
        """The keys of the agents at work, as the window's table has them."""
        plugin = "__import__('sys').modules['Gemini Companion.plugin']"
        rows = f"[row.key for each in {plugin}.application.endpoints() for row in each.agents.rows()]"
        return self.desktop.host.evaluate(rows)

    def wait_done(self):
        """Waits until the turn has ended: no hook has kept the program."""
        self.program.wait_for(self._done)

    def close(self):
        self.program.close()


def _content(path):
    """What a file holds, None if there is none."""
    with contextlib.suppress(FileNotFoundError), open(path, "rb") as file:
        return file.read()
    return None


@contextlib.contextmanager
def at_work(kind, place):
    """The program, at work in a new repository in the folder `place`, beside a new editor."""
    workspace = write_repository(os.path.join(place, "workspace"))
    programs = os.path.join(place, "bin")
    os.mkdir(programs)
    with open(os.path.join(programs, kind.command), "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\n")
    os.chmod(file.name, 0o700)
    env = {"PATH": programs + os.pathsep + os.environ["PATH"]}
    with kind.model() as model, Host.start(folders=[workspace], env=env) as host:
        hooked = Hooked(kind, Desktop(host, workspace), model)
        with contextlib.closing(hooked):
            yield hooked
        assert model.problems == []


def write_repository(folder):
    """A repository with the files of both tests, all committed; returns its path."""
    for name, content in {
        **{f"{DAY}/{name}": content for name, content in BEFORE.items()},
        **dict.fromkeys((f"{DAY}/saved.txt", f"{DAY}/stashed.txt"), b"of the user\n"),
        **{f"{MISHAPS}/{name}{time}.py": b"a = 1\n" for name in GONE for time in ("", "_after")},
    }.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content)
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "first")
    return folder


def git(folder, *command):
    identity = ["-c", "user.name=A", "-c", "user.email=a@localhost"]
    subprocess.run(["git", *identity, *command], cwd=folder, check=True, stdout=subprocess.DEVNULL)


#: In which ways the editor goes, and comes back.
GONE = {
    "quit": (Host.quit, Host.restart),
    "killed": (Host.kill, Host.restart),
    "disabled": (Host.disable_package, Host.enable_package),
}


class HookedJourneys:
    def test_what_the_program_did_is_listed_and_what_the_user_did_is_not(self, hooked):
        desktop, kind, model = hooked.desktop, hooked.kind, hooked.model
        work = Unasked(desktop, DAY)
        mine = desktop.open(f"{DAY}/saved.txt")
        desktop.write(f"{DAY}/stashed.txt", MINE)
        git(desktop.workspace, "stash", "push", "-q")
        thought = threading.Event()
        first, *others = kind.shell(REST, work.folder)
        steps = [kind.edit(work.path("one.py"), "line 2", "LINE 2"), kind.create(work.path("new.py"), NEW)]
        asked = len(model.turns) + sum(map(len, steps))
        hooked.work(*steps, [Later(thought, first), *others])
        desktop.host.wait_until(lambda: len(model.turns) > asked)
        # the user, while the model thinks of the command
        desktop.host.call("type_text", text="# mine\n", view=mine)
        desktop.host.call("run_command", command="save", view=mine)
        git(desktop.workspace, "stash", "pop", "-q")
        thought.set()
        hooked.wait_done()
        assert desktop.views_of_role("proposal") == [], "it asks nobody"
        assert len(hooked.at_work()) == 1, "its connection and its hooks are one agent"

        work.decide(DOING.format(kind.title), "1 more file changed outside of an agent's steps")
        assert desktop.read(f"{DAY}/saved.txt") == b"# mine\nof the user\n"
        assert desktop.read(f"{DAY}/stashed.txt") == MINE

    def test_it_goes_on_whatever_becomes_of_the_editor_and_is_heard_again(self, hooked):
        desktop, kind = hooked.desktop, hooked.kind
        work = Unasked(desktop, MISHAPS)
        edit = lambda name: kind.edit(work.path(name), "a = 1", "a = 2")  # noqa: E731
        for name, (go, come_back) in GONE.items():
            before = hooked.address()
            go(desktop.host)
            # who is killed leads nobody to nothing: a port at which nobody listens is left
            assert ("http://" in hooked.address()) == (name == "killed")
            hooked.work(edit(f"{name}.py"), kind.shell("echo 'a = 2' > shell.py", work.folder))
            hooked.wait_done()
            assert [desktop.read(f"{MISHAPS}/{each}.py") for each in (name, "shell")] == [b"a = 2\n"] * 2
            come_back(desktop.host)
            desktop.host.wait_until(lambda before=before: "http://" in hooked.address() and hooked.address() != before)
            desktop.host.execute(PATIENT)

            hooked.work(edit(f"{name}_after.py"))
            hooked.wait_done()
            desktop.wait_status("to keep or undo")
            wanted = {f"{MISHAPS}/{name}_after.py": "+1 \u22121, " + DOING.format(kind.title)}
            desktop.host.wait_until(lambda wanted=wanted: hooked.listed_of_it() == wanted)
            if name != "disabled":  # it has said then that it looks no more
                assert hooked.listed_apart() >= {f"{MISHAPS}/{each}.py" for each in (name, "shell")}
            desktop.run("Keep All Changes")
            work.wait_count(0)
            os.unlink(work.path("shell.py"))

    def test_disconnected_it_goes_on_and_its_settings_are_as_they_were(self, hooked):
        desktop, kind = hooked.desktop, hooked.kind
        hooked.connect("Remove Agent Hooks\u2026")
        hooked.assert_as_before_connect()
        path = desktop.path("unheard.py")
        hooked.work(kind.create(path, "a = 1\n"))
        hooked.wait_done()
        assert desktop.read("unheard.py") == b"a = 1\n"
