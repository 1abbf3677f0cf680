"""An editor that is killed in the midst of a write: the next start puts the file right, and says so."""

from __future__ import annotations

import os

import pytest

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
def test_a_file_that_was_half_written_has_its_former_text_after_the_next_start(desktop):
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
