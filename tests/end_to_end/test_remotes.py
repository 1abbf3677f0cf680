"""Agents that run elsewhere: behind a command, with a home of their own and other names for the same folder.

"There" is this machine again, with another HOME and another temporary folder: what finds the editor by the files there
finds it through the helper, or not at all.
"""

from __future__ import annotations

import os
import signal
import sys

import pytest

if sys.platform == "win32":
    pytest.skip("the other side is POSIX", allow_module_level=True)

from tests.clients.claude import ClaudeClient, lock_files
from tests.clients.copilot import CopilotClient

TEXT = "def greet(name):\n    return 'Hello, ' + name\n"
PROPOSED = TEXT.replace("Hello", "Good day")


class There:
    """The other machine. `folder` is the project's there; the editor sees it as its workspace, if it is mounted."""

    def __init__(self, root) -> None:
        self.home, self.folder, self.temporary = (str(root / name) for name in ("home", "app", "tmp"))
        for each in (self.home, self.folder, self.temporary):
            os.makedirs(each)
        self.write("greeting.py", TEXT)

    def path(self, name="greeting.py"):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)

    def read(self, name="greeting.py"):
        with open(self.path(name)) as file:
            return file.read()

    def command(self):
        return ["env", f"HOME={self.home}", f"TMPDIR={self.temporary}"]

    def files(self):
        """Everything that stands there, but for what was there at first."""
        found = []
        for folder, _, names in os.walk(os.path.dirname(self.home)):
            found += [os.path.relpath(os.path.join(folder, name), os.path.dirname(self.home)) for name in names]
        return sorted(found)


@pytest.fixture
def there(tmp_path):
    return There(tmp_path / "there")


@pytest.fixture
def workspace(request, tmp_path, there):
    """The folder that the editor has open: the one there under another name, if the test has it `mounted`."""
    folder = tmp_path / "workspace"
    parameters = request.node.callspec.params if hasattr(request.node, "callspec") else {}
    if "mounted" in (*request.fixturenames, parameters.get("mount")):
        os.symlink(there.folder, str(folder))
    else:
        folder.mkdir()
    return str(folder)


class Remote:
    """The row `web` of the user's settings, as the user sees it."""

    def __init__(self, desktop, command, folders) -> None:
        self._desktop = desktop
        rows = {"web": {"command": command, "folders": folders}}
        desktop.host.evaluate(f"sublime.load_settings('Gemini Companion.sublime-settings').set('remotes', {rows!r})")
        self.choose("Connect web")
        self.wait_said("web connected")

    def wait_said(self, words, times=1):
        """Waits until the status bar has said this so often, and says what else it has said of the remote."""
        said = lambda: [each for each in self._desktop.window()["status_messages"] if "web" in each]  # noqa: E731
        wrong = lambda: times == 1 and said() and words not in said()[0]  # noqa: E731
        self._desktop.host.wait_until(lambda: sum(words in each for each in said()) >= times or wrong())
        assert not wrong(), said()

    def choose(self, row):
        self._desktop.run("Connect Remote\u2026 / Disconnect Remote\u2026")
        self._desktop.rows()
        self._desktop.host.call("choose", item=row)


@pytest.fixture
def mounted(desktop, there):
    """Connected; the editor's workspace is the folder there."""
    return Remote(desktop, there.command(), {there.folder: desktop.workspace})


@pytest.fixture
def unseen(desktop, there):
    """Connected; the editor does not see the folder there."""
    return Remote(desktop, there.command(), {there.folder: None})


def test_context_and_a_diff_have_the_names_of_the_other_side(mounted, desktop, there):
    desktop.open("greeting.py", row=1, column=12, end_row=1, end_column=17)
    with ClaudeClient(there.home, there.folder).connect() as claude:
        selected = claude.wait_until(lambda: [each for name, each in claude.notifications if each["text"] == "Hello"])
        assert selected[-1]["filePath"] == there.path()
        diff = claude.open_diff(there.path(), PROPOSED, "a diff")
        assert desktop.wait_proposal()["text"] == PROPOSED
        desktop.accept()
        assert diff.result()[0] == "FILE_SAVED"
        there.write("greeting.py", PROPOSED)
        desktop.wait_no_review()


def test_without_a_mount_the_old_text_comes_from_there(unseen, desktop, there):
    with ClaudeClient(there.home, there.folder).connect() as claude:
        diff = claude.open_diff(there.path(), PROPOSED, "a diff")
        proposal = desktop.wait_proposal()
        assert proposal["text"] == PROPOSED
        assert desktop.views_of_role("original")[0]["text"] == TEXT
        desktop.type_at_end(proposal["id"], "# reviewed\n")
        desktop.accept()
        assert diff.result() == ["FILE_SAVED", PROPOSED + "# reviewed\n"]
        there.write("greeting.py", PROPOSED + "# reviewed\n")
        desktop.wait_no_review()


