"""The README's first command: it shows every step, and can stay for a client of one's own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from tests.clients.gemini import GeminiClient
from tests.host.launch import ROOT
from tests.host.waiting import NEVER_SECONDS

DEMO = os.path.join(ROOT, "tests", "demo.py")
STEPS = ["published itself", "is connected", "a word selected", "opened a diff", "edited the proposal"]
STEPS += ["wrote the file", "as they were before", "was rejected", "changed two files without asking", "keeps it"]
STEPS += ["undoes the other", "called closeDiff", "its hook waits", "its model reads why"]
STEPS += ["comments on a line", "its model reads the comment", "proves that it has", "The main job is done"]


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_the_demonstration_shows_every_step_and_stays_until_control_c(tmp_path):
    temporary, workspace = tmp_path / "tmp", tmp_path / "workspace"
    temporary.mkdir()
    workspace.mkdir()
    demo = subprocess.Popen(
        [sys.executable, DEMO, "--keep-running", "--workspace", str(workspace)],
        env=dict(os.environ, TMPDIR=str(temporary), HOME=str(tmp_path)),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert demo.stdin is not None
    assert demo.stdout is not None
    try:
        shown = ""
        for line in demo.stdout:
            shown += line
            if "Ctrl-C ends" in line:
                break
        places = [shown.find(step) for step in STEPS]
        assert -1 not in places, shown
        assert places == sorted(places)
        # No GEMINI_CLI_IDE_PID: the client finds the editor by its working directory, as from any terminal.
        with GeminiClient(cwd=str(workspace), tmpdir=str(temporary), env={"GEMINI_CLI_IDE_PID": "1"}) as client:
            assert client.connect()["status"] == "connected"
            pending = client.start_call("edit", path=str(workspace / "greeting.py"), before="world", after="reader")
            client.wait_event("confirming")
            # The answer counts once the diff shows; asking for the tabs tells when.
            while "proposal" not in ask(demo, "s"):
                continue
            print("a", file=demo.stdin, flush=True)
            assert pending.result()["outcome"] == "accepted"
        assert "reader" in (workspace / "greeting.py").read_text(encoding="utf-8")
        os.killpg(demo.pid, signal.SIGINT)
        assert demo.wait(NEVER_SECONDS) == 0
        assert not list(temporary.glob("gemini/ide/*.json"))
    finally:
        demo.kill()
        demo.communicate()


def ask(demo, answer):
    print(answer, file=demo.stdin, flush=True)
    return demo.stdout.readline()
