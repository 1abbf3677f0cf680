"""Clients that are suspended, killed, or vanish while the user accepts: no accepted text is lost without a word."""

from __future__ import annotations

import os
import signal

import pytest

TEXTS = (
    "[text.state.name for each in __import__('sys').modules['Gemini Companion.plugin'].application.endpoints()"
    " for text in each.reviews.accepted_texts._texts]"
)
TOLD = f"{TEXTS}.count('CLIENT_WRITES')"
AWAITED = f"len({TEXTS})"

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="processes cannot be suspended here")


@pytest.fixture
def reviewed(desktop):
    """A client whose proposal the user looks at."""
    with desktop.client() as client:
        assert client.connect()["status"] == "connected"
        client.start_call("edit", path=desktop.path("greeting.py"), before="Hello", after="Welcome")
        desktop.wait_proposal()
        desktop.host.wait_until(lambda: compared(desktop))
        yield client


def compared(desktop):
    """Whether the header of the proposal counts the changes: then the file has been read."""
    return any(
        "\u2212" in phantom["content"] for view in desktop.views_of_role("proposal") for phantom in view["phantoms"]
    )


def suspend(client):
    os.kill(client.process.pid, signal.SIGSTOP)


def wait_written(desktop, text):
    desktop.host.wait_until(lambda: text in desktop.read("greeting.py"))


def test_what_a_suspended_client_was_told_is_written_when_it_is_killed(desktop, reviewed):
    suspend(reviewed)
    desktop.accept()
    desktop.wait_no_review()
    assert b"Hello" in desktop.read("greeting.py")
    reviewed.kill()
    wait_written(desktop, b"Welcome")
    assert not desktop.views_of_role("proposal"), "without a second Accept"


def test_a_suspended_client_that_goes_on_after_an_upgrade_writes_the_file(desktop, reviewed):
    suspend(reviewed)
    desktop.accept()
    desktop.wait_no_review()
    desktop.host.disable_package()
    desktop.host.enable_package()
    desktop.wait_published()
    desktop.host.wait_until(lambda: desktop.host.evaluate(TOLD) == 1)
    os.kill(reviewed.process.pid, signal.SIGCONT)
    wait_written(desktop, b"Welcome")
    desktop.host.wait_until(lambda: desktop.host.evaluate(AWAITED) == 0)
    assert not desktop.views_of_role("proposal")
