"""The socket at which Codex CLI asks, over an editor's life: asked with the program's own message."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time

import pytest

if sys.platform == "win32":
    pytest.skip("Windows has a named pipe instead", allow_module_level=True)

from companion.transport.framed_socket import ask

SETTINGS = "__import__('sys').modules['Gemini Companion.plugin'].application._endpoints.in_front().settings()"
REQUEST = {"type": "request", "sourceClientId": "codex-tui", "version": 0, "method": "ide-context"}


def test_the_socket_answers_only_while_the_package_is_loaded(desktop):
    path = os.path.join(desktop.host.environment["HOME"], ".codex", "ipc", "ipc.sock")

    def told():
        request = {**REQUEST, "requestId": "1", "params": {"workspaceRoot": desktop.workspace}}
        try:
            answer = json.loads(asyncio.run(ask(path, json.dumps(request).encode())))
        except OSError:
            return None
        return answer["result"]["ideContext"].get("activeFile")

    desktop.open("greeting.py", row=1, column=12, end_row=1, end_column=17)
    file = desktop.host.wait_until(told)
    assert (file["path"], file["activeSelectionContent"]) == ("greeting.py", "Hello")
    desktop.wait_status("Codex CLI")
    share = "sublime.load_settings('Gemini Companion.sublime-settings').set('share_selection', {})"
    desktop.host.evaluate(share.format(False))
    desktop.host.wait_until(f"not {SETTINGS}.share_selection")
    assert told()["activeSelectionContent"] == "", "from that moment on"
    desktop.host.evaluate(share.format(True))
    desktop.host.wait_until(lambda: (told() or {}).get("activeSelectionContent") == "Hello")
    desktop.host.call("run_palette", caption="Companion: Pause Sharing")
    assert told() is None, "from that moment on"
    desktop.host.call("run_palette", caption="Companion: Resume Sharing")
    desktop.host.wait_until(told)
    desktop.host.disable_package()
    assert not os.path.exists(path)
    desktop.host.enable_package()
    desktop.host.wait_until(told)
    desktop.host.quit()
    assert not os.path.exists(path)
    desktop.host.restart()
    desktop.host.wait_until(lambda: os.path.exists(path))
    desktop.host.kill()
    assert os.path.exists(path)
    assert told() is None
    os.utime(path, (time.time() - 60, time.time() - 60))
    desktop.host.restart()
    desktop.host.wait_until(told)
