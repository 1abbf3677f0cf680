"""One editor for the tests of a module: to each it gives a window on a workspace of its own, and nothing that was.

An editor takes most of a second of processor time to start. Rule: what a test has changed is undone before the next
one, or the next one has a new editor: after a failure, and where the editor itself was ended.
"""

from __future__ import annotations

import os
import shutil
from typing import Any, Dict, Optional

from tests.host.driver import Host

#: The package is loaded anew, for what a test has changed in its modules, and the windows are others.
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
        self._host: Optional[Host] = None
        self._pid = 0
        self._settings: Dict[str, Any] = {}

    def open(self, workspace: str) -> Host:
        """The editor, with the package loaded and one window, on `workspace`."""
        if self._host is not None and not (self._host.running and self._host.editor_pid == self._pid):
            self.close()
        if self._host is None:
            self._host = Host.start(folders=[workspace])
            self._pid = self._host.editor_pid
            read = "sublime.load_settings({!r}).to_dict()"
            self._settings = {name: self._host.evaluate(read.format(name)) for name in _SETTINGS}
        else:
            self._renew(self._host, workspace)
        return self._host

    def _renew(self, host: Host, workspace: str) -> None:
        host.disable_package()
        host.execute(_RENEW.format(settings=self._settings))
        former = host.evaluate("[each.id() for each in sublime.windows()]")
        host.call("new_window", folders=[workspace])
        for window in former:
            host.call("close_window", window=window)
        shutil.rmtree(os.path.join(host.data, "Package Storage"), ignore_errors=True)
        host.call("zoom", factor=1.0)
        host.call("use_scheme", name="dark")
        host.call("clear_problems")
        host.enable_package()

    def close(self) -> None:
        if self._host is not None:
            self._host.close()
            self._host = None
