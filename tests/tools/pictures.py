"""Draws a window of the headless host: its HTML by `tests/host/render.py`, a PNG of it by headless Chromium."""

from __future__ import annotations

import os
import subprocess
import tempfile
from typing import Optional, Tuple

from tests.host.driver import Host

from . import browser

_SECONDS = 60
# Chromium must not look for hosts of its maker's; a test has no network beyond loopback.
_QUIET = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--hide-scrollbars",
)  # fmt: skip


class NoBrowser(Exception):
    """There is no Chromium on this machine."""


def draw(host: Host, path: str, size: Tuple[int, int], window: Optional[int] = None) -> str:
    """Writes a PNG of the window to `path` and returns the HTML it was made from. Raises NoBrowser."""
    chromium = browser.chromium()
    if chromium is None:
        raise NoBrowser("no chromium on PATH")
    html: str = host.call("render", window=window)
    with tempfile.TemporaryDirectory(prefix="picture-") as folder:
        page = os.path.join(folder, "window.html")
        with open(page, "w", encoding="utf-8") as file:
            file.write(html)
        command = [chromium, *_QUIET, "--user-data-dir=" + os.path.join(folder, "profile")]
        command += ["--window-size={},{}".format(*size), "--screenshot=" + path, "file://" + page]
        subprocess.run(command, check=True, timeout=_SECONDS, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return html
