"""The real `curl`, a process for each call, with the very commands that PROTOCOL.md shows."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.host.waiting import NEVER_SECONDS

DOCUMENT = Path(__file__).resolve().parents[2] / "PROTOCOL.md"
TOOL = re.compile(r'"name": "(\w+)"')

if sys.platform == "win32":
    pytest.skip("the commands are for a POSIX shell", allow_module_level=True)


def commands():
    """The commands of the document, by the tool that they call."""
    blocks = re.findall(r"```sh\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.S)
    calls = [call for block in blocks for call in re.split(r"^(?=curl )", block, flags=re.M) if TOOL.search(call)]
    return {TOOL.search(call).group(1): call for call in calls}


class Curl:
    """Runs the commands against a window, for its file `greeting.py`."""

    def __init__(self, desktop):
        self._desktop = desktop
        announcement = desktop.wait_published()
        self._values = {
            "{port}": str(announcement["port"]),
            "{token}": announcement["authToken"],
            "/code/app/main.py": desktop.path("greeting.py"),
        }
        self._commands = commands()

    def __call__(self, tool):
        """One process; what the tool answered."""
        command = self._commands.get(tool) or self._commands["acceptDiff"].replace("acceptDiff", tool)
        ran = subprocess.run(
            ["sh", "-c", self._filled(command)], stdout=subprocess.PIPE, timeout=NEVER_SECONDS, check=True
        )
        result = json.loads(ran.stdout)["result"]
        assert not result.get("isError"), result
        return result["content"]

    def listen(self):
        """A process that holds the plain event stream."""
        command = "exec curl -sN http://127.0.0.1:{port}/events -H 'Authorization: Bearer {token}'"
        return subprocess.Popen(["sh", "-c", self._filled(command)], stdout=subprocess.PIPE)

    def _filled(self, command):
        for name, value in self._values.items():
            command = command.replace(name, value)
        return command


@pytest.fixture
def curl(desktop):
    desktop.open("greeting.py")
    return Curl(desktop)


@pytest.fixture
def listener(desktop, curl):
    """Another `curl`, with `/events` open."""
    with curl.listen() as process:
        desktop.wait_status("event stream")
        yield process
        process.kill()


def heard(process, method):
    """The next notification of this method."""
    for line in process.stdout:
        if line.startswith(b"data: ") and method.encode() in line:
            return json.loads(line[6:])
    raise AssertionError("the stream has ended")


def test_one_opens_and_the_next_one_accepts(desktop, curl):
    before = desktop.arrangement()
    assert curl("openDiff") == []
    assert desktop.wait_proposal()["text"] == "print(2)\n"
    assert curl("acceptDiff") == []
    assert desktop.read("greeting.py") == b"print(2)\n"
    desktop.wait_no_review()
    assert desktop.arrangement() == before


def test_so_it_does_where_diffs_open_on_request(desktop, curl):
    desktop.host.execute("sublime.load_settings('Gemini Companion.sublime-settings').set('review_open', 'on_request')")
    before = desktop.arrangement()
    assert curl("openDiff") == []
    assert curl("acceptDiff") == []
    assert desktop.read("greeting.py") == b"print(2)\n"
    assert desktop.arrangement() == before


def test_one_opens_and_the_next_one_closes_and_gets_the_edits(desktop, curl):
    curl("openDiff")
    desktop.type_at_end(desktop.wait_proposal()["id"], "# mine\n")
    [answer] = curl("closeDiff")
    assert json.loads(answer["text"]) == {"content": "print(2)\n# mine\n"}
    desktop.wait_no_review()


def test_what_the_user_accepts_is_written_for_it(desktop, curl, listener):
    curl("openDiff")
    desktop.type_at_end(desktop.wait_proposal()["id"], "# mine\n")
    desktop.accept()
    assert heard(listener, "diffAccepted")["params"]["content"] == "print(2)\n# mine\n"
    desktop.host.wait_until(lambda: desktop.read("greeting.py") == b"print(2)\n# mine\n")


def test_one_opens_and_the_next_one_rejects(desktop, curl):
    text = desktop.read("greeting.py")
    curl("openDiff")
    desktop.wait_proposal()
    assert curl("rejectDiff") == []
    desktop.wait_no_review()
    assert desktop.read("greeting.py") == text


def test_a_listener_beside_it_hears_of_each_and_changes_nothing(desktop, curl, listener):
    curl("openDiff")
    desktop.wait_proposal()
    curl("rejectDiff")
    rejected = heard(listener, "diffRejected")
    assert rejected["params"] == {"filePath": desktop.path("greeting.py")}
    curl("openDiff")
    desktop.wait_proposal()
    curl("acceptDiff")
    accepted = heard(listener, "diffAccepted")
    assert accepted["params"] == {"filePath": desktop.path("greeting.py"), "content": "print(2)\n"}
    assert desktop.read("greeting.py") == b"print(2)\n"
