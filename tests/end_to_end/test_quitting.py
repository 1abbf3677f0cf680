"""An editor that quits: clients are told, and nobody calls an API that has shut down."""

from __future__ import annotations


def test_clients_and_a_pending_review_at_the_end(desktop, client):
    desktop.open("greeting.py")
    client.start_call("open_diff", path=desktop.path("greeting.py"), content="changed\n")
    desktop.wait_proposal()
    desktop.host.execute("import logging\nlogging.getLogger('gemini_companion').setLevel('DEBUG')")
    desktop.host.execute("sublime.active_window().run_command('gemini_companion_show_log')")
    desktop.host.quit()
    assert desktop.own_discovery_files() == []
    console = desktop.host.console()
    assert "Traceback" not in console and "shut down" not in console, console[-3000:]


def test_the_plugin_host_outlives_an_editor_that_has_crashed(desktop, client):
    """Nobody tells the package: no event comes, no timer fires on the main thread, and the parent is another one."""
    desktop.open("greeting.py")
    pending = client.start_call("open_diff", path=desktop.path("greeting.py"), content="changed\n")
    desktop.wait_proposal()
    assert desktop.own_discovery_files() != []
    desktop.host.execute("import os\nos.getppid = lambda: 1")
    desktop.host.wait_until(lambda: desktop.own_discovery_files() == [], timeout=5)
    assert pending.result() == {"status": "rejected"}
    # A file of another process would be believed: none is written under the new parent's id.
    desktop.host.pump(1.5)
    assert desktop.discovery_files() == []
