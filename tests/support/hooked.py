"""The hooks of a program, put into its settings as Connect does, for programs beside a host."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, Dict

from companion.system.platform import Platform
from tests.host.driver import Host

if TYPE_CHECKING:
    from companion.agents.agent import Agent

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


def connect(host: Host, agent: Agent) -> None:
    """Let this program find the editor by its hooks from its next start on."""
    hooks: Any = agent.hooks
    file = make(host, agent.key)
    platform = Platform(Platform.current().name, {}, host.environment["HOME"], os.getuid())
    path = os.path.join(agent.configuration(platform), *hooks.below_home)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    content: Dict[str, Any] = {}
    if os.path.exists(path):
        with open(path, encoding="utf-8") as found:
            content = json.load(found)
    if agent.key == "copilot":
        content["version"] = 1
    lists = content.setdefault("hooks", {})
    for entry in hooks.entries():
        lists.setdefault(entry.event, []).append(hooks.definition(entry, file, platform))
    with open(path, "w", encoding="utf-8") as made:
        json.dump(content, made)
    if agent.key == "gemini":
        extension = os.path.join(os.path.dirname(os.path.dirname(path)), "gemini-extension.json")
        with open(extension, "w", encoding="utf-8") as made:
            json.dump({"name": "gemini-companion", "version": "1.0.0"}, made)
