"""The modules `sublime`, `sublime_plugin` and `sublime_types`, as a package sees them."""

from __future__ import annotations

import importlib
import sys

from ..model import host

NAMES = ("sublime_types", "sublime", "sublime_plugin")


def install() -> None:
    """Make the three modules importable under the names that packages use, and connect them with the host."""
    for name in NAMES:
        sys.modules[name] = importlib.import_module("." + name, __name__)
    if host.is_started():
        host.current().plugins = importlib.import_module(".registry", __name__)
