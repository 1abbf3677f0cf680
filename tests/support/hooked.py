"""Lets the editor answer the hooks of a program whose settings nobody writes. Standard library only."""

from __future__ import annotations

import os

from tests.host.driver import Host

MAKE = """
import sys, threading
from importlib import import_module
application = sys.modules["Gemini Companion.plugin"].application
answers = application._endpoints.hook_answers
agents = import_module("Gemini Companion.companion.agents.registry").AGENTS
agent = next(each for each in agents if each.key == {key!r})
threading.Thread(target=answers.make, args=(agent,)).start()
"""


def make(host: Host, key: str) -> str:
    """Let the editor answer the hooks of this program; the path of the file by which they find it."""
    host.wait_until("__import__('sys').modules['Gemini Companion.plugin'].application is not None")
    host.execute(MAKE.format(key=key))
    packages = host.evaluate("__import__('sublime').packages_path()")
    folder = os.path.join(os.path.dirname(packages), "Package Storage", "Gemini Companion", "hooks")
    file = os.path.join(folder, key + ".conf")
    host.wait_until(lambda: os.path.exists(file))
    return file
