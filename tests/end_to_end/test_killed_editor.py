"""An editor that is killed: the next start puts right what was half written, and lists what was written meanwhile."""

from __future__ import annotations

import os

import pytest

from tests.host.driver import Host
from tests.host.launch import write_user_settings
from tests.tools.desktop import Desktop
from tests.tools.unasked import looked_at

GREETING = b"def greet(name):\n    return 'Hello, ' + name\n"

# The disk takes a part of what is written to this file, and then no more.
HALF_WRITE = """
import os, threading
def write(descriptor, data, real=os.write, number=%d):
    if os.fstat(descriptor).st_ino != number:
        return real(descriptor, data)
    real(descriptor, data[:30])
    threading.Event().wait()
os.write = write
"""


@pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")
def test_a_half_written_file_has_its_former_text_after_the_next_start(desktop):
    path = desktop.path("greeting.py")
    os.link(path, path + ".link")  # so that it is rewritten in place
    with desktop.client() as client:
        assert client.connect()["status"] == "connected"
        client.start_call("edit", path=path, before="Hello", after="A very warm welcome")
        desktop.wait_proposal()
        client.kill()
        desktop.wait_no_client()
        desktop.host.execute(HALF_WRITE % os.stat(path).st_ino)
        desktop.accept()
        desktop.host.wait_until(lambda: desktop.read("greeting.py") != GREETING)
    desktop.host.kill()
    torn = desktop.read("greeting.py")
    assert torn.startswith(GREETING[:20]), "it is half written"
    assert len(torn) > len(GREETING), "it is half written"
    desktop.host.restart()
    said = "greeting.py was being written when the editor ended: it has its former text again"
    desktop.host.wait_until(lambda: any(said in message for message in desktop.window()["status_messages"]))
    assert desktop.read("greeting.py") == GREETING
    assert sorted(os.listdir(desktop.workspace)) == ["greeting.py", "greeting.py.link"]
    shown = desktop.wait_proposal()["id"]
    desktop.host.wait_until(
        lambda: "A very warm welcome" in desktop.host.evaluate(f"sublime.View({shown}).substr(sublime.Region(0, 999))")
    )


LISTED = """
import sys
application = sys.modules["Gemini Companion.plugin"].application
lists = [each.changes.reviews.lists for each in application._endpoints.all()] if application is not None else []
listed = sorted(change.path for each in lists for change in (*each.changes, *each.outside))
"""


@pytest.mark.parametrize("meanwhile", ["", "excluded", "left out"])
def test_writes_after_the_kill_are_listed_unless_other_files_were_tracked(tmp_path, workspace, meanwhile):
    """What was hidden then may have been there then, so that nobody knows what it held."""
    always = {"track_changes": "always"}
    then = {"Gemini Companion": dict(always, context_exclude=["*.hidden"]), "Preferences": {}}
    later = {"Gemini Companion": dict(always), "Preferences": {}}
    for name in ("mine.hidden", "mine.out"):
        tmp_path.joinpath("workspace", name).write_bytes(b"of the user\n")
    then["Preferences"] = {"file_exclude_patterns": ["*.out"]}
    if meanwhile == "excluded":
        later["Preferences"] = then["Preferences"]
    elif meanwhile == "left out":
        later["Gemini Companion"] = then["Gemini Companion"]
    else:
        later = then
    with Host.start(folders=[workspace], settings=then) as host:
        host.quit()  # an editor that is killed restores what the one before has left
        host.restart()
        host.wait_until(lambda: looked_at(Desktop(host, workspace), workspace))
        host.kill()
        tmp_path.joinpath("workspace", "mine.hidden").write_bytes(b"of a program\n")
        tmp_path.joinpath("workspace", "mine.out").write_bytes(b"of a program\n")
        tmp_path.joinpath("workspace", "new.py").write_bytes(b"of a program\n")
        write_user_settings(host.data, later)
        host.restart()
        host.wait_until(lambda: looked_at(Desktop(host, workspace), workspace))
        host.wait_until(lambda: host.execute(LISTED, result="listed") == ([] if meanwhile else ["new.py"]))