@pytest.mark.parametrize("mount", ["mounted", "unseen"])
def test_gemini_connects_without_a_port(request, mount, desktop, there):
    request.getfixturevalue(mount)
    with desktop.client(there.folder, HOME=there.home, TMPDIR=there.temporary) as gemini:
        assert gemini.connect()["status"] == "connected"
        desktop.open("greeting.py") if mount == "mounted" else None
        pending = gemini.start_call("write", path=there.path(), content=PROPOSED)
        assert gemini.wait_event("confirming")["inEditor"] is True
        proposal = desktop.wait_proposal()
        desktop.type_at_end(proposal["id"], "# reviewed\n")
        desktop.accept()
        assert pending.result()["error"] is None
        assert there.read() == PROPOSED + "# reviewed\n"
        desktop.wait_no_review()
        if mount == "mounted":
            assert [each["path"] for each in gemini.open_files()] == [there.path()]


@pytest.mark.parametrize("mount", ["mounted", "unseen"])
def test_edits_of_copilots_proposal_are_saved_over_it_there(request, mount, desktop, there):
    request.getfixturevalue(mount)
    with CopilotClient(there.home, there.folder).connect() as copilot:
        diff = copilot.open_diff(there.path(), PROPOSED, "a diff")
        desktop.type_at_end(desktop.wait_proposal()["id"], "# reviewed\n")
        desktop.accept()
        assert "SAVED" in str(diff.result())
        there.write("greeting.py", PROPOSED)
        desktop.host.wait_until(lambda: there.read() == PROPOSED + "# reviewed\n")


def test_nothing_is_left_there_after_it_was_disconnected(unseen, desktop, there):
    before = ["app/greeting.py"]
    assert there.files() != before
    with ClaudeClient(there.home, there.folder).connect():
        unseen.choose("Disconnect web")
        desktop.host.wait_until(lambda: there.files() == before)
    assert os.listdir(there.temporary) == os.listdir(there.home) == []


def test_a_remote_that_is_in_no_settings_any_more_is_disconnected(unseen, desktop, there):
    desktop.host.evaluate("sublime.load_settings('Gemini Companion.sublime-settings').set('remotes', {})")
    unseen.choose("Disconnect web")
    desktop.host.wait_until(lambda: there.files() == ["app/greeting.py"])


def test_nothing_is_left_there_after_the_package_has_ended(unseen, desktop, there):
    desktop.host.disable_package()
    desktop.host.wait_until(lambda: there.files() == ["app/greeting.py"])
    assert os.listdir(there.temporary) == os.listdir(there.home) == []
    desktop.host.enable_package()


def test_a_link_that_leads_out_of_the_folder_is_neither_shown_nor_written(mounted, desktop, there, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("the editor's own\n")
    os.symlink(str(secret), there.path("link.py"))
    with ClaudeClient(there.home, there.folder).connect() as claude:
        refused = claude.run(claude.call("openFile", filePath=there.path("link.py")))
        assert "outside" in str(refused)
        assert "outside" in str(claude.run(claude.call("openFile", filePath=there.folder + "/../secret")))
        diff = claude.open_diff(there.path("link.py"), "anything\n", "a diff")
        desktop.wait_proposal()
        desktop.accept()
        assert diff.result()[0] == "FILE_SAVED"
    assert secret.read_text() == "the editor's own\n"


def test_a_broken_connection_is_made_again_with_the_same_port_and_secret(mounted, desktop, there):
    with ClaudeClient(there.home, there.folder).connect() as claude:
        before = lock_files(there.home)
        (pid,) = {lock["pid"] for lock in before.values()}
        os.kill(pid, signal.SIGKILL)
        claude.wait_until(lambda: claude.ended)
        desktop.host.wait_until(lambda: [each["pid"] for each in lock_files(there.home).values()] not in ([], [pid]))
        after = lock_files(there.home)
    here = lock_files(desktop.host.environment["HOME"])
    assert not {each["authToken"] for each in after.values()} & {each["authToken"] for each in here.values()}
    assert {port: lock["authToken"] for port, lock in after.items()} == {
        port: lock["authToken"] for port, lock in before.items()
    }
    assert not [name for name in there.files() if str(pid) in name]


@pytest.mark.parametrize("mount", ["mounted", "unseen"])
def test_a_diff_whose_agent_is_out_of_reach_says_so_and_is_not_written(request, mount, desktop, there):
    remote = request.getfixturevalue(mount)
    with ClaudeClient(there.home, there.folder).connect() as claude:
        claude.open_diff(there.path(), PROPOSED, "a diff")
        desktop.wait_proposal()
        desktop.wait_decidable()
        remote.choose("Disconnect web")
        desktop.host.wait_until(lambda: "cannot be reached any more" in desktop.header())
        desktop.accept()
        desktop.host.wait_until(lambda: any("has to ask again" in each for each in desktop.window()["status_messages"]))
    assert there.read() == TEXT
    desktop.reject()
    desktop.wait_no_review()


@pytest.mark.parametrize("mount", ["mounted", "unseen"])
def test_diagnose_says_what_there_is_on_both_sides(request, mount, desktop, there):
    request.getfixturevalue(mount)
    desktop.run("Diagnose")
    report = lambda: "".join(each["text"] for each in desktop.tabs() if each["title"] == "Companion: Diagnose")  # noqa: E731
    desktop.host.wait_until(lambda: "what agents find on web: Claude Code" in report())
    desktop.host.wait_until(lambda: f"{there.folder} on web is the folder that it should be" in report())
    seen = "has what is there" if mount == "mounted" else "the editor does not see it"
    assert seen in report()
    assert not [
        secret for lock in lock_files(there.home).values() for secret in [lock["authToken"]] if secret in report()
    ]
