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
