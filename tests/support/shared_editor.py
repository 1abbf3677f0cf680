"""One editor for the tests of a module: to each it gives a window on its workspace, and nothing that was.

An editor takes most of a second of processor time to start. Rule: what a test has changed is undone before the next
one, or the next one has a new editor: after a failure, and where the editor itself was ended.
"""

from __future__ import annotations

import os
import shutil
from typing import Any, Dict, Optional

from tests.host.driver import Host

_RENEW = """
for each in sublime.windows():
    for every in each.views():
        every.set_scratch(True)
for name, values in {settings!r}.items():
    known = sublime.load_settings(name)
    for key in set(known.to_dict()) - set(values):
        known.erase(key)
    for key, value in values.items():
        if repr(known.get(key)) != repr(value):  # 1 and True are equal
            known.set(key, value)
"""
_SETTINGS = ("Gemini Companion.sublime-settings", "Preferences.sublime-settings")


class SharedEditor:
    """The editor of a module. Closed by its owner."""

    def __init__(self) -> None:
        self.host: Optional[Host] = None
        self._pid = 0
        self._settings: Dict[str, Any] = {}

    def open(self, workspace: str, keep_clients: bool = False) -> Host:
        """The editor, with the package loaded and one window, on `workspace`.

        With `keep_clients` a window on it stays, with those that are connected to it, where there is one.
        """
        if self.host is not None and not (self.host.running and (keep_clients or self.host.editor_pid == self._pid)):
            self.close()
        if self.host is None:
            self.host = Host.start(folders=[workspace])
            self._pid = self.host.editor_pid
            read = "sublime.load_settings({!r}).to_dict()"
            self._settings = {name: self.host.evaluate(read.format(name)) for name in _SETTINGS}
        elif keep_clients:
            self._tidy(self.host, workspace)
        else:
            self._renew(self.host, workspace)
        return self.host

    def _tidy(self, host: Host, workspace: str) -> None:
        host.execute(_RENEW.format(settings=self._settings))
        for window, folders in host.evaluate("[[each.id(), each.folders()] for each in sublime.windows()]"):
            if folders != [workspace]:
                host.call("close_window", window=window)
        host.call("run_command", command="close_all")

    def _renew(self, host: Host, workspace: str) -> None:
        """The package is loaded anew, for what a test has changed in its modules, and the windows are others."""
        host.disable_package()
        host.execute(_RENEW.format(settings=self._settings))
        former = host.evaluate("[each.id() for each in sublime.windows()]")
        host.call("new_window", folders=[workspace])
        for window in former:
            host.call("close_window", window=window)
        shutil.rmtree(os.path.join(host.data, "Package Storage"), ignore_errors=True)
        host.call("zoom", factor=1.0)
        host.call("use_scheme", name="dark")
        host.clear_errors()
        host.enable_package()

    def close(self) -> None:
        if self.host is not None:
            self.host.close()
            self.host = None
