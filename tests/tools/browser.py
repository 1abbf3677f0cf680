"""Finds a Chromium for tests that look at pictures; on a Debian of the CI it is installed."""

from __future__ import annotations

import os
import shutil
from typing import Optional

from . import cache

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


def chromium() -> Optional[str]:
    """The browser on PATH, or None. With CI set, as root, on Debian, it is installed first."""
    found = _on_path()
    if found is None and cache.in_ci() and _may_install():
        cache.say("Installing chromium with apt-get ...")
        cache.run(["apt-get", "update", "-qq"], "updating the package lists")
        command = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", "chromium"]
        cache.run(command, "installing chromium", env=dict(os.environ, DEBIAN_FRONTEND="noninteractive"))
        found = _on_path()
    return found


def _on_path() -> Optional[str]:
    return next((path for path in map(shutil.which, _NAMES) if path), None)


def _may_install() -> bool:
    return os.path.isfile("/etc/debian_version") and hasattr(os, "geteuid") and os.geteuid() == 0
